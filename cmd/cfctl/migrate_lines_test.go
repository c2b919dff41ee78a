package main

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/migrate"
)

// previewed is the preview of files on a terminal, in colours or without. What
// the terminal reads again is again.
func previewed(t *testing.T, on bool, again map[string]string, files ...[2]string) string {
	t.Helper()
	m, err := (&migrateOptions{rulesets: []string{"codeflare-groups"}}).migration(t.Context(), &terminal{})
	if err != nil {
		t.Fatal(err)
	}
	plan := &migrate.Plan{}
	for _, f := range files {
		if one := m.File(f[0], []byte(f[1])); one != nil {
			plan.Files = append(plan.Files, one)
		}
	}
	term, out := colored(on)
	term.heads = true
	err = term.showPlan(&migrateOptions{output: "text", verbose: true}, plan, func(name string) ([]byte, error) { return []byte(again[name]), nil })
	if err != nil || term.flush() != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestPreviewOnATerminal: the path of a file stands once, its lines below it,
// the old beside the new; colours add nothing but themselves.
func TestPreviewOnATerminal(t *testing.T) {
	a := [2]string{"a.yaml", "apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\n---\nrules:\n\t- apiGroups: [mcad.ibm.com, \"mcad.ibm.com\"] # \x1b[2J" + strings.Repeat("x", 100) + "\n"}
	b := [2]string{"b.yaml", "apiVersion: mcad.ibm.com/v1beta1\r\nkind: AppWrapper\r\n"}
	const want = `a.yaml
    1:13  apiVersion: [-mcad.ibm.com/v1beta1-]{+workload.codeflare.dev/v1beta1+}  appwrapper-group

b.yaml
    1:13  apiVersion: [-mcad.ibm.com/v1beta1-]{+workload.codeflare.dev/v1beta1+}  appwrapper-group
`
	first := [2]string{"a.yaml", "apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\n"}
	same := map[string]string{"a.yaml": first[1], "b.yaml": b[1]}
	if got := previewed(t, false, same, first, b); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	bright := previewed(t, true, same, first, b)
	for _, piece := range []string{"\x1b[1ma.yaml\x1b[0m\n", "\x1b[9;31mmcad.ibm.com/v1beta1\x1b[0m\x1b[1;32mworkload.codeflare.dev/v1beta1\x1b[0m"} {
		if !strings.Contains(bright, piece) {
			t.Errorf("no %q in %q", piece, bright)
		}
	}

	// Somebody's control characters are shown, and a long line is cut.
	got := previewed(t, false, map[string]string{"a.yaml": a[1]}, a)
	if strings.Contains(got, "\x1b") || strings.Contains(got, strings.Repeat("x", margin+1)) || strings.Contains(got, "\t") {
		t.Errorf("%q", got)
	}
	// A file that is another by now is not shown as it was.
	got = previewed(t, false, map[string]string{"a.yaml": "kind: Other\n"}, first)
	if !strings.Contains(got, "1:13  [-mcad.ibm.com/v1beta1-] → {+workload.codeflare.dev/v1beta1+}") || strings.Contains(got, "Other") {
		t.Errorf("%q", got)
	}
}

// TestLineWithTwoChanges: both stand in one line of the preview.
func TestLineWithTwoChanges(t *testing.T) {
	role := "kind: ClusterRole\napiVersion: rbac.authorization.k8s.io/v1\nrules:\n- apiGroups: [mcad.ibm.com, mcad.ibm.com]\n  resources: [appwrappers]\n"
	got := previewed(t, false, map[string]string{"role.yaml": role}, [2]string{"role.yaml", role})
	if !strings.Contains(got, "- apiGroups: [[-mcad.ibm.com-]{+workload.codeflare.dev+}, [-mcad.ibm.com-]]  appwrapper-group, appwrapper-group (goes: workload.codeflare.dev is in the list)\n") {
		t.Errorf("%s", got)
	}
}

// TestClock: what is waited for longest is said, and since when.
func TestClock(t *testing.T) {
	at := time.Date(2026, 3, 2, 12, 30, 0, 0, time.UTC)
	w := waiting{"built:oven": at, "menu-merged": at.Add(5 * time.Minute)}
	if got := w.say(at.Add(2*time.Hour + 5*time.Minute)); got != "… waiting for built:oven since 12:30 (2 h 5 min) and for 1 more" {
		t.Errorf("%q", got)
	}
	if got := (waiting{}).say(at); got != "" {
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
			term.status("reading: %s", plural(int(n.Load()), "file"))
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
