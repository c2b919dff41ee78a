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
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// mirrors is the folder of bare repositories OWNER+NAME/repo that the tests of
// real history need: $CFCTL_MIRRORS. Without it they are skipped.
func mirrors(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("CFCTL_MIRRORS")
	if dir == "" {
		t.Skip("CFCTL_MIRRORS is not set")
	}
	return dir
}

func mirror(dir, repository string) string {
	return filepath.Join(dir, strings.ReplaceAll(repository, "/", "+"), "repo")
}

// mirrored answers for GitHub from the mirrors.
type mirrored struct {
	dir     string
	remotes *git.Remotes
}

func (m mirrored) Tags(ctx context.Context, url string) (git.Refs, error) {
	return m.remotes.Tags(ctx, mirror(m.dir, strings.TrimPrefix(url, "https://github.com/")))
}

func (m mirrored) At(ctx context.Context, url, tag string) (fs.FS, time.Time, error) {
	repo, err := git.Open(ctx, mirror(m.dir, strings.TrimPrefix(url, "https://github.com/")))
	if err != nil {
		return nil, time.Time{}, err
	}
	tree, err := repo.Tree(ctx, "refs/tags/"+tag)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("%s %s: %w", url, tag, err)
	}
	date, err := repo.Date(ctx, tag)
	return tree, date, err
}

