package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
)

// Results reads the results of the repositories of a plan, by key. Of two results of one
// repository, from shards of different sizes, the one that holds for the plan is taken. Of two
// about one commit it is the one that asks for more: a worker may write anything to its own
// shard, and the opener verifies nothing but changes. Then it is the later one. A file that
// cannot be read is trouble with its repository, unless another shard has a result of it: work
// makes it again.
func (s *Store) Results(ctx context.Context, p *Plan) (map[string]*Result, error) {
	return s.resultsOf(ctx, p, "shards/")
}

// resultsOf are the results of one shard, or of all below a folder.
func (s *Store) resultsOf(ctx context.Context, p *Plan, name string) (map[string]*Result, error) {
	shards, err := s.refs(ctx, name)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(name, "/") {
		maps.DeleteFunc(shards, func(other string, _ *ref) bool { return other != name })
	}
	all, digest, latest := map[string]*Result{}, p.Digest(), stamp(s.Now().Add(mostSkew))
	for _, name := range git.Sorted(shards) {
		left := max(minShard, perResult*len(p.Repositories))
		for _, repo := range p.Repositories {
			r, size, err := shards[name].result(repo.Key, left)
			if err != nil {
				return nil, err
			}
			left -= size
			if r != nil && r.Written > latest {
				r.Written = ""
			}
			if old := all[repo.Key]; r != nil && (old == nil || r.after(old, digest)) {
				all[repo.Key] = r
			}
		}
	}
	return all, nil
}

// mostSkew is how far the clock of a worker may be ahead.
const mostSkew = time.Hour

// asks is how much a result asks for: trouble that passes is that of one run.
func (r *Result) asks() int {
	if r.State == Trouble && r.Class.passes() {
		return 0
	}
	return slices.Index([]State{Nothing, Trouble, Changed}, r.State)
}

// Workers are not trusted, and one small file of a repository of git may be many megabytes
// under many names: how many bytes are read of the results of a shard. A result has a few
// kilobytes, and some hundred where thousands of files change.
const (
	minShard  = 64 << 20
	perResult = 256 << 10
)

// result reads the result of a repository, and says how many of the bytes that are left it
// takes; nil for none.
func (r *ref) result(key string, left int) (*Result, int, error) {
	file := place("results", key)
	if r.tree == nil || !r.tree.Has(file) {
		return nil, 0, nil
	}
	if left < 0 {
		return unreadable(r.name, key, errors.New("the results of this shard are too large")), 0, nil
	}
	data, err := r.bytes(file)
	if git.IsContent(err) {
		return unreadable(r.name, key, err), left + 1, nil
	}
	return readResult(r.name, key, data), len(data), err
}

// readResult reads the file of a result. What is none, or that of another
// repository, is trouble with the repository that the file is named for.
func readResult(shard, key string, data []byte) *Result {
	r := &Result{}
	var err error
	if len(data) > maxResult {
		err = fmt.Errorf("more than %d MB", maxResult>>20)
	} else {
		err = json.Unmarshal(data, r)
	}
	if err == nil && (r.Key != key || !slices.Contains([]State{Nothing, Changed, Trouble}, r.State)) {
		err = errors.New("it is no result of that repository")
	}
	if err != nil {
		return unreadable(shard, key, err)
	}
	r.bound()
	return r
}

func unreadable(shard, key string, err error) *Result {
	return &Result{Key: key, State: Trouble, Class: Unreadable, Text: oneLine(fmt.Sprintf("%s: %s: %v: work makes it again", shard, place("results", key), err))}
}

// maxResult bounds the file of a result, in bytes: it names every file that changes.
const maxResult = 16 << 20

// bound cuts the texts and numbers of a result to what a worker of cfctl writes.
func (r *Result) bound() {
	r.Name, r.Text, r.Class = oneLine(r.Name), oneLine(r.Text), Class(oneLine(string(r.Class)))
	if _, err := time.Parse(time.RFC3339, r.Written); err != nil {
		r.Written = ""
	}
	r.ToReview = r.ToReview[:min(len(r.ToReview), maxToReview)]
	for i, line := range r.ToReview {
		r.ToReview[i] = oneLine(line)
	}
	r.Owners = slices.DeleteFunc(r.Owners, func(o string) bool { return !isOwner(o) })
	r.Owners = r.Owners[:min(len(r.Owners), maxOwners)]
	for _, n := range []*int{&r.Files, &r.Proven, &r.Review, &r.Unread, &r.Faults} {
		*n = max(*n, 0)
	}
}

func (r *Result) after(old *Result, digest string) bool {
	if mine, its := r.Class == Unreadable, old.Class == Unreadable; mine != its {
		return its
	}
	if mine, its := r.Digest == digest, old.Digest == digest; mine != its {
		return mine
	}
	if r.Base == old.Base && r.Branch == old.Branch && r.asks() != old.asks() {
		return r.asks() > old.asks()
	}
	return r.Written >= old.Written
}
