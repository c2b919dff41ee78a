package report

import (
	"cmp"
	"io"
	"net/url"
	"slices"

	"github.com/project-codeflare/cfctl/internal/lists"
)

// The parts of SARIF 2.1.0 that cfctl writes.
// Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		Short   sarifText `json:"shortDescription"`
		HelpURI string    `json:"helpUri,omitempty"`
		Default struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex *int            `json:"ruleIndex,omitempty"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		Fixes     []sarifFix      `json:"fixes,omitempty"`
		Count     int             `json:"occurrenceCount,omitempty"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact sarifArtifact `json:"artifactLocation"`
			Region   *sarifRegion  `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted *sarifText  `json:"insertedContent,omitempty"`
	}
)

const homepage = "https://github.com/project-codeflare/cfctl"

// HelpURL is where the documents say what a finding means.
func HelpURL(id string) string { return DocsURL("findings") + "#" + id }

// DocsURL is the address of a page of docs/, for users who have only the binary.
func DocsURL(page string) string { return homepage + "/blob/main/docs/" + page + ".md" }

func writeSARIF(w io.Writer, r *Report) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "cfctl", Version: r.Version, InformationURI: homepage, Rules: []sarifRule{}}
	index := map[string]int{}
	for _, rule := range r.Rules {
		s := sarifRule{ID: rule.ID, Short: sarifText{rule.Doc}, HelpURI: cmp.Or(rule.URL, HelpURL(rule.ID))}
		s.Default.Level = rule.Severity.String()
		index[rule.ID] = len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, s)
	}
	run.Results = append(run.Results, lists.Of(r.Findings, func(f Finding) sarifResult { return sarifResultOf(f, index) })...)
	return WriteJSON(w, sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	})
}

func sarifResultOf(f Finding, index map[string]int) sarifResult {
	res := sarifResult{RuleID: f.Rule, Level: f.Severity.String(), Message: sarifText{f.Message}}
	if i, ok := index[f.Rule]; ok {
		res.RuleIndex = &i
	}
	if f.Hint != "" {
		res.Message.Text += "\nhint: " + f.Hint
	}
	if f.Path != "" {
		var loc sarifLocation
		loc.Physical.Artifact.URI = pathURI(f.Path)
		if f.Line > 0 {
			loc.Physical.Region = &sarifRegion{StartLine: f.Line, StartColumn: f.Column}
		}
		res.Locations = []sarifLocation{loc}
		for _, line := range f.Lines {
			if line != f.Line {
				also := loc
				also.Physical.Region = &sarifRegion{StartLine: line}
				res.Locations = append(res.Locations, also)
			}
		}
		res.Count = f.Count
	}
	var changes []sarifChange
	for _, x := range f.Fixes {
		rep := sarifReplacement{Deleted: sarifRegion{x.Position.Line, x.Position.Column, x.End.Line, x.End.Column}}
		if x.Text != "" {
			rep.Inserted = &sarifText{x.Text}
		}
		at := slices.IndexFunc(changes, func(c sarifChange) bool { return c.Artifact.URI == pathURI(x.Path) })
		if at < 0 {
			at, changes = len(changes), append(changes, sarifChange{Artifact: sarifArtifact{pathURI(x.Path)}})
		}
		changes[at].Replacements = append(changes[at].Replacements, rep)
	}
	if changes != nil {
		res.Fixes = []sarifFix{{sarifText{"what cfctl would write"}, changes}}
	}
	return res
}

// pathURI is a relative path as a URI reference.
func pathURI(path string) string { return (&url.URL{Path: path}).String() }
