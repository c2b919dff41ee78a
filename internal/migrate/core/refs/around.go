package refs

import (
	"bytes"
	"slices"
	"sort"

	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
)

// perByte is how many bytes are read to find objects in texts, for each byte of the file.
const perByte = 64

// around finds the object in a text that a name is in, and the name as a value of it. False: there
// is none that is sure; field says whether the name is the value of a field all the same.
func (r *reader) around(n *syntax.Node, tok names.Token) (leaf *syntax.Node, t names.Token, field, ok bool) {
	if !isFree(n, tok) {
		return nil, t, false, false
	}
	v, at := n.View, n.Start+tok.At.Start
	file := v.Offset(at)
	if n.Kind == syntax.Entry && bytes.IndexByte(n.Text(), '{') >= 0 { // the object is in the string
		v, at = v.Sub(n.Start, n.End), tok.At.Start
	}
	i := sort.Search(len(r.objects), func(i int) bool { return r.objects[i].doc.View.Offset(0) > file })
	if i > 0 {
		leaf = r.objects[i-1].valueAt(file)
	}
	for root := n.Root().View; leaf == nil; v, at = root, file-root.Offset(0) { // a string may be a line of the object
		doc, name := r.texts.Around(v, at)
		label := syntax.Normal(name)
		field = field || IsAPIVersion(label) || IsGroup(label) || label == "name" && tok.Form == names.Resource
		if doc != nil {
			if o := objectOf(doc); o.valueAt(file) != nil {
				leaf, r.objects = o.valueAt(file), slices.Insert(r.objects, i, o)
			}
		}
		if leaf == nil && (name == "" || v == root) {
			return nil, t, field, false
		}
	}
	list, _ := r.names.Tokens(leaf.Text())
	i = slices.IndexFunc(list, func(t names.Token) bool { return leaf.View.Offset(leaf.Start+t.At.Start) == file })
	if i < 0 {
		return nil, t, true, false
	}
	return leaf, list[i], true, true
}

// An object of a text: its document, and the fields and items of it in order.
type object struct {
	doc    *syntax.Node
	values []*syntax.Node
}

func objectOf(doc *syntax.Node) object {
	o := object{doc: doc}
	doc.Leaves(func(k *syntax.Node) {
		field := k
		if k.Item && k.Name == "" {
			field = k.Up
		}
		if k.Kind == syntax.Entry && field.Name != "" && field.Up != nil && (len(field.Up.Kids) > 1 || field.Up.Name != "" || IsAPIVersion(syntax.Normal(field.Name)) && bytes.IndexByte(k.Text(), ' ') < 0) {
			o.values = append(o.values, k)
		}
	})
	return o
}

// valueAt is the value that has a place of the file, nil where there is none.
func (o object) valueAt(file int) *syntax.Node {
	i := sort.Search(len(o.values), func(i int) bool { return o.values[i].View.Offset(o.values[i].Start) > file }) - 1
	if i < 0 || file >= o.values[i].View.Offset(o.values[i].End) {
		return nil
	}
	return o.values[i]
}

// isFree says whether a name is in a text in which no reader has found an object around it.
func isFree(n *syntax.Node, tok names.Token) bool {
	switch n.Kind {
	case syntax.Prose, syntax.Code, syntax.Comment:
		return true
	case syntax.Entry:
		lang := n.Document().Lang
		return tok.At.Start > 0 || bytes.IndexByte(n.Text(), '\n') >= 0 || n.Up != nil && (n.Up.Kind == syntax.Block || n.Up.Kind == syntax.Command || n.Up.Kind == syntax.Document && lang != "yaml" && lang != "json")
	}
	return false
}
