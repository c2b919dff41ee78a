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
	root := p.Stack.RootComponent()
	var list []*earlierTable
	for _, tag := range slices.Backward(releaseTags(root, tags)) {
		if v, _ := root.VersionOfTag(tag); semver.Compare(v, this) < 0 {
			list = append(list, &earlierTable{tag: tag})
		}
	}
	return list, nil
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
	data, doc, err := tableAt(p.ctx, p.Stack, p.Past, tag)
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
