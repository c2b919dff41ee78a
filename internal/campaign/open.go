package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// Open is the one writer of a campaign: it pushes the commits that work made,
// and opens pull requests. It holds a lease in the store; should two hold it
// nevertheless, a branch is moved only from where it was seen, and the forge
// refuses a second pull request of a head.
type Open struct {
	Store   *Store
	Forge   forge.Fleet
	Holder  string // names this process for others
	Budget  Budget
	MaxOpen int // pull requests that may be open at a time; 0 = any number
	// MaxPending is how many pull requests may wait for their checks, or have not
	// been followed since they were opened; 0 = any number.
	MaxPending int
	Sign       bool          // the forge makes the commits, and signs them
	Windows    []Window      // in which it opens; empty = always
	For        time.Duration // it starts nothing later than that; 0 = until all is done
	Reopen     []string      // names of repositories that are opened although a person closed or edited
	Sleep      func(ctx context.Context, d time.Duration) error
	Told       func(r *Record) // of each repository that was looked at; may be nil
	Note       func(text string)
	Waits      func(until time.Time, left int) // told before the budget is waited for, with the number of repositories to look at; may be nil
}

// leaseTime is how long a lease holds without being renewed, and the bound of
// what is done for one repository.
const leaseTime = 10 * time.Minute

// A lease says who may write.
type lease struct {
	Holder string `json:"holder"`
	Until  int64  `json:"until"` // seconds of Unix
}

// A HeldError says that another process opens already.
type HeldError struct {
	Holder string
	Until  time.Time
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s opens pull requests of this campaign, until %s at least", e.Holder, e.Until.UTC().Format(time.RFC3339))
}

// Files of the opener's ref.
const (
	leaseFile  = "lease.json"
	budgetFile = "budget.json"
)

// opener is one run of Open.
type opener struct {
	*Open
	plan     *Plan
	ref      *ref
	leased   time.Time // until when
	spent    spent
	records  map[string]*Record
	followed map[string]*Followed
	results  map[string]*Result
	workflow bool // the token may write workflows
	end      time.Time
	failures int // in a row
	left     int // repositories that are still to be looked at
}

// Run opens what is to be opened, and returns the number of pull requests that
// it made or moved. It returns early, without an error, when the time is over,
// outside of the windows, and when the forge wants a long pause.
func (o *Open) Run(ctx context.Context, p *Plan) (int, error) {
	if err := o.Budget.Check(); err != nil {
		return 0, err
	}
	if p.Servers.API == "" {
		return 0, errors.New("the campaign has no forge: nothing can be opened")
	}
	w := &opener{Open: o, plan: p}
	if o.For > 0 {
		w.end = o.Store.Now().Add(o.For)
	}
	if err := w.acquire(ctx); err != nil {
		return 0, err
	}
	n, err := w.all(ctx)
	if rerr := w.release(context.WithoutCancel(ctx)); err == nil {
		err = rerr
	}
	return n, err
}

// acquire takes the lease.
func (w *opener) acquire(ctx context.Context) (err error) {
	if w.ref, err = w.Store.ref(ctx, "opener"); err != nil {
		return err
	}
	var l lease
	if _, err := w.ref.read(leaseFile, &l); err != nil {
		return err
	}
	now := w.Store.Now()
	if until := time.Unix(l.Until, 0); l.Holder != w.Holder && until.After(now) {
		return &HeldError{l.Holder, until}
	}
	if _, err := w.ref.read(budgetFile, &w.spent); err != nil {
		return err
	}
	err = w.write(ctx, "take the lease")
	if errors.Is(err, errMoved) && ctx.Err() == nil {
		return w.acquire(ctx) // another one took it at the same time
	}
	return err
}

// write writes with the lease, renewed. That it succeeds says that nobody else
// has written since.
func (w *opener) write(ctx context.Context, why string, changes ...git.Change) error {
	until := w.Store.Now().Add(leaseTime)
	changes = append(changes, git.Change{Path: leaseFile, Data: encode(lease{w.Holder, until.Unix()})}, git.Change{Path: budgetFile, Data: encode(&w.spent)})
	if err := w.ref.write(ctx, why, changes); err != nil {
		return err
	}
	w.leased = until
	return nil
}

