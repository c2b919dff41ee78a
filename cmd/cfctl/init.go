package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

const initLong = `Look at this repository and write a .cfctl.yaml for it: the built-in rulesets
that find something here; the stack that the compatibility tables of the release
tags declare, with the places where its versions stand (go.mod, Makefile,
kustomize, Helm, Dockerfiles, workflows); how it is released, as far as tags,
workflows and bundles say it. PROJECT and the groups of the CRDs are read, too.
What was found, and where, is said.

--ci writes the job that guards the repository, too: a GitHub workflow, a GitLab
job, a pre-commit configuration, a Tekton Task.

Nothing is asked and nothing is overwritten: a file that is there is trouble;
where there is a configuration already, --ci adds the job alone.`

// A ciFile is a file that --ci writes; its text is that of docs/ci.
type ciFile struct{ name, from, to, next string }

var ciFiles = []ciFile{
	{"github", "ci/github.yml", ".github/workflows/cfctl.yml", ""},
	{"gitlab", "ci/gitlab.yml", ".gitlab/cfctl.yml", "in .gitlab-ci.yml: include: {local: .gitlab/cfctl.yml}"},
	{"pre-commit", "ci/pre-commit.yaml", ".pre-commit-config.yaml", "pre-commit install"},
	{"tekton", "ci/tekton.yaml", ".tekton/cfctl-task.yaml", "kubectl apply -f .tekton/cfctl-task.yaml"},
}

//go:embed ci
var ciTexts embed.FS

type initOptions struct {
	ci     string
	dryRun bool
}

func newInit(t *terminal) *cobra.Command {
	o := &initOptions{}
	cmd := &cobra.Command{
		Use: "init", Short: "look at a repository and write its .cfctl.yaml", Long: initLong, Args: noArgs,
		Example: `  cfctl init
  cfctl init --ci github
  cfctl init --dry-run`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runInit(cmd.Context(), t, o) },
	}
	var names []string
	for _, f := range ciFiles {
		names = append(names, f.name)
	}
	choiceFlag(cmd, &o.ci, "ci", "", "", names, "--ci", "write a job too: ")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print the files instead of writing them")
	return cmd
}

// A written file is one that init makes, with what to do then.
type writtenFile struct{ path, text, next string }

func runInit(ctx context.Context, t *terminal, o *initOptions) error {
	root, err := source.OpenRoot(".")
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := initHere(ctx); err != nil {
		return err
	}
	files, err := o.files(ctx, t, root)
	if err != nil {
		return err
	}
	for _, f := range files { // before anything is written
		if _, err := fs.Stat(root.FS(), f.path); err == nil && !o.dryRun {
			return hinted{&source.Error{Path: f.path, Err: errors.New("is there already: nothing was written")}, "cfctl init --dry-run prints what it would be"}
		}
	}
	for _, f := range files {
		if o.dryRun {
			fmt.Fprintf(t.out, "# %s\n%s", f.path, f.text)
			continue
		}
		if err := root.Create(f.path, []byte(f.text), 0o644); err != nil {
			return err
		}
		t.note("wrote %s", f.path)
		if f.next != "" {
			t.note("next: %s", f.next)
		}
	}
	return nil
}

// initHere refuses a folder that is no place for a configuration: a bare
// repository, and one below a configuration that it would shadow. The top of a
// work tree is a place of its own.
func initHere(ctx context.Context) error {
	repo, err := git.Open(ctx, ".")
	if err != nil {
		return nil //nolint:nilerr // what is wrong with the repository is said where it is read
	}
	defer func() { _ = repo.Close() }()
	if repo.Bare {
		return hinted{errors.New("this is a bare repository: nothing was written"), "cfctl init in a work tree of it"}
	}
	top, err := os.Stat(repo.Dir)
	if err != nil {
		return err
	}
	for dir := "."; ; dir = filepath.Join(dir, "..") {
		here, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if dir != "." {
			if _, err := os.Lstat(filepath.Join(dir, configName)); err == nil {
				return hinted{errorf("there is a %s at %s: nothing was written", configName, filepath.ToSlash(dir)), "it holds here, too: cfctl config check"}
			}
		}
		if parent, err := os.Stat(filepath.Join(dir, "..")); os.SameFile(here, top) || err != nil || os.SameFile(here, parent) {
			return nil
		}
	}
}

// files are what init would write.
func (o *initOptions) files(ctx context.Context, t *terminal, root *source.Root) ([]writtenFile, error) {
	var files []writtenFile
	if _, err := fs.Stat(root.FS(), configName); err == nil && o.ci != "" {
		t.note("%s is there, and stays as it is", configName)
	} else {
		text, gate, err := survey(ctx, t, root)
		if err != nil {
			return nil, err
		}
		files = append(files, writtenFile{configName, text, "cfctl config check; " + gate})
	}
	for _, f := range ciFiles {
		if f.name != o.ci {
			continue
		}
		text, err := ciTexts.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		files = append(files, writtenFile{f.to, string(text), f.next})
	}
	return files, nil
}

