// Package report holds findings and the forms in which they are printed.
//
// A command gathers Findings into a Report, in any order; Write sorts them by
// path, line, column and rule and prints one of the Formats. What is printed
// depends on the findings alone: no times, no absolute paths, no terminal.
package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A Progress receives what is to be said while a command runs: lines of the result, and
// what is being done now, which the next call replaces.
type Progress struct {
	Note, Status func(format string, args ...any)
}

// A Severity says what a finding means for a gate.
type Severity int

// The severities, mildest first.
const (
	Note    Severity = iota // for the reader; never fails a gate
	Warning                 // fails a gate only with --strict
	Error                   // fails a gate
)

var severityNames = [...]string{"note", "warning", "error"}

func (s Severity) String() string { return severityNames[s] }

// MarshalText spells the severity as its name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText takes a severity's name.
func (s *Severity) UnmarshalText(text []byte) error {
	i := slices.Index(severityNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown severity %q (known: %s)", text, strings.Join(severityNames[:], ", "))
	}
	*s = Severity(i)
	return nil
}

// A Finding is one thing to say about one place.
type Finding struct {
	Rule     string   `json:"rule"` // stable kebab-case id
	Severity Severity `json:"severity"`
	Path     string   `json:"path,omitempty"`   // slash-separated, relative to the tree; empty = no file
	Line     int      `json:"line,omitempty"`   // from 1; 0 = the whole file
	Column   int      `json:"column,omitempty"` // from 1, in characters; 0 = the whole line
	Message  string   `json:"message"`
	Count    int      `json:"count,omitempty"` // places of the file that it is about; 0 = this one
	Lines    []int    `json:"lines,omitempty"` // theirs, in order

	Component string `json:"component,omitempty"` // matrix and release: the component that the finding is about
	Version   string `json:"version,omitempty"`   // its version, as written
	Expected  string `json:"expected,omitempty"`
	Actual    string `json:"actual,omitempty"`
	Old       string `json:"old,omitempty"` // migrate: the spelling that is there
	New       string `json:"new,omitempty"` // and the one it becomes
	Hint      string `json:"hint,omitempty"`
	URL       string `json:"url,omitempty"` // where to read more

	Fixes []Fix `json:"fixes,omitempty"` // mechanical remedy; all of them together
}

// A Fix is one edit of a file that remedies a finding. Position and End are
// the places of Edit.Start and Edit.End for forms that count lines.
type Fix struct {
	Path     string          `json:"path"`
	Edit     source.Edit     `json:"-"`
	Start    int             `json:"start"` // byte offsets, half-open
	Stop     int             `json:"end"`
	Text     string          `json:"text"`
	Position source.Position `json:"-"`
	End      source.Position `json:"-"`
}

// NewFix returns the fix that makes edit in data, the content of path.
func NewFix(path string, data []byte, edit source.Edit) Fix {
	return Fix{
		Path: path, Edit: edit, Start: edit.Start, Stop: edit.End, Text: edit.New,
		Position: source.PositionAt(data, edit.Start), End: source.PositionAt(data, edit.End),
	}
}

// A Rule describes one kind of finding, for the forms that carry a catalogue.
type Rule struct {
	ID       string
	Doc      string // one sentence
	URL      string
	Severity Severity // the usual one
	Needs    string   // what must be given for it to be checked: "--catalog"; empty = nothing
}

// A Skip is a file or folder that was seen and not read, with the reason.
type Skip struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// A Report is what a command has to say.
type Report struct {
	Command  string // "migrate", "matrix check": names the run in SARIF and JUnit
	Version  string // cfctl's own version
	Rules    Rules  // every rule that was checked; printed by sarif and junit
	Findings []Finding
	Skipped  []Skip         // printed by json, and by text when asked for by the command
	Summary  map[string]any // extra top-level members of the json form; keys must not collide with its own
	Title    string         // heading of the markdown form; empty = Command
	Below    string         // folder of the work tree that paths are relative to: forms for servers say them from its top
	Full     bool           // json: component, path and line are in every finding, also when empty
}

// Sort puts findings in their printed order: path, line, column, rule, message.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.Component, b.Component), strings.Compare(a.Message, b.Message))
	})
	slices.SortStableFunc(r.Skipped, func(a, b Skip) int { return strings.Compare(a.Path, b.Path) })
}

// Count returns how many findings have the severity.
func (r *Report) Count(s Severity) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Formats are the values of --output, in the order of the help text.
var Formats = []string{"text", "json", "sarif", "github", "markdown", "junit", "gitlab"}

// Write prints the report in one of the Formats. The github form is the
// workflow commands alone; the job summary is the markdown form, which the
// caller appends to $GITHUB_STEP_SUMMARY. An unknown format is an error.
func Write(w io.Writer, format string, r *Report) error {
	r.Sort()
	if r.Below != "" && slices.Contains([]string{"sarif", "github", "junit", "gitlab"}, format) {
		r = r.fromTop()
	}
	switch format {
	case "text":
		return WriteText(w, r, func(_, text string) Raw { return Raw(Visible(text)) })
	case "json":
		return writeJSON(w, r)
	case "sarif":
		return writeSARIF(w, r)
	case "github":
		return writeGitHub(w, r)
	case "markdown":
		return writeMarkdown(w, r)
	case "junit":
		return writeJUnit(w, r)
	case "gitlab":
		return writeGitLab(w, r)
	}
	return fmt.Errorf("unknown output format %q (known: %s)", format, strings.Join(Formats, ", "))
}

// fromTop is the report with paths from the top of the work tree, as servers
// know its files.
func (r *Report) fromTop() *Report {
	top := *r
	top.Findings = slices.Clone(r.Findings)
	for i := range top.Findings {
		f := &top.Findings[i]
		if f.Path != "" {
			f.Path = path.Join(r.Below, f.Path)
		}
		f.Fixes = slices.Clone(f.Fixes)
		for k := range f.Fixes {
			f.Fixes[k].Path = path.Join(r.Below, f.Fixes[k].Path)
		}
	}
	return &top
}

// Place is "path:line:col", as much of it as the finding has.
func (f Finding) Place() string {
	switch {
	case f.Path == "":
		return ""
	case f.Line == 0:
		return f.Path
	case f.Column == 0:
		return fmt.Sprintf("%s:%d", f.Path, f.Line)
	}
	return fmt.Sprintf("%s:%d:%d", f.Path, f.Line, f.Column)
}

// severityColors are those of a finding's severity, as SGR codes.
var severityColors = map[Severity]string{Error: "31", Warning: "33", Note: "2"}

// WriteText prints "path:line:col: severity: message [rule]", and the hint on a line
// of its own, each part in its style by SGR code. Severity note is left out: it is not
// an alarm.
func WriteText(w io.Writer, r *Report, style func(sgr, text string) Raw) error {
	r.Sort()
	b := bufio.NewWriter(w) // it remembers its first error until Flush
	for _, f := range r.Findings {
		if p := f.Place(); p != "" {
			_, _ = Fprintf(b, "%s ", style("1", p+":"))
		}
		if f.Severity != Note {
			_, _ = Fprintf(b, "%s ", style(severityColors[f.Severity], f.Severity.String()+":"))
		}
		_, _ = Fprintf(b, "%s %s\n", Lines("    ", f.Message), style("2", "["+f.Rule+"]"))
		if f.Hint != "" {
			_, _ = Fprintf(b, "    %s %s\n", style("36", "hint:"), Lines("    ", f.Hint))
		}
	}
	return b.Flush()
}
