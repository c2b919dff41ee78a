package steps

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"time"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/bump"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// downstreamProposal updates a repository that refers to the stack: ADR-0003,
// step 8, "at a minimum, the README for Distributed Workloads, within a week".
func downstreamProposal(t *Train, d *recipe.Document, needs []*Step) *Proposal {
	push := cmp.Or(d.Fork, d.Repository)
	title := t.Fill(d.Title)
	p := &Proposal{
		train: t, name: d.Name, repo: d.Repository, push: push, base: d.Branch, title: title, needs: needs, large: true, group: d.Name,
		who: "a maintainer of " + d.Repository,
		body: func(v *View) string {
			text := t.Title() + " is released: " + t.url(v)
			if due := dueDate(v, d.Days); !due.IsZero() {
				text += "\n\nTo be merged by " + due.Format(time.DateOnly) + "."
			}
			return text
		},
		due: func(v *View) string {
			due := dueDate(v, d.Days)
			switch {
			case due.IsZero():
				return ""
			case v.Now().After(due):
				return fmt.Sprintf(", OVERDUE since %s", due.Format(time.DateOnly))
			}
			return fmt.Sprintf(", due by %s", due.Format(time.DateOnly))
		},
	}
	p.changes = func(_ context.Context, _ *View, base ports.Snapshot) ([]git.Change, error) {
		return t.SetDocument(d, base.Files)
	}
	p.differs = func(_ context.Context, _ *View, tree ports.Snapshot) ([]string, error) {
		changes, err := t.SetDocument(d, tree.Files)
		if err != nil {
			return nil, err
		}
		return bump.Differences(tree.Files, changes)
	}
	return p
}

// dueDate is days after the publication; zero when there was none yet.
func dueDate(v *View, days int) time.Time {
	at, err := time.Parse(time.RFC3339, string(v.Train.Made().release.at.In(v)))
	if err != nil {
		return time.Time{}
	}
	return at.AddDate(0, 0, days)
}

// SetDocument returns the files of a downstream repository in which a version
// is lower than the one of this release, or none. Documents, as stable, never
// go backwards: one that names a later release of the stack stays as it is.
func (t *Train) SetDocument(d *recipe.Document, tree fs.FS) ([]git.Change, error) {
	var matches []bump.Versioned
	newer := false
	for i := range d.Places {
		p := &d.Places[i]
		c, err := t.Stack.Lookup(p.Component)
		if err != nil {
			return nil, err
		}
		v := t.Versions[c.Name]
		if v == "" || !p.InEra(t.Version) {
			continue
		}
		found, err := p.Find(tree)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 && !p.Optional {
			return nil, unfit(why.Place, fmt.Errorf("%s of %s: %w", p, c.Name, stack.ErrNoMatch))
		}
		for _, m := range found {
			lower := versions.IsVersion(m.Version) && semver.Compare(v, m.Version) < 0
			newer = newer || lower && c == t.Root()
			if !lower {
				matches = append(matches, bump.Versioned{Match: m, Version: v})
			}
		}
	}
	if newer {
		return nil, nil
	}
	return bump.Splice(tree, matches)
}
