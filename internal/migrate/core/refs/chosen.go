package refs

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// chosen leaves out the kind of an object whose apiVersion is one of several that a
// template or a condition chooses from, where the rules give the kind another name with one
// of them than with the other.
func (x *search) chosen() {
	i := slices.IndexFunc(x.Parts, func(p Part) bool { return p.What == Kind })
	if i < 0 || word(x.Label) != "apiversion" || x.CRD || len(x.Known.Kinds) != 1 || len(x.Known.Versions) > 1 {
		return
	}
	kind := x.Parts[i]
	own := x.table.Ask(rules.GVK{Group: x.Known.Group, Version: strings.Join(x.Known.Versions, ""), Kind: kind.Text})
	differs := func(other string) bool {
		group, version, _ := strings.Cut(other, "/")
		if version == "{" { // it is filled in
			return own.Rule.From.Version != "" && own.To.Kind != kind.Text
		}
		return x.table.Ask(rules.GVK{Group: group, Version: version, Kind: kind.Text}).To.Kind != own.To.Kind
	}
	if x.Leaf.End-x.Leaf.Start > longestChoice || slices.ContainsFunc(x.choices(kind.Node), differs) {
		x.Known.Kinds, x.OpenKind = nil, true
		x.Parts = slices.Delete(x.Parts, i, i+1)
	}
}

// longestChoice is how long an apiVersion may be, with all that a template chooses from.
const longestChoice = 2000

// choices are the other apiVersions that an object with a kind may have.
func (x *Ref) choices(kind *syntax.Node) []string {
	var list []string
	take := func(text []byte) {
		if len(x.Known.Versions) == 1 && bytes.Contains(text, []byte(x.Known.Group+"/{{")) {
			list = append(list, x.Known.Group+"/{")
		}
		for _, w := range bytes.FieldsFunc(text, func(c rune) bool {
			return c != '.' && c != '-' && c != '/' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z')
		}) {
			if group, version, ok := strings.Cut(string(w), "/"); ok && group != "" && group != x.Known.Group && rules.APIVersion.MatchString(version) {
				list = append(list, string(w))
			} else if !ok && x.Token.Version.Len() > 0 && w[0] == 'v' && rules.APIVersion.Match(w) {
				list = append(list, "/"+string(w)) // of the core of Kubernetes
			}
		}
	}
	if !x.Whole {
		take(x.Leaf.Text())
	}
	entry := x.Leaf.Named()
	entry.Leaves(func(n *syntax.Node) {
		if n != x.Leaf {
			take(n.Text())
		}
	})
	if entry.Up == nil {
		return list
	}
	versions, kinds := parts(kind.Near(entry.Up))
	for _, v := range versions {
		if v != entry && len(versions) != len(kinds) {
			take(v.Text())
		}
	}
	return list
}

// parts are the apiVersions and the kinds of an object, in order. As many of both are
// those of the branches of a template, each with its own.
func parts(kids []*syntax.Node) (versions, kinds []*syntax.Node) {
	for _, k := range kids {
		switch {
		case k.Kind != syntax.Entry:
		case syntax.Normal(k.Name) == "apiversion":
			versions = append(versions, k)
		case syntax.Normal(k.Name) == "kind":
			kinds = append(kinds, k)
		}
	}
	return versions, kinds
}

// otherBranch says whether a kind is of another apiVersion of the object than a reference.
func (x *Ref) otherBranch(o, kind *syntax.Node) bool {
	if x.Label != "apiversion" || !strings.EqualFold(kind.Name, "kind") {
		return false
	}
	versions, kinds := parts(o.Kids)
	i := slices.IndexFunc(versions, x.Leaf.Within)
	return i >= 0 && len(versions) > 1 && len(versions) == len(kinds) && kinds[i] != kind
}
