package release

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
)

//go:embed status.html
var statusPage string

var statusTemplate = template.Must(template.New("status").Funcs(template.FuncMap{
	"mark":  func(s State) string { return Marks[s] },
	"stamp": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") },
	"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"pin": func(p string) []string {
		name, version, _ := strings.Cut(p, " ")
		return []string{name, version}
	},
}).Parse(statusPage))

// html is one page that needs nothing else: no script, font, image or network.
func (s *Status) html(w io.Writer, now time.Time) error {
	n, all := s.Count()
	return statusTemplate.Execute(w, struct {
		*Status
		Done, All int
		Percent   int
		Now       time.Time
		Graph     graph
		Open      []StepStatus
	}{s, n, all, 100 * n / max(1, all), now, s.graph(), s.open()})
}

// open are the steps that somebody has to do something about.
func (s *Status) open() []StepStatus {
	var list []StepStatus
	for _, st := range s.Steps {
		if st.State == Waiting || st.State == Conflict || st.State == Failed {
			list = append(list, st)
		}
	}
	return list
}

// A graph is the steps as boxes in columns: a step stands right of all that it
// needs.
type graph struct {
	Width, Height int
	Boxes         []box
	Lines         []string // paths of SVG
}

type box struct {
	StepStatus
	X, Y, W, H int
	Label      string
	Anchor     int // of the label's baseline
}

const (
	boxW, boxH = 150, 30
	gapX, gapY = 34, 12
)

func (s *Status) graph() graph {
	column, rows := map[string]int{}, map[int]int{}
	at := map[string]box{}
	var g graph
	for _, st := range s.Steps {
		c := 0
		for _, n := range st.Needs {
			c = max(c, column[n]+1)
		}
		column[st.Name] = c
		b := box{StepStatus: st, X: 1 + c*(boxW+gapX), Y: 1 + rows[c]*(boxH+gapY), W: boxW, H: boxH, Label: short(st.Name)}
		b.Anchor = b.Y + boxH/2 + 4
		rows[c]++
		at[st.Name] = b
		g.Boxes = append(g.Boxes, b)
		g.Width, g.Height = max(g.Width, b.X+boxW+1), max(g.Height, b.Y+boxH+1)
	}
	for _, st := range s.Steps {
		for _, n := range s.direct(st) {
			from, to := at[n], at[st.Name]
			x1, y1, x2, y2 := from.X+boxW, from.Y+boxH/2, to.X, to.Y+boxH/2
			g.Lines = append(g.Lines, fmt.Sprintf("M%d %d C%d %d %d %d %d %d", x1, y1, x1+gapX/2, y1, x2-gapX/2, y2, x2, y2))
		}
	}
	return g
}

// direct are the needs of a step that no other of its needs implies.
func (s *Status) direct(st StepStatus) []string {
	needs := map[string][]string{}
	for _, x := range s.Steps {
		needs[x.Name] = x.Needs
	}
	var implies func(a, b string) bool
	implies = func(a, b string) bool {
		for _, n := range needs[a] {
			if n == b || implies(n, b) {
				return true
			}
		}
		return false
	}
	var list []string
	for _, n := range st.Needs {
		implied := false
		for _, m := range st.Needs {
			implied = implied || m != n && implies(m, n)
		}
		if !implied {
			list = append(list, n)
		}
	}
	return list
}

// short fits a name into a box.
func short(name string) string {
	if r := []rune(name); len(r) > 21 {
		return string(r[:20]) + "…"
	}
	return name
}
