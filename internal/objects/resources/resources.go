// Package resources moves objects of old groups, versions and kinds to the new
// ones, by the rulesets of cfctl migrate: their renames and their changes of
// shape (PCF-ADR-0005: AppWrappers of mcad.ibm.com in clusters).
//
// An object is written out, migrated as text like any manifest, and read
// again. What belongs to the old object alone stays behind: its status, its
// finalizers, what the server wrote. The old objects are left in place.
package resources

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
)

// A Kind is `cfctl import resources`.
type Kind struct {
	Source    objects.Source
	Rulesets  []*migrate.Ruleset
	Migration *migrate.Migration
	Namespace string // where the target is checked; empty = everywhere

	seen   []objects.Resource // new kinds that were met
	passed objects.Passed
}

// PassedOver tells what of the source no rule moves.
func (k *Kind) PassedOver() []report.Finding { return k.passed.Findings() }

// Name implements objects.Kind.
func (k *Kind) Name() string { return "resources" }

// Resources implements objects.Kind: the new kinds that were met so far.
func (k *Kind) Resources() []objects.Resource { return k.seen }

// TargetOnly says that objects of the new kinds may well have no old one.
func (k *Kind) TargetOnly() bool { return true }

// Sources are the kinds of objects that rulesets move and a cluster serves.
// None is an empty list.
func Sources(ctx context.Context, c *objects.Cluster, rulesets []*migrate.Ruleset) ([]objects.Resource, error) {
	var list []objects.Resource
	done := map[string]bool{}
	for _, rs := range rulesets {
		for _, group := range rs.Groups() {
			if done[group] {
				continue
			}
			done[group] = true
			served, err := c.Group(ctx, group)
			if err != nil {
				return nil, err
			}
			moved := func(r objects.Resource) bool { return matches(rulesets, r.APIVersion, r.Kind) }
			list = append(list, lists.Where(served, moved)...)
		}
	}
	return list, nil
}

// matches says whether some rule moves a kind.
func matches(rulesets []*migrate.Ruleset, apiVersion, kind string) bool {
	group, version, _ := strings.Cut(apiVersion, "/")
	for _, rs := range rulesets {
		for _, r := range rs.Rules {
			f := r.From
			if f.Group == group && (f.Version == "" || f.Version == version) && (f.Kind == "" || f.Kind == kind) {
				return true
			}
		}
	}
	return false
}

// Items implements objects.Kind. Objects that another one owns come last, so
// that the owner's new UID is known.
func (k *Kind) Items(ctx context.Context, emit func(*objects.Item) error) error {
	var owned []*objects.Item
	k.passed = objects.Passed{}
	err := k.Source.Objects(ctx, func(r objects.Record) error {
		if r = objects.Typed(r); r.Err != nil {
			return emit(objects.UnreadableItem(r))
		}
		ref := objects.RefOf(r.Object)
		if !matches(k.Rulesets, ref.APIVersion, ref.Kind) {
			k.passed.Add(ref.Kind, "no rule moves "+ref.APIVersion)
			return nil
		}
		it := k.item(r)
		if it.Owner != "" {
			owned = append(owned, it)
			return nil
		}
		return emit(it)
	})
	if err != nil {
		return err
	}
	for _, it := range ownersFirst(owned) {
		if err := emit(it); err != nil {
			return err
		}
	}
	return nil
}

// ownersFirst orders items so that each is behind its owner. Those that own
// each other come last.
func ownersFirst(items []*objects.Item) []*objects.Item {
	there := lists.Set(items, func(it *objects.Item) string { return it.Origin.ID })
	var sorted []*objects.Item
	waiting := map[string][]*objects.Item{} // by owner
	for _, it := range items {
		if there[it.Owner] {
			waiting[it.Owner] = append(waiting[it.Owner], it)
		} else {
			sorted = append(sorted, it)
		}
	}
	for i := 0; i < len(sorted); i++ {
		id := sorted[i].Origin.ID
		sorted = append(sorted, waiting[id]...)
		delete(waiting, id)
	}
	for _, it := range items {
		if len(waiting[it.Owner]) > 0 {
			sorted = append(sorted, it)
		}
	}
	return sorted
}

