package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migrate/author"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// readyToWrite undoes what a killed write left half done, and refuses a
// tree with uncommitted changes.
func (t *terminal) readyToWrite(ctx context.Context, o *migrateOptions, tree *source.Tree) error {
	names, err := tree.Recover(ctx)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		t.note("an interrupted write was undone first (%s)", report.Plural(len(names), "file"))
	}
	if o.allowDirty {
		return nil
	}
	for _, top := range tree.GitTops() {
		if err := refuseDirty(ctx, tree, top, o.rulesets); err != nil {
			return err
		}
	}
	return nil
}

// readyClones refuses uncommitted changes in the repositories that a plan changes
// files of, below a folder that is in none: which these are, the plan says first.
func (t *terminal) readyClones(ctx context.Context, o *migrateOptions, plan *migrate.Plan, tree *source.Tree) error {
	if o.allowDirty || tree.TopLevel() != "" {
		return nil
	}
	asked := tree.GitTops()
	for _, f := range plan.Files {
		root := tree.Root(f.Path)
		top := filepath.Join(tree.Base(), filepath.FromSlash(root))
		if root == "" || !f.Changes() || slices.Contains(asked, top) {
			continue
		}
		asked = append(asked, top)
		if err := refuseDirty(ctx, tree, top, o.rulesets); err != nil {
			return err
		}
	}
	return nil
}

// readyWhole refuses to write what a sparse checkout decides by what it shows: the objects,
// CRDs and references that it hides might have it otherwise. git asks for the same word
// before it touches paths outside of one (git-add, git-mv, git-rm: --sparse).
func readyWhole(o *migrateOptions, plan *migrate.Plan) error {
	hidden := plan.Hidden()
	if o.sparse || hidden == nil || o.write && !slices.ContainsFunc(plan.Files, (*migrate.File).Changes) {
		return nil
	}
	return hinted{fmt.Errorf("nothing is written: %s: %w; files that are hidden there may affect the result", hidden.Path, hidden.Err),
		"git sparse-checkout disable brings it back; or add --sparse to write by what is seen"}
}

// refuseDirty refuses a work tree with uncommitted changes, so that git shows
// what the write changed and can undo it. The configuration, the rulesets in use
// and a CI job as init wrote it do not count: a write never changes them. Neither does a repository in the
// work tree, which git shows as an untracked folder.
func refuseDirty(ctx context.Context, tree *source.Tree, top string, rulesets []string) error {
	repo, err := git.Open(ctx, top)
	if errors.Is(err, git.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defer repo.Close()
	if repo.Bare {
		return nil
	}
	dirty, err := repo.Status(ctx)
	dirty = slices.DeleteFunc(dirty, func(name string) bool {
		return strings.HasSuffix(name, "/") || path.Base(name) == configName || isOneOf(filepath.Join(repo.Dir, filepath.FromSlash(name)), rulesets) || isOwnJob(repo.Dir, name)
	})
	if err != nil || len(dirty) == 0 {
		return err
	}
	what := dirty[0]
	if rel := besideBase(tree, repo.Dir); rel != "." { // a repository in the one that cfctl runs in
		what = rel + "/" + what
	}
	if len(dirty) > 1 {
		what = fmt.Sprintf("%s and %d more", what, len(dirty)-1)
	}
	return hinted{fmt.Errorf("the git work tree has uncommitted changes: %s", what),
		"commit or stash them, or add --allow-dirty; cfctl migrate undo undoes only what cfctl wrote"}
}

// isOwnJob says whether a file of a work tree is a CI job, as cfctl init --ci wrote it.
func isOwnJob(top, name string) bool {
	return slices.ContainsFunc(author.Jobs, func(job author.Job) bool {
		if job.To != name {
			return false
		}
		root, err := source.OpenRoot(top)
		if err != nil {
			return false
		}
		defer root.Close() //nolint:errcheck // was only read
		data, err := root.ReadFile(name)
		return err == nil && slices.ContainsFunc([]bool{false, true}, func(stack bool) bool {
			text, err := job.Text(stack)
			return err == nil && string(data) == text
		})
	})
}

// isOneOf says whether a file is one of the rulesets that are named as files.
func isOneOf(file string, rulesets []string) bool {
	return slices.ContainsFunc(rulesets, func(name string) bool { return isRulesetFile(name) && isSame(file, name) })
}

// withoutOwn leaves the rulesets in use out of a plan, since they name the old groups
// by their nature, and the reports of an earlier run, which are written anew. What git
// tracks is no report: a change could name a manifest like one, or lead there by a link.
func withoutOwn(plan *migrate.Plan, tree *source.Tree, rulesets []string, reports outputFiles) {
	plan.Files = slices.DeleteFunc(plan.Files, func(f *migrate.File) bool {
		file := filepath.Join(tree.Base(), filepath.FromSlash(f.Path))
		return f.Skip == nil && !f.Changes() && isOneOf(file, rulesets) ||
			!tree.Tracks(f.Path) && slices.ContainsFunc(reports, func(r outputFile) bool { return isSame(file, r.path) })
	})
}

func isSame(a, b string) bool {
	x, err := os.Stat(a)
	y, other := os.Stat(b)
	return err == nil && other == nil && os.SameFile(x, y)
}

// besideBase is the path of a work tree from the base of a tree, "." for one that is
// the base or above it.
func besideBase(tree *source.Tree, top string) string {
	if rel, ok := tree.Rel(top, "."); ok {
		return rel
	}
	return "."
}
