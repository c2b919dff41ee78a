package campaign

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// An Order is one repository to evaluate. Old is its last result, nil for none.
type Order struct {
	Plan       *Plan      `json:"plan"`
	Repository Repository `json:"repository"`
	Old        *Result    `json:"old,omitempty"`
}

// Evaluate says what the plan makes of the repository; the result is nil when the old one
// still holds. Read is as that of Work. An error is the end of ctx.
func (o *Order) Evaluate(ctx context.Context, read func(config []byte) (Acknowledged, error)) (*Result, error) {
	j := &evaluator{plan: o.Plan, digest: o.Plan.Digest(), read: read}
	return j.evaluate(ctx, o.Repository, o.Old)
}

// IsApart is the variable in the environment of a program that Apart starts: it starts none.
const IsApart = "CFCTL_IS_APART"

// Apart evaluates orders by a program that reads one as JSON from its standard input, and
// prints the result. What is in a repository may need more memory or time than there is:
// the program ends then, or at a limit, and the result is trouble with this repository alone.
func Apart(limit time.Duration, program string, args ...string) func(ctx context.Context, o *Order) (*Result, error) {
	return func(ctx context.Context, o *Order) (*Result, error) {
		in, err := json.Marshal(o)
		if err != nil {
			return nil, err
		}
		bounded, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		var out bytes.Buffer
		var said firstBytes
		cmd := exec.CommandContext(bounded, program, args...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &said
		cmd.Env = append(os.Environ(), IsApart+"=1")
		cmd.WaitDelay = 10 * time.Second
		err = cmd.Run()
		var r *Result
		if err == nil {
			err = json.Unmarshal(out.Bytes(), &r)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case bounded.Err() != nil:
			err = errors.New("its evaluation did not end")
		}
		if err == nil {
			return r, nil
		}
		why, _, _ := bytes.Cut(said.list, []byte("\n"))
		r = &Result{Key: o.Repository.Key, Name: o.Repository.Name, Digest: o.Plan.Digest(), State: Trouble, Class: Fault}
		r.Text = oneLine("its evaluation failed: " + cmp.Or(string(why), err.Error()))
		_ = git.Read(ctx, wire.Patience{}, func() (err error) { // without them the result holds for nothing
			r.Branch, r.Base, err = git.RemoteHead(ctx, o.Repository.URL)
			return err
		})
		return r, nil
	}
}

// firstBytes keeps what is written first.
type firstBytes struct{ list []byte }

func (b *firstBytes) Write(p []byte) (int, error) {
	b.list = append(b.list, p[:min(len(p), 4096-len(b.list))]...)
	return len(p), nil
}
