package author

import (
	"context"
	"fmt"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
)

// A Found is a built-in ruleset with what it finds.
type Found struct{ Name, What string }

// Rulesets tries every built-in ruleset on the tree.
func Rulesets(ctx context.Context, p Progress) ([]Found, error) {
	var list []Found
	for _, name := range migrate.Builtin() {
		set, err := migrate.BuiltinRuleset(name)
		if err != nil {
			return nil, err
		}
		m, err := migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{set}})
		if err != nil {
			continue // it asks for values that only a person knows
		}
		p.Status("trying %s", name)
		plan, err := planOf(ctx, m)
		if err != nil {
			return nil, err
		}
		if s := plan.Summary(); s.Changes+s.Renames+s.Person > 0 {
			files, first := placesIn(plan)
			f := Found{name, fmt.Sprintf("%s in %s%s", plural(s.Changes+s.Person, "place"), plural(files, "file"), first)}
			p.Note("ruleset %s: %s", f.Name, f.What)
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		p.Note("rulesets: none of the built-in ones finds anything")
	}
	return list, nil
}

// placesIn counts the files that something is found in, those with lines for a
// person alone, too, and names the first place.
func placesIn(plan *migrate.Plan) (files int, first string) {
	for _, f := range plan.Files {
		i := slices.IndexFunc(f.Sites, func(s migrate.Site) bool { return s.Action() != migrate.Stay })
		if i < 0 && f.To == f.Path {
			continue
		}
		files++
		if i >= 0 && first == "" {
			first = fmt.Sprintf(", first %s:%d", report.Visible(f.Path), f.Sites[i].Pos.Line)
		}
	}
	return files, first
}
