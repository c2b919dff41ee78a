package source

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source/ignore"
)

// quietGit runs git without the user's or the machine's configuration.
func quietGit(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "XDG_CONFIG_HOME="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("git %v: %v %s", args, err, stderr.String())
	}
	return string(out)
}

// FuzzIgnore compares the rules of one .gitignore with git's own answer.
func FuzzIgnore(f *testing.F) {
	for _, seed := range [][2]string{
		{"*.log\n!keep.log\n", "a/keep.log"}, {"/build\nout/\n", "build/x"}, {"a/**/b\n", "a/x/y/b"}, {"**/foo\nfoo/**\n", "x/foo/bar"},
		{"[a-c]x[!d]\n[[:digit:]]*\n", "bxe"}, {"\\#a\n\\!b\nc\\ \nd  \n", "#a"}, {"foo**/bar\n", "foox/y/bar"}, {"a?c\n", "a/c"},
		{"[]-]x\n[^a]y\n", "]x"}, {"*a*b*c\n", "xaxbxc"}, {"\xef\xbb\xbfx\r\ny\n", "x"}, {"a\\\n[a\n[[:x:]]\n", "a"}, {"/*\n!/a\n/a/*\n!/a/b\n", "a/b/c"},
		{"x/\n!x/y\n", "x/y"}, {"a/\\**\n", "a/*"}, {"**\n!*/\n!*.go\n", "a/b.go"}, {"a/**\n!a/b/\n", "a/b/c"}, {"[\\]]z\n[a\\-c]q\n", "-q"}, {"/\n//\n", "a"}, {"***/a\n", "b/a"},
	} {
		f.Add(seed[0], seed[1])
	}
	dir := f.TempDir()
	quietGit(f, dir, "", "init", "-q")
	f.Fuzz(func(t *testing.T, rules, path string) {
		if path == "" || path == "." || len(path) > 200 || len(rules) > 500 || strings.Contains(rules, "\x00") || strings.ContainsAny(path, "\x00\n") || !filepath.IsLocal(path) || filepath.ToSlash(filepath.Clean(path)) != path {
			t.Skip()
		}
		for _, part := range strings.Split(path, "/") {
			if strings.EqualFold(part, ".git") || part == ".gitignore" {
				t.Skip()
			}
		}
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(rules), 0o644); err != nil {
			t.Fatal(err)
		}
		want := quietGit(t, dir, "./"+path+"\x00", "check-ignore", "-z", "--stdin", "--no-index") != ""
		list := ignore.Parse([]byte(rules), ".", "", nil)
		if got := ignoredWithParents(list, path); got != want {
			t.Errorf("rules %q, path %q: got %v, git says %v", rules, path, got, want)
		}
	})
}

// ignoredWithParents asks for a path as a walk comes to it.
func ignoredWithParents(list *ignore.List, path string) bool {
	var scratch []byte
	for i, c := range path {
		if c == '/' && list.Ignored([]byte(path[:i]), true, &scratch) {
			return true
		}
	}
	return list.Ignored([]byte(path), false, &scratch)
}

// TestIgnoreAgreesWithGit walks random trees with .gitignore files at random
// levels and compares what is visited with what git check-ignore lets through.
func TestIgnoreAgreesWithGit(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 5
	}
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 4))
		dir := t.TempDir()
		quietGit(t, dir, "", "init", "-q")
		files := randomTree(t, r, dir)
		sub := ""
		if seed%3 == 1 {
			sub = "a" // the base lies below the top of the work tree
		}
		compareWithGit(t, dir, sub, files)
	}
}

var nameParts = []string{"a", "b", "c", "ab", "abc", "x.go", "x.log", "b.log", "lib", "[a]", "a b", "é", "a-b", "build"}

func randomTree(t *testing.T, r *rand.Rand, dir string) []string {
	t.Helper()
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	write := func(name, data string) {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
		os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644)
	}
	var files []string
	for i := range 60 {
		var parts []string
		for range 1 + r.IntN(4) {
			parts = append(parts, pick(nameParts))
		}
		name := strings.Join(parts, "/")
		if i == 0 {
			name = "a/zz" // there is always a directory a
		}
		write(name, "x\n")
	}
	patterns := []string{"*", "*.log", "/a", "a/", "!a", "!*.go", "a/b", "**/b", "a/**", "a/**/c", "!/a/b/", "[ab]", "[!a]*", "?", "\\[a\\]", "/*/b", "a b", "*b*", "lib/", "!lib/", "b.log", "é", "a-b", "[a-c]b*", "build/*", "!build/x.go", "#x", "/**/c", "ab*/", "**/a/**", "*/c"}
	for _, at := range []string{".", "a", "b", "a/b", "a/a", "lib"} {
		if info, err := os.Stat(filepath.Join(dir, at)); err != nil || !info.IsDir() || at != "." && r.IntN(2) == 0 {
			continue
		}
		var lines []string
		for range 1 + r.IntN(4) {
			lines = append(lines, pick(patterns))
		}
		write(at+"/.gitignore", strings.Join(lines, "\n"))
	}
	write(".git/info/exclude", pick(patterns)+"\n")
	filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if d.Name() == ".git" {
			return filepath.SkipDir
		}
		if !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	return files
}

func compareWithGit(t *testing.T, dir, sub string, files []string) {
	t.Helper()
	out := quietGit(t, dir, strings.Join(files, "\x00")+"\x00", "check-ignore", "-z", "--stdin", "--no-index")
	ignored := strings.Split(out, "\x00")
	var want []string
	for _, f := range files {
		if !slices.Contains(ignored, f) {
			if sub == "" {
				want = append(want, f)
			} else if rel, ok := strings.CutPrefix(f, sub+"/"); ok {
				want = append(want, rel)
			}
		}
	}
	if sub != "" && strings.Contains(quietGit(t, dir, sub+"\x00", "check-ignore", "-z", "--stdin", "--no-index"), sub) {
		return // the directory itself is ignored: naming it takes it all the same
	}
	t.Chdir(filepath.Join(dir, sub))
	got, _, _ := walkAll(t, nil, WalkOptions{})
	slices.Sort(want)
	if !slices.Equal(got, want) {
		var rules strings.Builder
		for _, f := range append(files, ".git/info/exclude") {
			if strings.HasSuffix(f, ".gitignore") || strings.HasSuffix(f, "exclude") {
				data, _ := os.ReadFile(filepath.Join(dir, f))
				fmt.Fprintf(&rules, "%s: %q\n", f, data)
			}
		}
		t.Errorf("base %q: got  %q\nwant %q\n%s", sub, got, want, rules.String())
	}
}

// walkAll opens the paths and returns what Walk visits, sorted.
func walkAll(t testing.TB, paths []string, opts WalkOptions) ([]string, []Skip, WalkStats) {
	t.Helper()
	tree, err := Open(paths)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	var mu sync.Mutex
	var visited []string
	skips, stats, err := tree.Walk(context.Background(), opts, func(f *File) error {
		mu.Lock()
		defer mu.Unlock()
		visited = append(visited, f.Path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(visited)
	return visited, skips, stats
}
