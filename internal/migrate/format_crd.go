package migrate

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// nameVersion is the version of the CRD whose name is node i, when it has one.
func (a *analysis) nameVersion(t *text.Tree, i int32) string {
	spec := a.crdSpec(t, i)
	if spec < 0 {
		return ""
	}
	return t.Text(a.onlyVersion(t, t.Child(spec, "group")))
}

// crdName rewrites the name of a CRD, or a reference to one by its name, with
// the kind that stands beside a reference. What becomes of a CRD is decided by
// its kind, of which the name has the plural only.
func (a *analysis) crdName(v *text.View, t *text.Tree, i int32, tok token) {
	beside := int32(-1)
	if spec := a.crdSpec(t, i); spec >= 0 {
		if names := t.Child(spec, "names"); names >= 0 && rules.KindName.MatchString(t.Text(t.Child(names, "kind"))) {
			tok.site.Kind = t.Text(t.Child(names, "kind"))
		}
	} else if beside = t.Sibling(i, "kind"); beside >= 0 && slices.Contains(rules.Plurals(t.Text(beside)), tok.site.Plural) {
		tok.site.Kind = t.Text(beside)
	}
	ver := a.rewrite(v, tok, RoleCRDName, rules.GVK{Version: a.nameVersion(t, i)})
	if ver.Outcome == rules.Moves && beside >= 0 && tok.site.Kind != "" {
		a.beside(v, t.Nodes[beside].Val, RoleKind, ver.Rule, ver.To.Kind)
	}
}

// crdNames follows a kind that becomes another one in the names of its CRD: its
// plural, singular and kind of lists. Short names stay: no rule says others.
func (a *analysis) crdNames(v *text.View, t *text.Tree, names int32, site rules.GVK, ver rules.Answer) {
	kind := t.Text(t.Child(names, "kind"))
	if kind == "" || ver.To.Kind == "" || ver.To.Kind == kind {
		return
	}
	site.Kind, site.Plural = kind, t.Text(t.Child(names, "plural"))
	for _, name := range []struct {
		key      string
		old, new string
		role     Role
	}{
		{"plural", site.Plural, a.Ask(site).To.Plural, RoleResource},
		{"singular", strings.ToLower(kind), strings.ToLower(ver.To.Kind), RoleResource},
		{"listKind", kind + "List", ver.To.Kind + "List", RoleKind},
	} {
		if n := t.Child(names, name.key); n >= 0 && t.Text(n) == name.old {
			a.beside(v, t.Nodes[n].Val, name.role, ver.Rule, name.new)
		}
	}
}

// oneGroup says whether the CRD whose name is node i goes to one group.
func (a *analysis) oneGroup(v *text.View, t *text.Tree, i int32, tok token) bool {
	spec := a.crdSpec(t, i)
	return spec < 0 || a.crdGroup(v, t, t.Child(spec, "group"), tok)
}

// crdSpec is the spec of the CustomResourceDefinition whose metadata.name is
// node i, -1 when the document is something else.
func (a *analysis) crdSpec(t *text.Tree, i int32) int32 {
	meta := t.Nodes[i].Parent
	if meta < 0 || t.KeyText(meta) != "metadata" {
		return -1
	}
	spec := t.Sibling(meta, "spec")
	if spec < 0 || t.Child(spec, "group") < 0 {
		return -1
	}
	return spec
}

// crdVersions are the names of the versions that a CRD serves, by the entry
// of its group: the nodes that hold them.
func crdVersions(t *text.Tree, group int32) []int32 {
	var found []int32
	if one := t.Sibling(group, "version"); one >= 0 && rules.APIVersion.MatchString(t.Text(one)) {
		found = append(found, one)
	}
	if list := t.Sibling(group, "versions"); list >= 0 {
		for _, item := range t.Children(list) {
			if name := t.Child(item, "name"); name >= 0 && rules.APIVersion.MatchString(t.Text(name)) {
				found = append(found, name)
			}
		}
	}
	return found
}

// onlyVersion is the version of a CRD that has one, else -1.
func (a *analysis) onlyVersion(t *text.Tree, group int32) int32 {
	if group < 0 {
		return -1
	}
	if list := crdVersions(t, group); len(list) == 1 {
		return list[0]
	}
	return -1
}

// crdGroup says whether all versions of a CRD go to one group. When they do
// not, the site is for a person: one CRD has one group.
func (a *analysis) crdGroup(v *text.View, t *text.Tree, group int32, tok token) bool {
	if group < 0 {
		return true
	}
	names := t.Sibling(group, "names")
	site := rules.GVK{Group: tok.site.Group}
	if names >= 0 {
		site.Kind, site.Plural = t.Text(t.Child(names, "kind")), t.Text(t.Child(names, "plural"))
	}
	var to []string
	for _, n := range crdVersions(t, group) {
		site.Version = t.Text(n)
		ver := a.Ask(site)
		name := site.Group
		if ver.Outcome == rules.Moves {
			if name = ver.To.Group; ver.To.Kind != site.Kind {
				name += " " + ver.To.Kind
			}
		}
		if !slices.Contains(to, name) {
			to = append(to, name)
		}
	}
	if len(to) < 2 {
		return true
	}
	s := a.add(v, tok, RoleCRDGroup, Person, "its versions go to different groups or kinds: "+strings.Join(to, ", "))
	s.Hint = "write one CustomResourceDefinition for each"
	return false
}

// versionAround is the version of a group in which the object stands that
// names the group again without one, "" when none of the objects around it is
// of that group.
func (a *analysis) versionAround(t *text.Tree, i int32, group string) string {
	for p := t.Nodes[i].Parent; p >= 0; p = t.Nodes[p].Parent {
		at := t.Sibling(p, "apiVersion")
		if at < 0 {
			continue
		}
		if g, version, ok := strings.Cut(t.Text(at), "/"); ok && g == group && rules.APIVersion.MatchString(version) {
			return version
		}
	}
	return ""
}

// servedAround is the version of a CRD in whose schema node i stands, "" outside of one.
func servedAround(t *text.Tree, i int32) string {
	for p := t.Nodes[i].Parent; p >= 0; p = t.Nodes[p].Parent {
		if q := t.Nodes[p].Parent; t.Nodes[p].Seq && q >= 0 && t.KeyText(q) == "versions" {
			if name := t.Child(p, "name"); name >= 0 && rules.APIVersion.MatchString(t.Text(name)) {
				return t.Text(name)
			}
			return ""
		}
	}
	return ""
}

// namesWebhook says whether an entry is the name of a webhook: of an admission
// configuration, or of a ClusterServiceVersion.
func (a *analysis) namesWebhook(t *text.Tree, entry int32, name string) bool {
	if entry < 0 || name != "name" && name != "generateName" {
		return false
	}
	p := t.Up(t.Nodes[entry].Parent)
	return p >= 0 && (t.KeyText(p) == "webhooks" && name == "name" || t.KeyText(p) == "webhookdefinitions" && name == "generateName")
}
