package migrate

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Ids of findings that come from no rule of a ruleset.
const (
	findingRename    = "crd-file"           // a file that is renamed
	findingKept      = "kept"               // a site that stays, under -v
	findingReview    = "review"             // a site that needs review
	findingUnread    = "unreadable"         // a file with a hit that could not be read as what its name says
	findingFault     = "not-proven"         // a file that stays because the proof of its change failed
	findingKeepsNone = "unused-suppression" // a cfctl:keep that keeps nothing
	findingGroup     = "wrong-group"        // a kind of the rules in a group where it never was
	findingDisagrees = "disagrees"          // what must agree in a tree, and does not
	findingClient    = "client"             // an identifier that moves with its generated client
)

// ReportOptions say what of a plan is reported.
type ReportOptions struct {
	Kept  bool // the sites that stay, too
	Check bool // as a gate: what is left is an error
	// Account adds the account of every place and of every file that was not
	// read, for the json form.
	Account bool
}

// Report is the plan as findings.
func (p *Plan) Report(o ReportOptions) *report.Report {
	r := &report.Report{Command: "migrate", Rules: p.catalogue(), Skipped: p.Skipped, Below: p.Below}
	for _, f := range p.Files {
		if f.Skip != nil {
			id := findingUnread
			if f.Fault {
				id = findingFault
			}
			r.Findings = append(r.Findings, report.Finding{Rule: id, Severity: report.Error, Path: f.Path,
				Line: f.Skip.Pos.Line, Column: f.Skip.Pos.Column, Message: f.Skip.Err.Error(), Hint: f.Skip.Hint})
			continue
		}
		if f.To != f.Path {
			r.Findings = append(r.Findings, report.Finding{Rule: findingRename, Severity: o.left(), Path: f.Path,
				Message: "rename to " + path.Base(f.To), Old: f.Path, New: f.To})
		}
		for _, s := range f.Entries() {
			if s.Action() == Stay && !o.Kept {
				continue
			}
			r.Findings = append(r.Findings, f.finding(s, o))
		}
	}
	r.Summary = map[string]any{"summary": p.Summary(), "rulesets": p.Rulesets()}
	if o.Account {
		r.Summary["account"] = p.Account()
	}
	return r
}

// left is the severity of what is left to migrate.
func (o ReportOptions) left() report.Severity {
	if o.Check {
		return report.Error
	}
	return report.Warning
}

func (o ReportOptions) severity(s Site) report.Severity {
	switch {
	case s.Severe:
		return report.Error
	case s.Mild:
		return report.Warning
	}
	return o.left()
}

func (f *File) finding(s Listed, o ReportOptions) report.Finding {
	x := report.Finding{Rule: s.Rule.ID, Path: f.Path, Line: s.Pos.Line, Column: s.Pos.Column, Old: s.Old, New: s.New, Hint: f.Hint(s.Site)}
	switch s.Action() {
	case Change:
		x.Severity = o.severity(s.Site)
		x.Message = s.Old + " → " + s.New
		if s.New == "" {
			x.Message = s.Old + ": " + s.Why()
		} else if s.Why() != "" {
			x.Message += " (" + s.Why() + ")"
		}
		x.Fixes = f.fixes[fixed{s.Span, s.Old, s.New}]
	case Stay:
		x.Rule, x.Severity = findingKept, report.Note
		by := s.Role()
		if id := judge.HeuristicOf(s.ID()); id != "" {
			by += "; heuristic " + id
		}
		x.Message = fmt.Sprintf("%s is not changed: %s (%s)", s.Old, s.Why(), by)
	default:
		x.Severity = o.severity(s.Site)
		x.Message = s.Question()
		if x.Lines = s.Lines(); x.Lines != nil {
			x.Count = s.count()
		}
		if s.Old == Suppression {
			x.Rule, x.Message = findingKeepsNone, strings.TrimPrefix(x.Message, s.Old+": ")
		} else if x.Rule == "" {
			x.Rule = findingReview
		}
	}
	return x
}

// A Summary counts what a plan says.
type Summary struct {
	Seen    int `json:"files"`   // files that were looked at
	Files   int `json:"changed"` // files that change or are renamed
	Changes int `json:"changes"` // sites that change
	Renames int `json:"renames"`
	Kept    int `json:"kept"`
	Records int `json:"-"`      // of Kept, in folders that are named after a version
	Review  int `json:"review"` // entries: one may stand for several places
	Unread  int `json:"unreadable"`
	Mild    int `json:"deprecated,omitempty"` // of Files and Review, those that the target version still serves
}

