package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// escapeData and escapeProperty keep a message on the one line that a workflow
// command has.
// Source: actions/toolkit, packages/core/src/command.ts.
var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// writeGitHub prints one workflow command per finding.
func writeGitHub(w io.Writer, r *Report) error {
	commands := map[Severity]string{Note: "notice", Warning: "warning", Error: "error"}
	var b strings.Builder
	for _, f := range r.Findings {
		var props []string
		add := func(key, value string) {
			props = append(props, key+"="+escapeProperty.Replace(value))
		}
		if f.Path != "" {
			add("file", string(Lines("", f.Path)))
		}
		if f.Line > 0 {
			add("line", fmt.Sprint(f.Line))
		}
		if f.Column > 0 {
			add("col", fmt.Sprint(f.Column))
		}
		add("title", f.Rule)
		message := f.Message
		if f.Hint != "" {
			message += "\nhint: " + f.Hint
		}
		fmt.Fprintf(&b, "::%s %s::%s\n", commands[f.Severity], strings.Join(props, ","), escapeData.Replace(string(Lines("", message))))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeMarkdown prints a heading, one line of counts and a table.
func writeMarkdown(w io.Writer, r *Report) error {
	title := cmp.Or(r.Title, "cfctl "+r.Command)
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n%s\n", Visible(title), counts(r))
	if len(r.Findings) > 0 {
		b.WriteString("\n| | place | finding | rule |\n|---|---|---|---|\n")
	}
	marks := map[Severity]string{Note: "note", Warning: "⚠️ warning", Error: "❌ error"}
	for _, f := range r.Findings {
		message := f.Message
		if f.Hint != "" {
			message += " (" + f.Hint + ")"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", marks[f.Severity], Code(f.Place()), Cell(message), Code(f.Rule))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// counts says how many findings of each severity there are.
func counts(r *Report) string {
	if len(r.Findings) == 0 {
		return "Nothing to report."
	}
	var parts []string
	for _, s := range []Severity{Error, Warning, Note} {
		if n := r.Count(s); n > 0 {
			parts = append(parts, Plural(n, s.String()))
		}
	}
	return strings.Join(parts, ", ") + "."
}

// mention is what a forge takes for the name of a user or a team.
var mention = lazyregexp.New(`@[A-Za-z0-9][A-Za-z0-9/-]*`)

// inCell writes what Markdown would take for markup in a table cell as text.
var inCell = strings.NewReplacer("\\", `\\`, "|", `\|`, "\n", "<br>", "\r", "", "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`)

// Cell makes text of another user fit for a table cell of Markdown: nothing in
// it is markup or mentions a user: names of users are code spans.
func Cell(text string) string {
	text = string(Lines("", text))
	var b strings.Builder
	at := 0
	for _, m := range mention.Get().FindAllStringIndex(text, -1) {
		b.WriteString(inCell.Replace(text[at:m[0]]) + "`" + text[m[0]:m[1]] + "`")
		at = m[1]
	}
	return b.String() + inCell.Replace(text[at:])
}

// Code makes text of another user a code span that may be in a table cell.
// Its fence is longer than any in the text.
func Code(text string) string {
	if text == "" {
		return ""
	}
	text = strings.ReplaceAll(Visible(text), "|", `\|`)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) == 1 {
		return "`" + text + "`"
	}
	return fence + " " + text + " " + fence
}
