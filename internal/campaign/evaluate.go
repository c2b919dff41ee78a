package campaign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// What is read of one repository at most.
const (
	leanLimit       = 1 << 20 // bytes of a file that comes with the first fetch
	mostLarge       = 64      // larger files that are fetched one by one
	maxToReview     = 20      // lines that need review that a result names
	maxOwners       = 10
	evaluationLimit = 15 * time.Minute
)

// binaryExts are extensions of files that hold no text: where such a file is
// large, it is not fetched to see that.
var binaryExts = strings.Fields(`.7z .avi .bin .bmp .bz2 .class .dll .dylib .eot .exe .gif .gz .ico .jar .jpeg .jpg .mov .mp3 .mp4 .npy .npz .o .onnx
	.otf .parquet .pdf .pkl .png .pt .pth .pyc .rpm .safetensors .so .tar .tgz .tif .tiff .ttf .wasm .webm .webp .whl .woff .woff2 .xz .zip .zst`)

// An evaluator says what a plan makes of repositories. Read is what a repository's
// own configuration says of migrations.
type evaluator struct {
	plan   *Plan
	digest string
	read   func(config []byte) (Acknowledged, error)
}

// Acknowledged is what a repository's own configuration leaves out or keeps.
type Acknowledged struct {
	Exclude []string
	Keep    []migrate.Keep
}

// configName is the configuration of cfctl in a repository.
const configName = ".cfctl.yaml"

// A troubleError is trouble with a class.
type troubleError struct {
	class Class
	err   error
}

func (e *troubleError) Error() string { return e.err.Error() }
func (e *troubleError) Unwrap() error { return e.err }

// classOf is the class of what went wrong with one repository.
func classOf(err error) Class {
	var known *troubleError
	var remote *git.RemoteError
	switch {
	case errors.As(err, &known):
		return known.class
	case errors.As(err, &remote) && remote.Gone, errors.Is(err, git.ErrNotFound):
		return Gone
	case errors.As(err, &remote) && remote.Refused:
		return Refused
	case errors.As(err, &remote), errors.Is(err, context.DeadlineExceeded):
		return Network
	}
	return Fault
}

// evaluate says what the plan makes of one repository; the result is nil when the old
// one still holds. An error is the end of ctx.
func (j *evaluator) evaluate(ctx context.Context, repo Repository, old *Result) (*Result, error) {
	bounded, cancel := context.WithTimeout(ctx, evaluationLimit)
	defer cancel()
	r := &Result{Key: repo.Key, Name: repo.Name, Digest: j.digest, State: Nothing}
	err := j.attempt(bounded, repo, old, r)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errHolds):
		return nil, nil
	case err != nil:
		r.State, r.Class, r.Text = Trouble, classOf(err), oneLine(err.Error())
		r.Commit, r.Paths = "", nil
	}
	return r, nil
}

// errHolds says that the old result is still true.
var errHolds = errors.New("nothing has changed")

func (j *evaluator) attempt(ctx context.Context, repo Repository, old, r *Result) (err error) {
	err = git.Read(ctx, wire.Patience{}, func() (err error) {
		r.Branch, r.Base, err = git.RemoteHead(ctx, repo.URL)
		return err
	})
	if err != nil {
		return err
	}
	if old.holds(j.digest, r.Branch, r.Base) {
		return errHolds
	}
	switch {
	case r.Base == "":
		return j.empty(ctx, repo)
	case len(r.Base) != len(git.Zero):
		return &troubleError{Format, errors.New("git names its objects by SHA-256: cfctl campaign does not")}
	}
	local, done, err := git.Scratch(ctx, repo.URL, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	return j.make(ctx, local, r)
}

// make fetches the base of a result into an own repository, and makes the change
// of it there. All that it depends on are the plan and the base.
func (j *evaluator) make(ctx context.Context, local *git.Repo, r *Result) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("internal error: %v", cause)
		}
	}()
	if err := git.Read(ctx, wire.Patience{}, func() error { return local.FetchLean(ctx, r.Base, leanLimit) }); err != nil {
		return err
	}
	binary, err := j.large(ctx, local, r.Base)
	if err != nil {
		return err
	}
	return j.migrate(ctx, local, r, binary)
}

