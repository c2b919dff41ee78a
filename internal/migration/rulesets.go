package migration

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/fetch"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migrate/author"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Add writes a new ruleset into a file, and adds that to the configuration.
func Add(ctx context.Context, u *project.User, name string, set *author.Ruleset) error {
	if err := create(name, set.Text); err != nil {
		return err
	}
	u.Note("wrote %s", name)
	registered, err := register(u, name)
	if err != nil {
		return err
	}
	if gitIgnores(ctx, name) {
		u.Note("git ignores %s; to commit it: git add --force %s", name, report.Shell(name))
	}
	u.Note("next: %s", nextOf(name, set.Examples, registered))
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
func register(u *project.User, name string) (bool, error) {
	file, err := u.Configs.Find()
	if err != nil {
		return false, err
	}
	if file.Path == "" {
		file.Path, file.Dir = config.Name, "."
	}
	rel, err := relative(file.Dir, name)
	if err != nil {
		return false, err
	}
	if !filepath.IsLocal(rel) {
		u.Note("%s is not added to %s: it is in another folder", name, file.Path)
		return false, nil
	}
	data, err := author.Register(file.Data, filepath.ToSlash(rel))
	if err != nil {
		u.Note("add it to %s: migrate.rulesets: [%s] (%v)", file.Path, filepath.ToSlash(rel), err)
		return false, nil
	}
	dir, err := source.OpenRoot(file.Dir)
	if err != nil {
		return false, err
	}
	defer func() { _ = dir.Close() }()
	if err := dir.Write(config.Name, data, 0o644); err != nil {
		return false, err
	}
	u.Note("added %s to migrate.rulesets in %s", filepath.ToSlash(rel), file.Path)
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

// ThereAlready is the error for a file that would be overwritten.
func ThereAlready(name string) error {
	return source.Hinted(&source.Error{Path: name, Err: fs.ErrExist}, "existing files are not overwritten: name another FILE, or none to print the ruleset")
}

// create writes a new file, with the folders that it needs.
func create(name, text string) error {
	dir, err := source.OutputRoot(filepath.Dir(name))
	if err != nil {
		return source.Hinted(err, "name a file in a folder that can be made")
	}
	defer func() { _ = dir.Close() }()
	err = dir.Create(filepath.Base(name), []byte(text), 0o644)
	if errors.Is(err, fs.ErrExist) {
		return ThereAlready(name)
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

// IsRulesetFile says whether a ruleset is named by a file: it has a slash, or
// ends in .yaml or .yml, and is no address.
func IsRulesetFile(name string) bool {
	return !fetch.Is(name) && (strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml"))
}

// Ruleset reads a ruleset by name, from a file, or from an address.
func Ruleset(ctx context.Context, u *project.User, name string) (*migrate.Ruleset, error) {
	if !fetch.Is(name) && !IsRulesetFile(name) {
		return migrate.BuiltinRuleset(name)
	}
	data, err := RulesetText(ctx, u, name)
	if err != nil {
		return nil, err
	}
	if name = git.Redact(name); IsRulesetFile(name) {
		name = filepath.ToSlash(name)
	}
	return migrate.ParseRuleset(name, data)
}

// RulesetText is a ruleset as it is written. Of one that was read from an
// address it is always said which it was: its digest, or its commit.
func RulesetText(ctx context.Context, u *project.User, name string) ([]byte, error) {
	switch {
	case fetch.Is(name):
		c, err := fetcher(u).Read(ctx, name)
		if err != nil {
			return nil, err
		}
		said := git.Redact(name)
		if !strings.Contains(said, c.ID) {
			said += ": " + c.ID
		}
		if c.Kept {
			said += ", from the cache"
		}
		u.Note("ruleset %s", said)
		return c.Data, nil
	case IsRulesetFile(name):
		return source.ReadFile(name)
	}
	return migrate.BuiltinSource(name)
}

// fetcher reads files by address; without a folder for caches each is asked for
// every time.
func fetcher(u *project.User) *fetch.Reader {
	cache, err := u.Cache()
	if err != nil {
		return &fetch.Reader{}
	}
	return &fetch.Reader{Dir: filepath.Join(filepath.Dir(cache.Dir), "rulesets"), Git: cache}
}
