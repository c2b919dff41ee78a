package migrate

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// maxNesting bounds documents inside of strings inside of documents.
const maxNesting = 8

// yaml reads a stream of YAML documents, or templates of them.
func (a *analysis) yaml(v *view, templated bool) {
	toks := a.tokens(a.seek, v.data)
	if v.depth == 0 && path.Base(a.path) == "PROJECT" {
		a.project(v)
	}
	for len(toks) > 0 {
		from, to := document(v.data, toks[0].group.Start)
		n := 0
		for n < len(toks) && toks[n].group.Start < to {
			n++
		}
		t := scanYAML(v.data, from, to, templated)
		if v.depth == 0 && !templated {
			a.proofs = append(a.proofs, proof{span: source.Span{Start: from, End: to}, first: len(a.sites)})
		}
		first := len(a.sites)
		a.document(v, t, toks[:n])
		a.shapes(v, t, source.Span{Start: from, End: to}, first, false)
		toks = toks[n:]
	}
}

// document is the document of a stream that holds an offset: from the line
// after (or on) its "---" to the next one.
func document(data []byte, at int) (from, to int) {
	for from = lineStart(data, at); from > 0; from = lineStart(data, from-1) {
		if isMarker(data[from:]) {
			break
		}
	}
	for to = at; ; {
		n := bytes.IndexByte(data[to:], '\n')
		if n < 0 {
			return from, len(data)
		}
		to += n + 1
		if isMarker(data[to:]) {
			return from, to
		}
	}
}

func lineStart(data []byte, at int) int { return bytes.LastIndexByte(data[:at], '\n') + 1 }

// isMarker says whether a line begins a document.
func isMarker(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && (len(line) == 3 || bytes.IndexByte([]byte(" \t\r\n"), line[3]) >= 0)
}

// json reads one JSON value, or several one after the other.
func (a *analysis) json(v *view, templated bool) {
	toks := a.tokens(a.seek, v.data)
	if len(toks) == 0 {
		return
	}
	t := scanJSON(v.data, templated)
	first := len(a.sites)
	a.document(v, t, toks)
	a.shapes(v, t, source.Span{End: len(v.data)}, first, true)
}

// scanJSON reads data as flow style from the first bracket on.
func scanJSON(data []byte, templated bool) *tree {
	s := &scanner{tree: tree{data: data}, templated: templated, end: len(data)}
	s.reserve(data)
	f := &flowReader{s: s}
	for f.space(); f.at < s.end; f.space() {
		c := data[f.at]
		if c != '{' && c != '[' {
			f.at++
			continue
		}
		n := s.add(node{parent: -1, flow: true, seq: true, pos: int32(f.at), style: none})
		f.collection(n, 0)
	}
	return &s.tree
}

// document classifies the tokens of one document.
func (a *analysis) document(v *view, t *tree, toks []token) {
	rbac := map[int32]bool{} // rules that were read as a whole
	for len(toks) > 0 {
		tok := toks[0]
		i, inKey := t.at(tok.group.Start)
		switch {
		case i >= 0 && inKey:
			a.yamlKey(v, t, i, tok)
		case i >= 0:
			n := 1
			for n < len(toks) && toks[n].group.Start < t.nodes[i].val.End {
				n++
			}
			a.yamlValue(v, t, i, toks[:n], rbac)
			toks = toks[n:]
			continue
		default:
			if n := t.note(tok.group.Start); n >= 0 {
				toks = a.yamlComment(v, t, n, toks)
				continue
			}
			a.phrase(v, tok, inCode)
		}
		toks = toks[1:]
	}
}

// yamlKey classifies a token in a mapping key.
func (a *analysis) yamlKey(v *view, t *tree, i int32, tok token) {
	switch tok.shape {
	case gkUnder, gk, gvk:
		a.rewrite(v, tok, RoleGroup, GVK{})
		return
	case gv:
		// A label may be spelled like an apiVersion; its value is a scalar.
		if t.nodes[i].style == none && len(t.children(i)) > 0 && !a.inLabels(t, i) {
			a.rewrite(v, tok, RoleAPIVersion, GVK{})
			return
		}
	case resource:
		if !a.inLabels(t, i) && tok.site.Version != "" {
			a.rewrite(v, tok, RoleResource, GVK{})
			return
		}
	case email, urlHost, longer:
		a.keep(v, tok, RoleDomain, domainWhy(tok))
		return
	}
	if a.moveKey(v, tok) {
		return
	}
	a.keep(v, tok, RoleKey, "a key is a contract with whoever reads it, not an API group")
}

