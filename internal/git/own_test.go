package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// forge is a server with the repository org/x.git, and its URL. stop makes it
// answer nothing any more.
func forge(t *testing.T) (url string, work string, stop func()) {
	t.Helper()
	root := t.TempDir()
	work = example(t)
	sh(t, work, "clone", "-q", "--bare", ".", filepath.Join(root, "org", "x.git"))
	var count atomic.Int64
	var hangs atomic.Bool
	end := make(chan struct{})
	s := serve(t, root, &count)
	answers := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if !hangs.Load() {
			answers.ServeHTTP(w, q)
			return
		}
		select {
		case <-end:
		case <-q.Context().Done():
		}
	})
	t.Cleanup(func() { close(end) })
	return s.URL + "/org/x.git", work, func() { hangs.Store(true) }
}

// TestFirstUseOfPartialClone reads in every way from a server that sends files
// only when they are asked for, each time with an empty cache.
func TestFirstUseOfPartialClone(t *testing.T) {
	url, work, _ := forge(t)
	first, head := sh(t, work, "rev-parse", "v1.0.0^{commit}"), sh(t, work, "rev-parse", "HEAD")
	for name, ref := range map[string]string{"tag": "v1.0.0", "branch": "main", "default branch": "HEAD", "hash": first} {
		c := &Cache{Dir: t.TempDir()}
		tree, err := c.Ref(t.Context(), url, ref)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if data, err := fs.ReadFile(tree, "config/a b/ü.yaml"); err != nil || string(data) != "x: 1\n" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, lazy := range []bool{false, true} {
		r, err := (&Cache{Dir: t.TempDir()}).Mirror(t.Context(), url, Commits, lazy)
		if err == nil {
			err = r.FetchCommits(t.Context(), head)
		}
		if err != nil {
			t.Fatal(err)
		}
		tree, err := r.Tree(t.Context(), head)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := fs.ReadFile(tree, "README.md"); err != nil || string(data) != "one\ntwo\n" {
			t.Errorf("lazy %v: %q, %v", lazy, data, err)
		}
		if r.has(t.Context(), first) {
			t.Errorf("lazy %v: the history came along", lazy)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	c := &Cache{Dir: t.TempDir()}
	if log, err := rangeOf(t, c, url, "v1.0.0", "v1.1.0"); err != nil || len(log) != 1 || log[0].Hash != head {
		t.Errorf("range: %v, %v", log, err)
	}
}

// TestCacheThatIsNotWhole leaves in a cache what a killed process leaves.
func TestCacheThatIsNotWhole(t *testing.T) {
	url, work, _ := forge(t)
	head := sh(t, work, "rev-parse", "HEAD")
	for name, leave := range map[string]func(dir string) error{
		"lock of the configuration": func(dir string) error { return os.WriteFile(filepath.Join(dir, "config.lock"), nil, 0o644) },
		"lock of shallow commits":   func(dir string) error { return os.WriteFile(filepath.Join(dir, "shallow.lock"), nil, 0o644) },
		"lock of a ref": func(dir string) error {
			path := filepath.Join(dir, "refs", "tags", "v1.0.0.lock")
			return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644))
		},
		"no mark":        func(dir string) error { return os.Remove(filepath.Join(dir, wholeMark)) },
		"half a folder":  func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)) },
		"half a new one": func(dir string) error { return os.Rename(dir, dir+".new") },
		"half thrown":    func(dir string) error { return os.Rename(dir, dir+".old") },
	} {
		dir := filepath.Join(t.TempDir(), "x.git")
		for range 2 {
			r, err := openOwn(t.Context(), dir, url, true)
			if err == nil {
				err = r.FetchCommits(t.Context(), head)
			}
			if err == nil {
				_, err = r.MakeTag(t.Context(), "v9", head, "nine", false)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
			if err := errors.Join(r.Close(), leave(dir)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestLockThatAppears finds the lock of a process that died while this one uses
// the cache, with objects that are nowhere else.
func TestLockThatAppears(t *testing.T) {
	url, work, _ := forge(t)
	head, dir := sh(t, work, "rev-parse", "HEAD"), filepath.Join(t.TempDir(), "x.git")
	mirror := func() *Repo {
		r, err := openOwn(t.Context(), dir, url, true)
		if err == nil {
			err = r.FetchCommits(t.Context(), head)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		return r
	}
	lock := func() {
		if err := os.WriteFile(filepath.Join(dir, "shallow.lock"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	one := mirror()
	made, err := one.WriteTree(t.Context(), "", []Change{{Path: "a", Data: []byte("a\n")}})
	if err != nil {
		t.Fatal(err)
	}
	lock()
	two := mirror() // must not throw away what the first one works with
	lock()
	if err := one.FetchCommits(t.Context(), sh(t, work, "rev-parse", "HEAD~1")); err != nil {
		t.Errorf("fetch: %v", err)
	}
	for _, r := range []*Repo{one, two} {
		if o, err := r.object(t.Context(), made); err != nil || o.kind != "tree" {
			t.Errorf("what was written is gone: %v", err)
		}
	}
}

func TestCacheOfManyAtOnce(t *testing.T) {
	url, work, _ := forge(t)
	revs := []string{sh(t, work, "rev-parse", "HEAD"), sh(t, work, "rev-parse", "HEAD~1")}
	dir := filepath.Join(t.TempDir(), "x.git")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			r, err := openOwn(t.Context(), dir, url, true) // each as a process of its own
			if err == nil {
				err = r.FetchCommits(t.Context(), revs[i%2])
			}
			if err == nil {
				_, err = r.MakeTag(t.Context(), "v9", revs[i%2], "nine", false)
			}
			if err == nil {
				_, err = r.CommitInfo(t.Context(), revs[i%2])
			}
			if err != nil {
				t.Error(err)
				return
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestLazyReadEnds reads a file that its server does not send any more.
func TestLazyReadEnds(t *testing.T) {
	url, work, stop := forge(t)
	head := sh(t, work, "rev-parse", "HEAD")
	r, err := (&Cache{Dir: t.TempDir()}).Mirror(t.Context(), url, Commits, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.FetchCommits(t.Context(), head); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	tree, err := r.Tree(ctx, head)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := fs.ReadFile(tree, "README.md"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := r.CommitInfo(t.Context(), head); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// zeros are as many as are asked for.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type sink struct{ io.Writer }

func (sink) Close() error { return nil }

func TestLargeObjectIsRefused(t *testing.T) {
	answer := io.MultiReader(strings.NewReader("aa blob "+strconv.Itoa(maxObject+1)+"\n"), io.LimitReader(zeros{}, maxObject+2),
		strings.NewReader("bb blob 1\nx\n"))
	b := &batch{in: sink{io.Discard}, out: bufio.NewReader(answer)}
	if _, err := b.get("aa"); !errors.Is(err, errTooLarge) {
		t.Errorf("%v", err)
	}
	if o, err := b.get("bb"); err != nil || string(o.data) != "x" {
		t.Errorf("the next one: %q, %v", o.data, err)
	}
}

// What one process has fetched the next one knows, without a look; a line that
// was cut by a kill is not believed, and a cache that is made again knows nothing.
func TestFetchedIsRemembered(t *testing.T) {
	url, work, _ := forge(t)
	head, dir := sh(t, work, "rev-parse", "HEAD"), filepath.Join(t.TempDir(), "x.git")
	open := func() *Repo {
		r, err := openOwn(t.Context(), dir, url, false)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := open()
	if err := first.FetchCommits(t.Context(), head); err != nil {
		t.Fatal(err)
	}
	first.Close()
	file := filepath.Join(dir, fetchedFile)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	second := open()
	second.Close()
	if err := os.WriteFile(file, append(whole, head[:20]...), 0o644); err != nil {
		t.Fatal(err)
	}
	third := open()
	if !third.known[head] || len(third.known) != 1 {
		t.Errorf("known after a kill: %v", third.known)
	}
	third.learn(strings.Repeat("a", 40))
	third.Close()
	again := open()
	if len(again.known) != 2 {
		t.Errorf("known after another line: %v", again.known)
	}
	again.Close()
	if err := os.WriteFile(filepath.Join(dir, wholeMark), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if fresh := open(); len(fresh.known) > 0 {
		t.Errorf("known to a cache that was made again: %v", fresh.known)
	}
}
