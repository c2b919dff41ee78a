package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A Stage is how far a repository's pull request is.
type Stage string

// The stages. A maintainer's word is final: what is declined, edited or merged is
// not touched again, but for a repository that is named with --reopen.
const (
	Opening  Stage = "opening"  // it was about to be opened: the next run looks what became of it
	Opened   Stage = "open"     // it waits for a maintainer
	Merged   Stage = "merged"   // a maintainer merged it
	Declined Stage = "declined" // it existed, and a maintainer closed it or removed its branch
	Edited   Stage = "edited"   // a maintainer took the branch over
	Blocked  Stage = "blocked"  // the forge refuses it: each run tries again
	Stale    Stage = "stale"    // another default branch, or its history was rewritten: work again
	Away     Stage = "away"     // the repository is archived, disabled or gone

	Withdrawing Stage = "withdrawing" // the campaign is about to close it
	Withdrawn   Stage = "withdrawn"   // the campaign closed it; it is opened again when the campaign goes on
)

// A Record is what the opener knows of a repository.
type Record struct {
	Key    string   `json:"key"`
	Name   string   `json:"name"` // the last one that was seen
	Stage  Stage    `json:"stage"`
	Digest string   `json:"digest,omitempty"` // of the plan that was pushed
	Pushed []string `json:"pushed,omitempty"` // every commit that was pushed, or was about to be: a push can have been refused
	Number int      `json:"number,omitempty"`
	Node   string   `json:"node,omitempty"`
	URL    string   `json:"url,omitempty"`
	Text   string   `json:"text,omitempty"` // why it is blocked, stale or away
	At     string   `json:"at,omitempty"`
}

// A view is what was seen of a repository before anything is done.
type view struct {
	result    *Result
	record    *Record      // nil = the opener has not been there
	pulls     []forge.Pull // of the campaign's branch, newest first
	head      string       // of the branch; "" = it is not there
	conflicts bool         // the open one cannot be merged
	reopen    bool         // a maintainer asked for it
}

// An act is what is done next.
type act struct {
	stage  Stage      // what is known now; Opening = there is something to do
	push   bool       // move the branch from its head to the result's commit
	create bool       // open a pull request
	pull   forge.Pull // that the stage is about
}

// ours says whether a commit is one that the campaign made.
func (v view) ours(commit string) bool {
	return commit == v.result.Commit || v.record != nil && slices.Contains(v.record.Pushed, commit)
}

// decide says what is to be done, from what was seen alone. It never touches a
// branch with a commit that the campaign did not make, and never opens a second
// pull request.
func decide(v view) act {
	for _, p := range v.pulls {
		if p.Open {
			return v.standing(p)
		}
	}
	var newest forge.Pull
	if len(v.pulls) > 0 {
		newest = v.pulls[0]
	}
	switch {
	case newest.Merged && !v.reopen:
		return act{stage: Merged, pull: newest}
	case newest.Number != 0 && !v.reopen && !v.withdrew(newest):
		return act{stage: Declined, pull: newest}
	case v.head != "" && !v.ours(v.head):
		return act{stage: Edited, pull: newest}
	case newest.Number == 0 && v.record != nil && v.record.Number != 0 && !v.reopen && !v.withdrew(forge.Pull{Number: v.record.Number}):
		return act{stage: Declined} // the forge no longer has the pull request
	}
	return act{stage: Opening, push: v.head != v.result.Commit, create: true}
}

// withdrew says whether the campaign itself closed a pull request.
func (v view) withdrew(p forge.Pull) bool {
	return v.record != nil && v.record.Number == p.Number && (v.record.Stage == Withdrawing || v.record.Stage == Withdrawn)
}

// standing is what is done about a pull request that is open.
func (v view) standing(p forge.Pull) act {
	switch {
	case !v.ours(p.Head) || v.head != "" && !v.ours(v.head):
		return act{stage: Edited, pull: p}
	case v.head == v.result.Commit || v.head == "":
		return act{stage: Opened, pull: p}
	case v.conflicts || v.record != nil && v.record.Digest != v.result.Digest:
		return act{stage: Opening, push: true, pull: p}
	}
	return act{stage: Opened, pull: p}
}

