package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// Open is the one writer of a campaign: it makes the commits again that work has
// found, pushes those that are the same, and opens pull requests. It holds a lease in the store; should two hold it
// nevertheless, a branch is moved only from where it was seen, and the forge
// refuses a second pull request of a head.
type Open struct {
	Store   *Store
	Forge   *github.Client
	Holder  string // names this process for others
	Budget  Budget
	MaxOpen int // pull requests that may be open at a time; 0 = any number
	// MaxPending is how many pull requests may wait for their checks, or have not
	// been followed since they were opened; 0 = any number.
	MaxPending int
	Sign       bool                                      // the forge makes the commits, and signs them
	Windows    []Window                                  // in which it opens; empty = always
	For        time.Duration                             // it starts nothing later than that; 0 = until all is done
	Workflows  bool                                      // changes of files that the forge runs are pushed, too
	Read       func(config []byte) (Acknowledged, error) // as of Work: both must read the same
	Reopen     []string                                  // names of repositories that are opened although a maintainer closed or edited
	Sleep      func(ctx context.Context, d time.Duration) error
	Told       func(r *Record) // of each repository that was checked; may be nil
	Note       func(text string)
	Waits      func(until time.Time, left int) // told before the budget is waited for, with the number of repositories to look at; may be nil
}

// opener is one run of Open.
type opener struct {
	*Open
	plan      *Plan
	evaluator *evaluator
	ref       *ref
	leased    time.Time // until when
	spent     spent
	records   map[string]*Record
	followed  map[string]*followed
	results   map[string]*Result
	workflow  bool // the token may write workflows
	end       time.Time
	failures  int  // in a row
	left      int  // repositories that are still to be checked
	closes    bool // it closes a campaign, which is stopped
}

// Run opens what is to be opened, and returns the number of pull requests that
// it made or moved. It returns early, without an error, when the time is over,
// outside of the windows, and when the forge wants a long pause.
func (o *Open) Run(ctx context.Context, p *Plan) (int, error) {
	if err := o.Budget.Check(); err != nil {
		return 0, err
	}
	if p.Servers.API == "" {
		return 0, errors.New("the campaign has no forge: nothing can be opened")
	}
	w := &opener{Open: o, plan: p, evaluator: &evaluator{plan: p, digest: p.Digest(), read: o.Read}}
	if o.For > 0 {
		w.end = o.Store.Now().Add(o.For)
	}
	if err := w.acquire(ctx); err != nil {
		return 0, err
	}
	n, err := w.all(ctx)
	if errors.Is(err, errMoved) {
		if stop, serr := o.Store.Stopped(ctx); serr == nil && stop != nil {
			err = &StoppedError{*stop}
		}
	}
	err = cmp.Or(err, w.release(context.WithoutCancel(ctx)))
	return n, err
}

// all goes through the waves.
func (w *opener) all(ctx context.Context) (n int, err error) {
	if err := w.load(ctx); err != nil {
		return 0, err
	}
	scopes, err := w.Forge.Scopes(ctx)
	if err != nil {
		return 0, err
	}
	w.workflow = scopes == nil || slices.Contains(scopes, "workflow")
	waves := w.plan.waves()
	for _, wave := range waves {
		for _, repo := range wave.list {
			if w.due(repo, w.results[repo.Key]) {
				w.left++
			}
		}
	}
	for i, wave := range waves {
		if why := w.gate(i); why != "" {
			w.note("%s waits: %s", wave.name, why)
			return n, nil
		}
		for _, repo := range w.inOrder(wave.list) {
			r := w.results[repo.Key]
			if !w.due(repo, r) {
				continue
			}
			acted, going, err := w.until(ctx, repo, r)
			w.left--
			if acted {
				n++
			}
			if err != nil || !going {
				return n, err
			}
		}
	}
	return n, nil
}

// until does what is to be done in a repository as soon as the budget has room,
// and again after a pause that the forge wants. going says that there is time
// for more.
func (w *opener) until(ctx context.Context, repo Repository, r *Result) (acted, going bool, err error) {
	for {
		going, err = w.ready(ctx)
		if err != nil || !going {
			return false, going, err
		}
		acted, err = w.one(ctx, repo, r)
		if !errors.Is(err, errPause) {
			return acted, true, err
		}
	}
}

// errPause says that the forge wanted a pause, which is in the budget now.
var errPause = errors.New("the forge wants a pause")

// load reads results, records and what was followed.
func (w *opener) load(ctx context.Context) (err error) {
	if w.results, err = w.Store.Results(ctx, w.plan); err != nil {
		return err
	}
	if w.records, err = recordsOf(w.ref); err != nil {
		return err
	}
	_, _, _, w.followed, err = w.Store.known(ctx)
	return err
}

func recordsOf(r *ref) (map[string]*Record, error) {
	return entriesOf(r, "pulls", func(rec *Record) string { return rec.Key })
}

func (w *opener) note(format string, args ...any) {
	if w.Note != nil {
		w.Note(fmt.Sprintf(format, args...))
	}
}

// one looks at a repository, does what is to be done, and notes what is known
// then; acted says that something was made. Trouble with one repository is
// noted, and is an error only when it comes several times in a row.
func (w *opener) one(ctx context.Context, repo Repository, r *Result) (acted bool, err error) {
	bounded, cancel := context.WithTimeout(ctx, leaseTime-time.Minute)
	defer cancel()
	rec := &Record{Key: repo.Key, Name: repo.Name, Digest: r.Digest}
	if old := w.records[repo.Key]; old != nil {
		*rec = *old
		rec.Pushed = slices.Clone(old.Pushed)
	}
	acted, err = w.attempt(bounded, repo, r, rec)
	var limit *wire.RateError
	switch {
	case ctx.Err() != nil:
		return acted, ctx.Err()
	case errors.Is(err, errMoved):
		return acted, fmt.Errorf("the lease is lost: %w", err)
	case err == nil:
		w.failures = 0
	case errors.As(err, &limit):
		w.spent.limited(w.Store.Now(), limit)
		w.note("%v: a pause until %s", err, time.Unix(w.spent.Until, 0).UTC().Format(time.RFC3339))
		return acted, errors.Join(errPause, w.write(ctx, errPause.Error()))
	case refused(err), pushRefused(err), errors.Is(err, errOwn), errors.Is(err, errOther):
		rec.Stage, rec.Text = Blocked, r.mark()+oneLine(err.Error())
	default:
		if w.failures++; w.failures >= 3 {
			return acted, fmt.Errorf("%s: %w", repo.Name, err)
		}
		w.note("%s: %v", repo.Name, err)
		return acted, nil
	}
	return acted, w.record(ctx, rec)
}

// record notes what is known of a repository.
func (w *opener) record(ctx context.Context, rec *Record) error {
	if w.Told != nil {
		defer w.Told(rec)
	}
	if old := w.records[rec.Key]; old != nil {
		if rec.At = old.At; reflect.DeepEqual(rec, old) {
			return nil
		}
	}
	rec.At = stamp(w.Store.Now())
	change := git.Change{Path: place("pulls", rec.Key), Data: encode(rec)}
	if err := w.write(ctx, string(rec.Stage)+" "+rec.Name, change); err != nil {
		return err
	}
	kept := *rec
	kept.Pushed = slices.Clone(rec.Pushed)
	w.records[rec.Key] = &kept
	return nil
}

func short(hash string) string { return hash[:min(len(hash), 12)] }
