package objects

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// remains are the files and folders below a folder, in order.
func remains(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, name)
		if rel != "." && !strings.HasPrefix(rel, "ledger") {
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

// TestFolderWithFilesThatAreNoManifests reads the other files of the folder, and
// reports each that cannot be read.
func TestFolderWithFilesThatAreNoManifests(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml": list(1), "b.yaml": "{{- if .Values.on }}\napiVersion: v1\n{{- end }}\n", "c.json": `{"kind":"List","items":[{"kind":`,
		"d.yaml": "apiVersion: v1\nkind: Thing\nmetadata: {name: d, namespace: a}\n", "e.yaml": "a: {{ .Values.x }}: b\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := newRun(t, t.TempDir(), "", true)
	r.Kind = copies{&Files{Path: dir}}
	res, err := r.Plan(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var refused []string
	for _, o := range res.Outcomes {
		if o.Status == StatusRefused {
			refused = append(refused, filepath.Base(o.Origin.Path))
		}
	}
	if res.Counts[statusMissing] != 2 || strings.Join(refused, " ") != "b.yaml c.json e.yaml" {
		t.Errorf("%v, refused %v", res.Counts, refused)
	}
}

// TestRollbackLeavesWhatWasThere: the folders that apply made are removed, those
// that were there stay.
func TestRollbackLeavesWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "there", "before"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := remains(t, dir)
	for range 2 {
		r := newRun(t, dir, list(3), true)
		r.Target = &Dir{Root: filepath.Join(dir, "there", "new", "out")}
		if res, err := r.Apply(context.Background()); err != nil || res.Counts[StatusCreated] != 3 {
			t.Fatalf("%v, %v", res, err)
		}
		r.Ledger.Close()
		r = newRun(t, dir, "", true)
		r.Target = &Dir{Root: filepath.Join(dir, "there", "new", "out")}
		if _, err := r.Rollback(context.Background(), false); err != nil {
			t.Fatal(err)
		}
		r.Ledger.Close()
		if got := remains(t, dir); got != before {
			t.Fatalf("left: %s, before: %s", got, before)
		}
	}
}

// TestKilledCreationLeavesNothing has a ledger and a folder as a run leaves them
// that was killed before, and right after, a manifest got its name.
func TestKilledCreationLeavesNothing(t *testing.T) {
	for _, linked := range []bool{false, true} {
		for _, next := range []string{"apply", "rollback"} {
			dir := t.TempDir()
			r := newRun(t, dir, list(1), true)
			out := r.Target.(*Dir)
			out.ledger = r.Ledger
			var it *Item
			if err := r.Kind.Items(context.Background(), func(i *Item) error { it = i; return nil }); err != nil {
				t.Fatal(err)
			}
			want := r.finished(it)
			if err := r.Ledger.record(r.entry(it, Creating, nil, false)); err != nil {
				t.Fatal(err)
			}
			if err := out.makeFolders(); err != nil {
				t.Fatal(err)
			}
			name, _ := out.file(RefOf(want))
			text, err := Manifest(want)
			if err != nil {
				t.Fatal(err)
			}
			write := []string{out.temp(name)}
			if linked {
				write = append(write, name)
			}
			for _, name := range write {
				file := filepath.Join(out.Root, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			r.Ledger.Close()
			r = newRun(t, dir, list(1), true)
			wanted := "out out/a out/a/thing-t0.yaml"
			if next == "apply" {
				_, err = r.Apply(context.Background())
			} else {
				_, err = r.Rollback(context.Background(), false)
				wanted = ""
			}
			if got := remains(t, dir); err != nil || got != wanted {
				t.Errorf("linked %v, %s: %q, %v, want %q", linked, next, got, err, wanted)
			}
		}
	}
}
