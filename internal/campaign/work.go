package campaign

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// Work evaluates the repositories of shards of a campaign. It reads from them, and
// writes nothing but the store.
type Work struct {
	Store *Store
	Jobs  int                                       // repositories at a time; at least 1
	Read  func(config []byte) (Acknowledged, error) // reads .cfctl.yaml of a repository; nil = it has no say
	Told  func(r *Result)                           // of each new result; may be nil
	// Evaluate evaluates one repository, such as Apart; nil = in this process.
	Evaluate func(ctx context.Context, o *Order) (*Result, error)
}

// Worked counts what a run of work did.
type Worked struct {
	Repositories int // of the shard
	Held         int // whose result still holds
	Changed      int
	Nothing      int
	Trouble      int
}

// Shard evaluates one shard of a plan. A result that still holds is kept: a run
// that was killed goes on where its last lot ended.
func (w *Work) Shard(ctx context.Context, p *Plan, index, of int) (Worked, error) {
	repos, err := p.Shard(index, of)
	if err != nil {
		return Worked{}, err
	}
	done := Worked{Repositories: len(repos)}
	evaluate := w.Evaluate
	if evaluate == nil {
		evaluate = func(ctx context.Context, o *Order) (*Result, error) { return o.Evaluate(ctx, w.Read) }
	}
	if _, err := p.migration(nil); err != nil {
		return done, err // no repository could be evaluated
	}
	shard := fmt.Sprintf("shards/%04d", index)
	old, err := w.Store.resultsOf(ctx, p, shard) // what other workers say is not believed
	if err != nil {
		return done, err
	}
	at, err := w.Store.ref(ctx, shard)
	if err != nil {
		return done, err
	}
	out := &writer{ref: at, plan: p.Commit, last: w.Store.Now()}
	var held, changed, nothing, trouble atomic.Int64
	err = source.Each(ctx, len(repos), max(w.Jobs, 1), func(i int) error {
		r, err := evaluate(ctx, &Order{Plan: p, Repository: repos[i], Old: old[repos[i].Key]})
		if err != nil {
			return err
		}
		last := old[repos[i].Key]
		if r == nil {
			held.Add(1)
			return nil
		}
		switch r.State {
		case Changed:
			changed.Add(1)
		case Trouble:
			trouble.Add(1)
		default:
			nothing.Add(1)
		}
		if r.same(last) {
			return nil // the same trouble: the store has it
		}
		r.Written = stamp(w.Store.Now())
		if w.Told != nil {
			w.Told(r)
		}
		return out.add(ctx, r)
	})
	done.Held, done.Changed, done.Nothing, done.Trouble = int(held.Load()), int(changed.Load()), int(nothing.Load()), int(trouble.Load())
	if ctx.Err() != nil { // what was evaluated is kept
		ctx = context.WithoutCancel(ctx)
	}
	err = cmp.Or(err, out.flush(ctx))
	return done, err
}

// same says whether two results differ in nothing but when they were written.
func (r *Result) same(old *Result) bool {
	if old == nil {
		return false
	}
	a, b := *r, *old
	a.Written, b.Written = "", ""
	return reflect.DeepEqual(a, b)
}

// arrays are the engines that start one worker for each shard, by the variables
// that say which it is and how many there are.
var arrays = []struct {
	engine, index, total string
	first                int // of the index
}{
	{"Kubernetes Indexed Job", "JOB_COMPLETION_INDEX", "", 0},
	{"Buildkite", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0},
	{"GitLab", "CI_NODE_INDEX", "CI_NODE_TOTAL", 1},
	{"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", 0},
	{"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", 0},
}

// ShardOf is which shard a worker has, and of how many, by the environment of
// the engine that started it. of is what the worker was told, 0 for nothing; an
// engine that says another number is an error. Without an engine it is the one
// shard that there is.
func ShardOf(env map[string]string, of int) (index, total int, err error) {
	for _, a := range arrays {
		text := env[a.index]
		if text == "" {
			continue
		}
		if index, err = strconv.Atoi(text); err != nil {
			return 0, 0, fmt.Errorf("%s: %q is not a number", a.index, text)
		}
		first := a.first
		if low := env["SLURM_ARRAY_TASK_MIN"]; a.engine == "Slurm" && low != "" {
			if first, err = strconv.Atoi(low); err != nil {
				return 0, 0, fmt.Errorf("SLURM_ARRAY_TASK_MIN: %q is not a number", low)
			}
		}
		total = of
		if said := env[a.total]; a.total != "" && said != "" {
			n, err := strconv.Atoi(said)
			if err != nil {
				return 0, 0, fmt.Errorf("%s: %q is not a number", a.total, said)
			}
			if of != 0 && of != n {
				return 0, 0, fmt.Errorf("%s is %d, but the worker was started with %d shards", a.total, n, of)
			}
			total = n
		}
		if total == 0 {
			return 0, 0, fmt.Errorf("%s says shard %d, and nothing says of how many", a.index, index-first)
		}
		return index - first, total, nil
	}
	if of > 1 {
		return 0, 0, fmt.Errorf("nothing says which of %d shards this is", of)
	}
	return 0, 1, nil
}

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
