package refs

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// crdOf is the CRD of which a node is the name or the group, nil for none: what else is in a CRD is
// about whatever it names.
func (r *reader) crdOf(n *syntax.Node) *syntax.Node {
	if label := n.Label(); label != "name" && label != "group" {
		return nil
	}
	for o := n; o != nil; o = o.Up {
		switch syntax.Normal(o.Name) {
		case "schema", "openapiv3schema", "labels", "annotations", "conversion", "validation", "ownerreferences":
			return nil
		}
		is, ok := r.crds[o]
		if !ok && len(o.Kids) > 0 {
			is = isCRD(o)
			r.crds[o] = is
		}
		if is {
			return o
		}
		if o.Kind == syntax.Document || o.Kind == syntax.Block {
			return nil
		}
	}
	return nil
}

// isCRD says whether an object is a CRD, or Crossplane's definition of an API, which is alike.
func isCRD(o *syntax.Node) bool {
	of := o.Type
	if of == "" && o.Up != nil {
		of = o.Up.Type // an element of a slice
	}
	if strings.HasSuffix(of, "CustomResourceDefinition") {
		return o.Find("spec") != nil
	}
	kind := o.Child("kind")
	return kind != nil && slices.Contains([]string{"CustomResourceDefinition", "CompositeResourceDefinition"}, kind.String()) && o.Find("spec") != nil
}

// claimDiffers says whether a definition of Crossplane has a second kind of its group, of which the
// rules make another name, or which they move to another group than the first.
func (r *reader) claimDiffers(o *syntax.Node, group string) bool {
	first, second := o.Find("spec", "names", "kind"), o.Find("spec", "claimnames", "kind")
	if first == nil || second == nil {
		return false
	}
	a := r.table.Ask(rules.GVK{Group: group, Kind: second.String()})
	return a.Ruled() && (a.To.Kind != second.String() || a.To.Group != r.table.Ask(rules.GVK{Group: group, Kind: first.String()}).To.Group)
}

// inCRD takes all the parts of a CRD.
func (x *search) inCRD(crd *syntax.Node) {
	spec := crd.Find("spec")
	x.Known.Versions, x.Known.Kinds, x.Known.Plurals = nil, nil, nil
	if name := crd.Find("metadata", "name"); name != nil {
		x.fullName(name)
	}
	if g := spec.Child("group"); g != nil && g.String() == x.Known.Group {
		x.add(Group, g, g.Start, g.End)
	}
	for label, w := range map[string]What{"kind": Kind, "plural": Plural, "singular": Singular, "listkind": ListKind} {
		k := spec.Find("names", label)
		switch {
		case k == nil || k.End == k.Start:
		case isOpen(k.String()): // ${KIND}
			x.OpenKind = true
		case w == Kind || w == Plural:
			x.take(w, k)
		default:
			x.add(w, k, k.Start, k.End)
		}
	}
	if len(x.Known.Kinds) > 0 {
		x.Known.Plurals = nil
	}
	for _, v := range versionsOf(spec) {
		x.take(Version, v)
	}
}

// fullName takes the parts of PLURAL.GROUP.
func (x *Ref) fullName(n *syntax.Node) {
	plural, ok := strings.CutSuffix(n.String(), "."+x.Known.Group)
	if !ok || plural == "" || strings.Contains(plural, ".") {
		return
	}
	x.add(Plural, n, n.Start, n.Start+len(plural))
	x.add(Group, n, n.Start+len(plural)+1, n.End)
	if len(x.Known.Kinds) == 0 && !isOpen(plural) {
		x.Known.Plurals = []string{plural}
	}
}

// versionsOf are the nodes that name the versions of a CRD.
func versionsOf(spec *syntax.Node) []*syntax.Node {
	var list []*syntax.Node
	if v := spec.Child("version"); v != nil && names.IsVersion(v.String()) {
		list = append(list, v)
	}
	if vs := spec.Child("versions"); vs != nil {
		for _, v := range vs.Kids {
			if name := v.Child("name"); name != nil && names.IsVersion(name.String()) {
				list = append(list, name)
			}
		}
	}
	return list
}

// kindsOf is how many kinds an object names: those of its first fields.
func kindsOf(o *syntax.Node) (n int) {
	for _, k := range o.Kids[:min(len(o.Kids), 100)] {
		if syntax.Normal(k.Name) == "kind" {
			n++
		}
	}
	return n
}
