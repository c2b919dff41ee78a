package matrix

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
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
	svgCharWide = 9.2 // of the title's font, a little more than it needs
)

// svgStyle follows the reader's colour scheme.
const svgStyle = `
  text { font-family: -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
  .page { fill: #ffffff; }
  .heading { font-size: 16px; font-weight: 600; fill: #1f2328; }
  .box { fill: #f6f8fa; stroke: #d1d9e0; stroke-width: 1.5; }
  .name { font-size: 14px; font-weight: 600; fill: #1f2328; }
  .version { font-size: 13px; fill: #59636e; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
  .edge { fill: none; stroke: #818b98; stroke-width: 1.5; }
  .arrow { fill: #818b98; }
  .root .box { fill: #ddf4ff; stroke: #54aeff; }
  .changed .box { fill: #ffebe9; stroke: #cf222e; stroke-width: 2.5; }
  .reached .box { fill: #fff8c5; stroke: #bf8700; stroke-width: 2; }
  .hot .edge { stroke: #cf222e; stroke-width: 2; }
  .hot .arrow { fill: #cf222e; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; }
    .heading, .name { fill: #f0f6fc; }
    .box { fill: #151b23; stroke: #3d444d; }
    .version { fill: #9198a1; }
    .edge { stroke: #656c76; }
    .arrow { fill: #656c76; }
    .root .box { fill: #0c2d6b; stroke: #388bfd; }
    .root .version { fill: #a5d6ff; }
    .changed .box { fill: #490202; stroke: #f85149; }
    .changed .version, .reached .version { fill: #d1d7e0; }
    .reached .box { fill: #341a00; stroke: #d29922; }
    .hot .edge { stroke: #f85149; }
    .hot .arrow { fill: #f85149; }
  }
`

// A drawn node has a place in the picture.
type drawn struct {
	Node
	x, y, w float64
}

// SVG draws the graph: what is needed on the left, the root on the right. It is
// one self-contained file that follows the reader's light or dark scheme.
func (g *Graph) SVG() string {
	nodes, width, height := g.place()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-labelledby="t d">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title id=\"t\">%s</title>\n<desc id=\"d\">%s</desc>\n<style>%s</style>\n", escape(g.Title), escape(g.describe()), svgStyle)
	fmt.Fprintf(&b, `<rect class="page" width="%.0f" height="%.0f" rx="8"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text class="heading" x="%d" y="%d">%s</text>`+"\n", svgMargin, svgMargin+14, escape(g.Title))
	for _, hot := range []bool{false, true} { // marked ones on top
		for _, e := range g.Edges {
			if isHot(nodes[e.From], nodes[e.To]) == hot {
				b.WriteString(edgePath(nodes[e.From], nodes[e.To]))
			}
		}
	}
	for _, n := range nodes {
		fmt.Fprintf(&b, `<g class="%s"><rect class="box" x="%.1f" y="%.1f" width="%.1f" height="%d" rx="8"/>`, n.class(), n.x, n.y, n.w, svgBox)
		fmt.Fprintf(&b, `<text class="name" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, n.x+n.w/2, n.y+25, escape(n.Title))
		fmt.Fprintf(&b, `<text class="version" x="%.1f" y="%.1f" text-anchor="middle">%s</text></g>`+"\n", n.x+n.w/2, n.y+44, escape(n.Version))
	}
	b.WriteString(g.legend(height))
	b.WriteString("</svg>\n")
	return b.String()
}

// legend says what the colours of an impact mean; without one there is none.
func (g *Graph) legend(height float64) string {
	if !g.hasImpact() {
		return ""
	}
	var b strings.Builder
	x, y := svgMargin, height-svgMargin-svgLegend+18
	for _, entry := range legend {
		fmt.Fprintf(&b, `<g class="%s"><rect class="box" x="%d" y="%.0f" width="18" height="14" rx="3"/><text class="version" x="%d" y="%.0f">%s</text></g>`+"\n",
			entry.class, x, y, x+25, y+12, entry.text)
		x += 25 + 8*len(entry.text) + 24
	}
	return b.String()
}

// legend is what the classes of an impact mean, and how wide that is, in pixels.
var legend = []struct{ class, text string }{{"changed", "changes"}, {"reached", "is reached by the change"}}

const legendWide = 2*(25+24) + 8*(7+24)

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
func (g *Graph) place() (nodes []drawn, width, height float64) {
	layers := g.ordered()
	rows := 1
	for _, l := range layers {
		rows = max(rows, len(l))
	}
	inner := float64(rows*svgBox + (rows-1)*svgRowGap)
	nodes = make([]drawn, len(g.Nodes))
	x := float64(svgMargin)
	for _, l := range layers {
		w := float64(svgMinBox)
		for _, i := range l {
			w = max(w, float64(utf8.RuneCountInString(g.Nodes[i].Title))*svgCharWide+32, float64(utf8.RuneCountInString(g.Nodes[i].Version))*8+32)
		}
		y := float64(svgMargin+svgTitle) + (inner-float64(len(l)*svgBox+(len(l)-1)*svgRowGap))/2
		for _, i := range l {
			nodes[i] = drawn{g.Nodes[i], x, y, w}
			y += svgBox + svgRowGap
		}
		x += w + svgLayerGap
	}
	wide := float64(utf8.RuneCountInString(g.Title))*9 + 2*svgMargin
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

// edgePath is a curve from the right side of a node to the left side of another.
func edgePath(from, to drawn) string {
	class := "cool"
	if isHot(from, to) {
		class = "hot"
	}
	x1, y1 := from.x+from.w, from.y+svgBox/2
	x2, y2 := to.x-7, to.y+svgBox/2
	bend := max(40, (x2-x1)/2)
	return fmt.Sprintf(`<g class="%s"><path class="edge" d="M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f"/><path class="arrow" d="M%.1f %.1fl-8 -4.5v9z"/></g>`+"\n",
		class, x1, y1, x1+bend, y1, x2-bend, y2, x2, y2, x2+7, y2)
}

// escape makes text safe within XML.
func escape(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		return ""
	}
	return b.String()
}
