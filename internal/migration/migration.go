// Package migration migrates a work tree: which rulesets and files there are, what must
// hold before anything is written, what is new since a base, and how a plan is shown.
package migration

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

// Options are what a user chose.
type Options struct {
	Rulesets    []string
	Mode        string // replace or dual
	Target      string // version of Kubernetes
	NoHeuristic []string
	Only        []string
	Exclude     []string
	Base        string // branch or commit
	Reason      string // to keep what remains; empty = it is not kept
	AllowDirty  bool
	Sparse      bool
	Set         map[string]string
	Jobs        int
	Check       bool
	Write       bool
	Diff        bool
	Fixes       bool   // a form of the output carries the edits
	GoStep      string // what becomes of the Go package of a version
	GoCode      string // on or off
}

// presetRuleset is used without a ruleset from a flag, the environment or the
// file, where its names occur. Elsewhere no ruleset is selected, which is an
// error: a check by rules of another project would never find anything.
const presetRuleset = "codeflare-groups"

// Paths are the files to look at: the arguments, or with --base those of them
// that changed. Nil means that nothing changed. A gate looks at all of the
// arguments, since what changed tells of others, and leaves out what was there.
func (o *Options) Paths(ctx context.Context, args []string) ([]string, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	if o.Base == "" {
		return args, nil
	}
	repo, ancestor, err := sinceHead(ctx, ".", o.Base)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	changed, err := repo.ChangedUnder(ctx, ancestor, args)
	if err != nil || !o.Check {
		return changed, err
	}
	// A file that is removed, a link and a file elsewhere may tell of others, too.
	if all, err := repo.Changed(ctx, ancestor, ""); err != nil || len(all) == 0 {
		return nil, err
	}
	args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		_, err := os.Lstat(arg)
		return errors.Is(err, fs.ErrNotExist) // the change removes it
	})
	if len(args) == 0 {
		return nil, nil
	}
	return args, nil
}

// sinceHead opens the repository around a folder, with the common ancestor of its head
// and a revision.
func sinceHead(ctx context.Context, dir, rev string) (*git.Repo, string, error) {
	repo, err := openAround(ctx, dir)
	if err != nil {
		return nil, "", err
	}
	ancestor, err := repo.MergeBase(ctx, rev, "HEAD")
	if err != nil {
		err = ShallowHint(ctx, repo, err)
		_ = repo.Close() // only read
	}
	return repo, ancestor, err
}

// SinceBase leaves out of a plan what the common ancestor with a revision has too.
func SinceBase(ctx context.Context, rev string, m *migrate.Migration, plan *migrate.Plan, tree *source.Tree) (*migrate.Plan, error) {
	repo, ancestor, err := sinceHead(ctx, tree.Base(), rev)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	base, err := repo.Tree(ctx, ancestor)
	if err != nil {
		return nil, err
	}
	moved, err := repo.Moved(ctx, ancestor, "")
	if err != nil {
		return nil, err
	}
	return m.Since(ctx, plan, tree, base, moved)
}

// Migration compiles the rulesets of the flags.
func (o *Options) Migration(ctx context.Context, u *project.User) (*migrate.Migration, error) {
	opts := migrate.Options{Target: o.Target, Dual: o.Mode == "dual", Set: o.Set, Only: o.Only, HeuristicsOff: o.NoHeuristic, Fixes: o.Fixes, Glance: o.Check, GoStep: o.GoStep, GoOff: o.GoCode == "off", BuildCache: o.Write}
	opts.Keep = append(slices.Clone(u.Keep), migrate.Keep{Path: config.Name, Why: "it is the configuration itself"})
	if len(o.Rulesets) == 0 {
		o.Rulesets = []string{presetRuleset}
	}
	for i, name := range o.Rulesets {
		if slices.Contains(o.Rulesets[:i], name) {
			continue // it is named twice
		}
		r, err := Ruleset(ctx, u, name)
		if err != nil {
			return nil, err
		}
		opts.Rulesets = append(opts.Rulesets, r)
	}
	if err := asked(opts); err != nil {
		return nil, err
	}
	return migrate.New(opts)
}

// asked refuses values that no ruleset asks for.
func asked(opts migrate.Options) error {
	var known []string
	for _, set := range opts.Rulesets {
		known = append(known, set.Inputs()...)
	}
	for _, name := range slices.Sorted(maps.Keys(opts.Set)) {
		if !slices.Contains(known, name) {
			return source.Hinted(project.Usage("--set %s: no ruleset needs this value", name), spelling.DidYouMean(name, known))
		}
	}
	return nil
}

// ShallowHint says how to get the history where an error is about one that is
// cut off: what jobs check out is, unless they ask for all of it.
func ShallowHint(ctx context.Context, repo *git.Repo, err error) error {
	if !errors.Is(err, git.ErrNotFound) {
		return err
	}
	if !repo.Shallow(ctx) {
		return source.Hinted(err, "git branch --all lists the branches; git fetch gets those that are new on the remote")
	}
	return source.Hinted(err, "this clone has only a part of the history: actions/checkout with fetch-depth: 0, GitLab with GIT_DEPTH: 0\ngit fetch --unshallow")
}

// openAround opens the repository whose work tree holds a folder, from its top: a folder
// that is laid out as a bare repository has files of that work tree.
func openAround(ctx context.Context, dir string) (*git.Repo, error) {
	at, err := source.RealPath(dir)
	if err != nil {
		return nil, err
	}
	return git.Open(ctx, cmp.Or(source.WorkTree(at), dir))
}

// DefaultBase is the default branch of the remote origin, "" where it is not known.
func DefaultBase(ctx context.Context, dir string) string {
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return ""
	}
	defer repo.Close() //nolint:errcheck // was only read
	if branch, err := repo.RemoteHead(ctx); err == nil && branch != "" {
		return "origin/" + branch
	}
	return ""
}
