package olm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
)

// owned names a version of a CRD.
type owned struct{ Kind, Name, Version string }

// ownedCRDs are the owned CRDs of the CSV.
func (p *pass) ownedCRDs() []owned {
	return lists.Of(list(p.csvObject(), "spec", "customresourcedefinitions", "owned"), func(v any) owned {
		return owned{text(v, "kind"), text(v, "name"), text(v, "version")}
	})
}

// crdVersions are versions of CRDs with their files, in the order of the files.
type crdVersions []crdVersion

type crdVersion struct {
	owned
	file *manifest
}

// files are the files by their version.
func (c crdVersions) files() map[owned]*manifest {
	files := map[owned]*manifest{}
	for _, v := range c {
		files[v.owned] = v.file
	}
	return files
}

// crdManifests are the versions of the CRD manifests; each is there once.
func (p *pass) crdManifests() crdVersions {
	var all crdVersions
	seen := map[owned]bool{}
	add := func(o owned, m *manifest) {
		if !seen[o] {
			seen[o], all = true, append(all, crdVersion{o, m})
		}
	}
	for _, m := range p.manifests {
		if m.kind() != "CustomResourceDefinition" {
			continue
		}
		kind := text(m.object, "spec", "names", "kind")
		versions := list(m.object, "spec", "versions")
		for _, v := range versions {
			add(owned{kind, m.name(), text(v, "name")}, m)
		}
		if len(versions) == 0 {
			add(owned{kind, m.name(), text(m.object, "spec", "version")}, m)
		}
	}
	return all
}

func checkOwned(p *pass) {
	manifests := p.crdManifests()
	files, has := manifests.files(), map[string][]string{}
	for _, m := range manifests {
		has[m.Name] = append(has[m.Name], m.Kind+" "+m.Version)
	}
	for _, o := range p.ownedCRDs() {
		if files[o] != nil {
			continue
		}
		why := "has no manifest"
		if n := has[o.Name]; n != nil {
			why = "is not in its manifest, which has " + report.Few(n, ", ")
		}
		p.sayCSV([]string{"spec", "customresourcedefinitions", "owned"}, "owned CRD %s (%s %s) %s", o.Name, o.Kind, o.Version, why)
	}
}

func checkNotOwned(p *pass) {
	names, said := lists.Set(p.ownedCRDs(), func(o owned) string { return o.Name }), map[string]bool{}
	for _, v := range p.crdManifests() {
		o, m := v.owned, v.file
		if !names[o.Name] && !said[m.path] {
			said[m.path] = true
			p.say(m.path, lineOf(m.node, []string{"metadata", "name"}), "CRD %s (%s) is not owned by the CSV", o.Name, o.Kind)
		}
	}
}

// examples are the alm-examples. An empty annotation has none.
func (p *pass) examples() ([]map[string]any, error) {
	data := strings.TrimSpace(text(p.csvObject(), almExamples...))
	if data == "" {
		return nil, nil
	}
	var examples []map[string]any
	err := json.Unmarshal([]byte(data), &examples)
	return examples, err
}

var almExamples = []string{"metadata", "annotations", "alm-examples"}

func checkExamplesJSON(p *pass) {
	examples, err := p.examples()
	if err != nil {
		p.sayCSV(almExamples, "alm-examples: %v", plain(err))
		return
	}
	for i, e := range examples {
		for _, keys := range [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}} {
			if text(e, keys...) == "" {
				p.sayCSV(almExamples, "example %d (%s) has no %s", i+1, text(e, "kind"), strings.Join(keys, "."))
			}
		}
	}
}

// checkExamplesUnowned leaves alone examples of a CRD that the CSV should own:
// crd-not-owned and owned-without-crd tell of them.
func checkExamplesUnowned(p *pass) {
	examples, _ := p.examples()
	apis := lists.Set(slices.Concat(p.ownedCRDs(), p.ownedServices()), owned.api)
	for _, v := range p.crdManifests() {
		apis[v.api()] = true
	}
	for _, e := range examples {
		kind, apiVersion := text(e, "kind"), text(e, "apiVersion")
		if kind == "" || apiVersion == "" || apis[kind+" "+apiVersion] {
			continue
		}
		p.sayCSV(almExamples, "example %s %s is of %s, which the CSV does not own", kind, text(e, "metadata", "name"), apiVersion)
	}
}

// ownedServices are the owned aggregated APIs, named like CRDs.
func (p *pass) ownedServices() []owned {
	return lists.Of(list(p.csvObject(), "spec", "apiservicedefinitions", "owned"), func(v any) owned {
		return owned{text(v, "kind"), text(v, "name") + "." + text(v, "group"), text(v, "version")}
	})
}

