package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/release"
)

// completeValues has the shell complete what the repository and its configuration
// have: tags, components, releases and steps. Where no stack is declared, and the
// built-in one is of another repository, nothing is completed.
func completeValues(t *terminal, cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		completeValues(t, sub)
	}
	path := strings.TrimPrefix(cmd.CommandPath(), "cfctl ")
	lookUp := func(words func(context.Context, *view, []string) []string) cobra.CompletionFunc {
		return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return lookUpWords(cmd, t, args, words), cobra.ShellCompDirectiveNoFileComp
		}
	}
	for flag, words := range map[string]func(context.Context, *view, []string) []string{"ref": tagsOf, "against": tagsOf, "component": pinsOf} {
		if cmd.Flags().Lookup(flag) != nil {
			_ = cmd.RegisterFlagCompletionFunc(flag, lookUp(words)) // the flag is there, and has none yet
		}
	}
	if path == "release run" {
		for _, flag := range []string{"until", "only", "yes"} {
			_ = cmd.RegisterFlagCompletionFunc(flag, lookUp(stepsOf))
		}
	}
	switch path {
	case "release plan", "release run", "release status", "release verify", "release abort", "release notes", "matrix show", "matrix diff":
		cmd.ValidArgsFunction = lookUp(releasesOf)
	case "matrix set", "release bump", "release images":
		cmd.ValidArgsFunction = lookUp(componentsOf)
	}
}

// lookUpWords opens the repository that the command reads.
func lookUpWords(cmd *cobra.Command, t *terminal, args []string, words func(context.Context, *view, []string) []string) []string {
	o := &target{dir: "."}
	if f := cmd.Flags().Lookup("repo"); f != nil {
		o.dir = f.Value.String()
	}
	v, err := o.openStack(cmd.Context(), t)
	if err != nil {
		return nil
	}
	defer v.close()
	return words(cmd.Context(), v, args)
}

func tagsOf(ctx context.Context, v *view, _ []string) []string {
	if v.repo == nil {
		return nil
	}
	tags, err := v.repo.Tags(ctx)
	if err != nil {
		return nil
	}
	var list []string
	for _, tag := range tags {
		list = append(list, tag.Name)
	}
	return list
}

func componentsOf(_ context.Context, v *view, _ []string) []string {
	var list []string
	for _, c := range v.stack.Components {
		list = append(list, c.Name)
	}
	return list
}

// pinsOf are the components as --component takes them, NAME=VERSION.
func pinsOf(ctx context.Context, v *view, _ []string) []string {
	list := componentsOf(ctx, v, nil)
	for i := range list {
		list[i] += "="
	}
	return list
}

func releasesOf(ctx context.Context, v *view, _ []string) []string {
	var list []string
	for _, r := range v.config.Releases {
		list = append(list, r.Version)
	}
	if len(list) == 0 {
		return tagsOf(ctx, v, nil)
	}
	return list
}

// stepsOf are the steps of the release that the command names.
func stepsOf(_ context.Context, v *view, args []string) []string {
	if len(args) != 1 {
		return nil
	}
	row, ok := v.config.Release(args[0])
	if !ok {
		return nil
	}
	versions := map[string]string{}
	for _, p := range row.Components {
		versions[p.Name] = p.Version
	}
	recipe, err := v.recipe()
	if err != nil {
		return nil
	}
	train, err := release.Compile(v.stack, recipe, args[0], versions, nil)
	if err != nil {
		return nil
	}
	var list []string
	for _, step := range train.Steps() {
		list = append(list, step.Name)
	}
	return list
}
