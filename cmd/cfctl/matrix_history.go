package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/matrix/survey"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

const historyLong = `Read the compatibility table out of every release tag of a repository and print
it as the matrix.releases section of .cfctl.yaml: how a project adopts cfctl.

It also searches the tree for other places that have versions of the components:
go.mod, Makefiles, kustomizations, charts, Dockerfiles, workflows, lists of
requirements, pipelines. Each place is proposed with its evidence;
components without a place are listed.

If the repository has no declared stack, the output declares it too,
from the rows and links that were found.`

func newMatrixHistory(t *terminal) *cobra.Command {
	var o target
	cmd := &cobra.Command{
		Use:     "history",
		Short:   "read the tables of every release tag into a declaration",
		Long:    historyLong,
		Example: "  cfctl matrix history --repo ~/codeflare-operator > .cfctl.yaml",
		Args:    noArgs,
		RunE:    o.withTree(t, func(ctx context.Context, v *view, _ []string) error { return runMatrixHistory(ctx, t, &o, v) }),
	}
	cmd.Flags().StringVar(&o.dir, "repo", ".", "repository of the stack's root, bare or not")
	return cmd
}

func runMatrixHistory(ctx context.Context, t *terminal, o *target, v *view) error {
	if v.repo == nil {
		return hinted{errorf("%s is not in a git repository", o.dir), "name one: cfctl matrix history --repo DIR"}
	}
	releases, skipped, err := matrix.History(ctx, v.stack, v.past())
	if err != nil {
		return err
	}
	var out strings.Builder
	if !v.custom && !survey.KnowsRows(v.stack, releases) {
		table := stack.Table{Start: v.stack.Table.Start, End: v.stack.Table.End, Link: v.stack.Table.Link}
		adopted, err := matrix.Adopt(ctx, table, v.past())
		if err != nil {
			text, _, found, recognised := survey.Recognised(ctx, v.repo, v.tree, findings{t})
			if recognised != nil {
				return recognised
			}
			if found {
				_, err := t.out.WriteString(text)
				return err
			}
			return hinted{err, "declare stack.table in .cfctl.yaml: path, and the headers of the columns (component, version)"}
		}
		if releases, skipped, err = matrix.History(ctx, adopted, v.past()); err != nil {
			return err
		}
		places, err := survey.Places(v.tree, adopted, findings{t})
		if err != nil {
			return err
		}
		matrix.WriteStack(&out, adopted)
		out.WriteString(places + "\n")
	} else if v.custom {
		places, err := survey.Places(v.tree, v.stack, findings{t})
		if err != nil {
			return err
		}
		for line := range strings.Lines(places) {
			t.note("    not declared under stack.places: %s", strings.TrimSpace(line))
		}
	}
	if err := dated(ctx, v, releases); err != nil {
		return err
	}
	for _, x := range skipped {
		t.note("%s: %s", x.Tag, x.Reason)
	}
	t.note("%s", report.Plural(len(releases), "release"))
	if len(releases) == 0 {
		t.note("hint: declare the first release: cfctl matrix add VERSION")
	} else {
		matrix.WriteReleases(&out, releases)
	}
	_, err = t.out.WriteString(out.String())
	return err
}

// dated gives the releases the days of their tags.
func dated(ctx context.Context, v *view, releases []matrix.Release) error {
	tags, err := v.repo.Tags(ctx)
	if err != nil {
		return err
	}
	days := make(map[string]string, len(tags))
	for _, tag := range tags {
		days[tag.Name] = tag.Day
	}
	root := v.stack.RootComponent()
	for i := range releases {
		if day, ok := days[root.TagOf(releases[i].Version)]; ok {
			releases[i].Date = day
		}
	}
	return nil
}

// releases are the declared ones and those that further tags of the repository
// have; without any those of the tables, else the built-in ones when the built-in
// stack is meant.
func (v *view) releases(ctx context.Context) ([]matrix.Release, error) {
	if len(v.config.Releases) > 0 {
		return v.withTagged(ctx, v.config.Releases)
	}
	if releases, err := matrix.ReleasesOf(v.stack, v.tree); err != nil || len(releases) > 0 {
		return releases, err
	}
	if v.repo != nil {
		releases, _, err := matrix.History(ctx, v.stack, v.past())
		if err != nil {
			return nil, err
		}
		if err := dated(ctx, v, releases); err != nil || len(releases) > 0 && survey.KnowsRows(v.stack, releases) {
			return releases, err
		}
	}
	if v.custom {
		return nil, hinted{errors.New("no release is declared and no tag has a table"), "declare the first one: cfctl matrix add VERSION"}
	}
	return matrix.Known(), nil
}