// release gives the lease back, unless somebody else has it by now.
func (w *opener) release(ctx context.Context) error {
	err := w.ref.write(ctx, "give the lease back", []git.Change{{Path: leaseFile, Data: encode(lease{w.Holder, 0})}, {Path: budgetFile, Data: encode(&w.spent)}})
	if errors.Is(err, errMoved) {
		return nil
	}
	return err
}

// all goes through the waves.
func (w *opener) all(ctx context.Context) (n int, err error) {
	if err := w.load(ctx); err != nil {
		return 0, err
	}
	scopes, err := forge.ScopesOf(ctx, w.Forge)
	if err != nil {
		return 0, err
	}
	w.workflow = scopes == nil || slices.Contains(scopes, "workflow")
	waves := w.plan.waves()
	for _, wave := range waves {
		for _, repo := range wave.list {
			if w.due(repo, w.results[repo.Key]) {
				w.left++
			}
		}
	}
	for i, wave := range waves {
		if why := w.gate(i); why != "" {
			w.note("%s waits: %s", wave.name, why)
			return n, nil
		}
		for _, repo := range wave.list {
			r := w.results[repo.Key]
			if !w.due(repo, r) {
				continue
			}
			acted, going, err := w.until(ctx, repo, r)
			w.left--
			if acted {
				n++
			}
			if err != nil || !going {
				return n, err
			}
		}
	}
	return n, nil
}

// until does what is to be done in a repository as soon as the budget has room,
// and again after a pause that the forge wants. going says that there is time
// for more.
func (w *opener) until(ctx context.Context, repo Repository, r *Result) (acted, going bool, err error) {
	for {
		going, err = w.ready(ctx)
		if err != nil || !going {
			return false, going, err
		}
		acted, err = w.one(ctx, repo, r)
		if !errors.Is(err, errPause) {
			return acted, true, err
		}
	}
}

// errPause says that the forge wanted a pause, which is in the budget now.
var errPause = errors.New("the forge wants a pause")

// load reads results, records and what was followed.
func (w *opener) load(ctx context.Context) (err error) {
	if w.results, err = w.Store.Results(ctx, w.plan.Digest()); err != nil {
		return err
	}
	if w.records, err = recordsOf(w.ref); err != nil {
		return err
	}
	w.followed, err = w.Store.followed(ctx)
	return err
}

func recordsOf(r *ref) (map[string]*Record, error) {
	all := map[string]*Record{}
	return all, r.each("pulls", func(_ string, data []byte) error {
		rec := &Record{}
		if err := json.Unmarshal(data, rec); err != nil {
			return err
		}
		all[rec.Key] = rec
		return nil
	})
}

// due says whether a repository is looked at: there is a change, made by this
// plan, and nobody has decided.
func (w *opener) due(repo Repository, r *Result) bool {
	if repo.ID == 0 || r == nil || r.State != Changed || r.Digest != w.plan.Digest() {
		return false
	}
	rec := w.records[repo.Key]
	if w.reopens(repo) || rec == nil {
		return true
	}
	switch f := w.followed[repo.Key]; stageOf(rec, f) {
	case Opening:
		return true
	case Opened:
		return rec.Digest != r.Digest || f != nil && f.Conflicts && !slices.Contains(rec.Pushed, r.Commit)
	case Stale, Blocked:
		return !strings.HasPrefix(rec.Text, r.mark()) || w.workflow && strings.HasSuffix(rec.Text, noScope) || strings.HasSuffix(rec.Text, noPush)
	}
	return false
}

// Why a change is blocked that a better token could push.
const (
	noScope = "it changes a workflow, and the token has no scope \"workflow\""
	noPush  = "the token may not push to it, and campaigns make no forks"
)

