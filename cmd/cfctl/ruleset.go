package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/project-codeflare/cfctl/internal/fetch"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/source"
)

// isRulesetFile says whether a ruleset is named by a file: it has a slash, or
// ends in .yaml or .yml, and is no address.
func isRulesetFile(name string) bool {
	return !fetch.Is(name) && (strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml"))
}

// ruleset reads a ruleset by name, from a file, or from an address.
func (t *terminal) ruleset(ctx context.Context, name string) (*migrate.Ruleset, error) {
	if !fetch.Is(name) && !isRulesetFile(name) {
		return migrate.BuiltinRuleset(name)
	}
	data, err := t.rulesetText(ctx, name)
	if err != nil {
		return nil, err
	}
	if name = git.Redact(name); isRulesetFile(name) {
		name = filepath.ToSlash(name)
	}
	return migrate.ParseRuleset(name, data)
}

// rulesetText is a ruleset as it is written. Of one that was read from an
// address it is always said which it was: its digest, or its commit.
func (t *terminal) rulesetText(ctx context.Context, name string) ([]byte, error) {
	switch {
	case fetch.Is(name):
		c, err := t.fetcher().Read(ctx, name)
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
		t.note("ruleset %s", said)
		return c.Data, nil
	case isRulesetFile(name):
		return source.ReadFile(name)
	}
	return migrate.BuiltinSource(name)
}

// fetcher reads files by address; without a folder for caches each is asked for
// every time.
func (t *terminal) fetcher() *fetch.Reader {
	cache, err := sources(t)
	if err != nil {
		return &fetch.Reader{}
	}
	return &fetch.Reader{Dir: filepath.Join(filepath.Dir(cache.Dir), "rulesets"), Git: cache}
}
