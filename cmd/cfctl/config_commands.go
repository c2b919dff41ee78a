package main

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
)

var configLong = `Show and check the configuration of cfctl: .cfctl.yaml, CFCTL_* environment
variables and defaults.

Every key and variable:
` + docsURL("config")

func newConfig(t *terminal) *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "show and check the configuration; print its JSON Schema", Long: configLong}
	cmd.AddCommand(newConfigShow(t), newConfigCheck(t),
		&cobra.Command{Use: "schema", Short: "print the JSON Schema of .cfctl.yaml, for editors", Args: noArgs,
			Long: `The JSON Schema (2020-12) of .cfctl.yaml. Editors with a YAML language server
take it from a first line
  # yaml-language-server: $schema=cfctl.schema.json`,
			RunE: func(*cobra.Command, []string) error { _, err := t.out.Write(configSchema); return err }})
	return family(cmd)
}

// configSchema is made from the types of the configuration and their comments
// by TestReference.
//
//go:embed config.schema.json
var configSchema []byte

// A setting is a key that flags take their default from.
type setting struct {
	key   string
	flag  *pflag.Flag
	users []string // the commands with that flag, "cfctl migrate"
}

// settings are all of them, in the order of their keys.
func settings(root *cobra.Command) []*setting {
	known := map[string]*setting{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			for _, key := range f.Annotations[keyAnnotation] {
				if known[key] == nil {
					known[key] = &setting{key: key, flag: f}
				}
				known[key].users = append(known[key].users, cmd.CommandPath())
			}
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return slices.SortedFunc(maps.Values(known), func(a, b *setting) int { return strings.Compare(a.key, b.key) })
}

// An effective value is what a key comes to, and where from.
type effective struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"` // a file, a variable, or "default"
}

func newConfigShow(t *terminal) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "show", Short: "show each key with its value and where that comes from", Args: noArgs,
		Long: `Show each key that a flag takes its default from, with its value and where that
comes from: the file, a CFCTL_* variable, or the built-in default. matrix show
and release plan show what the sections stack, matrix and release declare.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := effectiveValues(cmd.Context(), t, cmd.Root())
			if err != nil {
				return err
			}
			if output == "json" {
				return report.WriteJSON(t.out, map[string]any{"schema": 1, "values": list})
			}
			w := t.table()
			for _, e := range list {
				fmt.Fprintf(w, "%s\t%s\t%s\n", e.Key, e.Value, e.From)
			}
			return w.Flush()
		},
	}
	outputFlag(cmd, &output, "text", "text", "json")
	return cmd
}

// effectiveValues fills every flag that has a key as its command would.
func effectiveValues(ctx context.Context, t *terminal, root *cobra.Command) ([]effective, error) {
	var list []effective
	for _, s := range settings(root) {
		if err := t.fill(s.flag, s.key); err != nil {
			return nil, err
		}
		from := "default"
		if set := s.flag.Annotations[chosenAnnotation]; set != nil {
			from = set[0]
		}
		list = append(list, effective{s.key, strings.Trim(s.flag.Value.String(), "[]"), from})
	}
	return list, checkSections(ctx, t)
}

// checkSections checks the sections stack, matrix and release, as far as they are declared.
func checkSections(ctx context.Context, t *terminal) error {
	v, err := (&target{dir: "."}).open(ctx, t)
	if err != nil {
		return err
	}
	defer v.close()
	declared := v.declared != nil && v.declared.Release != nil
	if !declared && (v.custom || !v.meant) {
		return nil
	}
	_, err = v.recipe()
	return err
}

func newConfigCheck(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use: "check", Short: "check the configuration for mistakes", Args: noArgs,
		Long: `Check .cfctl.yaml: unknown keys, values that a flag does not take, unknown
components and steps, rulesets that do not compile, and keys that a repository
may not set for its users:
` + docsURL("security") + `

Exit codes: 0 no mistakes, 2 a mistake, with its line.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return checkConfig(cmd.Context(), t, cmd.Root()) },
	}
}

func checkConfig(ctx context.Context, t *terminal, root *cobra.Command) error {
	d, err := t.defaults()
	if err != nil {
		return err
	}
	if d.file.Path == "" {
		t.note("no %s in this folder or above it", config.Name)
		t.note("hint: cfctl init writes one")
	}
	if _, err := effectiveValues(ctx, t, root); err != nil {
		return err
	}
	for _, s := range settings(root) {
		if s.key == "migrate.rulesets" {
			if err := checkRulesets(ctx, t, s.flag); err != nil {
				return err
			}
		}
	}
	if d.file.Path != "" {
		t.note("%s: no mistakes", d.file.Path)
	}
	return nil
}

// checkRulesets compiles the rulesets that the flag came to.
func checkRulesets(ctx context.Context, t *terminal, f *pflag.Flag) error {
	var opts migrate.Options
	for _, name := range f.Value.(pflag.SliceValue).GetSlice() {
		r, err := t.ruleset(ctx, name)
		if err != nil {
			return err
		}
		opts.Rulesets = append(opts.Rulesets, r)
	}
	if len(opts.Rulesets) == 0 {
		return nil
	}
	_, err := migrate.New(opts)
	return err
}
