package train

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/report"
)

// markColors are those of the signs of a step's state.
var markColors = map[string]string{Marks[Done]: "32", Marks[Waiting]: "33", Marks[Missing]: "36", Marks[Conflict]: "31", Marks[Blocked]: "2"}

// Mark is the sign of a step's state, in its colour where that is wanted.
func Mark(s State, colored bool) report.Raw {
	sign := Marks[s]
	if code := markColors[sign]; colored && code != "" {
		sign = "\x1b[" + code + "m" + sign + "\x1b[0m"
	}
	return report.Raw(sign)
}

// Paint gives the sign that a line begins with its colour; the other lines stay.
func Paint(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		_, size := utf8.DecodeRuneInString(line)
		if code := markColors[line[:size]]; code != "" && strings.HasPrefix(line[size:], " ") {
			line = "\x1b[" + code + "m" + line[:size] + "\x1b[0m" + line[size:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// WritePlan prints what a run would do; brief is without diffs and texts.
func WritePlan(w io.Writer, title string, r *Result, brief, colored bool) {
	report.Fprintf(w, "%s: %d steps\n\n", title, len(r.Steps))
	requests := 0
	for _, st := range r.Steps {
		name := report.Raw(report.Sprintf("%-20s", st.Name))
		if colored {
			name = "\x1b[1m" + name + "\x1b[0m"
		}
		report.Fprintf(w, "%s %s %s\n", Mark(st.State, colored), name, st.Title)
		if st.State != Missing {
			report.Fprintf(w, "    %s: %s\n", st.State, report.Lines("    ", st.Text))
			continue
		}
		for _, e := range st.Effects {
			requests++
			text := e.Text
			if text != "" {
				text = "(" + text + ")"
			}
			report.Fprintf(w, "    %s\n", strings.TrimSpace(e.String()+"  "+text))
		}
		if !brief && st.Detail != "" {
			report.Fprintf(w, "%s\n", report.Lines("      ", "\n"+st.Detail)[1:])
		}
	}
	report.Fprintf(w, "\n%d mutating requests\n", requests)
}

// WritePlanJSON prints a plan as JSON.
func WritePlanJSON(w io.Writer, version string, r *Result) error {
	return report.WriteJSON(w, struct {
		Schema   int              `json:"schema"`
		Version  string           `json:"version"`
		Steps    []StepResult     `json:"steps"`
		Findings []report.Finding `json:"findings"`
	}{1, version, r.Steps, r.Findings})
}
