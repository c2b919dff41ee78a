package matrix

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/report"
)

// Measures of the picture, in pixels.
const (
	svgMargin   = 24
	svgTitle    = 44 // height of the heading
	svgLegend   = 34 // height of the legend, where there is one
	svgBox      = 58 // height of a node
	svgRowGap   = 26
	svgLayerGap = 84
	svgMinBox   = 148
	svgPadding  = 32 // of the text in a node
	svgLetter   = 9  // of the title's font
	svgBold     = 10 // of the name of a node, a little more than it needs
	svgDigit    = 8  // of the version of a node
)

//go:embed graph.css
var graphStyle string

// A drawn node has a place in the picture.
type drawn struct {
	Node
	x, y, w int
}

// SVG draws the graph: what is needed on the left, the root on the right. It is
// one self-contained file that follows the reader's light or dark scheme.
func (g *Graph) SVG() string {
	nodes, width, height := g.place()
	var p report.Page
	p.Add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {n} {n}\" width=\"{n}\" height=\"{n}\" role=\"img\" aria-labelledby=\"t d\">\n", width, height, width, height)
	p.Add("<title id=\"t\">{}</title>\n<desc id=\"d\">{}</desc>\n", g.Title, g.describe())
	p.Style(graphStyle)
	p.Add("<rect class=\"page\" width=\"{n}\" height=\"{n}\" rx=\"8\"/>\n", width, height)
	p.Add("<text class=\"heading\" x=\"{n}\" y=\"{n}\">{}</text>\n", svgMargin, svgMargin+14, g.Title)
	for _, hot := range []bool{false, true} { // marked ones on top
		for _, e := range g.Edges {
			if isHot(nodes[e.From], nodes[e.To]) == hot {
				edge(&p, nodes[e.From], nodes[e.To])
			}
		}
	}
	for _, n := range nodes {
		p.Add(`<g class="{}"><rect class="box" x="{n}" y="{n}" width="{n}" height="{n}" rx="8"/>`, n.class(), n.x, n.y, n.w, svgBox)
		p.Add(`<text class="name" x="{n}" y="{n}" text-anchor="middle">{}</text>`, n.x+n.w/2, n.y+25, n.Title)
		p.Add("<text class=\"version\" x=\"{n}\" y=\"{n}\" text-anchor=\"middle\">{}</text></g>\n", n.x+n.w/2, n.y+44, n.Version)
	}
	if g.hasImpact() {
		x, y := svgMargin, height-svgMargin-svgLegend+18
		for _, entry := range legend {
			p.Add(`<g class="{}"><rect class="box" x="{n}" y="{n}" width="18" height="14" rx="3"/>`, entry.class, x, y)
			p.Add("<text class=\"version\" x=\"{n}\" y=\"{n}\">{}</text></g>\n", x+25, y+12, entry.text)
			x += 25 + svgDigit*len(entry.text) + 24
		}
	}
	p.Add("</svg>\n")
	return p.String()
}

// legend is what the classes of an impact mean, and how wide that is, in pixels.
var legend = []struct{ class, text string }{{"changed", "changes"}, {"reached", "is reached by the change"}}

const legendWide = 2*(25+24) + svgDigit*(7+24)

func (g *Graph) hasImpact() bool {
	return slices.ContainsFunc(g.Nodes, func(n Node) bool { return n.Changed })
}

// class is what a node is drawn as.
func (n Node) class() string {
	switch {
	case n.Changed:
		return "changed"
	case n.Reached:
		return "reached"
	case n.Root:
		return "root"
	}
	return "node"
}

// describe says the graph in words, for those who do not see it.
func (g *Graph) describe() string {
	var parts []string
	for i, n := range g.Nodes {
		var needs []string
		for _, e := range g.Edges {
			if e.To == i {
				needs = append(needs, g.Nodes[e.From].Title)
			}
		}
		text := n.Title + " " + n.Version
		if len(needs) > 0 {
			text += " needs " + strings.Join(needs, ", ")
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ") + "."
}

// place puts layers from left to right, each centred.
func (g *Graph) place() (nodes []drawn, width, height int) {
	layers := g.ordered()
	rows := 1
	for _, l := range layers {
		rows = max(rows, len(l))
	}
	inner := rows*svgBox + (rows-1)*svgRowGap
	nodes = make([]drawn, len(g.Nodes))
	x := svgMargin
	for _, l := range layers {
		w := svgMinBox
		for _, i := range l {
			n := g.Nodes[i]
			w = max(w, svgPadding+svgBold*utf8.RuneCountInString(n.Title), svgPadding+svgDigit*utf8.RuneCountInString(n.Version))
		}
		y := svgMargin + svgTitle + (inner-(len(l)*svgBox+(len(l)-1)*svgRowGap))/2
		for _, i := range l {
			nodes[i] = drawn{g.Nodes[i], x, y, w}
			y += svgBox + svgRowGap
		}
		x += w + svgLayerGap
	}
	wide := svgLetter*utf8.RuneCountInString(g.Title) + 2*svgMargin
	height = inner + 2*svgMargin + svgTitle
	if g.hasImpact() {
		wide, height = max(wide, legendWide+2*svgMargin), height+svgLegend
	}
	return nodes, max(x-svgLayerGap+svgMargin, wide), height
}

// ordered lists the nodes of each layer by the mean place of what they need, so
// that few edges cross (the barycentre rule).
func (g *Graph) ordered() [][]int {
	var layers [][]int
	for i, n := range g.Nodes {
		for len(layers) <= n.Layer {
			layers = append(layers, nil)
		}
		layers[n.Layer] = append(layers[n.Layer], i)
	}
	at := make([]float64, len(g.Nodes))
	mean := func(i int) float64 {
		sum, n := 0.0, 0.0
		for _, e := range g.Edges {
			if e.To == i {
				sum, n = sum+at[e.From], n+1
			}
		}
		return sum / max(n, 1)
	}
	for _, l := range layers {
		slices.SortStableFunc(l, func(a, b int) int { return cmp.Compare(mean(a), mean(b)) })
		for k, i := range l {
			at[i] = (float64(k) + 0.5) / float64(len(l))
		}
	}
	return slices.DeleteFunc(layers, func(l []int) bool { return len(l) == 0 })
}

// isHot says whether an edge carries the impact that is shown.
func isHot(from, to drawn) bool { return to.Reached && (from.Changed || from.Reached) }

// edge draws a curve from the right side of a node to the left side of another.
func edge(p *report.Page, from, to drawn) {
	class := "cool"
	if isHot(from, to) {
		class = "hot"
	}
	x1, y1 := from.x+from.w, from.y+svgBox/2
	x2, y2 := to.x-7, to.y+svgBox/2
	bend := max(40, (x2-x1)/2)
	p.Add(`<g class="{}"><path class="edge" d="M{n} {n}C{n} {n} {n} {n} {n} {n}"/>`, class, x1, y1, x1+bend, y1, x2-bend, y2, x2, y2)
	p.Add("<path class=\"arrow\" d=\"M{n} {n}l-8 -4.5v9z\"/></g>\n", x2+7, y2)
}
