package objects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/strict"
)

// errBomb refuses a document whose aliases multiply.
var errBomb = &Refusal{Reason: "alias-bomb", Message: "its aliases expand to more values than are read", Hint: "write the repeated parts out"}

// value turns a YAML node into what its JSON would decode to, in the way of
// Kubernetes: timestamps are text, "yes" and "on" are booleans as in YAML 1.1,
// keys are text. Aliases and merge keys are followed; too many are errBomb.
// With core set, "yes" and "on" are text, as in YAML 1.2.
func value(n *yaml.Node, core bool) (any, error) {
	if err := strict.Narrow(n); err != nil {
		return nil, err
	}
	asJSON(n, core)
	var v any
	if err := n.Decode(&v); err != nil {
		if strings.Contains(err.Error(), "excessive aliasing") {
			return nil, errBomb
		}
		return nil, err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("line %d: it has no form in JSON: %w", n.Line, err)
	}
	return decodeJSON(data)
}

// asJSON gives the scalars of a node the types that they have in JSON.
func asJSON(n *yaml.Node, core bool) {
	for i, c := range n.Content {
		switch key := n.Kind == yaml.MappingNode && i%2 == 0 && c.Kind == yaml.ScalarNode; {
		case !key:
			asJSON(c, core)
		case c.Tag != "!!merge":
			c.Tag = yaml.NodeTagString
		}
	}
	if n.Kind != yaml.ScalarNode {
		return
	}
	quoted := yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	switch tag := n.ShortTag(); {
	case !slices.Contains([]string{yaml.NodeTagNull, yaml.NodeTagBool, yaml.NodeTagInt, yaml.NodeTagFloat, yaml.NodeTagString, "!!binary"}, tag):
		n.Tag = yaml.NodeTagString
	case tag == yaml.NodeTagString && n.Style&quoted == 0 && !core:
		switch n.Value {
		case "yes", "Yes", "YES", "on", "On", "ON":
			n.Tag, n.Value = yaml.NodeTagBool, "true"
		case "no", "No", "NO", "off", "Off", "OFF":
			n.Tag, n.Value = yaml.NodeTagBool, "false"
		}
	}
}

// decodeJSON reads one JSON value; whole numbers become int64. As in YAML, a key that
// is there twice is an error.
func decodeJSON(data []byte) (v any, err error) {
	twice, err := kjson.UnmarshalStrict(data, &v)
	if err == nil && len(twice) > 0 {
		err = twice[0]
	}
	return v, err
}

// Parse reads one value from JSON or YAML text. A second document is an error.
func Parse(data []byte) (any, error) {
	docs, err := parseTexts(data, false)
	switch {
	case err != nil:
		return nil, err
	case len(docs) == 0:
		return nil, nil
	case len(docs) > 1:
		return nil, errors.New("a second document is not expected here")
	}
	return docs[0], nil
}

// ParseCore reads the documents of a JSON or YAML text whose reader knows no
// booleans but true and false; empty ones are left out.
func ParseCore(data []byte) ([]any, error) { return parseTexts(data, true) }

func parseTexts(data []byte, core bool) ([]any, error) {
	if t := bytes.TrimSpace(data); len(t) > 0 && t[0] == '{' && json.Valid(t) {
		if v, err := decodeJSON(t); err == nil {
			return []any{v}, nil
		}
	}
	parsed, err := parseFrom(data, 1, core)
	if bad, ok := errors.AsType[*broken](err); ok {
		return nil, fmt.Errorf("line %d: %w", bad.line, bad.err)
	}
	var docs []any
	for _, d := range parsed {
		if d.value != nil {
			docs = append(docs, d.value)
		}
	}
	return docs, nil
}

// Manifest spells an object as YAML, keys sorted.
func Manifest(o Object) ([]byte, error) { return yaml.Marshal(nodeOf(o, 0)) }

// maxIndented is how many levels of an object are indented.
const maxIndented = 100

// nodeOf is the YAML of a value. The encoder of yaml.v3 would write texts that
// begin with white space as blocks with a wrong indentation, which no one can
// read; how a text is written is decided here. What is nested deeper than anyone
// indents it is in one line: else each level of thousands is as wide as all before.
func nodeOf(v any, depth int) *yaml.Node {
	var style yaml.Style
	if depth > maxIndented {
		style = yaml.FlowStyle
	}
	switch v := v.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap, Style: style}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			n.Content = append(n.Content, textNode(k), nodeOf(v[k], depth+1))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: yaml.NodeTagSeq, Style: style}
		for _, x := range v {
			n.Content = append(n.Content, nodeOf(x, depth+1))
		}
		return n
	case string:
		return textNode(v)
	}
	n := &yaml.Node{}
	_ = n.Encode(v) // a number, a boolean or nil
	return n
}

func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagString, Value: s}
	odd := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }
	switch {
	case strings.ContainsFunc(s, odd), s == "<<", s == "=": // plain, they are a merge key and the default value of YAML 1.1
		n.Style = yaml.DoubleQuotedStyle
	case !strings.Contains(s, "\n"):
		_ = n.Encode(s) // quoted where it must be
	case unicode.IsSpace(rune(s[0])):
		n.Style = yaml.DoubleQuotedStyle
	default:
		n.Style = yaml.LiteralStyle
	}
	return n
}
