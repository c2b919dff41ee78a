package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source/find"
)

// layOut writes files into a new directory and makes it the working directory.
// A name that ends in "/" is a directory; "->" in front of the content makes a
// symbolic link.
func layOut(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		full := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(full), 0o755)
		if target, ok := strings.CutPrefix(data, "->"); ok {
			err = os.Symlink(target, full)
		} else {
			err = os.WriteFile(full, []byte(data), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if c, ok := t.(interface{ Chdir(string) }); ok {
		c.Chdir(dir)
	}
	return dir
}

func skipText(skips []Skip) string {
	var b strings.Builder
	for _, s := range skips {
		fmt.Fprintf(&b, "%s: %s\n", s.Path, s.Text())
	}
	return b.String()
}

func TestWalkSeesEveryFileOnce(t *testing.T) {
	layOut(t, map[string]string{
		"a.yaml": "group: ibm.com\n", "b/c.yaml": "clean\n", "b/ibm.com.yaml": "clean too\n", "bin": "x\x00ibm.com",
		"late": strings.Repeat("x", 9000) + "\x00ibm.com", "pb": "\x0a\x07\xf4ibm.com\x01",
		"vendor/x.yaml": "ibm.com", "node_modules/y": "ibm.com", "sub/vendor/z": "ibm.com", ".git/HEAD": "x", ".hg/store": "x",
		"link": "->a.yaml", "loop": "->.", "ignored.log": "ibm.com", ".gitignore": "*.log\n", "skip/me.yaml": "ibm.com", "dangling": "->nowhere",
	})
	opts := WalkOptions{Finder: find.New([]string{"ibm.com", "mcad.ibm.com"}), Exclude: []string{"skip"}}
	for jobs := range 4 {
		opts.Jobs = jobs
		visited, skips, stats := walkAll(t, nil, opts)
		if want := []string{"a.yaml", "b/ibm.com.yaml"}; !slices.Equal(visited, want) {
			t.Errorf("visited %q, want %q", visited, want)
		}
		want := ".git: version control\n.hg: version control\nbin: binary\ndangling: symbolic link\nignored.log: ignored by .gitignore\nlate: binary\n" +
			"link: symbolic link\nloop: symbolic link\nnode_modules: installed packages\npb: binary\nskip: excluded\nsub/vendor: vendored\nvendor: vendored\n"
		if got := skipText(skips); got != want {
			t.Errorf("skips\n%swant\n%s", got, want)
		}
		if stats.Visited != 2 || stats.Clean != 2 {
			t.Errorf("stats %+v", stats)
		}
	}
}

// Outside of a repository a .gitignore says nothing, but a repository further
// down has its own.
func TestWalkOutsideOfGit(t *testing.T) {
	layOut(t, map[string]string{
		".gitignore": "*.log\n", "a.log": "1", "in/b.log": "2", "in/.gitignore": "b.log\n",
		"repo/.git/HEAD": "x", "repo/.gitignore": "*.log\n", "repo/c.log": "3", "repo/d/e.log": "4", "repo/f": "5",
	})
	for _, paths := range [][]string{nil, {"in", "repo", "a.log"}} {
		visited, _, _ := walkAll(t, paths, WalkOptions{})
		visited = slices.DeleteFunc(visited, func(p string) bool { return strings.HasSuffix(p, ".gitignore") })
		if want := []string{"a.log", "in/b.log", "repo/f"}; !slices.Equal(visited, want) {
			t.Errorf("visited %q, want %q", visited, want)
		}
	}
}

func TestWalkTakesNamedPaths(t *testing.T) {
	layOut(t, map[string]string{
		".git/HEAD": "x", ".gitignore": "*.log\nbuild/\n", "x.log": "1", "build/y.log": "2", "build/z": "3", "vendor/v": "4", "in/a": "5", "link": "->in/a", "out": "->/etc/hosts",
	})
	visited, _, _ := walkAll(t, []string{"x.log", "build", "./vendor", "in", "in/a", "link"}, WalkOptions{})
	if want := []string{"build/z", "in/a", "vendor/v", "x.log"}; !slices.Equal(visited, want) {
		t.Errorf("visited %q, want %q", visited, want)
	}
	for path, want := range map[string]string{
		"nope":  "nope: no such file or directory",
		"x.lag": `x.lag: no such file or directory`,
		"out":   "out: symbolic link out of",
	} {
		_, err := Open([]string{path})
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) || e.Hint == "" {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

func TestBase(t *testing.T) {
	dir := layOut(t, map[string]string{"p/q/a": "1", "p/r/b": "2", "other/c": "3"})
	t.Chdir(filepath.Join(dir, "p"))
	for _, tt := range []struct {
		paths []string
		base  string
		want  []string
	}{
		{nil, "p", []string{"q/a", "r/b"}},
		{[]string{"q"}, "p", []string{"q/a"}},
		{[]string{"../other/c"}, "other", []string{"c"}},
		{[]string{"q", "../other"}, ".", []string{"other/c", "p/q/a"}},
		{[]string{filepath.Join(dir, "p")}, "p", []string{"q/a", "r/b"}},
	} {
		tree, err := Open(tt.paths)
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(dir, tt.base); tree.Base() != want {
			t.Errorf("%q: base %s, want %s", tt.paths, tree.Base(), want)
		}
		tree.Close()
		if visited, _, _ := walkAll(t, tt.paths, WalkOptions{}); !slices.Equal(visited, tt.want) {
			t.Errorf("%q: visited %q, want %q", tt.paths, visited, tt.want)
		}
	}
}

func TestWalkUnreadable(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("needs a user whose permissions count")
	}
	layOut(t, map[string]string{"a": "1", "d/b": "2"})
	os.Chmod("a", 0)
	os.Chmod("d", 0)
	defer os.Chmod("d", 0o755)
	_, skips, _ := walkAll(t, nil, WalkOptions{})
	if got := skipText(skips); got != "a: unreadable: permission denied\nd: unreadable: permission denied\n" {
		t.Errorf("skips %s", got)
	}
}

func TestWalkLargeFilesAndDirectories(t *testing.T) {
	files := map[string]string{"big-clean": strings.Repeat("x", 3*chunkSize), "big-edge": strings.Repeat("x", chunkSize-3) + "ibm.com" + strings.Repeat("y", chunkSize)}
	var want []string
	for i := range 1000 {
		name := fmt.Sprintf("many/%04d", i)
		files[name] = "clean"
		if i%10 == 0 {
			files[name] = "at the end ibm.com"
			want = append(want, name)
		}
	}
	layOut(t, files)
	visited, _, stats := walkAll(t, nil, WalkOptions{Finder: find.New([]string{"ibm.com"}), Jobs: 4})
	if want = append([]string{"big-edge"}, want...); !slices.Equal(visited, want) {
		t.Errorf("visited %d, want %d", len(visited), len(want))
	}
	if stats.Visited+stats.Clean != len(files) {
		t.Errorf("%+v of %d files", stats, len(files))
	}
}

func TestWalkStops(t *testing.T) {
	layOut(t, map[string]string{"a": "1", "b/c": "2"})
	tree, err := Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	stop := errors.New("stop")
	if _, _, err := tree.Walk(context.Background(), WalkOptions{}, func(*File) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := tree.Walk(ctx, WalkOptions{}, func(*File) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The caller works too: what one file costs is the caller's, as tests of growth measure it.
func TestEachWorksInTheCaller(t *testing.T) {
	self := func() string {
		var b [32]byte
		id, _, _ := strings.Cut(string(b[:runtime.Stack(b[:], false)]), " [")
		return id
	}
	caller, worker := self(), ""
	if err := Each(t.Context(), 1, 4, func(int) error { worker = self(); return nil }); err != nil || worker != caller {
		t.Errorf("%q works for %q: %v", worker, caller, err)
	}
	stop := errors.New("stop")
	if err := Each(t.Context(), 1000, 4, func(int) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the first error is lost: %v", err)
	}
}
