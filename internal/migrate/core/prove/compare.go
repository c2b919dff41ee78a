package prove

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// documents checks the documents of a stream.
func (f *proof) documents(before, after []*node, depth int) error {
	if f.isProject() && len(before) == 1 && len(after) == 1 {
		if err := f.project(before[0], after[0]); err != nil {
			return err
		}
	}
	return f.aligned(before, after, depth)
}

// value checks one value. Name is the key that it belongs to.
func (f *proof) value(name string, b, a *node, depth int) error {
	if b.shape != a.shape || b.tag != a.tag {
		return f.fault(b.pos, "the value is of another type after")
	}
	switch b.shape {
	case scalar:
		if b.value == a.value {
			return nil
		}
		if b.tag == "!!str" || b.tag == "string" { // in dual mode a document in it may change
			return f.embedded(b.value, a.value, b.pos, depth)
		}
		return f.fault(b.pos, "%s became %s", excerpt(b.value, 0), excerpt(a.value, 0))
	case alias:
		if b.value != a.value {
			return f.fault(b.pos, "the alias %q became %q", b.value, a.value)
		}
		return nil
	case sequence:
		return f.sequence(name, b, a, depth)
	}
	return f.mapping(b, a, depth)
}

// lists are the keys of lists of which the rules may change the length.
var lists = []string{"groups", "apigroups", "resources", "versions", "apiversions"}

func isList(name string) bool { return slices.Contains(lists, strings.ToLower(name)) }

// sequence checks a list.
func (f *proof) sequence(name string, b, a *node, depth int) error {
	if slices.ContainsFunc(b.items, isGrant) {
		return f.grants(b, a, depth)
	}
	if isList(name) && !slices.ContainsFunc(append(slices.Clone(b.items), a.items...), notScalar) {
		return f.set(b, a)
	}
	if len(b.items) != len(a.items) {
		return f.aligned(b.items, a.items, depth)
	}
	for i, x := range b.items {
		if err := f.value("", x, a.items[i], depth); err != nil {
			return err
		}
	}
	return nil
}

func notScalar(n *node) bool { return n.shape != scalar }

// set checks a list of names of which the order does not matter: each item
// after is made of one before, and none before is lost.
func (f *proof) set(b, a *node) error {
	before, after := b.texts(), a.texts()
	if slices.Equal(before, after) {
		return nil
	}
	f.moves = f.moves || len(before) != len(after)
	has, had := inSet(after), inSet(before)
	g := f.replacing()
	for i, x := range after {
		if !had[x] && !anyMade(before, i, func(o string) bool { return g.isMade(o, x) }) {
			return f.fault(positionOf(a, i), "no rule makes %q of an item of the list", x)
		}
	}
	for i, x := range before {
		if !has[x] && f.opts.Dual {
			return f.fault(positionOf(b, i), "%q is missing after", x)
		}
		if !has[x] && !anyMade(after, i, func(n string) bool { return f.isMade(x, n) }) {
			return f.fault(positionOf(b, i), "%q is missing after, and nothing that a rule makes of it is in the list", x)
		}
	}
	return nil
}

func inSet(list []string) map[string]bool {
	set := map[string]bool{}
	for _, x := range list {
		set[x] = true
	}
	return set
}

// anyMade asks about the item at the same index, and about those near it.
func anyMade(list []string, i int, is func(string) bool) bool {
	return i < len(list) && is(list[i]) || slices.ContainsFunc(list[max(0, min(i, len(list))-near):min(len(list), i+near)], is)
}

func (f *proof) isMade(old, fresh string) bool {
	_, ok := f.permits(old, fresh, false)
	return ok
}

// positionOf is the position of an item of a list, or of the one scalar.
func positionOf(n *node, i int) source.Position {
	if i < len(n.items) {
		return n.items[i].pos
	}
	return n.pos
}

// mapping checks a mapping: its keys and values, and the object that it is.
func (f *proof) mapping(b, a *node, depth int) error {
	if err := f.object(b, a); err != nil {
		return err
	}
	if f.isShaped(b) {
		f.shaped = true
		return nil
	}
	if isGrant(b) {
		return f.grants(listOf(b), listOf(a), depth)
	}
	return f.fields(b, a, depth, func(string) bool { return true })
}

func listOf(n *node) *node { return &node{shape: sequence, items: []*node{n}, pos: n.pos} }

// fields checks the keys of a mapping and the values of some of them.
func (f *proof) fields(b, a *node, depth int, of func(key string) bool) error {
	if len(b.keys) != len(a.keys) {
		return f.fault(b.pos, "the mapping has %d keys before and %d after", len(b.keys), len(a.keys))
	}
	for i, k := range b.keys {
		if err := f.value("", k, a.keys[i], maxDepth); err != nil {
			return err
		}
		if !of(k.value) && b.items[i].shape == a.items[i].shape {
			continue
		}
		if err := f.value(k.value, b.items[i], a.items[i], depth); err != nil {
			return err
		}
	}
	return nil
}
