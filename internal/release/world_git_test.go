package release

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// share copies repositories to a new place. What lies under objects never
// changes, and is linked.
func (w *world) share(from, to string) {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, path)
		there := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(there, 0o755)
		case strings.Contains(filepath.ToSlash(path), ".git/objects/"):
			return os.Link(path, there)
		}
		data, err := os.ReadFile(path)
		data = bytes.ReplaceAll(data, []byte(seeds.dir), []byte(w.dir)) // the address of what a cache is of
		return errors.Join(err, os.WriteFile(there, data, 0o644))
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// fetchAll fetches the main branch of every repository into a cache at dir.
func (w *world) fetchAll(dir string) {
	r := &ports.Remotes{Base: "file://" + w.dir, Cache: &git.Cache{Dir: dir}, Queue: &wire.Queue{Sleep: wire.Sleep}}
	for _, repo := range orchard {
		commit := refsIn(w.t, w.bare(repo))["refs/heads/main"]
		_, err := r.Tree(context.Background(), repo, commit, repo == "eco/community-operators")
		if err != nil {
			w.t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// warm gives a cache that is not there yet what the repositories of every new
// world have, as if they had been fetched already.
func (w *world) warm(cache *git.Cache) {
	if _, err := os.Stat(cache.Dir); err == nil || !strings.HasPrefix(w.git, "file://") || w.asked {
		return
	}
	seeded := &git.Cache{Dir: seeds.dir + "-cache"}
	for _, repo := range orchard {
		of := func(dir string) string { return "file://" + dir + "/" + repo + ".git" }
		w.share(seeded.Place(of(seeds.dir), git.Commits), cache.Place(of(w.dir), git.Commits))
	}
}

// refsIn are the branches and tags of a bare repository, by full name.
func refsIn(t testing.TB, bare string) map[string]string {
	t.Helper()
	refs := map[string]string{}
	packed, err := os.ReadFile(filepath.Join(bare, "packed-refs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(packed)) {
		if hash, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && line[0] != '#' {
			refs[name] = hash
		}
	}
	_ = filepath.WalkDir(filepath.Join(bare, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".lock") {
			return nil //nolint:nilerr // a ref that goes away meanwhile is none
		}
		data, err := os.ReadFile(path)
		if rel, _ := filepath.Rel(bare, path); err == nil {
			refs[filepath.ToSlash(rel)] = strings.TrimSpace(string(data))
		}
		return nil
	})
	return refs
}

// nearGit reads the refs of the actual state's repositories from their files, where
// git would start three processes for each look. Whatever it cannot tell from
// them, git is asked for.
type nearGit struct {
	*ports.Remotes
	w *world
}

func remotesOf(env *Env) *ports.Remotes {
	if near, ok := env.Git.(*nearGit); ok {
		return near.Remotes
	}
	return env.Git.(*ports.Remotes)
}

func (g *nearGit) Heads(ctx context.Context, repo string) (git.Heads, error) {
	bare := g.w.bare(repo)
	if _, err := os.Stat(filepath.Join(bare, "HEAD")); err != nil {
		return g.Remotes.Heads(ctx, repo)
	}
	h := git.Heads{Branches: map[string]string{}, Tags: map[string]git.Ref{}}
	for name, hash := range refsIn(g.w.t, bare) {
		if branch, ok := strings.CutPrefix(name, "refs/heads/"); ok {
			h.Branches[branch] = hash
		}
		tag, ok := strings.CutPrefix(name, "refs/tags/")
		if !ok {
			continue
		}
		commit, known := peeled(bare, hash)
		if !known {
			return g.Remotes.Heads(ctx, repo)
		}
		h.Tags[tag] = git.Ref{Name: tag, Object: hash, Commit: commit}
	}
	return h, ctx.Err()
}

// peeled is the commit behind an object that lies loose in a repository, or in
// the pack of the seeds, whose tags are commits.
func peeled(bare, hash string) (commit string, known bool) {
	file, err := os.Open(filepath.Join(bare, "objects", hash[:2], hash[2:]))
	if err != nil {
		packed, err := os.ReadFile(filepath.Join(bare, "packed-refs"))
		return hash, err == nil && bytes.Contains(packed, []byte(hash))
	}
	defer file.Close()
	z, err := zlib.NewReader(file)
	if err != nil {
		return "", false
	}
	head := make([]byte, 64)
	n, _ := io.ReadFull(z, head)
	kind, rest, _ := strings.Cut(string(head[:n]), "\x00")
	if _, isTag := strings.CutPrefix(kind, "tag "); !isTag {
		return hash, strings.HasPrefix(kind, "commit ")
	}
	commit, found := strings.CutPrefix(rest, "object ")
	commit, _, _ = strings.Cut(commit, "\n")
	return commit, found && len(commit) == len(hash)
}

// within reaches a server in this process without a line between.
type within struct{ http.Handler }

func (a within) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	answer := httptest.NewRecorder()
	a.ServeHTTP(answer, r)
	res := answer.Result()
	res.Request = r
	return res, nil
}
