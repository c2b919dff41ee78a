package find

import (
	"bytes"
	"path"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// maxNesting bounds documents inside of strings inside of documents.
const maxNesting = 8

// stream and template read a file of YAML.
func (a *analysis) stream(v *text.View)   { a.yaml(v, false) }
func (a *analysis) template(v *text.View) { a.yaml(v, true) }

// yaml reads a stream of YAML documents, or templates of them.
func (a *analysis) yaml(v *text.View, templated bool) {
	toks := a.Tokens(v.Data)
	if a.isProject(v) {
		a.found(Site{Doc: v, Place: InProject})
	}
	for len(toks) > 0 {
		from, to := text.Document(v.Data, toks[0].Group.Start)
		n := 0
		for n < len(toks) && toks[n].Group.Start < to {
			n++
		}
		t := text.ScanYAML(v.Data, from, to, templated)
		a.Begin()
		a.document(v, t, toks[:n])
		a.End(Document{v, t, source.Span{Start: from, End: to}, false})
		toks = toks[n:]
	}
}

// isProject says whether a view is that of a PROJECT file, as a whole.
func (a *analysis) isProject(v *text.View) bool {
	return v.Depth == 0 && path.Base(a.path) == "PROJECT"
}

// json reads one JSON value, or several one after the other.
func (a *analysis) json(v *text.View, templated bool) {
	toks := a.Tokens(v.Data)
	if len(toks) == 0 {
		return
	}
	t := text.ScanJSON(v.Data, templated)
	a.Begin()
	a.document(v, t, toks)
	a.End(Document{v, t, source.Span{End: len(v.Data)}, true})
}

// document reports the tokens of one document.
func (a *analysis) document(v *text.View, t *text.Tree, toks []Token) {
	rbac := map[int32]bool{} // rules that were read as a whole
	for len(toks) > 0 {
		tok := toks[0]
		i, inKey := t.At(tok.Group.Start)
		switch {
		case i >= 0 && inKey:
			a.yamlPlace(&entry{a, v, t, i, tok, rbac, true})
		case i >= 0 && trailed(v, t, i): // source in a text that holds YAML, too
			a.phrase(v, tok, InCode)
		case i >= 0:
			n := 1
			for n < len(toks) && toks[n].Group.Start < t.Nodes[i].Val.End {
				n++
			}
			a.yamlValue(v, t, i, toks[:n], rbac)
			toks = toks[n:]
			continue
		default:
			if n := t.Note(tok.Group.Start); n >= 0 {
				toks = a.yamlComment(v, t, n, toks)
				continue
			}
			a.phrase(v, tok, InCode)
		}
		toks = toks[1:]
	}
}

// trailed says whether something stands behind the end of a string on its line, as in no
// value of YAML.
func trailed(v *text.View, t *text.Tree, i int32) bool {
	if s := t.Nodes[i].Style; s != text.Double && s != text.Single || t.Nodes[i].Flow {
		return false
	}
	from := t.QuotedSpan(i).End
	if from > len(v.Data) {
		return false // it is not closed
	}
	end, _ := text.LineEnd(v.Data, from, len(v.Data))
	rest := bytes.TrimLeft(v.Data[from:end], " \t\r")
	return len(rest) > 0 && rest[0] != '#' && !text.BeginsTemplate(rest)
}

// yamlValue reports the tokens in the scalar of node i.
func (a *analysis) yamlValue(v *text.View, t *text.Tree, i int32, toks []Token, rbac map[int32]bool) {
	n := &t.Nodes[i]
	if tok := toks[0]; string(tok.Word.Of(v.Data)) == strings.Trim(string(n.Val.Of(v.Data)), " \r\n") && !a.isWordOfKubectl(t, i) {
		a.yamlPlace(&entry{a, v, t, i, tok, rbac, false})
		return
	}
	if one := (&entry{a, v, t, i, toks[0], rbac, false}); one.key() == "apiVersion" && one.tok.Shape == GroupVersion && !bytes.Contains(n.Val.Of(v.Data), []byte("{{")) {
		for _, one.tok = range toks {
			a.yamlPlace(one)
		}
		return
	}
	a.inner(v, t, i)
}
