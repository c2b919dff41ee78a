package matrix

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// A fixture is a tree with the findings that it must give, all of them. Lines
// of the archive's comment set up the actual state: "tag T", "now DATE" (with the
// components' sources), "remote OWNER/NAME TAG..." (else it is offline). Files
// under past/TAG/ are earlier releases, under source/OWNER/NAME@TAG/ those of
// components. A file stack.yaml is the stack, instead of testdata/stack.yaml.
type fixture struct {
	in   *Input
	want []string
}

// acme is the stack of the fixtures.
func acme(t testing.TB) *stack.Stack {
	t.Helper()
	data, err := os.ReadFile("testdata/stack.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return stackOf(t, data)
}

func stackOf(t testing.TB, data []byte) *stack.Stack {
	t.Helper()
	var s stack.Stack
	if err := strict.Decode("stack.yaml", data, &s); err != nil {
		t.Fatal(err)
	}
	if err := s.Complete("stack.yaml"); err != nil {
		t.Fatal(err)
	}
	return &s
}

type fakeRemotes map[string]git.Refs

func (f fakeRemotes) Tags(_ context.Context, url string) (git.Refs, error) {
	refs, ok := f[strings.TrimPrefix(url, "https://github.com/")]
	if !ok {
		return refs, fmt.Errorf("%s: not in the fixture", url)
	}
	return refs, nil
}

type fakePast map[string]fstest.MapFS

func (f fakePast) Tags(context.Context) ([]string, error) {
	var tags []string
	for t := range f {
		tags = append(tags, t)
	}
	return tags, nil
}

func (f fakePast) Tree(_ context.Context, tag string) (fs.FS, error) { return f[tag], nil }

type fakeSources map[string]fstest.MapFS

func (f fakeSources) At(_ context.Context, url, tag string) (fs.FS, time.Time, error) {
	tree, ok := f[strings.TrimPrefix(url, "https://github.com/")+"@"+tag]
	if !ok {
		return nil, time.Time{}, fmt.Errorf("%s@%s: not in the fixture", url, tag)
	}
	date := time.Time{}
	if f, ok := tree["DATE"]; ok {
		date, _ = time.Parse(time.DateOnly, strings.TrimSpace(string(f.Data)))
	}
	return tree, date, nil
}

func readFixture(t *testing.T, path string) fixture {
	t.Helper()
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tree, past, sources := fstest.MapFS{}, fakePast{}, fakeSources{}
	f := fixture{in: &Input{Stack: acme(t), Config: &Config{}, Tree: tree, Past: past}}
	for _, file := range a.Files {
		put := func(to map[string]fstest.MapFS, key, name string) {
			if to[key] == nil {
				to[key] = fstest.MapFS{}
			}
			to[key][name] = &fstest.MapFile{Data: file.Data}
		}
		parts := strings.Split(file.Name, "/")
		switch {
		case file.Name == "want":
			f.want = strings.FieldsFunc(string(file.Data), func(r rune) bool { return r == '\n' })
		case file.Name == "stack.yaml":
			f.in.Stack = stackOf(t, file.Data)
		case file.Name == ".cfctl.yaml":
			if err := strict.Decode(path, file.Data, f.in.Config); err != nil {
				t.Fatal(err)
			}
		case parts[0] == "past":
			put(past, parts[1], strings.Join(parts[2:], "/"))
		case parts[0] == "source":
			put(sources, parts[1]+"/"+parts[2], strings.Join(parts[3:], "/"))
		default:
			tree[file.Name] = &fstest.MapFile{Data: file.Data}
		}
	}
	if err := f.in.Config.Complete(path, f.in.Stack); err != nil {
		t.Fatal(err)
	}
	f.setUp(string(a.Comment), sources)
	return f
}

func (f *fixture) setUp(comment string, sources fakeSources) {
	remotes := fakeRemotes{}
	for line := range strings.Lines(comment) {
		w := strings.Fields(line)
		switch w[0] {
		case "tag":
			f.in.Tag = w[1]
		case "now":
			f.in.Now, _ = time.Parse(time.DateOnly, w[1])
			if len(sources) > 0 {
				f.in.Sources = sources
			}
		case "remote":
			if f.in.Tags == nil {
				f.in.Tags = fakeRemotes{}.Tags
			}
			refs := git.Refs{Tags: map[string]git.Ref{}}
			for _, tag := range w[2:] {
				refs.Tags[tag] = git.Ref{Name: tag}
			}
			remotes[w[1]] = refs
			f.in.Tags = remotes.Tags
		}
	}
}

// told is a finding as fixtures write it: "PATH:LINE RULE COMPONENT".
func told(f report.Finding) string {
	place := f.Path
	if f.Line > 0 {
		place = fmt.Sprintf("%s:%d", f.Path, f.Line)
	}
	component := f.Component
	if component == "" {
		component = "-"
	}
	return strings.TrimSpace(place + " " + f.Rule + " " + component)
}

func TestChecks(t *testing.T) {
	paths, err := filepath.Glob("testdata/checks/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			f := readFixture(t, path)
			findings, err := Run(t.Context(), f.in)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, x := range findings {
				if x.Severity == report.Note {
					continue
				}
				got = append(got, told(x))
				seen[x.Rule] = seen[x.Rule] || x.Rule == name
				for _, fix := range x.Fixes {
					data, err := fs.ReadFile(f.in.Tree, fix.Path)
					if err != nil {
						t.Error(err)
					}
					at := source.PositionAt(data, fix.Start)
					got = append(got, fmt.Sprintf("fix %s:%d:%d %s", fix.Path, at.Line, at.Column, fix.Text))
				}
			}
			slices.Sort(got)
			slices.Sort(f.want)
			if !slices.Equal(got, f.want) {
				t.Errorf("findings:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(f.want, "\n  "))
				for _, x := range findings {
					t.Logf("%s: %s", x.Place(), x.Message)
				}
			}
			proveFixes(t, f.in, findings)
		})
	}
	for _, c := range report.RulesOf(checks, nil) {
		if !seen[c.ID] {
			t.Errorf("no fixture testdata/checks/%s.txtar in which %s has something to say", c.ID, c.ID)
		}
	}
}

