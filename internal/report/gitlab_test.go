package report

import (
	"bytes"
	"encoding/json"
	"testing"
)

func gitlab(t *testing.T, r *Report) []gitlabIssue {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, "gitlab", r); err != nil {
		t.Fatal(err)
	}
	var list []gitlabIssue
	if err := json.Unmarshal(b.Bytes(), &list); err != nil || list == nil {
		t.Fatalf("%v in %s", err, b.String())
	}
	return list
}

// TestGitLab has what the report format demands: a list, never null; each with
// a path, a line from 1, a known severity and a fingerprint of its own.
func TestGitLab(t *testing.T) {
	if list := gitlab(t, &Report{}); len(list) != 0 {
		t.Errorf("nothing found: %v", list)
	}
	r := sample()
	r.Findings = append(r.Findings, r.Findings[0]) // the same thing twice in a file
	prints := map[string]bool{}
	for _, i := range gitlab(t, r) {
		if i.Location.Path == "" || i.Location.Lines.Begin < 1 || i.Severity == "" || i.Check == "" || i.Description == "" || prints[i.Fingerprint] {
			t.Errorf("%+v", i)
		}
		prints[i.Fingerprint] = true
	}
}

// TestGitLabKnowsAFindingThatMoved: GitLab tells new findings from old ones by
// the fingerprint alone.
func TestGitLabKnowsAFindingThatMoved(t *testing.T) {
	at := func(line int, message string) string {
		return gitlab(t, &Report{Findings: []Finding{{Rule: "a", Path: "x.yaml", Line: line, Message: message}}})[0].Fingerprint
	}
	if at(3, "m") != at(40, "m") {
		t.Error("another line is another finding")
	}
	if at(3, "m") == at(3, "n") {
		t.Error("another message is the same finding")
	}
}
