package rules

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// Schema is the JSON Schema (draft 2020-12) of a ruleset, made from the
// types that rulesets are decoded into and their doc tags.
func Schema() []byte {
	s := object(reflect.TypeFor[Ruleset]())
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["$id"] = "https://github.com/project-codeflare/cfctl/ruleset.schema.json"
	s["title"] = "cfctl ruleset"
	s["required"] = []string{"name"}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		panic(err) // maps of strings encode
	}
	return b.Bytes()
}

// object is the schema of a struct.
func object(t reflect.Type) map[string]any {
	props := map[string]any{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "" || !f.IsExported() {
			continue
		}
		p := value(f.Type)
		if doc := f.Tag.Get("doc"); doc != "" {
			p["description"] = doc
		}
		props[name] = p
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": props}
}

func value(t reflect.Type) map[string]any {
	if t == reflect.TypeFor[Words]() {
		return map[string]any{"type": []string{"string", "object"}, "additionalProperties": value(t.Elem())}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return value(t.Elem())
	case reflect.Struct:
		return object(t)
	case reflect.Slice:
		return map[string]any{"type": "array", "items": value(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": value(t.Elem())}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	}
	return map[string]any{"type": "string"}
}
