package objects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
)

// A Verdict says whether the source of truth may be switched.
type Verdict struct {
	Ready bool
	Since time.Time // of the first of the clean looks without a dirty one after it; zero = the last was not clean
	Looks int       // clean looks since then
	Why   []string  // what is against it
	Drift *DriftResult
}

// Cutover looks again and evaluates all looks of the ledger: the switch may
// be made when nothing differs now and nothing has for the given time.
func (r *Run) Cutover(ctx context.Context, clean time.Duration) (*Verdict, error) {
	d, err := r.Drift(ctx)
	if err != nil {
		return nil, err
	}
	v := &Verdict{Drift: d}
	for _, c := range drifts {
		if n := d.counts[c]; n > 0 && c.alarming() {
			v.Why = append(v.Why, fmt.Sprintf("%d %s", n, c))
		}
	}
	found, err := r.check(ctx)
	if err != nil {
		return nil, err
	}
	d.notes = append(d.notes, found...)
	if len(found) > 0 {
		v.Why = append(v.Why, report.Plural(len(found), "account")+" that may write")
	}
	if d.objects == 0 {
		v.Why = append(v.Why, "the source is empty: nothing proves that it was read")
	}
	var sealed bool
	v.Since, v.Looks, sealed = r.Ledger.cleanSince()
	if len(v.Why) == 0 {
		past := time.Duration(0)
		if !v.Since.IsZero() {
			past = r.now().Sub(v.Since)
		}
		if past < clean {
			why := fmt.Sprintf("clean for %s, %s are asked for", past.Round(time.Second), clean)
			if !sealed {
				why += " (earlier looks have not the seal of your key: set CFCTL_JOURNAL_KEY to the same secret for each)"
			}
			v.Why = append(v.Why, why)
		}
	}
	v.Ready = len(v.Why) == 0
	return v, nil
}

// Rollback deletes what the ledger created and no one changed since, newest
// first. What was changed or recreated is refused, what is gone is done, and
// what owns something that stays is kept: it would go with its owner.
func (r *Run) Rollback(ctx context.Context, dry bool) (*Result, error) {
	r.reset()
	entries := r.Ledger.Entries()
	if !dry {
		if err := r.tidy(); err != nil {
			return r.result, err
		}
	}
	if err := r.stock(ctx, entries); err != nil {
		return r.result, err
	}
	owned := r.dependents()
	for i, e := range slices.Backward(entries) {
		if e.State == Gone {
			continue
		}
		if err := ctx.Err(); err != nil {
			return r.result, errors.Join(err, r.Ledger.sync())
		}
		out, err := r.undo(ctx, e, owned, dry)
		if err != nil {
			return r.result, err
		}
		r.open = append(r.open, &out)
		r.result.Objects++
		r.settle()
		if r.Progress != nil {
			r.Progress(Progress{len(entries) - i, float64(len(entries)-i) / float64(len(entries)), r.now().Sub(r.started)})
		}
	}
	if dry {
		return r.result, nil
	}
	if dir, ok := r.Target.(*Dir); ok {
		dir.removeFolders()
	}
	return r.result, r.Ledger.sync()
}

// manyNamespaces is how many namespaces are listed one by one; more are listed
// with all the others.
const manyNamespaces = 50