// mark says of which result a record speaks.
func (r *Result) mark() string { return short(r.Commit) + " for " + oneLine(r.Branch) + ": " }

func (w *opener) reopens(repo Repository) bool { return slices.Contains(w.Reopen, repo.Name) }

// ready waits for room in the budget; false says that it does not come in time.
func (w *opener) ready(ctx context.Context) (bool, error) {
	for {
		now := w.Store.Now()
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case len(w.Windows) > 0 && !slices.ContainsFunc(w.Windows, func(x Window) bool { return x.open(now) }):
			w.note("outside of the windows")
			return false, nil
		case w.MaxOpen > 0 && w.openNow() >= w.MaxOpen:
			w.note("%d pull requests are open", w.MaxOpen)
			return false, nil
		case w.MaxPending > 0 && w.pendingNow() >= w.MaxPending:
			w.note("%d pull requests wait for their checks, as they were followed last", w.MaxPending)
			return false, nil
		}
		wait := w.spent.wait(now, w.budget())
		if !w.end.IsZero() && !now.Add(wait).Before(w.end) {
			if wait > 0 {
				w.note("the budget has room again at %s, after the time of this run", now.Add(wait).UTC().Format(time.RFC3339))
			}
			return false, nil
		}
		if wait == 0 {
			return true, nil
		}
		if w.Waits != nil {
			w.Waits(now.Add(wait), w.left)
		}
		// A long wait keeps the lease alive.
		step := min(wait, leaseTime/2)
		if err := w.Sleep(ctx, step); err != nil {
			return false, err
		}
		if w.leased.Sub(w.Store.Now()) < leaseTime/2 {
			if err := w.write(ctx, "keep the lease"); err != nil {
				return false, err
			}
		}
	}
}

// budget is that of pull requests: a commit that the forge makes is content, too.
func (w *opener) budget() Budget {
	if !w.Sign {
		return w.Budget
	}
	return Budget{max(1, w.Budget.PerMinute/2), max(1, w.Budget.PerHour/2)}
}

// openNow counts the pull requests that wait for a person.
func (w *opener) openNow() int {
	n := 0
	for key, rec := range w.records {
		if s := stageOf(rec, w.followed[key]); s == Opened || s == Opening {
			n++
		}
	}
	return n
}

// pendingNow counts the pull requests whose checks are under way, or may be.
func (w *opener) pendingNow() int {
	n := 0
	for key, rec := range w.records {
		f := w.followed[key]
		if s := stageOf(rec, f); (s == Opened || s == Opening) && (f == nil || f.Node != rec.Node || f.Checks == "pending") {
			n++
		}
	}
	return n
}

func (w *opener) note(format string, args ...any) {
	if w.Note != nil {
		w.Note(fmt.Sprintf(format, args...))
	}
}

// one looks at a repository, does what is to be done, and notes what is known
// then; acted says that something was made. Trouble with one repository is
// noted, and is an error only when it comes several times in a row.
func (w *opener) one(ctx context.Context, repo Repository, r *Result) (acted bool, err error) {
	bounded, cancel := context.WithTimeout(ctx, leaseTime-time.Minute)
	defer cancel()
	rec := &Record{Key: repo.Key, Name: repo.Name, Digest: r.Digest}
	if old := w.records[repo.Key]; old != nil {
		*rec = *old
		rec.Pushed = slices.Clone(old.Pushed)
	}
	acted, err = w.attempt(bounded, repo, r, rec)
	var limit *wire.RateError
	var remote *git.RemoteError
	switch {
	case ctx.Err() != nil:
		return acted, ctx.Err()
	case errors.Is(err, errMoved):
		return acted, fmt.Errorf("the lease is lost: %w", err)
	case err == nil:
		w.failures = 0
	case errors.As(err, &limit):
		w.spent.limited(w.Store.Now(), limit)
		w.note("%v: a pause until %s", err, time.Unix(w.spent.Until, 0).UTC().Format(time.RFC3339))
		return acted, errors.Join(errPause, w.write(ctx, errPause.Error()))
	case refused(err), errors.As(err, &remote) && remote.Refused, errors.Is(err, errPack), errors.Is(err, errOther):
		rec.Stage, rec.Text = Blocked, r.mark()+oneLine(err.Error())
	default:
		if w.failures++; w.failures >= 3 {
			return acted, fmt.Errorf("%s: %w", repo.Name, err)
		}
		w.note("%s: %v", repo.Name, err)
		return acted, nil
	}
	return acted, w.record(ctx, rec)
}

