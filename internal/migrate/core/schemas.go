package core

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// The CRDs of a tree say which fields a version has. An object that has a field
// which its new version lacks, and its old one has, is no object of the new one.

// A schema is the fields of an object. What it says nothing about may be anything.
type schema struct {
	open   bool // it may have any field
	fields map[string]*schema
	items  *schema
}

// maxFields bounds the fields of an object that are compared.
const maxFields = 2000

// schemasIn notes the schemas of the versions of a CRD.
func (f *File) schemasIn(crd *syntax.Node, group string) {
	kind := crd.Find("spec", "names", "kind")
	versions := crd.Find("spec", "versions")
	if kind == nil || versions == nil {
		return
	}
	for _, v := range versions.Kids {
		name, spec := v.Child("name"), v.Find("schema", "openapiv3schema", "properties", "spec")
		if name == nil || spec == nil {
			continue
		}
		if f.schemas == nil {
			f.schemas = map[rules.GVK]*schema{}
		}
		f.schemas[rules.GVK{Group: group, Version: name.String(), Kind: kind.String()}] = schemaOf(spec)
	}
}

func schemaOf(n *syntax.Node) *schema {
	s := &schema{}
	for _, k := range n.Kids {
		switch k.Name {
		case "properties":
			s.fields = make(map[string]*schema, len(k.Kids))
			for _, p := range k.Kids {
				s.fields[p.Name] = schemaOf(p)
			}
		case "items":
			s.items = schemaOf(k)
		case "additionalProperties", "x-kubernetes-preserve-unknown-fields", "$ref":
			s.open = true
		}
	}
	s.open = s.open || s.fields == nil && s.items == nil
	return s
}

// has says whether a schema has a field; items of lists are an element "[]".
func (s *schema) has(path string) bool {
	for path != "" && !s.open {
		var name string
		name, path, _ = strings.Cut(path, ".")
		switch {
		case name == "[]" && s.items != nil:
			s = s.items
		case s.fields[name] != nil:
			s = s.fields[name]
		default:
			return false
		}
	}
	return true
}

// fieldsOf are the fields of an object whose version changes; nil for any other.
func (c *fileReader) fieldsOf(r *refs.Ref) []string {
	if r.Token.Form != names.Versioned || r.Label != "apiversion" || r.Object == nil || len(r.Known.Kinds) != 1 || len(r.Known.Versions) != 1 {
		return nil
	}
	site := rules.GVK{Group: r.Known.Group, Version: r.Known.Versions[0], Kind: r.Known.Kinds[0]}
	a := c.table.Ask(site)
	if a.Outcome != rules.Moves || a.To.Version == site.Version || len(c.table.Shapes(site)) > 0 {
		return nil
	}
	var list []string
	var below func(n *syntax.Node, path string)
	below = func(n *syntax.Node, path string) {
		for _, k := range n.Kids {
			name := k.Name
			if k.Item {
				name = "[]"
			}
			if k.Kind != syntax.Entry || name == "" || name == "<<" || strings.ContainsAny(name, ".{$") || len(list) == maxFields {
				continue
			}
			at := strings.TrimPrefix(path+"."+name, ".")
			list = append(list, at)
			below(k, at)
		}
	}
	if spec := r.Object.Child("spec"); spec != nil {
		below(spec, "")
	}
	return list
}

// lacking is a field of an object that its new version lacks, "" for none.
func (q *question) lacking(to rules.GVK) string {
	if len(q.fields) == 0 {
		return ""
	}
	kind := to.Kind
	if kind == "" {
		kind = q.known.Kinds[0]
	}
	old := q.schemas[rules.GVK{Group: q.known.Group, Version: q.known.Versions[0], Kind: q.known.Kinds[0]}]
	fresh := q.schemas[rules.GVK{Group: to.Group, Version: to.Version, Kind: kind}]
	if old == nil || fresh == nil {
		return ""
	}
	for _, p := range q.fields {
		if old.has(p) && !fresh.has(p) {
			return "spec." + p
		}
	}
	return ""
}

// unserved says which version of a CRD becomes one that it does not serve: a rule for a
// version leaves the CRD as it is.
func (q *question) unserved() string {
	for _, kind := range q.known.Kinds {
		for _, v := range q.known.Versions {
			to := q.ask(rules.GVK{Group: q.known.Group, Version: v, Kind: kind})
			if to.Group == q.known.Group && to.Version != v && !slices.Contains(q.known.Versions, to.Version) {
				return "the CRD serves " + v + ", which becomes " + to.Version + ", and does not serve that"
			}
		}
	}
	return ""
}
