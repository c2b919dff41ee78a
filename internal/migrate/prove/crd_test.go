package prove

import "testing"

// The names of a CRD agree, and of its versions each has a name of its own and
// one is stored.
func TestNamesOfCRD(t *testing.T) {
	const head = "kind: CustomResourceDefinition\nmetadata: {name: apples.old.example.com}\n"
	for in, want := range map[string]string{
		"spec: {group: old.example.com, names: {plural: apples}}":                                                                   "",
		"spec: {group: new.example.org, names: {plural: apples}}":                                                                   "the name should be apples.new.example.org",
		"spec: {group: old.example.com, names: {plural: pears}}":                                                                    "the name should be pears.old.example.com",
		"spec: {group: old.example.com, names: {plural: apples}, versions: v1}":                                                     "",
		"spec: {group: old.example.com, names: {plural: apples}, versions: [{name: v1, storage: true}]}":                            "",
		"spec: {group: old.example.com, names: {plural: apples}, versions: [{name: v1, storage: true}, {name: v2}]}":                "",
		"spec: {group: old.example.com, names: {plural: apples}, versions: [{name: v1, storage: true}, {name: v1}]}":                `the version "v1"`,
		"spec: {group: old.example.com, names: {plural: apples}, versions: [{name: first, storage: true}]}":                         `the version "first"`,
		"spec: {group: old.example.com, names: {plural: apples}, versions: [{name: v1}]}":                                           "0 versions are stored",
		"spec: {group: old.example.com, names: {plural: apples}, versions: [{name: v1, storage: true}, {name: v2, storage: true}]}": "2 versions are stored",
	} {
		docs, err := parseYAML([]byte(head + in + "\n"))
		if err != nil {
			t.Fatal(in, err)
		}
		got := ""
		if err := namesOf(crdOf(docs[0])); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
