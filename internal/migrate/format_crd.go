package migrate

import (
	"slices"
	"strings"
)

// nameVersion is the version of the CRD whose name is node i, when it has one.
func (a *analysis) nameVersion(t *tree, i int32) string {
	spec := a.crdSpec(t, i)
	if spec < 0 {
		return ""
	}
	return t.text(a.onlyVersion(t, t.child(spec, "group")))
}

// oneGroup says whether the CRD whose name is node i goes to one group.
func (a *analysis) oneGroup(v *view, t *tree, i int32, tok token) bool {
	spec := a.crdSpec(t, i)
	return spec < 0 || a.crdGroup(v, t, t.child(spec, "group"), tok)
}

// crdSpec is the spec of the CustomResourceDefinition whose metadata.name is
// node i, -1 when the document is something else.
func (a *analysis) crdSpec(t *tree, i int32) int32 {
	meta := t.nodes[i].parent
	if meta < 0 || t.keyText(meta) != "metadata" {
		return -1
	}
	spec := t.sibling(meta, "spec")
	if spec < 0 || t.child(spec, "group") < 0 {
		return -1
	}
	return spec
}

// crdVersions are the names of the versions that a CRD serves, by the entry
// of its group: the nodes that hold them.
func crdVersions(t *tree, group int32) []int32 {
	var found []int32
	if one := t.sibling(group, "version"); one >= 0 && apiVersion.MatchString(t.text(one)) {
		found = append(found, one)
	}
	if list := t.sibling(group, "versions"); list >= 0 {
		for _, item := range t.children(list) {
			if name := t.child(item, "name"); name >= 0 && apiVersion.MatchString(t.text(name)) {
				found = append(found, name)
			}
		}
	}
	return found
}

// onlyVersion is the version of a CRD that has one, else -1.
func (a *analysis) onlyVersion(t *tree, group int32) int32 {
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
func (a *analysis) crdGroup(v *view, t *tree, group int32, tok token) bool {
	if group < 0 {
		return true
	}
	names := t.sibling(group, "names")
	site := GVK{Group: tok.site.Group}
	if names >= 0 {
		site.Kind, site.Plural = t.text(t.child(names, "kind")), t.text(t.child(names, "plural"))
	}
	var to []string
	for _, n := range crdVersions(t, group) {
		site.Version = t.text(n)
		ver := a.resolve(site)
		group := site.Group
		if ver.outcome == moves {
			group = ver.to.Group
		}
		if !slices.Contains(to, group) {
			to = append(to, group)
		}
	}
	if len(to) < 2 {
		return true
	}
	s := a.add(v, tok, RoleCRDGroup, Person, "its versions go to different groups: "+strings.Join(to, ", "))
	s.Hint = "write one CustomResourceDefinition for each group"
	return false
}

// versionAround is the version of a group in which the object stands that
// names the group again without one, "" when none of the objects around it is
// of that group.
func (a *analysis) versionAround(t *tree, i int32, group string) string {
	for p := t.nodes[i].parent; p >= 0; p = t.nodes[p].parent {
		at := t.sibling(p, "apiVersion")
		if at < 0 {
			continue
		}
		if g, version, ok := strings.Cut(t.text(at), "/"); ok && g == group && apiVersion.MatchString(version) {
			return version
		}
	}
	return ""
}

// servedAround is the version of a CRD in whose schema node i stands, "" outside of one.
func servedAround(t *tree, i int32) string {
	for p := t.nodes[i].parent; p >= 0; p = t.nodes[p].parent {
		if q := t.nodes[p].parent; t.nodes[p].seq && q >= 0 && t.keyText(q) == "versions" {
			if name := t.child(p, "name"); name >= 0 && apiVersion.MatchString(t.text(name)) {
				return t.text(name)
			}
			return ""
		}
	}
	return ""
}

// namesWebhook says whether an entry is the name of a webhook: of an admission
// configuration, or of a ClusterServiceVersion.
func (a *analysis) namesWebhook(t *tree, entry int32, name string) bool {
	if entry < 0 || name != "name" && name != "generateName" {
		return false
	}
	p := t.up(t.nodes[entry].parent)
	return p >= 0 && (t.keyText(p) == "webhooks" && name == "name" || t.keyText(p) == "webhookdefinitions" && name == "generateName")
}
