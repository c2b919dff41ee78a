package migration

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
)

var codes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// style is that of a terminal with colours, or without.
func style(on bool) func(sgr, text string) report.Raw {
	return func(sgr, text string) report.Raw {
		if text = report.Visible(text); on && text != "" {
			text = "\x1b[" + sgr + "m" + text + "\x1b[0m"
		}
		return report.Raw(text)
	}
}

// previewed is the preview of files on a terminal, in colours or without. What
// the terminal reads again is again.
func previewed(t *testing.T, on bool, again map[string]string, files ...[2]string) string {
	t.Helper()
	m, err := (&Options{Rulesets: []string{"codeflare-groups"}}).Migration(t.Context(), &project.User{})
	if err != nil {
		t.Fatal(err)
	}
	plan := &migrate.Plan{}
	for _, f := range files {
		plan.Files = append(plan.Files, m.One(f[0], []byte(f[1])).Files...)
	}
	var out strings.Builder
	(&Preview{Out: &out, Style: style(on), Heads: true, Verbose: true}).Plan(plan, func(name string) ([]byte, error) { return []byte(again[name]), nil })
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

	if plain := codes.ReplaceAllString(bright, ""); plain != want {
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
	m, err := (&Options{Rulesets: []string{"codeflare-groups"}}).Migration(t.Context(), &project.User{})
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range []int{0, 60, 80, 120, 200} {
		var out strings.Builder
		p := &Preview{Out: &out, Style: style(false), Heads: true, Columns: columns}
		p.Plan(m.One("a.yaml", []byte(a)), func(string) ([]byte, error) { return []byte(a), nil })
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

// TestTasksAreWhole: a checklist has a box for each task with its places, and prompts are
// separated by lines of ---.
func TestTasksAreWhole(t *testing.T) {
	tasks := []migrate.Task{{Title: "a | b", Places: []string{"a.yaml:1:2"}, Do: "look", Check: "cfctl migrate --check"}, {Title: "c", Check: "cfctl migrate --check"}}
	list := Tasks(tasks, false)
	if strings.Count(list, "- [ ] ") != 2 || !strings.Contains(list, "  - `a.yaml:1:2`\n  - Do: look\n") {
		t.Errorf("%s", list)
	}
	if prompts := Tasks(tasks, true); strings.Count(prompts, "---\n") != 1 || strings.Count(prompts, "Problem: ") != 2 || strings.HasPrefix(prompts, "---") {
		t.Errorf("%s", prompts)
	}
}