// stock lists the kinds of a ledger's entries, and those of the import, in the
// namespaces of the entries: what an object owns is in its own.
func (r *Run) stock(ctx context.Context, entries []*Entry) error {
	namespaces, ours := map[string]bool{}, map[Resource]bool{}
	for _, e := range entries {
		if e.State != Gone && BadRef(e.New) == nil {
			namespaces[e.New.Namespace] = true
			ours[Resource{APIVersion: e.New.APIVersion, Kind: e.New.Kind}] = true
		}
	}
	if len(namespaces) > manyNamespaces {
		namespaces = map[string]bool{"": true}
	}
	kinds := maps.Clone(ours)
	for _, res := range r.Kind.Resources() {
		kinds[Resource{APIVersion: res.APIVersion, Kind: res.Kind}] = true
	}
	byName := func(a, b Resource) int {
		return cmp.Or(strings.Compare(a.APIVersion, b.APIVersion), strings.Compare(a.Kind, b.Kind))
	}
	for _, res := range slices.SortedFunc(maps.Keys(kinds), byName) {
		for _, res.Namespace = range slices.Sorted(maps.Keys(namespaces)) {
			err := r.index(ctx, res)
			var refusal *Refusal
			if !ours[Resource{APIVersion: res.APIVersion, Kind: res.Kind}] && errors.As(err, &refusal) {
				break // a kind that is not served owns nothing, and is owned by nothing
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Dependents are what an object owns, by its key: its UID, and its origin for
// those that name it by the annotation alone.
type dependents map[string]map[Ref]bool

func (r *Run) dependents() dependents {
	d := dependents{}
	for ref, s := range r.stored {
		for _, key := range s.ownedBy() {
			if d[key] == nil {
				d[key] = map[Ref]bool{}
			}
			d[key][ref] = true
		}
	}
	return d
}

func (s *Stored) ownedBy() []string {
	keys := slices.Clone(s.owners)
	if s.Owner != "" {
		keys = append(keys, "origin "+s.Owner)
	}
	return keys
}

// of is what an object still owns, sorted.
func (d dependents) of(s *Stored) []Ref {
	var refs []Ref
	for _, key := range []string{s.UID, "origin " + s.Origin} {
		for ref := range d[key] {
			if ref != s.Ref && !slices.Contains(refs, ref) {
				refs = append(refs, ref)
			}
		}
	}
	sortRefs(refs)
	return refs
}

// remove takes an object out that is gone.
func (d dependents) remove(s *Stored) {
	for _, key := range s.ownedBy() {
		delete(d[key], s.Ref)
	}
}

// The statuses of a rollback.
const (
	statusDeleted Status = "deleted"
	statusGone    Status = "gone"   // it was not there any more
	statusDelete  Status = "delete" // would be deleted
)

func (r *Run) undo(ctx context.Context, e *Entry, owned dependents, dry bool) (Outcome, error) {
	out := Outcome{Origin: e.Origin, ref: e.New, Status: statusDeleted}
	if bad := BadRef(e.New); bad != nil {
		out.Status, out.Reason, out.message = StatusRefused, bad.Reason, bad.Message
		out.hint = "the ledger names what no import creates: was it edited?"
		return out, nil //nolint:nilerr // a refusal is an outcome, not trouble
	}
	s := r.stored[e.New]
	if s == nil {
		out.Status = statusGone
		return out, r.gone(e, dry)
	}
	if reason, message := r.unmanaged(e, s); reason != "" {
		out.Status, out.Reason, out.message = StatusRefused, reason, message
		out.hint = "look at it, and delete it by hand if it is not needed"
		return out, nil
	}
	if list := owned.of(s); len(list) > 0 {
		out.Status, out.Reason = StatusRefused, "owner"
		out.message = fmt.Sprintf("it owns %s, which is not deleted and would be deleted with it (%d in all)", list[0], len(list))
		out.hint = "delete what it owns, or take its owner reference away, then roll back again"
		return out, nil
	}
	if dry {
		owned.remove(s)
		out.Status = statusDelete
		return out, nil
	}
	switch err := r.Target.Delete(ctx, r.resource(e.New), *s); {
	case errors.Is(err, fs.ErrNotExist):
		out.Status = statusGone
	case errors.Is(err, errChanged):
		out.Status, out.Reason, out.message = StatusRefused, "changed", errChanged.Error()
		return out, nil
	case err != nil:
		return out, fmt.Errorf("%s: %w", e.New, err)
	}
	owned.remove(s)
	return out, r.gone(e, dry)
}

// unmanaged says why an object is not ours to delete.
func (r *Run) unmanaged(e *Entry, s *Stored) (reason, message string) {
	_, dir := r.Target.(*Dir)
	ours := s.Origin == e.Origin.ID && (dir || s.ledger == r.Ledger.ID())
	switch {
	case e.State != Creating && e.State != Created:
		return "unknown-state", fmt.Sprintf("the ledger says %q of it, which this cfctl does not know", e.State)
	case !ours:
		return "not-ours", "it was not created by this import"
	case e.State == Creating && s.digest != e.Want && !s.touched:
		return "unproven", "the run that created it was killed before it read it back; apply again first"
	case e.State == Created && e.UID != s.UID:
		return "recreated", fmt.Sprintf("it is another object now: the ledger created %s, there is %s", e.UID, s.UID)
	case e.State == Creating && s.digest != e.Want, e.State == Created && e.Digest != s.digest:
		return "changed", "it was changed since it was created"
	}
	return "", ""
}

func (r *Run) gone(e *Entry, dry bool) error {
	if dry {
		return nil
	}
	n := *e
	n.State, n.Fields = Gone, nil
	return r.Ledger.record(n)
}
