// Package strict reads configuration strictly: every key is known, and is
// once.
package strict

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

// Decode reads one YAML document of configuration strictly into v, a pointer
// to a struct with yaml tags. An unknown key, a wrong type and a second
// document are errors with path, line and column; an unknown key names the
// nearest known one. An empty document leaves v as it is.
//
// It is for cfctl's own files (.cfctl.yaml, rulesets, stacks), never for a
// user's manifests.
func Decode(path string, data []byte, v any) error {
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil
		}
		return decodeError(path, err)
	}
	if len(doc.Content) == 0 {
		return nil
	}
	if err := checkKeys(path, "", doc.Content[0], reflect.TypeOf(v)); err != nil {
		return err
	}
	if err := Narrow(&doc); err != nil {
		return decodeError(path, err)
	}
	if err := doc.Decode(v); err != nil {
		return decodeError(path, err)
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			return decodeError(path, err)
		}
		return &source.Error{Path: path, Pos: source.Position{Line: more.Line, Column: max(1, more.Column)}, Err: errors.New("a second YAML document: want one")}
	}
	return nil
}

// The decoder compares each key of a mapping with all others. Mappings of up to manyKeys do
// not count; the others of a document may have mostCompared comparisons, a fifth of a second.
const (
	manyKeys     = 1_000
	mostCompared = 1e8
)

// Narrow refuses a document in which mappings have too many keys to be decoded.
func Narrow(doc *yaml.Node) error {
	compared := 0
	var count func(n *yaml.Node) error
	count = func(n *yaml.Node) error {
		if keys := len(n.Content) / 2; n.Kind == yaml.MappingNode && keys > manyKeys {
			if compared += keys * keys; compared > mostCompared {
				return fmt.Errorf("line %d: a mapping has %d keys, which are too many to be read", n.Line, keys)
			}
		}
		for _, c := range n.Content {
			if err := count(c); err != nil {
				return err
			}
		}
		return nil
	}
	return count(doc)
}

var yamlLine = lazyregexp.New(`line (\d+): `)

// Cause is the first cause of a YAML or JSON parser's error, without the words
// around it, and the line that it names; 0 = it names none.
func Cause(err error) (line int, cause string) {
	cause = err.Error()
	for _, words := range []string{"error converting YAML to JSON: ", "error unmarshaling JSON: ", "while decoding JSON: ", "yaml: ", "json: ", "unmarshal errors:"} {
		cause = strings.TrimPrefix(cause, words)
	}
	cause, _, _ = strings.Cut(strings.TrimSpace(cause), "\n")
	if m := yamlLine.Get().FindStringSubmatchIndex(cause); m != nil {
		line, _ = strconv.Atoi(cause[m[2]:m[3]])
		cause = cause[:m[0]] + cause[m[1]:]
	}
	return line, cause
}

// decodeError turns the parser's "yaml: line 3: cause" into a placed error.
func decodeError(path string, err error) error {
	line, text := Cause(err)
	hint := ""
	if strings.HasSuffix(text, "found character that cannot start any token") {
		hint = "indent with spaces, not with tabs, and quote what begins with @, ` or %"
	}
	return &source.Error{Path: path, Pos: source.Position{Line: line}, Err: errors.New(text), Hint: hint}
}

