package report

import (
	"encoding/xml"
	"fmt"
	"io"
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
		if c.Name == "" {
			c.Name = f.Message
		}
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
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	err := enc.Encode(junitSuites{Name: "cfctl", Tests: suite.Tests, Failures: suite.Failures, Suites: []junitSuite{suite}})
	if err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	_, err = io.WriteString(w, "\n")
	return err
}
