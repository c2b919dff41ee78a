// Package objects moves stored objects into their new custom resources.
//
// The flow: a Kind reads its source and gives Items, each with the old
// identity and the object that is wanted (or why there is none); Run looks at
// the Target, decides per item between same, missing and conflict, creates
// what is missing and proves it by reading back; the Ledger keeps old and new
// identity of every write. Verify, Drift, Cutover and Rollback start from the
// same items and the same ledger.
//
// Nothing is ever updated. Nothing is deleted, except by Rollback what this
// ledger created and no one changed since. One bad object is refused with its
// reason and place; the rest go on.
package objects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/project-codeflare/cfctl/internal/report"
)

// An Object is a Kubernetes object, or a part of one, as its JSON says it:
// map[string]any, []any, string, bool, int64, float64 and nil.
type Object = map[string]any

// A Ref names an object of a target.
type Ref struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"` // empty = cluster-scoped, or not said
	Name       string `json:"name"`
}

func (r Ref) String() string {
	name := r.Name
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	return r.Kind + " " + name
}

// RefOf reads the reference of an object; fields that are not there stay empty.
func RefOf(o Object) Ref {
	return Ref{Text(o, "apiVersion"), Text(o, "kind"), Text(o, "metadata", "namespace"), Text(o, "metadata", "name")}
}

// An Origin is an old identity: the UID of an object, the id of a row.
type Origin struct {
	ID         string `json:"id"` // never empty; unique in its source
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	Version    string `json:"resourceVersion,omitempty"` // as read; for drift
	Generation int64  `json:"generation,omitempty"`
	Path       string `json:"-"` // file, table or URL
	Line       int    `json:"-"` // from 1; 0 = none
}

// label names an origin for display.
func (o Origin) label() string {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	return strings.TrimSpace(o.Kind + " " + name)
}

// Finding is a finding at the origin's place, about the origin.
func (o Origin) Finding(rule string, severity report.Severity, message string) report.Finding {
	return report.Finding{Rule: rule, Severity: severity, Path: o.Path, Line: o.Line, Message: o.label() + ": " + message}
}

// A Refusal says why there is no new object for an old one. Its Reason is a
// kebab-case word that metrics and findings carry.
type Refusal struct {
	Reason, Message, Hint string
}

func (r *Refusal) Error() string { return r.Message }

// An Item is one old object with what becomes of it.
type Item struct {
	Origin  Origin
	Want    Object           // nil = refused
	Refused *Refusal         // nil = wanted
	Notes   []report.Finding // what is lost or changes its meaning
	Mark    Object           // what to fingerprint of the source for drift; nil = Want
	Raw     string           // digest of the source without status; tells cosmetic edits from none
	Owner   string           // origin ID of the item whose new UID completes the owner reference
	Before  string           // origin ID of an item that must be created later than this one
	Phase   int              // a later phase is created in a later second than all earlier ones
	Exact   bool             // fields of the stored object beyond Want are differences, too
}

// A Resource is a kind of object that an import creates.
type Resource struct {
	APIVersion, Kind, Plural string
	Namespace                string // only this one; empty = all
	Name                     string // only this object is checked; empty = all
}

// A Kind is one kind of stored object, with its source.
type Kind interface {
	// Name is the word on the command line.
	Name() string
	// Resources are what the import creates, in the order of creation.
	Resources() []Resource
	// Items reads the source and emits every item once, ordered by phase. An
	// error means that the source could not be read to its end; an error of
	// emit is passed on.
	Items(ctx context.Context, emit func(*Item) error) error
}

// An Auditor is a kind with something to say about all stored objects
// together, after they were verified.
type Auditor interface {
	Audit(stored []Stored) []report.Finding
}

// A Checker is a kind that checks its surroundings, such as who may write the
// stored objects, before the source of truth is switched.
type Checker interface {
	Check(ctx context.Context) ([]report.Finding, error)
}

// mostPassed is how many kinds of objects that are passed over are told apart.
const mostPassed = 100

// A Passed counts the objects of a source that an import is not about, by what
// they are and why. The zero Passed is ready.
type Passed struct{ counts map[[2]string]int }

