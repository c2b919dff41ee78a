// Package syntax reads files of every format into one kind of tree: entries
// with a name and a text, in objects and lists. It knows no API and no rule.
//
// A format is a function that adds the nodes of a text to a parent (formats.go
// has the list). Documents inside of strings become nodes of the same tree,
// whose texts are views that lead back to the bytes of the file.
package syntax

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A Kind says what a node is.
type Kind uint8

// The kinds of nodes.
const (
	Entry    Kind = iota // a value with its name, or an item of a list; an object or list if it has kids
	Key                  // the name of an entry, as a text of its own
	Document             // a file, a document of a stream, or a document in a string
	Block                // statements in braces: what is in it does not belong together
	Comment              // the text of a comment without its marks; kids: the arguments of a marker
	Prose                // a line of a document for people
	Code                 // `code` in a line of a document
	Command              // a command line; kids: its words
)

// A Node is one element of a file, of whatever format.
type Node struct {
	Kind   Kind
	Quoted bool   // the text is in quotes
	Item   bool   // an item of a list
	Flow   bool   // in brackets, on one line or several
	Open   bool   // the text is joined to something that is filled in at run time
	Style  Style  // of the scalar, in YAML and JSON
	Line   int32  // offset of its line, in YAML
	Indent int32  // column of its key or dash, in YAML
	Name   string // key of an entry, flag before an argument, name of a variable; "" for an item
	Type   string // what is called or made in front of a bracket: schema.GroupVersionKind
	Lang   string // of a document or comment: the name of its format
	View   *View
	Start  int // of the text in the view; Start = End when there is none
	End    int
	Up     *Node
	Kids   []*Node
	Key    *Node // the node of the name, nil when there is none
	Seq    int   // position in its document
	rare   *rare // nil for most
}

// rare is what few nodes have.
type rare struct {
	alias   *Node
	takers  []*Node // mappings with an alias of it
	merges  []*Node // mappings whose entries it takes
	mergers []*Node // mappings that take its entries
	place   source.Span
	names   *kidNames // its kids, when they are many and were asked for
}

func (n *Node) more() *rare {
	if n.rare == nil {
		n.rare = &rare{}
	}
	return n.rare
}

// some is what a node has of it.
func (n *Node) some() rare {
	if n.rare == nil {
		return rare{}
	}
	return *n.rare
}

// Place is the place in the view of a document of a stream.
func (n *Node) Place() source.Span { return n.some().place }

// kidNames are the kids of a node by their normalized names.
type kidNames struct {
	kids int // that it was made of
	last map[string]*Node
}

// Text is the text of a node.
func (n *Node) Text() []byte { return n.View.B[n.Start:n.End] }

// String is the text of a node.
func (n *Node) String() string { return string(n.Text()) }

// trim leaves bytes out at both ends of the text of a node.
func (n *Node) trim(left, right string) {
	n.End = n.Start + len(bytes.TrimRight(n.Text(), right))
	n.Start = n.End - len(bytes.TrimLeft(n.Text(), left))
}

// add makes a node the last kid of another.
func (n *Node) add(k *Node) *Node {
	k.Up = n
	if k.View == nil {
		k.View = n.View
	}
	k.Seq = len(n.Kids)
	n.Kids = append(n.Kids, k)
	return k
}

// Label is the name of the nearest entry with one, normalized: lower case
// letters and digits alone, so that apiGroups, api_groups, --api-groups and
// APIGroups are one label.
// A value or default takes the name beside it: {name: GROUP, value: x}.
func (n *Node) Label() string {
	e := n.Named()
	l := Normal(e.Name)
	if (l == "value" || l == "default") && e.Up != nil {
		if name := e.Up.Child("name"); name != nil && name.End > name.Start {
			return Normal(name.String())
		}
	}
	return l
}

// Named is the nearest node, from n upwards, that has a name.
func (n *Node) Named() *Node {
	for n.Name == "" && n.Up != nil && n.Kind != Document && n.Kind != Block {
		if n.Type != "" && !n.IsList() {
			break
		}
		n = n.Up
	}
	return n
}

// IsList says whether a bracket is a list of strings, by what is in front of it.
func (n *Node) IsList() bool {
	return n.Type == "string" || n.Type == "any" || strings.HasPrefix(n.Type, "[]")
}

// longName is above the names of fields, flags and variables.
const longName = 512

