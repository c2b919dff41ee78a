package olm

import (
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// mismatches tells where an object does not fit the OpenAPI v3 schema of its
// CRD, as the API server does, which fills in what has a default. CEL rules are
// not evaluated.
func mismatches(schema, object map[string]any) ([]string, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	s := &spec.Schema{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, err
	}
	asServed(s)
	var problems []string
	for _, err := range validate.NewSchemaValidator(s, nil, "", strfmt.Default).Validate(object).Errors {
		problems = append(problems, strings.Replace(err.Error(), " in body", "", 1))
	}
	slices.Sort(problems)
	return problems, nil
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