func domainWhy(t token) string {
	switch t.shape {
	case email:
		return "an e-mail address"
	case urlHost:
		return "the host of a URL"
	}
	return "part of a longer domain"
}

// labelParents are mappings whose keys and values are labels, annotations or
// selectors of them.
var labelParents = []string{"nodeSelector", "selector", "pairs"}

// holdsLabels says whether a key of that name has labels, annotations or a
// selector of them below: podLabels, commonAnnotations, pairs of kustomize.
func holdsLabels(name string) bool {
	low := strings.ToLower(name)
	return slices.Contains(labelParents, name) || strings.HasSuffix(low, "labels") || strings.HasSuffix(low, "annotations")
}

// inLabels says whether node i is an entry of a mapping of labels. A selector
// of objects by apiVersion and kind is none.
func (a *analysis) inLabels(t *tree, i int32) bool {
	p := t.nodes[i].parent
	return p >= 0 && holdsLabels(t.keyText(p)) && !(t.keyText(i) == "apiVersion" && t.sibling(i, "kind") >= 0)
}

// yamlValue classifies the tokens in the scalar of node i.
func (a *analysis) yamlValue(v *view, t *tree, i int32, toks []token, rbac map[int32]bool) {
	n := &t.nodes[i]
	tok := toks[0]
	if n.style <= double && tok.word.Start == n.val.Start && tok.word.End == n.val.End {
		a.scalar(v, t, i, tok, rbac)
		return
	}
	a.inner(v, t, i)
}

// scalar classifies a token that is a whole scalar.
func (a *analysis) scalar(v *view, t *tree, i int32, tok token, rbac map[int32]bool) {
	entry := t.up(i)
	name := ""
	if entry >= 0 {
		name = t.keyText(entry)
	}
	switch tok.shape {
	case gv:
		a.apiVersionValue(v, t, i, tok)
	case gvk, gk, gkUnder:
		a.rewrite(v, tok, RoleGroup, GVK{})
	case gr:
		if strings.EqualFold(name, "finalizers") {
			a.finalizer(v, tok)
			return
		}
		a.rewrite(v, tok, RoleGroup, GVK{})
	case bare:
		a.groupValue(v, t, i, entry, name, tok, rbac)
	case resource:
		a.resourceValue(v, t, i, name, tok)
	case key:
		a.keyValue(v, t, i, entry, name, tok)
	case fileName:
		a.fileRef(v, tok)
		a.listed(v, t, i, tok)
	default:
		a.keep(v, tok, RoleDomain, domainWhy(tok))
	}
}

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

// namesCRD says whether a name: entry is that of a CustomResourceDefinition.
func (a *analysis) namesCRD(t *tree, entry int32) bool {
	for p := t.nodes[entry].parent; p >= 0; p = t.nodes[p].parent {
		if t.keyText(p) == "customresourcedefinitions" {
			return true
		}
		if k := t.sibling(p, "kind"); t.keyText(p) == "metadata" && k >= 0 {
			return t.text(k) == "CustomResourceDefinition"
		}
	}
	k := t.sibling(entry, "kind")
	return k >= 0 && t.text(k) == "CustomResourceDefinition"
}

// finalizer is a value in a list of finalizers: it moves like a key, because a
// controller that does not know the new one never lets the object go.
func (a *analysis) finalizer(v *view, tok token) {
	if !a.moveKey(v, tok) {
		a.keep(v, tok, RoleKey, "a finalizer is a contract with its controller")
	}
}

// inner classifies the tokens in a scalar that holds more than a name: a
// document inside of a string, a command, prose.
func (a *analysis) inner(v *view, t *tree, i int32) {
	n := t.nodes[i]
	var in *view
	switch n.style {
	case literal, folded:
		in = unindent(v, n.val)
	case double:
		in = unescape(v, n.val, false)
	case single:
		in = unquoteSingle(v, n.val)
	default:
		in = v.sub(n.val)
		in.spell = refuse
	}
	if version := servedAround(t, i); version != "" {
		defer func(was string) { a.pkg = was }(a.pkg)
		a.pkg = version
	}
	entry := t.up(i)
	mode := inCode
	if entry >= 0 {
		switch strings.ToLower(t.keyText(entry)) {
		case "description", "message", "summary", "title", "note", "notes", "documentation", "displayname":
			mode = inProse
		}
	}
	if n.style <= double && !bytes.ContainsAny(in.data, " \n{") {
		a.word(v, in, t, i)
		return
	}
	a.embedded(in, mode)
}

