package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/release/gate"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// unseen says whether an answer means that the token may not see something, or
// that the forge has no such thing.
func unseen(err error) bool {
	return errors.Is(err, wire.ErrNotFound) || errors.Is(err, forge.ErrLacks) || forge.Refused(err, http.StatusForbidden) || forge.Refused(err, http.StatusUnprocessableEntity)
}

// checks are those of a commit, read once a look.
func (v *View) checks(ctx context.Context, repo, commit string) ([]forge.Check, error) {
	return Recall(v, "checks "+repo+" "+commit, func() ([]forge.Check, error) {
		if commit == "" {
			return nil, fmt.Errorf("checks of no commit: %w", wire.ErrNotFound)
		}
		return v.Forge.Checks(ctx, repo, commit)
	})
}

// open is what an open PR waits for, as far as the forge says so.
func (p *Proposal) open(ctx context.Context, v *View, pull forge.Pull) (Observation, error) {
	g := &gate.Pull{Number: pull.Number, Base: p.base, Work: p.work(v), Who: p.who, URL: pull.URL, Abort: "cfctl release abort " + p.train.Version, Ours: p.ours(), Age: v.awaited(p.step("merged"), pull.Head)}
	var err error
	g.Merge, err = Recall(v, fmt.Sprintf("merge %s %d", p.repo, pull.Number), func() (forge.Merge, error) { return v.Forge.Merge(ctx, p.repo, pull.Number) })
	if unseen(err) {
		return p.wait(fmt.Sprintf("PR #%d is open", pull.Number), pull.URL), nil
	}
	if err == nil {
		// Read once a run: the rules of a branch are not what is waited for.
		g.Rules, err = train.Keep(v.View, "rules "+p.repo+" "+p.base, func() (forge.Protection, error) { return v.Forge.Protection(ctx, p.repo, p.base) })
	}
	if err == nil {
		g.Checks, err = v.checks(ctx, p.repo, pull.Head)
		if unseen(err) {
			g.Hidden, err = true, nil
		}
	}
	if err == nil {
		err = p.queue(ctx, v, g)
	}
	if err != nil {
		return Observation{}, err
	}
	p.details(ctx, v, g, pull)
	return g.Decide(), nil
}

// awaited is for how long a step of this release has seen what it waits for at a commit.
func (v *View) awaited(step, head string) time.Duration {
	for _, r := range v.Journal {
		if r.Step == step && r.Facts["head"] == head {
			return v.Now().Sub(r.Time)
		}
	}
	return 0
}

// queue looks whether the PR is in the merge queue of its base. GitHub makes a
// branch there for it, gh-readonly-queue/BASE/pr-NUMBER-COMMIT.
func (p *Proposal) queue(ctx context.Context, v *View, g *gate.Pull) error {
	heads, err := v.Heads(ctx, p.repo)
	if err != nil {
		return err
	}
	prefix := fmt.Sprintf("gh-readonly-queue/%s/pr-%d-", p.base, g.Number)
	for _, name := range slices.Sorted(maps.Keys(heads.Branches)) {
		if commit := heads.Branches[name]; strings.HasPrefix(name, prefix) {
			g.Queued = true
			if g.Tried, err = v.checks(ctx, p.repo, commit); unseen(err) {
				err = nil
			}
			return err
		}
	}
	return nil
}

// details are names that help people: which files clash, whose review is asked for.
// What cannot be had is left out.
func (p *Proposal) details(ctx context.Context, v *View, g *gate.Pull, pull forge.Pull) {
	g.Owners = g.Merge.Asked
	heads, err := v.Heads(ctx, p.repo)
	if err != nil {
		return
	}
	base := heads.Branches[p.base]
	if g.Merge.Conflicts || g.Merge.Unclear {
		g.Clashes, _ = Recall(v, "clashes "+base+" "+pull.Head, func() ([]string, error) { return v.Git.Clashes(ctx, p.repo, base, pull.Head) })
	}
	g.Merge.Conflicts = g.Merge.Conflicts || len(g.Clashes) > 0
}
