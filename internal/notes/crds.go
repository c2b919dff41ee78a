package notes

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lists"
)

// A CRDChange is a change of the schema of a custom resource.
type CRDChange struct {
	CRD      string `json:"crd"`               // "appwrappers.workload.codeflare.dev"
	Version  string `json:"version,omitempty"` // of the resource: "v1beta2"; empty = the CRD as a whole
	Field    string `json:"field,omitempty"`   // "spec.suspend", "spec.items[].name"; empty = the version as a whole
	Kind     string `json:"kind"`              // added, removed, required, optional, changed
	Detail   string `json:"detail,omitempty"`  // "string, was integer"
	Breaking bool   `json:"breaking,omitempty"`
	Path     string `json:"-"` // of the file that has the CRD, or had it
	Object   string `json:"-"` // the kind of its objects: "AppWrapper"
}

// CompareCRDs tells what changed between the CRDs of two trees, sorted.
func CompareCRDs(before, now fs.FS) ([]CRDChange, error) {
	old, err := readCRDs(before)
	if err != nil {
		return nil, fmt.Errorf("before: %w", err)
	}
	fresh, err := readCRDs(now)
	if err != nil {
		return nil, fmt.Errorf("now: %w", err)
	}
	return compareCRDs(old, fresh), nil
}

// A definition is a CRD of a tree.
type definition struct {
	path   string // of its file
	kind   string // of its objects
	schema crdSchema
}

// A crdSchema is the fields of each version of a CRD that is served.
type crdSchema map[string]map[string]crdField // version, then path

// A crdField is what is compared of a field.
type crdField struct {
	kind     string // its type, with the format
	required bool
	enum     []string
}

// crdFolders are where projects keep their CRDs. Those that controller-gen
// writes count first, at the top of the repository, one folder below (a module
// of its own) or among components; else the first that has any.
var crdFolders = [][]string{
	{"config/crd/bases/*.y*ml", "*/config/crd/bases/*.y*ml", "config/*/crd/bases/*.y*ml"},
	{"config/crd/*.y*ml"}, {"config/crds/*.y*ml"}, {"deploy/crds/*.y*ml"}, {"manifests/crds/*.y*ml"}, {"charts/*/crds/*.y*ml"}, {"crds/*.y*ml"}, {"crd/*.y*ml"},
}

// readCRDs reads the CRDs of a tree, by name.
func readCRDs(tree fs.FS) (map[string]definition, error) {
	crds := map[string]definition{}
	for _, folders := range crdFolders {
		for _, pattern := range folders {
			if err := readFolder(crds, tree, pattern); err != nil {
				return nil, err
			}
		}
		if len(crds) > 0 {
			break
		}
	}
	return crds, nil
}

