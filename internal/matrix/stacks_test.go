package matrix

import (
	"cmp"
	"context"
	"errors"
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
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// A realStack is another user's project: testdata/stacks/NAME/tags.yaml, next to
// a .cfctl.yaml of ours. Each finding was read by a user, who says why it is
// true; a finding that is not listed, and one that is listed and not found, fail
// the test.
type realStack struct {
	Repository string    `yaml:"repository"` // OWNER/NAME
	Table      string    `yaml:"table"`      // commit whose tables count, where releases are entered afterwards; empty = the tag's own
	Tags       []realTag `yaml:"tags"`
}

type realTag struct {
	Tag      string        `yaml:"tag"`
	Own      bool          `yaml:"own"` // its own tables count
	Findings []realFinding `yaml:"findings"`
}

type realFinding struct {
	At   string `yaml:"at"`   // path:line
	Rule string `yaml:"rule"` // and the component
	True string `yaml:"true"` // why it is no mistake of ours
}

// stacksDir holds the stacks of other people's projects.
const stacksDir = "../../testdata/stacks"

// declared reads the configuration of a stack.
func (r realStack) declared(t *testing.T, dir string) (*stack.Stack, *Config) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, ".cfctl.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Stack  stack.Stack `yaml:"stack"`
		Matrix Config      `yaml:"matrix"`
	}
	if err := strict.Decode(".cfctl.yaml", data, &doc); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(doc.Stack.Complete(".cfctl.yaml"), doc.Matrix.Complete(".cfctl.yaml", &doc.Stack)); err != nil {
		t.Fatal(err)
	}
	return &doc.Stack, &doc.Matrix
}

// eachStack reads every stack. Without any there is nothing to test.
func eachStack(t *testing.T, run func(t *testing.T, dir string, r realStack)) {
	t.Helper()
	dirs, err := filepath.Glob(stacksDir + "/*/tags.yaml")
	if err != nil || len(dirs) < 8 {
		t.Fatalf("%d stacks, %v", len(dirs), err)
	}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var r realStack
			if err := strict.Decode(file, data, &r); err != nil {
				t.Fatal(err)
			}
			run(t, dir, r)
		})
	}
}

// Every stack is well declared, has ten tags, and a reason for each finding.
func TestStacksAreWhole(t *testing.T) {
	eachStack(t, func(t *testing.T, dir string, r realStack) {
		r.declared(t, dir)
		if r.Repository == "" || len(r.Tags) < 10 {
			t.Errorf("%s, %d tags", r.Repository, len(r.Tags))
		}
		for _, tag := range r.Tags {
			for _, f := range tag.Findings {
				if f.At == "" || f.Rule == "" || f.True == "" {
					t.Errorf("%s: %+v", tag.Tag, f)
				}
			}
		}
	})
}

// An overlay is a tree with the tables of another one.
type overlay struct {
	fs.FS
	tables fs.FS
	paths  []string
}

// ReadFile is the file, of the other tree when it is a table.
func (o overlay) ReadFile(name string) ([]byte, error) {
	if slices.Contains(o.paths, name) {
		return fs.ReadFile(o.tables, name)
	}
	return fs.ReadFile(o.FS, name)
}

// The tables of other people's projects, against what their tags build: no
// finding is false, and each that a user found true is found.
func TestRealStacks(t *testing.T) {
	root := os.Getenv("CFCTL_MIRRORS")
	if root == "" {
		t.Skip("CFCTL_MIRRORS is not set")
	}
	ctx := context.Background()
	eachStack(t, func(t *testing.T, dir string, r realStack) {
		repo, err := git.Open(ctx, filepath.Join(root, strings.ReplaceAll(r.Repository, "/", "+"), "repo"))
		if err != nil {
			t.Skip(err)
		}
		defer func() { _ = repo.Close() }()
		s, config := r.declared(t, dir)
		held, places, found := 0, 0, 0
		for _, tag := range r.Tags {
			at, err := repo.Tree(ctx, "refs/tags/"+tag.Tag)
			if err != nil {
				t.Fatal(err)
			}
			var tree fs.FS = at
			if r.Table != "" && !tag.Own {
				tables, err := repo.Tree(ctx, r.Table)
				if err != nil {
					t.Skip(err)
				}
				o := overlay{FS: tree, tables: tables}
				for _, x := range append(s.TablesOf(stack.RowsReleases), s.TablesOf(stack.RowsComponents)...) {
					o.paths = append(o.paths, x.Path)
				}
				tree = o
			}
			in := &Input{Stack: s, Config: config, Tree: tree, Tag: tag.Tag, Now: time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)}
			findings, err := Run(ctx, in)
			if err != nil {
				t.Errorf("%s: %v", tag.Tag, err)
				continue
			}
			held++
			found += len(findings)
			n := judged(t, in)
			if places += n; n == 0 && len(tag.Findings) == 0 {
				t.Errorf("%s: no place was held against the table", tag.Tag)
			}
			compare(t, tag, findings)
		}
		t.Logf("%d tags held, %d places judged, %d findings", held, places, found)
	})
}

// judged counts the places that a row, or the tag, is held against.
func judged(t *testing.T, in *Input) int {
	t.Helper()
	p := &pass{Input: in}
	if err := p.load(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := range in.Stack.Places {
		place := &in.Stack.Places[i]
		c, _ := in.Stack.Component(place.Component)
		_, ok := p.rowOf(c)
		matches, err := place.Find(in.Tree)
		if err != nil {
			t.Fatal(err)
		}
		if ok || c == in.Stack.RootComponent() {
			n += len(matches)
		}
	}
	return n
}

// compare checks the findings at a tag against those that a user has read.
func compare(t *testing.T, tag realTag, findings []report.Finding) {
	t.Helper()
	var got, want []string
	for _, f := range findings {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s:%d %s %s", f.Path, f.Line, f.Rule, f.Component)))
	}
	for _, f := range tag.Findings {
		want = append(want, f.At+" "+f.Rule)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %s\nwant %s", tag.Tag, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		for _, f := range findings {
			t.Logf("  %s", cmp.Or(f.Message, f.Rule))
		}
	}
}
