package objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// copies is a kind that moves objects as they are.
type copies struct{ source Source }

func (k copies) Name() string          { return "copies" }
func (k copies) Resources() []Resource { return []Resource{{APIVersion: "v1", Kind: "Thing"}} }
func (k copies) Items(ctx context.Context, emit func(*Item) error) error {
	return k.source.Objects(ctx, func(r Record) error {
		if r.Err != nil {
			return emit(UnreadableItem(r))
		}
		return emit(&Item{Origin: OriginOf(r), Want: Normal(r.Object)})
	})
}

func thing(n int, extra string) string {
	return fmt.Sprintf("- apiVersion: v1\n  kind: Thing\n  metadata: {name: t%d, namespace: a, uid: u%d}\n  spec: {n: %d}\n%s", n, n, n, extra)
}

func list(n int) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: List\nitems:\n")
	for i := range n {
		b.WriteString(thing(i, ""))
	}
	return b.String()
}

func newRun(t *testing.T, dir, text string, write bool) *Run {
	t.Helper()
	l, err := OpenLedger(filepath.Join(dir, "ledger.jsonl"), "copies", write, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return &Run{Kind: copies{&Files{Path: "-", Stdin: strings.NewReader(text)}}, Target: &Dir{Root: filepath.Join(dir, "out")}, Ledger: l}
}

func counts(t *testing.T, r *Result, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return r.Summary()
}

// TestBadInput: one bad object is refused with its place, the rest is done.
func TestBadInput(t *testing.T) {
	bomb := "- apiVersion: v1\n  kind: Thing\n  a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		bomb += fmt.Sprintf("  %c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	big := "- apiVersion: v1\n  kind: Thing\n  metadata: {name: big, namespace: a, uid: big}\n  spec: {text: " + strings.Repeat("x", MaxObject) + "}\n"
	tests := []struct{ name, text, reason string }{
		{"alias bomb", list(2) + bomb, "alias-bomb"},
		{"over 1.5 MiB", list(2) + big, "too-large"},
		{"unreadable among others", list(1) + "- {broken: [\n" + thing(1, ""), "unreadable"},
		{"two of one name", list(2) + strings.Replace(thing(1, ""), "u1", "u9", 1), "name-clash"},
		{"the same twice", list(2) + thing(1, ""), "duplicate"},
		{"no name", list(2) + "- {apiVersion: v1, kind: Thing, metadata: {uid: z}}\n", "bad-name"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := newRun(t, t.TempDir(), tt.text, true).Apply(context.Background())
			if got := counts(t, r, err); got != "2 created, 1 refused" {
				t.Fatalf("got %s", got)
			}
			for _, o := range r.Outcomes {
				if o.Status == StatusRefused && (o.Reason != tt.reason || o.Origin.Line == 0) {
					t.Errorf("refused as %s at line %d: %s", o.Reason, o.Origin.Line, o.message)
				}
			}
		})
	}
}

func TestUnreadableAmongTenThousand(t *testing.T) {
	text := list(9_999) + "- [not, an, object]\n"
	r, err := newRun(t, t.TempDir(), text, false).Plan(context.Background())
	if got := counts(t, r, err); got != "9999 to create, 1 refused" {
		t.Errorf("got %s", got)
	}
}

// dying is a target whose process ends after some creations, before or after
// the object is there.
type dying struct {
	Target
	left  atomic.Int64 // several workers create
	after bool
}

var errDead = errors.New("killed")

func (d *dying) Create(ctx context.Context, r Resource, o Object) (Object, error) {
	dead := d.left.Add(-1) < 0
	if dead && !d.after {
		return nil, errDead
	}
	made, err := d.Target.Create(ctx, r, o)
	if dead {
		return nil, errDead
	}
	return made, err
}

// TestKilledAnywhere: whatever write a run ends at, the next one finishes it,
// and a rollback leaves nothing of it.
func TestKilledAnywhere(t *testing.T) {
	const n = 5
	for at := range n {
		for _, after := range []bool{false, true} {
			dir := t.TempDir()
			first := newRun(t, dir, list(n), true)
			killer := &dying{Target: first.Target, after: after}
			killer.left.Store(int64(at))
			first.Target = killer
			if _, err := first.Apply(context.Background()); err == nil {
				t.Fatal("it was not killed")
			}
			first.Ledger.Close()
			cut(t, filepath.Join(dir, "ledger.jsonl"))
			second := newRun(t, dir, list(n), true)
			r, err := second.Apply(context.Background())
			if err != nil || !r.ok() || r.Counts[StatusCreated]+r.Counts[statusSame] != n {
				t.Fatalf("killed at %d: %v %v", at, r.Counts, err)
			}
			back, err := second.Rollback(context.Background(), false)
			if got := counts(t, back, err); got != fmt.Sprintf("%d deleted", n) {
				t.Fatalf("killed at %d: rollback: %s", at, got)
			}
		}
	}
}

// cut leaves half a line at the end of a file, as a crash does.
func cut(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, `{"entry":{"state":"crea`)
	f.Close()
}

