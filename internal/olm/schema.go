package olm

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// mismatches tells where a value does not fit an OpenAPI v3 schema as CRDs
// have them: types, required members, enumerated values, members that are not
// declared. What the API server fills in or prunes by itself is no mismatch;
// formats, patterns, bounds and CEL rules are not evaluated.
func mismatches(schema map[string]any, value any, at string) []string {
	if value == nil || schema["x-kubernetes-preserve-unknown-fields"] == true && schema["type"] == nil {
		return nil
	}
	if schema["x-kubernetes-int-or-string"] == true {
		if typeOf(value) != "string" && typeOf(value) != "integer" {
			return []string{where(at) + " must be a number or a string"}
		}
		return nil
	}
	want, _ := schema["type"].(string)
	got := typeOf(value)
	if want != "" && got != want && (want != "number" || got != "integer") {
		return []string{fmt.Sprintf("%s is %s, not %s", where(at), article(got), article(want))}
	}
	if enum, ok := schema["enum"].([]any); ok && !slices.ContainsFunc(enum, func(e any) bool { return fmt.Sprint(e) == fmt.Sprint(value) }) {
		return []string{fmt.Sprintf("%s is %v, not one of %v", where(at), value, enum)}
	}
	switch v := value.(type) {
	case map[string]any:
		return members(schema, v, at)
	case []any:
		var problems []string
		items, _ := schema["items"].(map[string]any)
		for i, item := range v {
			if items != nil {
				problems = append(problems, mismatches(items, item, fmt.Sprintf("%s[%d]", at, i))...)
			}
		}
		return problems
	}
	return nil
}

func members(schema, value map[string]any, at string) []string {
	var problems []string
	required, _ := schema["required"].([]any)
	properties, _ := schema["properties"].(map[string]any)
	for _, key := range required {
		name := fmt.Sprint(key)
		declared, _ := properties[name].(map[string]any)
		if _, ok := value[name]; !ok && declared["default"] == nil {
			problems = append(problems, where(at+"."+name)+" is required")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(value)) {
		if at == "" && (key == "apiVersion" || key == "kind" || key == "metadata") {
			continue
		}
		inner, ok := properties[key].(map[string]any)
		if !ok {
			inner, _ = schema["additionalProperties"].(map[string]any)
		}
		problems = append(problems, mismatches(inner, value[key], at+"."+key)...)
	}
	return problems
}

func where(at string) string {
	if at == "" {
		return "the object"
	}
	return at[1:]
}

// typeOf is the JSON type of a decoded value.
func typeOf(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case int, int64:
		return "integer"
	}
	return "null"
}

func article(kind string) string {
	switch kind {
	case "object", "array", "integer":
		return "an " + kind
	}
	return "a " + kind
}