// Normal is a name in lower case without separators. What is too long for a name is left.
func Normal(name string) string {
	if len(name) > longName {
		return name
	}
	plain := true
	for i := range len(name) {
		if c := name[i]; isSeparator(c) || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return name
	}
	b := make([]byte, 0, len(name))
	for _, r := range name {
		switch {
		case r < utf8.RuneSelf && isSeparator(byte(r)):
		case r >= 'A' && r <= 'Z':
			b = append(b, byte(r)+'a'-'A')
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return string(b)
}

func isSeparator(c byte) bool {
	return c == '-' || c == '_' || c == '.' || c == ' ' || c == '$' || c == '{' || c == '}'
}

// isNormal says whether a label is what Normal makes of a name.
func isNormal(name, label string) bool {
	at := 0
	for i := range len(name) {
		c := name[i]
		switch {
		case isSeparator(c):
			continue
		case c >= utf8.RuneSelf:
			return Normal(name) == label
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		if at == len(label) || label[at] != c {
			return false
		}
		at++
	}
	return at == len(label)
}

// fewKids are looked through for each name that is asked for.
const fewKids = 32

// Child is the kid with a normalized name, the last of them; nil for none.
func (n *Node) Child(label string) *Node {
	if len(n.Kids) > fewKids {
		return n.byName()[label]
	}
	for i := len(n.Kids) - 1; i >= 0; i-- {
		if k := n.Kids[i]; k.Kind == Entry && k.Name != "" && isNormal(k.Name, label) {
			return k
		}
	}
	return nil
}

func (n *Node) byName() map[string]*Node {
	x := n.more()
	if x.names == nil || x.names.kids != len(n.Kids) {
		x.names = &kidNames{kids: len(n.Kids), last: map[string]*Node{}}
		for _, k := range n.Kids {
			if k.Kind == Entry && k.Name != "" {
				x.names.last[Normal(k.Name)] = k
			}
		}
	}
	return x.names.last
}

// At is where a node is among the kids of the one above it, -1 where it is none of them.
func (n *Node) At() int {
	if n.Seq < len(n.Up.Kids) && n.Up.Kids[n.Seq] == n {
		return n.Seq
	}
	return slices.Index(n.Up.Kids, n)
}

// reach is how many kids of an object before and after one may belong to it: an object of
// more, as of a list with one entry for each line of a file, is none of one reference.
const reach = 64

// Near are the kids of an object around that which is or holds a node.
func (n *Node) Near(object *Node) []*Node {
	k := n
	for k != nil && k.Up != object {
		k = k.Up
	}
	if k == nil || len(object.Kids) <= 2*reach || k.Seq >= len(object.Kids) || object.Kids[k.Seq] != k {
		return object.Kids[:min(len(object.Kids), 2*reach)]
	}
	return object.Kids[max(0, k.Seq-reach):min(len(object.Kids), k.Seq+reach)]
}

// Find follows labels from a node; nil where that does not lead anywhere.
func (n *Node) Find(labels ...string) *Node {
	for _, l := range labels {
		if n = n.Child(l); n == nil {
			return nil
		}
	}
	return n
}

// Leaves calls visit for each node of the tree with a text, in the order of
// the tree.
func (n *Node) Leaves(visit func(*Node)) {
	if n.Key != nil {
		visit(n.Key)
	}
	if n.End > n.Start {
		visit(n)
	}
	for _, k := range n.Kids {
		k.Leaves(visit)
	}
}

// Document is the innermost document that holds a node.
func (n *Node) Document() *Node {
	for n.Kind != Document && n.Up != nil {
		n = n.Up
	}
	return n
}

// Root is the document of the file.
func (n *Node) Root() *Node {
	for n.Up != nil {
		n = n.Up
	}
	return n
}

// Documents are the documents of the tree.
func (n *Node) Documents() []*Node {
	var list []*Node
	if n.Kind == Document {
		list = append(list, n)
	}
	for _, k := range n.Kids {
		list = append(list, k.Documents()...)
	}
	return list
}

// Within says whether a node is another one or below it.
func (n *Node) Within(top *Node) bool {
	for ; n != nil && n != top.Up; n = n.Up {
		if n == top {
			return true
		}
	}
	return false
}

// Path are the normalized names of the entries from the document to a node.
func (n *Node) Path() []string {
	var list []string
	for ; n != nil && n.Kind != Document; n = n.Up {
		if n.Name != "" {
			list = append(list, Normal(n.Name))
		}
	}
	slices.Reverse(list)
	return list
}

// InTemplate says whether a text is what the reader of YAML leaves: actions of a template.
func (n *Node) InTemplate() bool {
	return n.Kind == Prose && n.Up != nil && n.Up.Up == nil && (n.Up.Lang == "helm" || n.Up.Lang == "yaml")
}
