package find

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What rows of yamlPlaces ask about values that are groups, and what stands
// beside these.

// holdsMapping says whether a key has a mapping below and is no label, which
// may be spelled like an apiVersion; its value is a scalar.
func holdsMapping(e *entry) bool {
	n := e.t.Nodes[e.i]
	return n.Style == text.None && n.Last >= 0 && !inLabels(e.t, e.i)
}

// holdsLists says whether a key has a list for its value, or a mapping of lists.
func holdsLists(e *entry) bool {
	list := func(i int32) bool {
		n := e.t.Nodes[i]
		return n.Style == text.None && n.Last >= 0 && e.t.Nodes[n.Last].Key.Len() == 0
	}
	return list(e.i) || e.t.Nodes[e.i].Style == text.None && slices.ContainsFunc(e.t.Children(e.i), list)
}

// isRESTKey says whether a name is in a key that is a path of a server's API.
// Source: OpenAPI, paths.
func isRESTKey(e *entry) bool {
	p := e.spot()
	return behindAPIs.Match(p.left) && isREST(p)
}

// spot is a name in a key as one in running text.
func (e *entry) spot() *spot {
	data, key := e.v.Data, e.t.Nodes[e.i].Key
	return &spot{analysis: e.analysis, v: e.v, tok: e.tok, left: data[max(0, key.Start-1):e.tok.Word.Start], right: data[e.tok.Word.End:key.End], rest: data[e.tok.Group.End:key.End]}
}

// holdsKinds says whether a key has a kind below it, or a list of kinds, and is no
// label.
func holdsKinds(e *entry) bool {
	kinds := e.kindsBelow()
	return len(kinds) > 0 && !inLabels(e.t, e.i) && !slices.ContainsFunc(e.t.TextsOf(kinds), func(name string) bool { return !rules.KindName.MatchString(name) })
}

// kindsBelow are the values of a key: the only one, or those of its list.
func (e *entry) kindsBelow() []int32 {
	if n := e.t.Nodes[e.i]; n.Style == text.Plain || n.Style == text.Single || n.Style == text.Double {
		return []int32{e.i}
	} else if n.Style != text.None || !e.t.Scalars(e.t.Children(e.i)) {
		return nil
	}
	return slices.DeleteFunc(e.t.Children(e.i), func(n int32) bool { return !e.t.Nodes[n].Seq })
}

// tellsKindsBelow reads the kind that a key has below it.
func tellsKindsBelow(e *entry, s *Site) {
	if kinds := e.kindsBelow(); len(kinds) == 1 {
		s.Facts.Kind, s.Beside = e.t.Text(kinds[0]), []Part{e.part(kinds[0], RoleKind)}
	} else {
		s.Loose = e.t.TextsOf(kinds)
	}
}

// tellsVersion reads what stands beside an apiVersion, and where a template is
// nothing else.
func tellsVersion(e *entry, s *Site) {
	tellsObject(e, s)
	at := e.holder()
	if s.Facts.Kind == "" && inSchema(e.key()) && at >= 0 && isVersionName(e.t.KeyText(e.t.Nodes[at].Parent)) {
		tellsProperty(e, s)
	}
	if at < 0 && isVersionName(defines(e.v, e.tok)) {
		s.Loose = e.allKinds(e.tok.Known.Group)
	}
}

// tellsObject reads the kind or resource beside an apiVersion.
func tellsObject(e *entry, s *Site) {
	if e.t.Nodes[e.i].Key.Len() == 0 {
		return
	}
	if kind := e.t.KeyText(e.i); e.isPart(s.Known.Group, RoleKind, kind) { // its own key
		s.Loose = append(s.Loose, kind)
	}
	defer e.besideByName(s)
	for _, name := range []string{"kind", "Kind", "ownerKind", "kinds"} {
		if k := e.t.Sibling(e.i, name); k >= 0 && e.saysKind(s.Known.Group, e.t.Text(k)) {
			s.Facts.Kind = e.t.Text(k)
			s.Beside = []Part{e.part(k, RoleKind)}
			return
		}
	}
	if k := e.t.Sibling(e.i, "kind"); k >= 0 {
		e.tellsFilled(s, []byte(e.t.Text(k)))
	}
	if r := e.t.Sibling(e.i, "resource"); r >= 0 && rules.PluralName.MatchString(e.t.Text(r)) {
		s.Facts.Plural = e.t.Text(r)
	}
}

