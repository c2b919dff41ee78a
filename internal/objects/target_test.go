package objects

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// oddNames are names and namespaces that would lead out of a folder, or into a
// command.
var oddNames = []string{"..", "../../x", "/etc", "a/b", `a\b`, "x; touch y", "$(id)", "A", "-a", "a\nb", "a.yaml/..", strings.Repeat("a", 300)}

// TestDirStaysInside: nothing is written, read or deleted outside of a folder,
// whatever objects are called.
func TestDirStaysInside(t *testing.T) {
	top := t.TempDir()
	outside := filepath.Join(top, "thing-x.yaml")
	os.WriteFile(outside, []byte("apiVersion: v1\nkind: Thing\nmetadata: {name: x}\n"), 0o644)
	dir := &Dir{Root: filepath.Join(top, "out")}
	ctx := context.Background()
	for _, odd := range append(oddNames, "") {
		for _, ref := range []Ref{{"v1", "Thing", odd, "x"}, {"v1", "Thing", "a", odd}, {odd, "Thing", "a", "x"}, {"v1", odd, "a", "x"}, {odd + "/v1", "Thing", "a", "x"}} {
			if BadRef(ref) == nil {
				if odd != "" && (ref.Namespace == odd || ref.Name == odd) {
					t.Errorf("%q is taken", ref)
				}
				continue // a kind may begin with a capital letter
			}
			o := Object{"apiVersion": ref.APIVersion, "kind": ref.Kind, "metadata": Object{"name": ref.Name, "namespace": ref.Namespace}}
			if _, err := dir.Create(ctx, Resource{}, o); err == nil {
				t.Errorf("%q was created", ref)
			}
			if _, err := dir.Get(ctx, Resource{}, ref); err == nil {
				t.Errorf("%q was read", ref)
			}
			if err := dir.Delete(ctx, Resource{}, Stored{Ref: ref, digest: Digest(Normal(o))}); err == nil {
				t.Errorf("%q was deleted", ref)
			}
		}
	}
	if got := files(t, top); !slices.Equal(got, []string{"thing-x.yaml"}) {
		t.Errorf("there is %q", got)
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			list = append(list, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestOddNamesAreRefused: an object that cannot be called so is refused with
// its place and the rest are created, also by a ledger that names it.
func TestOddNamesAreRefused(t *testing.T) {
	dir := t.TempDir()
	text := list(2) + "- apiVersion: v1\n  kind: Thing\n  metadata: {name: t9, namespace: ../../.., uid: u9}\n"
	run := newRun(t, dir, text, true)
	r, err := run.Apply(context.Background())
	if got := counts(t, r, err); got != "2 created, 1 refused" {
		t.Fatalf("got %s", got)
	}
	if o := r.Outcomes[2]; o.Reason != "bad-namespace" || o.Origin.Line != 12 {
		t.Errorf("refused as %s at line %d", o.Reason, o.Origin.Line)
	}
	if err := run.Ledger.record(Entry{State: Created, Origin: Origin{ID: "u9"}, New: Ref{"v1", "Thing", "../..", "x"}}); err != nil {
		t.Fatal(err)
	}
	r, err = run.Rollback(context.Background(), false)
	if got := counts(t, r, err); got != "1 refused, 2 deleted" || r.Outcomes[0].Reason != "bad-namespace" {
		t.Errorf("rollback: %s", got)
	}
}

// TestDirThroughALink: a folder of the target that is a link is nothing to
// write through.
func TestDirThroughALink(t *testing.T) {
	dir := t.TempDir()
	os.MkdirAll(filepath.Join(dir, "out"), 0o755)
	os.MkdirAll(filepath.Join(dir, "elsewhere"), 0o755)
	if err := os.Symlink("../elsewhere", filepath.Join(dir, "out", "a")); err != nil {
		t.Skip(err)
	}
	if _, err := newRun(t, dir, list(1), true).Apply(context.Background()); err == nil || !strings.Contains(err.Error(), "out/a: not a directory") {
		t.Error(err)
	}
	if got := files(t, filepath.Join(dir, "elsewhere")); len(got) > 0 {
		t.Errorf("there is %q", got)
	}
}

// TestUnreadableManifestInTheTarget: a file in the place of one object is that
// object's conflict; the rest are created, verified and compared.
func TestUnreadableManifestInTheTarget(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "out", "a", "thing-t1.yaml")
	os.MkdirAll(filepath.Dir(file), 0o755)
	os.WriteFile(file, []byte("{[\n"), 0o644)
	run := func() *Run {
		r := newRun(t, dir, list(3), true)
		t.Cleanup(func() { r.Ledger.Close() })
		return r
	}
	first := run()
	r, err := first.Apply(context.Background())
	if got := counts(t, r, err); got != "2 created, 1 conflict" {
		t.Errorf("apply: %s", got)
	}
	first.Ledger.Close()
	second := run()
	r, err = second.Verify(context.Background())
	if got := counts(t, r, err); got != "2 same, 1 differs" {
		t.Errorf("verify: %s", got)
	}
	second.Ledger.Close()
	d, err := run().Drift(context.Background())
	if err != nil || d.Summary() != "2 in-sync, 1 drifted" {
		t.Errorf("drift: %v %v", d.Summary(), err)
	}
}

// An answer without a message is reported with its status.
func TestAnswerWithoutCause(t *testing.T) {
	c := &Cluster{host: "https://cluster.example.com"}
	err := c.createError(Ref{}, &apierrors.StatusError{ErrStatus: metav1.Status{Code: 504, Reason: metav1.StatusReasonTimeout}})
	if err == nil || err.Error() != "https://cluster.example.com: answered 504 Timeout without a cause" {
		t.Error(err)
	}
}
