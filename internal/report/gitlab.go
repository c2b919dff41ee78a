package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// An issue of GitLab's code quality report.
// Source: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
type gitlabIssue struct {
	Description string         `json:"description"`
	Check       string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string `json:"path"`
	Lines struct {
		Begin int `json:"begin"`
	} `json:"lines"`
}

var gitlabSeverities = map[Severity]string{Note: "info", Warning: "minor", Error: "major"}

// writeGitLab prints the findings as a list of issues. GitLab wants a place of
// each: one without a file is of the root folder, one without a line of line 1.
func writeGitLab(w io.Writer, r *Report) error {
	issues := make([]gitlabIssue, 0, len(r.Findings))
	seen := map[string]int{}
	for _, f := range r.Findings {
		issue := gitlabIssue{Description: f.Message, Check: f.Rule, Severity: gitlabSeverities[f.Severity]}
		if f.Hint != "" {
			issue.Description += " (" + f.Hint + ")"
		}
		issue.Location.Path = f.Path
		if f.Path == "" {
			issue.Location.Path = "."
		}
		issue.Location.Lines.Begin = max(1, f.Line)
		issue.Fingerprint = fingerprint(f, seen)
		issues = append(issues, issue)
	}
	return WriteJSON(w, issues)
}

// fingerprint names a finding so that a later run knows it again: by what it
// says of which file, whatever line that is on by then, and where one file has
// it several times by which of them it is.
func fingerprint(f Finding, seen map[string]int) string {
	key := fmt.Sprintf("%s\x00%s\x00%s\x00%s", f.Rule, f.Path, f.Component, f.Message)
	seen[key]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", key, seen[key]))
	return hex.EncodeToString(sum[:16])
}
