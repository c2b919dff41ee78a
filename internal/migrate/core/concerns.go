package core

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source/find"
)

// Most files that name a group of Kubernetes name versions and kinds of it that no rule is
// about. They are told apart before they are read.

// concerns says which files may hold a name that the rules are about.
type concerns struct {
	sure    *find.Finder            // of what a file holds that is read
	groups  *find.Finder            // of the groups that stay the same in every rule
	of      map[string][]string     // these groups, by what is found
	changes map[string]*find.Finder // of such a group: of what is in a document in which something of it changes
	steps   map[string][]string     // of such a group: the versions that change

	mu    sync.Mutex
	facts map[index.Fact]bool // of the objects in files that are not read
}

// concernsOf are the concerns of a Core; others are its needles that are not of a group.
func (c *Core) concernsOf(others []string) *concerns {
	x := &concerns{of: map[string][]string{}, changes: map[string]*find.Finder{}, steps: map[string][]string{}, facts: map[index.Fact]bool{}}
	var spelled []string
	for _, g := range c.table.Groups() {
		versions, kinds, ok := c.table.Marks(g)
		if !ok {
			continue
		}
		list := slices.Concat(versions, kinds, []string{"CustomResourceDefinition"})
		for _, filled := range []string{"{", "$", "%", "<", "*", "(", `"`, "'", "`"} { // a version that is filled in
			list = append(list, g+"/"+filled)
		}
		x.steps[g], x.changes[g] = versions, find.New(list)
		spelled = append(spelled, c.names.NeedlesOf(func(of string) bool { return of == g })...)
	}
	x.groups = find.New(spelled)
	for _, needle := range x.groups.Needles() { // authorization.k8s.io is in rbac.authorization.k8s.io
		for g := range x.changes {
			if slices.ContainsFunc(c.names.NeedlesOf(func(of string) bool { return of == g }), func(s string) bool { return strings.Contains(s, needle) }) {
				x.of[needle] = append(x.of[needle], g)
			}
		}
	}
	x.sure = find.New(slices.Concat(c.names.NeedlesOf(func(g string) bool { return x.changes[g] == nil }), others))
	return x
}

// apart says whether a name that no rule changes is of a group of which only versions or kinds
// change, without such a version. It is no old name, and in no report.
func (x *concerns) apart(k rules.Known) bool {
	return x.changes[k.Group] != nil && !slices.ContainsFunc(k.Versions, func(v string) bool { return slices.Contains(x.steps[k.Group], v) })
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
	if len(c.concerns.changes) == 0 || path.Ext(name) == ".go" { // a package is read as a whole
		return c.names.Match(data)
	}
	if !c.concerns.groups.Match(data) {
		return false
	}
	docs := [][]byte{data}
	if ext := path.Ext(name); ext == ".yaml" || ext == ".yml" { // no object is in two documents
		docs = bytes.Split(data, []byte("\n---"))
	}
	if slices.ContainsFunc(docs, c.concerns.in) {
		return true
	}
	c.concerns.note(data, func() bool { return c.KeepsFile(name, data) })
	return false
}

// object is the begin of an object.
var object = lazyregexp.New(`(?m)^[ \t-]*["']?apiVersion["']?:\s*["']?([\w.-]+)/(v\w+)["']?,?\s*\n[ \t]*["']?kind["']?:\s*["']?(\w+)`)

// note notes the facts of the objects of a file that is not read, unless it is kept.
func (x *concerns) note(data []byte, kept func() bool) {
	var facts []index.Fact
	for _, m := range object.FindAllSubmatch(data, -1) {
		if f := (index.Fact{Kind: index.Seen, Group: string(m[1]), Version: string(m[2]), Name: string(m[3])}); x.changes[f.Group] != nil {
			facts = append(facts, f)
		}
	}
	if len(facts) > 0 && !kept() {
		x.mu.Lock()
		defer x.mu.Unlock()
		for _, f := range facts {
			x.facts[f] = true
		}
	}
}

// Facts are the facts of the objects in files that do not concern the rules.
func (c *Core) Facts() []index.Fact { return slices.Collect(maps.Keys(c.concerns.facts)) }

// in says whether something of a steady group may change in a text.
func (x *concerns) in(text []byte) bool {
	var hits []string
	x.groups.Each(text, func(needle string) {
		if !slices.Contains(hits, needle) {
			hits = append(hits, needle)
		}
	})
	return slices.ContainsFunc(hits, func(needle string) bool {
		return slices.ContainsFunc(x.of[needle], func(g string) bool { return x.changes[g].Match(text) })
	})
}
