package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// sh runs git in dir with an identity and no configuration of the machine.
func sh(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com",
		"GIT_AUTHOR_DATE=2023-08-01T12:00:00Z", "GIT_COMMITTER_DATE=2023-08-01T12:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// example is a work tree with two commits and the tags v1.0.0 (annotated) and v1.1.0.
func example(t *testing.T) string {
	dir := t.TempDir()
	sh(t, dir, "init", "-q", "-b", "main")
	write(t, dir, "README.md", "one\n")
	write(t, dir, "config/a b/ü.yaml", "x: 1\n")
	sh(t, dir, "add", "-A")
	sh(t, dir, "commit", "-qm", "First\n\nBody\nof it")
	sh(t, dir, "tag", "-am", "first release", "v1.0.0")
	write(t, dir, "README.md", "one\ntwo\n")
	sh(t, dir, "commit", "-qam", "Second")
	sh(t, dir, "tag", "v1.1.0")
	return dir
}

func open(t *testing.T, dir string) *Repo {
	t.Helper()
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestOpen(t *testing.T) {
	dir := example(t)
	top, _ := filepath.EvalSymlinks(dir)
	bare := filepath.Join(t.TempDir(), "b.git")
	sh(t, dir, "clone", "-q", "--bare", ".", bare)
	for _, c := range []struct {
		dir, want string
		bare      bool
	}{{dir, top, false}, {filepath.Join(dir, "config", "a b"), top, false}, {bare, bare, true}} {
		r := open(t, c.dir)
		got, _ := filepath.EvalSymlinks(r.Dir)
		if got != c.want || r.Bare != c.bare {
			t.Errorf("Open(%s) = %s, %v", c.dir, r.Dir, r.Bare)
		}
	}
	if _, err := Open(t.Context(), t.TempDir()); !errors.Is(err, ErrNotFound) {
		t.Errorf("outside of a repository: %v", err)
	}
}

func TestTreeIsAFileSystem(t *testing.T) {
	r := open(t, example(t))
	tree, err := r.Tree(t.Context(), "v1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(tree, "README.md", "config/a b/ü.yaml"); err != nil {
		t.Error(err)
	}
	data, err := fs.ReadFile(tree, "README.md")
	if err != nil || string(data) != "one\n" {
		t.Errorf("README.md at v1.0.0: %q, %v", data, err)
	}
	if _, err := fs.ReadFile(tree, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if got, _ := fs.Glob(tree, "config/*/*.yaml"); !slices.Equal(got, []string{"config/a b/ü.yaml"}) {
		t.Errorf("glob: %q", got)
	}
}

func TestTreeIsBounded(t *testing.T) {
	dir := example(t)
	r := open(t, dir)
	if _, err := r.BoundedTree(t.Context(), "HEAD", MostFiles); err != nil {
		t.Error(err)
	}
	run := func(stdin string, args ...string) string {
		out, err := command{dir: dir, args: args, stdin: strings.NewReader(stdin)}.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	tree := run("", "rev-parse", "HEAD^{tree}")
	for range 7 { // ten times as many each time
		lines := ""
		for i := range 10 {
			lines += fmt.Sprintf("040000 tree %s\td%d\n", tree, i)
		}
		tree = run(lines, "mktree")
	}
	commit := run("many\n", "commit-tree", tree)
	if _, err := r.BoundedTree(t.Context(), commit, MostFiles); err == nil || !strings.HasSuffix(err.Error(), "has more than 5000000 files") {
		t.Errorf("got %v", err)
	}
}

// TestTreeHasNamesOfFiles has names that git never makes, of which a walk would not end.
func TestTreeHasNamesOfFiles(t *testing.T) {
	for name, ok := range map[string]bool{"": false, ".": false, "..": false, "a/b": false, "a": true, "...": true} {
		_, err := parseTree(object{hash: strings.Repeat("0", 40), data: []byte("40000 " + name + "\x00" + strings.Repeat("x", 20))})
		if (err == nil) != ok || err != nil && !IsContent(err) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestRevisions(t *testing.T) {
	r := open(t, example(t))
	ctx := t.Context()
	for _, bad := range []string{"", "-x", "--upload-pack=x", "a b", "a\nb", "nope", "v9.9.9"} {
		if _, err := r.Resolve(ctx, bad); err == nil {
			t.Errorf("Resolve(%q) succeeded", bad)
		}
	}
	if _, err := r.Resolve(ctx, "nope"); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown revision: %v", err)
	}
	tags, err := r.Tags(ctx)
	if err != nil || len(tags) != 2 || tags[0].Name != "v1.0.0" || tags[0].Object == tags[0].Commit || tags[1].Object != tags[1].Commit {
		t.Errorf("tags: %v, %v", tags, err)
	}
	if h, err := r.Resolve(ctx, "v1.0.0"); err != nil || h != tags[0].Commit {
		t.Errorf("v1.0.0 is %s, %v; want %s", h, err, tags[0].Commit)
	}
	if is, err := r.IsTag(ctx, "main"); is || err != nil {
		t.Errorf("main is a tag: %v, %v", is, err)
	}
	log, err := r.Log(ctx, "v1.0.0", "HEAD")
	if err != nil || len(log) != 1 || log[0].Subject != "Second" {
		t.Errorf("log: %+v, %v", log, err)
	}
	log, err = r.Log(ctx, "", "v1.0.0")
	if err != nil || len(log) != 1 || log[0].Body != "Body\nof it" {
		t.Errorf("log: %+v, %v", log, err)
	}
	if b, err := r.MergeBase(ctx, "v1.0.0", "v1.1.0"); err != nil || b != tags[0].Commit {
		t.Errorf("merge base: %s, %v", b, err)
	}
}

// TestRevisionOfARemote: a tag or a branch with the name of a remote's branch does not
// take its place.
func TestRevisionOfARemote(t *testing.T) {
	for _, other := range []string{"refs/tags/origin/main", "refs/heads/origin/main"} {
		dir := example(t)
		update := func(ref, to string) { sh(t, dir, "update-ref", ref, to) }
		resolve := func() error {
			_, err := open(t, dir).Resolve(t.Context(), "origin/main")
			return err
		}
		update("refs/remotes/origin/main", "v1.0.0^{commit}")
		alone := resolve()
		update(other, "v1.0.0^{commit}")
		same := resolve()
		update(other, "v1.1.0^{commit}")
		if alone != nil || same != nil {
			t.Errorf("%s: %v, %v", other, alone, same)
		}
		if err := resolve(); err == nil || !strings.Contains(err.Error(), "name one of them, as in refs/remotes/origin/main") {
			t.Errorf("%s: %v", other, err)
		}
	}
}

func TestChanges(t *testing.T) {
	dir := example(t)
	r := open(t, dir)
	ctx := t.Context()
	if got, err := r.Status(ctx); err != nil || len(got) != 0 {
		t.Errorf("clean: %q, %v", got, err)
	}
	if got, err := r.Changed(ctx, "v1.0.0", "v1.1.0"); err != nil || !slices.Equal(got, []string{"README.md"}) {
		t.Errorf("changed: %q, %v", got, err)
	}
	write(t, dir, "README.md", "++ zero\none\ntwo\n")
	write(t, dir, "new ü.txt", "x")
	if got, err := r.Changed(ctx, "HEAD", ""); err != nil || !slices.Equal(got, []string{"README.md", "new ü.txt"}) {
		t.Errorf("changed: %q, %v", got, err)
	}
	if got, err := r.Status(ctx); err != nil || len(got) != 2 {
		t.Errorf("dirty: %q, %v", got, err)
	}
}

// partial makes a server honour partial clones, as forges do.
var partial = []string{"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=uploadpack.allowFilter", "GIT_CONFIG_VALUE_0=true",
	"GIT_CONFIG_KEY_1=uploadpack.allowAnySHA1InWant", "GIT_CONFIG_VALUE_1=true"}

// serve answers git over smart HTTP from the bare repositories under root, as
// forges do, and counts the ref advertisements that it gives out.
func serve(t *testing.T, root string, count *atomic.Int64) *httptest.Server {
	t.Helper()
	path := sh(t, root, "--exec-path")
	h := &cgi.Handler{
		Path: filepath.Join(path, "git-http-backend"),
		Env:  append([]string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"}, partial...),
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "/info/refs") {
			count.Add(1)
		}
		switch {
		case strings.HasPrefix(q.URL.Path, "/secret/"):
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		case strings.HasPrefix(q.URL.Path, "/slow/"):
			select {
			case <-q.Context().Done():
			case <-time.After(10 * time.Second):
			}
		case strings.HasPrefix(q.URL.Path, "/broken/"):
			w.WriteHeader(http.StatusBadGateway)
		case strings.HasPrefix(q.URL.Path, "/blank/"):
			_, _ = w.Write([]byte("{}"))
		default:
			h.ServeHTTP(w, q)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// once is no patience at all.
var once = wire.Patience{Tries: 1}

func noPause(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// TestReadsOfRemotesAreRepeated has a server that breaks now and then, and one
// that says no.
func TestReadsOfRemotesAreRepeated(t *testing.T) {
	root := t.TempDir()
	work := example(t)
	head := sh(t, work, "rev-parse", "HEAD")
	sh(t, work, "clone", "-q", "--bare", ".", filepath.Join(root, "org", "x.git"))
	var count, breaks, asked atomic.Int64
	answers := serve(t, root, &count).Config.Handler
	var status atomic.Int64
	status.Store(http.StatusBadGateway)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked.Add(1)
		if breaks.Add(-1) >= 0 {
			w.WriteHeader(int(status.Load()))
			return
		}
		answers.ServeHTTP(w, q)
	}))
	t.Cleanup(s.Close)
	url := s.URL + "/org/x.git"
	patience := wire.Patience{Sleep: noPause}
	var tree fs.FS
	reads := []struct {
		name string
		read func() error
	}{
		{"tags", func() error { _, err := (&Remotes{patience: patience}).Tags(t.Context(), url); return err }},
		{"tree", func() (err error) {
			c := &Cache{Dir: t.TempDir(), patience: patience}
			tree, err = c.Ref(t.Context(), url, head)
			return err
		}},
		{"file", func() error { _, err := fs.ReadFile(tree, "README.md"); return err }},
	}
	for _, r := range reads {
		breaks.Store(2)
		if err := r.read(); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
	}
	status.Store(http.StatusForbidden)
	for _, r := range reads[:2] {
		breaks.Store(100)
		asked.Store(0)
		err := r.read()
		var remote *RemoteError
		if !errors.As(err, &remote) || !remote.Refused || asked.Load() != 1 {
			t.Errorf("%s, refused: %v after %d requests", r.name, err, asked.Load())
		}
	}
	breaks.Store(0)
	asked.Store(0)
	if _, err := (&Remotes{patience: patience}).Tags(t.Context(), s.URL+"/org/none.git"); err == nil || asked.Load() != 1 {
		t.Errorf("not there: %v after %d requests", err, asked.Load())
	}
}

// TestRefusedPush has a server whose rules refuse what is pushed.
func TestRefusedPush(t *testing.T) {
	work := example(t)
	root := t.TempDir()
	bare := filepath.Join(root, "x.git")
	sh(t, work, "clone", "-q", "--bare", ".", bare)
	write(t, bare, "hooks/pre-receive", "#!/bin/sh\necho 'GH013: Repository rule violations found for refs/tags/v2' >&2\nexit 1\n")
	if err := os.Chmod(filepath.Join(bare, "hooks", "pre-receive"), 0o755); err != nil {
		t.Fatal(err)
	}
	sh(t, bare, "config", "http.receivepack", "true")
	url := serve(t, root, new(atomic.Int64)).URL + "/x.git"
	head := sh(t, work, "rev-parse", "HEAD")
	r, err := (&Cache{Dir: t.TempDir()}).Mirror(t.Context(), url, Commits, false)
	if err == nil {
		err = r.FetchCommits(t.Context(), head)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // of a test
	err = r.Push(t.Context(), url, Update{Ref: "refs/tags/v2", New: head})
	var remote *RemoteError
	if !errors.As(err, &remote) || !remote.Refused || !strings.Contains(err.Error(), "GH013") {
		t.Errorf("%v", err)
	}
	if err := r.Push(t.Context(), url, Update{Ref: "refs/tags/v1.0.0", New: head}); !errors.Is(err, ErrMoved) {
		t.Errorf("a tag that is there: %v", err)
	}
}

func TestRemotes(t *testing.T) {
	root := t.TempDir()
	sh(t, example(t), "clone", "-q", "--bare", ".", filepath.Join(root, "org", "full.git"))
	sh(t, root, "init", "-q", "--bare", filepath.Join(root, "org", "empty.git"))
	untagged := filepath.Join(root, "org", "untagged.git")
	sh(t, example(t), "clone", "-q", "--bare", "--no-tags", ".", untagged)
	var count atomic.Int64
	s := serve(t, root, &count)
	rs := &Remotes{Timeout: 3 * time.Second, patience: wire.Patience{Sleep: noPause}}

	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			refs, err := rs.Tags(t.Context(), s.URL+"/org/full.git")
			if err != nil || !refs.Has("v1.0.0") || refs.Has("v1.0.0^{}") || len(refs.Tags) != 2 {
				t.Errorf("tags: %v, %v", refs, err)
			}
		})
	}
	all.Wait()
	if count.Load() != 1 {
		t.Errorf("%d requests, want 1", count.Load())
	}
	if refs, err := rs.Tags(t.Context(), s.URL+"/org/untagged.git"); err != nil || len(refs.Tags) != 0 {
		t.Errorf("a repository without tags: %v, %v", refs, err)
	}
	for _, c := range []struct {
		path, text string
		gone       bool
	}{
		{"/org/none.git", "not found", true},
		{"/secret/x.git", "", false},
		{"/slow/x.git", "no answer within 3s", false},
		{"/broken/x.git", "502", false},
		{"/blank/x.git", "the answer has no branch and no tag", false}, // 200, and a page
		{"/org/empty.git", "the answer has no branch and no tag", false},
	} {
		_, err := rs.Tags(t.Context(), s.URL+c.path)
		var remote *RemoteError
		if !errors.As(err, &remote) || remote.Gone != c.gone || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v (gone %v)", c.path, err, remote != nil && remote.Gone)
		}
		if errors.Is(err, ErrNotFound) {
			t.Errorf("%s: a remote that does not answer is no ErrNotFound", c.path)
		}
	}
	_, err := rs.Tags(t.Context(), "https://me:hunter2@127.0.0.1:1/x.git")
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("credentials in %v", err)
	}
	for _, bad := range []string{"", "-x", "ext::sh -c id", "a\nb"} {
		if _, err := rs.Tags(t.Context(), bad); err == nil {
			t.Errorf("URL %q was taken", bad)
		}
	}
}

func TestCanceled(t *testing.T) {
	r := open(t, example(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Log(ctx, "", "HEAD"); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	l := &limited{max: 10}
	if _, err := io.Copy(l, io.LimitReader(zeros{}, 11)); err == nil || !l.over || l.kept.Len() > 10 {
		t.Errorf("%d bytes are kept, %v", l.kept.Len(), err)
	}
}

// What remotes answer is kept up to a bound, of each and of all.
func TestRemotesAreBounded(t *testing.T) {
	if out, err := (command{in: nobody, args: []string{"version"}, most: 3}).run(t.Context()); !errors.Is(err, errLong) || out != nil {
		t.Errorf("%q, %v", out, err)
	}
	r := &Remotes{}
	list := []remoteRef{{name: strings.Repeat("x", mostRefs), value: "0"}}
	for i := range 4 {
		if err := r.take("https://git.example.com/a", list); (err != nil) != (i == 3) {
			t.Errorf("answer %d: %v", i, err)
		}
	}
}

// TestPatternsWithManyStars: git is not waited for without end where the patterns of a tree keep it busy.
func TestPatternsWithManyStars(t *testing.T) {
	ctx, dir := t.Context(), example(t)
	write(t, dir, ".gitignore", "**/"+strings.Repeat("a*/**/", 12)+"b\n")
	write(t, dir, strings.Repeat("aaaaaaaa/", 40)+"x.yaml", "x: 1\n")
	r, err := Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer func(d time.Duration) { matchTime = d }(matchTime)
	matchTime = 200 * time.Millisecond
	_, status := r.Status(ctx)
	_, changed := r.Changed(ctx, "HEAD", "")
	for _, err := range []error{status, changed} {
		if err == nil || !strings.Contains(err.Error(), "took longer than 200ms: simplify the patterns of .gitignore") {
			t.Errorf("the error is %v", err)
		}
	}
}
