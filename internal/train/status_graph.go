package train

import (
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/report"
)

// A pinned component is one of the release's versions.
type pinned struct{ Name, Version, URL string }

// versions are the pins, each with the page of the step that tags it.
func (s *Status) versions() []pinned {
	var list []pinned
	for _, p := range s.Pins {
		name, version, _ := strings.Cut(p, " ")
		v := pinned{Name: name, Version: version}
		for _, st := range s.Steps {
			if st.Name == tagPrefix+name {
				v.URL = report.Web(st.URL)
			}
		}
		list = append(list, v)
	}
	return list
}

// links are the done steps that have something to look at.
func (s *Status) links() []StepStatus {
	seen := map[string]bool{}
	var list []StepStatus
	for _, st := range slices.Backward(s.Steps) { // the last step with an address says most of it
		if u := report.Web(st.URL); st.State == Done && u != "" && !seen[u] && !strings.HasPrefix(st.Name, tagPrefix) {
			seen[u] = true
			list = append(list, st)
		}
	}
	slices.Reverse(list)
	return list
}

// tagPrefix is before the component in the name of the step that tags it.
const tagPrefix = "tag:"

// A graph is the steps as boxes in columns, one for each phase, in the order of
// the train. A journal of an older version, without phases, has one column.
type graph struct {
	Width, Height int
	Heads         []box
	Boxes         []box
	Lines         []string // paths of SVG
}

type box struct {
	StepStatus
	X, Y, W, H  int
	Label, Mark string
	Anchor      int // of the label's baseline
}

const (
	boxW, boxH = 146, 28
	gapX, gapY = 20, 12
	headH      = 26
	maxLabel   = 20 // characters that fit into a box
)

func (s *Status) graph() graph {
	var g graph
	rows := map[int]int{}
	columns, heads := s.columns()
	for i, st := range s.Steps {
		c := columns[i]
		b := box{StepStatus: st, X: 1 + c*(boxW+gapX), Y: headH + rows[c]*(boxH+gapY), W: boxW, H: boxH, Label: short(st.Name, maxLabel), Mark: Marks[st.State]}
		b.Anchor = b.Y + boxH/2 + 4
		rows[c]++
		g.Boxes = append(g.Boxes, b)
		g.Width, g.Height = max(g.Width, b.X+boxW+1), max(g.Height, b.Y+boxH+1)
	}
	for c, head := range heads {
		g.Heads = append(g.Heads, box{X: 1 + c*(boxW+gapX), Label: short(head, maxLabel), Anchor: 13})
	}
	for i, needs := range s.needs() {
		for _, n := range needs {
			g.Lines = append(g.Lines, line(g.Boxes[n], g.Boxes[i]))
		}
	}
	return g
}

// columns says for each step in which column it is, and what is above them.
func (s *Status) columns() (columns []int, heads []string) {
	for _, st := range s.Steps {
		c := slices.Index(heads, st.Phase)
		if c < 0 {
			c, heads = len(heads), append(heads, st.Phase)
		}
		columns = append(columns, c)
	}
	return columns, heads
}

// line leads from a box to one that needs it: down to the next of its column,
// around others in it, else from its right side to the other's left.
func line(from, to box) string {
	x1, y1, x2, y2 := from.X+boxW, from.Y+boxH/2, to.X, to.Y+boxH/2
	switch {
	case from.X == to.X && to.Y == from.Y+boxH+gapY:
		return fmt.Sprintf("M%d %dV%d", from.X+boxW/2, from.Y+boxH, to.Y)
	case from.X == to.X:
		return fmt.Sprintf("M%d %dh%dV%dh%d", x1, y1, gapX/3, y2, -gapX/3)
	}
	return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+gapX, y1, x2-gapX, y2, x2, y2)
}

// maxReduced is how many steps a graph has at most whose lines are reduced. No
// train has as many; a journal that a user forged may.
const maxReduced = 150

// needs are the needs of each step, by index; those that others imply are left out.
func (s *Status) needs() [][]int {
	index := map[string]int{}
	for i, st := range s.Steps {
		index[st.Name] = i
	}
	needs := make([][]int, len(s.Steps))
	for i, st := range s.Steps {
		for _, n := range st.Needs {
			if j, ok := index[n]; ok {
				needs[i] = append(needs[i], j)
			}
		}
	}
	if len(s.Steps) > maxReduced {
		return needs
	}
	return report.Direct(needs)
}

// short cuts a name to so many characters.
func short(name string, n int) string {
	if r := []rune(name); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return name
}
