package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migration"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/train"
)

// previewed is the preview of files on a terminal, in colours or without. What
// the terminal reads again is again.
func previewed(t *testing.T, on bool, again map[string]string, files ...[2]string) string {
	t.Helper()
	m, err := (&migration.Options{Rulesets: []string{"codeflare-groups"}}).Migration(t.Context(), &project.User{})
	if err != nil {
		t.Fatal(err)
	}
	plan := &migrate.Plan{}
	for _, f := range files {
		plan.Files = append(plan.Files, m.One(f[0], []byte(f[1])).Files...)
	}
	term, out := colored(on)
	term.heads = true
	err = term.showPlan(&migrateOptions{output: "text", verbose: true}, plan, func(name string) ([]byte, error) { return []byte(again[name]), nil })
	if err != nil || term.flush() != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestPreviewOnATerminal: the path of a file is shown once, then its lines, each
// before and after; colours add nothing but themselves.
func TestPreviewOnATerminal(t *testing.T) {
	a := [2]string{"a.yaml", "apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\n---\nrules:\n\t- apiGroups: [mcad.ibm.com, \"mcad.ibm.com\"] # \x1b[2J" + strings.Repeat("x", 100) + "\n"}
	b := [2]string{"b.yaml", "apiVersion: mcad.ibm.com/v1beta1\r\nkind: AppWrapper\r\n"}
	const want = `a.yaml
    1:13  - apiVersion: mcad.ibm.com/v1beta1
          + apiVersion: workload.codeflare.dev/v1beta1  [appwrapper-group]

b.yaml
    1:13  - apiVersion: mcad.ibm.com/v1beta1
          + apiVersion: workload.codeflare.dev/v1beta1  [appwrapper-group]
`
	first := [2]string{"a.yaml", "apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\n"}
	same := map[string]string{"a.yaml": first[1], "b.yaml": b[1]}
	if got := previewed(t, false, same, first, b); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	bright := previewed(t, true, same, first, b)
	for _, piece := range []string{"\x1b[1ma.yaml\x1b[0m\n", "\x1b[31m- \x1b[0m\x1b[31mapiVersion: \x1b[0m\x1b[1;31mmcad.ibm.com/v1beta1\x1b[0m\n", "\x1b[1;32mworkload.codeflare.dev/v1beta1\x1b[0m"} {
		if !strings.Contains(bright, piece) {
			t.Errorf("no %q in %q", piece, bright)
		}
	}

	if plain := sgr.ReplaceAllString(bright, ""); plain != want {
		t.Errorf("with colours there is other text:\n%s", plain)
	}

	// Control characters of a file are made visible, and a long line is cut.
	got := previewed(t, false, map[string]string{"a.yaml": a[1]}, a)
	if strings.Contains(got, "\x1b") || strings.Contains(got, strings.Repeat("x", 100)) || strings.Contains(got, "\t") {
		t.Errorf("%q", got)
	}
	// A file that is another by now is not shown as it was.
	got = previewed(t, false, map[string]string{"a.yaml": "kind: Other\n"}, first)
	if !strings.Contains(got, "1:13  - mcad.ibm.com/v1beta1\n          + workload.codeflare.dev/v1beta1  [") || strings.Contains(got, "Other") {
		t.Errorf("%q", got)
	}
}

// TestLineWithTwoChanges: both are in one line of the preview.
func TestLineWithTwoChanges(t *testing.T) {
	role := "kind: ClusterRole\napiVersion: rbac.authorization.k8s.io/v1\nrules:\n- apiGroups: [mcad.ibm.com, mcad.ibm.com]\n  resources: [appwrappers]\n"
	got := previewed(t, false, map[string]string{"role.yaml": role}, [2]string{"role.yaml", role})
	if !strings.Contains(got, "- - apiGroups: [mcad.ibm.com, mcad.ibm.com]\n          + - apiGroups: [workload.codeflare.dev, ]\n") {
		t.Errorf("%s", got)
	}
}

// TestPreviewFitsTheTerminal: no line of the preview is wider than the terminal, and
// what changes is in each.
func TestPreviewFitsTheTerminal(t *testing.T) {
	long := strings.Repeat("before ", 30) + "mcad.ibm.com/v1beta1" + strings.Repeat(" after", 30)
	a := "apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\n---\napiVersion: mcad.ibm.com/v1beta1 # a comment as wide as the terminal\nkind: AppWrapper\n# " + long + "\n"
	m, err := (&migration.Options{Rulesets: []string{"codeflare-groups"}}).Migration(t.Context(), &project.User{})
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range []int{0, 60, 80, 120, 200} {
		term, out := colored(false)
		term.heads, term.columns = true, columns
		plan := m.One("a.yaml", []byte(a))
		if err := term.showPlan(&migrateOptions{output: "text"}, plan, func(string) ([]byte, error) { return []byte(a), nil }); err != nil || term.flush() != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); columns > 0 && n > columns {
				t.Errorf("%d columns: %d: %s", columns, n, line)
			}
		}
		if !strings.Contains(out.String(), "+ apiVersion: workload.codeflare.dev/v1beta1") {
			t.Errorf("%d columns: %s", columns, out.String())
		}
	}
}

// TestClock: what is waited for longest is said, and since when.
func TestClock(t *testing.T) {
	at := time.Date(2026, 3, 2, 12, 30, 0, 0, time.UTC)
	w := train.Waits{"built:oven": at, "menu-merged": at.Add(5 * time.Minute)}
	if got := w.Say(at.Add(2*time.Hour + 5*time.Minute)); got != "… waiting for built:oven since 12:30 (2 h 5 min) and for 1 more" {
		t.Errorf("%q", got)
	}
	if got := (train.Waits{}).Say(at); got != "" {
		t.Errorf("%q", got)
	}
}

// TestLiveCount: files are counted on a terminal while they are read, and
// nowhere else.
func TestLiveCount(t *testing.T) {
	for _, live := range []bool{true, false} {
		var out bytes.Buffer
		term := newTerminal(nil, nil, &out, &out)
		term.live = live
		var n atomic.Int64
		n.Store(7)
		seen := make(chan bool, 1)
		stop := term.ticking(time.Millisecond, func() {
			term.status("reading: %s", report.Plural(int(n.Load()), "file"))
			select {
			case seen <- true:
			default:
			}
		})
		if live {
			<-seen
		}
		stop()
		if got := strings.Contains(out.String(), "reading: 7 files"); got != live {
			t.Errorf("live %v: %q", live, out.String())
		}
	}
}

// TestTrackedFiles: how many files a work tree has, as far as git has them.
func TestTrackedFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	git("init", "-q")
	for _, name := range []string{"a", "b", "sub/c"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]int{".": 3, "sub": 0} {
		git("add", ".")
		tree, err := source.Open([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		if got := tree.CountTracked([]string{path}); got != want {
			t.Errorf("%s: %d files, want %d", path, got, want)
		}
		_ = tree.Close()
	}
	for n, want := range map[int]string{0: "reading: 0 of about 3 files", 3: "reading: 3 of about 3 files", 4: "reading: 4 files"} {
		if got := countOf(n, 3); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
