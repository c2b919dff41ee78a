package objects

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/report"
)

// A namesMap is the outcomes as the json form tells them. They are spelled
// only when they are asked for.
type namesMap []*Outcome

// MarshalJSON implements json.Marshaler.
func (m namesMap) MarshalJSON() ([]byte, error) {
	list := make([]named, 0, len(m))
	for _, o := range m {
		n := named{Status: o.Status, Old: o.Origin, UID: o.uid, Reason: o.Reason, Fields: o.fields}
		if o.ref.Name != "" {
			n.New = &o.ref
		}
		list = append(list, n)
	}
	return json.Marshal(list)
}

// An Entry of the names map in the json form.
type named struct {
	Status Status   `json:"status"`
	Old    Origin   `json:"old"`
	New    *Ref     `json:"new,omitempty"`
	UID    string   `json:"uid,omitempty"`
	Reason string   `json:"reason,omitempty"`
	Fields []string `json:"fields,omitempty"`
}

// Report is a result as findings; the json form has the names map as well.
// Partial says that refusals are accepted: they are warnings then.
func (r *Result) Report(command string, partial bool) *report.Report {
	rep := &report.Report{Command: command, Title: "cfctl " + command}
	rep.Findings = r.Notes // taken over: there may be one for every object
	for _, o := range r.Outcomes {
		if f, ok := o.finding(partial); ok {
			rep.Findings = append(rep.Findings, f)
		}
	}
	counts := map[string]int{"only_in_target": len(r.extra)}
	for s, n := range r.Counts {
		counts[string(s)] = n
	}
	rep.Summary = map[string]any{"objects": namesMap(r.Outcomes), "counts": counts}
	if len(r.references) > 0 {
		rep.Summary["references"] = r.references
	}
	rep.Findings = append(rep.Findings, referenced(r.references)...)
	rep.Rules = rulesOf(rep.Findings)
	return rep
}

// referenced are references as findings.
func referenced(list []Reference) []report.Finding {
	var findings []report.Finding
	for _, ref := range list {
		rows := lists.Of(slices.Sorted(maps.Keys(ref.Rows)), func(table string) string { return fmt.Sprintf("%d of %s", ref.Rows[table], table) })
		findings = append(findings, ref.Old.Finding("referenced", report.Note, "rows with its id or that of a version: "+strings.Join(rows, ", ")))
	}
	return findings
}

// rulesOf is the catalogue of the rules that were met.
func rulesOf(findings []report.Finding) []report.Rule {
	var rules []report.Rule
	seen := map[string]bool{}
	for _, f := range findings {
		if !seen[f.Rule] {
			seen[f.Rule] = true
			rules = append(rules, report.Rule{ID: f.Rule, Doc: strings.ReplaceAll(f.Rule, "-", " "), Severity: f.Severity})
		}
	}
	return rules
}

// finding is what an outcome has to say, if anything.
func (o Outcome) finding(partial bool) (report.Finding, bool) {
	severity := report.Error
	if partial {
		severity = report.Warning
	}
	switch o.Status {
	case StatusRefused:
		f := o.Origin.Finding(o.Reason, severity, "refused: "+o.message)
		f.Hint = o.hint
		return f, true
	case StatusFailed:
		f := o.Origin.Finding(o.Reason, severity, fmt.Sprintf("%s was not created: %s", o.ref, o.message))
		f.Hint = o.hint
		return f, true
	case StatusConflict:
		f := o.Origin.Finding("conflict", severity, fmt.Sprintf("%s is there and is something else: %s", o.ref, strings.Join(o.fields, "; ")))
		f.Hint = "cfctl never changes it: compare, then rename or remove one of the two"
		return f, true
	case StatusAbsent:
		return o.Origin.Finding("absent", severity, fmt.Sprintf("%s is not there", o.ref)), true
	case StatusDiffers:
		return o.Origin.Finding("differs", severity, fmt.Sprintf("%s is not what it should be: %s", o.ref, strings.Join(o.fields, "; "))), true
	}
	return report.Finding{}, false
}

// WriteNames prints the names map: what happens to each object, the old name
// and the new one. Refused objects are left to the findings.
func (r *Result) WriteNames(w io.Writer) error {
	b := r.names
	if b == nil {
		b = &bytes.Buffer{}
		for _, o := range r.Outcomes {
			writeName(b, o)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeName is the line of one object in the names map.
func writeName(b *bytes.Buffer, o *Outcome) {
	if o.Status != StatusRefused {
		_, _ = report.Fprintf(b, "%-9s %s  <-  %s\n", o.Status, o.ref, o.Origin.label()) // a buffer takes all
	}
}

// Summary tells the counts in one line.
func (r *Result) Summary() string {
	var parts []string
	for _, s := range append(statuses, statusDelete, statusDeleted, statusGone) {
		if n := r.Counts[s]; n > 0 {
			word := string(s)
			if s == statusMissing || s == statusDelete {
				word = "to " + word
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	if len(parts) == 0 {
		return "nothing to import"
	}
	if len(r.extra) > 0 {
		parts = append(parts, fmt.Sprintf("%d only in the target", len(r.extra)))
	}
	return strings.Join(parts, ", ")
}

// Report is a drift as findings: an alarm is an error, the rest are notes.
func (r *DriftResult) Report(command string) *report.Report {
	rep := &report.Report{Command: command, Title: "cfctl " + command}
	for _, l := range r.Lines {
		rep.Findings = append(rep.Findings, l.finding())
	}
	rep.Findings = append(rep.Findings, r.notes...)
	counts := map[string]int{}
	for _, c := range drifts {
		counts[strings.ReplaceAll(string(c), "-", "_")] = r.counts[c]
	}
	rep.Summary = map[string]any{"counts": counts, "refused": r.refused, "objects": r.objects, "clean": r.Clean()}
	rep.Rules = rulesOf(rep.Findings)
	return rep
}

func (l DriftLine) finding() report.Finding {
	severity := report.Note
	if l.class.alarming() {
		severity = report.Error
	}
	fields := strings.Join(l.Fields, "; ")
	switch l.class {
	case onlyInTarget:
		return report.Finding{Rule: string(l.class), Severity: severity, Message: l.ref.String() + ": has no source"}
	case onlyInSource:
		return l.origin.Finding(string(l.class), severity, "is not in the target")
	case refusedSource:
		return l.origin.Finding(l.reason, severity, "refused: "+l.message)
	case statusOnly:
		return l.origin.Finding(string(l.class), severity, "only its status changed")
	case cosmetic:
		return l.origin.Finding(string(l.class), severity, "was edited without changing its meaning")
	case recreated:
		return l.origin.Finding(string(l.class), severity, "was deleted and made again: "+fields)
	}
	return l.origin.Finding(string(l.class), severity, fields)
}

// Summary tells the counts in one line.
func (r *DriftResult) Summary() string {
	var parts []string
	for _, c := range drifts {
		if n := r.counts[c]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, c))
		}
	}
	if len(parts) == 0 {
		return "nothing on either side"
	}
	return strings.Join(parts, ", ")
}
