// Package guards reads workflows, and says what guards the pull requests of a component.
package guards

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// Rules are what the audit of pull requests finds: ADR-0003, "each component
// must implement unit and e2e tests that are run on all PRs".
var Rules = report.Rules{
	{ID: "pr-unguarded", Severity: report.Error, Doc: "a test has to pass before a pull request of the component is merged"},
	{ID: "pr-unit-missing", Severity: report.Warning, Doc: "unit tests run for the pull requests of the component"},
	{ID: "pr-e2e-missing", Severity: report.Warning, Doc: "end-to-end tests run for the pull requests of the component"},
	{ID: "pr-rules-hidden", Severity: report.Warning, Doc: "the forge shows which checks are required"},
	{ID: "nightly-missing", Severity: report.Note, Doc: "end-to-end tests of the root component run every day by a schedule (ADR-0003: nightly)"},
	{ID: "workflow-unreadable", Severity: report.Warning, Doc: "every workflow file of the component can be read"},
}

// Guards are what guards the pull requests of a component.
type Guards struct {
	Component  string  `json:"component"`
	Repository string  `json:"repository"`
	Branch     string  `json:"branch"`
	Commit     string  `json:"commit"`           // whose workflows these are
	Hidden     bool    `json:"hidden,omitempty"` // the forge does not show what is required
	Checks     []Guard `json:"checks"`
	Scheduled  []Guard `json:"scheduled,omitempty"` // the end-to-end tests that run by a schedule

	unread map[string]error // workflow files, with why
	root   bool             // of the stack: its suite runs every night
}

// A Guardian reads what guards the pull requests of components.
type Guardian struct {
	Recipe *recipe.Recipe
	Git    ports.GitReader
	Forge  forge.Reader
	Root   *stack.Component
}

// Look reads the workflows at the head of a component's branch, and what the forge
// requires for it.
func (a *Guardian) Look(ctx context.Context, c *stack.Component) (*Guards, error) {
	branch, head, err := a.Recipe.Head(ctx, a.Git, c)
	if err != nil {
		return nil, err
	}
	v := &Guards{Component: c.Name, Repository: c.Repository, Branch: branch, Commit: head, root: c == a.Root}
	b := a.Recipe.Now(c.Name)
	if b == nil {
		b = &recipe.Build{}
	}
	tree, err := a.Git.Tree(ctx, c.Repository, v.Commit, true)
	if err != nil {
		return nil, err
	}
	if v.Checks, v.Scheduled, v.unread, err = guardsIn(tree.Files, branch, b); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Repository, err)
	}
	rules, err := a.Forge.Protection(ctx, c.Repository, branch)
	if err != nil {
		return nil, err
	}
	v.Checks, v.Hidden = require(v.Checks, rules.Required, b), rules.Hidden && len(rules.Required) == 0
	return v, nil
}

// Findings are what is wrong with the guards of a component.
func (v *Guards) Findings() []report.Finding {
	var found report.Pass
	say := func(rule, hint, format string, args ...any) {
		f := Rules.Finding(rule)
		f.Component, f.Hint = v.Component, hint
		found.Report(f, "%s: %s", v.Repository, fmt.Sprintf(format, args...))
	}
	for _, file := range git.Sorted(v.unread) {
		say("workflow-unreadable", "", "%s: %v", file, v.unread[file])
	}
	tests, guarded := map[string]bool{}, false
	var names []string
	for _, g := range v.Checks {
		if g.Tests != "" {
			tests[g.Tests], guarded = true, guarded || g.Required
			names = append(names, g.Check)
		}
	}
	slices.Sort(names)
	unknown := "if cfctl does not recognise a test, name its check: release.components, unit or e2e of " + v.Component
	switch {
	case guarded:
	case v.Hidden:
		say("pr-rules-hidden", "use a token that may read the rules of the repository", "the forge does not show which checks %s requires", v.Branch)
	case len(names) == 0:
		say("pr-unguarded", "add a workflow that runs tests on pull_request, and require its check; "+unknown, "no test runs for pull requests to %s", v.Branch)
	default:
		say("pr-unguarded", "require "+strings.Join(slices.Compact(names), ", ")+" in the branch protection or a ruleset of "+v.Repository,
			"pull requests to %s are merged without a test: no required check is one", v.Branch)
	}
	if !tests[unitTest] && len(names) > 0 {
		say("pr-unit-missing", unknown, "no unit test runs for pull requests to %s", v.Branch)
	}
	if !tests[e2eTest] && len(names) > 0 {
		say("pr-e2e-missing", unknown, "no end-to-end test runs for pull requests to %s", v.Branch)
	}
	if v.root && !slices.ContainsFunc(v.Scheduled, func(g Guard) bool { return daily(g.Only) }) {
		say("nightly-missing", "add a workflow with on.schedule that runs them with the dev images; cfctl matrix check --dev checks the images", "no end-to-end test runs every day by a schedule")
	}
	return found.Findings
}

// Write prints one line for each check.
func Write(out io.Writer, list []*Guards) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
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
