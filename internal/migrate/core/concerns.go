package core

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source/find"
)

// Most files that name a group of Kubernetes name versions and kinds of it that no rule is
// about. They are told apart before they are read.

// concerns says which files may hold a name that the rules are about.
type concerns struct {
	sure   *find.Finder // of what a file holds that is read
	steady *names.Versions
	marks  map[string]marks // of the groups that stay the same in every rule

	mu    sync.Mutex
	facts map[index.Fact]bool // of the objects in files that are not read
}

// marks are what a file holds in which something of such a group changes.
type marks struct {
	versions []string
	names    *find.Finder // of the versions, and kinds with their resources
	kinds    *find.Finder
}

// concernsOf are the concerns of a Core; others are its needles that are not of a group.
func (c *Core) concernsOf(others []string) *concerns {
	x := &concerns{marks: map[string]marks{}, facts: map[index.Fact]bool{}}
	var groups []string
	for _, g := range c.table.Groups() {
		if versions, kinds, ok := c.table.Marks(g); ok {
			groups = append(groups, g)
			x.marks[g] = marks{versions, find.New(slices.Concat(versions, kinds, []string{"CustomResourceDefinition"})), find.New(kinds)}
		}
	}
	x.steady = c.names.Versions(groups)
	x.sure = find.New(slices.Concat(c.names.NeedlesOf(func(g string) bool { _, ok := x.marks[g]; return !ok }), others))
	return x
}

// apart says whether a name that no rule changes is of a group of which only versions or kinds
// change, without such a version. It is no old name, and in no report.
func (x *concerns) apart(k rules.Known) bool {
	m, ok := x.marks[k.Group]
	return ok && !slices.ContainsFunc(k.Versions, func(v string) bool { return slices.Contains(m.versions, v) })
}

// Concerns says whether a file may hold something that the rules are about. Of the objects
// in another file it notes the facts.
func (c *Core) Concerns(name string, data []byte) bool {
	if c.concern(name, data) {
		return true
	}
	v := syntax.Plain(data)
	return v != nil && c.concern(name, v.B)
}

func (c *Core) concern(name string, data []byte) bool {
	if c.concerns.sure.Match(data) || c.names.Match([]byte(name)) {
		return true
	}
	if len(c.concerns.marks) == 0 || path.Ext(name) == ".go" { // a package is read as a whole
		return c.names.Match(data)
	}
	var facts []index.Fact
	found := c.concerns.in(data, func(f index.Fact) { facts = append(facts, f) })
	if ext := path.Ext(name); found && (ext == ".yaml" || ext == ".yml") { // no object is in two documents
		found = slices.ContainsFunc(bytes.Split(data, []byte("\n---")), func(doc []byte) bool { return c.concerns.in(doc, func(index.Fact) {}) })
	}
	if !found && len(facts) > 0 {
		c.concerns.note(facts, func() bool { return c.KeepsFile(name, data) })
	}
	return found
}

// Facts are the facts of the objects in files that do not concern the rules.
func (c *Core) Facts() []index.Fact { return slices.Collect(maps.Keys(c.concerns.facts)) }

// note notes facts of a file that is not kept.
func (x *concerns) note(facts []index.Fact, kept func() bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	facts = slices.DeleteFunc(facts, func(f index.Fact) bool { return x.facts[f] })
	if len(facts) > 0 && !kept() {
		for _, f := range facts {
			x.facts[f] = true
		}
	}
}

// in says whether something of a steady group may change in a text, and notes its objects
// up to there.
func (x *concerns) in(text []byte, note func(index.Fact)) bool {
	apart, found := x.steady.In(text, func(group, version string, at int) bool {
		m := x.marks[group]
		if version == "" || slices.Contains(m.versions, version) || m.kinds.Match(text) {
			return true
		}
		if kind, ok := kindAt(text, at); ok {
			note(index.Fact{Kind: index.Seen, Group: group, Version: version, Name: kind})
		}
		return false
	})
	return found || slices.ContainsFunc(apart, func(g string) bool { return x.marks[g].names.Match(text) })
}

// kindAt is the kind of an object of which the apiVersion is at an offset; "" where it is
// not in the line before or after. It is false where no apiVersion is there.
func kindAt(text []byte, at int) (kind string, ok bool) {
	begin := bytes.LastIndexByte(text[:at], '\n') + 1
	if string(field(text[begin:at], "apiVersion")) == string(text[begin:at]) {
		return "", false
	}
	end := at + max(0, bytes.IndexByte(text[at:], '\n')) + 1
	after, _, _ := bytes.Cut(text[end:], []byte("\n"))
	before := text[:max(0, begin-1)]
	for _, line := range [][]byte{after, before[bytes.LastIndexByte(before, '\n')+1:]} {
		if rest := field(line, "kind"); len(rest) < len(line) {
			return string(bytes.Trim(rest, " \t\r\"',")), true
		}
	}
	return "", true
}

// field is the value in a line of a field; the line where it is no such line.
func field(line []byte, name string) []byte {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t-\"'"), []byte(name))
	if !ok {
		return line
	}
	rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, "\"'"), []byte(":"))
	if !ok {
		return line
	}
	return rest
}
