package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/migrate/author"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

const rulesNewLong = `Write a ruleset for one API group of this repository and add it to
migrate.rulesets in .cfctl.yaml. The ruleset has the kinds with their plurals, a
rule for each longer group that objects have (ops.old.example.com), and examples
from files of the repository. Label keys, finalizers and locks with the group in
their names are comments: you decide which of them to rename.

Within one group (--from and --to are the same), --kind and --version say what
is renamed. Without FILE the ruleset is printed and nothing is written. An
existing FILE is not overwritten (exit 2).`

func newMigrateRulesNew(t *terminal) *cobra.Command {
	o := &author.Options{}
	cmd := &cobra.Command{
		Use: "new [FILE]", Short: "write a ruleset for one API group of this repository", Long: rulesNewLong,
		Example: `  cfctl migrate rules new --from old.example.com --to example.dev \
    hack/rules.yaml
  cfctl migrate rules new --from old.example.com --to example.dev --kind \
    Gadget=Tool
  cfctl migrate rules new --from example.dev --version v1alpha1=v1`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("rules new takes one FILE, got %d", len(args))
			}
			if err := o.Check(); err != nil {
				return usageError{err}
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
			return thereAlready(args[0])
		}
	}
	set, err := author.Draft(ctx, root, *o, findings{t})
	if err != nil {
		return err
	}
	if len(args) == 0 {
		_, err := t.out.WriteString(set.Text)
		return err
	}
	if err := create(args[0], set.Text); err != nil {
		return err
	}
	t.note("wrote %s", args[0])
	registered, err := t.register(args[0])
	if err != nil {
		return err
	}
	if gitIgnores(ctx, args[0]) {
		t.note("git ignores %s; to commit it: git add --force %s", args[0], report.Shell(args[0]))
	}
	t.note("next: %s", nextOf(args[0], set.Examples, registered))
	return nil
}

// gitIgnores says whether a file in a git work tree would be missing in each clone of it.
func gitIgnores(ctx context.Context, name string) bool {
	repo, err := openAround(ctx, ".")
	if err != nil {
		return false // in no work tree
	}
	defer repo.Close() //nolint:errcheck // was only read
	rel, err := relative(repo.Dir, name)
	if err != nil || repo.Bare || !filepath.IsLocal(rel) {
		return false
	}
	ignored, err := repo.Ignores(ctx, filepath.ToSlash(rel))
	return err == nil && ignored
}

// register adds a ruleset to the nearest configuration, or to a new one here. One
// outside of that folder is not added: a configuration names files of its tree.
func (t *terminal) register(name string) (bool, error) {
	file, err := t.findConfig()
	if err != nil {
		return false, err
	}
	if file.path == "" {
		file.path, file.dir = configName, "."
	}
	rel, err := relative(file.dir, name)
	if err != nil {
		return false, err
	}
	if !filepath.IsLocal(rel) {
		t.note("%s is not added to %s: it is in another folder", name, file.path)
		return false, nil
	}
	data, err := author.Register(file.data, filepath.ToSlash(rel))
	if err != nil {
		t.note("add it to %s: migrate.rulesets: [%s] (%v)", file.path, filepath.ToSlash(rel), err)
		return false, nil
	}
	dir, err := source.OpenRoot(file.dir)
	if err != nil {
		return false, err
	}
	defer func() { _ = dir.Close() }()
	if err := dir.Write(configName, data, 0o644); err != nil {
		return false, err
	}
	t.note("added %s to migrate.rulesets in %s", filepath.ToSlash(rel), file.path)
	return true, nil
}

// relative is the path of a file from a folder, both from the working directory.
func relative(dir, name string) (string, error) {
	var err error
	for _, p := range []*string{&dir, &name} {
		if *p, err = filepath.Abs(*p); err != nil {
			return "", err
		}
	}
	return filepath.Rel(dir, name)
}

// thereAlready is the error for a file that would be overwritten.
func thereAlready(name string) error {
	return hinted{&source.Error{Path: name, Err: fs.ErrExist}, "existing files are not overwritten: name another FILE, or none to print the ruleset"}
}

// create writes a new file, with the folders that it needs.
func create(name, text string) error {
	dir, err := source.OutputRoot(filepath.Dir(name))
	if err != nil {
		return hinted{err, "name a file in a folder that can be made"}
	}
	defer func() { _ = dir.Close() }()
	err = dir.Create(filepath.Base(name), []byte(text), 0o644)
	if errors.Is(err, fs.ErrExist) {
		return thereAlready(name)
	}
	return err
}

// nextOf is what to run with a new ruleset, in a shell.
func nextOf(name string, examples, registered bool) string {
	file := report.Shell(name)
	if !filepath.IsAbs(name) && !strings.HasPrefix(name, ".") {
		file = report.Shell("./" + name)
	}
	run := "cfctl migrate"
	if !registered {
		run += " --ruleset " + file
	}
	if examples {
		run = "cfctl migrate rules test " + file + "; " + run
	}
	return run
}
