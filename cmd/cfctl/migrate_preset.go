package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Without a ruleset from a flag, the environment or the file, codeflare-groups
// is meant, where its names occur. Elsewhere a gate by these rules would be
// green for ever: that is trouble, with the rulesets that find something.

// errOccurs ends the search for a name.
var errOccurs = errors.New("it occurs")

// meant says whether the ruleset that nobody chose is meant: one of its names,
// old or new, stands somewhere in the work tree, or in what was named outside
// of one.
func (t *terminal) meant(ctx context.Context, o *migrateOptions, m *migrate.Migration, tree *source.Tree) error {
	whole := tree
	if tree.TopLevel() != "" && tree.TopLevel() != tree.Base() {
		top, err := source.Open([]string{tree.TopLevel()})
		if err != nil {
			return err
		}
		defer top.Close()
		whole = top
	}
	_, _, err := whole.Walk(ctx, source.WalkOptions{Jobs: o.jobs, Finder: source.NewFinder(m.Needles())}, func(*source.File) error { return errOccurs })
	if errors.Is(err, errOccurs) {
		return nil
	}
	if err != nil {
		return err
	}
	cause := fmt.Errorf("no ruleset was chosen, and no name of %s stands here", strings.Join(o.rulesets, ", "))
	hint, err := o.others(ctx, whole)
	if err != nil {
		return err
	}
	if o.check {
		return hinted{cause, hint}
	}
	t.note("%s", cause)
	for line := range strings.Lines(hint) {
		t.note("hint: %s", strings.TrimSuffix(line, "\n"))
	}
	return nil
}

// others says which built-in rulesets find something in a tree.
func (o *migrateOptions) others(ctx context.Context, tree *source.Tree) (string, error) {
	type found struct {
		name string
		n    int
	}
	var list []found
	for _, name := range migrate.Builtin() {
		set, err := migrate.BuiltinRuleset(name)
		if err != nil {
			return "", err
		}
		m, err := migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{set}})
		if err != nil {
			return "", err
		}
		plan, err := m.Plan(ctx, tree, source.WalkOptions{Jobs: o.jobs, Exclude: o.exclude})
		if err != nil {
			return "", err
		}
		if s := plan.Summary(); s.Left() {
			list = append(list, found{name, s.Changes + s.Person + s.Unread})
		}
	}
	slices.SortStableFunc(list, func(a, b found) int { return b.n - a.n })
	if len(list) == 0 {
		return "no built-in ruleset finds anything here; cfctl migrate rules new writes one", nil
	}
	var names []string
	for _, f := range list {
		names = append(names, fmt.Sprintf("%s (%s)", f.name, plural(f.n, "place")))
	}
	return "these find something: " + strings.Join(names, ", ") + "\ncfctl migrate --ruleset " + list[0].name, nil
}