func (k *Kind) item(r objects.Record) *objects.Item {
	it := &objects.Item{Origin: objects.OriginOf(r)}
	old := k.strip(it, r.Object)
	want, hints, err := Migrate(k.Migration, k.Rulesets, old)
	if err != nil {
		it.Refused = &objects.Refusal{Reason: "not-converted", Message: err.Error(), Hint: "cfctl migrate shows the same on its manifest"}
		return it
	}
	switch to := objects.RefOf(want); {
	case to.APIVersion != objects.RefOf(r.Object).APIVersion || to.Kind != it.Origin.Kind:
	case len(hints) > 0:
		it.Refused = &objects.Refusal{Reason: "not-converted", Message: strings.Join(hints, "; "), Hint: "cfctl migrate says what to do on its manifest; --set gives values that a rule asks for"}
		return it
	default:
		it.Refused = &objects.Refusal{Reason: "not-moved", Message: "no rule moves " + to.APIVersion + " " + to.Kind}
		return it
	}
	for _, h := range hints {
		it.Notes = append(it.Notes, it.Origin.Finding("left-over", report.Warning, h))
	}
	it.Want = want
	k.meet(objects.RefOf(want))
	return it
}

func (k *Kind) meet(ref objects.Ref) {
	r := objects.Resource{APIVersion: ref.APIVersion, Kind: ref.Kind, Namespace: k.Namespace}
	if !slices.Contains(k.seen, r) {
		k.seen = append(k.seen, r)
	}
}

// strip leaves behind what belongs to the old object alone, and says so.
func (k *Kind) strip(it *objects.Item, o objects.Object) objects.Object {
	note := func(rule string, severity report.Severity, format string, args ...any) {
		it.Notes = append(it.Notes, it.Origin.Finding(rule, severity, fmt.Sprintf(format, args...)))
	}
	n := objects.Copy(objects.Normal(o))
	meta := objects.Map(n, "metadata")
	delete(objects.Map(meta, "annotations"), "kubectl.kubernetes.io/last-applied-configuration")
	leave(it, o, meta)
	if f := objects.List(meta, "finalizers"); len(f) > 0 {
		delete(meta, "finalizers")
		note("finalizers", report.Note, "its finalizers %v are not copied: the new controller sets its own", f)
	}
	said := false
	for _, word := range []string{"state", "phase"} {
		if s := objects.Text(o, "status", word); s != "" {
			said = true
			note("status", report.Warning, "its status.%s was %s; the new object starts without status, and its controller may run it again", word, s)
		}
	}
	if !said && len(objects.Map(o, "status")) > 0 {
		note("status", report.Note, "its status is not copied: the new controller sets its own")
	}
	if objects.At(o, "metadata", "deletionTimestamp") != nil {
		note("terminating", report.Warning, "it is being deleted")
	}
	k.owners(it, o, meta, note)
	return n
}

// owners keeps references to owners that stay, and leaves open the UID of one
// that moves, too.
func (k *Kind) owners(it *objects.Item, o, meta objects.Object, note func(string, report.Severity, string, ...any)) {
	var kept []any
	for _, ref := range objects.List(o, "metadata", "ownerReferences") {
		m, ok := ref.(map[string]any)
		if !ok {
			continue
		}
		m = objects.Copy(m)
		if matches(k.Rulesets, objects.Text(m, "apiVersion"), objects.Text(m, "kind")) {
			if it.Owner != "" {
				note("owner", report.Warning, "two of its owners are imported; %s is omitted", objects.Text(m, "name"))
				continue
			}
			it.Owner = objects.Text(m, "uid")
			delete(m, "uid")
		}
		kept = append(kept, m)
	}
	delete(meta, "ownerReferences")
	if len(kept) > 0 {
		meta["ownerReferences"] = kept
	}
}

// Migrate applies the migration of rulesets to one object, as to any manifest.
// Hints are what a user must look at.
func Migrate(m *migrate.Migration, rulesets []*migrate.Ruleset, o objects.Object) (objects.Object, []string, error) {
	name, text, err := spell(rulesets, o)
	if err != nil {
		return nil, nil, err
	}
	out, _, finds, err := m.Once(name, text)
	if err != nil {
		return nil, nil, err
	}
	v, err := objects.Parse(out)
	if err != nil {
		return nil, nil, err
	}
	n, ok := v.(map[string]any)
	if !ok {
		return nil, nil, errors.New("the result is no object")
	}
	var hints []string
	for line := range strings.SplitSeq(strings.TrimSpace(finds), "\n") {
		if line != "" {
			hints = append(hints, line)
		}
	}
	return n, hints, nil
}

// spell writes an object as what its rulesets are best at: YAML where they
// change shapes, else JSON, which is read and written ten times as fast.
func spell(rulesets []*migrate.Ruleset, o objects.Object) (name string, text []byte, err error) {
	if slices.ContainsFunc(rulesets, func(rs *migrate.Ruleset) bool { return len(rs.Convert) > 0 }) {
		text, err = objects.Manifest(o)
		return "object.yaml", text, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(o)
	return "object.json", b.Bytes(), err
}
