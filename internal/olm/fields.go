package olm

import (
	"reflect"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
)

// A role says what kustomize does with the text of a field of a kustomization.
type role int

const (
	roleText    role = iota // it is data: nothing is opened
	roleTree                // a file of objects, a folder with a kustomization, or a repository on the web
	rolePlugin              // as roleTree, of configurations of generators and transformers; or such a configuration itself
	roleFile                // a file
	roleNamed               // a file, or KEY=FILE
	rolePatch               // a file, or a patch itself
	roleRefused             // a program of its own, or a download by it
)

// roles are those of the fields that are not data, by the names of their keys
// from the top; [] is an item of a list. A field that no line and no line of a
// field around it is about is data.
//
// TestFieldsOfKustomizations checks it against the type that kustomize decodes.
var roles = map[string]role{
	"resources[]":                   roleTree,
	"components[]":                  roleTree,
	"bases[]":                       roleTree,
	"generators[]":                  rolePlugin,
	"transformers[]":                rolePlugin,
	"validators[]":                  rolePlugin,
	"crds[]":                        roleFile,
	"configurations[]":              roleFile,
	"openapi.path":                  roleFile,
	"patches[].path":                roleFile,
	"patchesJson6902[].path":        roleFile,
	"replacements[].path":           roleFile,
	"patchesStrategicMerge[]":       rolePatch,
	"configMapGenerator[].files[]":  roleNamed,
	"configMapGenerator[].envs[]":   roleFile,
	"configMapGenerator[].env":      roleFile,
	"secretGenerator[].files[]":     roleNamed,
	"secretGenerator[].envs[]":      roleFile,
	"secretGenerator[].env":         roleFile,
	"helmCharts[]":                  roleRefused,
	"helmGlobals":                   roleRefused,
	"helmChartInflationGenerator[]": roleRefused,
}

// roleOf is the role of a field.
func roleOf(field string) role {
	for at := field; at != ""; {
		if r, ok := roles[at]; ok {
			return r
		}
		i := strings.LastIndexAny(at, ".[")
		if i < 0 {
			break
		}
		at = at[:i]
	}
	return roleText
}

// eachText calls visit with every text of a kustomization and the name of its
// field, in the order of the type; what visit returns takes its place, and an
// item of a list that becomes empty goes.
func eachText(doc *types.Kustomization, visit func(field, text string) (string, error)) error {
	return eachTextIn("", reflect.ValueOf(doc).Elem(), visit)
}

func eachTextIn(field string, v reflect.Value, visit func(field, text string) (string, error)) error {
	switch v.Kind() {
	case reflect.String:
		if v.String() == "" {
			return nil
		}
		text, err := visit(field, v.String())
		if err == nil {
			v.SetString(text)
		}
		return err
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		if v.Kind() == reflect.Interface {
			_, err := visit(field, "")
			return err
		}
		return eachTextIn(field, v.Elem(), visit)
	case reflect.Slice:
		return eachItem(field+"[]", v, visit)
	case reflect.Map:
		return eachValue(field, v, visit)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			if err := eachTextIn(fieldName(field, f), v.Field(i), visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachItem visits the items of a list; those of texts that become empty go.
func eachItem(field string, list reflect.Value, visit func(field, text string) (string, error)) error {
	kept := 0
	for i := range list.Len() {
		item := list.Index(i)
		was := item.Kind() == reflect.String && item.String() != ""
		if err := eachTextIn(field, item, visit); err != nil {
			return err
		}
		if was && item.String() == "" {
			continue
		}
		list.Index(kept).Set(item)
		kept++
	}
	if kept < list.Len() {
		list.Set(list.Slice(0, kept))
	}
	return nil
}

// eachValue visits the values of a map with the keys as names.
func eachValue(field string, m reflect.Value, visit func(field, text string) (string, error)) error {
	for _, key := range m.MapKeys() {
		value := reflect.New(m.Type().Elem()).Elem()
		value.Set(m.MapIndex(key))
		if err := eachTextIn(field+"."+key.String(), value, visit); err != nil {
			return err
		}
		m.SetMapIndex(key, value)
	}
	return nil
}

// fieldName is the name of a field in YAML after that of the struct that it is
// in; a struct that is embedded adds none.
func fieldName(in string, f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case name == "" && f.Anonymous:
		return in
	case in == "":
		return name
	}
	return in + "." + name
}