// survey looks at the repository in the working directory, tells what it found,
// and returns the configuration and the command that uses it first.
func survey(ctx context.Context, t *terminal, root *source.Root) (text, gate string, err error) {
	var b strings.Builder
	b.WriteString("# Written by cfctl init. docs/config.md has every key; cfctl config check reads it.\n")
	p, err := look(t, root)
	if err != nil {
		return "", "", err
	}
	found, err := findingRulesets(ctx, t)
	if err != nil {
		return "", "", err
	}
	gate = "cfctl migrate"
	b.WriteString("migrate:\n")
	if len(found) == 0 {
		gate = "name a ruleset: cfctl migrate rules list"
		b.WriteString("  # None of the built-in rulesets finds anything here (cfctl migrate rules list);\n  # one of your own is a page of YAML: docs/rulesets.md.\n  rulesets: []\n")
	} else {
		b.WriteString("  rulesets: # each finds something here\n")
		for _, f := range found {
			fmt.Fprintf(&b, "    - %s # %s\n", f.name, f.what)
		}
	}
	b.WriteString(p.moving())
	declared, err := declaredStack(ctx, t, root, p)
	if err != nil || declared == "" {
		return b.String(), gate, err
	}
	b.WriteString("\n# Read from the compatibility table of the README and the tags; repositories that\n# no link names have to be filled in. cfctl matrix check holds the tree to it.\n")
	b.WriteString(declared)
	return b.String(), "cfctl matrix check", nil
}

// A foundRuleset is a built-in ruleset with what it finds.
type foundRuleset struct{ name, what string }

// findingRulesets tries every built-in ruleset on the tree.
func findingRulesets(ctx context.Context, t *terminal) ([]foundRuleset, error) {
	var list []foundRuleset
	for _, name := range migrate.Builtin() {
		set, err := migrate.BuiltinRuleset(name)
		if err != nil {
			return nil, err
		}
		m, err := migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{set}})
		if err != nil {
			continue // it asks for values that only a person knows
		}
		t.status("trying %s", name)
		plan, err := planOf(ctx, m)
		if err != nil {
			return nil, err
		}
		if s := plan.Summary(); s.Changes+s.Renames+s.Person > 0 {
			files, first := placesIn(plan)
			f := foundRuleset{name, fmt.Sprintf("%s in %s%s", plural(s.Changes+s.Person, "place"), plural(files, "file"), first)}
			t.note("ruleset %s: %s", f.name, f.what)
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		t.note("rulesets: none of the built-in ones finds anything")
	}
	return list, nil
}

func planOf(ctx context.Context, m *migrate.Migration) (*migrate.Plan, error) {
	tree, err := source.Open([]string{"."})
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	return m.Plan(ctx, tree, source.WalkOptions{})
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

// declaredStack is the section stack for what the tables of the release tags
// say; empty = there is none, or the built-in stack is this repository's.
func declaredStack(ctx context.Context, t *terminal, root *source.Root, p *project) (string, error) {
	repo, err := git.Open(ctx, ".")
	if err != nil {
		t.note("stack: none, this is no git repository")
		return "", nil //nolint:nilerr // a tree without history declares none
	}
	defer func() { _ = repo.Close() }()
	past := &matrix.RepoPast{Repo: repo}
	builtin := stack.Default()
	if releases, _, err := matrix.History(ctx, builtin, past); err == nil && knowsRows(builtin, releases) {
		t.note("stack: the built-in %s, by the tables of %s", builtin.Name, plural(len(releases), "release"))
		return "", nil
	}
	adopted, err := matrix.Adopt(ctx, stack.Table{Path: builtin.Table.Path, Component: builtin.Table.Component, Version: builtin.Table.Version, Start: builtin.Table.Start, End: builtin.Table.End, Link: builtin.Table.Link}, past)
	if err != nil {
		text, found, recognised := recognisedStack(ctx, t, repo, root.FS())
		if recognised != nil || found {
			return text, recognised
		}
		t.note("stack: none, %v", err)
		return "", nil //nolint:nilerr // what it says is what was found
	}
	t.note("stack: %s, by the table of %s", plural(len(adopted.Components), "component"), adopted.Table.Path)
	ownRepository(ctx, t, repo, adopted)
	var b strings.Builder
	matrix.WriteStack(&b, adopted)
	places, err := placesOf(t, root.FS(), adopted)
	if err != nil {
		return "", err
	}
	tags, err := repo.Tags(ctx)
	if err != nil {
		return "", err
	}
	return b.String() + places + skeleton(t, adopted, p, tags), nil // the places behind those of the table
}

var onGitHub = lazyregexp.New(`^(?:https://|ssh://git@|git@)github\.com[:/]([A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_][A-Za-z0-9._-]*?)(?:\.git)?/?$`)

// ownRepository fills in the repository of the root, which is this one, from
// the remote.
func ownRepository(ctx context.Context, t *terminal, repo *git.Repo, s *stack.Stack) {
	url, err := repo.RemoteURL(ctx, "origin")
	m := onGitHub.FindStringSubmatch(url)
	if err != nil || m == nil {
		return
	}
	for i := range s.Components {
		if c := &s.Components[i]; c.Name == s.Root && c.Repository == "" {
			c.Repository = m[1]
			t.note("repository: %s, by the remote origin", m[1])
		}
	}
}
