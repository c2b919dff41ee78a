package main

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/report"
)

const auditLong = `Show which checks run for the pull requests of each component, which of them are
unit or end-to-end tests, and which have to pass before a merge. Without
COMPONENT, the components that are released with the stack.

The jobs come from .github/workflows at the head of the branch that a component
is released from, the required checks from the forge: branch protection and
rulesets. A check is a test by the commands that its job runs ("go test",
"make e2e"), or by its name. To decide yourself, name checks in
release.components, unit and e2e.

For the root component, end-to-end tests also have to run every day by a
schedule. To check that tests take the dev images: cfctl matrix check --dev.

Exit 1 if a component has no required test, or with --strict on warnings too.`

type auditOptions struct {
	trainOptions
	output string
	strict bool
}

func newReleaseAudit(t *terminal) *cobra.Command {
	o := &auditOptions{}
	cmd := &cobra.Command{
		Use: "audit [COMPONENT...]", Short: "check that tests guard the pull requests of each component", Long: auditLong,
		Example: `  cfctl release audit
  cfctl release audit codeflare-sdk -o json`,
		RunE: func(cmd *cobra.Command, args []string) error { return runAudit(cmd.Context(), t, o, args) },
	}
	cmd.Flags().StringVar(&o.dir, "repo", ".", "work tree with the configuration")
	cmd.Flags().BoolVar(&o.strict, "strict", false, "exit 1 on warnings too")
	findingsFlags(t, cmd, &o.output)
	return cmd
}

func runAudit(ctx context.Context, t *terminal, o *auditOptions, names []string) error {
	o.distance, o.poll = time.Second, time.Minute
	s, err := o.connect(ctx, t, "")
	if err != nil {
		return err
	}
	defer s.done()
	components := s.recipe.Released(s.view.stack)
	if len(names) > 0 {
		if components, err = namedComponents(s.view.stack, names); err != nil {
			return err
		}
	}
	r := &report.Report{Command: "release audit", Rules: release.GuardRules, Title: "Pull requests"}
	guardian := release.Guardian{Recipe: s.recipe, Git: s.remotes, Forge: s.env.Forge, Root: s.view.stack.RootComponent()}
	var list []*release.Guards
	for _, c := range components {
		t.status("%s", c.Repository)
		v, err := guardian.Look(ctx, c)
		if err != nil {
			t.clearLive()
			return remoteHint(decided(err), "")
		}
		list = append(list, v)
		r.Findings = append(r.Findings, v.Findings()...)
	}
	t.clearLive()
	r.Summary = map[string]any{"components": list}
	if o.output == "text" {
		if err := guardTable(t, list); err != nil {
			return err
		}
	}
	return conclude(t, o.output, o.strict, r, "")
}

// guardTable prints one line for each check.
func guardTable(t *terminal, list []*release.Guards) error {
	w := t.table()
	report.Fprintf(w, "COMPONENT\tCHECK\tTESTS\tREQUIRED\tRUNS FOR\n")
	for _, v := range list {
		for _, g := range v.Checks {
			required, runs := "no", "all"
			switch {
			case g.Through != "":
				required = "by " + g.Through
			case g.Required:
				required = "yes"
			case v.Hidden:
				required = "unknown"
			}
			if g.Only != "" {
				runs = g.Only
			}
			if g.Workflow == "" {
				runs = "not a workflow"
			}
			report.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", v.Component, g.Check, cmp.Or(g.Tests, "-"), required, runs)
		}
		for _, g := range v.Scheduled {
			report.Fprintf(w, "%s\t%s\t%s\t-\tschedule %s\n", v.Component, g.Check, g.Tests, g.Only)
		}
	}
	return w.Flush()
}