// empty is trouble when a repository without a head has branches nevertheless.
func (j *evaluator) empty(ctx context.Context, repo Repository) error {
	var branches map[string]string
	err := git.Read(ctx, wire.Patience{}, func() (err error) {
		branches, err = git.RemoteRefs(ctx, repo.URL, "refs/heads/")
		return err
	})
	if err == nil && len(branches) > 0 {
		return &troubleError{Headless, fmt.Errorf("its HEAD names no branch that is there, and it has %d, such as %s", len(branches), strings.TrimPrefix(git.Sorted(branches)[0], "refs/heads/"))}
	}
	return err
}

// large fetches the files that were too large for the first fetch, and returns
// those that are binary by their name.
func (j *evaluator) large(ctx context.Context, local *git.Repo, commit string) (binary []string, err error) {
	left, err := local.LeftOut(ctx, commit)
	if err != nil {
		return nil, err
	}
	var wanted []string
	for _, f := range left {
		if slices.Contains(binaryExts, strings.ToLower(path.Ext(f.Path))) || skipped(f.Path) {
			binary = append(binary, f.Path)
		} else if !slices.Contains(wanted, f.Hash) {
			wanted = append(wanted, f.Hash)
		}
	}
	if len(wanted) > mostLarge {
		return nil, &troubleError{Large, fmt.Errorf("%d files of more than 1 MB", len(wanted))}
	}
	return binary, local.FetchObjects(ctx, wanted...)
}

// skipped says whether a walk does not come to a file because of a folder that
// it is in.
func skipped(name string) bool {
	parts := strings.Split(name, "/")
	return slices.ContainsFunc(parts[:len(parts)-1], func(p string) bool { return p == "vendor" || p == "node_modules" })
}

// migrate makes the change of a commit.
func (j *evaluator) migrate(ctx context.Context, local *git.Repo, r *Result, binary []string) error {
	files, err := local.BoundedTree(ctx, r.Base, git.MostFiles)
	if err != nil {
		return err
	}
	tree := source.OpenFS(files, binary)
	r.Owners = ownersOf(files)
	said, err := j.acknowledged(files)
	if err != nil {
		return err
	}
	m, err := j.plan.migration(said.Keep)
	if err != nil {
		return &troubleError{Settings, err}
	}
	plan, err := m.Plan(ctx, tree, source.WalkOptions{Exclude: said.Exclude, Jobs: 1})
	if err != nil {
		return err
	}
	r.count(plan)
	changes, err := changesOf(ctx, plan, tree, files)
	if err != nil || len(changes) == 0 {
		return err
	}
	return j.commit(ctx, local, r, changes)
}

// acknowledged reads the repository's own configuration.
func (j *evaluator) acknowledged(files fs.FS) (Acknowledged, error) {
	data, err := fs.ReadFile(files, configName)
	if errors.Is(err, fs.ErrNotExist) || j.read == nil {
		return Acknowledged{}, nil
	}
	var said Acknowledged
	if err == nil {
		said, err = j.read(data)
	}
	if err != nil {
		return said, &troubleError{Settings, err}
	}
	return said, nil
}

// count notes what a plan says.
func (r *Result) count(p *migrate.Plan) {
	s := p.Summary()
	r.Files, r.Proven, r.Review, r.Unread = s.Files, s.Changes, s.Review, s.Unread
	for _, f := range p.Files {
		if f.Fault {
			r.Faults++
		}
		if f.Skip != nil {
			r.hand(fmt.Sprintf("%s: %v", f.Path, f.Skip.Err))
		}
		for _, site := range f.Sites {
			if site.Action() == migrate.NeedsReview {
				r.hand(fmt.Sprintf("%s:%d: %s: %s", f.Path, site.Pos.Line, site.Old, site.Why()))
			}
		}
	}
}

// hand notes a line that needs review.
func (r *Result) hand(text string) {
	if len(r.ToReview) < maxToReview {
		r.ToReview = append(r.ToReview, oneLine(text))
	}
}

