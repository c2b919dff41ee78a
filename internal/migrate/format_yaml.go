package migrate

import (
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// maxNesting bounds documents inside of strings inside of documents.
const maxNesting = 8

// yaml reads a stream of YAML documents, or templates of them.
func (a *analysis) yaml(v *text.View, templated bool) {
	toks := a.tokens(a.seek, v.Data)
	if a.isProject(v) {
		a.project(v)
	}
	for len(toks) > 0 {
		from, to := text.Document(v.Data, toks[0].group.Start)
		n := 0
		for n < len(toks) && toks[n].group.Start < to {
			n++
		}
		t := text.ScanYAML(v.Data, from, to, templated)
		first := len(a.sites)
		a.document(v, t, toks[:n])
		a.shapes(v, t, source.Span{Start: from, End: to}, first, false)
		toks = toks[n:]
	}
}

// isProject says whether a view is that of a PROJECT file, as a whole.
func (a *analysis) isProject(v *text.View) bool {
	return v.Depth == 0 && path.Base(a.path) == projectName
}

// json reads one JSON value, or several one after the other.
func (a *analysis) json(v *text.View, templated bool) {
	toks := a.tokens(a.seek, v.Data)
	if len(toks) == 0 {
		return
	}
	t := text.ScanJSON(v.Data, templated)
	first := len(a.sites)
	a.document(v, t, toks)
	a.shapes(v, t, source.Span{End: len(v.Data)}, first, true)
}

// document classifies the tokens of one document.
func (a *analysis) document(v *text.View, t *text.Tree, toks []token) {
	rbac := map[int32]bool{} // rules that were read as a whole
	for len(toks) > 0 {
		tok := toks[0]
		i, inKey := t.At(tok.group.Start)
		switch {
		case i >= 0 && inKey:
			a.yamlKey(v, t, i, tok)
		case i >= 0:
			n := 1
			for n < len(toks) && toks[n].group.Start < t.Nodes[i].Val.End {
				n++
			}
			a.yamlValue(v, t, i, toks[:n], rbac)
			toks = toks[n:]
			continue
		default:
			if n := t.Note(tok.group.Start); n >= 0 {
				toks = a.yamlComment(v, t, n, toks)
				continue
			}
			a.phrase(v, tok, inCode)
		}
		toks = toks[1:]
	}
}

// yamlKey classifies a token in a mapping key.
func (a *analysis) yamlKey(v *text.View, t *text.Tree, i int32, tok token) {
	switch tok.shape {
	case gkUnder, gk, gvk:
		a.rewrite(v, tok, RoleGroup, rules.GVK{})
		return
	case gv:
		// A label may be spelled like an apiVersion; its value is a scalar.
		if t.Nodes[i].Style == text.None && t.Nodes[i].Last >= 0 && !a.inLabels(t, i) {
			a.rewrite(v, tok, RoleAPIVersion, rules.GVK{})
			return
		}
	case resource:
		if !a.inLabels(t, i) && tok.site.Version != "" {
			a.rewrite(v, tok, RoleResource, rules.GVK{})
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
func (a *analysis) inLabels(t *text.Tree, i int32) bool {
	p := t.Nodes[i].Parent
	return p >= 0 && holdsLabels(t.KeyText(p)) && !(t.KeyText(i) == "apiVersion" && t.Sibling(i, "kind") >= 0)
}

// yamlValue classifies the tokens in the scalar of node i.
func (a *analysis) yamlValue(v *text.View, t *text.Tree, i int32, toks []token, rbac map[int32]bool) {
	n := &t.Nodes[i]
	tok := toks[0]
	if n.Style <= text.Double && tok.word.Start == n.Val.Start && tok.word.End == n.Val.End {
		a.scalar(v, t, i, tok, rbac)
		return
	}
	a.inner(v, t, i)
}

// scalar classifies a token that is a whole scalar.
func (a *analysis) scalar(v *text.View, t *text.Tree, i int32, tok token, rbac map[int32]bool) {
	entry := t.Up(i)
	name := ""
	if entry >= 0 {
		name = t.KeyText(entry)
	}
	switch tok.shape {
	case gv:
		a.apiVersionValue(v, t, i, tok)
	case gvk, gk, gkUnder:
		a.rewrite(v, tok, RoleGroup, rules.GVK{})
	case gr:
		if strings.EqualFold(name, "finalizers") {
			a.finalizer(v, tok)
			return
		}
		a.rewrite(v, tok, RoleGroup, rules.GVK{})
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
func (a *analysis) namesCRD(t *text.Tree, entry int32) bool {
	for p := t.Nodes[entry].Parent; p >= 0; p = t.Nodes[p].Parent {
		if t.KeyText(p) == "customresourcedefinitions" {
			return true
		}
		if k := t.Sibling(p, "kind"); t.KeyText(p) == "metadata" && k >= 0 {
			return t.Text(k) == "CustomResourceDefinition"
		}
	}
	k := t.Sibling(entry, "kind")
	return k >= 0 && t.Text(k) == "CustomResourceDefinition"
}

// finalizer is a value in a list of finalizers: it moves like a key, because a
// controller that does not know the new one never lets the object go.
func (a *analysis) finalizer(v *text.View, tok token) {
	if !a.moveKey(v, tok) {
		a.keep(v, tok, RoleKey, "a finalizer is a contract with its controller")
	}
}
