package campaign

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"
)

// due says whether a repository is checked: there is a change, made by this
// plan, and no one has decided.
func (w *opener) due(repo Repository, r *Result) bool {
	if repo.ID == 0 || r == nil || r.State != Changed || r.Digest != w.plan.Digest() {
		return false
	}
	rec := w.records[repo.Key]
	if w.reopens(repo) || rec == nil {
		return true
	}
	switch f := w.followed[repo.Key]; stageOf(rec, f) {
	case Opening, Withdrawing, Withdrawn, Away: // a forge answers as for one that is gone where a token may not see it
		return true
	case Opened:
		return rec.Digest != r.Digest || f != nil && f.Conflicts && !slices.Contains(rec.Pushed, r.Commit)
	case Stale:
		return !strings.HasPrefix(rec.Text, r.mark())
	case Blocked:
		why, same := strings.CutPrefix(rec.Text, r.mark())
		return !same || !w.remains(why)
	}
	return false
}

// remains says whether a blocked change is certain to be blocked again: rules of
// a repository, rights of a token and cfctl itself can change at any time.
func (w *opener) remains(why string) bool {
	return why == noScope && !w.workflow || why == noFlag && !w.Workflows || strings.HasPrefix(why, errOther.Error())
}

// inOrder has the repositories of a wave that were blocked or away last: they are tried
// again when the others are open.
func (w *opener) inOrder(list []Repository) []Repository {
	later := func(r Repository) int {
		if rec := w.records[r.Key]; rec != nil && (rec.Stage == Blocked || rec.Stage == Away) {
			return 1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(list), func(a, b Repository) int { return later(a) - later(b) })
}

// Why a change is blocked that a better token, or a flag, could push.
const (
	noFlag  = "it changes workflows, which --workflows permits"
	noScope = "it changes a workflow, and the token has no scope \"workflow\""
	noPush  = "the token may not push to it, and campaigns make no forks"
)

// mark says of which result a record speaks.
func (r *Result) mark() string {
	return short(r.Commit) + " of " + oneLine(short(r.Base)) + " for " + oneLine(r.Branch) + ": "
}

func (w *opener) reopens(repo Repository) bool { return slices.Contains(w.Reopen, repo.Name) }

// ready waits for room in the budget; false says that it does not come in time.
func (w *opener) ready(ctx context.Context) (bool, error) {
	for {
		now := w.Store.Now()
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case len(w.Windows) > 0 && !slices.ContainsFunc(w.Windows, func(x Window) bool { return x.open(now) }):
			w.note("outside of the windows")
			return false, nil
		case w.MaxOpen > 0 && w.openNow() >= w.MaxOpen:
			w.note("%d pull requests are open", w.MaxOpen)
			return false, nil
		case w.MaxPending > 0 && w.pendingNow() >= w.MaxPending:
			w.note("%d pull requests wait for their checks, as they were followed last", w.MaxPending)
			return false, nil
		}
		wait := w.spent.wait(now, w.budget())
		if !w.end.IsZero() && !now.Add(wait).Before(w.end) {
			if wait > 0 {
				w.note("the rate limit allows the next pull request at %s, after the end of this run", now.Add(wait).UTC().Format(time.RFC3339))
			}
			return false, nil
		}
		if wait == 0 {
			return true, nil
		}
		if w.Waits != nil {
			w.Waits(now.Add(wait), w.left)
		}
		// A long wait keeps the lease alive.
		step := min(wait, leaseTime/2)
		if err := w.Sleep(ctx, step); err != nil {
			return false, err
		}
		if w.leased.Sub(w.Store.Now()) < leaseTime/2 {
			if err := w.write(ctx, "keep the lease"); err != nil {
				return false, err
			}
		}
	}
}

// budget is that of pull requests: a commit that the forge makes is content, too.
func (w *opener) budget() Budget {
	if !w.Sign {
		return w.Budget
	}
	return Budget{max(1, w.Budget.PerMinute/2), max(1, w.Budget.PerHour/2)}
}

// openNow counts the pull requests that wait for a maintainer.
func (w *opener) openNow() int {
	n := 0
	for key, rec := range w.records {
		if s := stageOf(rec, w.followed[key]); s == Opened || s == Opening {
			n++
		}
	}
	return n
}

// pendingNow counts the pull requests whose checks are under way, or may be.
func (w *opener) pendingNow() int {
	n := 0
	for key, rec := range w.records {
		f := w.followed[key]
		if s := stageOf(rec, f); (s == Opened || s == Opening) && (f == nil || f.Node != rec.Node || f.Checks == "pending") {
			n++
		}
	}
	return n
}

// A wave is a part of the campaign that is opened before the next one.
type wave struct {
	name   string
	merged bool // all of it must be merged before the next one is opened
	list   []Repository
}

// waves are the parts of a plan, in their order: what others need (one after another, where
// the plan says so), the canaries, a share of the rest, the rest. Which repositories are of
// the share is a matter of their keys and the campaign's name: it is the same every time.
func (p *Plan) waves() []wave {
	waves := []wave{{name: "what others need", merged: true}}
	if p.Ordered {
		waves = nil
		for _, name := range p.Needs {
			waves = append(waves, wave{name: name, merged: true})
		}
	}
	first := len(waves)
	waves = append(waves, wave{name: "canaries"}, wave{name: fmt.Sprintf("the first %d %%", p.Share)}, wave{name: "the rest"})
	for _, r := range p.Repositories {
		i := first + 2
		switch need := slices.Index(p.Needs, r.Name); {
		case need >= 0:
			i = min(need, first-1)
		case slices.Contains(p.Canaries, r.Name):
			i = first
		case p.shares(r.Key):
			i = first + 1
		}
		waves[i].list = append(waves[i].list, r)
	}
	return waves
}

// shares says whether a repository is of the share.
func (p *Plan) shares(key string) bool {
	sum := sha256.Sum256([]byte(p.ID + " " + key))
	return int(binary.BigEndian.Uint32(sum[:])%100) < p.Share
}

// greenShare is how many per cent of a wave must be merged or green before the
// next one is opened.
const greenShare = 95

// gate says why a wave must wait for those before it; "" = it need not.
func (w *opener) gate(i int) string {
	waves := w.plan.waves()
	for k := range i {
		good, all := 0, 0
		for _, repo := range waves[k].list {
			merged, green, counts := w.stands(repo)
			if !counts {
				continue
			}
			if waves[k].merged && !merged {
				return repo.Name + " has not been merged"
			}
			all++
			if merged || green {
				good++
			}
		}
		if !waves[k].merged && good*100 < all*greenShare {
			return fmt.Sprintf("%d of %d pull requests of %s are merged or green, not %d %%", good, all, waves[k].name, greenShare)
		}
	}
	return ""
}

// stands reports the state of a repository, for those after it. One without a change
// does not count, nor one in trouble, or that a maintainer decided against, unless
// the others need it; one that was not evaluated does.
func (w *opener) stands(repo Repository) (merged, green, counts bool) {
	r, rec, f := w.results[repo.Key], w.records[repo.Key], w.followed[repo.Key]
	needed := slices.Contains(w.plan.Needs, repo.Name)
	switch {
	case repo.ID == 0, rec == nil && r != nil && r.State == Nothing:
		return false, false, false
	case rec == nil:
		return false, false, needed || r == nil || r.State != Trouble
	}
	switch stageOf(rec, f) {
	case Merged:
		return true, true, true
	case Declined, Edited, Away, Blocked:
		return false, false, needed
	case Opened:
		return false, f != nil && f.Node == rec.Node && (f.Checks == "success" || f.Checks == ""), true
	}
	return false, false, true
}
