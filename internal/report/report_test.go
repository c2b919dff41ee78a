package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // for its schema
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/project-codeflare/cfctl/internal/source"
)

// sample has every kind of place, hostile text and a fix.
func sample() *Report {
	data := []byte("über: a\napiVersion: old/v1\n")
	at := bytes.Index(data, []byte("old"))
	return &Report{
		Command: "migrate", Version: "1.0.0",
		Rules: []Rule{{ID: "moved", Doc: "what moved", URL: "https://example.com/", Severity: Error}, {ID: "quiet", Doc: "never found", Severity: Warning}},
		Findings: []Finding{
			{Rule: "moved", Severity: Error, Path: "ü b/x.yaml", Line: 2, Column: 13, Message: "old → new", Old: "old", New: "new",
				Fixes: []Fix{NewFix("ü b/x.yaml", data, source.Edit{Span: source.Span{Start: at, End: at + 3}, New: "new"})}},
			{Rule: "moved", Severity: Warning, Path: "x.yaml", Message: "100%, a|b <c>\nsecond: line", Hint: "do:this, then that"},
			{Rule: "other", Severity: Note, Message: "nowhere"},
		},
		Skipped: []Skip{{Path: "b", Reason: "binary"}},
		Summary: map[string]any{"summary": map[string]int{"changes": 1}},
	}
}

func written(t *testing.T, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, sample()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestForms(t *testing.T) {
	for format, want := range map[string]string{
		"text":     "nowhere [other]\nx.yaml: warning: 100%, a|b <c>\n    second: line [moved]\n    hint: do:this, then that\nü b/x.yaml:2:13: error: old → new [moved]\n",
		"github":   "::notice title=other::nowhere\n::warning file=x.yaml,title=moved::100%25, a|b <c>%0Asecond: line%0Ahint: do:this, then that\n::error file=ü b/x.yaml,line=2,col=13,title=moved::old → new\n",
		"markdown": "### cfctl migrate\n\n1 error, 1 warning, 1 note.\n\n| | place | finding | rule |\n|---|---|---|---|\n| note |  | nowhere | `other` |\n| ⚠️ warning | `x.yaml` | 100%, a\\|b &lt;c><br>second: line (do:this, then that) | `moved` |\n| ❌ error | `ü b/x.yaml:2:13` | old → new | `moved` |\n",
	} {
		if got := written(t, format); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", format, got, want)
		}
	}
	if err := Write(&bytes.Buffer{}, "xml", sample()); err == nil || !strings.Contains(err.Error(), `unknown output format "xml"`) {
		t.Errorf("an unknown form: %v", err)
	}
}

func TestJSON(t *testing.T) {
	var got struct {
		Schema   int
		Command  string
		Findings []Finding
		Skipped  []Skip
		Summary  map[string]int
	}
	if err := json.Unmarshal([]byte(written(t, "json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != 1 || got.Command != "migrate" || len(got.Findings) != 3 || len(got.Skipped) != 1 || got.Summary["changes"] != 1 {
		t.Errorf("got %+v", got)
	}
	if f := got.Findings[2]; f.Severity != Error || f.Fixes[0].Text != "new" || f.Fixes[0].Stop-f.Fixes[0].Start != 3 {
		t.Errorf("got %+v", f)
	}
}

// schema is the JSON Schema of SARIF 2.1.0 (errata 01) as OASIS publishes it.
// The module go-sarif carries it in a constant.
func schema(t *testing.T) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(strings.TrimSpace(string(dir)), "pkg", "report", "v210", "sarif", "schema.go")
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
			text, err := strconv.Unquote(g.Specs[0].(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
	}
	t.Fatal("no schema in " + name)
	return ""
}

// TestSARIF validates against the schema of OASIS.
func TestSARIF(t *testing.T) {
	text, err := jsonschema.UnmarshalJSON(strings.NewReader(schema(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif.json", text); err != nil {
		t.Fatal(err)
	}
	rules, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Report{sample(), {Command: "nothing"}} {
		var b bytes.Buffer
		if err := Write(&b, "sarif", r); err != nil {
			t.Fatal(err)
		}
		got, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := rules.Validate(got); err != nil {
			t.Errorf("%v\n%s", err, b.String())
		}
	}
	sarif := written(t, "sarif")
	for _, want := range []string{`"uri": "%C3%BC%20b/x.yaml"`, `"columnKind": "unicodeCodePoints"`, `"startColumn": 13`, `"endColumn": 16`, `"text": "new"`} {
		if !strings.Contains(sarif, want) {
			t.Errorf("%s is not in\n%s", want, sarif)
		}
	}
}

func TestJUnit(t *testing.T) {
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
	}
	if err := xml.Unmarshal([]byte(written(t, "junit")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 4 || got.Failures != 2 {
		t.Errorf("got %+v", got)
	}
}
