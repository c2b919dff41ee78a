package prove

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A node is one value of a decoded document.
type node struct {
	shape shape
	value string // of a scalar, or the name of an alias
	tag   string
	keys  []*node // of a mapping, one for each item
	items []*node
	pos   source.Position
}

type shape uint8

const (
	scalar shape = iota
	sequence
	mapping
	alias
)

// maxNesting is how deep a document may be that is decoded.
const maxNesting = 1000

var errNesting = errors.New("the document is nested too deep")

// decode reads all documents of a text.
func decode(lang, text string) ([]*node, error) {
	if lang == "json" {
		return decodeJSON(text)
	}
	return decodeYAML(text)
}

func decodeYAML(text string) (list []*node, err error) {
	defer func() { // the parser panics on some broken texts
		if r := recover(); r != nil {
			err = fmt.Errorf("the text does not parse: %v", r)
		}
	}()
	d := yaml.NewDecoder(strings.NewReader(text))
	for {
		var n yaml.Node
		switch err := d.Decode(&n); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, err
		}
		x, err := fromYAML(&n, 0)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
}

// fromYAML takes over a node. Aliases are not followed.
func fromYAML(n *yaml.Node, depth int) (*node, error) {
	if depth > maxNesting {
		return nil, errNesting
	}
	x := &node{value: n.Value, tag: n.ShortTag(), pos: source.Position{Line: n.Line, Column: n.Column}}
	kids := n.Content
	switch n.Kind {
	case yaml.DocumentNode:
		if len(kids) == 0 {
			return x, nil
		}
		return fromYAML(kids[0], depth+1)
	case yaml.MappingNode:
		x.shape = mapping
	case yaml.SequenceNode:
		x.shape = sequence
	case yaml.AliasNode:
		x.shape = alias
		return x, nil
	}
	for i, k := range kids {
		kid, err := fromYAML(k, depth+1)
		if err != nil {
			return nil, err
		}
		if x.shape == mapping && i%2 == 0 {
			x.keys = append(x.keys, kid)
		} else {
			x.items = append(x.items, kid)
		}
	}
	return x, nil
}

// A jsonReader decodes JSON with the order and the positions of its values.
type jsonReader struct {
	*json.Decoder
	text  string
	at    int // offset of the position in pos
	pos   source.Position
	depth int
}

func decodeJSON(text string) ([]*node, error) {
	r := &jsonReader{Decoder: json.NewDecoder(strings.NewReader(text)), text: text, pos: source.Position{Line: 1, Column: 1}}
	r.UseNumber()
	var list []*node
	for {
		n, err := r.value()
		if errors.Is(err, io.EOF) && len(list) > 0 {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
}

// value reads the next value.
func (r *jsonReader) value() (*node, error) {
	t, err := r.Token()
	if err != nil {
		return nil, err
	}
	n := &node{pos: r.position(), tag: fmt.Sprintf("%T", t)}
	switch d, _ := t.(json.Delim); d {
	case '{':
		n.shape = mapping
	case '[':
		n.shape = sequence
	default:
		n.value = fmt.Sprint(t)
		return n, nil
	}
	if r.depth++; r.depth > maxNesting {
		return nil, errNesting
	}
	defer func() { r.depth-- }()
	return n, r.fill(n)
}

// fill reads the items of a list or mapping.
func (r *jsonReader) fill(n *node) error {
	for r.More() {
		if n.shape == mapping {
			k, err := r.value()
			if err != nil {
				return noEnd(err)
			}
			n.keys = append(n.keys, k)
		}
		v, err := r.value()
		if err != nil {
			return noEnd(err)
		}
		n.items = append(n.items, v)
	}
	_, err := r.Token()
	return noEnd(err)
}

// noEnd says that a text ends too early.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// position is the line and column behind the last token.
func (r *jsonReader) position() source.Position {
	end := int(r.InputOffset())
	passed := r.text[r.at:end]
	if n := strings.Count(passed, "\n"); n > 0 {
		r.pos.Line += n
		r.pos.Column = 1
		passed = passed[strings.LastIndexByte(passed, '\n')+1:]
	}
	r.pos.Column += len([]rune(passed))
	r.at = end
	return r.pos
}

// child is the value of a key of a mapping, without regard to case; nil for none.
func (n *node) child(key string) *node {
	if n == nil {
		return nil
	}
	for i, k := range n.keys {
		if strings.EqualFold(k.value, key) {
			return n.items[i]
		}
	}
	return nil
}

// at follows keys.
func (n *node) at(keys ...string) *node {
	for _, k := range keys {
		n = n.child(k)
	}
	return n
}

// text is the text of a scalar, "" for anything else.
func (n *node) text() string {
	if n == nil || n.shape != scalar {
		return ""
	}
	return n.value
}

// texts are the items of a list of scalars, or the one scalar.
func (n *node) texts() []string {
	if n == nil {
		return nil
	}
	if n.shape == scalar {
		return []string{n.value}
	}
	var list []string
	for _, x := range n.items {
		list = append(list, x.text())
	}
	return list
}

// write writes a value in one spelling, so that equal values are equal texts.
func (n *node) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "%d%s%q[", n.shape, n.tag, n.value)
	for i, x := range n.items {
		if n.shape == mapping {
			n.keys[i].write(b)
		}
		x.write(b)
	}
	b.WriteByte(']')
}
