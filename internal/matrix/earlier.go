package matrix

import (
	"errors"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/stack"
)

// An earlierTable is the table of an earlier release, read when it is needed.
type earlierTable struct {
	tag      string
	read     bool
	versions map[string]string // by name of the row: the first one's version
}

// earlier lists the releases before this one, nearest first. With Against it
// is that one alone.
func (p *pass) earlier() ([]*earlierTable, error) {
	if p.Against != "" {
		return []*earlierTable{{tag: p.Against}}, nil
	}
	this := p.version()
	if this == "" {
		return nil, nil
	}
	tags, err := p.Past.Tags(p.ctx)
	if err != nil {
		return nil, err
	}
	tags = releasesBelow(p.Stack.RootComponent(), tags, this)
	list := make([]*earlierTable, 0, len(tags))
	for _, tag := range tags {
		list = append(list, &earlierTable{tag: tag})
	}
	return list, nil
}

// releasesBelow are the tags of releases of lower precedence, highest first.
func releasesBelow(root *stack.Component, tags []string, version string) []string {
	type release struct{ tag, version string }
	var below []release
	for _, tag := range tags {
		if v, ok := root.VersionOfTag(tag); ok && semver.Compare(v, version) < 0 {
			below = append(below, release{tag, v})
		}
	}
	slices.SortFunc(below, func(a, b release) int { return semver.Compare(b.version, a.version) })
	names := make([]string, 0, len(below))
	for _, r := range below {
		names = append(names, r.tag)
	}
	return names
}

// before finds the row in the nearest of the earlier tables that has it with a
// semantic version. None is an empty version.
func (p *pass) before(earlier []*earlierTable, name string) (tag, version string, err error) {
	for _, e := range earlier {
		if !e.read {
			if e.versions, err = p.versionsAt(e.tag); err != nil {
				return "", "", err
			}
			e.read = true
		}
		if v := e.versions[name]; stack.IsVersion(v) {
			return e.tag, v, nil
		}
	}
	return "", "", nil
}

// versionsAt reads the table of a tag; a tag without a usable one has no versions.
func (p *pass) versionsAt(tag string) (map[string]string, error) {
	tree, err := p.Past.Tree(p.ctx, tag)
	if err != nil {
		return nil, err
	}
	data, err := read(tree, p.Stack.Table.Path)
	if err != nil {
		return nil, err
	}
	doc, err := p.Stack.Table.Parse(data)
	if _, ok := errors.AsType[*stack.TableError](err); ok {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for _, r := range rowsOf(p.Stack, &p.Stack.Table, data, doc) {
		if _, ok := versions[r.Name]; !ok {
			versions[r.Name] = r.Value
		}
	}
	return versions, nil
}
