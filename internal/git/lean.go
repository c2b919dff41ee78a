package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A commit can be evaluated, and a change of it pushed, without most of what its
// repository holds: a lean fetch brings one commit without its history and
// without large files, or without any.

// noLazy keeps a command from fetching what a lean fetch left out.
var noLazy = []string{"GIT_NO_LAZY_FETCH=1"}

// RemoteHead asks a remote for its default branch (short) and the commit that it
// is at. Both are empty for a repository without commits.
func RemoteHead(ctx context.Context, url string) (branch, commit string, err error) {
	list, err := listRefs(ctx, url, []string{"--symref"}, "HEAD")
	for _, line := range list {
		if line.name != "HEAD" {
			continue
		}
		if ref, ok := strings.CutPrefix(line.value, "ref: refs/heads/"); ok {
			branch = ref
		} else {
			commit = line.value
		}
	}
	return branch, commit, err
}

// FetchLean brings a commit of the repository that a Mirror represents, without
// its history and without the files of more than limit bytes; 0 leaves all
// files out.
func (r *Repo) FetchLean(ctx context.Context, commit string, limit int64) error {
	filter := contents
	if limit > 0 {
		filter = "--filter=blob:limit=" + strconv.FormatInt(limit, 10)
	}
	return r.fetchThin(ctx, filter, commit)
}

// A LeftOut is a file that a lean fetch left out.
type LeftOut struct {
	Path, Hash string
}

// LeftOut lists the files of a commit whose content is not here.
func (r *Repo) LeftOut(ctx context.Context, commit string) ([]LeftOut, error) {
	if err := CheckRevision(commit); err != nil {
		return nil, err
	}
	walked, err := r.git(ctx, "rev-list", "--objects", "--no-object-names", "--no-walk", "--missing=print", commit, "--")
	if err != nil {
		return nil, err
	}
	missing := map[string]bool{}
	for line := range strings.Lines(walked) {
		if hash, ok := strings.CutPrefix(strings.TrimSpace(line), "?"); ok {
			missing[hash] = true
		}
	}
	if len(missing) == 0 {
		return nil, nil
	}
	out, err := r.git(ctx, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, err
	}
	var list []LeftOut
	for _, line := range splitZ(out) {
		meta, path, _ := strings.Cut(line, "\t")
		if f := strings.Fields(meta); len(f) == 3 && missing[f[2]] {
			list = append(list, LeftOut{path, f[2]})
		}
	}
	return list, nil
}

// FetchObjects brings objects that a lean fetch left out, all at once.
func (r *Repo) FetchObjects(ctx context.Context, hashes ...string) error {
	return r.fetchRevisions(ctx, nothing, hashes, "--depth=1")
}

// PushLean is Push out of a repository that a lean fetch made: nothing is
// fetched to make deltas against it. Over HTTP git does not obey --no-thin;
// where no object is compared with another, none is wanted.
func (r *Repo) PushLean(ctx context.Context, url string, updates ...Update) error {
	return r.push(ctx, url, []string{"--no-thin"}, []setting{{"pack.window", "0"}}, noLazy, updates...)
}

// Scratch makes an own repository for what is fetched from url, in the folder for
// temporary files. The function that comes with it closes and removes it.
func Scratch(ctx context.Context, url string, lazy bool) (*Repo, func() error, error) {
	dir, err := os.MkdirTemp("", "cfctl-git-")
	if err != nil {
		return nil, nil, err
	}
	r, err := (&Cache{Dir: dir}).Mirror(ctx, url, Commits, lazy)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return r, func() error { return errors.Join(r.Close(), os.RemoveAll(dir)) }, nil
}

// MakeBare makes a bare repository at dir to push to, with the folders that it
// lies in, where there is none. One that is there stays as it is; a folder with
// anything else in it is an error, and stays as it is, too.
func MakeBare(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil || looksBare(dir) {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(there) > 0 {
		return fmt.Errorf("%s: it is no bare repository, and not empty: it has %s", dir, there[0].Name())
	}
	return writeBare(dir, "[uploadpack]\n\tallowAnySHA1InWant = true\n")
}

// RemoteRefs asks a remote for its refs below a prefix ("refs/x/"), by full name.
func RemoteRefs(ctx context.Context, url, prefix string) (map[string]string, error) {
	if err := CheckRevision(prefix); err != nil {
		return nil, err
	}
	list, err := listRefs(ctx, url, nil, prefix+"*")
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for _, line := range list {
		if strings.HasPrefix(line.name, prefix) {
			refs[line.name] = line.value
		}
	}
	return refs, nil
}
