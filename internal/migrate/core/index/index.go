// Package index collects what the files of a tree say of its APIs: the plural
// of a kind, the versions of an API, the names of files. Files are read one by
// one and each gives its facts; no tree of a file is kept.
package index

import (
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A Kind says what a fact is about.
type Kind uint8

// The kinds of facts.
const (
	Seen    Kind = iota // an object or reference of Group, Version, Name = kind
	Defined             // a CRD serves Group, Version, Name = kind
	Plural              // Name = plural or singular, Value = kind
	Left                // Name = kind was in Group, and the tree has it in another one now
	Keyed               // a key of a label or annotation has Group
)

// A Fact is what a file says of the tree.
type Fact struct {
	Kind                        Kind
	Group, Version, Name, Value string
}

// Facts are the facts of a tree.
type Facts struct {
	seen    map[string]map[string]map[string]bool // group → kind → versions
	defined map[string]map[string]map[string]bool
	plurals map[string]map[string]string // group → plural → kind
	left    map[string]map[string]map[string]bool
	usual   map[string]map[string]string // group → the usual plural of a kind that is seen → kind
	keyed   map[string]bool              // groups
}

// New makes Facts without any.
func New() *Facts {
	return &Facts{seen: map[string]map[string]map[string]bool{}, defined: map[string]map[string]map[string]bool{},
		plurals: map[string]map[string]string{}, left: map[string]map[string]map[string]bool{}, usual: map[string]map[string]string{}, keyed: map[string]bool{}}
}

// Add adds the facts of one file.
func (f *Facts) Add(list []Fact) {
	for _, x := range list {
		switch x.Kind {
		case Seen:
			note(f.seen, x)
			if f.usual[x.Group] == nil {
				f.usual[x.Group] = map[string]string{}
			}
			for _, kind := range []string{x.Name, strings.TrimSuffix(x.Name, "List")} {
				if kind != "" {
					f.usual[x.Group][rules.Plurals(kind)[0]] = kind
				}
			}
		case Defined:
			note(f.defined, x)
		case Left:
			note(f.left, x)
		case Keyed:
			f.keyed[x.Group] = true
		case Plural:
			if f.plurals[x.Group] == nil {
				f.plurals[x.Group] = map[string]string{}
			}
			if old := f.plurals[x.Group][x.Name]; old == "" || x.Value < old {
				f.plurals[x.Group][x.Name] = x.Value
			}
		}
	}
}

func note(m map[string]map[string]map[string]bool, x Fact) {
	if m[x.Group] == nil {
		m[x.Group] = map[string]map[string]bool{}
	}
	if m[x.Group][x.Name] == nil {
		m[x.Group][x.Name] = map[string]bool{}
	}
	if x.Version != "" {
		m[x.Group][x.Name][x.Version] = true
	}
}

// KindNamed is the kind that has a plural or singular name in a group, "" for
// none.
func (f *Facts) KindNamed(group, name string) string { return f.plurals[group][name] }

// Usual is the kind of the tree that has a usual plural in a group, "" for none.
func (f *Facts) Usual(group, plural string) string { return f.usual[group][plural] }

// Versions are the versions of a group's kind in the tree, sorted: those that
// its CRD serves and those that objects name. For no kind, and for one that the
// tree does not know, those of every kind.
func (f *Facts) Versions(group, kind string) []string {
	set := map[string]bool{}
	for _, m := range []map[string]map[string]map[string]bool{f.seen, f.defined} {
		for k, versions := range m[group] {
			if kind == "" || k == kind || k == "" {
				maps.Copy(set, versions)
			}
		}
	}
	if kind != "" && len(set) == 0 {
		return f.Versions(group, "")
	}
	return slices.Sorted(maps.Keys(set))
}

// Kinds are the kinds of a group in the tree, sorted, with those that left it.
func (f *Facts) Kinds(group string) []string {
	set := map[string]bool{}
	for _, m := range []map[string]map[string]map[string]bool{f.seen, f.defined} {
		for k := range m[group] {
			if k != "" {
				set[k] = true
			}
		}
	}
	all := maps.Clone(set)
	maps.DeleteFunc(set, func(k string, _ bool) bool { // the list of a kind, unless it is one: ImageList
		stem, list := strings.CutSuffix(k, "List")
		return list && all[stem] && f.defined[group][k] == nil
	})
	for k := range f.left[group] {
		if len(set) > 0 && k != "" {
			set[k] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// Keyed says whether a key of a label or annotation of the tree has a group.
func (f *Facts) Keyed(group string) bool { return f.keyed[group] }

// Left are the kinds that were in a group and are in another one now, sorted.
func (f *Facts) Left(group string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f.left[group])), func(kind string) bool { return kind == "" })
}

// LeftWith says whether a kind that left a group has a version where it is now; any kind for "".
func (f *Facts) LeftWith(group, kind, version string) bool {
	for k, versions := range f.left[group] {
		if (kind == "" || k == kind) && versions[version] {
			return true
		}
	}
	return false
}

// Plurals are the plural and singular names that a kind of a group has in the tree, sorted.
func (f *Facts) Plurals(group, kind string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f.plurals[group])), func(name string) bool { return f.plurals[group][name] != kind })
}

// Shows says whether the tree names a kind of a group in a version.
func (f *Facts) Shows(group, version string) bool {
	for kind, versions := range f.seen[group] {
		if kind != "" && versions[version] {
			return true
		}
	}
	return false
}

// Owned says whether the tree has a CRD of a group.
func (f *Facts) Owned(group string) bool { return len(f.defined[group]) > 0 }

// Serves are the versions that the CRD of a kind in the tree serves; nil where
// there is none.
func (f *Facts) Serves(group, kind string) []string {
	if m, ok := f.defined[group][kind]; ok {
		return slices.Sorted(maps.Keys(m))
	}
	return nil
}
