package source

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source/find"
	"github.com/project-codeflare/cfctl/internal/testing/corpus"
)

// corpusVariable sets the number of files of the corpus in tests and of the
// largest one in benchmarks.
const corpusVariable = "CFCTL_CORPUS_FILES"

func corpusFiles(t testing.TB, otherwise int) int {
	t.Helper()
	text := os.Getenv(corpusVariable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		t.Fatalf("%s=%q is not a number of files", corpusVariable, text)
	}
	return n
}

// makeCorpus writes a corpus of n files and returns how many hold the name
// that the tests here look for, as a group or not.
func makeCorpus(t testing.TB, dir string, n int) (hits int) {
	t.Helper()
	c, err := corpus.Write(dir, n)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range c.Named {
		if bytes.Contains(data, []byte("mcad.ibm.com")) {
			hits++
		}
	}
	return hits
}

// migrateCorpus is a migration in small: find, edit, collect.
func migrateCorpus(ctx context.Context, tree *Tree, jobs int, from, to string) ([]Change, WalkStats, error) {
	var mu sync.Mutex
	var changes []Change
	finder := find.New([]string{from})
	_, stats, err := tree.Walk(ctx, WalkOptions{Jobs: jobs, Finder: finder}, func(f *File) error {
		c := Change{From: f.Path, To: f.Path, Before: SumOf(f.Data)}
		for at, n := finder.Index(f.Data, 0); at >= 0; at, n = finder.Index(f.Data, at+len(n)) {
			c.Edits = append(c.Edits, Edit{Span: Span{at, at + len(n)}, New: to, Old: n})
		}
		mu.Lock()
		defer mu.Unlock()
		changes = append(changes, c)
		return nil
	})
	return changes, stats, err
}

// TestCorpus finds, writes and undoes over a corpus. Under the race
// detector it is the test of the workers; CFCTL_CORPUS_FILES=20000 makes it large.
func TestCorpus(t *testing.T) {
	dir := t.TempDir()
	n := corpusFiles(t, 1000)
	hits := makeCorpus(t, dir, n)
	os.MkdirAll(filepath.Join(dir, ".git"), 0o755)
	os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644)
	tree, err := Open([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for _, jobs := range []int{1, 8} {
		changes, stats, err := migrateCorpus(t.Context(), tree, jobs, "mcad.ibm.com", "workload.codeflare.dev")
		if err != nil || len(changes) != hits || stats.Visited != hits || stats.Visited+stats.Clean != n {
			t.Fatalf("%d jobs: %d changes of %d, %+v, %v", jobs, len(changes), hits, stats, err)
		}
		if err := tree.Commit(t.Context(), changes); err != nil {
			t.Fatal(err)
		}
		if left, _, _ := migrateCorpus(t.Context(), tree, jobs, "mcad.ibm.com", ""); len(left) != 0 {
			t.Errorf("%d files are left", len(left))
		}
		names, err := tree.Undo(t.Context())
		if err != nil || len(names) != hits {
			t.Errorf("undo of %d files: %v", len(names), err)
		}
	}
}

func benchmarkWalk(b *testing.B, dir string, needles []string) {
	tree, err := Open([]string{dir})
	if err != nil {
		b.Fatal(err)
	}
	defer tree.Close()
	opts := WalkOptions{Finder: find.New(needles)}
	b.ReportAllocs()
	for b.Loop() {
		_, stats, err := tree.Walk(b.Context(), opts, func(*File) error { return nil })
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(stats.Bytes)
	}
}

// BenchmarkWalk walks corpora of 2,000 and 20,000 files (and of
// CFCTL_CORPUS_FILES) and searches for 1, 10 and 50 groups.
func BenchmarkWalk(b *testing.B) {
	sizes := []int{2000, 20000}
	if n := corpusFiles(b, 0); n > 0 {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		dir := b.TempDir()
		makeCorpus(b, dir, n)
		for _, needles := range []int{1, 10, 50} {
			b.Run(fmt.Sprintf("files=%d/needles=%d", n, needles), func(b *testing.B) {
				list := []string{"mcad.ibm.com"}
				for i := range needles - 1 {
					list = append(list, fmt.Sprintf("batch%d.example.com", i))
				}
				benchmarkWalk(b, dir, list)
			})
		}
	}
}

// BenchmarkWalkLargeFile searches one line of 100 MB, with and without a hit.
func BenchmarkWalkLargeFile(b *testing.B) {
	for _, hit := range []bool{false, true} {
		dir := b.TempDir()
		data := bytes.Repeat([]byte("\"name\": 12, \"kind\": \"Deployment\", "), 100<<20/34)
		if hit {
			copy(data[len(data)-20:], "mcad.ibm.com")
		}
		if err := os.WriteFile(filepath.Join(dir, "large.json"), data, 0o644); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("hit=%v", hit), func(b *testing.B) { benchmarkWalk(b, dir, []string{"ibm.com", "mcad.ibm.com"}) })
	}
}

// BenchmarkCommit writes 400 files of a corpus and takes that back.
func BenchmarkCommit(b *testing.B) {
	dir := b.TempDir()
	makeCorpus(b, dir, 20000)
	b.Setenv("XDG_STATE_HOME", b.TempDir())
	tree, err := Open([]string{dir})
	if err != nil {
		b.Fatal(err)
	}
	defer tree.Close()
	changes, _, err := migrateCorpus(b.Context(), tree, 0, "mcad.ibm.com", "workload.codeflare.dev")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := tree.Commit(b.Context(), changes); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if _, err := tree.Undo(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(len(changes)), "files/op")
}
