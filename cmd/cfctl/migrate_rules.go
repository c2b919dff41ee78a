package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migrate/author"
	"github.com/project-codeflare/cfctl/internal/migration"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

func newMigrateRules(t *terminal) *cobra.Command {
	return family("rules", "write, check and test rulesets; list the built-in ones",
		&cobra.Command{Use: "list", Short: "list the built-in rulesets", Args: noArgs,
			RunE: func(*cobra.Command, []string) error { return listRules(t) }},
		&cobra.Command{Use: "show NAME|ADDRESS", Short: "print a built-in ruleset, or one from an address", Args: oneArg, ValidArgsFunction: rulesetNames(cobra.ShellCompDirectiveNoFileComp),
			RunE: func(cmd *cobra.Command, args []string) error { return showRules(cmd.Context(), t, args[0]) }},
		&cobra.Command{Use: "lint FILE|ADDRESS", Short: "check a ruleset for mistakes", Args: oneArg,
			RunE: func(cmd *cobra.Command, args []string) error { return lintRules(cmd.Context(), t, args[0]) }},
		newMigrateRulesTest(t),
		&cobra.Command{Use: "schema", Short: "print the JSON Schema of rulesets, for editors", Args: noArgs,
			RunE: func(*cobra.Command, []string) error { _, err := t.out.Write(migrate.Schema()); return err }},
		newMigrateRulesNew(t),
	)
}

// rulesetNames completes the names of the built-in rulesets.
func rulesetNames(also cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return migrate.Builtin(), also
	}
}

func listRules(t *terminal) error {
	for _, name := range migrate.Builtin() {
		r, err := migrate.BuiltinRuleset(name)
		if err != nil {
			return err
		}
		of := ""
		if first, last := r.Versions(); first != "" {
			of = "Kubernetes " + first + " to " + last + ": "
		}
		report.Fprintf(t.out, "%-28s %s%s\n", name, of, strings.Join(strings.Fields(r.Doc), " "))
	}
	return nil
}

func showRules(ctx context.Context, t *terminal, name string) error {
	data, err := migration.RulesetText(ctx, &t.User, name)
	if err != nil {
		return err
	}
	_, err = t.out.Write(data)
	return err
}

func lintRules(ctx context.Context, t *terminal, name string) error {
	r, err := migration.Ruleset(ctx, &t.User, name)
	if err != nil {
		return err
	}
	if _, err := migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{r}}); err != nil {
		return err
	}
	if err := r.Lint(); err != nil {
		return err
	}
	t.note("%s: %s, %s, %s: no mistakes", r.Name, report.Plural(len(r.Rules), "rule"), report.Plural(len(r.Convert), "conversion"), report.Plural(len(r.Examples), "example"))
	if len(r.Examples) == 0 {
		t.note("hint: add examples, so that cfctl migrate rules test can check the rules: %s", report.DocsURL("rulesets"))
	}
	return nil
}

func newMigrateRulesTest(t *terminal) *cobra.Command {
	update := false
	cmd := &cobra.Command{
		Use: "test FILE|NAME|ADDRESS", Short: "run the examples of a ruleset; exit 1 if one fails", Args: oneArg,
		ValidArgsFunction: rulesetNames(cobra.ShellCompDirectiveDefault),
		RunE:              func(cmd *cobra.Command, args []string) error { return testRules(cmd.Context(), t, args[0], update) },
	}
	cmd.Flags().BoolVar(&update, "update", false, "rewrite the expected results in FILE")
	return cmd
}

// updateExamples rewrites the expectations of a ruleset's file.
func updateExamples(t *terminal, name string, failed []migrate.Failure) error {
	data, err := source.ReadFile(name)
	if err != nil {
		return err
	}
	out, n, err := author.Update(filepath.ToSlash(name), data, failed)
	if err != nil {
		return err
	}
	if n > 0 {
		if err := source.WriteFile(name, out, 0o644); err != nil {
			return err
		}
	}
	t.note("%s: %s updated", filepath.ToSlash(name), report.Plural(n, "example"))
	return pendingIf(n < len(failed))
}

func testRules(ctx context.Context, t *terminal, name string, update bool) error {
	if update && !migration.IsRulesetFile(name) {
		return usage("--update rewrites a file, which %s is not", name)
	}
	r, err := migration.Ruleset(ctx, &t.User, name)
	if err != nil {
		return err
	}
	if len(r.Examples) == 0 {
		return hinted{errors.New(r.Name + " has no examples"), report.DocsURL("rulesets") + "#examples"}
	}
	failed, err := migrate.Examples(r)
	if err != nil {
		return err
	}
	for _, f := range failed {
		where := &source.Error{Path: r.Path(), Pos: f.Pos, Err: fmt.Errorf("example %q fails", f.Name)}
		report.Fprintf(t.out, "%s\n", where.Error())
		if err := t.writeDiff([]byte(visibleLines(f.Text))); err != nil {
			return err
		}
	}
	if update {
		return updateExamples(t, name, failed)
	}
	verb := "pass"
	if len(r.Examples) == 1 {
		verb = "passes"
	}
	t.note("%s: %d of %s %s", r.Name, len(r.Examples)-len(failed), report.Plural(len(r.Examples), "example"), verb)
	return pendingIf(len(failed) > 0)
}

// visibleLines is a text whose lines are fit for a terminal, each with its end.
func visibleLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(report.Visible(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return b.String()
}

func newMigrateRulesNew(t *terminal) *cobra.Command {
	o := &author.Options{}
	cmd := &cobra.Command{
		Use: "new [FILE]", Short: "write a ruleset for one API group of this repository",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("rules new takes one FILE, got %d", len(args))
			}
			if len(args) == 1 && (filepath.Base(args[0]) == config.Name || slices.Contains(strings.Split(filepath.ToSlash(args[0]), "/"), ".git")) {
				return usage("%s is no file for a ruleset: write it to hack/rules.yaml, for example", args[0])
			}
			if err := o.Check(); err != nil {
				return project.UsageOf(err)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runRulesNew(cmd.Context(), t, o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.From, "from", "", "the API group that is renamed")
	f.StringVar(&o.To, "to", "", "its new name; not needed where only kinds or versions are renamed")
	f.StringToStringVar(&o.Kinds, "kind", nil, "rename a kind, OLD=NEW; repeatable")
	f.StringToStringVar(&o.Versions, "version", nil, "step a version, OLD=NEW; with --kind, of these kinds only; repeatable")
	return cmd
}

func runRulesNew(ctx context.Context, t *terminal, o *author.Options, args []string) error {
	root, err := source.OpenRoot(".")
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if len(args) == 1 {
		if _, err := os.Lstat(args[0]); err == nil { // before the tree is read
			return migration.ThereAlready(args[0])
		}
	}
	set, err := author.Draft(ctx, root, *o, t.Progress)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		_, err := t.out.WriteString(set.Text)
		return err
	}
	return migration.Add(ctx, &t.User, args[0], set)
}
