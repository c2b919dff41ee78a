package refs

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
)

// mostTexts is how many objects, of those that were found last, may have one more name, and
// perByte how many bytes are read to find objects, for each byte of the file.
const (
	mostTexts = 256
	perByte   = 64
)

// around finds the object in a text that a name is in, and the name as a value of it. False: there
// is none that is sure; field says whether the name is the value of a field all the same.
func (r *reader) around(n *syntax.Node, tok names.Token) (leaf *syntax.Node, t names.Token, field, ok bool) {
	if !isFree(n, tok) {
		return nil, t, false, false
	}
	at := n.Start + tok.At.Start
	file := n.View.Offset(at)
	for _, doc := range r.texts[max(0, len(r.texts)-mostTexts):] {
		if leaf = valueAt(doc, file); leaf != nil {
			break
		}
	}
	if leaf == nil {
		doc, name := syntax.Around(n.View, at, &r.left)
		label := syntax.Normal(name)
		if field = IsAPIVersion(label) || IsGroup(label); doc == nil {
			return nil, t, field, false
		}
		if leaf = valueAt(doc, file); leaf == nil {
			return nil, t, field, false
		}
		r.texts = append(r.texts, doc)
	}
	list, _ := r.names.Tokens(leaf.Text())
	i := slices.IndexFunc(list, func(t names.Token) bool { return leaf.View.Offset(leaf.Start+t.At.Start) == file })
	if i < 0 {
		return nil, t, true, false
	}
	return leaf, list[i], true, true
}

// valueAt is the field of an object in a document that has a place of the file in its value.
func valueAt(doc *syntax.Node, file int) (leaf *syntax.Node) {
	if v := doc.View; file < v.Offset(0) || file > v.Offset(len(v.B)) {
		return nil
	}
	doc.Leaves(func(k *syntax.Node) {
		field := k
		if k.Item && k.Name == "" {
			field = k.Up
		}
		if k.Kind == syntax.Entry && field.Name != "" && field.Up != nil && len(field.Up.Kids) > 1 && k.View.Offset(k.Start) <= file && file < k.View.Offset(k.End) {
			leaf = k
		}
	})
	return leaf
}

// isFree says whether a name is in a text in which no reader has found an object around it.
func isFree(n *syntax.Node, tok names.Token) bool {
	switch n.Kind {
	case syntax.Prose, syntax.Code, syntax.Comment:
		return true
	case syntax.Entry:
		lang := n.Document().Lang
		return tok.At.Start > 0 || n.Up != nil && (n.Up.Kind == syntax.Block || n.Up.Kind == syntax.Command || n.Up.Kind == syntax.Document && lang != "yaml" && lang != "json")
	}
	return false
}
