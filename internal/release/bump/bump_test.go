package bump

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	linetext "github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/testing/mirrors"
)

// mirrorTags reads tags from the bare repositories of a folder.
type mirrorTags struct {
	*mirrors.Folder
	t *testing.T
}

func (m mirrorTags) Open(slug string) *git.Repo {
	m.t.Helper()
	r, err := git.Open(m.t.Context(), m.Repository(slug))
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { r.Close() })
	return r
}

// At implements tagReader.
func (m mirrorTags) At(ctx context.Context, url, tag string) (fs.FS, time.Time, error) {
	tree, err := m.Open(strings.TrimPrefix(url, "https://github.com/")).Tree(ctx, tag)
	return tree, time.Time{}, err
}

// TestRealBumps plans what release engineers committed, on the tree before
// their commit: the same bytes in every file, but for what go mod tidy does.
// Of the 33 release commits those are left out, or compared in part, that
// forgot a place (the reference of the MCAD CRDs until v1.0.0, KubeRay's module
// in v1.3.0, Kueue's in v1.16.0), typed a version that is none (v0.2.0), or
// brought other modules along (v1.4.0, and KubeRay's head until v1.0.0).
func TestRealBumps(t *testing.T) {
	m := mirrorTags{mirrors.Of(t), t}
	repo := m.Open("project-codeflare/codeflare-operator")
	for _, tt := range []struct {
		commit, version string
		versions        map[string]string
		only            string // compare this file alone; empty = every file
	}{
		{"f639621", "v1.15.0", map[string]string{"appwrapper": "v1.0.4", "codeflare-sdk": "v0.27.0", "kueue": "v0.10.1"}, ""},
		{"a6794de", "v1.14.0", map[string]string{"codeflare-sdk": "v0.26.0", "kuberay": "v1.2.2"}, ""},
		{"d459dd6", "v1.13.0", map[string]string{"appwrapper": "v0.30.0", "codeflare-sdk": "v0.25.0"}, ""},
		{"385d79e", "v1.12.0", map[string]string{"codeflare-sdk": "v0.24.0"}, ""},
		{"d6be0ab", "v1.11.0", map[string]string{"appwrapper": "v0.27.0", "codeflare-sdk": "v0.23.1", "kueue": "v0.8.3"}, ""},
		{"067c47b", "v1.10.0", map[string]string{"appwrapper": "v0.26.0", "codeflare-sdk": "v0.22.0"}, ""},
		{"59a1d23", "v1.9.0", map[string]string{"appwrapper": "v0.25.0", "codeflare-sdk": "v0.21.0", "kueue": "v0.8.1"}, ""},
		{"73d5beb", "v1.8.0", map[string]string{"appwrapper": "v0.24.0", "codeflare-sdk": "v0.20.2"}, ""},
		{"f31a77d", "v1.7.0", map[string]string{"appwrapper": "v0.23.0", "codeflare-sdk": "v0.19.1"}, ""},
		{"3658620", "v1.6.0", map[string]string{"appwrapper": "v0.22.0", "codeflare-sdk": "v0.18.0"}, ""},
		{"077121e", "v1.5.0", map[string]string{"appwrapper": "v0.20.2", "codeflare-sdk": "v0.17.0", "kueue": "v0.7.0"}, ""},
		{"3212bdc", "v1.4.4", map[string]string{"appwrapper": "v0.13.1", "codeflare-sdk": "v0.16.4"}, ""},
		{"9d68d62", "v1.4.3", map[string]string{"codeflare-sdk": "v0.16.3"}, ""},
		{"35c458d", "v1.4.2", map[string]string{"codeflare-sdk": "v0.16.2"}, ""},
		{"29db9a7", "v1.4.1", map[string]string{"codeflare-sdk": "v0.16.1"}, ""},
		{"8b0902e", "v1.3.1", map[string]string{"codeflare-sdk": "v0.15.1", "kuberay": "v1.0.0"}, ""},
		{"dfd6c61", "v1.2.0", map[string]string{"codeflare-sdk": "v0.14.0", "mcad": "v1.40.0"}, ""},
		{"003d61b", "v1.1.0", map[string]string{"codeflare-sdk": "v0.13.0", "instascale": "v0.4.0", "kuberay": "v1.0.0", "mcad": "v1.39.0"}, ""},
		{"2a4f5b8", "v0.2.3", map[string]string{"instascale": "v0.0.8"}, "controllers/testdata/instascale_test_results/case_1/deployment.yaml"},
		{"cd8b115", "v0.1.0", map[string]string{"instascale": "v0.0.6"}, "controllers/testdata/instascale_test_results/case_1/deployment.yaml"},
		{"644d27b", "v0.0.5", map[string]string{"instascale": "v0.0.5"}, "controllers/testdata/instascale_test_results/case_1/deployment.yaml"},
		{"a3e2846", "v1.15.0", map[string]string{"appwrapper": "v1.1.2"}, "config/crd/crd-appwrapper.yml"},
		{"33dba99", "v1.14.0", map[string]string{"appwrapper": "v1.0.0"}, "config/crd/crd-appwrapper.yml"},
		{"0cdfd7c", "v1.4.3", map[string]string{"appwrapper": "v0.13.0"}, "config/crd/crd-appwrapper.yml"},
	} {
		before, err := repo.Tree(t.Context(), tt.commit+"^")
		if err != nil {
			t.Fatal(err)
		}
		after, err := repo.Tree(t.Context(), tt.commit)
		if err != nil {
			t.Fatal(err)
		}
		r, err := PlanReferences(t.Context(), stack.Default(), before, m, tt.version, tt.versions)
		if err != nil {
			t.Errorf("%s: %v", tt.commit, err)
			continue
		}
		paths, err := repo.Changed(t.Context(), tt.commit+"^", tt.commit)
		if err != nil {
			t.Fatal(err)
		}
		if tt.only != "" {
			paths = []string{tt.only}
		}
		for _, p := range paths {
			if p != "go.sum" {
				compareFile(t, tt.commit+" "+p, before, after, p, r.Edits[p])
			}
		}
		for p := range r.Edits {
			if tt.only == "" && !slices.Contains(paths, p) {
				t.Errorf("%s: %s is edited, and was not", tt.commit, p)
			}
		}
	}
}

