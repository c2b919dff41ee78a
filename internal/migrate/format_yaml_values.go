package migrate

import (
	"regexp"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// apiVersionValue is "group/version" as a whole value.
func (a *analysis) apiVersionValue(v *text.View, t *text.Tree, i int32, tok token) {
	if a.inLabels(t, i) {
		if !a.moveKey(v, tok) {
			a.keep(v, tok, RoleKey, "the value of a label or annotation")
		}
		return
	}
	facts, kind := rules.GVK{}, int32(-1)
	if t.Nodes[i].Key.Len() > 0 {
		for _, name := range []string{"kind", "Kind", "ownerKind", "kinds"} {
			if k := t.Sibling(i, name); k >= 0 && t.Nodes[k].Style <= text.Double && rules.KindName.MatchString(t.Text(k)) {
				facts.Kind, kind = t.Text(k), k
				break
			}
		}
		if r := t.Sibling(i, "resource"); kind < 0 && r >= 0 && rules.PluralName.MatchString(t.Text(r)) {
			facts.Plural = t.Text(r)
		}
	}
	ver := a.rewrite(v, tok, RoleAPIVersion, facts)
	if ver.Outcome == rules.Moves && kind >= 0 {
		a.beside(v, t.Nodes[kind].Val, RoleKind, ver.Rule, ver.To.Kind)
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
func (a *analysis) groupValue(v *text.View, t *text.Tree, i, entry int32, name string, tok token, rbac map[int32]bool) {
	switch {
	case a.isProject(v) && (name == "group" || name == "domain"):
		if !a.hasSite(v.Span(tok.word)) {
			a.keep(v, tok, RoleGroup, "half of a group, which no rule moves")
		}
	case entry >= 0 && (name == "apiGroups" || name == "apigroups") && a.rbacRule(v, t, entry, rbac):
	case isGroupKey(name):
		a.groupField(v, t, i, tok)
	case a.inLabels(t, i):
		a.keep(v, tok, RoleKey, "the value of a label or annotation")
	case entry >= 0 && strings.EqualFold(name, "finalizers"):
		a.finalizer(v, tok)
	case a.moveKey(v, tok):
	case a.namesWebhook(t, entry, name):
		a.rewrite(v, tok, RoleWebhook, rules.GVK{})
	case behindGroupFlag(t, i):
		a.rewrite(v, tok, RoleGroup, rules.GVK{})
	default:
		a.keep(v, tok, RoleProse, uncertain("key "+name))
	}
}

// behindGroupFlag says whether an item of a list of arguments stands behind
// one like --api-group.
func behindGroupFlag(t *text.Tree, i int32) bool {
	prev := t.Nodes[i].Prev
	return t.Nodes[i].Seq && prev >= 0 && groupArgument.MatchString(t.Text(prev))
}

var groupArgument = regexp.MustCompile(`^--?([a-z0-9]+-)*(api-?)?group$`)

// groupField is group: or apiGroup: with the kind, resource or version that
// stand beside it.
func (a *analysis) groupField(v *text.View, t *text.Tree, i int32, tok token) {
	facts, role := rules.GVK{}, RoleGroup
	var kind, version, plural, names int32 = -1, -1, -1, -1
	if t.Nodes[i].Key.Len() > 0 {
		kind, version = t.Sibling(i, "kind"), t.Sibling(i, "version")
		plural = t.Sibling(i, "resource")
		if names = t.Sibling(i, "names"); names >= 0 {
			if !a.crdGroup(v, t, i, tok) {
				return
			}
			role = RoleCRDGroup
			kind, plural, version = t.Child(names, "kind"), t.Child(names, "plural"), a.onlyVersion(t, i)
		}
		if kind < 0 {
			kind = t.Sibling(i, "Kind")
		}
		if plural < 0 {
			plural = t.Sibling(i, "plural")
		}
		if version >= 0 && rules.APIVersion.MatchString(t.Text(version)) {
			facts.Version = t.Text(version)
		} else {
			version = -1
		}
		if kind >= 0 && rules.KindName.MatchString(t.Text(kind)) {
			facts.Kind = t.Text(kind)
		} else if plural >= 0 && rules.PluralName.MatchString(t.Text(plural)) {
			facts.Plural = t.Text(plural)
		}
		if rs := t.Sibling(i, "resources"); facts.Kind == "" && facts.Plural == "" && rs >= 0 {
			if list := t.Children(rs); len(list) == 1 {
				facts.Plural = t.Text(list[0])
			}
		}
	}
	if facts.Version == "" && role != RoleCRDGroup {
		facts.Version = a.versionAround(t, i, tok.site.Group)
	}
	ver := a.rewrite(v, tok, role, facts)
	if ver.Outcome != rules.Moves || ver.To.Group == tok.site.Group && a.inAPIService(t, i) {
		return
	}
	if kind >= 0 {
		a.beside(v, t.Nodes[kind].Val, RoleKind, ver.Rule, ver.To.Kind)
	}
	if names >= 0 {
		a.crdNames(v, t, names, merge(tok.site, facts), ver)
	}
	if version >= 0 && (role != RoleCRDGroup || ver.To.Group != tok.site.Group || ver.To.Kind != facts.Kind) {
		a.beside(v, t.Nodes[version].Val, RoleVersion, ver.Rule, ver.To.Version)
	}
	if facts.Plural != "" && plural >= 0 {
		a.beside(v, t.Nodes[plural].Val, RoleResource, ver.Rule, ver.To.Plural)
	}
}

// inAPIService says whether node i is in the spec of an APIService.
func (a *analysis) inAPIService(t *text.Tree, i int32) bool {
	spec := t.Nodes[i].Parent
	return spec >= 0 && t.KeyText(spec) == "spec" && t.Text(t.Sibling(spec, "kind")) == "APIService"
}

// resourceValue is "plural.group" as a whole value.
func (a *analysis) resourceValue(v *text.View, t *text.Tree, i int32, name string, tok token) {
	switch {
	case a.inLabels(t, i):
		a.keep(v, tok, RoleKey, "the value of a label or annotation")
	case strings.EqualFold(name, "finalizers"):
		a.finalizer(v, tok)
	case tok.site.Version == "" && name == "name" && a.ownedCRD(v, t, i, tok):
	case tok.site.Version == "" && name == "name" || name == "crd":
		if a.oneGroup(v, t, i, tok) {
			a.crdName(v, t, i, tok)
		}
	default:
		a.rewrite(v, tok, RoleResource, rules.GVK{})
	}
}

// keyValue is something like appwrapper.mcad.ibm.com as a whole value: the
// name of a CRD where the document says so, else a key.
func (a *analysis) keyValue(v *text.View, t *text.Tree, i, entry int32, name string, tok token) {
	if strings.EqualFold(name, "finalizers") {
		a.finalizer(v, tok)
		return
	}
	if a.moveKey(v, tok) {
		return
	}
	if entry >= 0 && name == "name" && tok.prefix != "" && !strings.Contains(tok.prefix, ".") && a.namesCRD(t, entry) {
		tok.site.Plural, tok.kind = tok.prefix, source.Span{Start: tok.word.Start, End: tok.word.Start + len(tok.prefix)}
		if a.oneGroup(v, t, i, tok) {
			a.crdName(v, t, i, tok)
		}
		return
	}
	if a.namesWebhook(t, entry, name) {
		tok.word.End = max(tok.group.End, tok.word.End)
		a.rewrite(v, tok, RoleWebhook, rules.GVK{})
		return
	}
	if a.inLabels(t, i) {
		a.keep(v, tok, RoleKey, "the value of a label or annotation")
		return
	}
	a.perhapsResource(v, tok)
}
