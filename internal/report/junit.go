package report

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode"
)

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		File    string        `xml:"file,attr,omitempty"`
		Line    int           `xml:"line,attr,omitempty"`
		Failure *junitFailure `xml:"failure"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit prints one test suite: a failed case for each warning and error,
// a passed one for each note and for each rule without a finding.
func writeJUnit(w io.Writer, r *Report) error {
	suite := junitSuite{Name: "cfctl " + r.Command}
	found := map[string]bool{}
	for _, f := range r.Findings {
		found[f.Rule] = true
		c := junitCase{Class: f.Rule, Name: f.Place(), File: f.Path, Line: f.Line}
		c.Name = cmp.Or(c.Name, f.Message)
		if f.Severity == Note {
			c.Output = f.Message
		} else {
			c.Failure = &junitFailure{f.Severity.String(), f.Message, f.Hint}
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, c)
	}
	for _, rule := range r.Rules {
		if !found[rule.ID] {
			suite.Cases = append(suite.Cases, junitCase{Class: rule.ID, Name: rule.Doc})
		}
	}
	suite.Tests = len(suite.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	var b bytes.Buffer
	enc := xml.NewEncoder(&b)
	enc.Indent("", "  ")
	err := enc.Encode(junitSuites{Name: "cfctl", Tests: suite.Tests, Failures: suite.Failures, Suites: []junitSuite{suite}})
	if err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	_, err = io.WriteString(w, uncommandXML(b.String())+"\n")
	return err
}

// uncommandXML makes XML fit to be shown, as Visible does text: a character
// reference takes the meaning from what a CI system or a terminal would obey,
// and leaves the value what it is.
func uncommandXML(text string) string {
	var b strings.Builder
	for line := range strings.Lines(runnerCommand.ReplaceAllString(text, "#&#35;$1[")) {
		rest := strings.TrimLeft(line, " \t")
		if strings.HasPrefix(rest, "::") {
			b.WriteString(line[:len(line)-len(rest)])
			line = "&#58;" + rest[1:]
		}
		for _, r := range line {
			if r == '\n' || r == '\t' || unicode.IsPrint(r) {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(&b, "&#x%X;", r)
			}
		}
	}
	return b.String()
}
