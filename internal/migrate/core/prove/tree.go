package prove

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A node is one value of a decoded document of YAML or JSON, or of Go code.
type node = yaml.Node

// decode reads all documents of a text. JSON is read as the YAML that most of it is.
func decode(lang, text string) ([]*node, error) {
	if lang == "json" && !isJSON(text) {
		return nil, errors.New("the text is no JSON")
	}
	return decodeYAML(text)
}

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

// decodeYAML reads a stream. Aliases are not followed.
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
		var n node
		switch err := d.Decode(&n); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, err
		case len(n.Content) > 0:
			list = append(list, n.Content[0])
		default:
			list = append(list, &n)
		}
	}
}

var directive12 = lazyregexp.New(`(?m)^(%YAML 1\.)2`)

// Broken is why a parser does not take a stream of YAML, with the line where that is known;
// nil where it takes it.
func Broken(data []byte) (line int, err error) {
	if plainYAML(data) {
		return 0, nil
	}
	if _, err = decodeYAML(string(data)); err == nil {
		return 0, nil
	}
	cause := strings.TrimPrefix(err.Error(), "yaml: ")
	if n, _ := fmt.Sscanf(cause, "line %d:", &line); n == 1 {
		_, cause, _ = strings.Cut(cause, ": ")
	}
	return line, errors.New(cause)
}

// Unclear is why parsers may read a stream of YAML or JSON in different ways, with the line: a key that a
// mapping has twice, or a character that is an end of a line or a space for some; nil for neither. So
// may be a document in one of its strings.
func Unclear(data []byte) (line int, err error) { return unclear(string(data), 0) }

func unclear(text string, depth int) (line int, err error) {
	if i := strings.IndexAny(text, "\u0085\u00a0\u2028\u2029\ufeff"); i > 0 {
		r, _ := utf8.DecodeRuneInString(text[i:])
		return strings.Count(text[:i], "\n") + 1, fmt.Errorf("parsers read its character %U in different ways", r)
	}
	list, _ := decodeYAML(text)
	for len(list) > 0 {
		n := list[0]
		list = append(list[1:], n.Content...)
		keys := map[string]bool{}
		for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
			k := n.Content[i]
			if keys[k.Value] && k.Value != "<<" {
				return k.Line, fmt.Errorf("a mapping has the key %s twice", excerpt(k.Value, 0))
			}
			keys[k.Value] = true
		}
		if n.Kind == yaml.ScalarNode && depth < maxDepth && documentLanguage(n.Value) != "" {
			if _, err := unclear(n.Value, depth+1); err != nil {
				return n.Line, err
			}
		}
	}
	return 0, nil
}

func same(a, b *node) bool { return written(a) == written(b) }

// written is a value in one spelling, so that equal values are equal texts.
func written(list ...*node) string {
	var b bytes.Buffer
	var write func(n *node)
	write = func(n *node) {
		fmt.Fprintf(&b, "%d%s%q[", n.Kind, n.ShortTag(), n.Value)
		for _, x := range n.Content {
			write(x)
		}
		b.WriteByte(']')
	}
	for _, n := range list {
		write(n)
	}
	return b.String()
}

func at(n *node) source.Position { return source.Position{Line: n.Line, Column: n.Column} }

// child follows keys of mappings, without regard to case; nil for none.
func child(n *node, keys ...string) *node {
	for _, key := range keys {
		var next *node
		for i := 0; n != nil && n.Kind == yaml.MappingNode && i < len(n.Content) && next == nil; i += 2 {
			if strings.EqualFold(n.Content[i].Value, key) {
				next = n.Content[i+1]
			}
		}
		n = next
	}
	return n
}

// text is the text of a scalar, "" for anything else.
func text(n *node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// texts are the items of a list of scalars, or the one scalar.
func texts(n *node) []string {
	if n == nil || n.Kind == yaml.ScalarNode {
		return []string{text(n)}
	}
	var list []string
	for _, x := range n.Content {
		list = append(list, text(x))
	}
	return list
}

// documents checks the documents of a stream.
func (f *proof) documents(before, after []*node, depth int) error {
	if isProject(f.path) && len(before) == 1 && len(after) == 1 {
		b, a := child(before[0], "domain"), child(after[0], "domain")
		if was, is := f.wholeGroups(before[0]), f.wholeGroups(after[0]); was && is && b != nil && a != nil {
			a.Value = b.Value // it was compared as a part of a group
		}
	}
	return f.values(before, after, ofValues, depth)
}

// values checks the items of two lists.
func (f *proof) values(before, after []*node, o order, depth int) error {
	_, i, j, err := align(f, before, after, o, func(g *proof, b, a *node) error { return g.value("", b, a, depth) }, same)
	if errors.Is(err, errNoPair) || err != nil && o == ofNames {
		return f.fault(at(slices.Concat(before[i:], after[j:])[0]), "an item of the list is missing after, or added, and no rule makes that")
	}
	return err
}

// value checks one value. Name is the key that it belongs to.
func (f *proof) value(name string, b, a *node, depth int) error {
	switch {
	case b.Kind != a.Kind || b.ShortTag() != a.ShortTag():
		return f.fault(at(b), "the value is of another type after")
	case b.Kind == yaml.MappingNode:
		return f.mapping(b, a, depth)
	case b.Kind == yaml.SequenceNode && slices.ContainsFunc(b.Content, isGrant):
		return (&grantProof{f, depth}).lists(b, a)
	case b.Kind == yaml.SequenceNode && isList(name) && !slices.ContainsFunc(slices.Concat(b.Content, a.Content), notScalar):
		return f.values(b.Content, a.Content, ofNames, depth)
	case b.Kind == yaml.SequenceNode:
		return f.values(b.Content, a.Content, ofValues, depth)
	case b.Value == a.Value:
		return nil
	case b.ShortTag() == "!!str" && b.Kind == yaml.ScalarNode:
		return f.embedded(b.Value, a.Value, at(b), depth)
	}
	return f.fault(at(b), "%s became %s", excerpt(b.Value, 0), excerpt(a.Value, 0))
}

func notScalar(n *node) bool { return n.Kind != yaml.ScalarNode }

// isList says whether a key is that of a list of which the rules may change the length.
func isList(name string) bool {
	return slices.Contains([]string{"groups", "apigroups", "resources", "versions", "apiversions"}, strings.ToLower(name))
}

func equal(x, y string) bool { return x == y }

// mapping checks a mapping: its keys and values, and the object that it is.
func (f *proof) mapping(b, a *node, depth int) error {
	switch err := f.object(b, a); {
	case err != nil:
		return err
	case f.isShaped(b):
		f.shaped = true
		return nil
	case isGrant(b):
		list := func(n *node) *node { return &node{Kind: yaml.SequenceNode, Content: []*node{n}} }
		return (&grantProof{f, depth}).lists(list(b), list(a))
	}
	return f.fields(b, a, depth, func(string) bool { return true })
}

// fields checks the keys of a mapping and the values of some of them.
func (f *proof) fields(b, a *node, depth int, of func(key string) bool) error {
	if len(b.Content) != len(a.Content) {
		return f.fault(at(b), "the mapping has %d keys before and %d after", len(b.Content)/2, len(a.Content)/2)
	}
	for i := 0; i < len(b.Content); i += 2 {
		if err := f.value("", b.Content[i], a.Content[i], maxDepth); err != nil {
			return err
		}
		if key, x, y := b.Content[i].Value, b.Content[i+1], a.Content[i+1]; of(key) || x.Kind != y.Kind {
			if err := f.value(key, x, y, depth); err != nil {
				return err
			}
		}
	}
	return nil
}