// word classifies a value of one word that is more than a name: a path, a
// list, an assignment.
func (a *analysis) word(outer, v *view, t *tree, i int32) {
	for _, tok := range a.tokens(a.seek, v.data) {
		if tok.shape == fileName {
			a.fileRef(v, tok)
			a.listed(outer, t, i, tok)
			continue
		}
		if tok.shape == key && a.inLabels(t, i) {
			a.keep(v, tok, RoleKey, "the value of a label or annotation")
			continue
		}
		if entry := t.up(i); entry >= 0 && strings.EqualFold(t.keyText(entry), "finalizers") {
			a.finalizer(v, tok)
			continue
		}
		a.phrase(v, tok, inCode)
	}
}

// embedded reads text that may be a document of its own.
func (a *analysis) embedded(v *view, m mode) {
	if v.depth > maxNesting {
		return
	}
	templated := hasTemplate(v.data)
	trimmed := bytes.TrimLeft(v.data, " \t\r\n")
	switch {
	case len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && bytes.IndexByte(trimmed, '"') > 0 && !bytes.HasPrefix(trimmed, []byte("{{")):
		a.json(v, templated)
	case looksYAML(v.data):
		a.yaml(v, templated)
	default:
		a.prose(v, m)
	}
}

// hasTemplate says whether text holds template actions.
func hasTemplate(data []byte) bool {
	for i := range templateMarks {
		if bytes.Contains(data, templateMarks[i].open) {
			return true
		}
	}
	return false
}

// yamlMarks are the keys that tell a manifest from prose with colons.
var yamlMarks = [][]byte{[]byte("apiVersion:"), []byte("kind:"), []byte("apiGroups:"), []byte("apiGroup:"), []byte("group:"),
	[]byte("metadata:"), []byte("labels:"), []byte("annotations:"), []byte("finalizers:"), []byte("resources:"), []byte("\"apiVersion\":")}

// looksYAML says whether some line begins with a key that manifests have.
func looksYAML(data []byte) bool {
	for at := 0; at < len(data); {
		text, next := lineEnd(data, at, len(data))
		line := bytes.TrimLeft(data[at:text], " \t-")
		for _, m := range yamlMarks {
			if bytes.HasPrefix(line, m) && (len(line) == len(m) || line[len(m)] == ' ' || line[len(m)] == '\r') {
				return true
			}
		}
		at = next
	}
	return false
}

// yamlComment classifies the tokens in a run of comment lines and returns the
// tokens behind it. A commented-out manifest is read as one.
func (a *analysis) yamlComment(v *view, t *tree, n int, toks []token) []token {
	first, last := n, n
	if wholeLine(t.data, t.notes[n]) {
		for first > 0 && follows(t.data, t.notes[first-1], t.notes[first]) {
			first--
		}
		for last+1 < len(t.notes) && follows(t.data, t.notes[last], t.notes[last+1]) {
			last++
		}
	}
	b := builder{outer: v}
	for _, c := range t.notes[first : last+1] {
		for c.Start < c.End && v.data[c.Start] == '#' {
			c.Start++
		}
		b.add(c)
		_, next := lineEnd(v.data, c.End, len(v.data))
		if next > c.End {
			b.add(source.Span{Start: c.End, End: next})
		}
	}
	in := b.view()
	if mark := t.notes[first].Start; wholeLine(t.data, t.notes[first]) {
		end := mark
		for end < t.notes[first].End && v.data[end] == '#' {
			end++
		}
		in.within(v, prefixed(string(v.data[lineStart(v.data, mark):end])))
	}
	if looksYAML(in.data) {
		a.yaml(in, hasTemplate(in.data))
	} else {
		a.prose(in, inComment)
	}
	end := t.notes[last].End
	for len(toks) > 0 && toks[0].group.Start < end {
		toks = toks[1:]
	}
	return toks
}

// wholeLine says whether nothing stands before a comment on its line.
func wholeLine(data []byte, c source.Span) bool {
	return len(bytes.TrimLeft(data[lineStart(data, c.Start):c.Start], " \t#/")) == 0
}

// follows says whether comment b stands right below comment a, both on lines
// of their own.
func follows(data []byte, a, b source.Span) bool {
	_, next := lineEnd(data, a.End, len(data))
	return wholeLine(data, a) && wholeLine(data, b) && lineStart(data, b.Start) == next
}
