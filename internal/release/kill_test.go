package release

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/mail"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/steps"
)

// A killer ends a run at the n-th chance: everything after it fails, as after
// kill -9.
type killer struct {
	mu     sync.Mutex
	n, at  int // chances so far; the one to take, 0 = none
	dead   bool
	cancel context.CancelFunc
}

var errKilled = errors.New("killed")

// chance is called before and after everything that can be seen from outside.
func (k *killer) chance() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dead {
		return errKilled
	}
	k.n++
	if k.n == k.at {
		k.dead = true
		k.cancel()
		return errKilled
	}
	return nil
}

type killerLog struct {
	Log
	k *killer
}

func (l *killerLog) Append(ctx context.Context, r Record) error {
	if err := l.k.chance(); err != nil {
		return err
	}
	if err := l.Log.Append(ctx, r); err != nil {
		return err
	}
	return l.k.chance()
}

type killerTrip struct{ k *killer }

func (r *killerTrip) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		return http.DefaultTransport.RoundTrip(req)
	}
	if err := r.k.chance(); err != nil {
		return nil, err
	}
	// What is on its way arrives, whatever happens to who sent it.
	res, err := http.DefaultTransport.RoundTrip(req.WithContext(context.WithoutCancel(req.Context())))
	if kerr := r.k.chance(); kerr != nil {
		return nil, kerr
	}
	return res, err
}

type killerGit struct {
	ports.GitPort
	k *killer
}

func (g *killerGit) Push(ctx context.Context, repo, objects string, u ...git.Update) error {
	return g.around(func() error { return g.GitPort.Push(context.WithoutCancel(ctx), repo, objects, u...) })
}

func (g *killerGit) Tag(ctx context.Context, repo, tag, commit, message string, sign bool) error {
	return g.around(func() error {
		return g.GitPort.Tag(context.WithoutCancel(ctx), repo, tag, commit, message, sign)
	})
}

func (g *killerGit) around(f func() error) error {
	if err := g.k.chance(); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return g.k.chance()
}

type killerMail struct {
	mail.Mailer
	k *killer
}

func (m *killerMail) Send(ctx context.Context, msg mail.Message) error {
	if err := m.k.chance(); err != nil {
		return err
	}
	if err := m.Mailer.Send(context.WithoutCancel(ctx), msg); err != nil {
		return err
	}
	return m.k.chance()
}

// runKilled runs with one kill on the way, and returns how many chances to
// kill there were in all.
func runKilled(t *testing.T, w *world, at int) int {
	t.Helper()
	journal := journalIn(t)
	k := &killer{at: at}
	for range 14 {
		ctx, cancel := context.WithCancel(context.Background())
		k.mu.Lock()
		k.cancel, k.dead = cancel, false
		k.mu.Unlock()
		env, q := w.env(journal)
		q.Base = &killerTrip{k}
		file := env.Journal
		env.Journal, env.Git, env.Mail = &killerLog{file, k}, &killerGit{env.Git, k}, &killerMail{env.Mail, k}
		pick := yes
		if file.Records().Last("approve:publish", steps.RecApprove) != nil {
			pick.Yes = nil
		}
		r, err := On(w.train("v0.2.0"), env).Run(ctx, &env.Env, pick)
		killed := k.dead
		file.Close()
		cancel()
		if killed {
			continue // begun again at once, by the next go round
		}
		if err != nil {
			t.Fatal(err)
		}
		if o := r.Of("announce:slack"); o != nil && o.State == Conflict {
			// The one question that only a maintainer can answer.
			env, _ := w.env(journal)
			if err := On(w.train("v0.2.0"), env).Approve(context.Background(), &env.Env, "announce:slack", "rita", len(w.chat.texts()) > 0); err != nil {
				t.Fatal(err)
			}
			env.Journal.Close()
			continue
		}
		if err := r.Trouble(); err != nil {
			t.Fatal(err)
		}
		if r.Complete() {
			return k.n
		}
		w.play()
	}
	t.Fatalf("killed at %d, the train does not arrive", at)
	return 0
}

// TestKilledEverywhere kills the train before and after every journal record
// and every mutating request: at all points with CFCTL_KILL=all, at every 7th with the tag
// e2e, else at every 30th.
func TestKilledEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("a sweep")
	}
	w := newWorld(t)
	points := runKilled(t, w, 0)
	want := w.state()
	stride := killStride
	if os.Getenv("CFCTL_KILL") == "all" {
		stride = 1
	}
	tried := 0
	for at := 1; at <= points; at += stride {
		tried++
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			runKilled(t, w, at)
			if got := w.state(); got != want {
				t.Errorf("killed at %d: another world\n%s\nwant\n%s", at, got, want)
			}
		})
	}
	t.Logf("killed at %d of %d points", tried, points)
}
