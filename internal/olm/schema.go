package olm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// decodeSchema reads the OpenAPI v3 schema of a CRD as the API server takes it.
func decodeSchema(schema map[string]any) (*spec.Schema, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	s := &spec.Schema{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, err
	}
	asServed(s)
	return s, nil
}

// mismatches tells where an object does not fit a schema, as the API server does, which
// fills in what has a default. CEL rules are not evaluated.
func mismatches(s *spec.Schema, object map[string]any) []string {
	var problems []string
	for _, err := range validate.NewSchemaValidator(s, nil, "", strfmt.Default).Validate(object).Errors {
		problems = append(problems, strings.Replace(err.Error(), " in body", "", 1))
	}
	slices.Sort(problems)
	return problems
}

// maxWork bounds what is compared to check the examples of a bundle: each of their values
// with what the schema says at its place, in bytes. Those of operators need less than a
// hundredth.
var maxWork = 4 << 20

// spend takes what a value costs to be checked from what is left, and says whether
// that was enough. A value that no enum has is told with the whole enum.
func spend(s *spec.Schema, value any, left *int) bool {
	if s == nil {
		return true
	}
	*left--
	for _, permitted := range s.Enum {
		*left -= 1 + len(fmt.Sprint(permitted))
	}
	if text, ok := value.(string); ok {
		*left -= len(s.Pattern) * len(text)
	}
	for _, list := range [][]spec.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			if *left < 0 || !spend(&list[i], value, left) {
				return false
			}
		}
	}
	if !spend(s.Not, value, left) {
		return false
	}
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			at, known := s.Properties[name]
			if !known && s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
				at = *s.AdditionalProperties.Schema
			}
			if *left < 0 || !spend(&at, member, left) {
				return false
			}
			for pattern, at := range s.PatternProperties {
				*left -= len(pattern) * len(name)
				if *left < 0 || !spend(&at, member, left) {
					return false
				}
			}
		}
	case []any:
		if s.UniqueItems {
			*left -= len(v) * len(v)
		}
		for _, item := range v {
			if *left < 0 || s.Items != nil && !spend(s.Items.Schema, item, left) {
				return false
			}
		}
	}
	return *left >= 0
}

// asServed makes a schema what the API server makes of one of a CRD: a member
// that has a default is not required, and one that is an integer or a string
// has these types.
func asServed(s *spec.Schema) {
	s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return s.Properties[name].Default != nil })
	if either, _ := s.Extensions.GetBool("x-kubernetes-int-or-string"); either {
		s.Type = spec.StringOrArray{"integer", "string"}
	}
	for name, p := range s.Properties {
		asServed(&p)
		s.Properties[name] = p
	}
	if s.Items != nil && s.Items.Schema != nil {
		asServed(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		asServed(s.AdditionalProperties.Schema)
	}
}