// Summary counts.
func (p *Plan) Summary() Summary {
	s := Summary{Seen: p.Seen, Changes: p.Count(Change), Kept: p.Count(Stay)}
	for _, f := range p.Files {
		if f.Skip != nil {
			s.Unread++
			continue
		}
		if f.Changes() {
			s.Files++
			if !f.severe() {
				s.Mild++
			}
		}
		if f.To != f.Path {
			s.Renames++
		}
		for _, x := range f.Entries() {
			if x.ID() == "released-folder" {
				s.Records++
			}
			if x.Action() == NeedsReview {
				s.Review++
				if x.Mild {
					s.Mild++
				}
			}
		}
	}
	return s
}

// Fault is not nil when files stay as they are because their change could not
// be proven: a fault of cfctl, which names the first of them.
func (p *Plan) Fault() error {
	var faults []*source.Error
	for _, f := range p.Files {
		if f.Fault {
			faults = append(faults, f.Skip)
		}
	}
	switch len(faults) {
	case 0:
		return nil
	case 1:
		return faults[0]
	}
	first := *faults[0]
	first.Err = fmt.Errorf("%w (and %d more files)", first.Err, len(faults)-1)
	return &first
}

// Left says whether anything is left: a change, an entry for review, a file
// that was not read, except for what is deprecated in the target version. It is the answer
// of --check.
func (s Summary) Left() bool { return s.Files+s.Review+s.Unread > s.Mild }

// Rulesets are the names of the rulesets that the plan was made by.
func (p *Plan) Rulesets() []string {
	names := make([]string, len(p.sets))
	for i, set := range p.sets {
		names[i] = set.Name
	}
	return names
}

// Kind is a kind that rulesets of the tree rename, "" for none: texts may have its name as well.
func (p *Plan) Kind() string {
	for _, set := range p.sets {
		for _, r := range set.Rules {
			if k := r.From.Kind; k != "" && r.To.Kind != "" && r.To.Kind != k && !slices.Contains(Builtin(), set.Name) {
				return k
			}
		}
	}
	return ""
}

// catalogue lists the rules of the plan's rulesets, and what else a plan finds.
func (p *Plan) catalogue() []report.Rule {
	var rules []report.Rule
	for _, set := range p.sets {
		rules = append(rules, CatalogueOf(set)...)
	}
	for _, r := range Catalogue() {
		if !slices.ContainsFunc(rules, func(x report.Rule) bool { return x.ID == r.ID }) {
			rules = append(rules, r)
		}
	}
	return rules
}

// CatalogueOf lists the rules of a ruleset as kinds of findings.
func CatalogueOf(set *Ruleset) []report.Rule {
	var rules []report.Rule
	for _, r := range set.Rules {
		rules = append(rules, report.Rule{ID: r.ID, Doc: r.Describe(), URL: cmp.Or(r.URL, set.URL), Severity: report.Warning})
	}
	return rules
}

// Catalogue lists the findings that a plan has by whatever rules.
func Catalogue() []report.Rule {
	return []report.Rule{
		{ID: findingRename, Doc: "a file that is named after a group that a rule renames", Severity: report.Warning},
		{ID: findingReview, Doc: "a reference that needs review", Severity: report.Warning},
		{ID: findingUnread, Doc: "a file that holds a group and cannot be parsed", Severity: report.Error},
		{ID: findingFault, Doc: "a file that is not changed because its change could not be verified: a bug of cfctl", Severity: report.Error},
		{ID: findingKeepsNone, Doc: "a cfctl:keep comment that keeps nothing", Severity: report.Warning},
		{ID: findingDisagrees, Doc: "the name of a CRD or of its file, a path or a version does not agree with the rest of the tree", Severity: report.Warning},
		{ID: findingClient, Doc: "a Go identifier that is renamed with its API", Severity: report.Warning},
		{ID: findingGroup, Doc: "a kind in a group where it never was", Severity: report.Error},
		{ID: findingKept, Doc: "a reference that is not changed, with the reason", Severity: report.Note},
	}
}

// severe says whether a file changes for more than what is deprecated in the target version.
func (f *File) severe() bool {
	return f.Drop || f.Twin != nil || f.To != f.Path || slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Action() == Change && !s.Mild })
}
