package matrix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Skipped is a tag whose table could not be read, or has another version of the root, and why.
type Skipped struct {
	Tag    string
	Reason string
}

// History reads the table of every release tag, oldest first. Tags that are no
// releases, or have no usable table, are skipped with the reason.
func History(ctx context.Context, s *stack.Stack, past Past) ([]Release, []Skipped, error) {
	tags, err := past.Tags(ctx)
	if err != nil {
		return nil, nil, err
	}
	var releases []Release
	var skipped []Skipped
	root := s.RootComponent()
	for _, tag := range releaseTags(root, tags) {
		data, doc, err := tableAt(ctx, s, past, tag)
		if broken, ok := errors.AsType[*stack.TableError](err); ok {
			skipped = append(skipped, Skipped{tag, broken.Error()})
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		v, _ := root.VersionOfTag(tag)
		r := ReadRelease(s, data, doc, v)
		if strings.TrimPrefix(r.Version, "v") != strings.TrimPrefix(v, "v") {
			skipped = append(skipped, Skipped{tag, "read as " + v + ", but its table says that " + root.Name + " is " + r.Version})
		}
		r.Version = v
		releases = append(releases, r)
	}
	for _, tag := range tags {
		if _, ok := root.VersionOfTag(tag); !ok {
			skipped = append(skipped, Skipped{tag, "is no release tag " + root.Tag})
		}
	}
	return releases, skipped, nil
}

// releaseTags are the tags of releases, oldest first.
func releaseTags(root *stack.Component, tags []string) []string {
	list := slices.DeleteFunc(slices.Clone(tags), func(tag string) bool {
		_, ok := root.VersionOfTag(tag)
		return !ok
	})
	slices.SortFunc(list, func(a, b string) int {
		va, _ := root.VersionOfTag(a)
		vb, _ := root.VersionOfTag(b)
		return semver.Compare(va, vb)
	})
	return list
}

// tableAt reads the table at a tag; without a usable one the error is a
// *stack.TableError.
func tableAt(ctx context.Context, s *stack.Stack, past Past, tag string) ([]byte, *stack.Doc, error) {
	tree, err := past.Tree(ctx, tag)
	if err != nil {
		return nil, nil, err
	}
	return TableOf(s, tree)
}

// TableOf reads the table of a tree; without a usable one the error is a
// *stack.TableError.
func TableOf(s *stack.Stack, tree fs.FS) ([]byte, *stack.Doc, error) {
	data, err := ReadFile(tree, s.Table.Path)
	if err != nil {
		return nil, nil, err
	}
	if data == nil {
		return nil, nil, &stack.TableError{Absent: true, Err: fmt.Errorf("there is no %s", s.Table.Path)}
	}
	doc, err := s.Table.Parse(data)
	return data, doc, err
}

// Adopt declares a stack from the tables of a repository that has no
// declaration: a component for each name that a row ever had, with the
// repository that its links lead to. The root is the component whose version
// is the tag's in most tables.
func Adopt(ctx context.Context, table stack.Table, past Past) (*stack.Stack, error) {
	tags, err := past.Tags(ctx)
	if err != nil {
		return nil, err
	}
	s, err := adoptable(table, tags)
	if err != nil {
		return nil, err
	}
	var a adopted
	own := map[string]int{} // how often the row's version was the tag
	for _, tag := range releaseTags(s.RootComponent(), tags) {
		_, doc, err := tableAt(ctx, s, past, tag)
		if _, ok := errors.AsType[*stack.TableError](err); ok {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, r := range doc.Rows {
			a.add(r)
			if r.Value == tag || "v"+r.Value == tag {
				own[r.Name]++
			}
		}
	}
	if len(a.components) == 0 {
		return nil, fmt.Errorf("no release tag has a table with the columns %s and %s", s.Table.Component, s.Table.Version)
	}
	root := slices.MaxFunc(a.components, func(a, b stack.Component) int { return own[a.Title] - own[b.Title] })
	return a.stack(s, root.Name)
}

// adoptable is a stack without components but a root, which reads a table. Where most of the tags
// that are versions have no v, those of its root have none.
func adoptable(table stack.Table, tags []string) (*stack.Stack, error) {
	root, bare := stack.Component{Name: "root"}, 0
	for _, tag := range tags {
		if semver.IsValid(tag) {
			bare--
		} else if versions.IsVersion("v" + tag) {
			bare++
		}
	}
	if bare > 0 {
		root.Tag, root.Reason = versions.Placeholder, "tagged without a v"
	}
	s := &stack.Stack{Table: table, Components: []stack.Component{root}, Root: "root"}
	return s, s.Complete("")
}

// AdoptTree declares a stack from the table of one tree, whose first row is the
// root: a table of one row, or of rows without a version, declares none. Tags are those of
// its repository, which tell how the root is tagged; nil = with a v.
func AdoptTree(table stack.Table, tree fs.FS, tags []string) (*stack.Stack, error) {
	s, err := adoptable(table, tags)
	if err != nil {
		return nil, err
	}
	_, doc, err := TableOf(s, tree)
	if broken, ok := errors.AsType[*stack.TableError](err); ok && broken.Under != "" && table.Under == "" {
		table.Under = broken.Under
		return AdoptTree(table, tree, tags)
	}
	if err != nil {
		return nil, err
	}
	var a adopted
	for _, r := range doc.Rows {
		if !semver.IsValid("v" + strings.TrimPrefix(r.Value, "v")) {
			return nil, fmt.Errorf("%s: %q of %s is not a version", s.Table.Path, r.Value, r.Name)
		}
		a.add(r)
	}
	if len(a.components) < 2 {
		return nil, fmt.Errorf("%s: the table has %d components", s.Table.Path, len(a.components))
	}
	return a.stack(s, a.components[0].Name)
}

// What was adopted: a component for each name of a row, and its row.
type adopted struct {
	components []stack.Component
	rows       []stack.Place
}

// add takes the component of a row, or what a newer row says of it.
func (a *adopted) add(r stack.Row) {
	name := stack.Slug(r.Name)
	if name == "" {
		return
	}
	i := slices.IndexFunc(a.components, func(c stack.Component) bool { return c.Name == name })
	if i < 0 {
		i = len(a.components)
		a.components = append(a.components, stack.Component{Name: name, Title: r.Name})
		a.rows = append(a.rows, stack.Place{Component: name, Kind: "table-row"})
	}
	if home := cmp.Or(r.Repo, r.Home); home != "" {
		a.components[i].Repository = home
	}
	number := strings.TrimPrefix(r.Value, "v")
	if before, after, ok := strings.Cut(r.LinkTag, number); ok && semver.IsValid("v"+number) {
		a.components[i].Tag, a.components[i].Reason = "", ""
		if tag := before + "{version}" + after; tag != "v{version}" {
			a.components[i].Tag, a.components[i].Reason = tag, "as the links of the table"
		}
	}
	a.rows[i].Forms = nil
	if semver.IsValid("v" + r.Value) {
		a.rows[i].Forms = stack.PlainForms
	}
}

// stack completes a stack of which every component has a row.
func (a *adopted) stack(s *stack.Stack, root string) (*stack.Stack, error) {
	i := slices.IndexFunc(a.components, func(c stack.Component) bool { return c.Name == root })
	a.components[i].Tag, a.components[i].Reason = s.RootComponent().Tag, s.RootComponent().Reason
	s.Components, s.Places, s.Root = a.components, append(s.Places, a.rows...), root
	return s, s.Complete("")
}
