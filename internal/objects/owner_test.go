package objects

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
)

// A memory is a target that keeps what it got, as a server does.
type memory struct {
	mu      sync.Mutex
	objects map[Ref]Object
	refuse  string // name of the one that it does not take
	made    int
	gets    int
	after   func(Object) // changes what was created; nil = nothing
}

func (m *memory) Name() string { return "memory" }

func (m *memory) List(_ context.Context, r Resource, each func(Object) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for ref, o := range m.objects {
		if ref.Kind == r.Kind {
			if err := each(Copy(o)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *memory) Get(_ context.Context, _ Resource, ref Ref) (Object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gets++
	if o, ok := m.objects[ref]; ok {
		return Copy(o), nil
	}
	return nil, fs.ErrNotExist
}

func (m *memory) Create(_ context.Context, _ Resource, o Object) (Object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ref := RefOf(o)
	if ref.Name == m.refuse {
		return nil, &Refusal{Reason: "webhook-refused", Message: "no"}
	}
	if m.objects == nil {
		m.objects = map[Ref]Object{}
	}
	m.made++
	made := Copy(o)
	Map(made, "metadata")["uid"] = fmt.Sprint("new-", m.made)
	if m.after != nil {
		m.after(made)
	}
	m.objects[ref] = made
	return Copy(made), nil
}

func (m *memory) Delete(_ context.Context, _ Resource, s Stored) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, s.Ref)
	for ref, o := range m.objects { // as the garbage collector
		for _, key := range StoredOf(o).owners {
			if key == s.UID {
				delete(m.objects, ref)
			}
		}
	}
	return nil
}

// family is copies whose first object owns the others.
type family struct{ copies }

func (k family) Items(ctx context.Context, emit func(*Item) error) error {
	first := ""
	return k.copies.Items(ctx, func(it *Item) error {
		if first == "" {
			first = it.Origin.ID
		} else {
			it.Owner = first
			Map(it.Want, "metadata")["ownerReferences"] = []any{Object{"apiVersion": "v1", "kind": "Thing", "name": "t0"}}
		}
		return emit(it)
	})
}

func familyRun(t *testing.T, target Target, n int) *Run {
	r := newRun(t, t.TempDir(), list(n), true)
	r.Kind, r.Target = family{r.Kind.(copies)}, target
	return r
}

// TestWithoutTheirOwner: what is owned by an object that cannot be created, or
// whose place is taken, is not created either, and the plan says so.
func TestWithoutTheirOwner(t *testing.T) {
	unmanaged := map[Ref]Object{{"v1", "Thing", "a", "t0"}: {"apiVersion": "v1", "kind": "Thing", "metadata": Object{"name": "t0", "namespace": "a", "uid": "x"}, "spec": Object{"n": "other"}}}
	for name, tt := range map[string]struct {
		target *memory
		apply  string
		plan   string
	}{
		"refused by the server": {&memory{refuse: "t0"}, "2 refused, 1 failed", "3 to create"},
		"taken by another":      {&memory{objects: unmanaged}, "1 conflict, 2 refused", "1 conflict, 2 refused"},
		"created":               {&memory{}, "3 created", "3 to create"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := familyRun(t, tt.target, 3).Plan(context.Background())
			if got := counts(t, r, err); got != tt.plan {
				t.Errorf("plan: %s", got)
			}
			r, err = familyRun(t, tt.target, 3).Apply(context.Background())
			if got := counts(t, r, err); got != tt.apply {
				t.Errorf("apply: %s", got)
			}
			for _, o := range r.Outcomes[1:] {
				if o.Status == StatusRefused && (o.Reason != "no-owner" || !strings.Contains(o.message, "t0")) {
					t.Errorf("%s: %s", o.Reason, o.message)
				}
			}
		})
	}
}

// TestRollbackKeepsOwners: an owner stays while something that it owns does,
// ours or another user's, and a dry run says the same.
func TestRollbackKeepsOwners(t *testing.T) {
	edit := func(m *memory) {
		for ref, o := range m.objects {
			if ref.Name == "t1" {
				Map(o, "spec")["n"] = int64(99)
			}
		}
	}
	add := func(m *memory) {
		owner := Text(m.objects[Ref{"v1", "Thing", "a", "t0"}], "metadata", "uid")
		_, _ = m.Create(context.Background(), Resource{}, Object{"apiVersion": "v1", "kind": "Thing", "metadata": Object{"name": "mine", "namespace": "a", "ownerReferences": []any{Object{"uid": owner}}}})
	}
	for name, tt := range map[string]struct {
		change func(*memory)
		dry    string
		want   string
		left   int
	}{
		"nothing changed":          {nil, "3 to delete", "3 deleted", 0},
		"one of ours was changed":  {edit, "2 refused, 1 to delete", "2 refused, 1 deleted", 2},
		"somebody added their own": {add, "1 refused, 2 to delete", "1 refused, 2 deleted", 2},
	} {
		t.Run(name, func(t *testing.T) {
			target := &memory{}
			run := familyRun(t, target, 3)
			if _, err := run.Apply(context.Background()); err != nil {
				t.Fatal(err)
			}
			if tt.change != nil {
				tt.change(target)
			}
			for _, dry := range []bool{true, false} {
				want := map[bool]string{true: tt.dry, false: tt.want}[dry]
				r, err := run.Rollback(context.Background(), dry)
				if got := counts(t, r, err); got != want {
					t.Errorf("dry %v: %s", dry, got)
				}
			}
			if len(target.objects) != tt.left {
				t.Errorf("%d are left", len(target.objects))
			}
		})
	}
}