// compareFile wants the edited file to be the committed one. Requirements that
// tidying dropped are left out of both.
func compareFile(t *testing.T, what string, before, after fs.FS, p string, edits []source.Edit) {
	t.Helper()
	data, err := fs.ReadFile(before, p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := source.Apply(data, edits)
	if err != nil {
		t.Fatal(err)
	}
	want, err := fs.ReadFile(after, p)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(got) {
		if bytes.HasSuffix(line, []byte(" // indirect\n")) && !bytes.Contains(want, line) {
			got = bytes.Replace(got, line, nil, 1)
		}
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what was committed", what)
	}
}

// noTags knows no repository.
type noTags struct{}

func (noTags) At(context.Context, string, string) (fs.FS, time.Time, error) {
	return nil, time.Time{}, git.ErrNotFound
}

func fans() *stack.Stack {
	s := &stack.Stack{Root: "fan", Components: []stack.Component{
		{Name: "fan", Repository: "org/fan"}, {Name: "blade", Repository: "org/blade", CRDs: []stack.CRD{{Path: "crd.yaml", Source: "crd/blade.yaml"}}},
	}, Places: []stack.Place{
		{Component: "fan", Kind: "make-var", Key: "VERSION"}, {Component: "blade", Kind: "make-var", Key: "BLADE_VERSION"},
	}}
	if err := s.Complete("test"); err != nil {
		panic(err)
	}
	return s
}

type oneTag struct{ tree fs.FS }

func (o oneTag) At(_ context.Context, url, tag string) (fs.FS, time.Time, error) {
	if url != "https://github.com/org/blade" || tag != "v2.0.0" {
		return nil, time.Time{}, git.ErrNotFound
	}
	return o.tree, time.Time{}, nil
}

func TestPlanReferences(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	tree := fstest.MapFS{"Makefile": file("VERSION ?= v1.0.0\nBLADE_VERSION ?= v1.9.0\n"), "crd.yaml": file("a:\n  - b: 1\n  - c: 1\n")}
	tags := oneTag{fstest.MapFS{"crd/blade.yaml": file("---\na:\n- b: 2\n- c: 1\n")}}
	r, err := PlanReferences(t.Context(), fans(), tree, tags, "v1.1.0", map[string]string{"blade": "v2.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]string{"Makefile": "VERSION ?= v1.1.0\nBLADE_VERSION ?= v2.0.0\n", "crd.yaml": "a:\n  - b: 2\n  - c: 1\n"} {
		if got, err := source.Apply(tree[p].Data, r.Edits[p]); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", p, got, err)
		}
	}
	if len(r.Edits["crd.yaml"]) != 1 || r.Edits["crd.yaml"][0].Old != "  - b: 1\n" {
		t.Errorf("more than the changed line: %+v", r.Edits["crd.yaml"])
	}
	same := oneTag{fstest.MapFS{"crd/blade.yaml": file("a:\n- b: 1\n- c: 1\n")}}
	if r, err = PlanReferences(t.Context(), fans(), tree, same, "v1.1.0", map[string]string{"blade": "v2.0.0"}); err != nil || r.Edits["crd.yaml"] != nil {
		t.Errorf("a copy that means the same: %+v, %v", r, err)
	}
	if r, err = PlanReferences(t.Context(), fans(), tree, noTags{}, "v1.0.0", nil); err != nil || len(r.Edits) != 0 || !slices.Equal(r.Kept, []string{"blade"}) {
		t.Errorf("nothing to do: %+v, %v", r, err)
	}
	for _, tt := range []struct {
		version string
		blade   string
		tree    fs.FS
		want    string
	}{
		{"v0.9.0", "", tree, "v0.9.0 is lower than v1.0.0"},
		{"v.1.1.0", "", tree, "not a semantic version"},
		{"v1.1.0", "2", tree, "not a semantic version"},
		{"v1.1.0", "v3.0.0", tree, "CRDs of blade v3.0.0: not found"},
		{"v1.1.0", "v2.0.0", fstest.MapFS{"Makefile": file("VERSION ?= v1.0.0\n")}, "BLADE_VERSION in Makefile of blade: no version found"},
		{"v1.1.0", "v2.0.0", fstest.MapFS{"Makefile": tree["Makefile"]}, "crd.yaml, the copy of a CRD of blade: no version found"},
	} {
		versions := map[string]string{}
		if tt.blade != "" {
			versions["blade"] = tt.blade
		}
		if _, err := PlanReferences(t.Context(), fans(), tt.tree, tags, tt.version, versions); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s: %v", tt.version, tt.blade, err)
		}
	}
	if _, err := PlanReferences(t.Context(), fans(), tree, noTags{}, "v1.1.0", map[string]string{"blade": "v2.0.0"}); !errors.Is(err, git.ErrNotFound) {
		t.Errorf("no repository: %v", err)
	}
}

func FuzzLineEdits(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc\nd")
	f.Add("", "a")
	f.Add("a\na\nb\n", "a\nb\nb\n")
	f.Fuzz(func(t *testing.T, from, to string) {
		got, err := source.Apply([]byte(from), linetext.LineEdits([]byte(from), []byte(to)))
		if err != nil || string(got) != to {
			t.Errorf("%q, %v, want %q", got, err, to)
		}
	})
}
