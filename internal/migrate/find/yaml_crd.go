package find

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// What rows of yamlPlaces ask about definitions: of resources, of webhooks, of
// the services of an API.

// definesNames says whether a group is that of a CRD.
func definesNames(e *entry) bool {
	return e.t.Nodes[e.i].Key.Len() > 0 && e.t.Sibling(e.i, "names") >= 0
}

// tellsCRD reads the names and versions of a CRD beside its group.
func tellsCRD(e *entry, s *Site) {
	names := e.t.Sibling(e.i, "names")
	e.claimed(s, e.i)
	s.Served = e.t.TextsOf(crdVersions(e.t, e.i))
	s.Defines = rules.GVK{Kind: e.t.Text(e.t.Child(names, "kind")), Plural: e.t.Text(e.t.Child(names, "plural"))}
	e.beside(s, e.t.Child(names, "kind"), e.t.Child(names, "plural"), onlyVersion(e.t, e.i))
	if onlyVersion(e.t, e.i) >= 0 {
		for _, again := range crdVersions(e.t, e.i)[1:] {
			s.Beside = append(s.Beside, e.part(again, RoleVersion))
		}
	}
	for i := range s.Beside {
		s.Beside[i].WithGroup = s.Beside[i].Role == RoleVersion
	}
}

// inAPIService says whether node i is in the spec of an APIService.
func inAPIService(t *text.Tree, i int32) bool {
	spec := t.Nodes[i].Parent
	return spec >= 0 && t.KeyText(spec) == "spec" && t.Text(t.Sibling(spec, "kind")) == "APIService"
}

// claimed takes the names of the claims that a composite resource has beside its
// own: of another kind in the same group.
// Source: Crossplane, CompositeResourceDefinition.
func (e *entry) claimed(s *Site, group int32) {
	if claim := e.t.Sibling(group, "claimNames"); claim >= 0 {
		for _, key := range []string{"kind", "plural"} {
			if name := e.t.Text(e.t.Child(claim, key)); name != "" {
				s.Loose = append(s.Loose, name)
			}
		}
	}
}

// tellsFirst takes the first label of a name for the resource that it is.
func tellsFirst(e *entry, s *Site) { s.Facts.Plural = e.tok.Prefix }

// tellsPerhaps takes the first label of a name for the resource that it may be.
func tellsPerhaps(e *entry, s *Site) {
	s.Facts.Plural = e.tok.Prefix
	if spec := crdSpec(e.t, e.i); spec >= 0 {
		e.claimed(s, e.t.Child(spec, "group"))
	}
}

// internalObjects reports the CRDs that a ClusterServiceVersion hides from its users: a list in
// JSON of their names. It says false for any other text.
// Source: operators.operatorframework.io/internal-objects, as OpenShift's guide for operators tells
// of it; opendatahub-operator writes it, and multiarch-tuning-operator's documents do.
func (a *analysis) internalObjects(in *text.View, t *text.Tree, i int32) bool {
	if t.KeyOf(i) != "operators.operatorframework.io/internal-objects" {
		return false
	}
	for _, tok := range a.Tokens(in.Data) {
		s := Site{Doc: in, Token: tok, Place: Doubt}
		switch {
		case tok.Prefix == "" || strings.Contains(tok.Prefix, ".") || tok.Word.End != tok.Group.End:
		case tok.Shape == Resource:
			s.Place = CRDName
		case tok.Shape == Key:
			s.Place, s.Known.Plural, s.Kind = CRDNameOr, tok.Prefix, tok.first()
		}
		a.found(s)
	}
	return true
}

// isOwned says whether a name is that of a CRD that a ClusterServiceVersion owns.
func isOwned(e *entry) bool {
	item := e.t.Nodes[e.i].Parent
	return e.tok.Known.Version == "" && item >= 0 && e.t.Nodes[item].Seq && e.t.KeyText(e.t.Nodes[item].Parent) == "owned"
}

// tellsOwnedKey is tellsOwned for a CRD that no rule names.
func tellsOwnedKey(e *entry, s *Site) {
	s.Known.Plural, s.Kind = e.tok.Prefix, e.tok.first()
	tellsOwned(e, s)
}

// tellsOwned reads the kind and the version of an owned CRD.
func tellsOwned(e *entry, s *Site) {
	tellsCRDName(e, s)
	e.versionBeside(s)
}

// versionBeside reads the version that an entry of a ClusterServiceVersion has
// beside the name of a CRD.
func (e *entry) versionBeside(s *Site) {
	if at := e.t.Sibling(e.i, "version"); at >= 0 && rules.APIVersion.MatchString(e.t.Text(at)) {
		s.Facts.Version = e.t.Text(at)
		s.Beside = append(s.Beside, e.part(at, RoleVersion))
	}
}

// isRequired says whether a name is that of a CRD that a ClusterServiceVersion
// needs, or lists below one that it owns: in the version beside it.
func (e *entry) isRequired() bool {
	item := e.t.Nodes[e.i].Parent
	if item < 0 || !e.t.Nodes[item].Seq {
		return false
	}
	list := e.t.Nodes[item].Parent
	key := e.t.KeyText(list)
	return key == "required" || key == "resources" && list >= 0 && ownsAPIs(e.t.KeyText(e.t.Up(e.t.Nodes[list].Parent)))
}

// ownsAPIs says whether a key of a ClusterServiceVersion lists what it owns or needs.
func ownsAPIs(key string) bool { return key == "owned" || key == "required" }

