package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// presetRuleset is used without a ruleset from a flag, the environment or the
// file, where its names occur. Elsewhere no ruleset is selected, which is an
// error: a check by rules of another project would never find anything.
const presetRuleset = "codeflare-groups"

// errOccurs ends the search for a name.
var errOccurs = errors.New("it occurs")

// meant returns an error unless presetRuleset is for this tree: one of its names,
// old or new, occurs in the work tree, or in what was named outside of one.
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
	hint, err := o.others(ctx, whole)
	if err != nil {
		return err
	}
	return hinted{usage("no ruleset selected"), hint}
}

// noRulesets is the configuration whose list of rulesets is empty; "" = there is
// none, or it does not say.
func (t *terminal) noRulesets() (string, error) {
	v, file, err := t.readSettings()
	if err != nil || file.path == "" || !v.IsSet("migrate.rulesets") || len(v.GetStringSlice("migrate.rulesets")) > 0 {
		return "", err
	}
	return file.path, nil
}

// nothingToCheck is the answer where the configuration lists no ruleset: a CI job
// passes until there is one.
func (t *terminal) nothingToCheck(o *migrateOptions, file string, err error) error {
	if err != nil {
		return err
	}
	if o.output != "text" || len(t.files) > 0 {
		if err := t.showPlan(o, &migrate.Plan{}, nil); err != nil {
			return err
		}
	}
	t.note("%s lists no ruleset (migrate.rulesets): nothing to check", file)
	t.note("hint: cfctl migrate rules new --from GROUP --to GROUP hack/rules.yaml, or list kubernetes-removed there")
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
			list = append(list, found{name, s.Changes + s.Review + s.Unread})
		}
	}
	slices.SortStableFunc(list, func(a, b found) int { return b.n - a.n })
	hint := "cfctl init selects rulesets for this repository; or name one: cfctl migrate --ruleset "
	if len(list) == 0 {
		return hint + "FILE", nil
	}
	var names []string
	for _, f := range list {
		names = append(names, fmt.Sprintf("%s (%s)", f.name, report.Plural(f.n, "reference")))
	}
	return hint + list[0].name + "\nbuilt-in rulesets that find something here: " + strings.Join(names, ", "), nil
}
