package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/objects/operatorconfig"
	"github.com/project-codeflare/cfctl/internal/objects/pipelines"
	"github.com/project-codeflare/cfctl/internal/olm"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/report"
)

// An explained rule is one kind of finding, and the command that has it.
type explained struct {
	report.Rule
	command string
}

// catalogue is all that cfctl looks for, command by command.
func catalogue() ([]report.Section, error) {
	list := []report.Section{
		{Command: "migrate", Rules: migrate.Catalogue()},
		{Command: "migrate review", Rules: (&migrate.Review{}).Report().Rules},
		{Command: "migrate -v", Rules: migrate.RoleRules(), About: "The role of a reference, in parentheses after it, and what usually happens to it."},
		{Command: "migrate -o json", Rules: migrate.ReasonRules(), About: "Why a reference is not changed or needs review: the `reason` of its entry in the account."},
	}
	for _, name := range migrate.Builtin() {
		set, err := migrate.BuiltinRuleset(name)
		if err != nil {
			return nil, err
		}
		list = append(list, report.Section{Command: "migrate --ruleset " + name, Rules: migrate.CatalogueOf(set)})
	}
	return append(list,
		report.Section{Command: "matrix check", Rules: matrix.Rules(), Holds: true, About: "The rules for a tree: see [matrix.md](matrix.md)."},
		report.Section{Command: "matrix lint", Rules: matrix.LintRules, Holds: true, About: "The rules for the declared matrix, independent of any tree."},
		report.Section{Command: "release plan, release run", Rules: release.Rules(), Holds: true, About: "The preflight, before the first effect of a release ([release.md](release-reference.md#preflight))."},
		report.Section{Command: "release why", Rules: release.StopRules()},
		report.Section{Command: "release verify", Rules: release.VerifyRules()},
		report.Section{Command: "release bump", Rules: release.ReferenceRules},
		report.Section{Command: "release images", Rules: registry.Rules, Holds: true, About: "The tags of every image ([release.md](release-reference.md#release-images))."},
		report.Section{Command: "release audit", Rules: release.GuardRules, Holds: true, About: "The checks of pull requests ([release.md](release-reference.md#release-audit))."},
		report.Section{Command: "release bundle", Rules: olm.Rules(), Holds: true, About: "A bundle that was made or is validated ([bundle.md](bundle.md#rules))."},
		report.Section{Command: "import operator-config lint", Rules: operatorconfig.LintRules},
		report.Section{Command: "import pipelines schedules", Rules: pipelines.ScheduleRules},
		report.Section{Command: "import", Rules: objects.Reasons},
	), nil
}

// explanations are all kinds of findings, command by command, each in the words
// of its own catalogue.
func explanations() ([]explained, error) {
	sections, err := catalogue()
	var list []explained
	for _, s := range sections {
		for _, r := range s.Rules {
			r.Doc = s.Meaning(r)
			list = append(list, explained{r, s.Command})
		}
	}
	return list, err
}

func newExplain(t *terminal) *cobra.Command {
	cmd := &cobra.Command{
		Use: "explain [ID]", Short: "explain a finding: a check, rule, reason or validation",
		Long: `Explain a finding: what it means, how severe it is, and which command reports
it. ID is the word in brackets at its end. Without ID, list all of them.`,
		Example: "  cfctl explain gomod-replaced",
		Args:    argsOf(0, 1, "one ID"),
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := explanations()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return listExplanations(t, list)
			}
			return explainOne(t, list, args[0])
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			list, _ := explanations()
			return explainedIDs(list), cobra.ShellCompDirectiveNoFileComp
		},
	}
	return cmd
}

func explainedIDs(list []explained) []string {
	ids := map[string]bool{}
	for _, e := range list {
		ids[e.ID] = true
	}
	return slices.Sorted(maps.Keys(ids))
}

func listExplanations(t *terminal, list []explained) error {
	command := ""
	for _, e := range list {
		if e.command != command {
			command = e.command
			fmt.Fprintf(t.out, "%s\n", t.style("1", "cfctl "+command))
		}
		fmt.Fprintf(t.out, "  %-28s %-7s  %s\n", e.ID, e.Severity, e.Doc)
	}
	return nil
}

// explainOne prints all that an ID means: it may be of several commands.
func explainOne(t *terminal, list []explained, id string) error {
	found := false
	for _, e := range list {
		if e.ID != id {
			continue
		}
		found = true
		fmt.Fprintf(t.out, "%s (%s, cfctl %s)\n%s\n", t.style("1", e.ID), e.Severity, e.command, fold("  "+strings.ReplaceAll(e.Doc, "\n", " ")))
		fmt.Fprintf(t.out, "  %s\n", report.HelpURL(e.ID))
		if e.URL != "" {
			fmt.Fprintf(t.out, "  %s\n", e.URL)
		}
	}
	if !found {
		hint := cmp.Or(didYouMean(id, explainedIDs(list)), "cfctl explain")
		return hinted{errorf("unknown finding %q", id), hint}
	}
	return nil
}
