package train

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
)

// An Action is one thing that was decided or done in a release, for an audit.
type Action struct {
	Seq    int               `json:"seq"` // of its record in the journal
	Time   time.Time         `json:"time"`
	What   string            `json:"what"`           // the kind of the record
	Who    string            `json:"who"`            // who decided, or whose run did it
	Step   string            `json:"step,omitempty"` // empty = the release as a whole
	Text   string            `json:"text,omitempty"`
	URL    string            `json:"url,omitempty"`
	Plan   string            `json:"plan,omitempty"` // of an approval: SHA-256 of the plan that it was given to
	Facts  map[string]string `json:"facts,omitempty"`
	Record string            `json:"record"` // SHA-256 of the record, which the next record holds
}

// actions are the kinds of records that are in a history: what people have decided,
// and what cfctl has done. The others are what it saw.
var actions = []string{KindBegin, KindApprove, KindAssert, KindSkip, KindAbort, KindEffect, KindFailed, KindRemind, KindEnd, KindPause, KindResume}

// History is what a journal holds of decisions and effects, oldest first.
func (rs Records) History() []Action {
	list, driver := []Action{}, ""
	for i, r := range rs {
		if r.Kind == KindBegin {
			driver = r.Who
		}
		if !slices.Contains(actions, r.Kind) {
			continue
		}
		a := Action{Seq: r.Seq, Time: r.Time, What: r.Kind, Who: r.Who, Step: r.Step, Text: r.Text, URL: r.URL, Record: r.Hash}
		switch r.Kind {
		case KindBegin:
			a.Text = strings.Join(r.Pins, ", ")
		case KindEffect, KindFailed, KindRemind, KindEnd:
			a.Who = driver // in other records who can unblock it
		}
		if r.Kind == KindEffect {
			r.Facts = rs[i:].evidenceOf(r)
		}
		for key, value := range r.Facts {
			switch {
			case r.Kind == KindApprove && key == planFact:
				a.Plan = value
			case r.Kind == KindRemind && key == stepFact:
				a.Step = value
			case r.Kind != KindApprove: // the digest stands for the terms of an approval
				if a.Facts == nil {
					a.Facts = map[string]string{}
				}
				a.Facts[key] = value
			}
		}
		list = append(list, a)
	}
	return list
}

// evidenceOf are the facts of an effect: its own, and those that were seen when it
// was done.
func (rs Records) evidenceOf(effect Record) map[string]string {
	all := maps.Clone(effect.Facts)
	for _, r := range rs[1:] {
		if r.Kind == KindAbort || r.Step == effect.Step && r.Kind != KindDone && r.Kind != KindWait {
			break
		}
		if r.Step == effect.Step && r.Kind == KindDone {
			if all == nil {
				all = map[string]string{}
			}
			maps.Copy(all, r.Facts)
			break
		}
	}
	return all
}

// WriteHistory prints a history as text, json or csv.
func WriteHistory(w io.Writer, format, version string, list []Action) error {
	switch format {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(map[string]any{"schema": 1, "version": version, "actions": list})
	case "csv":
		return historyTable(w, list)
	}
	for _, a := range list {
		var text strings.Builder
		text.WriteString(report.Sprintf("%s  %-8s %s", a.Time.UTC().Format(time.RFC3339), a.What, a.Who))
		for _, part := range said(a.Step, strings.ReplaceAll(a.Text, "\n", "; "), evidenceText(a.Facts), prefixed("plan ", a.Plan), a.URL) {
			text.WriteString(report.Sprintf("  %s", part))
		}
		if _, err := fmt.Fprintln(w, text.String()); err != nil {
			return err
		}
	}
	return nil
}

func evidenceText(list map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(list)) {
		parts = append(parts, key+"="+list[key])
	}
	return strings.Join(parts, " ")
}

// historyTable prints a history as CSV. A cell that a spreadsheet would take for a
// formula begins with an apostrophe: texts are of others, too.
func historyTable(w io.Writer, list []Action) error {
	t := csv.NewWriter(w)
	rows := [][]string{{"seq", "time", "what", "who", "step", "text", "url", "plan", "facts", "record"}}
	for _, a := range list {
		row := []string{fmt.Sprint(a.Seq), a.Time.UTC().Format(time.RFC3339), a.What, a.Who, a.Step, a.Text, a.URL, a.Plan, evidenceText(a.Facts), a.Record}
		for i, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				row[i] = "'" + cell
			}
		}
		rows = append(rows, row)
	}
	return t.WriteAll(rows)
}
