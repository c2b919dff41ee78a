package objects

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
)

// A Status is what an import found, or made, of one old object.
type Status string

// The statuses, in the order of reports.
const (
	statusMissing  Status = "create"   // plan: would be created
	StatusCreated  Status = "created"  // apply: was created now
	statusSame     Status = "same"     // is there as it should be
	StatusConflict Status = "conflict" // something else is in its place; untouched
	StatusRefused  Status = "refused"  // cannot be imported
	StatusFailed   Status = "failed"   // the target did not take it
	StatusAbsent   Status = "absent"   // verify: is not there
	StatusDiffers  Status = "differs"  // verify: is there and is not what it should be
)

// statuses is the order in which counts are told.
var statuses = []Status{statusMissing, StatusCreated, statusSame, StatusConflict, StatusRefused, StatusFailed, StatusAbsent, StatusDiffers}

// An Outcome is what became of one item.
type Outcome struct {
	Origin  Origin
	ref     Ref // empty when refused
	Status  Status
	Reason  string // refused and failed: a kebab-case word
	message string
	hint    string
	fields  []string // conflict and differs: the differences, at most ten
	uid     string   // of the object in the target, when it is known
}

// A Result is what one run says.
type Result struct {
	Objects  int           // of the source
	Outcomes []*Outcome    // with Run.Brief only those that are findings, too
	names    *bytes.Buffer // with Run.Brief: the names map as text
	Notes    []report.Finding
	Counts   map[Status]int
	extra    []Ref // in the target, and from nothing in the source

	references []Reference
}

// A Reference is how many rows, by table, name an old object by its id. The new
// object has another one.
type Reference struct {
	Old  Origin           `json:"old"`
	Rows map[string]int64 `json:"rows"`
}

// A Progress is how far a run is.
type Progress struct {
	Objects  int
	Fraction float64 // of the source; 0 = not known
	Elapsed  time.Duration
}

// Left is the time that is still needed, at the same pace; 0 = not known.
func (p Progress) Left() time.Duration {
	if p.Fraction <= 0 {
		return 0
	}
	return time.Duration(float64(p.Elapsed) * (1 - p.Fraction) / p.Fraction)
}

// A Run is one import, with everything that it needs from above.
type Run struct {
	Kind      Kind
	Target    Target
	Ledger    *Ledger
	Meter     *Meter           // of the source; nil = no fraction is told
	Progress  func(Progress)   // nil = not told
	now       func() time.Time // nil = time.Now
	Sleep     func(context.Context, time.Duration) error
	Brief     bool               // keep the line of the names map of an object in place of its outcome
	Manifests func([]byte) error // takes the manifest of every missing object of a plan; nil = not asked for

	state
}

// A state is what a run knows so far: of the target, of the source, and what came of it.
type state struct {
	stored  map[Ref]*Stored
	origins map[string]*Stored // by origin ID, as annotated
	listed  map[Resource]bool  // what of the target was taken stock of
	claimed map[place]string   // which origin wants a reference
	seen    map[string]bool    // origins that were read
	lost    map[string]string  // of these, those without a new object, with their labels
	result  *Result
	started time.Time
	words   map[string]string // each kind, namespace, group and path is kept once
	open    []*Outcome        // those after the first whose end is not known yet
	held    int               // how many of them have no end yet
}

// Plan looks at source and target and writes nothing. A target that can say
// what it would take is asked to take one object of each kind with nothing
// stored: what it refuses is in the notes, as errors.
func (r *Run) Plan(ctx context.Context) (*Result, error) {
	var t trials
	res, err := r.each(ctx, func(ctx context.Context, it *Item) (*Outcome, error) {
		out, err := r.look(ctx, it)
		if err != nil || out.Status != statusMissing {
			return &out, err
		}
		t.add(r.resource(out.ref), func() Object { return r.finished(it) })
		if r.Manifests == nil {
			return &out, nil
		}
		text, err := Manifest(r.finished(it))
		if err != nil {
			return &out, err
		}
		return &out, r.Manifests(text)
	})
	if err != nil {
		return res, err
	}
	refusals, err := t.refusals(ctx, r.Target)
	res.Notes = append(res.Notes, refusals...)
	k, ok := r.Kind.(interface {
		References(context.Context) ([]Reference, []report.Finding, error)
	})
	if err != nil || !ok {
		return res, err
	}
	list, notes, err := k.References(ctx)
	res.references, res.Notes = list, append(res.Notes, notes...)
	return res, err
}

