package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Store is where the parts of a campaign meet: refs of one git repository,
// below refs/cfctl/campaigns/ID. Each ref has one writer, and is moved only from
// where that writer saw it.
//
//	plan          the plan; results are kept when it is made again
//	shards/NNNN   results of a shard
//	opener        the lease, the budget, and what was opened
//	follow        what became of it
type Store struct {
	URL string
	ID  string
	Now func() time.Time
	Who git.Identity // of the store's own commits

	wrote func(ref string) error // tests end the process here; nil = nothing

	repo  *git.Repo
	close func() error
}

// OpenStore opens the campaign of a name in the repository at url. What is read
// of it is kept in the folder for temporary files, until Close.
func OpenStore(ctx context.Context, url, id string, who git.Identity, now func() time.Time) (*Store, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	s := &Store{URL: url, ID: id, Now: now, Who: who}
	var err error
	s.repo, s.close, err = git.Scratch(ctx, url, false)
	return s, err
}

// namesAt are the campaigns of the store at url, sorted.
func namesAt(ctx context.Context, url string) ([]string, error) {
	const all = "refs/cfctl/campaigns/"
	refs, err := git.RemoteRefs(ctx, url, all)
	if err != nil {
		return nil, fmt.Errorf("the store: %w", err)
	}
	var names []string
	for _, ref := range git.Sorted(refs) {
		if name, ok := strings.CutSuffix(strings.TrimPrefix(ref, all), "/plan"); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

// Only is the name of the one campaign of the store at url.
func Only(ctx context.Context, url string) (string, error) {
	names, err := namesAt(ctx, url)
	switch {
	case err != nil:
		return "", err
	case len(names) == 0:
		return "", source.Hinted(errors.New("the store has no campaign"), "make one first: cfctl campaign plan")
	case len(names) > 1:
		return "", source.Hinted(fmt.Errorf("the store has %d campaigns", len(names)), "name one with --campaign: "+strings.Join(names, ", "))
	}
	return names[0], nil
}

// Close gives up what was read.
func (s *Store) Close() error { return s.close() }

func (s *Store) prefix() string { return "refs/cfctl/campaigns/" + s.ID + "/" }

// A ref is one ref of the store as its reader or writer knows it.
type ref struct {
	store *Store
	name  string // "plan"
	tip   string // "" = it is not there
	tree  *git.Tree
}

// mostEntries is how many files a ref may have: far more than repositories of a campaign.
const mostEntries = 200_000

// refs reads the refs of a campaign whose names begin with a prefix.
func (s *Store) refs(ctx context.Context, prefix string) (map[string]*ref, error) {
	found, err := git.RemoteRefs(ctx, s.URL, s.prefix()+prefix)
	if err != nil {
		return nil, fmt.Errorf("the store: %w", err)
	}
	if err := s.repo.FetchCommits(ctx, slices.Collect(maps.Values(found))...); err != nil {
		return nil, fmt.Errorf("the store: %w", err)
	}
	list := map[string]*ref{}
	for _, full := range slices.Sorted(maps.Keys(found)) {
		r := &ref{store: s, name: strings.TrimPrefix(full, s.prefix()), tip: found[full]}
		r.tree, err = s.repo.BoundedTree(ctx, r.tip, mostEntries)
		if git.IsContent(err) && strings.HasPrefix(r.name, "shards/") {
			r.tree, err = nil, nil // of a worker, who is not trusted: it counts as empty, and work makes it again
		}
		if err != nil {
			return nil, fmt.Errorf("the store: %s: %w", r.name, err)
		}
		list[r.name] = r
	}
	return list, nil
}

// ref reads one ref; one that is not there is empty.
func (s *Store) ref(ctx context.Context, name string) (*ref, error) {
	all, err := s.refs(ctx, name)
	if err != nil {
		return nil, err
	}
	if r := all[name]; r != nil {
		return r, nil
	}
	return &ref{store: s, name: name}, nil
}

// read reads a file of the ref into v; false when it is not there.
func (r *ref) read(name string, v any) (bool, error) {
	data, err := r.bytes(name)
	if data == nil || err != nil {
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, fmt.Errorf("the store: %s: %s: %w", r.name, name, err)
	}
	return true, nil
}

// bytes reads a file of the ref; nil when it is not there.
func (r *ref) bytes(name string) ([]byte, error) {
	if r.tree == nil {
		return nil, nil
	}
	data, err := r.tree.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the store: %w", err)
	}
	return data, nil
}

// each reads every file of a folder of the ref ("results").
func (r *ref) each(folder string, visit func(name string, data []byte) error) error {
	if r.tree == nil {
		return nil
	}
	err := fs.WalkDir(r.tree, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".json" {
			return err
		}
		data, err := r.tree.ReadFile(name)
		if err == nil {
			err = visit(name, data)
		}
		if err != nil {
			err = fmt.Errorf("the store: %s: %s: %w", r.name, name, err)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// entriesOf reads the JSON files of a folder, by their keys.
func entriesOf[T any](r *ref, folder string, key func(*T) string) (map[string]*T, error) {
	all := map[string]*T{}
	return all, r.each(folder, func(_ string, data []byte) error {
		e := new(T)
		if err := json.Unmarshal(data, e); err != nil {
			return err
		}
		all[key(e)] = e
		return nil
	})
}

// errReplanned says that what was evaluated was evaluated by an earlier plan.
var errReplanned = errors.New("the store: the campaign was planned again: run work again")

// errMoved says that another writer was quicker.
var errMoved = errors.New("the store: another process has written")

// write moves the ref to a commit with the changes, and only from where it was
// seen: else the error wraps errMoved, and nothing is written.
func (r *ref) write(ctx context.Context, why string, changes []git.Change) error {
	s := r.store
	base := r.tip
	if r.tree == nil {
		base = ""
	}
	tree, err := s.repo.WriteTree(ctx, base, changes)
	if err != nil {
		return err
	}
	c := git.NewCommit{Tree: tree, Message: why, Author: s.Who, Time: s.Now()}
	if r.tip != "" {
		c.Parents = []string{r.tip}
	}
	next, err := s.repo.CommitTree(ctx, c)
	if err != nil {
		return err
	}
	err = s.repo.Push(ctx, s.URL, git.Update{Ref: s.prefix() + r.name, Old: r.tip, New: next})
	if errors.Is(err, git.ErrMoved) {
		return fmt.Errorf("%w: %s", errMoved, r.name)
	}
	if err != nil {
		return fmt.Errorf("the store: %w", err)
	}
	r.tip = next
	if r.tree, err = s.repo.Tree(ctx, next); err != nil {
		return err
	}
	if s.wrote != nil {
		return s.wrote(r.name)
	}
	return nil
}

// merge writes changes that hold whatever else the ref got meanwhile: each is a
// file of one repository. Changes that were made by a plan, whose commit is given,
// are not written where another process has written and the plan is another by
// now: it could be over what was made by the new one. "" = no plan made them.
func (r *ref) merge(ctx context.Context, plan, why string, changes []git.Change) error {
	for try := 1; ; try++ {
		err := r.write(ctx, why, changes)
		if !errors.Is(err, errMoved) || try == 5 {
			return err
		}
		if err := r.store.planned(ctx, plan); err != nil {
			return err
		}
		fresh, err := r.store.ref(ctx, r.name)
		if err != nil {
			return err
		}
		r.tip, r.tree = fresh.tip, fresh.tree
	}
}

// planned is errReplanned when the plan is not at a commit any more.
func (s *Store) planned(ctx context.Context, commit string) error {
	if commit == "" {
		return nil
	}
	now, err := git.RemoteRef(ctx, s.URL, s.prefix()+"plan")
	if err != nil {
		return fmt.Errorf("the store: %w", err)
	}
	if now != commit {
		return errReplanned
	}
	return nil
}

// encode is the form of a file of the store.
func encode(v any) []byte {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		panic(err) // the store's own types
	}
	return append(data, '\n')
}

// Names of the files of a plan.
const (
	planFile         = "plan.json"
	repositoriesFile = "repositories.jsonl"
	leftOutFile      = "left-out.jsonl"
)

// WritePlan writes a plan, over the one that is there.
func (s *Store) WritePlan(ctx context.Context, p *Plan) error {
	r, err := s.ref(ctx, "plan")
	if err != nil {
		return err
	}
	changes := []git.Change{{Path: planFile, Data: encode(p)}, {Path: repositoriesFile, Data: lines(p.Repositories)}, {Path: leftOutFile, Data: lines(p.LeftOut)}}
	if err := r.write(ctx, "plan "+p.ID, changes); err != nil {
		return err
	}
	p.Commit = r.tip
	return nil
}

// errNoPlan says that there is no campaign of that name in the store.
var errNoPlan = errors.New("no such campaign in the store")

// Plan reads the plan.
func (s *Store) Plan(ctx context.Context) (*Plan, error) {
	r, err := s.ref(ctx, "plan")
	if err != nil {
		return nil, err
	}
	p := &Plan{Commit: r.tip}
	there, err := r.read(planFile, p)
	if err != nil {
		return nil, err
	}
	if !there {
		return nil, fmt.Errorf("%s: %w", s.ID, errNoPlan)
	}
	if p.Repositories, err = parseLines[Repository](r, repositoriesFile); err != nil {
		return nil, err
	}
	if p.LeftOut, err = parseLines[LeftOut](r, leftOutFile); err != nil {
		return nil, err
	}
	if p.ID != s.ID {
		return nil, fmt.Errorf("the store: the plan of %s is that of %q", s.ID, p.ID)
	}
	return p, p.check()
}

// lines are values as JSON, one a line.
func lines[T any](list []T) []byte {
	var out []byte
	for _, v := range list {
		data, err := json.Marshal(v)
		if err != nil {
			panic(err) // the store's own types
		}
		out = append(append(out, data...), '\n')
	}
	return out
}

func parseLines[T any](r *ref, name string) ([]T, error) {
	data, err := r.bytes(name)
	if err != nil {
		return nil, err
	}
	var list []T
	for line := range strings.Lines(string(data)) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return nil, fmt.Errorf("the store: %s: line %d: %w", name, len(list)+1, err)
		}
		list = append(list, v)
	}
	return list, nil
}

// A writer collects results of a shard and writes them in lots: every 50, or
// when half a minute has passed. It is safe for concurrent use.
type writer struct {
	ref  *ref
	plan string // commit that the results are made by

	mu      sync.Mutex
	changes []git.Change
	count   int
	last    time.Time
}

// The size of a lot, and how long results wait at most for it to be full.
const (
	lotSize = 50
	lotWait = 30 * time.Second
)

func (w *writer) add(ctx context.Context, r *Result) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changes = append(w.changes, git.Change{Path: place("results", r.Key), Data: encode(r)})
	w.count++
	if now := w.ref.store.Now(); w.count < lotSize && now.Sub(w.last) < lotWait {
		return nil
	}
	return w.flush(ctx)
}

// flush writes what is left. The caller has the lock, or is alone.
func (w *writer) flush(ctx context.Context) error {
	w.last = w.ref.store.Now()
	if len(w.changes) == 0 {
		return nil
	}
	if err := w.ref.merge(ctx, w.plan, fmt.Sprintf("%d results", w.count), w.changes); err != nil {
		return err
	}
	w.changes, w.count = nil, 0
	return nil
}