// internal are the CRDs that the operator keeps for itself, which need no example.
func (p *pass) internal() []string {
	var names []string
	_ = json.Unmarshal([]byte(text(p.csvObject(), "metadata", "annotations", "operators.operatorframework.io/internal-objects")), &names) // none when it is no list
	return names
}

func checkExamplesMissing(p *pass) {
	examples, err := p.examples()
	if err != nil {
		return // examples-json says so
	}
	given, internal := lists.Set(examples, func(e map[string]any) string { return text(e, "kind") + " " + text(e, "apiVersion") }), p.internal()
	files := p.crdManifests().files()
	kinds, found := map[string]string{}, map[string]bool{} // by the name of the CRD
	var names []string
	for _, o := range p.ownedCRDs() {
		if files[o] == nil {
			continue // owned-without-crd says so
		}
		if _, ok := kinds[o.Name]; !ok {
			names = append(names, o.Name)
		}
		kinds[o.Name] = o.Kind
		found[o.Name] = found[o.Name] || given[o.api()]
	}
	for _, name := range names {
		if kinds[name] != "" && !found[name] && !slices.Contains(internal, name) {
			p.sayCSV(almExamples, "no example of %s (%s)", kinds[name], name)
		}
	}
}

// api is the kind and the apiVersion of the objects of a CRD.
func (o owned) api() string {
	_, group, _ := strings.Cut(o.Name, ".")
	return o.Kind + " " + group + "/" + o.Version
}

func checkExamplesSchema(p *pass) {
	examples, err := p.examples()
	if err != nil {
		return
	}
	left, given := maxWork, map[string][]map[string]any{}
	for _, e := range examples {
		api := text(e, "kind") + " " + text(e, "apiVersion")
		given[api] = append(given[api], e)
	}
	for _, v := range p.crdManifests() {
		o, m := v.owned, v.file
		said := schemaOf(m, o.Version)
		var schema *spec.Schema
		for _, e := range given[o.api()] {
			if said == nil {
				continue
			}
			if schema == nil {
				if schema, err = decodeSchema(said); err != nil {
					p.say(m.path, lineOf(m.node, []string{"spec", "versions"}), "the schema of %s: %v", o.Version, plain(err))
					break
				}
			}
			e = maps.Clone(e)
			delete(e, "status") // the API server does not take it from who creates an object
			if !spend(schema, e, &left) {
				f := p.sayCSV(almExamples, "example %s %s was not checked: it has too many values for an enum or a pattern as long as in the schema of its CRD", o.Kind, text(e, "metadata", "name"))
				f.Severity, f.Hint = report.Error, "shorten the example, or what "+m.path+" permits"
				return
			}
			if problems := mismatches(schema, e); len(problems) > 0 {
				p.sayCSV(almExamples, "example %s %s: %s", o.Kind, text(e, "metadata", "name"), report.Few(problems, ", "))
			}
		}
	}
}

// schemaOf is the OpenAPI schema of a version of a CRD; nil when it has none.
func schemaOf(m *manifest, version string) map[string]any {
	for _, v := range list(m.object, "spec", "versions") {
		if text(v, "name") == version {
			if s, ok := at(v, "schema", "openAPIV3Schema").(map[string]any); ok {
				return s
			}
		}
	}
	s, _ := at(m.object, "spec", "validation", "openAPIV3Schema").(map[string]any)
	return s
}

// removals is the ruleset of what Kubernetes stops serving.
const removals = "kubernetes-removed"

func checkRemoved(_ context.Context, p *pass) error {
	if p.Kube == "" {
		return nil
	}
	target, err := migrate.ParseTarget(p.Kube)
	if err != nil {
		return err
	}
	set, err := migrate.BuiltinRuleset(removals)
	if err != nil {
		return err
	}
	set = set.For(target)
	for _, m := range p.manifests {
		apiVersion := text(m.object, "apiVersion")
		if since, use := set.NotServed(apiVersion, m.kind()); since != "" {
			f := p.say(m.path, lineOf(m.node, []string{"apiVersion"}), "%s %s: Kubernetes %s and later do not serve %s", m.kind(), m.name(), since, apiVersion)
			if f.Actual, f.Hint = apiVersion, use; !strings.Contains(use, " ") {
				f.Expected, f.Hint = use, "use "+use
			}
		}
	}
	return nil
}

// CheckKube refuses a Kubernetes version that is none.
func CheckKube(v string) error {
	_, err := migrate.ParseTarget(v)
	return err
}

// rule kind-unsupported names the kind that was probably meant.
func kindHint(kind string) string {
	return cmp.Or(nearest(kind, slices.Sorted(maps.Keys(supportedKinds))), "what a bundle cannot bring, the operator creates when it runs")
}

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
	found := validate.NewSchemaValidator(s, nil, "", strfmt.Default).Validate(object).Errors
	problems := lists.Of(found, func(err error) string { return strings.Replace(err.Error(), " in body", "", 1) })
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
