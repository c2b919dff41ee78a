package core

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// steadyOf are the groups that stay the same in every rule, with their versions that change.
func steadyOf(t *rules.Table) map[string][]string {
	steady := map[string][]string{}
	for _, g := range t.Groups() {
		if versions, ok := t.RulesOf(g).Steps(); ok {
			steady[g] = versions
		}
	}
	return steady
}

// apart says whether a name that no rule changes is of a group of which only versions or kinds
// change, without such a version. It is no old name, and in no report.
func (m *meaning) apart(k rules.Known) bool {
	versions, ok := m.steady[k.Group]
	return ok && !slices.ContainsFunc(k.Versions, func(v string) bool { return slices.Contains(versions, v) })
}

// settled says whether no rule changes the apiVersion of an object, and nothing is to say of it,
// whatever the tree has.
func (c *fileReader) settled(r *refs.Ref, x *ref) bool {
	k := r.Known
	return c.f.Format != "go" && r.Leaf.Kind == syntax.Entry && refs.IsAPIVersion(r.Label) && r.Token.Form == names.Versioned && !r.CRD && r.Rule == nil &&
		!k.Open && len(k.Versions) == 1 && len(k.Kinds) == 1 && !byHand(x.verdict) && c.stays(k)
}

// stays says whether no rule changes an object of one version and kind.
func (m *meaning) stays(k rules.Known) bool {
	return m.renamed[k.Kinds[0]] == nil && m.apart(k) && !slices.ContainsFunc(m.table.Answers(k), func(a rules.Answer) bool { return !a.Stays() })
}

// Settled are the facts of a file in which each name of the rules is the apiVersion of an object
// that no rule changes, or the item of a list that names a group without a version, all spelled
// plainly. It is false for any other file. Such files need not be read: they are most of those that
// name an API of which old versions alone change.
func (c *Core) Settled(name string, data []byte) (list []index.Fact, ok bool) {
	if len(c.steady) == 0 || path.Ext(name) == ".go" || suppressions.Match(data) || syntax.MayEscape(data) {
		return nil, false
	}
	for _, part := range text.Parts(name, data) {
		facts, ok := c.settledIn(part.Of(data))
		if !ok {
			return nil, false
		}
		list = append(list, facts...)
	}
	return list, true
}

// settledIn are the facts of one document or block, as those of Settled.
func (c *Core) settledIn(b []byte) (list []index.Fact, ok bool) {
	at, _ := c.sure.Index(b, 0)
	if at < 0 {
		return nil, true
	}
	api, object := text.Field(b, "apiVersion: ")
	kind, _ := text.Field(b, "kind: ")
	listed := sync.OnceValue(func() bool { return !bytes.Contains(b, []byte("{{")) && !c.changes.Match(b) })
	for ; at >= 0; at, _ = c.sure.Index(b, at) {
		from := text.LineStart(b, at)
		end, next := text.LineEnd(b, at, len(b))
		if item, ok := strings.CutPrefix(strings.TrimLeft(string(b[from:end]), " "), "- "); ok && listed() && c.apart(rules.Known{Group: strings.Trim(item, "\"'")}) {
			at = next
			continue
		}
		group, version, _ := strings.Cut(api, "/")
		if object.Start != from || kind == "" || !names.IsVersion(version) || !c.stays(rules.Known{Group: group, Versions: []string{version}, Kinds: []string{kind}}) {
			return nil, false
		}
		list, at = append(list, index.Fact{Kind: index.Seen, Group: group, Version: version, Name: kind}), next
	}
	return list, true
}

// Concerns says whether a file may hold something that the rules are about.
func (c *Core) Concerns(name string, data []byte) bool {
	if c.sure.Match(data) || c.names.Match([]byte(name)) {
		return true
	}
	v := syntax.Plain(data)
	return v != nil && c.sure.Match(v.B)
}