// tellsCRDName reads the versions of the CRD of a name, or the kind that stands
// beside a reference to one. What becomes of a CRD is decided by its kind, of
// which the name has the plural only.
func tellsCRDName(e *entry, s *Site) {
	spec := crdSpec(e.t, e.i)
	if spec < 0 {
		if kind := e.t.Sibling(e.i, "kind"); kind >= 0 && slices.Contains(rules.Plurals(e.t.Text(kind)), s.Known.Plural) {
			s.Known.Kind = e.t.Text(kind)
			s.Beside = []Part{e.part(kind, RoleKind)}
		}
		if e.isRequired() {
			e.versionBeside(s)
		}
		return
	}
	group := e.t.Child(spec, "group")
	e.claimed(s, group)
	s.Served = e.t.TextsOf(crdVersions(e.t, group))
	s.Facts.Version = e.t.Text(onlyVersion(e.t, group))
	if names := e.t.Sibling(group, "names"); names >= 0 {
		s.Defines = rules.GVK{Kind: e.t.Text(e.t.Child(names, "kind")), Plural: e.t.Text(e.t.Child(names, "plural"))}
		if rules.ServedKind.MatchString(s.Defines.Kind) {
			s.Known.Kind = s.Defines.Kind
		}
	}
}

// tellsPlural takes the first label of a name for the resource.
func tellsPlural(e *entry, s *Site) {
	s.Known.Plural, s.Kind = e.tok.Prefix, e.tok.first()
	tellsCRDName(e, s)
}

// namesCRD says whether a name is that of a CustomResourceDefinition.
func namesCRD(e *entry) bool {
	t, at := e.t, e.holder()
	if at < 0 || e.tok.Prefix == "" || strings.Contains(e.tok.Prefix, ".") {
		return false
	}
	for p := t.Nodes[at].Parent; p >= 0; p = t.Nodes[p].Parent {
		if t.KeyText(p) == "customresourcedefinitions" {
			return true
		}
		if k := t.Sibling(p, "kind"); t.KeyText(p) == "metadata" && k >= 0 {
			return t.Text(k) == "CustomResourceDefinition"
		}
	}
	k := t.Sibling(at, "kind")
	return k >= 0 && t.Text(k) == "CustomResourceDefinition"
}

// namesWebhook says whether a name is that of a webhook: of an admission
// configuration, or of a ClusterServiceVersion.
func namesWebhook(e *entry) bool {
	at, name := e.holder(), e.key()
	if at < 0 || name != "name" && name != "generateName" {
		return false
	}
	p := e.t.Up(e.t.Nodes[at].Parent)
	return p >= 0 && (e.t.KeyText(p) == "webhooks" && name == "name" || e.t.KeyText(p) == "webhookdefinitions" && name == "generateName")
}

// namesOwnWebhook says whether a webhook has the name of its configuration.
// Source: knative.dev/pkg, webhook/resourcesemantics, reconcileMutatingWebhook.
func namesOwnWebhook(e *entry) bool {
	if !namesWebhook(e) || e.key() != "name" {
		return false
	}
	meta := e.t.Sibling(e.t.Up(e.t.Nodes[e.holder()].Parent), "metadata")
	if meta < 0 || e.t.Child(meta, "name") < 0 {
		return false
	}
	return e.t.Text(e.t.Child(meta, "name")) == e.t.Text(e.i)
}

// tellsGuardedBelow reads the resources that the rules of a webhook name: those of
// its group or, where they name none of it, the one that all of them name.
func tellsGuardedBelow(e *entry, s *Site) {
	list := e.t.Value(e.t.Nodes[e.holder()].Parent, "rules")
	if list < 0 {
		return
	}
	var names []string
	for _, rule := range e.t.Children(list) {
		if rule = e.t.Meant(rule); rule < 0 {
			continue
		}
		resources := e.listBelow(rule, "resources")
		names = append(names, resources...)
		if slices.Contains(e.listBelow(rule, "apiGroups"), e.tok.Known.Group) {
			s.Guarded = append(s.Guarded, resources...)
		}
	}
	if len(s.Guarded) > 0 {
		names = s.Guarded
	}
	s.Facts.Plural = onlyResource(names)
}

// listBelow are the items of a list that a node has under a key, or takes there by an alias
// or a merge.
func (e *entry) listBelow(i int32, key string) []string {
	list := e.t.Value(i, key)
	if list < 0 {
		return nil
	}
	var names []string
	for _, item := range e.t.Children(list) {
		names = append(names, e.t.Means(item))
	}
	return names
}

// crdSpec is the spec of the CustomResourceDefinition whose metadata.name is
// node i, -1 when the document is something else.
func crdSpec(t *text.Tree, i int32) int32 {
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

// onlyVersion is the version of a CRD that has one, else -1: the first node that
// says it, since a CRD of v1beta1 names it in "version" and in "versions".
func onlyVersion(t *text.Tree, group int32) int32 {
	if group < 0 {
		return -1
	}
	list := crdVersions(t, group)
	if len(list) == 0 || slices.ContainsFunc(list, func(i int32) bool { return t.Text(i) != t.Text(list[0]) }) {
		return -1
	}
	return list[0]
}

var isGroup = lazyregexp.New(`^[a-z0-9.-]*$`)

// servedAround is the group and version of a CRD in whose schema node i stands, "" outside
// of one; the group is "" where it is filled in.
func servedAround(t *text.Tree, i int32) (group, version string) {
	for p := t.Nodes[i].Parent; p >= 0; p = t.Nodes[p].Parent {
		if q := t.Nodes[p].Parent; t.Nodes[p].Seq && q >= 0 && t.KeyText(q) == "versions" {
			if name := t.Child(p, "name"); name >= 0 && rules.APIVersion.MatchString(t.Text(name)) {
				if group = t.Text(t.Sibling(q, "group")); !isGroup.MatchString(group) {
					group = ""
				}
				return group, t.Text(name)
			}
			break
		}
	}
	return "", ""
}