func TestRollbackRefusesWhatChanged(t *testing.T) {
	dir := t.TempDir()
	unmanaged := filepath.Join(dir, "out", "a", "thing-unmanaged.yaml")
	os.MkdirAll(filepath.Dir(unmanaged), 0o755)
	os.WriteFile(unmanaged, []byte("apiVersion: v1\nkind: Thing\nmetadata: {name: unmanaged, namespace: a}\n"), 0o644)
	run := newRun(t, dir, list(3), true)
	if _, err := run.Apply(context.Background()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "out", "a", "thing-t1.yaml")
	data, _ := os.ReadFile(file)
	os.WriteFile(file, bytes.Replace(data, []byte(`"n": 1`), []byte(`"n": 7`), 1), 0o644)
	r, err := run.Rollback(context.Background(), false)
	if got := counts(t, r, err); got != "1 refused, 2 deleted" {
		t.Errorf("got %s", got)
	}
	for _, f := range []string{unmanaged, file} {
		if _, err := os.Stat(f); err != nil {
			t.Error(err)
		}
	}
}

// A folder is what the source says, whatever the ledger next to it: an empty mapping that is
// lost, a value that is another one, a field more.
func TestVerifyBelievesNoLedger(t *testing.T) {
	const source = "apiVersion: v1\nkind: Thing\nmetadata: {name: t, namespace: a, uid: u}\nspec: {size: 1, volume: {}}\n"
	for change, want := range map[[2]string]string{
		{"", ""}:                                 "1 same",
		{"volume: {}", "other: 1"}:               "1 differs",
		{"\n  volume: {}", ""}:                   "1 differs",
		{"size: 1", "size: 2"}:                   "1 differs",
		{"size: 1", "size: 1\n  root: true"}:     "1 differs",
		{"size: 1", "size: 1\n  selector: {}"}:   "1 differs",
		{"size: 1", "size: 1\n  selector: null"}: "1 same",
	} {
		dir := t.TempDir()
		run := newRun(t, dir, source, true)
		if _, err := run.Apply(context.Background()); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "out", "a", "thing-t.yaml")
		data, _ := os.ReadFile(file)
		changed := strings.Replace(string(data), change[0], change[1], 1)
		if err := os.WriteFile(file, []byte(changed), 0o644); err != nil || changed == string(data) && change[0] != "" {
			t.Fatalf("%q: %v in\n%s", change, err, data)
		}
		now, err := Parse([]byte(changed))
		if err != nil {
			t.Fatal(err)
		}
		e := *run.Ledger.Entry("u")
		if e.Digest = Digest(Normal(now.(map[string]any))); !e.Same {
			t.Fatal("not the same at first")
		}
		if err := run.Ledger.record(e); err != nil {
			t.Fatal(err)
		}
		run.Kind = copies{&Files{Path: "-", Stdin: strings.NewReader(source)}}
		r, err := run.Verify(context.Background())
		if got := counts(t, r, err); got != want {
			t.Errorf("%q: got %s, want %s", change, got, want)
		}
	}
}

// endless gives n objects without holding them.
type endless int

func (n endless) Objects(_ context.Context, each func(Record) error) error {
	for i := range int(n) {
		o := Object{"apiVersion": "v1", "kind": "Thing", "metadata": Object{"name": fmt.Sprint("t", i), "namespace": "a", "uid": fmt.Sprint(i)}, "spec": Object{"text": strings.Repeat("x", 1000)}}
		if err := each(Record{Object: o, Path: "dump.yaml", Line: i}); err != nil {
			return err
		}
	}
	return nil
}

// A plan of 20,000 objects keeps little of each. What the
// whole process takes is measured by TestScale.
func TestManyObjectsKeepLittle(t *testing.T) {
	run := newRun(t, t.TempDir(), "", false)
	run.Kind, run.Brief = copies{endless(20_000)}, true
	var told Progress
	run.Progress = func(p Progress) { told = p }
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := run.Plan(context.Background())
	if got := counts(t, r, err); got != "20000 to create" {
		t.Fatalf("got %s", got)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 10<<20 {
		t.Errorf("%d KiB are kept", kept>>10)
	}
	if told.Objects != 20_000 {
		t.Errorf("progress told %d", told.Objects)
	}
	runtime.KeepAlive(r)
}

// TestLongestName: the longest name of an object has a file, too.
func TestLongestName(t *testing.T) {
	text := strings.Replace(list(2), "name: t1", "name: "+strings.Repeat("x", MaxName), 1)
	dir := t.TempDir()
	for _, want := range []string{"2 created", "2 same"} {
		run := newRun(t, dir, text, true)
		r, err := run.Apply(context.Background())
		run.Ledger.Close()
		if got := counts(t, r, err); got != want {
			t.Errorf("got %s", got)
		}
	}
}

// ok says whether every item is the way it should be.
func (r *Result) ok() bool {
	n := r.Counts
	return n[StatusConflict]+n[StatusRefused]+n[StatusFailed]+n[StatusAbsent]+n[StatusDiffers] == 0
}
