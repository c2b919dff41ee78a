package objects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"
)

// batchSize is how many objects are created at once behind one sync of the
// ledger.
const batchSize = 16

// Apply creates what is missing. An object that is there is never touched:
// what it should be is same, anything else a conflict. A run that was killed
// is taken up by running again.
func (r *Run) Apply(ctx context.Context) (*Result, error) {
	a := &applier{Run: r, phase: -1}
	r.reset()
	if err := r.tidy(); err != nil {
		return r.result, err
	}
	res, err := r.each(ctx, a.take)
	err = cmp.Or(err, a.flush(ctx))
	a.held = 0 // what has no end was not created
	a.settle()
	return res, err
}

// An applier gathers missing items into batches.
type applier struct {
	*Run
	phase int
	batch []*Item
	outs  []*Outcome // what becomes of them
	last  int64      // newest creation second seen in this phase and earlier ones
	seen  time.Time  // when, by the clock here
}

func (a *applier) take(ctx context.Context, it *Item) (*Outcome, error) {
	if it.Phase != a.phase {
		if err := a.turn(ctx, it.Phase); err != nil {
			return nil, err
		}
	}
	pending := func(o *Item) bool { return o.Origin.ID == it.Owner }
	if it.Owner != "" && a.owner(it.Owner) == nil && slices.ContainsFunc(a.batch, pending) {
		if err := a.flush(ctx); err != nil {
			return nil, err
		}
	}
	out, err := a.look(ctx, it)
	if err != nil {
		return nil, err
	}
	switch out.Status {
	case statusSame:
		return &out, a.adopt(it)
	case statusMissing:
	default:
		return &out, nil
	}
	a.batch, a.outs = append(a.batch, it), append(a.outs, &out)
	a.held++
	if len(a.batch) >= batchSize {
		return &out, a.flush(ctx)
	}
	return &out, nil
}

// turn begins a phase: in a later second than everything that was created,
// for servers that order by creation second. The server's clock is not ours:
// what it created was seen here, so that its next second has begun when a whole
// one went by here.
func (a *applier) turn(ctx context.Context, phase int) error {
	if err := a.flush(ctx); err != nil {
		return err
	}
	first := a.phase < 0
	a.phase = phase
	if first || a.last == 0 || a.Sleep == nil {
		return nil
	}
	wait := time.Second + 50*time.Millisecond - time.Since(a.seen)
	if wait <= 0 {
		return nil
	}
	return a.Sleep(ctx, wait)
}

// saw notes when an object of the target was created.
func (a *applier) saw(s *Stored) {
	if s.Created >= a.last && s.Created > 0 {
		a.last, a.seen = s.Created, time.Now()
	}
}

// adopt writes the end of an entry whose end a crash kept from the ledger.
func (a *applier) adopt(it *Item) error {
	e := a.Ledger.Entry(it.Origin.ID)
	s := a.stored[RefOf(it.Want)]
	a.saw(s)
	if e == nil || e.State != Creating || s.ledger != "" && s.ledger != a.Ledger.ID() {
		return nil
	}
	return a.Ledger.record(a.entry(it, Created, s, true))
}

// owner is the stored object that an origin became.
func (r *Run) owner(origin string) *Stored {
	if s := r.origins[origin]; s != nil {
		return s
	}
	if e := r.Ledger.Entry(origin); e != nil && e.State == Created {
		return r.stored[e.New]
	}
	return nil
}

func (r *Run) entry(it *Item, state State, s *Stored, same bool) Entry {
	e := Entry{State: state, Same: same, Origin: it.Origin, New: RefOf(it.Want), Want: Digest(Normal(it.Want))}
	if it.Mark != nil {
		e.Mark = Digest(it.Mark)
		if state == Creating {
			e.Fields = fingerprint(it.Mark)
		}
	}
	if s != nil {
		e.UID, e.Digest = s.UID, s.digest
	}
	return e
}

