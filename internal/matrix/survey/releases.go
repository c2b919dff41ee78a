package survey

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/matrix/choose"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// Known knows the releases of a stack: what is declared, tagged, in tables or built in.
type Known struct {
	Stack   *stack.Stack
	Config  *matrix.Config
	Tree    fs.FS
	Repo    *git.Repo // nil = there is none
	Tag     string    // that Tree is at; empty = something else
	Builtin bool      // the stack is the built-in one
}

// Date gives the releases the days of their tags.
func (k *Known) Date(ctx context.Context, releases []matrix.Release) error {
	tags, err := k.Repo.Tags(ctx)
	if err != nil {
		return err
	}
	days := make(map[string]string, len(tags))
	for _, tag := range tags {
		days[tag.Name] = tag.Day
	}
	root := k.Stack.RootComponent()
	for i := range releases {
		if day, ok := days[root.TagOf(releases[i].Version)]; ok {
			releases[i].Date = day
		}
	}
	return nil
}

// All are the declared ones and those that further tags of the repository
// have; without any those of the tables, else the built-in ones for the built-in
// stack.
func (k *Known) All(ctx context.Context) ([]matrix.Release, error) {
	if len(k.Config.Releases) > 0 {
		return k.withTagged(ctx, k.Config.Releases)
	}
	if releases, err := matrix.ReleasesOf(k.Stack, k.Tree); err != nil || len(releases) > 0 {
		return releases, err
	}
	if k.Repo != nil {
		releases, _, err := matrix.History(ctx, k.Stack, matrix.RepoPast{Repo: k.Repo})
		if err != nil {
			return nil, err
		}
		if err := k.Date(ctx, releases); err != nil || len(releases) > 0 && KnowsRows(k.Stack, releases) {
			return releases, err
		}
	}
	if !k.Builtin {
		hint := "declare the first one: cfctl matrix add VERSION"
		if _, _, err := matrix.TableOf(k.Stack, k.Tree); err == nil {
			hint += "\nthe table of the work tree: cfctl matrix show ."
		}
		return nil, source.Hinted(errors.New("no release is declared and no tag has a table"), hint)
	}
	return matrix.Known(), nil
}

// withTagged adds to declared releases those of tags that are not declared. Tables
// of releases have a row for each, and are read elsewhere.
func (k *Known) withTagged(ctx context.Context, declared []matrix.Release) ([]matrix.Release, error) {
	if k.Repo == nil || len(k.Stack.TablesOf(stack.RowsComponents)) == 0 || len(k.Stack.TablesOf(stack.RowsReleases)) > 0 {
		return declared, nil
	}
	tagged, _, err := matrix.History(ctx, k.Stack, matrix.RepoPast{Repo: k.Repo})
	if err != nil {
		return nil, err
	}
	tagged = slices.DeleteFunc(tagged, func(r matrix.Release) bool {
		_, is := k.Config.Release(r.Version)
		return is || !KnowsRows(k.Stack, []matrix.Release{r})
	})
	if err := k.Date(ctx, tagged); err != nil || len(tagged) == 0 {
		return declared, err
	}
	all := slices.Concat(declared, tagged)
	slices.SortStableFunc(all, func(a, b matrix.Release) int { return semver.Compare(a.Version, b.Version) })
	return all, nil
}

// One finds one release by version; empty or "." is what the table of the
// tree says now.
func (k *Known) One(ctx context.Context, version string) (*matrix.Release, error) {
	if version == "" || version == "." {
		tagged, _ := k.Stack.RootComponent().VersionOfTag(k.Tag)
		if r, err := matrix.ReleaseIn(k.Stack, k.Tree, tagged); r != nil || err != nil {
			return r, err
		}
		data, doc, err := matrix.TableOf(k.Stack, k.Tree)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Stack.Table.Path, err)
		}
		r := matrix.ReadRelease(k.Stack, data, doc, k.Tag)
		return &r, nil
	}
	releases, err := k.All(ctx)
	if err != nil {
		return nil, err
	}
	for i := range releases {
		if releases[i].Version == version || releases[i].Version == "v"+version {
			return &releases[i], nil
		}
	}
	if r, err := k.releaseAt(ctx, version); r != nil || err != nil {
		return r, err
	}
	known := lists.Of(releases, func(r matrix.Release) string { return r.Version })
	return nil, source.Hinted(fmt.Errorf("no release %s", version), "known: "+strings.Join(known, ", "))
}

// releaseAt reads the table at any other ref of the repository.
func (k *Known) releaseAt(ctx context.Context, ref string) (*matrix.Release, error) {
	if k.Repo == nil {
		return nil, nil
	}
	tree, err := k.Repo.Tree(ctx, ref)
	if err != nil {
		return nil, nil //nolint:nilerr // it is no ref either: the caller says what is known
	}
	data, doc, err := matrix.TableOf(k.Stack, tree)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", ref, k.Stack.Table.Path, err)
	}
	r := matrix.ReadRelease(k.Stack, data, doc, ref)
	return &r, nil
}

// Model is all that is said about versions that go together, with the releases
// that say it.
func (k *Known) Model(ctx context.Context, wants []choose.Want) (*choose.Model, []matrix.Release, error) {
	releases, err := k.All(ctx)
	if err != nil {
		return nil, nil, err
	}
	said := releases
	if len(k.Config.Releases) == 0 && len(k.Stack.TablesOf(stack.RowsReleases)) > 0 {
		said = nil // the tables say it themselves, with their places
	}
	m, err := choose.ModelOf(k.Stack, k.Config, k.Tree, said, wants)
	return m, releases, err
}
