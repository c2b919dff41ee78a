package release

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
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
		if st.open() {
			list = append(list, st)
		}
	}
	return list
}

// A graph is the steps as boxes in rows: a step stands below all that it needs.
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
	boxW, boxH = 168, 28
	gapX, gapY = 14, 20
)

func (s *Status) graph() graph {
	row, width := map[string]int{}, map[int]int{}
	at := map[string]box{}
	var g graph
	for _, st := range s.Steps {
		r := 0
		for _, n := range st.Needs {
			r = max(r, row[n]+1)
		}
		row[st.Name] = r
		b := box{StepStatus: st, X: 1 + width[r]*(boxW+gapX), Y: 1 + r*(boxH+gapY), W: boxW, H: boxH, Label: short(st.Name)}
		b.Anchor = b.Y + boxH/2 + 4
		width[r]++
		g.Boxes = append(g.Boxes, b)
		g.Width, g.Height = max(g.Width, b.X+boxW+1), max(g.Height, b.Y+boxH+1)
	}
	for i := range g.Boxes { // every row in the middle
		b := &g.Boxes[i]
		b.X += (g.Width - 2 - width[row[b.Name]]*(boxW+gapX) + gapX) / 2
		at[b.Name] = *b
	}
	direct := s.reduced()
	for _, st := range s.Steps {
		for _, n := range direct[st.Name] {
			from, ok := at[n]
			to := at[st.Name]
			if !ok {
				continue
			}
			x1, y1, x2, y2 := from.X+boxW/2, from.Y+boxH, to.X+boxW/2, to.Y
			g.Lines = append(g.Lines, fmt.Sprintf("M%d %d C%d %d %d %d %d %d", x1, y1, x1, y1+gapY/2, x2, y2-gapY/2, x2, y2))
		}
	}
	return g
}

// maxReduced is how many steps a graph has at most whose lines are reduced. No
// train has as many; a journal that somebody forged may.
const maxReduced = 150

// reduced are, by step, the needs that no other of its needs implies. Each step
// is gone through once, with everything before it seen once, so that neither
// many lines nor a circle of a forged journal keeps it busy.
func (s *Status) reduced() map[string][]string {
	needs := map[string][]string{}
	for _, st := range s.Steps {
		list := slices.Clone(st.Needs)
		slices.Sort(list)
		needs[st.Name] = slices.Compact(list)
	}
	if len(s.Steps) > maxReduced {
		return needs
	}
	direct := map[string][]string{}
	for _, st := range s.Steps {
		implied := map[string]bool{}
		var todo []string
		for _, n := range needs[st.Name] {
			todo = append(todo, needs[n]...)
		}
		for len(todo) > 0 {
			n := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !implied[n] {
				implied[n] = true
				todo = append(todo, needs[n]...)
			}
		}
		for _, n := range needs[st.Name] {
			if !implied[n] {
				direct[st.Name] = append(direct[st.Name], n)
			}
		}
	}
	return direct
}

// short fits a name into a box.
func short(name string) string {
	if r := []rune(name); len(r) > 24 {
		return string(r[:23]) + "…"
	}
	return name
}
