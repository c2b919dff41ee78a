package schedule

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"text/tabwriter"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// Deadlines looks up the newest releases of the components with a rule of
// kind lag, and says until when they must be taken in.
func Deadlines(ctx context.Context, s *stack.Stack, config *matrix.Config, tree fs.FS, cache *git.Cache, looking func(repository string)) ([]Deadline, error) {
	supported := supportedVersions(s, tree)
	var list []Deadline
	var remotes git.Remotes
	for _, rule := range config.Rules {
		if rule.Kind != "lag" {
			continue
		}
		c, err := s.Lookup(rule.Component)
		if err != nil {
			return nil, err
		}
		looking(c.Repository)
		refs, err := remotes.Tags(ctx, c.URL())
		if err != nil {
			return nil, err
		}
		newest := matrix.Newest(c, refs.Tags, "")
		if newest == "" || newest == supported[c.Name] {
			continue
		}
		_, released, err := cache.At(ctx, c.URL(), c.TagOf(newest))
		if err != nil {
			return nil, err
		}
		d, due, err := lagDeadline(config.Sprint, rule, c, newest, supported[c.Name], released)
		if err != nil {
			return nil, err
		}
		if due {
			list = append(list, d)
		}
	}
	return list, nil
}

// supportedVersions are the versions of the table, by component; a tree without
// a table has none.
func supportedVersions(s *stack.Stack, tree fs.FS) map[string]string {
	versions := map[string]string{}
	if _, err := fs.Stat(tree, s.Table.Path); err != nil {
		return versions
	}
	r, err := matrix.ReleaseOf(s, tree)
	if err != nil {
		return versions
	}
	for _, pin := range r.Components {
		versions[pin.Name] = pin.Version
	}
	return versions
}

// WriteSchedule writes the sprints, the freezes and the deadlines as text.
func WriteSchedule(out io.Writer, sprints []SprintPlan, freezes []Freeze, deadlines []Deadline) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	report.Fprintf(w, "SPRINT\tFROM\tUNTIL\tCODE FREEZE\tRELEASE\tDOWNSTREAM DUE\n")
	for _, s := range sprints {
		report.Fprintf(w, "%d\t%s\t%s\t%s to %s\t%s\t%s\n", s.Number, s.From, s.Until, s.FreezeFrom, s.FreezeUntil, s.Release, s.Downstream)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, f := range freezes {
		var held strings.Builder
		for _, n := range f.Held {
			fmt.Fprintf(&held, " The release of sprint %d waits.", n)
		}
		report.Fprintf(out, "\nNo release from %s to %s: %s.%s\n", f.From, f.Until, strings.TrimSuffix(f.Reason, "."), held.String())
	}
	for _, d := range deadlines {
		has := "the stack has none"
		if d.Supported != "" {
			has = "the stack has " + d.Supported
		}
		report.Fprintf(out, "\nthe stack must use %s %s of %s by %s; %s.\n", d.Component, d.Version, d.Released, d.Due, has)
	}
	return nil
}

// Line says what is due today, or when the next release is.
func (due Due) Line() string {
	held := ""
	if due.Moved {
		held = ", held until then by a freeze"
		if due.Held != "" {
			held += ": " + due.Held
		}
	}
	if due.Today {
		return fmt.Sprintf("due: the release of sprint %d%s", due.Sprint, held)
	}
	return fmt.Sprintf("not due: the release of sprint %d is on %s%s", due.Sprint, due.Day, held)
}
