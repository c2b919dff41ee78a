package main

import (
	"context"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migration"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// noRulesets is the configuration whose list of rulesets is empty; "" = there is
// none, or it does not say.
func (t *terminal) noRulesets() (string, error) {
	d, err := t.defaults()
	if err != nil || d.origin("migrate.rulesets") != d.file.Path || len(d.GetStringSlice("migrate.rulesets")) > 0 {
		return "", err
	}
	return d.file.Path, nil
}

// nothingToCheck is the answer where the configuration lists no ruleset: a CI job
// passes until there is one.
func (t *terminal) nothingToCheck(o *migrateOptions, err error) error {
	if err != nil {
		return err
	}
	if o.output != "text" || len(t.files) > 0 {
		if err := t.showPlan(o, &migrate.Plan{}); err != nil {
			return err
		}
	}
	return t.noteNoRulesets()
}

// noteNoRulesets says where the configuration lists no ruleset.
func (t *terminal) noteNoRulesets() error {
	file, err := t.noRulesets()
	if err != nil || file == "" {
		return err
	}
	t.note("%s lists no ruleset (migrate.rulesets): nothing to check", file)
	t.note("hint: cfctl migrate rules new --from GROUP --to GROUP hack/rules.yaml, or list kubernetes-removed there")
	return nil
}

// keepRest acknowledges all that a plan leaves, and shows what remains then.
func (t *terminal) keepRest(ctx context.Context, o *migrateOptions, plan *migrate.Plan, tree *source.Tree) error {
	again, changes, err := o.KeepRest(ctx, &t.User, plan, tree)
	if err != nil {
		return err
	}
	for _, c := range changes {
		report.Fprintf(t.out, "%s\n", migration.Renamed(c.From, c.To))
	}
	t.preview(o.verbose).Review(t.out, again)
	o.Sum(&t.User, again, o.verbose)
	return pendingIf(again.Summary().Left())
}
