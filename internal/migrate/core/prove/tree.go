package prove

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
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

// decode reads all documents of a text. JSON is read as the YAML that most of it is.
func decode(lang, text string) ([]*node, error) {
	if lang == "json" && !isJSON(text) {
		return nil, errJSON
	}
	return decodeYAML(text)
}

var errJSON = errors.New("the text is no JSON")

// isJSON says whether a text is a stream of values of JSON.
func isJSON(text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	for n := 0; ; n++ {
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return errors.Is(err, io.EOF) && n > 0
		}
	}
}

func decodeYAML(text string) (list []*node, err error) {
	defer func() { // the parser panics on some broken texts
		if r := recover(); r != nil {
			err = fmt.Errorf("the text does not parse: %v", r)
		}
	}()
	if strings.Contains(text, "%YAML 1.2") { // the parser is one of YAML 1.1
		text = directive12.ReplaceAllString(text, "${1}1")
	}
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

var directive12 = lazyregexp.New(`(?m)^(%YAML 1\.)2`)

// Broken is why a parser does not take a stream of YAML, with the line where that is known;
// nil where it takes it.
func Broken(data []byte) (line int, err error) {
	if _, err = decodeYAML(string(data)); err == nil {
		return 0, nil
	}
	cause := strings.TrimPrefix(err.Error(), "yaml: ")
	if n, _ := fmt.Sscanf(cause, "line %d:", &line); n == 1 {
		_, cause, _ = strings.Cut(cause, ": ")
	}
	return line, errors.New(cause)
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
