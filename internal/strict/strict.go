// Package strict reads configuration strictly: every key is known, and stands
// once.
package strict

import (
	"errors"
	"fmt"
	"io"
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
	if err := checkKeys(path, doc.Content[0], reflect.TypeOf(v)); err != nil {
		return err
	}
	if err := doc.Decode(v); err != nil {
		return decodeError(path, err)
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			return decodeError(path, err)
		}
		return &source.Error{Path: path, Pos: source.Position{Line: more.Line, Column: max(1, more.Column)}, Err: errors.New("a second document is not expected here")}
	}
	return nil
}

var yamlLine = lazyregexp.New(`line (\d+): `)

// decodeError turns the parser's "yaml: line 3: cause" into a placed error.
func decodeError(path string, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimSpace(strings.TrimPrefix(text, "unmarshal errors:"))
	text, _, _ = strings.Cut(text, "\n")
	m := yamlLine.FindStringSubmatchIndex(text)
	if m == nil {
		return &source.Error{Path: path, Err: errors.New(text)}
	}
	line, _ := strconv.Atoi(text[m[2]:m[3]])
	return &source.Error{Path: path, Pos: source.Position{Line: line}, Err: errors.New(text[:m[0]] + text[m[1]:])}
}

// checkKeys walks a mapping beside the type it will be decoded into, so that
// an unknown key is found with its column and a suggestion.
func checkKeys(path string, n *yaml.Node, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n.Kind == yaml.AliasNode {
		return nil // its anchor was or will be checked
	}
	if t.Kind() != reflect.Struct && reflect.PointerTo(t).Implements(reflect.TypeFor[yaml.Unmarshaler]()) {
		return nil // a struct that reads itself notes where it stands: its keys are its fields
	}
	switch {
	case n.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
		for _, c := range n.Content {
			if err := checkKeys(path, c, t.Elem()); err != nil {
				return err
			}
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Map:
		for i := 1; i < len(n.Content); i += 2 {
			if err := checkKeys(path, n.Content[i], t.Elem()); err != nil {
				return err
			}
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Struct:
		return checkStruct(path, n, t)
	}
	return nil
}

func checkStruct(path string, n *yaml.Node, t reflect.Type) error {
	fields := yamlFields(t)
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		at := source.Position{Line: key.Line, Column: key.Column}
		if key.Value == "<<" {
			continue
		}
		ft, ok := fields[key.Value]
		if !ok {
			e := &source.Error{Path: path, Pos: at, Err: fmt.Errorf("unknown key %q", key.Value)}
			if near := spelling.Nearest(key.Value, mapKeys(fields)); near != "" {
				e.Hint = fmt.Sprintf("did you mean %q?", near)
			} else {
				e.Hint = "known keys: " + strings.Join(mapKeys(fields), ", ")
			}
			return e
		}
		if seen[key.Value] {
			return &source.Error{Path: path, Pos: at, Err: fmt.Errorf("key %q stands twice", key.Value)}
		}
		seen[key.Value] = true
		if err := checkKeys(path, n.Content[i+1], ft); err != nil {
			return err
		}
	}
	return nil
}

// yamlFields maps the yaml names of a struct's fields to their types.
func yamlFields(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for f := range t.Fields() {
		name, opts, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case strings.Contains(opts, "inline"):
			for k, v := range yamlFields(f.Type) {
				fields[k] = v
			}
		case name == "-" || !f.IsExported():
		case name == "":
			fields[strings.ToLower(f.Name)] = f.Type
		default:
			fields[name] = f.Type
		}
	}
	return fields
}

func mapKeys(m map[string]reflect.Type) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
