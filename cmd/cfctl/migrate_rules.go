package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
)

func newMigrateRules(t *terminal) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "the built-in rulesets; checking one of your own",
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "the built-in rulesets, a line each", Args: noArgs,
			RunE: func(*cobra.Command, []string) error { return listRules(t) }},
		&cobra.Command{Use: "show NAME|ADDRESS", Short: "the text of a built-in ruleset, or of one with an address", Args: oneArg, ValidArgsFunction: rulesetNames(cobra.ShellCompDirectiveNoFileComp),
			RunE: func(cmd *cobra.Command, args []string) error { return showRules(cmd.Context(), t, args[0]) }},
		&cobra.Command{Use: "lint FILE|ADDRESS", Short: "read a ruleset strictly and say what is wrong", Args: oneArg,
			RunE: func(cmd *cobra.Command, args []string) error { return lintRules(cmd.Context(), t, args[0]) }},
		&cobra.Command{Use: "test FILE|NAME|ADDRESS", Short: "run the examples of a ruleset; exit 1 if one fails", Args: oneArg, ValidArgsFunction: rulesetNames(cobra.ShellCompDirectiveDefault),
			RunE: func(cmd *cobra.Command, args []string) error { return testRules(cmd.Context(), t, args[0]) }},
		&cobra.Command{Use: "schema", Short: "the JSON Schema of rulesets, for editors", Args: noArgs,
			RunE: func(*cobra.Command, []string) error { _, err := t.out.Write(migrate.Schema()); return err }},
		newMigrateRulesNew(t),
	)
	return family(cmd)
}

// rulesetNames completes the names of the built-in rulesets.
func rulesetNames(also cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return migrate.Builtin(), also
	}
}

// oneArg wants exactly one argument.
func oneArg(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("%s takes one argument, got %d", cmd.CommandPath(), len(args))
	}
	return nil
}

func listRules(t *terminal) error {
	for _, name := range migrate.Builtin() {
		r, err := migrate.BuiltinRuleset(name)
		if err != nil {
			return err
		}
		report.Fprintf(t.out, "%-28s %s\n", name, strings.Join(strings.Fields(r.Doc), " "))
	}
	return nil
}

func showRules(ctx context.Context, t *terminal, name string) error {
	data, err := t.rulesetText(ctx, name)
	if err != nil {
		return err
	}
	_, err = t.out.Write(data)
	return err
}

func lintRules(ctx context.Context, t *terminal, name string) error {
	r, err := t.ruleset(ctx, name)
	if err != nil {
		return err
	}
	if _, err := migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{r}}); err != nil {
		return err
	}
	if err := r.Lint(); err != nil {
		return err
	}
	t.note("%s: %s, %s, %s: no mistake found", r.Name, plural(len(r.Rules), "rule"), plural(len(r.Convert), "conversion"), plural(len(r.Examples), "example"))
	if len(r.Examples) == 0 {
		t.note("hint: a ruleset without examples proves nothing; see docs/rulesets.md")
	}
	return nil
}

func testRules(ctx context.Context, t *terminal, name string) error {
	r, err := t.ruleset(ctx, name)
	if err != nil {
		return err
	}
	if len(r.Examples) == 0 {
		return hinted{errors.New(r.Name + " has no examples"), "see docs/rulesets.md for how an example is written"}
	}
	failed, err := migrate.Examples(r)
	if err != nil {
		return err
	}
	for _, f := range failed {
		report.Fprintf(t.out, "%s\n", f)
	}
	t.note("%s: %d of %s hold", r.Name, len(r.Examples)-len(failed), plural(len(r.Examples), "example"))
	if len(failed) > 0 {
		return errPending
	}
	return nil
}