// withTagged adds to declared releases those of tags that are not declared. Tables
// of releases have a row for each, and are read elsewhere.
func (v *view) withTagged(ctx context.Context, declared []matrix.Release) ([]matrix.Release, error) {
	if v.repo == nil || len(v.stack.TablesOf(stack.RowsComponents)) == 0 || len(v.stack.TablesOf(stack.RowsReleases)) > 0 {
		return declared, nil
	}
	tagged, _, err := matrix.History(ctx, v.stack, undeclared{v.past(), v.stack.RootComponent(), declared})
	if err != nil {
		return nil, err
	}
	tagged = slices.DeleteFunc(tagged, func(r matrix.Release) bool { return !survey.KnowsRows(v.stack, []matrix.Release{r}) })
	if err := dated(ctx, v, tagged); err != nil || len(tagged) == 0 {
		return declared, err
	}
	all := slices.Concat(declared, tagged)
	slices.SortStableFunc(all, func(a, b matrix.Release) int { return semver.Compare(a.Version, b.Version) })
	return all, nil
}

// undeclared are the tags of releases that are not declared.
type undeclared struct {
	matrix.Past
	root     *stack.Component
	declared []matrix.Release
}

// Tags implements matrix.Past.
func (u undeclared) Tags(ctx context.Context) ([]string, error) {
	known := map[string]bool{}
	for _, r := range u.declared {
		known[r.Version] = true
	}
	tags, err := u.Past.Tags(ctx)
	return slices.DeleteFunc(slices.Clone(tags), func(tag string) bool {
		version, ok := u.root.VersionOfTag(tag)
		return !ok || known[version]
	}), err
}

// release finds one release by version; empty or "." is what the table of the
// tree says now.
func (v *view) release(ctx context.Context, version string) (*matrix.Release, error) {
	if version == "" || version == "." {
		tagged, _ := v.stack.RootComponent().VersionOfTag(v.tag)
		if r, err := matrix.ReleaseIn(v.stack, v.tree, tagged); r != nil || err != nil {
			return r, err
		}
		data, doc, err := matrix.TableOf(v.stack, v.tree)
		if err != nil {
			return nil, errorf("%s: %w", v.stack.Table.Path, err)
		}
		r := matrix.ReadRelease(v.stack, data, doc, v.tag)
		return &r, nil
	}
	if r, err := v.releaseOfTag(ctx, version); r != nil || err != nil {
		return r, err
	}
	releases, err := v.releases(ctx)
	if err != nil {
		return nil, err
	}
	for i := range releases {
		if releases[i].Version == version || releases[i].Version == "v"+version {
			return &releases[i], nil
		}
	}
	if r, err := v.releaseAt(ctx, version); r != nil || err != nil {
		return r, err
	}
	var known []string
	for _, r := range releases {
		known = append(known, r.Version)
	}
	return nil, hinted{errorf("no release %s", version), "known: " + strings.Join(known, ", ")}
}

// releaseOfTag reads the table of one release tag, without all the others; nil
// when it is declared, or there is no such tag with a usable table.
func (v *view) releaseOfTag(ctx context.Context, version string) (*matrix.Release, error) {
	version = "v" + strings.TrimPrefix(version, "v")
	if _, declared := v.config.Release(version); declared || v.repo == nil || !stack.IsVersion(version) {
		return nil, nil
	}
	tag := v.stack.RootComponent().TagOf(version)
	if is, err := v.repo.IsTag(ctx, tag); err != nil || !is {
		return nil, nil //nolint:nilerr // what can be no tag is no release of one
	}
	r, err := v.releaseAt(ctx, "refs/tags/"+tag)
	if err != nil || r == nil || !survey.KnowsRows(v.stack, []matrix.Release{*r}) {
		return nil, nil //nolint:nilerr // the list of releases says why
	}
	r.Version = version
	list := []matrix.Release{*r}
	err = dated(ctx, v, list)
	return &list[0], err
}

// releaseAt reads the table at any other ref of the repository.
func (v *view) releaseAt(ctx context.Context, ref string) (*matrix.Release, error) {
	if v.repo == nil {
		return nil, nil
	}
	tree, err := v.repo.Tree(ctx, ref)
	if err != nil {
		return nil, nil //nolint:nilerr // it is no ref either: the caller says what is known
	}
	data, doc, err := matrix.TableOf(v.stack, tree)
	if err != nil {
		return nil, errorf("%s: %s: %w", ref, v.stack.Table.Path, err)
	}
	r := matrix.ReadRelease(v.stack, data, doc, ref)
	return &r, nil
}
