package refs

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
)

// inStatements takes the constants and variables next to one that is a group:
// GROUP = "example.com", VERSION = "v1".
func (r *reader) inStatements(x *Ref, o *syntax.Node) {
	if !isPart(x.Label) || !x.Whole {
		return
	}
	i := slices.IndexFunc(o.Kids, func(k *syntax.Node) bool { return x.Leaf.Within(k) })
	if i < 0 {
		return
	}
	r.statements(x, o.Kids[i+1:min(len(o.Kids), i+7)])
	before := slices.Clone(o.Kids[max(0, i-6):i])
	slices.Reverse(before)
	have := slices.Clone(x.Parts)
	r.statements(x, before, have...)
}

// statements takes the parts of a reference from statements near it, up to the
// next group.
func (r *reader) statements(x *Ref, near []*syntax.Node, have ...Part) {
	for _, k := range near {
		if k.Kind == syntax.Command && len(k.Kids) == 1 { // an assignment of a script
			k = k.Kids[0]
		}
		if k == x.Leaf || k.Kind != syntax.Entry || k.Name == "" || k.End == k.Start {
			continue
		}
		label := syntax.Normal(k.Name)
		if IsGroup(label) {
			return
		}
		w := word(label)
		if what, ok := wordParts[w]; ok && slices.ContainsFunc(have, func(p Part) bool { return p.What == what }) {
			continue
		}
		if stem(label) == x.Stem && w != "resources" {
			r.field(x, k, w)
		}
	}
}

// chained takes the kind or resource that a call behind an object adds to it:
// GroupVersion{...}.WithKind("Widget").
func (r *reader) chained(x *Ref, o *syntax.Node) {
	if o.Up == nil || o.Seq+1 >= len(o.Up.Kids) || len(o.Kids) == 0 {
		return
	}
	k, last := o.Up.Kids[o.Seq+1], o.Kids[len(o.Kids)-1]
	if k.View != o.View || k.Start < last.End || !strings.HasPrefix(k.Type, "With") && !strings.HasPrefix(k.Type, "with") || bytes.ContainsAny(k.View.B[last.End:k.Start], ";\n") {
		return
	}
	r.field(x, k, word(syntax.Normal(k.Name)))
}

// taken adds the kinds of the objects that take a group from where it is spelled,
// by an alias or a merge.
func (r *reader) taken(x *Ref) {
	for _, m := range x.Leaf.Takers {
		if x.Rule != nil {
			x.Shared = true
			continue
		}
		if kind := m.Child("kind"); kind != nil {
			r.field(x, kind, "kind")
		}
	}
}

// typed says whether a literal around a reference is of a type of its version and kind.
func (x *Ref) typed() {
	if len(x.Known.Versions) != 1 || len(x.Known.Kinds) != 1 {
		return
	}
	for n := x.Leaf.Up; n != nil; n = n.Up {
		pkg, kind, ok := strings.Cut(strings.TrimLeft(n.Type, "&*[]"), ".")
		if ok && kind == x.Known.Kinds[0] && strings.HasSuffix(pkg, x.Known.Versions[0]) {
			x.Typed = true
		}
	}
}
