package author

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
)

// A foundRuleset is a ruleset for a repository, with why.
type foundRuleset struct {
	Name string // of a built-in ruleset, or a file
	What string // "3 references in 2 files, first deploy/a.yaml:1"
}

// findRulesets are the rulesets for the repository in the working directory: its own
// files, then the built-in ones that find something outside of test data and of
// files of released versions.
func findRulesets(ctx context.Context, v *inventory, p report.Progress) ([]foundRuleset, error) {
	var list []foundRuleset
	for _, file := range slices.Sorted(maps.Keys(v.rulesets)) {
		list = append(list, foundRuleset{file, report.Visible(v.rulesets[file])})
	}
	for _, name := range migrate.Builtin() {
		set, err := migrate.BuiltinRuleset(name)
		if err != nil {
			return nil, err
		}
		m, err := migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{set}})
		if err != nil {
			continue // it needs values that only the user knows
		}
		p.Status("trying %s", name)
		plan, err := planOf(ctx, m)
		if err != nil {
			return nil, err
		}
		if n, files, first := references(plan); first != "" {
			list = append(list, foundRuleset{name, fmt.Sprintf("%s in %s%s", report.Plural(n, "reference"), report.Plural(files, "file"), first)})
		}
	}
	for _, f := range list {
		p.Note("ruleset %s: %s", f.Name, f.What)
	}
	if len(list) == 0 {
		p.Note("rulesets: none; no built-in ruleset finds anything here (kubernetes-removed refuses what Kubernetes no longer serves, if it is listed)")
	}
	return list, nil
}

// references counts what a plan rewrites or lists for review, and the files with it, and
// names the first outside of test data, "" for none.
func references(plan *migrate.Plan) (n, files int, first string) {
	for _, f := range plan.Files {
		here := 0
		for _, s := range f.Sites {
			if s.Action() == migrate.Stay {
				continue
			}
			if here++; first == "" && !isTestData(f.Path) {
				first = fmt.Sprintf(", first %s:%d", report.Visible(f.Path), s.Pos.Line)
			}
		}
		if here > 0 || f.To != f.Path {
			files++
		}
		n += here
	}
	return n, files, first
}
