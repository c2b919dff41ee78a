package migrate

import (
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A tree is listed once, whatever is asked of its Go files afterwards: these are
// read once more at most, for all questions together, and no other file is.
func TestTreeIsListedOnce(t *testing.T) {
	m := parsedMigration(t, `name: x
rules: [{id: a, from: {group: a.example.com, kind: Old, version: v1}, to: {group: b.example.com, kind: New, version: v2}}]
modules: [{from: example.com/api, to: example.com/fresh, run: "go get example.com/fresh@v2.0.0"}]
`, false)
	tree := fstest.MapFS{
		"go.mod":       {Data: []byte("module example.com/x\n\nrequire example.com/api v1.0.0\n")},
		"api/types.go": {Data: []byte("// +groupName=a.example.com\npackage api\n\nconst Group = \"a.example.com\"\n\ntype Old struct{}\n")},
		"keys/a.go":    {Data: []byte("package keys\n\nimport \"example.com/x/api\"\n\nvar Owner = api.Group + \"/owner\"\n")},
		"use/a.go":     {Data: []byte("package use\n\nimport \"example.com/api\"\n\nvar _ api.Old\n")},
		"other/a.go":   {Data: []byte("package other\n")},
		"a.yaml":       {Data: []byte("apiVersion: a.example.com/v1\nkind: Old\n")},
		"b.yaml":       {Data: []byte("a: b\n")},
	}
	lists, read := 0, map[string]int{}
	files, err := m.gather(func(s search, visit func(name string, data []byte)) error {
		names := s.among
		if names == nil {
			lists++
			names = slices.Sorted(maps.Keys(tree))
		}
		for _, name := range names {
			read[name]++
		}
		return walkFS(t.Context(), tree, s, visit, func(string, []byte, source.Reason) {})
	})
	if err != nil {
		t.Fatal(err)
	}
	// b.yaml has no group: it is searched again for kinds that get another name.
	want := map[string]int{"go.mod": 1, "a.yaml": 1, "b.yaml": 2, "api/types.go": 2, "keys/a.go": 2, "use/a.go": 2, "other/a.go": 2}
	if lists != 1 || !maps.Equal(read, want) {
		t.Errorf("the tree was listed %d times and read %v, want once and %v", lists, read, want)
	}
	told := map[string]bool{}
	for _, f := range files {
		for _, s := range f.Sites {
			told[f.Path+" "+string(s.Role)] = true
		}
	}
	for _, place := range []string{"go.mod import-path", "use/a.go import-path", "api/types.go kind"} {
		if !told[place] {
			t.Errorf("nothing is told of %s: %v", place, told)
		}
	}
}

// Where nothing but keys is asked about, the Go files are read again that may use the
// constant of a group: those of its folder, and those that import it, or one that gives it
// another name.
func TestKeysAreAskedOfImporters(t *testing.T) {
	m := parsedMigration(t, "name: x\nrules: [{id: a, from: {group: a.example.com}, to: {group: b.example.com}}]\n", false)
	tree := fstest.MapFS{
		"api/group.go":    {Data: []byte("package api\n\nconst Group = \"a.example.com\"\n")},
		"api/own.go":      {Data: []byte("package api\n")},
		"alias/a.go":      {Data: []byte("package alias\n\nimport \"example.com/x/api\"\n\nvar Domain = api.Group\n")},
		"keys/a.go":       {Data: []byte("package keys\n\nimport names \"example.com/x/alias\"\n\nvar Owner = names.Domain + \"/owner\"\n")},
		"stranger/a.go":   {Data: []byte("package stranger\n\nimport \"example.com/x/keys\"\n\nvar Owner = keys.Group + \"/owner\"\n")},
		"stranger/api.go": {Data: []byte("package stranger\n\nvar Group = \"/owner\"\n")},
	}
	read := map[string]int{}
	files, err := m.gather(func(s search, visit func(name string, data []byte)) error {
		for _, name := range s.among {
			read[name]++
		}
		return walkFS(t.Context(), tree, s, visit, func(string, []byte, source.Reason) {})
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{"api/group.go": 1, "api/own.go": 1, "alias/a.go": 1, "keys/a.go": 1}; !maps.Equal(read, want) {
		t.Errorf("read again: %v, want %v", read, want)
	}
	if len(files) != 1 || len(files[0].Sites) != 1 || files[0].Sites[0].Action() != Person {
		t.Errorf("a constant of which a key is made through another one is not for a person: %+v", files)
	}
}