// part is the value of a node as something that moves with a site.
func (e *entry) part(n int32, role Role) Part {
	p := Part{Doc: e.v, Span: e.t.Nodes[n].Val, Role: role}
	if !e.t.Verbatim(n) {
		p.Says = e.t.Text(n)
	}
	return p
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

// isPermission says whether a list of groups belongs to a rule of permissions,
// of which nothing was reported.
func isPermission(e *entry) bool {
	at := e.holder()
	if at < 0 || e.rbac[at] || e.t.Nodes[at].Style != text.None {
		return false
	}
	for _, item := range e.t.Children(at) {
		if e.t.Nodes[item].Style == text.None && !text.HasTemplate(e.t.FlowSpan(item).Of(e.t.Data)) {
			return false
		}
	}
	e.rbac[at] = true
	return true
}

func tellsNode(e *entry, s *Site) { s.Node = e.holder() }

// wasReported says whether a name is a further group of such a rule.
func wasReported(e *entry) bool { return e.rbac[e.holder()] }

// behindGroupFlag says whether an item of a list of arguments stands behind
// one like --api-group.
func behindGroupFlag(e *entry) bool {
	prev := e.t.Nodes[e.i].Prev
	return e.t.Nodes[e.i].Seq && prev >= 0 && groupArgument.MatchString(e.t.Text(prev))
}

var groupArgument = lazyregexp.New(`^--?([a-z0-9]+-)*(api-?)?group$`)

// ofGroupVariable says whether a value is that of a variable named after a group.
func ofGroupVariable(e *entry) bool {
	return isGroupKey(e.t.Text(e.t.Sibling(e.i, "name"))) || strings.HasSuffix(e.t.Text(e.t.Sibling(e.i, "name")), "GROUP")
}

// ofGroupProperty says whether a value belongs to the schema of a property that
// is named after a group.
func ofGroupProperty(e *entry) bool {
	at := e.holder()
	return at >= 0 && isGroupKey(e.t.KeyText(e.t.Nodes[at].Parent))
}

// tellsProperty reads the kind that the schema has beside that of a group: its
// default, its constant, or the only one that it allows. It moves in all of them.
func tellsProperty(e *entry, s *Site) {
	at := e.holder()
	if e.t.Nodes[at].Parent < 0 {
		return
	}
	kind := e.t.Sibling(e.t.Nodes[at].Parent, "kind")
	if kind < 0 {
		return
	}
	name, named := e.schemaKind(kind)
	if !rules.KindName.MatchString(name) {
		return
	}
	s.Facts.Kind = name
	for _, n := range named {
		if e.t.Text(n) == name {
			s.Beside = append(s.Beside, e.part(n, RoleKind))
		}
	}
}

// schemaKind is the kind that the schema of a property says, "" when it says
// none or several, and the nodes that name kinds in it.
func (e *entry) schemaKind(property int32) (kind string, named []int32) {
	for _, key := range []string{"default", "const"} {
		if n := e.t.Child(property, key); n >= 0 {
			kind, named = cmp.Or(kind, e.t.Text(n)), append(named, n)
		}
	}
	if list := e.t.Child(property, "enum"); list >= 0 {
		allowed := e.t.Children(list)
		if len(allowed) == 1 {
			kind = cmp.Or(kind, e.t.Text(allowed[0]))
		}
		named = append(named, allowed...)
	}
	return kind, named
}

// ordersResources says whether a key is a resource whose objects a backup orders.
// Source: Velero, Backup spec.orderedResources.
func ordersResources(e *entry) bool {
	p := e.t.Nodes[e.i].Parent
	return p >= 0 && e.t.KeyText(p) == "orderedResources"
}

// namesEveryKind says whether a key is a group with a wildcard for its kinds,
// with a mapping below.
// Source: Argo CD, resource.customizations.
func namesEveryKind(e *entry) bool {
	return e.tok.Prefix == "" && bytes.HasPrefix(e.v.Data[e.tok.Group.End:], []byte("/*")) &&
		e.t.Nodes[e.i].Key == source.Span{Start: e.tok.Word.Start, End: e.tok.Group.End + 2} && holdsMapping(e)
}

// listsVersions says whether a name is that of a group in the list that a server
// gives of what it serves: each version beside it names the group again.
// Source: metav1.APIGroup.
func listsVersions(e *entry) bool {
	if at := e.t.Sibling(e.i, "preferredVersion"); at >= 0 && e.t.Child(at, "groupVersion") >= 0 {
		return true
	}
	list := e.t.Sibling(e.i, "versions")
	return list >= 0 && e.t.Nodes[list].Last >= 0 && e.t.Child(e.t.Nodes[list].Last, "groupVersion") >= 0
}

// aliases are the nodes of the document that are aliases of a value.
func (e *entry) aliases() []int32 {
	m := aliasable.FindSubmatch(e.t.Data[max(0, e.tok.Word.Start-text.Nearby):e.tok.Word.Start])
	if m == nil {
		return nil
	}
	var list []int32
	for j := range e.t.Nodes {
		if n := e.t.Nodes[j]; int32(j) > e.i && n.Style == text.Plain && e.t.Raw(int32(j)) == "*"+string(m[1]) {
			list = append(list, int32(j))
		}
	}
	return list
}

var aliasable = lazyregexp.New(`&([^\s,\[\]{}]+)[ \t]+["']?$`)

// aliasedAsGroup says whether every alias of a value stands where a group does.
func aliasedAsGroup(e *entry) bool {
	list := e.aliases()
	return len(list) > 0 && !slices.ContainsFunc(list, func(j int32) bool { return !isGroupKey((&entry{analysis: e.analysis, t: e.t, i: j}).key()) })
}

// tellsAliased reads the resources beside the aliases of a group.
func tellsAliased(e *entry, s *Site) {
	for _, j := range e.aliases() {
		if e.t.Nodes[j].Key.Len() == 0 {
			j = e.t.Up(j)
		}
		if list := e.t.Sibling(j, "resources"); list >= 0 && e.t.Scalars(e.t.Children(list)) {
			s.Apart = append(s.Apart, e.t.TextsOf(e.t.Children(list))...)
		}
	}
}

// patchesGroup says whether a value is written where a JSON patch has a group.
// Source: RFC 6902, section 4.
func patchesGroup(e *entry) bool {
	return groupPointer.MatchString(e.t.Text(e.t.Sibling(e.i, "path")))
}

var groupPointer = lazyregexp.New(`/(group|apiGroup|apiGroups/([0-9]+|-))$`)

// tellsField reads the kind, resource or version that stand beside a group.
func tellsField(e *entry, s *Site) {
	if e.t.Nodes[e.i].Key.Len() > 0 {
		e.beside(s, e.t.Sibling(e.i, "kind"), e.t.Sibling(e.i, "resource"), e.versionField(s.Known.Group))
		if name := e.t.Sibling(e.i, "name"); name >= 0 && s.Facts.Plural == "" && e.ofAPIServer() && e.knows(s.Known.Group, e.t.Text(name)) {
			s.Facts.Plural, s.Beside = e.t.Text(name), append(s.Beside, e.part(name, RoleResource))
		}
	}
	e.tellsTaken(s)
	if s.Facts.Version == "" {
		s.Facts.Version = versionAround(e.t, e.i, e.tok.Known.Group)
	}
	for i := range s.Beside {
		s.Beside[i].WithGroup = inAPIService(e.t, e.i)
	}
}

// ofAPIServer says whether a group is that of an API which a ClusterServiceVersion owns or
// requires and a server of its own serves: its name is the resource.
// Source: github.com/operator-framework/api, v1alpha1.APIServiceDescription.
func (e *entry) ofAPIServer() bool {
	at := e.i
	for range 3 { // the item, its list, and the list's own
		if at = e.t.Nodes[at].Parent; at < 0 {
			return false
		}
	}
	return e.t.KeyText(at) == "apiservicedefinitions"
}

// apart takes the resources of a list beside a group, with their places.
func (e *entry) apart(s *Site, list []int32) {
	for _, n := range list {
		s.Apart = append(s.Apart, e.t.Text(n))
		if at := e.t.Nodes[n].Val; e.t.Verbatim(n) {
			name, _, _ := strings.Cut(e.t.Text(n), "/")
			s.ApartIn = append(s.ApartIn, Part{Doc: e.v, Span: source.Span{Start: at.Start, End: at.Start + len(name)}, Role: RoleResource})
		}
	}
}

// beside reads what stands beside a group; -1 is for what is not there.
func (e *entry) beside(s *Site, kind, plural, version int32) {
	t := e.t
	if kind < 0 {
		kind = t.Sibling(e.i, "Kind")
	}
	if plural < 0 {
		plural = t.Sibling(e.i, "plural")
	}
	if version >= 0 && !rules.APIVersion.MatchString(t.Text(version)) {
		version = -1
	}
	if kind >= 0 && e.saysKind(s.Known.Group, t.Text(kind)) {
		s.Facts.Kind = t.Text(kind)
	} else if plural >= 0 && rules.PluralName.MatchString(t.Text(plural)) {
		s.Facts.Plural = t.Text(plural)
	} else if list := t.Sibling(e.i, "resources"); list >= 0 && len(t.Children(list)) == 1 {
		s.Facts.Plural = t.Text(t.Nodes[list].Last)
	}
	if kind >= 0 && s.Facts.Kind == "" {
		s.Loose = append(s.Loose, e.matched(s.Known.Group, t.Text(kind))...)
	}
	if list := t.Sibling(e.i, "resources"); list >= 0 && t.Scalars(t.Children(list)) {
		e.apart(s, t.Children(list))
	}
	if kind >= 0 && t.Text(kind) == "*" || plural >= 0 && t.Text(plural) == "*" {
		s.Place = EveryKind
	}
	if kind >= 0 {
		s.Beside = append(s.Beside, e.part(kind, RoleKind))
	}
	if version >= 0 {
		s.Facts.Version = t.Text(version)
		s.Beside = append(s.Beside, e.part(version, RoleVersion))
	}
	if plural >= 0 && s.Facts.Plural != "" {
		s.Beside = append(s.Beside, e.part(plural, RoleResource))
	}
	e.besideByName(s)
}

// matched are the known kinds of a group that a regular expression may match, as that of a
// target of kustomize; none where it is no such expression.
// Source: sigs.k8s.io/kustomize/api/types, Selector.
func (n *Names) matched(group, pattern string) []string {
	if pattern == "*" || !strings.ContainsAny(pattern, "|*+?.^$()[") {
		return nil
	}
	is, err := regexp.Compile("^(?:" + pattern + ")$")
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(n.allKinds(group), func(kind string) bool { return !is.MatchString(kind) })
}

// besideByName reads the further kinds, resources and versions of the group that stand beside it
// under keys which say so: resource and plural beside a kind, resourcePlural, resourceKind, singular,
// VERSION beside GROUP, crdVersion beside crdGroup.
func (e *entry) besideByName(s *Site) {
	at := e.t.Nodes[e.i].Parent
	if at < 0 || e.t.Nodes[e.i].Key.Len() == 0 {
		return
	}
	key := e.t.KeyText(e.i)
	for _, n := range e.keyedParts(at) {
		e.takeNamed(s, key, e.t.KeyText(n), n)
	}
}

// takeNamed takes a value for a part of the group where its name says so, and begins as that of
// the group does.
func (e *entry) takeNamed(s *Site, group, name string, n int32) {
	m := partKey.FindStringSubmatch(name)
	own := groupKey.FindStringSubmatch(group)
	if m == nil || own == nil {
		return
	}
	begins, word := strings.ToLower(m[1]), strings.ToLower(m[2])
	p := e.part(n, partRole(word))
	if begins != strings.ToLower(own[1]) && (p.Role == RoleVersion || begins != "" && begins != "resource") {
		return
	}
	if name == "apiVersion" && !strings.HasPrefix(strings.ToLower(group), "api") { // of the object
		return
	}
	value, sub, _ := strings.Cut(e.t.Text(n), "/")
	if sub != "" && p.Says == "" {
		p.Span.End = p.Span.Start + len(value)
	}
	taken := slices.ContainsFunc(s.Beside, func(x Part) bool { return x.Span.Start == p.Span.Start })
	if taken || !e.isPart(s.Known.Group, p.Role, value) || (value == strings.ToLower(value)) == (word == "kind") {
		return
	}
	switch {
	case p.Role == RoleVersion && s.tells(RoleVersion):
		return
	case p.Role == RoleVersion:
		s.Facts.Version = value
	case p.Role == RoleResource && !s.tells(RoleResource):
		s.Facts.Plural = value
	case p.Role == RoleKind && !s.tells(RoleKind):
		s.Facts.Kind, _ = e.Singular(s.Known.Group, strings.ToLower(value))
	}
	s.Beside = append(s.Beside, p)
}

// tellsVariables reads the other variables of a container that are parts of the API whose group
// one of them is: CRD_VERSION, CRD_PLURAL beside CRD_GROUP.
func tellsVariables(e *entry, s *Site) {
	item := e.t.Nodes[e.i].Parent
	if item < 0 || e.t.Nodes[item].Parent < 0 {
		return
	}
	variables := e.t.Children(e.t.Nodes[item].Parent)
	if len(variables) > maxVariables {
		return
	}
	for _, x := range variables {
		name, value := e.t.Child(x, "name"), e.t.Child(x, "value")
		if x != item && name >= 0 && value >= 0 && e.t.Nodes[value].Style <= text.Double {
			e.takeNamed(s, e.t.Text(e.t.Sibling(e.i, "name")), e.t.Text(name), value)
		}
	}
}

// maxVariables is how many variables a container has at most that are read.
const maxVariables = 256

// keyedParts are the scalars of a mapping whose keys say that they are parts of an API; a mapping
// is asked for them once, however many groups it has. One of very many parts is of many APIs.
func (e *entry) keyedParts(mapping int32) []int32 {
	if e.partsOf != e.t {
		e.partsOf, e.parts = e.t, map[int32][]int32{}
	}
	list, ok := e.parts[mapping]
	if !ok {
		list = slices.DeleteFunc(e.t.Children(mapping), func(n int32) bool {
			return e.t.Nodes[n].Style > text.Double || !partKey.MatchString(e.t.KeyText(n))
		})
		if len(list) > maxParts {
			list = nil
		}
		e.parts[mapping] = list
	}
	return list
}

// maxParts is how many parts of APIs one mapping may have.
const maxParts = 32

var (
	// partKey is the key of (2) a part of an API, and (1) how it begins.
	partKey = lazyregexp.New(`(?i)^(.*?)[_.-]?(?:api[_.-]?)?(kind|plural|resource|singular|version)s?$`)
	// groupKey is the key of a group or an apiVersion, and (1) how it begins.
	groupKey = lazyregexp.New(`(?i)^(.*?)[_.-]?(?:api[_.-]?)?(?:groups?[_.-]?(?:name|version|kind)*|version)?$`)
)

// versionAround is the version of a group in which the object stands that
// names the group again without one, "" when none of the objects around it is
// of that group.
func versionAround(t *text.Tree, i int32, group string) string {
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