// Add counts an object.
func (p *Passed) Add(kind, why string) {
	if p.counts == nil {
		p.counts = map[[2]string]int{}
	}
	key := [2]string{kind, why}
	if _, known := p.counts[key]; !known && len(p.counts) >= mostPassed {
		key = [2]string{"others", "of too many kinds to name"}
	}
	p.counts[key]++
}

// Findings are the counts, as notes; sorted.
func (p *Passed) Findings() []report.Finding {
	var list []report.Finding
	for key, n := range p.counts {
		list = append(list, report.Finding{Rule: "passed-over", Severity: report.Note, Message: fmt.Sprintf("%s: %d passed over: %s", key[0], n, key[1])})
	}
	slices.SortFunc(list, func(a, b report.Finding) int { return strings.Compare(a.Message, b.Message) })
	return list
}

// Stored is an object as the target has it.
type Stored struct {
	Ref     Ref
	UID     string   // empty in a directory
	version string   // resourceVersion; a digest in a directory
	Created int64    // seconds since 1970; 0 = not known
	digest  string   // of its normal form, see Digest
	ledger  string   // id of the ledger that created it
	Origin  string   // origin ID, as annotated
	Owner   string   // origin ID of its owner, as annotated
	raw     string   // digest of the source, as annotated
	mark    string   // digest of the source's fingerprint, as annotated
	from    string   // resourceVersion of the source, as annotated
	owners  []string // UIDs of its owners
	touched bool     // the server says that it was written again since it was created; its status aside
}

// Text returns the string at a path of keys, or "".
func Text(o Object, path ...string) string {
	s, _ := At(o, path...).(string)
	return s
}

// At returns the value at a path of keys, or nil.
func At(o Object, path ...string) any {
	v, _, _ := unstructured.NestedFieldNoCopy(o, path...)
	return v
}

// Map returns the mapping at a path of keys, or nil.
func Map(o Object, path ...string) Object {
	m, _ := At(o, path...).(map[string]any)
	return m
}

// List returns the list at a path of keys, or nil.
func List(o Object, path ...string) []any {
	l, _ := At(o, path...).([]any)
	return l
}

// Int returns the whole number at a path of keys.
func Int(o Object, path ...string) (int64, bool) {
	switch n := At(o, path...).(type) {
	case int64:
		return n, true
	case float64:
		return int64(n), n == float64(int64(n))
	}
	return 0, false
}

// Copy returns a deep copy of an object.
func Copy(o Object) Object { return runtime.DeepCopyJSON(o) }

// OriginOf is the old identity of an object that was read: its UID, or where
// it has none, as in a file, its reference.
func OriginOf(r Record) Origin {
	ref := RefOf(r.Object)
	o := Origin{
		ID: Text(r.Object, "metadata", "uid"), Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name,
		Version: Text(r.Object, "metadata", "resourceVersion"), Path: r.Path, Line: r.Line,
	}
	o.Generation, _ = Int(r.Object, "metadata", "generation")
	o.ID = cmp.Or(o.ID, ref.APIVersion+"/"+ref.Kind+"/"+ref.Namespace+"/"+ref.Name)
	return o
}

// unreadable is the refusal of a record that carries an error.
func unreadable(r Record) *Refusal {
	if refusal, ok := errors.AsType[*Refusal](r.Err); ok {
		return refusal
	}
	return &Refusal{Reason: "unreadable", Message: r.Err.Error()}
}

// Typed turns a record whose object says no apiVersion or kind into an
// unreadable one: nothing can tell what it is.
func Typed(r Record) Record {
	if r.Err == nil && (Text(r.Object, "kind") == "" || Text(r.Object, "apiVersion") == "") {
		return Record{Path: r.Path, Line: r.Line, Err: errors.New("an object without apiVersion or kind")}
	}
	return r
}

// UnreadableItem is the item of a record that carries an error.
func UnreadableItem(r Record) *Item {
	o := Origin{ID: fmt.Sprintf("%s:%d", r.Path, r.Line), Kind: "object", Name: fmt.Sprintf("at line %d", r.Line), Path: r.Path, Line: r.Line}
	return &Item{Origin: o, Refused: unreadable(r)}
}
