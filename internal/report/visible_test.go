package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"unicode"
)

// hostile are names that a user could give a file, a tag or a commit.
var hostile = []string{
	"x\n::error file=README.md,line=1::of a file name\n.yaml", "::add-mask::x", "  ::stop-commands::y", "a\r::warning::z",
	"\x1b]0;title\a\x1b[31mred\x1b[2J.yaml", "##[add-mask]a.yaml", "x ##[error] y", "##vso[task.complete result=Succeeded;]", "a##TeamCity[x]", "a`` | <img src=x> @everyone [x](http://h) ```.yaml",
	"bad\xff\xfeutf8.yaml", "u\u202e\u200b\u2066bidi.yaml", "nul\x00del\x7fc1\u009b.yaml", "line\u2028sep", "tab\tname",
}

// unfit says what a terminal or a CI system would make more of than text.
func unfit(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "::"), runnerCommand.MatchString(line):
			return "a command: " + line
		case strings.ToValidUTF8(line, "") != line:
			return "no UTF-8"
		case strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }):
			return "not printable"
		}
	}
	return ""
}

// inXML is what XML can hold of a text: no control characters, no broken UTF-8.
func inXML(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain ü → 名 #1 ::": "plain ü → 名 #1 ::", "a\x1b[2J\n\tb": `a\x1b[2J\n\tb`, "\u202e\u200b": `\u202e\u200b`, "\xff": `\xff`, "##[x]": `#\x23[x]`, "###vso[x] ## [": `##\x23vso[x] ## [`, "": "",
	} {
		if got := Visible(text); got != want {
			t.Errorf("Visible(%q) = %q, want %q", text, got, want)
		}
	}
	if got := Lines("  ", "a\r\nb\tc\x1b\n::error::x\n"); got != "a\n  b\tc\\x1b\n  ::error::x" {
		t.Errorf("Lines: %q", got)
	}
	if got := Sprintf("%s|%v|%v|%d\n%s\n", "a\nb", errors.New("c\nd"), []string{"e\n"}, 1, "::error::"); got != "a\\nb|c\n    d|[e\\n]|1\n:\\x3aerror::\n" {
		t.Errorf("Sprintf: %q", got)
	}
}

// TestHostileTextIsVisible: no form that people or CI systems read as text
// holds more than text, whatever the findings are about.
func TestHostileTextIsVisible(t *testing.T) {
	for _, h := range hostile {
		r := &Report{Command: "x", Title: "x", Findings: []Finding{
			{Rule: "r", Severity: Error, Path: h, Line: 1, Column: 1, Message: h, Hint: h}, {Rule: "r", Severity: Note, Message: h}, {Rule: "r", Path: h, Message: "m"},
		}}
		for _, format := range []string{"text", "markdown"} {
			var b bytes.Buffer
			if err := Write(&b, format, r); err != nil {
				t.Fatal(err)
			}
			if bad := unfit(b.String()); bad != "" {
				t.Errorf("%s of %q: %s\n%s", format, h, bad, b.String())
			}
			if want := 1 + strings.Count(h, "\n"); format == "text" && strings.Count(b.String(), "\n    ") != 3*want-2 {
				t.Errorf("text of %q: a line of somebody's begins like one of ours\n%s", h, b.String())
			}
		}
		var x bytes.Buffer
		if err := Write(&x, "junit", r); err != nil {
			t.Fatal(err)
		}
		if bad := unfit(x.String()); bad != "" {
			t.Errorf("junit of %q: %s\n%s", h, bad, x.String())
		}
		var suites junitSuites
		if err := xml.Unmarshal(x.Bytes(), &suites); err != nil {
			t.Fatal(err)
		}
		said := false
		for _, c := range suites.Suites[0].Cases {
			said = said || c.Failure != nil && c.Failure.Text == inXML(h)
		}
		if !said {
			t.Errorf("junit of %q says something else:\n%s", h, x.String())
		}
		var b bytes.Buffer
		if err := Write(&b, "github", r); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n"); n != 3 || strings.ContainsAny(b.String(), "\x1b\r\a\x00") {
			t.Errorf("github of %q: %d lines\n%s", h, n, b.String())
		}
	}
	for text, want := range map[string]string{"a": "`a`", "a`b": "`` a`b ``", "a`` b": "``` a`` b ```", "": "", "a|b\n": "`a\\|b\\n`"} {
		if got := Code(text); got != want {
			t.Errorf("Code(%q) = %s, want %s", text, got, want)
		}
	}
}