// proveFixes makes every fix and expects that the findings that had one are
// gone.
func proveFixes(t *testing.T, in *Input, findings []report.Finding) {
	t.Helper()
	edits, fixed := map[string][]source.Edit{}, map[string]bool{}
	for _, f := range findings {
		for _, x := range f.Fixes {
			fixed[f.Rule+" "+f.Component] = true
			if !slices.Contains(edits[x.Path], x.Edit) {
				edits[x.Path] = append(edits[x.Path], x.Edit)
			}
		}
	}
	after := source.Overlay{FS: in.Tree, Files: map[string][]byte{}}
	for path, list := range edits {
		data, err := fs.ReadFile(in.Tree, path)
		if err != nil {
			t.Fatal(err)
		}
		if after.Files[path], err = source.Apply(data, list); err != nil {
			t.Fatalf("fixes of %s: %v", path, err)
		}
	}
	mended := *in
	mended.Tree = after
	again, err := Run(t.Context(), &mended)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range again {
		if fixed[f.Rule+" "+f.Component] && len(f.Fixes) > 0 {
			t.Errorf("after the fixes: %s: %s", f.Place(), f.Message)
		}
	}
}

func TestFindingsCarryTheirExcuse(t *testing.T) {
	f := readFixture(t, "testdata/checks/tag-not-found.txtar")
	findings, err := Run(t.Context(), f.in)
	if err != nil || len(findings) != 1 {
		t.Fatal(findings, err)
	}
	got := findings[0]
	if got.Expected != "a tag of acme/lib" || got.Actual != "v9.9.9" || got.Hint != "nearest release: v1.3.0" || got.Column != 9 {
		t.Errorf("%+v", got)
	}
}

func TestUnreadableInputIsTrouble(t *testing.T) {
	for name, text := range map[string]string{
		"go.mod":                              "module x\nrequire (\n",
		"config/lib/kustomization.yaml":       "resources: [",
		"bundle/a.clusterserviceversion.yaml": "a: b: c",
		"defaults.go":                         "package",
	} {
		tree := fstest.MapFS{
			"README.md": {Data: []byte("| Component | Version |\n|---|---|\n| Acme App | v1.0.0 |\n| Lib | v1.0.0 |\n")},
			name:        {Data: []byte(text)},
		}
		_, err := Run(t.Context(), &Input{Stack: acme(t), Config: &Config{}, Tree: tree, Tag: "v1.0.0"})
		if err == nil || !strings.HasPrefix(err.Error(), name+":") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
