package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
)

// A Stop says that a campaign opens nothing more, and who said so. It is in the ref
// of the opener: one that runs cannot write what it is about to do any more, and
// ends. What it had begun is opened, and no more than that.
type Stop struct {
	By string `json:"by"`
	At string `json:"at"`
}

// A StoppedError says that the campaign was stopped.
type StoppedError struct{ Stop }

func (e *StoppedError) Error() string {
	return fmt.Sprintf("the campaign was stopped by %s at %s: no pull requests are opened", e.By, e.At)
}

func (s Stop) error(there bool) error {
	if !there {
		return nil
	}
	return &StoppedError{s}
}

// Stop stops a campaign for all who open; one that is stopped is not changed.
func (s *Store) Stop(ctx context.Context, by string) (Stop, error) {
	if old, err := s.Stopped(ctx); err != nil {
		return Stop{}, err
	} else if old != nil {
		return *old, nil
	}
	stop := Stop{By: by, At: stamp(s.Now())}
	return stop, s.changeStop(ctx, "stop", git.Change{Path: stopFile, Data: encode(stop)})
}

func (s *Store) changeStop(ctx context.Context, why string, change git.Change) error {
	r, err := s.ref(ctx, "opener")
	if err != nil {
		return err
	}
	return r.merge(ctx, "", why, []git.Change{change})
}

// Resume lets a campaign open again; was says that it was stopped.
func (s *Store) Resume(ctx context.Context) (was bool, err error) {
	stop, err := s.Stopped(ctx)
	if stop == nil || err != nil {
		return false, err
	}
	return true, s.changeStop(ctx, "resume", git.Change{Path: stopFile, Delete: true})
}

// Stopped says who stopped the campaign; nil = no one.
func (s *Store) Stopped(ctx context.Context) (*Stop, error) {
	r, err := s.ref(ctx, "opener")
	if err != nil {
		return nil, err
	}
	return stopOf(r)
}

func stopOf(r *ref) (*Stop, error) {
	stop := &Stop{}
	if there, err := r.read(stopFile, stop); err != nil || !there {
		return nil, err
	}
	return stop, nil
}

// Changes is how many open pull requests a plan would change: those of the plan in
// the store, when that has other rules.
func (s *Store) Changes(ctx context.Context, p *Plan) (int, error) {
	old, err := s.Plan(ctx)
	if errors.Is(err, errNoPlan) {
		return 0, nil
	}
	if err != nil || old.sameRules(p) {
		return 0, err
	}
	_, _, records, seen, err := s.known(ctx)
	n := 0
	for key, rec := range records {
		if stage := stageOf(rec, seen[key]); stage == Opened || stage == Opening {
			n++
		}
	}
	return n, err
}

// sameRules says whether two plans do the same to a repository.
func (p *Plan) sameRules(o *Plan) bool {
	a, b := Plan{Rulesets: p.Rulesets, Dual: p.Dual, Set: p.Set}, Plan{Rulesets: o.Rulesets, Dual: o.Dual, Set: o.Set}
	return a.Digest() == b.Digest()
}

// Close stops the campaign, closes its pull requests that no one has touched, each
// with a comment, and deletes their branches. It returns how many it closed. A run
// that was killed is taken up by running again.
func (o *Open) Close(ctx context.Context, p *Plan) (n int, err error) {
	if err := o.Budget.Check(); err != nil {
		return 0, err
	}
	if p.Servers.API == "" {
		return 0, errors.New("the campaign has no forge: nothing was opened")
	}
	if _, err := o.Store.Stop(ctx, o.Holder); err != nil {
		return 0, err
	}
	w := &opener{Open: o, plan: p, closes: true}
	if err := w.acquire(ctx); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.release(context.WithoutCancel(ctx))) }()
	if err := w.load(ctx); err != nil {
		return 0, err
	}
	for _, key := range git.Sorted(w.records) {
		rec := w.records[key]
		if !slices.Contains([]Stage{Opened, Opening, Blocked, Withdrawing}, stageOf(rec, w.followed[key])) {
			continue
		}
		if going, err := w.ready(ctx); err != nil || !going {
			return n, err
		}
		closed, err := w.withdraw(ctx, rec)
		if err != nil {
			return n, fmt.Errorf("%s: %w", rec.Name, err)
		}
		if closed {
			n++
		}
	}
	return n, nil
}

// withdraw closes what the campaign has open in a repository.
func (w *opener) withdraw(ctx context.Context, old *Record) (closed bool, err error) {
	bounded, cancel := context.WithTimeout(ctx, leaseTime-time.Minute)
	defer cancel()
	rec := *old
	rec.Pushed = slices.Clone(old.Pushed)
	id, err := strconv.ParseInt(old.Key, 10, 64)
	if err != nil {
		return false, nil //nolint:nilerr // a repository without a forge
	}
	info, err := w.Forge.ByID(bounded, id)
	if err != nil {
		return false, err
	}
	rec.Name = info.Name
	url := w.plan.Servers.urlOf(info.Name)
	v, err := w.look(bounded, info, url, &Result{}, &rec)
	if err != nil {
		return false, err
	}
	a := decide(v)
	rec.take(a)
	switch a.stage {
	case Opened, Opening:
	default:
		return false, w.record(ctx, &rec) // a maintainer has decided
	}
	number := a.pull.Number
	rec.Stage = Withdrawing
	if err := w.record(ctx, &rec); err != nil {
		return false, err
	}
	if number != 0 {
		w.spent.intend(w.Store.Now(), w.Store.Now())
		if err := w.say(bounded, info.Name, number); err != nil {
			return false, err
		}
		if err := w.Forge.ClosePull(bounded, info.Name, number); err != nil {
			return false, err
		}
	}
	if v.head != "" {
		local, done, err := git.Scratch(bounded, url, true)
		if err != nil {
			return false, err
		}
		defer done() //nolint:errcheck // a folder of ours in the folder for temporary files
		if err := local.PushLean(bounded, url, git.Update{Ref: "refs/heads/" + w.plan.Branch(), Old: v.head, New: git.Zero}); err != nil && !errors.Is(err, git.ErrMoved) {
			return false, err
		}
	}
	rec.Stage = Withdrawn
	return number != 0, w.record(ctx, &rec)
}

// say comments on a pull request that is about to be closed, once.
func (w *opener) say(ctx context.Context, repo string, number int) error {
	mark := fmt.Sprintf("<!-- cfctl-campaign-close %s %s#%d -->", w.plan.ID, repo, number)
	comments, err := w.Forge.Comments(ctx, repo, number)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(comments, func(text string) bool { return strings.Contains(text, mark) }) {
		return nil
	}
	return w.Forge.Comment(ctx, repo, number, "The campaign "+w.plan.ID+" was closed. This pull request has no other commits, so it is closed, too, and its branch is deleted.\n\n"+mark)
}
