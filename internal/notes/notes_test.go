package notes

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/git"
)

func TestChangesFollowTheMainLine(t *testing.T) {
	commits := []git.Commit{
		{Hash: "f", Parents: []string{"e"}, Author: "A", Subject: "feat(api)!: new shape (#14)"},
		{Hash: "e", Parents: []string{"c", "d"}, Author: "Merger", Subject: "Merge pull request #12 from a/b", Body: "Fix the blade\n\nmore"},
		{Hash: "d", Parents: []string{"b"}, Author: "B", Subject: "wip"},
		{Hash: "c", Parents: []string{"b"}, Author: "C", Subject: "Bump x from 1 to 2 (#11)"},
		{Hash: "b", Parents: []string{"a"}, Author: "D", Subject: "Update the README"},
	}
	want := []string{
		"Features|new shape|14|A|true", "Fixes|Fix the blade|12|B|false", "Dependencies|Bump x from 1 to 2|11|C|false", "Documentation|Update the README||D|false",
	}
	var got []string
	for _, c := range changesOf(commits) {
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%v", c.Group, c.Subject, c.Pull, c.Author, c.Breaking))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestGroups(t *testing.T) {
	for subject, want := range map[string]string{
		"Add a fan": "Features", "address feedback": "Changes", "Fixed the fan": "Fixes", "docs: fix typo": "Documentation",
		"Upgrade to Go 1.21": "Dependencies", "chore(deps): bump y": "Dependencies", "chore: tidy up": "Maintenance",
		"[cli] Added a list": "Features", "Automated cherry pick of #12: Fixed the fan": "Fixes", "Added me to approvers": "Maintenance",
		"Add e2e tests": "Maintenance", "Rename the fan": "Changes",
		"Add changelog entry for v1.6.3": "Documentation", "Add new CONTRIBUTING.md file": "Documentation",
		"resolve conflicts of names": "Fixes", "Merge branch 'main' into x": "Changes",
	} {
		if c := changeOf(git.Commit{Subject: subject}, nil); c.Group != want {
			t.Errorf("%q is in %s, want %s", subject, c.Group, want)
		}
	}
	if c := changeOf(git.Commit{Subject: "Updated the badge", Author: "actions[bot]"}, nil); c.Group != "Maintenance" {
		t.Errorf("what a bot does is in %s", c.Group)
	}
	if c := changeOf(git.Commit{Subject: "Merge branch 'main' into x", Parents: []string{"a", "b"}}, nil); c.Subject != "" {
		t.Errorf("a merge of a branch is no change: %+v", c)
	}
	if c := changeOf(git.Commit{Subject: "Rework", Body: "x\n\nBREAKING CHANGE: all"}, nil); !c.Breaking {
		t.Error("a footer says that it breaks")
	}
}

// TestBreakingText: a subject announces a breaking change where it is headed or marked
// with it; most that have the words in their sentence adapt to one of others.
func TestBreakingText(t *testing.T) {
	for subject, want := range map[string]bool{
		"Breaking change: remove the field": true, "Breaking changes - no size": true, "[Bug][breaking change] refuse tokens": true,
		"\u26a0\ufe0f Breaking Changes: rename the flag": true, "Call it first (breaking change)": true, "fix: BREAKING CHANGE on ports": true,
		"Fix breaking change in-memory build": false, "Fix e2e tests after new major version with breaking changes": false,
		"Revert breaking change: default the kind": false, "chore: adapt to controller-runtime, breaking changes": false, "No breaking changes": false,
	} {
		if c := changeOf(git.Commit{Subject: subject}, nil); c.Breaking != want {
			t.Errorf("%q: %v", subject, c.Breaking)
		}
	}
}

// TestReadCRDsServed: a version that is not served is not there.
func TestReadCRDsServed(t *testing.T) {
	crds := map[string]definition{}
	text := "kind: CustomResourceDefinition\nmetadata: {name: fans.example.com}\nspec: {names: {kind: Fan}, versions: [{name: v1, served: true}, {name: v1beta1, served: false}]}\n"
	if err := readCRD(crds, "fans.yaml", []byte(text)); err != nil || len(crds["fans.example.com"].schema) != 1 {
		t.Errorf("%v, %v", crds, err)
	}
}

func crd(version, schema string) map[string]definition {
	crds := map[string]definition{}
	text := "kind: CustomResourceDefinition\nmetadata: {name: fans.example.com}\nspec:\n  versions:\n  - name: " + version + "\n    schema:\n      openAPIV3Schema: " + schema + "\n"
	if err := readCRD(crds, "fans.yaml", []byte(text)); err != nil {
		panic(err)
	}
	return crds
}

func TestCompareCRDs(t *testing.T) {
	spec := func(inner string) string { return "{type: object, properties: {spec: {type: object, " + inner + "}}}" }
	old := crd("v1", spec("required: [b], properties: {a: {type: string}, b: {type: string}, c: {type: object, properties: {d: {type: string}}}, e: {type: string, enum: [x, y]}, l: {type: array, items: {type: object, properties: {m: {type: string}}}}}"))
	for _, tt := range []struct {
		fresh map[string]definition
		want  string
	}{
		{old, ""},
		{map[string]definition{}, "removed!"},
		{crd("v2", spec("")), "v1: removed!; v2: added"},
		{crd("v1", spec("required: [a, n], properties: {a: {type: integer}, b: {type: string}, e: {type: string, enum: [x]}, l: {type: array, items: {type: object, properties: {m: {type: string}, o: {type: object, properties: {p: {type: string}}}}}}, n: {type: boolean}}")),
			"v1 `spec.a`: integer, was string!; v1 `spec.a`: is required now!; v1 `spec.b`: is no longer required; v1 `spec.c`: removed!; v1 `spec.e`: no longer takes y!; v1 `spec.l[].o`: added (object); v1 `spec.n`: added (boolean, required)!"},
		{crd("v1", "{type: object, properties: {spec: {type: object, required: [b], properties: {a: {type: string, enum: [x]}, b: {type: string}, c: {type: object, properties: {d: {type: string}}}, e: {type: string, enum: [x, y]}, l: {type: array, items: {type: object, properties: {m: {type: string}}}}}}, status: {type: object, required: [s], properties: {s: {type: string}}}}}"),
			"v1 `spec.a`: takes only x!; v1 `status`: added (object)"},
	} {
		var got []string
		for _, c := range compareCRDs(old, tt.fresh) {
			mark := ""
			if c.Breaking {
				mark = "!"
			}
			got = append(got, c.String()+mark)
		}
		if strings.Join(got, "; ") != tt.want {
			t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), tt.want)
		}
	}
}

