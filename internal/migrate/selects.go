package migrate

import (
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What a selector of kustomize takes stands in the resources of its kustomization: where
// each object of the kind moves, the selector moves with them.

// A selection is what a selector may take of a tree.
type selection struct {
	m       *Migration
	others  Others
	plan    map[string]*File
	kind    string
	site    Site
	seen    map[string]bool // kustomizations and files
	moves   int             // objects of the kind that become the new version, or are of it
	later   int             // those of them that are beside what was named, and not written
	stays   int             // those that keep the old one
	foreign int             // those of other groups, or of no version of the rules
	open    bool            // there may be more
}

// selects settles the versions that kustomizations name beside a kind and no group.
func (m *Migration) selects(files []*File, others Others) {
	var plan map[string]*File
	for _, f := range files {
		if f.selects == nil || f.outside || f.Skip != nil {
			continue
		}
		if plan == nil {
			plan = map[string]*File{}
			for _, f := range files {
				plan[f.Path] = f
			}
		}
		data, err := others.ReadFile(f.Path)
		if err != nil {
			continue
		}
		f.Sites = slices.DeleteFunc(slices.Clone(f.Sites), func(s Site) bool {
			c := m.selection(f, s, data, plan, others)
			return c != nil && c.moves+c.stays == 0 && c.foreign > 0 && !c.open
		})
		for i, s := range f.Sites {
			c := m.selection(f, s, data, plan, others)
			if c == nil || c.open || c.foreign > 0 || c.moves > 0 && c.stays > 0 {
				continue
			}
			f.Sites[i] = s.with(c.settled(data))
		}
	}
}

// settled is what becomes of a version that selects objects which move alike.
func (c *selection) settled(data []byte) edit.Outcome {
	o := c.site.Outcome
	fresh := o.New
	o.Hint = ""
	switch {
	case c.later > 0:
		return o.Keep("selected", "the objects that it selects are not all of this run")
	case c.stays > 0:
		return o.Keep("selected", "the objects that it selects stay")
	case c.moves == 0:
		return c.site.Outcome
	}
	e, err := text.Whole(data).Edit(o.Span, o.Old, fresh)
	if err != nil {
		return c.site.Outcome
	}
	o.Reason, o.Why = "", ""
	return o.Write(e)
}

// selection is what the selector around a version takes; nil for any other site.
func (m *Migration) selection(f *File, s Site, data []byte, plan map[string]*File, others Others) *selection {
	if s.Role != find.RoleVersion || s.Reason != "no-group" || s.Action() != edit.Person {
		return nil
	}
	for _, doc := range text.Documents(data, false) {
		if s.Start < doc.Start || s.End > doc.End {
			continue
		}
		t := text.ScanPart(data, doc, false, text.HasTemplate(doc.Of(data)))
		n, _ := t.At(s.Start)
		if n < 0 {
			return nil
		}
		c := &selection{m: m, others: others, plan: plan, kind: t.Text(t.Value(t.Nodes[n].Parent, "kind")), site: s, seen: map[string]bool{}}
		c.open = text.HasTemplate(data) || t.Text(n) != s.Old || !rules.KindName.MatchString(c.kind) || !c.matches(t.Text(t.Value(t.Nodes[n].Parent, "group")))
		for _, at := range f.selects {
			c.folder(path.Dir(at))
		}
		return c
	}
	return nil
}

// matches says whether an expression for a group, "" for none, matches the one that the objects
// get.
func (c *selection) matches(group string) bool {
	return group == "" || slices.ContainsFunc(c.m.rules.Groups(), func(from string) bool {
		return c.leads(from, from) && matchesGroup(group, c.m.rules.Ask(rules.GVK{Group: from, Version: c.site.Old, Kind: c.kind}).To.Group)
	})
}

// folder counts the objects of a kustomization in a folder; it says false for a folder
// that has none.
func (c *selection) folder(dir string) bool {
	for _, base := range kustomizations {
		at := path.Join(dir, base)
		data, err := c.others.ReadFile(at)
		if err != nil {
			continue
		}
		if c.seen[at] {
			return true
		}
		c.seen[at] = true
		c.open = c.open || text.HasTemplate(data) || generates(data)
		for _, name := range kustomized(data, "resources", "bases", "components") {
			if at := path.Join(dir, name); !c.folder(at) {
				c.file(at)
			}
		}
		return true
	}
	return false
}

// generates says whether a kustomization makes objects that stand nowhere, or changes them by
// programs.
// Source: sigs.k8s.io/kustomize/api/types, Kustomization.
func generates(data []byte) bool {
	t := text.ScanYAML(data, 0, len(data), false)
	return slices.ContainsFunc([]string{"helmCharts", "helmChartInflationGenerator", "generators", "transformers"}, func(key string) bool { return t.Value(-1, key) >= 0 })
}

// file counts the objects of a file.
func (c *selection) file(name string) {
	data, err := c.others.ReadFile(name)
	if err != nil || text.HasTemplate(data) {
		c.open = true // it is elsewhere
		return
	}
	if c.seen[name] {
		return
	}
	c.seen[name] = true
	for _, doc := range documentsOf(data) {
		content := doc.Of(data)
		kind, at := string(topValue(content, "kind:").Of(content)), topValue(content, "apiVersion:")
		switch {
		case kind == c.kind:
			c.object(name, string(at.Of(content)), text.SpanOf(doc.Start+at.Start, doc.Start+at.End))
		case strings.HasSuffix(kind, "List"):
			c.open = true
		}
	}
}

// object counts an object of the kind, with its apiVersion.
func (c *selection) object(name, is string, at source.Span) {
	group, version, _ := strings.Cut(is, "/")
	f := c.plan[name]
	switch {
	case version == c.site.Old && c.leads(group, group):
		if f != nil && f.After() != "" && slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Action() == Change && s.Start <= at.Start && at.End <= s.End }) {
			c.moves++
			if f.outside {
				c.later++
			}
		} else {
			c.stays++
		}
	case version == c.site.New && slices.ContainsFunc(c.m.rules.Groups(), func(from string) bool { return c.leads(from, group) }):
		c.moves++
	default:
		c.foreign++
	}
}

// leads says whether the rules make the new version of the old one, of the same kind: from a
// group, to another one or, where both are the same, anywhere.
func (c *selection) leads(from, to string) bool {
	a := c.m.rules.Ask(rules.GVK{Group: from, Version: c.site.Old, Kind: c.kind})
	return a.Outcome == rules.Moves && a.To.Version == c.site.New && a.To.Kind == c.kind && (from == to || a.To.Group == to)
}