// finished is the object as it will be created: with its owner's UID and the
// annotations that tie it to its origin.
func (r *Run) finished(it *Item) Object {
	o := Copy(it.Want)
	meta := Map(o, "metadata")
	notes := Map(meta, "annotations")
	if notes == nil {
		notes = Object{}
		meta["annotations"] = notes
	}
	set := func(key, value string) {
		if value != "" {
			notes[key] = value
		}
	}
	set(annotationOrigin, it.Origin.ID)
	set(annotationOwner, it.Owner)
	set(annotationVersion, it.Origin.Version)
	set(annotationRaw, it.Raw)
	if it.Origin.Name != Text(meta, "name") {
		set(annotationName, it.Origin.Name)
	}
	if it.Mark != nil {
		set(annotationMark, Digest(it.Mark))
	}
	if _, dir := r.Target.(*Dir); !dir {
		set(annotationLedger, r.Ledger.ID())
	}
	if it.Owner == "" {
		return o
	}
	s := r.owner(it.Owner)
	var owners []any
	for _, ref := range List(meta, "ownerReferences") {
		m, ok := ref.(map[string]any)
		if ok && m["uid"] == nil && s != nil && s.UID != "" {
			m["uid"] = s.UID
		}
		if ok && m["uid"] != nil { // the server takes none without
			owners = append(owners, m)
		}
	}
	if delete(meta, "ownerReferences"); len(owners) > 0 {
		meta["ownerReferences"] = owners
	}
	return o
}

// flush creates the batch: intents first, on the disk, then the objects, in
// parallel where nothing orders them.
func (a *applier) flush(ctx context.Context) error {
	if len(a.batch) == 0 {
		return nil
	}
	items, outs := a.batch, a.outs
	a.batch, a.outs = nil, nil
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, it := range items {
		if err := a.Ledger.record(a.entry(it, Creating, nil, false)); err != nil {
			return err
		}
	}
	if err := a.Ledger.Sync(); err != nil {
		return err
	}
	made := make([]Object, len(items))
	errs := make([]error, len(items))
	var group sync.WaitGroup
	for i, it := range items {
		do := func() { made[i], errs[i] = a.create(ctx, it) }
		if it.Phase > 0 {
			do() // phases are for what has an order
			continue
		}
		group.Go(do)
	}
	group.Wait()
	var failed error
	for i, it := range items {
		if err := a.end(it, outs[i], made[i], errs[i]); err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}

// createTime is how long one creation that was begun may take after an
// interrupt.
const createTime = 20 * time.Second

// create creates one object, unless the run was interrupted. What was begun is
// brought to its end, so that the ledger can say what became of it.
func (a *applier) create(ctx context.Context, it *Item) (Object, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	begun, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(createTime, stop) })()
	made, err := a.Target.Create(begun, a.resource(RefOf(it.Want)), a.finished(it))
	if errors.Is(err, fs.ErrExist) {
		return a.ours(begun, it, err)
	}
	return made, err
}

// ours is an object that is there although it was missing: the one of this very
// creation, where its answer was lost and it was sent again by what lies
// between, else the error.
func (a *applier) ours(ctx context.Context, it *Item, exists error) (Object, error) {
	ref := RefOf(it.Want)
	have, err := a.Target.Get(ctx, a.resource(ref), ref)
	if err != nil || a.Ledger.ID() == "" {
		return nil, exists
	}
	if s := StoredOf(have); s.ledger != a.Ledger.ID() || s.Origin != it.Origin.ID || s.touched {
		return nil, exists
	}
	return have, nil
}

// end writes down what became of a creation.
func (a *applier) end(it *Item, out *Outcome, made Object, err error) error {
	a.held--
	var refusal *Refusal
	switch {
	case err == nil:
		return a.made(it, out, made)
	case errors.As(err, &refusal):
		out.Status, out.Reason, out.message, out.hint = StatusFailed, refusal.Reason, refusal.Message, refusal.Hint
		a.lose(it, out)
	case errors.Is(err, fs.ErrExist):
		out.Status, out.fields = StatusConflict, []string{"it was created in the meantime"}
		a.lose(it, out)
	default:
		return fmt.Errorf("%s: %w", out.ref, err)
	}
	return nil
}

// made compares what was created with what was wanted, and writes it down.
func (a *applier) made(it *Item, out *Outcome, made Object) error {
	s := a.keep(made)
	out.Status, out.uid = StatusCreated, s.UID
	a.saw(s)
	diffs := differences(it.Want, made, false)
	if len(diffs) > 0 {
		out.Status, out.fields = StatusDiffers, briefly(diffs)
	}
	return a.Ledger.record(a.entry(it, Created, s, len(diffs) == 0))
}

func sortRefs(refs []Ref) { slices.SortFunc(refs, compareRefs) }

func compareRefs(a, b Ref) int {
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}