// begin takes stock of the target.
func (r *Run) begin(ctx context.Context) error {
	r.reset()
	for _, res := range r.Kind.Resources() {
		if err := r.index(ctx, res); err != nil {
			return err
		}
	}
	return nil
}

// reset starts a result.
func (r *Run) reset() {
	if r.now == nil {
		r.now = time.Now
	}
	if dir, ok := r.Target.(*Dir); ok {
		dir.ledger = r.Ledger
	}
	r.state = state{
		stored: map[Ref]*Stored{}, origins: map[string]*Stored{}, listed: map[Resource]bool{}, claimed: map[place]string{}, seen: map[string]bool{},
		lost: map[string]string{}, result: &Result{Counts: map[Status]int{}}, started: r.now(), words: map[string]string{},
	}
	if r.Brief {
		r.result.names = &bytes.Buffer{}
	}
}

// tidy removes what a killed run left next to the manifests of a folder.
func (r *Run) tidy() error {
	dir, ok := r.Target.(*Dir)
	if !ok {
		return nil
	}
	for _, e := range r.Ledger.Entries() {
		if e.State == Creating {
			if err := dir.clean(e.New); err != nil {
				return err
			}
		}
	}
	return nil
}

// index takes stock of one resource of the target, once.
func (r *Run) index(ctx context.Context, res Resource) error {
	key := Resource{APIVersion: res.APIVersion, Kind: res.Kind}
	if r.listed[key] {
		return nil // in every namespace
	}
	key.Namespace = res.Namespace
	if r.listed[key] {
		return nil
	}
	err := r.Target.List(ctx, res, func(o Object) error {
		r.keep(o)
		return nil
	})
	r.listed[key] = err == nil
	return err
}

func (r *Run) keep(o Object) *Stored {
	s := StoredOf(o)
	r.stored[s.Ref] = &s
	if s.Origin != "" {
		r.origins[s.Origin] = &s
	}
	return &s
}

// StoredOf is what is kept of an object of the target.
func StoredOf(o Object) Stored {
	note := func(key string) string { return Text(o, "metadata", "annotations", key) }
	s := Stored{
		Ref: RefOf(o), UID: Text(o, "metadata", "uid"), version: Text(o, "metadata", "resourceVersion"),
		digest: Digest(Normal(o)), ledger: note(annotationLedger),
		Origin: note(annotationOrigin), Owner: note(annotationOwner), raw: note(annotationRaw),
		mark: note(annotationMark), from: note(annotationVersion),
	}
	for _, ref := range List(o, "metadata", "ownerReferences") {
		if m, ok := ref.(map[string]any); ok && Text(m, "uid") != "" {
			s.owners = append(s.owners, Text(m, "uid"))
		}
	}
	if t, err := time.Parse(time.RFC3339, Text(o, "metadata", "creationTimestamp")); err == nil {
		s.Created = t.Unix()
	}
	writers := 0
	for _, w := range List(o, "metadata", "managedFields") {
		if m, ok := w.(map[string]any); ok && Text(m, "subresource") == "" {
			writers++
		}
	}
	s.touched = writers > 1 // what is created has one
	return s
}

// disown takes references out of an object that have no UID and get none: those in a
// manifest, where it is not known yet, and that to an owner that no one has.
func (r *Run) disown(meta Object, owner string) {
	list := List(meta, "ownerReferences")
	if _, dir := r.Target.(*Dir); dir || !r.seen[owner] && r.owner(owner) == nil {
		list = slices.DeleteFunc(list, func(ref any) bool {
			m, ok := ref.(map[string]any)
			return ok && m["uid"] == nil
		})
	}
	if delete(meta, "ownerReferences"); len(list) > 0 {
		meta["ownerReferences"] = list
	}
}

