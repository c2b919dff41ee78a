package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/report"
)

// writeChecks writes the section of a page of checks: a table in the words of
// the rules.
func writeChecks(w io.Writer, s report.Section) error {
	b := bufio.NewWriter(w) // it remembers its first error until Flush
	fmt.Fprintf(b, "\n## `cfctl %s`\n\n", s.Command)
	if s.About != "" {
		fmt.Fprintf(b, "%s\n\n", s.About)
	}
	fmt.Fprintf(b, "| rule | severity | passes when | needs |\n|---|---|---|---|\n")
	for _, r := range s.Rules {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", r.ID, r.Severity, inCell(r.Doc), inCell(r.Needs))
	}
	return b.Flush()
}

// writeFindingsPage writes what every finding means, and which commands have it:
// the rules of all sections by their id, in the order in which they are met.
func writeFindingsPage(w io.Writer, sections []report.Section) error {
	var order []string
	meanings := map[string]string{}
	for _, s := range sections {
		for _, r := range s.Rules {
			if _, seen := meanings[r.ID]; !seen {
				order = append(order, r.ID)
			}
			meanings[r.ID] += fmt.Sprintf("\n`cfctl %s`, %s: %s\n", s.Command, r.Severity, inCell(s.Meaning(r)))
		}
	}
	b := bufio.NewWriter(w)
	for _, id := range order {
		fmt.Fprintf(b, "\n## %s\n%s", id, meanings[id])
	}
	return b.Flush()
}

// inCell is a sentence as it may be in a cell of a Markdown table.
func inCell(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", "&lt;").Replace(text)
}

// TestPagesOfChecks writes what Markdown would take for markup as text.
func TestPagesOfChecks(t *testing.T) {
	s := report.Section{Command: "house", Holds: true, Rules: report.Rules{
		{ID: "door", Doc: "the door is *shut*", Severity: report.Warning}, {ID: "lamp", Doc: "it burns", Severity: report.Error, Needs: "`--light`"},
	}}
	var b strings.Builder
	if err := writeChecks(&b, s); err != nil || !strings.Contains(b.String(), "| `lamp` | error | it burns | `--light` |\n") {
		t.Errorf("%v %s", err, b.String())
	}
	b.Reset()
	want := "\n## door\n\n`cfctl house`, warning: passes when the door is \\*shut\\*\n\n`cfctl yard`, note: a door\n"
	err := writeFindingsPage(&b, []report.Section{s, {Command: "yard", Rules: report.Rules{{ID: "door", Doc: "a door"}}}})
	if err != nil || !strings.HasPrefix(b.String(), want) {
		t.Errorf("%v\n%s", err, b.String())
	}
}