// refused says whether the forge understood a request and said no to it.
func refused(err error) bool {
	var transit *wire.TransitError
	var answer *forge.Error
	return errors.As(err, &answer) && !errors.As(err, &transit) && !errors.Is(err, wire.ErrNotFound)
}

// pushRefused says whether a rule of the server refused a push.
func pushRefused(err error) bool {
	var remote *git.RemoteError
	return errors.As(err, &remote) && remote.Refused
}

// attempt is one for a repository that answers.
func (w *opener) attempt(ctx context.Context, repo Repository, r *Result, rec *Record) (bool, error) {
	info, err := w.Forge.ByID(ctx, repo.ID)
	switch {
	case errors.Is(err, wire.ErrNotFound):
		rec.Stage, rec.Text = Away, "gone"
		return false, nil
	case err != nil:
		return false, err
	case !forge.ValidRepository(info.Name):
		return false, fmt.Errorf("the forge calls repository %d %q", repo.ID, info.Name)
	case info.Archived || info.Disabled:
		rec.Stage, rec.Text = Away, "archived or disabled"
		return false, nil
	}
	rec.Name = info.Name
	url := w.plan.Servers.urlOf(info.Name)
	v, err := w.look(ctx, info, url, r, rec)
	if err != nil {
		return false, err
	}
	v.reopen = w.reopens(repo)
	a := decide(v)
	rec.take(a)
	if a.stage == Opened && v.head == r.Commit {
		rec.Digest = r.Digest
	}
	if a.stage != Opening {
		return false, nil
	}
	if !info.Push {
		rec.Stage, rec.Text = Blocked, r.mark()+noPush
		return false, nil
	}
	if why, err := w.stale(ctx, info, url, r); err != nil {
		return false, err
	} else if why != "" {
		rec.Stage, rec.Text = Stale, r.mark()+why
		return false, nil
	}
	if why := w.forbids(r.Paths); why != "" { // as the worker says: nothing is fetched to see it
		rec.Stage, rec.Text = Blocked, r.mark()+why
		return false, nil
	}
	return w.act(ctx, info, url, r, rec, v, a)
}

// workflows are the folders whose files forges run.
var workflows = []string{".github/workflows/", ".gitea/workflows/", ".forgejo/workflows/"}

// forbids says why files may not be changed; "" = they may.
func (w *opener) forbids(paths []string) string {
	runs := slices.ContainsFunc(paths, func(p string) bool {
		return slices.ContainsFunc(workflows, func(folder string) bool { return strings.HasPrefix(p, folder) })
	})
	switch {
	case runs && !w.Workflows:
		return noFlag
	case runs && !w.workflow:
		return noScope
	}
	return ""
}

// take notes what an act says of the pull request.
func (rec *Record) take(a act) {
	rec.Stage, rec.Text = a.stage, ""
	if a.pull.Number != 0 {
		rec.Number, rec.Node, rec.URL = a.pull.Number, a.pull.Node, a.pull.URL
	}
}

// look sees what there is of the campaign in a repository.
func (w *opener) look(ctx context.Context, info forge.Repository, url string, r *Result, rec *Record) (view, error) {
	v := view{result: r, record: w.records[rec.Key]}
	var err error
	if v.pulls, err = w.Forge.Pulls(ctx, info.Name, w.plan.Branch()); err != nil {
		return v, err
	}
	if v.head, err = git.RemoteRef(ctx, url, "refs/heads/"+w.plan.Branch()); err != nil {
		return v, err
	}
	f := w.followed[rec.Key]
	v.conflicts = f != nil && f.Conflicts && f.Node == rec.Node
	return v, nil
}