// each reads the source and asks do for the outcome of every item.
func (r *Run) each(ctx context.Context, do func(context.Context, *Item) (*Outcome, error)) (*Result, error) {
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	err := r.Kind.Items(ctx, func(it *Item) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.seen[it.Origin.ID] {
			it.Want, it.Refused = nil, &Refusal{Reason: "duplicate", Message: fmt.Sprintf("the source has it twice (%s)", it.Origin.ID), Hint: "name each source once"}
		}
		r.seen[it.Origin.ID] = true
		if it.Owner != "" && it.Want != nil {
			r.disown(Map(it.Want, "metadata"), it.Owner)
		}
		r.claim(it)
		if err := r.known(ctx, it); err != nil {
			return err
		}
		out, err := do(ctx, it)
		if err != nil {
			return err
		}
		r.lose(it, out)
		r.add(it, out)
		return nil
	})
	if err != nil {
		return r.result, err
	}
	if k, ok := r.Kind.(interface{ PassedOver() []report.Finding }); ok {
		r.result.Notes = append(r.result.Notes, k.PassedOver()...)
	}
	r.extras()
	return r.result, nil
}

// lose remembers an item without a new object.
func (r *Run) lose(it *Item, out *Outcome) {
	switch out.Status {
	case StatusRefused, StatusFailed, StatusConflict:
		r.lost[it.Origin.ID] = it.Origin.label()
	}
}

// known takes stock of the kind of an item, where that was not known before
// its source was read. A kind that the target does not serve is a refusal.
func (r *Run) known(ctx context.Context, it *Item) error {
	if it.Want == nil {
		return nil
	}
	err := r.index(ctx, r.resource(RefOf(it.Want)))
	if errors.As(err, &it.Refused) {
		it.Want = nil
		return nil
	}
	return err
}

// A place is a reference as a digest: a map of all of them stays small.
type place [16]byte

func (r Ref) place() place {
	sum := sha256.Sum256([]byte(r.APIVersion + "\x00" + r.Kind + "\x00" + r.Namespace + "\x00" + r.Name))
	return place(sum[:16])
}

// claim refuses a second item for one place.
func (r *Run) claim(it *Item) {
	if it.Want == nil {
		return
	}
	ref := RefOf(it.Want)
	if by, taken := r.claimed[ref.place()]; taken && by != it.Origin.ID {
		it.Want, it.Refused = nil, &Refusal{Reason: "name-clash", Message: fmt.Sprintf("%s is wanted twice, also by %s", ref, by), Hint: "rename one of them at its source, or import the namespaces one by one"}
		return
	}
	r.claimed[ref.place()] = it.Origin.ID
}

func (r *Run) add(it *Item, out *Outcome) {
	r.result.Objects++
	r.open = append(r.open, out)
	switch out.Status {
	case statusMissing, StatusCreated, StatusRefused, StatusFailed:
		r.result.Notes = append(r.result.Notes, it.Notes...)
	}
	r.settle()
	if r.Progress != nil {
		r.Progress(Progress{r.result.Objects, r.Meter.fraction(), r.now().Sub(r.started)})
	}
}

// settle takes in the outcomes whose end is known, in their order.
func (r *Run) settle() {
	if r.held > 0 {
		return
	}
	for _, out := range r.open {
		if out.Status == "" {
			continue // drift tells it in its own words
		}
		r.result.Counts[out.Status]++
		if r.Brief {
			writeName(r.result.names, out)
			if _, said := out.finding(false); !said {
				continue
			}
		}
		r.share(out)
		r.result.Outcomes = append(r.result.Outcomes, out)
	}
	r.open = r.open[:0]
}

// share lets an outcome keep no copy of a word that others have, too. What is
// kept of an object decides how many fit into the memory.
func (r *Run) share(out *Outcome) {
	for _, s := range []*string{&out.Origin.Kind, &out.Origin.Namespace, &out.Origin.Path, &out.ref.APIVersion, &out.ref.Kind, &out.ref.Namespace} {
		if w, ok := r.words[*s]; ok {
			*s = w
		} else {
			r.words[*s] = *s
		}
	}
	if out.ref.Name == out.Origin.Name {
		out.ref.Name = out.Origin.Name
	}
}

