package migrate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/project-codeflare/cfctl/internal/source"
)

// maxPermissions is how many permissions of one list of rules are compared.
const maxPermissions = 1 << 16

// A grantList is a list of rules for permissions or of a webhook in a YAML file, on lines
// that have nothing else.
type grantList struct {
	from, to int // its lines
	allows   []string
}

// grantLists are the lists of rules in a file, in its order; none where it is not YAML.
func grantLists(data []byte) []grantList {
	var lists []grantList
	for d := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var doc yaml.Node
		if err := d.Decode(&doc); err != nil {
			if !errors.Is(err, io.EOF) {
				return nil
			}
			return lists
		}
		var visit func(n *yaml.Node)
		visit = func(n *yaml.Node) {
			if allows := allowed(n); len(allows) > 0 {
				lists = append(lists, grantList{n.Line - 1, lastLine(n), allows})
				return
			}
			for _, k := range n.Content {
				visit(k)
			}
		}
		visit(&doc)
	}
}

func lastLine(n *yaml.Node) int {
	last := n.Line
	for _, k := range n.Content {
		last = max(last, lastLine(k))
	}
	return last
}

// allowed is what a list of rules allows, sorted: each combination of the items of a
// rule's lists. It is nil for any other node, and for a list that shares its lines.
func allowed(n *yaml.Node) (all []string) {
	var rules []map[string]any
	if n.Kind != yaml.SequenceNode || n.Style&yaml.FlowStyle != 0 || n.Decode(&rules) != nil {
		return nil
	}
	for _, rule := range rules {
		if rule["apiGroups"] == nil && rule["nonResourceURLs"] == nil {
			return nil
		}
		list := []string{""}
		for _, key := range slices.Sorted(maps.Keys(rule)) {
			items, ok := rule[key].([]any)
			if !ok {
				items = []any{rule[key]}
			}
			if len(all)+len(list)*len(items) > maxPermissions {
				return nil
			}
			var next []string
			for _, m := range list {
				for _, x := range items {
					next = append(next, fmt.Sprintf("%s %s=%#v", m, key, x))
				}
			}
			list = next
		}
		all = append(all, list...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sameGrants returns the expected lines of a file with the lists of rules that it has
// now in place of those that allow the same.
func sameGrants(want, got [][]byte) [][]byte {
	if !slices.ContainsFunc(want, func(l []byte) bool { return bytes.Contains(l, []byte("apiGroups:")) }) {
		return want
	}
	expected, now := grantLists(bytes.Join(want, nil)), grantLists(bytes.Join(got, nil))
	if len(expected) != len(now) {
		return want
	}
	for i := len(now) - 1; i >= 0; i-- {
		w, g := expected[i], now[i]
		if slices.Equal(w.allows, g.allows) && slices.Equal(comments(want[w.from:w.to]), comments(got[g.from:g.to])) {
			want = slices.Concat(want[:w.from], got[g.from:g.to], want[w.to:])
		}
	}
	return want
}

// comments are the lines of a list that have a comment, sorted.
func comments(lines [][]byte) []string {
	var list []string
	for _, l := range lines {
		if bytes.IndexByte(l, '#') >= 0 {
			list = append(list, string(bytes.TrimSpace(l)))
		}
	}
	slices.Sort(list)
	return list
}

// granted are the lines of a file of the head, from 1, of which the migration only
// repeats what other rules of the same list allow.
func (c *comparison) granted(f *File) map[int]bool {
	lines := map[int]bool{}
	data, err := fs.ReadFile(c.head, f.Path)
	if err != nil || f.Format != "yaml" || !f.Changes() {
		return lines
	}
	planned, err := source.Apply(data, f.Edits(data))
	if err != nil {
		return lines
	}
	before, after := grantLists(data), grantLists(planned)
	for i, b := range before {
		if len(before) == len(after) && slices.Equal(b.allows, after[i].allows) {
			for l := b.from; l < b.to; l++ {
				lines[l+1] = true
			}
		}
	}
	return lines
}