// stale says why a result no longer fits its repository; "" = it does.
func (w *opener) stale(ctx context.Context, info forge.Repository, url string, r *Result) (string, error) {
	if info.Default != r.Branch {
		return "the default branch is " + oneLine(info.Default) + " now", nil
	}
	head, err := git.RemoteRef(ctx, url, "refs/heads/"+r.Branch)
	switch {
	case err != nil:
		return "", err
	case head == "":
		return "the default branch was deleted", nil
	case head == r.Base:
		return "", nil
	}
	if there, err := w.Forge.Contains(ctx, info.Name, r.Base, head); err != nil || there {
		return "", err
	}
	return "the default branch no longer has the commit that work read", nil
}

// errOwn is wrapped by the errors of a result that the opener does not come to
// itself: it is not pushed.
var errOwn = errors.New("the opener does not make the same change")

// remake makes the change of a result again, in an own repository, and returns the
// opener's own result. Of the worker's, nothing but the branch and the base is
// used, both checked against the forge, and the commit, which must be the same:
// workers are trusted less than the opener.
func (w *opener) remake(ctx context.Context, local *git.Repo, said *Result) (*Result, error) {
	if err := said.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", errOwn, err)
	}
	r := &Result{Key: said.Key, Name: said.Name, Digest: said.Digest, Base: said.Base, Branch: said.Branch, State: Nothing}
	err := w.evaluator.make(ctx, local, r)
	var transit *git.RemoteError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &transit):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w of %s: %w", errOwn, short(r.Base), err)
	case r.State != Changed:
		return nil, fmt.Errorf("%w of %s: nothing in it changes", errOwn, short(r.Base))
	case r.Commit != said.Commit:
		return nil, fmt.Errorf("%w of %s: its commit is %s, and the worker's %s; the plan is of cfctl %s", errOwn, short(r.Base), short(r.Commit), short(said.Commit), oneLine(w.plan.Version))
	}
	return r, nil
}

// act pushes and creates. What is about to happen is in the store before it
// does, with its place in the budget.
func (w *opener) act(ctx context.Context, info forge.Repository, url string, r *Result, rec *Record, v view, a act) (bool, error) {
	local, done, err := git.Scratch(ctx, url, false)
	if err != nil {
		return false, err
	}
	defer done() //nolint:errcheck // a folder of ours in the folder for temporary files
	said := r
	if r, err = w.remake(ctx, local, said); err != nil {
		return false, err
	}
	if why := w.forbids(r.Paths); why != "" {
		rec.Stage, rec.Text = Blocked, said.mark()+why
		return false, nil
	}
	now := w.Store.Now()
	w.spent.intend(now, now.Add(leaseTime))
	if !slices.Contains(rec.Pushed, r.Commit) {
		rec.Pushed = append(rec.Pushed, r.Commit)
	}
	if err := w.record(ctx, rec); err != nil {
		return false, err
	}
	nothing := false // was made: it takes nothing of the budget
	defer func() {
		if nothing {
			w.spent.forget()
		} else {
			w.spent.done(w.Store.Now())
		}
	}()
	if a.push {
		moved, err := w.push(ctx, local, info, url, r, rec, v.head)
		if moved || err != nil {
			nothing = pushRefused(err)
			return false, err // a user pushed meanwhile: it stays "opening", and is checked again
		}
	}
	rec.Digest = r.Digest
	if !a.create {
		rec.Stage = Opened
		return true, w.Forge.EditPull(ctx, info.Name, rec.Number, w.plan.Title, w.plan.Body(r))
	}
	owner, _ := forge.Split(info.Name)
	p, err := w.Forge.CreatePull(ctx, info.Name, owner+":"+w.plan.Branch(), r.Branch, w.plan.Title, w.plan.Body(r))
	if errors.Is(err, forge.ErrExists) {
		return false, nil // another opener was quicker: checked again
	}
	if err != nil {
		return false, err
	}
	rec.take(act{stage: Opened, pull: p})
	return true, nil
}
