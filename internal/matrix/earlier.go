package matrix

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// earlier lists the tags of the releases before this one, nearest first. With Against
// it is that one alone.
func (p *pass) earlier(ctx context.Context) (tags []string, err error) {
	if p.Against != "" {
		return []string{p.Against}, nil
	}
	this := p.version()
	if this == "" {
		return nil, nil
	}
	all, err := p.Past.Tags(ctx)
	root := p.Stack.RootComponent()
	for _, tag := range slices.Backward(releaseTags(root, all)) {
		if v, _ := root.VersionOfTag(tag); semver.Compare(v, this) < 0 {
			tags = append(tags, tag)
		}
	}
	return tags, err
}

// before finds the row in the nearest of the earlier tables that has it with a
// semantic version. None is an empty version. Tables are read when they are needed.
func (p *pass) before(ctx context.Context, earlier []string, name string) (tag, version string, err error) {
	if p.past == nil {
		p.past = map[string]map[string]string{}
	}
	for _, tag := range earlier {
		if p.past[tag] == nil {
			if p.past[tag], err = p.versionsAt(ctx, tag); err != nil {
				return "", "", err
			}
		}
		if v := p.past[tag][name]; versions.IsVersion(v) {
			return tag, v, nil
		}
	}
	return "", "", nil
}

// versionsAt are the versions of the table of a tag, by name of the row: the first
// one's. A tag without a usable table has none.
func (p *pass) versionsAt(ctx context.Context, tag string) (map[string]string, error) {
	versions := map[string]string{}
	data, doc, err := tableAt(ctx, p.Stack, p.Past, tag)
	if _, ok := errors.AsType[*stack.TableError](err); ok {
		return versions, nil
	}
	if err != nil {
		return nil, err
	}
	for _, r := range slices.Backward(rowsOf(p.Stack, &p.Stack.Table, data, doc)) {
		versions[r.Name] = r.Value
	}
	return versions, nil
}
