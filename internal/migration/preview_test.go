package migration

import (
	"regexp"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
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

// TestPreviewInColours: colours add nothing but themselves.
func TestPreviewInColours(t *testing.T) {
	m, err := (&Options{Rulesets: []string{"codeflare-groups"}}).Migration(t.Context(), &project.User{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "a.yaml:1:13: appwrapper-group: mcad.ibm.com/v1beta1 → workload.codeflare.dev/v1beta1\n"
	for _, on := range []bool{false, true} {
		var out strings.Builder
		(&Preview{Out: &out, Style: style(on)}).Plan(m.One("a.yaml", []byte("apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\n")))
		if plain := codes.ReplaceAllString(out.String(), ""); plain != want || on == (plain == out.String()) {
			t.Errorf("colours %v: %q", on, out.String())
		}
	}
}

// TestOneQuestionIsAskedOnce: entries of several files that ask the same are one, with their places.
func TestOneQuestionIsAskedOnce(t *testing.T) {
	entry := func(name, old string, lines ...int) *migrate.File {
		f := &migrate.File{Path: name}
		for _, n := range lines {
			v := judge.Because(judge.NotServed, "a CRD of this tree does not serve it")
			f.Sites = append(f.Sites, migrate.Site{Verdict: v, Old: old, Pos: source.Position{Line: n, Column: 1}})
		}
		return f
	}
	var out strings.Builder
	(&Preview{Style: style(false)}).Review(&out, &migrate.Plan{Files: []*migrate.File{entry("a/x.yaml", "a.example.com", 3), entry("a/y.yaml", "b.example.com", 4), entry("b/x.yaml", "a.example.com", 5, 6), entry("c.yaml", "a.example.com", 7)}})
	if want := "a/x.yaml:3:1: a.example.com: a CRD of this tree does not serve it\n    also: a/y.yaml:4:1 (b.example.com), b/x.yaml:5,6 (a.example.com), c.yaml:7:1 (a.example.com)\n"; !strings.Contains(out.String(), want) {
		t.Errorf("%s", out.String())
	}
}

// TestTasksAreWhole: a checklist has a box for each task with its places, and prompts are
// separated by lines of ---.
func TestTasksAreWhole(t *testing.T) {
	tasks := []migrate.Task{{Title: "a | b", Places: []string{"a.yaml:1:2"}, Do: "look"}, {Title: "c"}}
	list := Tasks(tasks, false)
	if strings.Count(list, "- [ ] ") != 2 || !strings.Contains(list, "  - `a.yaml:1:2`\n  - Do: look\n") {
		t.Errorf("%s", list)
	}
	if prompts := Tasks(tasks, true); strings.Count(prompts, "---\n") != 1 || strings.Count(prompts, "Problem: ") != 2 || strings.HasPrefix(prompts, "---") {
		t.Errorf("%s", prompts)
	}
}