func operator(t *testing.T, dir string) *git.Repo {
	t.Helper()
	repo, err := git.Open(t.Context(), mirror(dir, "project-codeflare/codeflare-operator"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

// TestRealTags holds every release of codeflare-operator to the checks. The
// expectations are facts of its history that can be determined by looking at it.
func TestRealTags(t *testing.T) {
	dir := mirrors(t)
	repo := operator(t, dir)
	world := mirrored{dir, &git.Remotes{}}
	tags, err := repo.Tags(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	refused, withDead, said := 0, 0, map[string][]string{}
	for _, tag := range tags {
		tree, err := repo.Tree(t.Context(), tag.Name)
		if err != nil {
			t.Fatal(err)
		}
		findings, err := Run(t.Context(), &Input{Stack: stack.Default(), Config: Default(), Tree: tree, Tag: tag.Name, Past: &RepoPast{Repo: repo}, Tags: world.Tags, Now: time.Now()})
		if err != nil {
			t.Errorf("%s: %v", tag.Name, err)
		}
		bad, dead := false, false
		for _, f := range findings {
			said[tag.Name] = append(said[tag.Name], f.Rule+" "+f.Component)
			bad = bad || f.Severity == report.Error
			dead = dead || f.Rule == "link-tag-not-found"
			if f.Message == "" || f.Path == "" {
				t.Errorf("%s: a finding without a place or message: %+v", tag.Name, f)
			}
		}
		if bad {
			refused++
		}
		if bad || dead {
			withDead++
		}
	}
	for tag, want := range map[string]string{
		"v0.2.0":  "version-not-semver InstaScale",
		"v1.0.1":  "tag-not-found KubeRay",
		"v1.3.0":  "not-in-build InstaScale",
		"v1.3.1":  "downgrade KubeRay",
		"v1.12.0": "gomod-replaced-fork Kueue",
		"v1.16.0": "gomod-replaced KubeRay",
	} {
		if !slices.Contains(said[tag], want) {
			t.Errorf("%s: no %s in %q", tag, want, said[tag])
		}
	}
	if len(said["v0.0.4"]) != 0 {
		t.Errorf("v0.0.4: %q", said["v0.0.4"])
	}
	if len(tags) != 35 || refused != 23 || withDead != 29 {
		t.Errorf("of %d tags %d have an error, %d an error or a dead link; want 35, 23, 29", len(tags), refused, withDead)
	}
}

func TestRealHistory(t *testing.T) {
	repo := operator(t, mirrors(t))
	s := stack.Default()
	releases, skipped, err := History(t.Context(), s, &RepoPast{Repo: repo})
	if err != nil || len(releases) != 34 || len(skipped) != 1 || skipped[0].Tag != "v0.0.1" {
		t.Fatalf("%d releases, skipped %v, %v", len(releases), skipped, err)
	}
	known := Known()
	for i := range releases {
		r := &releases[i]
		tree, err := repo.Tree(t.Context(), r.Version)
		if err != nil {
			t.Fatal(err)
		}
		data, err := fs.ReadFile(tree, "README.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range []*Release{r, &known[i]} {
			if edit, err := Insert(s, "README.md", data, declared); err != nil || edit.New != string(edit.Of(data)) || declared.Version != r.Version {
				t.Errorf("%s: the table is rewritten: %+v, %v", r.Version, edit, err)
			}
		}
	}
	var bad []string
	for _, f := range Lint(s, &Config{Releases: releases}, "", time.Now()) {
		release, _, _ := strings.Cut(f.Message, ":")
		bad = append(bad, release+" "+f.Rule+" "+f.Component)
	}
	slices.Sort(bad)
	if want := []string{"v0.2.0 version-not-semver InstaScale", "v1.0.1 downgrade KubeRay", "v1.3.1 downgrade KubeRay"}; !slices.Equal(bad, want) {
		t.Errorf("lint: %q, want %q", bad, want)
	}
}

// TestRealRelease makes the edits of the commit that released v1.1.0.
func TestRealRelease(t *testing.T) {
	dir := mirrors(t)
	repo := operator(t, dir)
	const released = "003d61b3ae4ffe5c31cea8071d8d3614c0bdbcc5"
	before, err := repo.Tree(t.Context(), released+"^")
	if err != nil {
		t.Fatal(err)
	}
	after, err := repo.Tree(t.Context(), released)
	if err != nil {
		t.Fatal(err)
	}
	s := stack.Default()
	known := Known()
	i := slices.IndexFunc(known, func(r Release) bool { return r.Version == "v1.1.0" })
	var bumps []Bump
	for _, p := range known[i].Components {
		c, _ := s.Component(p.Name)
		bumps = append(bumps, Bump{c, p.Version})
	}
	_, edits, err := Set(s, before, bumps)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := repo.Changed(t.Context(), released+"^", released)
	if err != nil {
		t.Fatal(err)
	}
	mended := source.Overlay{FS: before, Files: map[string][]byte{}}
	for _, path := range changed {
		if path == "go.sum" {
			continue
		}
		data, _ := fs.ReadFile(before, path)
		if mended.Files[path], err = source.Apply(data, edits[path]); err != nil {
			t.Fatal(err)
		}
		want, _ := fs.ReadFile(after, path)
		if path == "go.mod" { // tidying dropped what nothing needed any more
			want = []byte(strings.Replace(string(want), "\tk8s.io/kms ", "\tk8s.io/klog v1.0.0 // indirect\n\tk8s.io/kms ", 1))
		}
		if string(mended.Files[path]) != string(want) {
			t.Errorf("%s:\n%s", path, mended.Files[path])
		}
	}
	if len(edits) != len(changed)-1 {
		t.Errorf("%d files edited, want %d", len(edits), len(changed)-1)
	}
	findings, err := Run(t.Context(), &Input{Stack: s, Config: Default(), Tree: mended, Past: &RepoPast{Repo: repo}, Tags: mirrored{dir, &git.Remotes{}}.Tags, Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.Severity == report.Error {
			t.Errorf("after set: %s: %s", f.Place(), f.Message)
		}
	}
}

func TestRealDeps(t *testing.T) {
	dir := mirrors(t)
	repo := operator(t, dir)
	for _, c := range []struct {
		tag              string
		common, disagree int
	}{{"v1.0.0", 110, 41}, {"v1.1.0", 112, 34}, {"v1.2.0", 112, 41}, {"v1.16.0", 116, 38}} {
		tree, err := repo.Tree(t.Context(), c.tag)
		if err != nil {
			t.Fatal(err)
		}
		d, err := ReadDeps(t.Context(), stack.Default(), tree, mirrored{dir: dir}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Common) != c.common || d.Disagree != c.disagree {
			t.Errorf("%s: %d common, %d disagree; want %d, %d", c.tag, len(d.Common), d.Disagree, c.common, c.disagree)
		}
		find := func(path string) Common {
			i := slices.IndexFunc(d.Common, func(m Common) bool { return m.Path == path })
			return d.Common[i]
		}
		switch c.tag {
		case "v1.0.0":
			if v := find("k8s.io/apiextensions-apiserver").Versions; v["CodeFlare Operator"] != "v0.26.1" || v["Multi-Cluster App Dispatcher"] != "v0.25.1" {
				t.Errorf("apiextensions: %v", v)
			}
		case "v1.2.0":
			if !slices.Contains(d.Pins, OwnPin{"InstaScale", "Multi-Cluster App Dispatcher", "v1.39.0", "v1.40.0", false}) {
				t.Errorf("pins: %+v", d.Pins)
			}
		case "v1.16.0":
			m := find("k8s.io/apimachinery")
			hides, left := 0, 0
			for _, r := range d.Replaces {
				if r.Effect == replaceHides {
					hides++
				}
				if r.Left != "" {
					left++
				}
			}
			if m.Selected != "v0.32.3" || m.Built != "v0.31.4" || len(d.Replaces) != 9 || hides != 6 || left != 3 {
				t.Errorf("apimachinery %s, built %s; %d replaces, %d hide, %d with a left-hand version", m.Selected, m.Built, len(d.Replaces), hides, left)
			}
		}
	}
}

// BenchmarkRealCheck is the gate on the operator's repository, offline, without
// the start of the process (at most 100 ms with it).
func BenchmarkRealCheck(b *testing.B) {
	dir := os.Getenv("CFCTL_MIRRORS")
	if dir == "" {
		b.Skip("CFCTL_MIRRORS is not set")
	}
	for b.Loop() {
		repo, err := git.Open(b.Context(), mirror(dir, "project-codeflare/codeflare-operator"))
		if err != nil {
			b.Fatal(err)
		}
		tree, err := repo.Tree(b.Context(), "v1.16.0")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Run(b.Context(), &Input{Stack: stack.Default(), Config: Default(), Tree: tree, Tag: "v1.16.0", Past: &RepoPast{Repo: repo}}); err != nil {
			b.Fatal(err)
		}
		repo.Close()
	}
}
