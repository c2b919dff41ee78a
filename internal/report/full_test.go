package report

import (
	"strings"
	"testing"
)

func TestFullFindingsPrintEmptyMembers(t *testing.T) {
	var b strings.Builder
	r := &Report{Full: true, Findings: []Finding{{Rule: "x", Message: "m"}}}
	if err := Write(&b, "json", r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"component": ""`, `"path": ""`, `"line": 0`, `"rule": "x"`, `"severity": "note"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b.String())
		}
	}
}
