package migrate

import (
	"bytes"
	"path"
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
	s := &scanner{tree: tree{data: data}, templated: templated, end: len(data), top: -1}
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
		if t.nodes[i].style == none && t.nodes[i].last >= 0 && !a.inLabels(t, i) {
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
