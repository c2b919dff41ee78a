package train

import (
	_ "embed"
	"io"
	"time"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/report"
)

// statusTemplate is the page, in both colour schemes. It needs nothing else: no script,
// font, image or network. Until the release is complete, a browser reads it again every
// minute.
//
//go:embed status.html
var statusTemplate string

// A statusPage is a status as statusTemplate shows it.
type statusPage struct {
	*Status
	Ended                bool
	Took                 string
	Start, Changed, Made *when
	Finished, All        int
	Percent              int
	Open                 *openSteps
	Versions             []pinned
	Links                []StepStatus
	Graph                graph
	Tables               []stepTable
	Entries              string
	Timeline             []entry
}

// A when is a time for machines, for people, and how long ago it was when the page was made.
type when struct{ At, On, Ago string }

// openSteps are the steps that a maintainer has to act on.
type openSteps struct {
	Head  string
	Cards []card
}

type card struct {
	StepStatus
	Bad  bool
	When *when
}

type stepTable struct {
	Head  string
	Count int
	Rows  []stepRow
}

type stepRow struct {
	StepStatus
	Mark string
}

// An entry is one of the journal.
type entry struct {
	logLine
	When *when
}

func (s *Status) html(w io.Writer, now time.Time) error {
	p := statusPage{Status: s, Ended: s.Complete(), Versions: s.versions(), Links: s.links(), Graph: s.graph(), Took: "for " + report.Span(now.Sub(s.Began))}
	if p.Ended {
		p.Took = "took " + report.Span(s.Updated.Sub(s.Began))
	}
	at := func(t time.Time) *when {
		if t.IsZero() {
			return nil
		}
		return &when{t.UTC().Format(time.RFC3339), t.UTC().Format("2006-01-02 15:04 UTC"), report.Span(now.Sub(t)) + " ago"}
	}
	p.Made = at(now)
	if p.Start = at(s.Began); p.Start != nil {
		p.Changed = at(s.Updated)
	}
	p.Finished, p.All = s.count()
	p.Percent = 100 * p.Finished / max(1, p.All)
	ahead, finished := stepTable{Head: "Steps to go"}, stepTable{Head: "Finished steps"}
	open := &openSteps{Head: "Waiting for others"}
	if s.State == "stopped" {
		open.Head = "To be put right"
	}
	for _, st := range s.Steps {
		row := stepRow{StepStatus: st, Mark: Marks[st.State]}
		if st.State == Done {
			finished.Rows = append(finished.Rows, row)
		} else {
			ahead.Rows = append(ahead.Rows, row)
		}
		if st.open() {
			p.Open = open
			open.Cards = append(open.Cards, card{st, st.State != Waiting, at(st.Since)})
		}
	}
	for _, t := range []stepTable{ahead, finished} {
		if t.Count = len(t.Rows); t.Count > 0 {
			p.Tables = append(p.Tables, t)
		}
	}
	p.Entries = report.Plural(len(s.Log), "entry")
	p.Timeline = lists.Of(s.Log, func(l logLine) entry { return entry{l, at(l.Time)} })
	_, err := io.WriteString(w, report.Page(statusTemplate, p))
	return err
}