// oneLine is text of another user's as one line of a bounded length, without
// control characters.
func oneLine(text string) string {
	text = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(text, "?"))
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:297], "") + "..."
	}
	return text
}

// changesOf are the files that a plan writes, as a commit has them.
func changesOf(ctx context.Context, p *migrate.Plan, tree *source.Tree, files fs.FS) ([]git.Change, error) {
	list, err := p.Changes(ctx, tree)
	if err != nil {
		return nil, err
	}
	var changes []git.Change
	for _, c := range list {
		var data []byte
		if c.From != "" {
			if data, err = tree.ReadFile(c.From); err != nil {
				return nil, err
			}
			if source.SumOf(data) != c.Before {
				return nil, fmt.Errorf("%s: it changed while cfctl was reading", c.From)
			}
		}
		if c.From != "" && c.From != c.To {
			changes = append(changes, git.Change{Path: c.From, Delete: true})
		}
		if c.To == "" {
			continue
		}
		if data, err = source.Apply(data, c.Edits); err != nil {
			return nil, fmt.Errorf("%s: %w", c.To, err)
		}
		changes = append(changes, git.Change{Path: c.To, Data: bytes.Clone(data), Exec: executable(files, c)})
	}
	return changes, nil
}

// executable says whether a file that is renamed is a program.
func executable(files fs.FS, c source.Change) bool {
	if c.From == "" || c.From == c.To {
		return false // a file that is there keeps its mode
	}
	info, err := fs.Stat(files, c.From)
	return err == nil && info.Mode()&0o111 != 0
}

// commit makes the commit. All that it is made of is the plan's or
// the base's, its dates too: every worker makes the same one.
func (j *evaluator) commit(ctx context.Context, local *git.Repo, r *Result, changes []git.Change) error {
	base, err := local.CommitInfo(ctx, r.Base)
	if err != nil {
		return err
	}
	at := base.Time
	if at.IsZero() { // a commit without a readable date
		at = time.Unix(0, 0)
	}
	tree, err := local.WriteTree(ctx, r.Base, changes)
	if err != nil {
		return err
	}
	if tree == base.Tree {
		return nil
	}
	r.Commit, err = local.CommitTree(ctx, git.NewCommit{Tree: tree, Parents: []string{r.Base}, Message: j.plan.Message(), Author: j.plan.Author, Time: at, SignOff: j.plan.SignOff})
	if err != nil {
		return err
	}
	_, paths, err := changed(ctx, local, r)
	if err != nil {
		return err
	}
	r.State, r.Paths = Changed, lists.Of(paths, textOf)
	return nil
}

// changed are the files of the commit of a result, and the paths of those that differ
// from its base.
func changed(ctx context.Context, local *git.Repo, r *Result) (*git.Tree, []string, error) {
	before, err := local.Tree(ctx, r.Base)
	if err != nil {
		return nil, nil, err
	}
	files, err := local.Tree(ctx, r.Commit)
	if err != nil {
		return nil, nil, err
	}
	paths, err := before.Changes(files)
	return files, paths, err
}

// textOf is a path as a result says it: what is no UTF-8 cannot be in it.
func textOf(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	quoted := strconv.Quote(path)
	return quoted[1 : len(quoted)-1]
}

// ownersOf are the owners of all files, as the last line for "*" of CODEOWNERS
// says; empty = none is named.
// Source: https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
func ownersOf(files fs.FS) []string {
	for _, name := range []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"} {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			continue
		}
		var owners []string
		for line := range strings.Lines(string(data)) {
			line, _, _ = strings.Cut(line, "#")
			f := strings.Fields(line)
			if len(f) > 0 && f[0] == "*" {
				owners = nil
				for _, o := range f[1:] {
					if isOwner(o) && len(owners) < maxOwners {
						owners = append(owners, o)
					}
				}
			}
		}
		return owners
	}
	return nil
}

// isOwner takes @user and @org/team, and no addresses.
func isOwner(s string) bool {
	name, ok := strings.CutPrefix(s, "@")
	user, team, two := strings.Cut(name, "/")
	return ok && len(s) < 120 && forge.ValidName(user) && (!two || forge.ValidName(team))
}
