package objects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxNodes bounds what one document may become when its aliases are followed.
// An object of 1.5 MiB has fewer.
const maxNodes = 2_000_000

// errBomb refuses a document whose aliases multiply.
var errBomb = &Refusal{Reason: "alias-bomb", Message: fmt.Sprintf("its aliases expand to more than %d values", maxNodes), Hint: "write the repeated parts out"}

// value turns a YAML node into what its JSON would decode to, in the way of
// Kubernetes: timestamps are text, "yes" and "on" are booleans as in YAML 1.1,
// keys are text. Aliases and merge keys are followed; too many are errBomb.
func value(n *yaml.Node) (any, error) {
	d := decoder{}
	return d.value(n, 0)
}

type decoder struct {
	nodes int
	core  bool // "yes" and "on" are text, as in YAML 1.2
}

func (d *decoder) value(n *yaml.Node, depth int) (any, error) {
	if d.nodes++; d.nodes > maxNodes {
		return nil, errBomb
	}
	if depth > maxDepth {
		return nil, errTooDeep
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 0 {
			return nil, nil
		}
		return d.value(n.Content[0], depth+1)
	case yaml.AliasNode:
		return d.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, c := range n.Content {
			v, err := d.value(c, depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case yaml.MappingNode:
		return d.mapping(n, depth)
	}
	return d.scalar(n)
}

func (d *decoder) mapping(n *yaml.Node, depth int) (any, error) {
	m := make(map[string]any, len(n.Content)/2)
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" {
			merged = append(merged, val)
			continue
		}
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("line %d: a key that is no text", key.Line)
		}
		if _, twice := m[key.Value]; twice {
			return nil, fmt.Errorf("line %d: key %q is there twice", key.Line, key.Value)
		}
		v, err := d.value(val, depth+1)
		if err != nil {
			return nil, err
		}
		m[key.Value] = v
	}
	for _, from := range merged {
		if err := d.merge(m, from, depth); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (d *decoder) merge(m map[string]any, from *yaml.Node, depth int) error {
	v, err := d.value(from, depth+1)
	if err != nil {
		return err
	}
	parts, ok := v.([]any)
	if !ok {
		parts = []any{v}
	}
	for _, p := range parts {
		pm, ok := p.(map[string]any)
		if !ok {
			return fmt.Errorf("line %d: only a mapping can be merged", from.Line)
		}
		for k, x := range pm {
			if _, ok := m[k]; !ok {
				m[k] = x
			}
		}
	}
	return nil
}

func (d *decoder) scalar(n *yaml.Node) (any, error) {
	plain := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int":
		var i int64
		if n.Decode(&i) == nil {
			return i, nil
		}
		var f float64
		err := n.Decode(&f)
		return f, err
	case "!!float":
		var f float64
		if err := n.Decode(&f); err != nil {
			return nil, err
		}
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, fmt.Errorf("line %d: %s has no form in JSON", n.Line, n.Value)
		}
		return f, nil
	case "!!str":
		if plain && !d.core {
			switch strings.ToLower(n.Value) {
			case "yes", "on":
				return true, nil
			case "no", "off":
				return false, nil
			}
		}
	}
	return n.Value, nil
}

// decodeJSON reads one JSON value; whole numbers become int64.
func decodeJSON(data []byte) (v any, err error) {
	err = utiljson.Unmarshal(data, &v)
	return v, err
}

// Parse reads one value from JSON or YAML text. A second document is an error.
func Parse(data []byte) (any, error) {
	docs, err := parseTexts(data)
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

// parseTexts reads the documents of a JSON or YAML text; empty ones are left out.
func parseTexts(data []byte) ([]any, error) { return parseAll(data, false) }

// ParseCore is parseTexts for texts whose reader knows no booleans but true and
// false.
func ParseCore(data []byte) ([]any, error) { return parseAll(data, true) }

func parseAll(data []byte, core bool) ([]any, error) {
	if t := bytes.TrimSpace(data); len(t) > 0 && t[0] == '{' {
		if v, err := decodeJSON(t); err == nil && json.Valid(t) {
			return []any{v}, nil
		}
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var docs []any
	for {
		var n yaml.Node
		if err := dec.Decode(&n); err != nil {
			if err.Error() == "EOF" {
				return docs, nil
			}
			return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
		}
		d := decoder{core: core}
		v, err := d.value(&n, 0)
		if err != nil {
			return nil, err
		}
		if v != nil {
			docs = append(docs, v)
		}
	}
}

// Manifest spells an object as YAML, keys sorted, apiVersion and kind in front.
func Manifest(o Object) ([]byte, error) {
	n, err := nodeOf(o)
	if err != nil {
		return nil, err
	}
	front := map[string]int{"apiVersion": 0, "kind": 1, "metadata": 2}
	pairs := make([][2]*yaml.Node, 3, len(n.Content)/2+3)
	for i := 0; i+1 < len(n.Content); i += 2 {
		p := [2]*yaml.Node{n.Content[i], n.Content[i+1]}
		if at, ok := front[p[0].Value]; ok {
			pairs[at] = p
		} else {
			pairs = append(pairs, p)
		}
	}
	n.Content = n.Content[:0]
	for _, p := range pairs {
		if p[0] != nil {
			n.Content = append(n.Content, p[0], p[1])
		}
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	if err := enc.Encode(n); err != nil {
		return nil, err
	}
	err = enc.Close()
	return b.Bytes(), err
}

// nodeOf is the YAML of a value. The encoder of yaml.v3 would write texts that
// begin with white space as blocks with a wrong indentation, which no one can
// read; how a text is written is decided here.
func nodeOf(v any) (*yaml.Node, error) {
	switch v := v.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			key, err := nodeOf(k)
			if err != nil {
				return nil, err
			}
			value, err := nodeOf(v[k])
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, key, value)
		}
		return n, nil
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: yaml.NodeTagSeq}
		for _, x := range v {
			c, err := nodeOf(x)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, c)
		}
		return n, nil
	case string:
		return textNode(v)
	}
	n := &yaml.Node{}
	return n, n.Encode(v)
}

func textNode(s string) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagString, Value: s}
	odd := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }
	switch {
	case strings.ContainsFunc(s, odd):
		n.Style = yaml.DoubleQuotedStyle
	case s == "<<" || s == "=": // plain, they are a merge key and the default value of YAML 1.1
		n.Style = yaml.DoubleQuotedStyle
	case !strings.Contains(s, "\n"):
		return n, n.Encode(s)
	case unicode.IsSpace(rune(s[0])):
		n.Style = yaml.DoubleQuotedStyle
	default:
		n.Style = yaml.LiteralStyle
	}
	return n, nil
}