// readFolder reads the CRDs among the files that match.
func readFolder(crds map[string]definition, tree fs.FS, pattern string) error {
	files, err := fs.Glob(tree, pattern)
	if err != nil {
		return err
	}
	for _, file := range files {
		if strings.HasPrefix(path.Base(file), "kustomiz") {
			continue // kustomization.yaml and the configuration of its transformers
		}
		data, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		if err := readCRD(crds, file, data); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func readCRD(crds map[string]definition, file string, data []byte) error {
	var doc struct {
		Kind     string `yaml:"kind"`
		Metadata struct {
			Name string `yaml:"name"`
		} `yaml:"metadata"`
		Spec struct {
			Names struct {
				Kind string `yaml:"kind"`
			} `yaml:"names"`
			Versions []struct {
				Name   string `yaml:"name"`
				Served *bool  `yaml:"served"`
				Schema struct {
					Root map[string]any `yaml:"openAPIV3Schema"`
				} `yaml:"schema"`
			} `yaml:"versions"`
		} `yaml:"spec"`
	}
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return err
	}
	if doc.Kind != "CustomResourceDefinition" {
		return nil
	}
	schema := crdSchema{}
	for _, v := range doc.Spec.Versions {
		if v.Served != nil && !*v.Served {
			continue
		}
		schema[v.Name] = map[string]crdField{}
		flatten(v.Schema.Root, "", false, schema[v.Name])
	}
	crds[doc.Metadata.Name] = definition{file, doc.Spec.Names.Kind, schema}
	return nil
}

// flatten lists the fields below a schema.
func flatten(schema map[string]any, at string, required bool, into map[string]crdField) {
	if schema == nil {
		return
	}
	if at != "" {
		into[at] = crdField{kind: typeName(schema), required: required, enum: words(schema["enum"])}
	}
	needed := words(schema["required"])
	properties, _ := schema["properties"].(map[string]any)
	for name, v := range properties {
		inner, _ := v.(map[string]any)
		_, defaulted := inner["default"]
		flatten(inner, strings.TrimPrefix(at+"."+name, "."), slices.Contains(needed, name) && !defaulted, into)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		flatten(items, at+"[]", false, into)
	}
	if values, ok := schema["additionalProperties"].(map[string]any); ok {
		flatten(values, at+"{}", false, into)
	}
}

func typeName(schema map[string]any) string {
	kind, _ := schema["type"].(string)
	if schema["x-kubernetes-int-or-string"] == true {
		kind = "integer or string"
	}
	return kind
}

func words(v any) []string {
	list, _ := v.([]any)
	return lists.Of(list, func(w any) string { return fmt.Sprint(w) })
}

// compareCRDs tells what changed between two sets of CRDs, sorted.
func compareCRDs(old, fresh map[string]definition) []CRDChange {
	var list []CRDChange
	for _, name := range union(old, fresh) {
		before, had := old[name]
		after, has := fresh[name]
		switch {
		case !had:
			list = append(list, CRDChange{CRD: name, Kind: "added", Path: after.path, Object: after.kind})
		case !has:
			list = append(list, CRDChange{CRD: name, Kind: "removed", Breaking: true, Path: before.path, Object: before.kind})
		default:
			for _, c := range compareVersions(name, before.schema, after.schema) {
				c.Path, c.Object = after.path, after.kind
				list = append(list, c)
			}
		}
	}
	return list
}

func compareVersions(name string, before, after crdSchema) []CRDChange {
	var list []CRDChange
	for _, version := range union(before, after) {
		was, had := before[version]
		is, has := after[version]
		switch {
		case !had:
			list = append(list, CRDChange{CRD: name, Version: version, Kind: "added"})
		case !has:
			list = append(list, CRDChange{CRD: name, Version: version, Kind: "removed", Breaking: true})
		default:
			for _, change := range compareFields(was, is) {
				change.CRD, change.Version = name, version
				list = append(list, change)
			}
		}
	}
	return list
}

// compareFields tells of the fields at the top of what came or went only: what
// is below them came or went with them.
func compareFields(was, is map[string]crdField) []CRDChange {
	var list []CRDChange
	for _, field := range union(was, is) {
		before, had := was[field]
		after, has := is[field]
		switch {
		case !had && under(field, was, is):
		case !had:
			c := CRDChange{Field: field, Kind: "added", Detail: after.kind, Breaking: after.required && !inStatus(field)}
			if after.required {
				c.Detail += ", required"
			}
			list = append(list, c)
		case !has && under(field, is, was):
		case !has:
			list = append(list, CRDChange{Field: field, Kind: "removed", Breaking: true})
		default:
			list = append(list, compareField(field, before, after)...)
		}
	}
	return list
}

// under says whether the field's parent is missing in one and present in other.
func under(field string, one, other map[string]crdField) bool {
	parent := parentOf(field)
	_, here := one[parent]
	_, there := other[parent]
	return !here && there
}

// parentOf is the field that holds a field: "spec.items[]" of
// "spec.items[].name", "spec.items" of "spec.items[]"; empty at the top.
func parentOf(field string) string {
	for _, suffix := range []string{"[]", "{}"} {
		if parent, ok := strings.CutSuffix(field, suffix); ok {
			return parent
		}
	}
	return field[:max(0, strings.LastIndexByte(field, '.'))]
}

func compareField(field string, before, after crdField) []CRDChange {
	var list []CRDChange
	if before.kind != after.kind {
		list = append(list, CRDChange{Field: field, Kind: "changed", Detail: fmt.Sprintf("%s, was %s", orAny(after.kind), orAny(before.kind)), Breaking: true})
	}
	if !before.required && after.required {
		list = append(list, CRDChange{Field: field, Kind: "required", Breaking: !inStatus(field)})
	}
	if before.required && !after.required {
		list = append(list, CRDChange{Field: field, Kind: "optional"})
	}
	if len(before.enum) == 0 && len(after.enum) > 0 && before.kind == after.kind {
		list = append(list, CRDChange{Field: field, Kind: "changed", Detail: "takes only " + strings.Join(after.enum, ", "), Breaking: !inStatus(field)})
	}
	for _, v := range before.enum {
		if len(after.enum) > 0 && !slices.Contains(after.enum, v) {
			list = append(list, CRDChange{Field: field, Kind: "changed", Detail: "no longer takes " + v, Breaking: true})
		}
	}
	return list
}

// inStatus says whether the controller writes a field: what it must write
// breaks no one.
func inStatus(field string) bool { return strings.HasPrefix(field, "status.") }

func orAny(kind string) string {
	return cmp.Or(kind, "any type")
}

func union[T any](a, b map[string]T) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}
