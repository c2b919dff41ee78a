package release

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// The PR of a release adds its row to the matrix that the repository declares,
// once, also when another place of the same file changes; a repository without
// one gets none, and another row of this version stops the release.
func TestRowOfTheRelease(t *testing.T) {
	s := &stack.Stack{Root: "app", Components: []stack.Component{{Name: "app"}, {Name: "lib"}, {Name: "gone", Until: "v1.0.0"}}}
	if err := s.Complete(""); err != nil {
		t.Fatal(err)
	}
	train := &steps.Train{Stack: s, Version: "v1.2.0", Versions: map[string]string{"app": "v1.2.0", "lib": "v0.4.0", "gone": "v0.1.0"}}
	const head = "image: lib:v0.3.0\nmatrix:\n  releases:\n    - version: v1.1.0\n      components:\n        - {name: app, version: v1.1.0}\n"
	const row = "    - version: v1.2.0\n      components:\n        - {name: app, version: v1.2.0}\n        - {name: lib, version: v0.4.0}\n"
	for _, c := range []struct {
		name, file string
		changes    []git.Change
		want       string // of .cfctl.yaml; empty = it is no change
		err        string
	}{
		{name: "a new row", file: head, want: head + row},
		{name: "a file that changes anyway", file: head, changes: []git.Change{{Path: ".cfctl.yaml", Data: []byte(strings.Replace(head, "v0.3.0", "v0.4.0", 1))}}, want: strings.Replace(head, "v0.3.0", "v0.4.0", 1) + row},
		{name: "it is there", file: head + row},
		{name: "no releases are declared", file: "stack: {}\n"},
		{name: "another row", file: head + strings.Replace(row, "v0.4.0", "v0.5.0", 1), err: "release v1.2.0 is declared with other versions"},
	} {
		got, err := train.WithRow(fstest.MapFS{".cfctl.yaml": {Data: []byte(c.file)}}, c.changes)
		text := ""
		for _, change := range got {
			text += string(change.Data)
		}
		if text != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, text, c.want)
		}
	}
	if got, err := train.WithRow(fstest.MapFS{}, nil); err != nil || got != nil {
		t.Errorf("without a configuration: %v %v", got, err)
	}
}
