package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/migrate"
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
	}
	list = append(list,
		report.Section{Command: "migrate -v", Rules: migrate.RoleRules(), About: "The role of a reference, in parentheses after it, and what usually happens to it."},
		report.Section{Command: "migrate -o json", Rules: migrate.ReasonRules(), About: "Why a reference is not changed or needs review: the `reason` of its entry in the account."})
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
		report.Section{Command: "import", Rules: importReasons},
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

// importReasons say why an object is refused, differs or drifts.
var importReasons = report.Rules{
	{ID: "alias-bomb", Doc: "its YAML aliases expand to more than cfctl reads", Severity: report.Error},
	{ID: "bad-command", Doc: "the command of a job has not the form that its version has", Severity: report.Error},
	{ID: "bad-kind", Doc: "the kind is no name of a kind", Severity: report.Error},
	{ID: "bad-label", Doc: "a label that says something about the job has a value that means nothing", Severity: report.Error},
	{ID: "bad-name", Doc: "the name is no name that Kubernetes takes (DNS-1123)", Severity: report.Error},
	{ID: "bad-namespace", Doc: "the namespace is missing, or no name that Kubernetes takes", Severity: report.Error},
	{ID: "bad-quantity", Doc: "a resource is asked for in a form that is no quantity", Severity: report.Error},
	{ID: "bad-retry", Doc: "a job is tried again more often than the new kind allows", Severity: report.Error},
	{ID: "bad-secret", Doc: "--ocm-secret is not NAMESPACE/NAME", Severity: report.Error},
	{ID: "bad-version", Doc: "the apiVersion is no group and version", Severity: report.Error},
	{ID: "containers", Doc: "a job has another number of containers than one", Severity: report.Error},
	{ID: "crd-missing", Doc: "the cluster does not serve the new kind: install its definition first", Severity: report.Error},
	{ID: "duplicate", Doc: "the source has the same object twice", Severity: report.Error},
	{ID: "empty-spec", Doc: "a version of a pipeline has no definition", Severity: report.Error},
	{ID: "forbidden", Doc: "the cluster does not let this account create the object", Severity: report.Error},
	{ID: "hand-made", Doc: "the object was created manually, not by the controller of the others: create it through the API, or delete it", Severity: report.Error},
	{ID: "invalid", Doc: "the cluster finds the new object invalid", Severity: report.Error},
	{ID: "name-clash", Doc: "two objects want the same new name", Severity: report.Error},
	{ID: "namespace-missing", Doc: "the namespace of the new object is not there", Severity: report.Error},
	{ID: "no-command", Doc: "the container of a job has no command", Severity: report.Error},
	{ID: "no-component", Doc: "a task of a pipeline refers to a component that the pipeline does not have", Severity: report.Error},
	{ID: "no-configmap", Doc: "a ConfigMap that a Deployment reads is not in the source: add it", Severity: report.Error},
	{ID: "no-identity", Doc: "the object has no name or no namespace", Severity: report.Error},
	{ID: "no-image", Doc: "the container of a job has no image", Severity: report.Error},
	{ID: "no-ir", Doc: "a pipeline is not in the compiled form (IR YAML) of version 2 of the SDK", Severity: report.Error},
	{ID: "no-name", Doc: "a compiled pipeline does not say its name", Severity: report.Error},
	{ID: "no-namespace", Doc: "nothing says in which namespace the operator runs", Severity: report.Error},
	{ID: "no-owner", Doc: "the object that owns it is not created", Severity: report.Error},
	{ID: "no-package", Doc: "a file is no package of a compiled pipeline", Severity: report.Error},
	{ID: "no-root", Doc: "a compiled pipeline has no root", Severity: report.Error},
	{ID: "no-schedule", Doc: "a scheduled job has no schedule", Severity: report.Error},
	{ID: "no-target", Doc: "the operator of that version has nothing to move it to", Severity: report.Error},
	{ID: "no-tool", Doc: "the namespace is not one of a tool", Severity: report.Error},
	{ID: "not-converted", Doc: "the ruleset could not turn its shape into the new one", Severity: report.Error},
	{ID: "not-counted", Doc: "what names a pipeline by its id cannot be counted in this source", Severity: report.Note},
	{ID: "not-moved", Doc: "no rule of the rulesets moves its kind", Severity: report.Error},
	{ID: "orphan", Doc: "its row in the database has lost the row that it belongs to", Severity: report.Error},
	{ID: "other-component", Doc: "its label says another kind of job than it is", Severity: report.Error},
	{ID: "other-manager", Doc: "something else than the jobs API manages it", Severity: report.Error},
	{ID: "policy-refused", Doc: "an admission policy of the cluster refuses it", Severity: report.Error},
	{ID: "referenced", Doc: "runs, recurring runs or ML metadata name a pipeline by its id: `import pipelines schedules --database` writes patches", Severity: report.Note},
	{ID: "schema-version", Doc: "a compiled pipeline has another schemaVersion than 2.1.0", Severity: report.Error},
	{ID: "server-error", Doc: "the server that has it cannot read it", Severity: report.Error},
	{ID: "several-instances", Doc: "one configuration would have to be made of several instances", Severity: report.Error},
	{ID: "shared", Doc: "it has no namespace, and nothing says where shared ones go", Severity: report.Error},
	{ID: "shell-command", Doc: "a shell starts the program, so that its options cannot be read", Severity: report.Error},
	{ID: "too-large", Doc: "it is larger than etcd takes", Severity: report.Error},
	{ID: "unknown-field", Doc: "a compiled pipeline has a field that the server does not take", Severity: report.Error},
	{ID: "unknown-version", Doc: "its label says a version that this cfctl does not know", Severity: report.Error},
	{ID: "unparsable", Doc: "a definition of a pipeline cannot be parsed", Severity: report.Error},
	{ID: "unreadable", Doc: "it cannot be read as what it says it is", Severity: report.Error},
	{ID: "v1-workflow", Doc: "a pipeline is a Workflow of the v1 API, which the new API does not take: compile it with version 2 of the SDK", Severity: report.Error},
	{ID: "webhook-refused", Doc: "an admission webhook of the cluster refuses it", Severity: report.Error},
	{ID: "writable", Doc: "an account that is not named with --writer may write the stored objects", Severity: report.Error},
	{ID: "wrong-type", Doc: "a value has another type than the configuration takes", Severity: report.Error},
	{ID: "passed-over", Doc: "objects that are not of the kinds that are imported", Severity: report.Note},
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
	var ids []string
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
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