// extras are objects of the target that no item wants.
func (r *Run) extras() {
	shared, _ := r.Kind.(interface{ TargetOnly() bool })
	for ref, s := range r.stored {
		if shared != nil && shared.TargetOnly() && s.Origin == "" {
			continue // it never had an old one
		}
		if r.claimed[ref.place()] == "" {
			r.result.extra = append(r.result.extra, ref)
		}
	}
	sortRefs(r.result.extra)
}

// resource finds the resource of a wanted object, of its namespace where only
// some are checked.
func (r *Run) resource(ref Ref) Resource {
	for _, res := range r.Kind.Resources() {
		if res.Kind == ref.Kind && res.APIVersion == ref.APIVersion && (res.Namespace == "" || res.Namespace == ref.Namespace) {
			return res
		}
	}
	return Resource{APIVersion: ref.APIVersion, Kind: ref.Kind}
}

// look decides what is to be done for an item; it writes nothing.
func (r *Run) look(ctx context.Context, it *Item) (Outcome, error) {
	if it.Want == nil {
		return refused(it, it.Refused), nil
	}
	ref := RefOf(it.Want)
	out := Outcome{Origin: it.Origin, ref: ref, Status: statusMissing}
	why := Flaw(it.Want)
	if why == nil {
		why = r.ownerless(it)
	}
	if why != nil {
		delete(r.claimed, ref.place())
		it.Want = nil
		return refused(it, why), nil
	}
	s := r.stored[ref]
	if s == nil && it.Before != "" && r.owner(it.Before) != nil {
		late := r.owner(it.Before).Ref
		out.Status, out.Reason = StatusRefused, "too-late"
		out.message = fmt.Sprintf("%s exists already and must remain the newer one", late)
		out.hint = "roll that one back first, then apply"
		return out, nil
	}
	if s == nil {
		return out, nil
	}
	out.uid = s.UID
	diffs, err := r.differences(ctx, it, s)
	if err != nil {
		return out, err
	}
	if len(diffs) == 0 {
		out.Status = statusSame
		return out, nil
	}
	out.Status, out.fields = StatusConflict, briefly(diffs)
	return out, nil
}

// ownerless is why an item is not created without its owner, or nil. One whose
// owner was never read is created without, and that is said.
func (r *Run) ownerless(it *Item) *Refusal {
	if it.Owner == "" || r.owner(it.Owner) != nil {
		return nil
	}
	if label, lost := r.lost[it.Owner]; lost {
		return &Refusal{Reason: "no-owner", Message: "its owner is not created: " + label, Hint: "see the finding of the owner"}
	}
	if !r.seen[it.Owner] {
		it.Notes = append(it.Notes, it.Origin.Finding("owner", report.Warning, fmt.Sprintf("its owner %s is not in the source: the new object has no owner", it.Owner)))
	}
	return nil
}

func refused(it *Item, why *Refusal) Outcome {
	return Outcome{Origin: it.Origin, Status: StatusRefused, Reason: why.Reason, message: why.Message, hint: why.Hint}
}

// differences compares an item with what is stored. An object that is as its
// ledger last saw it, or as a run that was killed created it, differs only where it
// differs from what is wanted; in any other, fields that no one wanted count as well.
func (r *Run) differences(ctx context.Context, it *Item, s *Stored) ([]difference, error) {
	e := r.Ledger.Entry(it.Origin.ID)
	if want := Digest(Normal(it.Want)); want == s.digest || !it.Exact && e.proves(want, s) {
		return nil, nil
	}
	have, err := r.Target.Get(ctx, r.resource(s.Ref), s.Ref)
	if errors.Is(err, fs.ErrNotExist) {
		return []difference{{Path: "metadata.name", Want: s.Ref.Name}}, nil
	}
	if errors.Is(err, errNoManifest) {
		return []difference{{Path: "its file", Want: s.Ref.Name, Have: err.Error()}}, nil
	}
	if err != nil {
		return nil, err
	}
	ours := e != nil && s.UID != "" && (e.State == Created && e.Digest == s.digest || e.State == Creating && s.ledger == r.Ledger.ID() && s.ledger != "" && !s.touched)
	return differences(it.Want, have, it.Exact || !ours), nil
}