// checkKeys walks a value and the type that it will be decoded into, so that an
// unknown key is found with its column and a suggestion, and a value of another
// type with its key. key is the path of the value, "matrix.releases[]".
func checkKeys(path, key string, n *yaml.Node, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n.Kind == yaml.AliasNode {
		return nil // its anchor was or will be checked
	}
	reads := reflect.PointerTo(t).Implements(reflect.TypeFor[yaml.Unmarshaler]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
	if t.Kind() != reflect.Struct && reads {
		return nil // a struct that reads itself notes its position: its keys are its fields
	}
	if want := wanted(n, t); want != "" && !reads {
		hint := ""
		if scalar := n.Kind == yaml.ScalarNode; scalar && t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String {
			hint = "write [" + n.Value + "]"
		}
		return &source.Error{Path: path, Pos: source.Position{Line: n.Line, Column: n.Column}, Err: fmt.Errorf("%s: want %s, not %s", cmp.Or(key, "the file"), want, shown(n)), Hint: hint}
	}
	switch {
	case n.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
		for _, c := range n.Content {
			if err := checkKeys(path, key+"[]", c, t.Elem()); err != nil {
				return err
			}
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Map:
		for i := 1; i < len(n.Content); i += 2 {
			if err := checkKeys(path, Below(key, n.Content[i-1].Value), n.Content[i], t.Elem()); err != nil {
				return err
			}
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Struct:
		return checkStruct(path, key, n, t)
	}
	return nil
}

// Below is the path of a key in a mapping.
func Below(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}

// wanted says what a type takes when a value is something else; "" = it is of that
// type, or empty.
func wanted(n *yaml.Node, t reflect.Type) string {
	scalar := n.Kind == yaml.ScalarNode
	if scalar && n.Tag == "!!null" {
		return ""
	}
	switch t.Kind() {
	case reflect.Struct:
		if n.Kind != yaml.MappingNode {
			return "a mapping with keys of " + strings.Join(mapKeys(yamlFields(t)), ", ")
		}
	case reflect.Map:
		if n.Kind != yaml.MappingNode {
			return "a mapping"
		}
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			return "a list"
		}
	case reflect.String:
		if !scalar {
			return "text"
		}
	case reflect.Bool:
		if !scalar || n.Tag != "!!bool" {
			return "true or false"
		}
	case reflect.Int, reflect.Int64:
		if !scalar || n.Tag != "!!int" {
			return "a number"
		}
	default: // as the decoder has it
	}
	return ""
}

// maxShown is how many bytes of a wrong value a message quotes.
const maxShown = 40

// shown is a value as a message quotes it.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		if len(n.Value) > maxShown {
			return fmt.Sprintf("%q...", strings.ToValidUTF8(n.Value[:maxShown], ""))
		}
		return fmt.Sprintf("%q", n.Value)
	}
}

func checkStruct(path, key string, n *yaml.Node, t reflect.Type) error {
	fields := yamlFields(t)
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		at := source.Position{Line: name.Line, Column: name.Column}
		if name.Value == "<<" {
			continue
		}
		ft, ok := fields[name.Value]
		if !ok {
			e := &source.Error{Path: path, Pos: at, Err: fmt.Errorf("unknown key %q", name.Value)}
			if near := spelling.Nearest(name.Value, mapKeys(fields)); near != "" {
				e.Hint = fmt.Sprintf("did you mean %q?", near)
			} else {
				e.Hint = "known keys: " + strings.Join(mapKeys(fields), ", ")
			}
			return e
		}
		if seen[name.Value] {
			return &source.Error{Path: path, Pos: at, Err: fmt.Errorf("key %q is used twice", name.Value)}
		}
		seen[name.Value] = true
		if err := checkKeys(path, Below(key, name.Value), n.Content[i+1], ft); err != nil {
			return err
		}
	}
	return nil
}

// Fields are the fields of a struct by their names in YAML, in order, with those of
// structs that are inlined.
func Fields(t reflect.Type) []reflect.StructField {
	var list []reflect.StructField
	for f := range t.Fields() {
		name, opts, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case strings.Contains(opts, "inline"):
			for _, inner := range Fields(f.Type) {
				inner.Index = slices.Concat(f.Index, inner.Index)
				list = append(list, inner)
			}
		case name != "-" && f.IsExported():
			f.Name = cmp.Or(name, strings.ToLower(f.Name))
			list = append(list, f)
		}
	}
	return list
}

// yamlFields maps the yaml names of a struct's fields to their types.
func yamlFields(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for _, f := range Fields(t) {
		fields[f.Name] = f.Type
	}
	return fields
}

func mapKeys(m map[string]reflect.Type) []string {
	return slices.Sorted(maps.Keys(m))
}
