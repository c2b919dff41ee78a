package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// A designStatement is a statement of a design document and what answers it.
type designStatement struct {
	Says   string   `yaml:"says"`
	Answer string   `yaml:"answer"`
	By     []string `yaml:"by"`
	Script []string `yaml:"script"`
	Why    string   `yaml:"why"`
}

type designDocuments struct {
	Documents []struct {
		Title      string            `yaml:"title"`
		Statements []designStatement `yaml:"statements"`
	} `yaml:"documents"`
}

// answers are the words of the page, in the order of its summary.
var answers = [][2]string{{"works", "works"}, {"partly", "partly"}, {"missing", "missing"}, {"none", "does not apply"}}

// readTable reads a table of testdata, of which each key is known.
func readTable(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(into); err != nil {
		t.Fatal(err)
	}
}

// TestDesignDocuments: each command, flag, rule and script that the table of
// the design documents names exists, and the page is written from the table.
func TestDesignDocuments(t *testing.T) {
	var table designDocuments
	readTable(t, "design-documents.yaml", &table)
	var rows bytes.Buffer
	counts, all := map[string]int{}, 0
	for _, d := range table.Documents {
		fmt.Fprintf(&rows, "\n## %s\n\n| statement | answer | by | note |\n|---|---|---|---|\n", d.Title)
		for _, s := range d.Statements {
			counts[s.Answer]++
			all++
			for _, fault := range s.faults() {
				t.Errorf("%s: %s: %s", d.Title, s.Says, fault)
			}
			fmt.Fprintf(&rows, "| %s | %s | %s | %s |\n", inCell(s.Says), s.word(), s.proofs(), inCell(s.Why))
		}
	}
	var summary []string
	for _, a := range answers {
		summary = append(summary, fmt.Sprintf("%s: %d", a[1], counts[a[0]]))
	}
	page := "# Design documents\n\n<!-- Generated from testdata/design-documents.yaml: make generate -->\n\n" +
		"cfctl was made for five design documents. This page lists their statements in a few words, and the\n" +
		"command, rule or contract script that answers each. " + fmt.Sprintf("Of %d statements:\n", all) +
		strings.Join(summary, ", ") + ".\n" + rows.String()
	written(t, "design-documents.md", []byte(page))
}

func (s designStatement) word() string {
	for _, a := range answers {
		if a[0] == s.Answer {
			return a[1]
		}
	}
	return ""
}

// proofs are the commands and scripts in a cell.
func (s designStatement) proofs() string {
	var list []string
	for _, by := range s.By {
		if rule, ok := strings.CutPrefix(by, "explain "); ok {
			list = append(list, "rule `"+rule+"`")
			continue
		}
		list = append(list, "`"+by+"`")
	}
	for _, script := range s.Script {
		list = append(list, "`testdata/"+script+".txtar`")
	}
	return strings.Join(list, ", ")
}

// faults are what is wrong with a statement.
func (s designStatement) faults() []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	proven := len(s.By)+len(s.Script) > 0
	switch {
	case s.word() == "":
		add("%q is no answer", s.Answer)
	case s.Answer == "works" && !proven, s.Answer == "partly" && !proven:
		add("no command or script answers it")
	case s.Answer == "none" && proven:
		add("it does not apply, and has an answer")
	case s.Answer != "works" && s.Why == "":
		add("no reason is given")
	}
	for _, by := range s.By {
		if err := exists(by); err != nil {
			add("%v", err)
		}
	}
	for _, script := range s.Script {
		if err := scriptExists(script); err != nil {
			add("%v", err)
		}
	}
	return list
}

// scriptExists checks that there is a contract script COMMAND/NAME.
func scriptExists(name string) error {
	_, err := os.Stat(filepath.Join("../../testdata", name+".txtar"))
	return err
}

var (
	allCommands = sync.OnceValue(func() *cobra.Command { return newRoot(newTerminal(nil, nil, nil, nil)) })
	knownRules  = sync.OnceValue(func() []string {
		list, err := explanations()
		if err != nil {
			panic(err)
		}
		return explainedIDs(list)
	})
)

// exists says whether there is such a command with such flags, or such a rule.
func exists(line string) error {
	words := strings.Fields(line)
	if words[0] == "explain" {
		if !slices.Contains(knownRules(), words[1]) {
			return fmt.Errorf("cfctl %s: there is no such rule", line)
		}
		return nil
	}
	flags := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") })
	if flags < 0 {
		flags = len(words)
	}
	cmd, rest, err := allCommands().Find(words[:flags])
	if err != nil || len(rest) > 0 || !cmd.IsAvailableCommand() {
		return fmt.Errorf("there is no command cfctl %s", strings.Join(words[:flags], " "))
	}
	for _, w := range words[flags:] {
		name := strings.TrimLeft(w, "-")
		if name == w {
			continue // a value
		}
		if cmd.Flag(name) == nil && (len(name) > 1 || cmd.Flags().ShorthandLookup(name) == nil) {
			return fmt.Errorf("cfctl %s has no flag %s", strings.Join(words[:flags], " "), w)
		}
	}
	return nil
}

// TestExistsFindsMistakes: the check of the table is one.
func TestExistsFindsMistakes(t *testing.T) {
	for _, line := range []string{"explain no-such-rule", "matrix nothing", "matrix check --nothing", "import jobs plan extra"} {
		if exists(line) == nil {
			t.Errorf("%s exists", line)
		}
	}
	for _, s := range []designStatement{{Answer: "yes"}, {Answer: "works"}, {Answer: "none", By: []string{"version"}}, {Answer: "missing"}, {Answer: "works", Script: []string{"import/none"}}} {
		if len(s.faults()) == 0 {
			t.Errorf("%+v has no fault", s)
		}
	}
}