// TestDriftListsOnce: objects that are as they were created are compared by
// what a list says, also where the server added to them; an edit of either side
// is still found.
func TestDriftListsOnce(t *testing.T) {
	target := &memory{after: func(o Object) { Map(o, "spec")["added"] = "by the server" }}
	run := newRun(t, t.TempDir(), list(20), true)
	run.Target = target
	if _, err := run.Apply(context.Background()); err != nil {
		t.Fatal(err)
	}
	look := func(text string) (*DriftResult, int) {
		again := *run
		again.Kind = copies{&Files{Path: "-", Stdin: strings.NewReader(text)}}
		target.gets = 0
		d, err := again.Drift(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return d, target.gets
	}
	if d, gets := look(list(20)); d.Summary() != "20 in-sync" || gets != 0 {
		t.Errorf("%s with %d requests", d.Summary(), gets)
	}
	if d, gets := look(strings.Replace(list(20), "n: 7}", "n: 8}", 1)); d.Summary() != "19 in-sync, 1 drifted" || gets != 1 {
		t.Errorf("after an edit of the source: %s with %d requests", d.Summary(), gets)
	}
	Map(target.objects[Ref{"v1", "Thing", "a", "t3"}], "spec")["n"] = int64(4)
	if d, gets := look(list(20)); d.Summary() != "19 in-sync, 1 drifted" || gets != 1 {
		t.Errorf("after an edit of the target: %s with %d requests", d.Summary(), gets)
	}
}

// orphans are copies of which each has an owner that no one has.
type orphans struct{ copies }

func (k orphans) Items(ctx context.Context, emit func(*Item) error) error {
	return k.copies.Items(ctx, func(it *Item) error {
		it.Owner = "gone"
		Map(it.Want, "metadata")["ownerReferences"] = []any{Object{"apiVersion": "v1", "kind": "Thing", "name": "gone"}}
		return emit(it)
	})
}

// TestOwnerThatIsGone: what is created without its owner, as the plan says, is what it should be.
func TestOwnerThatIsGone(t *testing.T) {
	target := &memory{}
	orphaned := func() *Run {
		r := newRun(t, t.TempDir(), list(1), true)
		r.Kind, r.Target = orphans{r.Kind.(copies)}, target
		return r
	}
	r, err := orphaned().Apply(context.Background())
	if got := counts(t, r, err); got != "1 created" {
		t.Errorf("apply: %s", got)
	}
	r, err = orphaned().Verify(context.Background())
	if got := counts(t, r, err); got != "1 same" {
		t.Errorf("verify: %s", got)
	}
}

// TestChangedWhileUnread: a run is killed after a creation, and someone changes the object
// before the next run. What the server added is created; what another wrote is a conflict,
// and no rollback deletes it.
func TestChangedWhileUnread(t *testing.T) {
	for writer, want := range map[string][2]string{"": {"1 same", "1 deleted"}, "kubectl": {"1 conflict", "1 refused"}} {
		dir, target := t.TempDir(), &memory{}
		target.after = func(o Object) {
			Map(o, "spec")["more"] = "a default"
			writers := []any{Object{"manager": "cfctl"}, Object{"manager": "controller", "subresource": "status"}}
			if writer != "" {
				writers = append(writers, Object{"manager": writer})
			}
			Map(o, "metadata")["managedFields"] = writers
		}
		first := newRun(t, dir, list(1), true)
		first.Target = &dying{Target: target, after: true}
		if _, err := first.Apply(context.Background()); err == nil {
			t.Fatal("it was not killed")
		}
		first.Ledger.Close()
		second := newRun(t, dir, list(1), true)
		second.Target = target
		r, err := second.Apply(context.Background())
		if got := counts(t, r, err); got != want[0] {
			t.Errorf("%q: apply: %s", writer, got)
		}
		r, err = second.Rollback(context.Background(), false)
		if got := counts(t, r, err); got != want[1] || len(target.objects) != len(writer)/len("kubectl") {
			t.Errorf("%q: rollback: %s, %d left", writer, got, len(target.objects))
		}
	}
}

// TestOwnerThatStays: a manifest keeps the owner whose UID is known beside one whose UID is not.
func TestOwnerThatStays(t *testing.T) {
	meta := Object{"ownerReferences": []any{Object{"name": "moves"}, Object{"name": "stays", "uid": "u"}}}
	run := newRun(t, t.TempDir(), "", false)
	if run.disown(meta, "moves"); Digest(meta) != Digest(Object{"ownerReferences": []any{Object{"name": "stays", "uid": "u"}}}) {
		t.Errorf("%v", meta)
	}
}