// refused says whether the forge understood a request and said no to it.
func refused(err error) bool {
	var transit *wire.TransitError
	var answer *forge.Error
	return errors.As(err, &answer) && !errors.As(err, &transit) && !errors.Is(err, wire.ErrNotFound)
}

// record notes what is known of a repository.
func (w *opener) record(ctx context.Context, rec *Record) error {
	if w.Told != nil {
		defer w.Told(rec)
	}
	if old := w.records[rec.Key]; old != nil {
		if rec.At = old.At; reflect.DeepEqual(rec, old) {
			return nil
		}
	}
	rec.At = stamp(w.Store.Now())
	if err := w.write(ctx, string(rec.Stage)+" "+rec.Name, recordChange(rec)); err != nil {
		return err
	}
	kept := *rec
	kept.Pushed = slices.Clone(rec.Pushed)
	w.records[rec.Key] = &kept
	return nil
}

func recordChange(rec *Record) git.Change {
	return git.Change{Path: place("pulls", rec.Key, ".json"), Data: encode(rec)}
}

func short(hash string) string { return hash[:min(len(hash), 12)] }

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
	if !w.workflow && slices.ContainsFunc(r.Paths, func(p string) bool { return strings.HasPrefix(p, ".github/workflows/") }) {
		rec.Stage, rec.Text = Blocked, r.mark()+noScope
		return false, nil
	}
	return w.act(ctx, info, url, r, rec, v, a)
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
		return "the default branch is gone", nil
	case head == r.Base:
		return "", nil
	}
	if there, err := w.Forge.Contains(ctx, info.Name, r.Base, head); err != nil || there {
		return "", err
	}
	return "the default branch no longer has what was judged", nil
}

// act pushes and creates. What is about to happen is in the store before it
// does, with its place in the budget.
func (w *opener) act(ctx context.Context, info forge.Repository, url string, r *Result, rec *Record, v view, a act) (bool, error) {
	pack, err := w.Store.pack(ctx, r)
	if err != nil {
		return false, fmt.Errorf("%w: %w", errPack, err)
	}
	local, done, err := git.Scratch(ctx, url, true)
	if err != nil {
		return false, err
	}
	defer done() //nolint:errcheck // a folder of ours in the folder for temporary files
	if a.push {
		if err := checkPack(ctx, local, w.plan, r, pack); err != nil {
			return false, err
		}
	}
	now := w.Store.Now()
	w.spent.intend(now, now.Add(leaseTime))
	if !slices.Contains(rec.Pushed, r.Commit) {
		rec.Pushed = append(rec.Pushed, r.Commit)
	}
	rec.Digest = r.Digest
	if err := w.record(ctx, rec); err != nil {
		return false, err
	}
	defer func() { w.spent.done(w.Store.Now()) }()
	if a.push {
		if moved, err := w.push(ctx, local, info, url, r, rec, v.head); moved || err != nil {
			return false, err // somebody pushed meanwhile: it stays "opening", and is looked at again
		}
	}
	if !a.create {
		rec.Stage = Opened
		return true, nil
	}
	owner, _ := forge.Split(info.Name)
	p, err := w.Forge.CreatePull(ctx, info.Name, owner+":"+w.plan.Branch(), r.Branch, w.plan.Title, w.plan.Body(r))
	if errors.Is(err, forge.ErrExists) {
		return false, nil // another opener was quicker: looked at again
	}
	if err != nil {
		return false, err
	}
	rec.take(act{stage: Opened, pull: p})
	return true, nil
}