// TestStatusBreaksNobody leaves to the controller what it must write.
func TestStatusBreaksNobody(t *testing.T) {
	status := func(inner string) map[string]definition {
		return crd("v1", "{type: object, properties: {status: {type: object, "+inner+"properties: {s: {type: string}}}}}")
	}
	if got := compareCRDs(status(""), status("required: [s], ")); len(got) != 1 || got[0].Breaking {
		t.Errorf("%+v", got)
	}
	if got := compareCRDs(status(""), map[string]definition{}); len(got) != 1 || !got[0].Breaking {
		t.Errorf("%+v", got)
	}
}

// TestReadCRDs finds them where projects keep them, the generated ones first.
func TestReadCRDs(t *testing.T) {
	file := func(name string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("kind: CustomResourceDefinition\nmetadata: {name: " + name + "}\nspec: {versions: [{name: v1}]}\n")}
	}
	for _, folder := range []string{"config/crd/bases", "operator/config/crd/bases", "config/components/crd/bases", "config/crd", "charts/fan/crds", "deploy/crds"} {
		crds, err := readCRDs(fstest.MapFS{folder + "/fans.yaml": file("fans"), folder + "/kustomization.yaml": &fstest.MapFile{}, folder + "/blades.yml": file("blades")})
		if err != nil || len(crds) != 2 {
			t.Errorf("%s: %v, %v", folder, crds, err)
		}
	}
	crds, err := readCRDs(fstest.MapFS{"config/crd/bases/fans.yaml": file("fans"), "crds/copy.yaml": file("copies")})
	if err != nil || len(crds) != 1 {
		t.Errorf("copies count too: %v, %v", crds, err)
	}
}
