package migrate

import (
	"regexp"
	"strings"
)

// apiVersionValue is "group/version" as a whole value.
func (a *analysis) apiVersionValue(v *view, t *tree, i int32, tok token) {
	if a.inLabels(t, i) {
		if !a.moveKey(v, tok) {
			a.keep(v, tok, RoleKey, "the value of a label or annotation")
		}
		return
	}
	facts, kind := GVK{}, int32(-1)
	if t.nodes[i].key.Len() > 0 {
		for _, name := range []string{"kind", "Kind", "ownerKind", "kinds"} {
			if k := t.sibling(i, name); k >= 0 && t.nodes[k].style <= double && kindName.MatchString(t.text(k)) {
				facts.Kind, kind = t.text(k), k
				break
			}
		}
		if r := t.sibling(i, "resource"); kind < 0 && r >= 0 && pluralName.MatchString(t.text(r)) {
			facts.Plural = t.text(r)
		}
	}
	ver := a.rewrite(v, tok, RoleAPIVersion, facts)
	if ver.outcome == moves && kind >= 0 {
		a.beside(v, t.nodes[kind].val, RoleKind, ver.rule, ver.to.Kind)
	}
}

// isGroupKey says whether a key's name says that its value is an API group.
func isGroupKey(name string) bool {
	if i := strings.LastIndexAny(name, ".-_"); i >= 0 {
		name = name[i+1:]
	}
	low := strings.ToLower(name)
	return low == "group" || low == "groups" || strings.HasSuffix(low, "apigroup") || strings.HasSuffix(low, "apigroups") ||
		strings.HasSuffix(name, "Group") || strings.HasSuffix(name, "Groups") || low == "groupname"
}

// groupValue is the bare name of a group as a whole value.
func (a *analysis) groupValue(v *view, t *tree, i, entry int32, name string, tok token, rbac map[int32]bool) {
	switch {
	case entry >= 0 && (name == "apiGroups" || name == "apigroups") && a.rbacRule(v, t, entry, rbac):
	case isGroupKey(name):
		a.groupField(v, t, i, tok)
	case a.inLabels(t, i):
		a.keep(v, tok, RoleKey, "the value of a label or annotation")
	case entry >= 0 && strings.EqualFold(name, "finalizers"):
		a.finalizer(v, tok)
	case a.moveKey(v, tok):
	case a.namesWebhook(t, entry, name):
		a.rewrite(v, tok, RoleWebhook, GVK{})
	case behindGroupFlag(t, i):
		a.rewrite(v, tok, RoleGroup, GVK{})
	default:
		a.keep(v, tok, RoleProse, uncertain("key "+name))
	}
}

// behindGroupFlag says whether an item of a list of arguments stands behind
// one like --api-group.
func behindGroupFlag(t *tree, i int32) bool {
	prev := t.nodes[i].prev
	return t.nodes[i].seq && prev >= 0 && groupArgument.MatchString(t.text(prev))
}

var groupArgument = regexp.MustCompile(`^--?([a-z0-9]+-)*(api-?)?group$`)

// groupField is group: or apiGroup: with the kind, resource or version that
// stand beside it.
func (a *analysis) groupField(v *view, t *tree, i int32, tok token) {
	facts, role := GVK{}, RoleGroup
	var kind, version, plural int32 = -1, -1, -1
	if t.nodes[i].key.Len() > 0 {
		kind, version = t.sibling(i, "kind"), t.sibling(i, "version")
		plural = t.sibling(i, "resource")
		if names := t.sibling(i, "names"); names >= 0 {
			if !a.crdGroup(v, t, i, tok) {
				return
			}
			role = RoleCRDGroup
			kind, plural, version = t.child(names, "kind"), t.child(names, "plural"), a.onlyVersion(t, i)
		}
		if kind < 0 {
			kind = t.sibling(i, "Kind")
		}
		if plural < 0 {
			plural = t.sibling(i, "plural")
		}
		if version >= 0 && apiVersion.MatchString(t.text(version)) {
			facts.Version = t.text(version)
		} else {
			version = -1
		}
		if kind >= 0 && kindName.MatchString(t.text(kind)) {
			facts.Kind = t.text(kind)
		} else if plural >= 0 && pluralName.MatchString(t.text(plural)) {
			facts.Plural = t.text(plural)
		}
		if rs := t.sibling(i, "resources"); facts.Kind == "" && facts.Plural == "" && rs >= 0 {
			if list := t.children(rs); len(list) == 1 {
				facts.Plural = t.text(list[0])
			}
		}
	}
	if facts.Version == "" && role != RoleCRDGroup {
		facts.Version = a.versionAround(t, i, tok.site.Group)
	}
	ver := a.rewrite(v, tok, role, facts)
	if ver.outcome != moves || ver.to.Group == tok.site.Group && a.inAPIService(t, i) {
		return
	}
	if kind >= 0 {
		a.beside(v, t.nodes[kind].val, RoleKind, ver.rule, ver.to.Kind)
	}
	if version >= 0 && (role != RoleCRDGroup || ver.to.Group != tok.site.Group) {
		a.beside(v, t.nodes[version].val, RoleVersion, ver.rule, ver.to.Version)
	}
	if facts.Plural != "" && plural >= 0 {
		a.beside(v, t.nodes[plural].val, RoleResource, ver.rule, ver.to.Plural)
	}
}

// inAPIService says whether node i is in the spec of an APIService.
func (a *analysis) inAPIService(t *tree, i int32) bool {
	spec := t.nodes[i].parent
	return spec >= 0 && t.keyText(spec) == "spec" && t.text(t.sibling(spec, "kind")) == "APIService"
}

// resourceValue is "plural.group" as a whole value.
func (a *analysis) resourceValue(v *view, t *tree, i int32, name string, tok token) {
	switch {
	case a.inLabels(t, i):
		a.keep(v, tok, RoleKey, "the value of a label or annotation")
	case strings.EqualFold(name, "finalizers"):
		a.finalizer(v, tok)
	case tok.site.Version == "" && name == "name" && a.ownedCRD(v, t, i, tok):
	case tok.site.Version == "" && name == "name" || name == "crd":
		if a.oneGroup(v, t, i, tok) {
			a.rewrite(v, tok, RoleCRDName, GVK{Version: a.nameVersion(t, i)})
		}
	default:
		a.rewrite(v, tok, RoleResource, GVK{})
	}
}

// keyValue is something like appwrapper.mcad.ibm.com as a whole value: the
// name of a CRD where the document says so, else a key.
func (a *analysis) keyValue(v *view, t *tree, i, entry int32, name string, tok token) {
	if strings.EqualFold(name, "finalizers") {
		a.finalizer(v, tok)
		return
	}
	if a.moveKey(v, tok) {
		return
	}
	if entry >= 0 && name == "name" && tok.prefix != "" && !strings.Contains(tok.prefix, ".") && a.namesCRD(t, entry) {
		tok.site.Plural = tok.prefix
		if a.oneGroup(v, t, i, tok) {
			a.rewrite(v, tok, RoleCRDName, GVK{Version: a.nameVersion(t, i)})
		}
		return
	}
	if a.namesWebhook(t, entry, name) {
		tok.word.End = max(tok.group.End, tok.word.End)
		a.rewrite(v, tok, RoleWebhook, GVK{})
		return
	}
	if a.inLabels(t, i) {
		a.keep(v, tok, RoleKey, "the value of a label or annotation")
		return
	}
	a.perhapsResource(v, tok)
}
