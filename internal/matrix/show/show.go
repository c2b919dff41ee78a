// Package show writes what a matrix says: tables, pages, explanations, JSON.
package show

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/matrix/choose"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// Releases writes releases in a form: text, markdown, html or json.
func Releases(out io.Writer, form string, s *stack.Stack, releases []matrix.Release) error {
	switch form {
	case "json":
		return report.WriteJSON(out, map[string]any{"schema": 1, "stack": s.Name, "releases": releases})
	case "markdown":
		markdown(out, grid(s, releases))
		return nil
	case "html":
		return html(out, s, releases)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range grid(s, releases) {
		for i := range row {
			row[i] = report.Visible(row[i])
		}
		report.Fprintf(w, "%s\n", report.Raw(strings.Join(row, "\t")))
	}
	return w.Flush()
}

// grid is the releases as a table: components as columns, or as rows when
// there is one release.
func grid(s *stack.Stack, releases []matrix.Release) [][]string {
	if len(releases) == 1 {
		rows := [][]string{{s.Table.Component, s.Table.Version}}
		for _, p := range releases[0].Components {
			title := p.Name
			if c, ok := s.Component(p.Name); ok {
				title = c.Title
			}
			rows = append(rows, []string{title, p.Says()})
		}
		return rows
	}
	used := usedComponents(s, releases)
	head := append([]string{"Release"}, lists.Of(used, func(c stack.Component) string { return c.Title })...)
	rows := [][]string{head}
	for i := range releases {
		row := []string{releases[i].Version}
		for _, c := range used {
			p, _ := releases[i].Pin(c.Name)
			row = append(row, cmp.Or(p.Says(), "-"))
		}
		rows = append(rows, row)
	}
	return rows
}

// usedComponents are those that any of the releases has, without the root.
func usedComponents(s *stack.Stack, releases []matrix.Release) []stack.Component {
	var used []stack.Component
	for _, c := range s.Components {
		has := func(r matrix.Release) bool { _, ok := r.Pin(c.Name); return ok }
		if c.Name != s.RootComponent().Name && slices.ContainsFunc(releases, has) {
			used = append(used, c)
		}
	}
	return used
}

func markdown(w io.Writer, rows [][]string) {
	for i, row := range rows {
		for j := range row {
			row[j] = strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(row[j])
		}
		report.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			report.Fprintf(w, "|%s\n", strings.Repeat("---|", len(row)))
		}
	}
}

// pageTemplate is a table on a desk, and a list for each release on a phone.
//
//go:embed matrix.html
var pageTemplate string

// A shown version is one on the page: of a release as a whole, or of the component with the title.
type shown struct {
	Title, Version, URL, Date string
	Cells                     []shown // of a release: its components, in the order of the columns
}

// html is one page that needs nothing else, in the reader's colour scheme:
// the newest release first, versions with their links.
func html(w io.Writer, s *stack.Stack, releases []matrix.Release) error {
	columns, list := usedComponents(s, releases), []shown{}
	for _, r := range slices.Backward(releases) {
		row := shown{Version: r.Version, Date: r.Date}
		if root, ok := r.Pin(s.RootComponent().Name); !ok || root.Version == r.Version {
			row.URL = webLink(s, matrix.Pin{Name: s.RootComponent().Name, Version: r.Version})
		}
		for _, c := range columns {
			pin, _ := r.Pin(c.Name)
			row.Cells = append(row.Cells, shown{Title: c.Title, Version: cmp.Or(pin.Version, pin.Range), URL: webLink(s, pin)})
		}
		list = append(list, row)
	}
	_, err := io.WriteString(w, report.Page(pageTemplate, map[string]any{"Name": s.Name, "Columns": columns, "Releases": list}))
	return err
}

// webLink is where a version's release can be read; empty = nowhere on the web.
func webLink(s *stack.Stack, p matrix.Pin) string {
	if p.Version == "" { // a range is no release
		return ""
	}
	return report.Web(matrix.LinkOf(s, p))
}

// Deps writes what the go.mod files of components have in common; all = also what agrees.
func Deps(out io.Writer, d *matrix.Deps, all bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	report.Fprintf(w, "COMPONENT\tVERSION\tGO\tK8S\tMODULE\n")
	for _, m := range d.Modules {
		report.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", m.Component, m.Version, cmp.Or(m.Go, "-"), cmp.Or(m.K8s, "-"), m.Module)
	}
	report.Fprintf(w, "\n%d modules in two or more go.mod files, %d of them with disagreeing versions:\n\n", len(d.Common), d.Disagree)
	fmt.Fprint(w, "MODULE\tSELECTED\tBUILT")
	for _, m := range d.Modules {
		report.Fprintf(w, "\t%s", m.Component)
	}
	fmt.Fprintln(w)
	for _, c := range d.Common {
		if c.Agrees() && (c.Built == c.Selected || c.Built == "") && !all {
			continue
		}
		report.Fprintf(w, "%s\t%s\t%s", c.Path, c.Selected, cmp.Or(c.Built, "-"))
		for _, m := range d.Modules {
			report.Fprintf(w, "\t%s", cmp.Or(c.Versions[m.Component], "-"))
		}
		fmt.Fprintln(w)
	}
	replaces(w, d)
	pins(w, d)
	return w.Flush()
}

func replaces(w io.Writer, d *matrix.Deps) {
	if len(d.Replaces) == 0 {
		return
	}
	hides, left := 0, 0
	for _, r := range d.Replaces {
		if r.Effect == "hides" {
			hides++
		}
		if r.Left != "" {
			left++
		}
	}
	report.Fprintf(w, "\n%s: %d build another version than the selected one, %d have a version on the left and stop applying after a bump:\n\n", report.Plural(len(d.Replaces), "replace directive"), hides, left)
	report.Fprintf(w, "LINE\tMODULE\tLEFT\tSELECTED\tBUILT\tEFFECT\n")
	for _, r := range d.Replaces {
		to := r.Version
		if r.New != r.Old {
			to = strings.TrimSpace(r.New + " " + r.Version)
		}
		report.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", r.Line, r.Old, cmp.Or(r.Left, "-"), cmp.Or(r.Selected, "-"), to, r.Effect)
	}
}

func pins(w io.Writer, d *matrix.Deps) {
	if len(d.Pins) == 0 {
		return
	}
	fmt.Fprint(w, "\nGO.MOD OF\tPINS\tAT\tTABLE\n")
	for _, p := range d.Pins {
		note := ""
		if p.Table != "" && p.Table != p.Version {
			note = "  differs"
		}
		report.Fprintf(w, "%s\t%s\t%s\t%s%s\n", p.By, p.Component, p.Version, cmp.Or(p.Table, "-"), note)
	}
}

// Called is what was asked for, in words.
func Called(w choose.Want) string {
	if w.Text == "" {
		return w.Component.Title
	}
	return w.Component.Title + " " + w.Text
}

// Why writes why two components do not go together; without a reason, the set in which
// they do.
func Why(w io.Writer, wants []choose.Want, why *choose.Explanation, set []choose.Member) {
	if why == nil {
		report.Fprintf(w, "%s\n", Set(set))
		return
	}
	report.Fprintf(w, "%s and %s do not go together:\n", Called(wants[0]), Called(wants[1]))
	links := why.Chain
	if len(links) == 0 {
		links = why.Together
		report.Fprintf(w, "no chain alone says so, but these do together:\n")
	}
	for i, l := range links {
		report.Fprintf(w, "  %s\n", linkLine(l))
		if i == len(why.Chain)-1 && (!l.Leaves.Empty() || l.LeavesTip != "") {
			for _, want := range wants {
				if want.Component == l.To && want.Text != "" {
					report.Fprintf(w, "  %s is not among them\n", Called(want))
				}
			}
		}
	}
}

// linkLine is one line of an explanation.
func linkLine(l choose.Link) string {
	if l.Rule != "" {
		return l.Rule
	}
	where := ""
	if n := len(l.Where); n > 3 {
		where = fmt.Sprintf(" (%s and %d more)", strings.Join(l.Where[:3], ", "), n-3)
	} else if n > 0 {
		where = " (" + strings.Join(l.Where, ", ") + ")"
	}
	has := versionsText(l.Has, l.HasTip)
	if l.Leaves.Empty() && l.LeavesTip == "" {
		only := ""
		if !l.Only.Empty() {
			only = fmt.Sprintf(": %s goes with %s %s", l.To.Title, l.From.Title, l.Only)
		}
		return fmt.Sprintf("%s %s goes with no %s%s%s", l.From.Title, has, l.To.Title, only, where)
	}
	return fmt.Sprintf("%s %s goes with %s %s%s", l.From.Title, has, l.To.Title, versionsText(l.Leaves, l.LeavesTip), where)
}

// versionsText are versions and the branch that is worked on, if it is among them.
func versionsText(r versions.Range, tip string) string {
	switch {
	case tip == "":
		return r.String()
	case r.Empty():
		return tip
	}
	return r.String() + " || " + tip
}

// Set is a set of versions in one line.
func Set(set []choose.Member) string {
	parts := lists.Of(set, func(m choose.Member) string { return m.Component.Title + " " + versionsText(m.Versions, m.Tip) })
	return strings.Join(parts, ", ")
}

// SetJSON is a set of versions for JSON.
func SetJSON(set []choose.Member) any {
	list := []map[string]string{}
	for _, m := range set {
		list = append(list, map[string]string{"component": m.Component.Name, "versions": versionsText(m.Versions, m.Tip)})
	}
	return list
}

// WhyJSON is an answer of Why for JSON.
func WhyJSON(why *choose.Explanation, set []choose.Member) any {
	type link struct {
		From   string   `json:"from"`
		Has    string   `json:"has"`
		To     string   `json:"to"`
		Leaves string   `json:"leaves"`
		Where  []string `json:"where"`
		Rule   string   `json:"rule,omitempty"`
	}
	list := func(links []choose.Link) []link {
		out := []link{}
		for _, l := range links {
			out = append(out, link{l.From.Name, versionsText(l.Has, l.HasTip), l.To.Name, versionsText(l.Leaves, l.LeavesTip), append([]string{}, l.Where...), l.Rule})
		}
		return out
	}
	if why == nil {
		return map[string]any{"schema": 1, "together": true, "set": SetJSON(set)}
	}
	return map[string]any{"schema": 1, "together": false, "chain": list(why.Chain), "reasons": list(why.Together)}
}

// ResolveJSON are the releases that support a set of versions, for JSON.
func ResolveJSON(exact bool, answers []choose.Answer, set []choose.Member) any {
	type miss struct {
		Component string `json:"component"`
		Want      string `json:"want"`
		Has       string `json:"has"`
	}
	type answer struct {
		Version string `json:"version"`
		Misses  []miss `json:"misses"`
	}
	list := []answer{}
	for _, a := range answers {
		x := answer{Version: a.Release.Version, Misses: []miss{}}
		for _, m := range a.Misses {
			x.Misses = append(x.Misses, miss{m.Want.Component.Name, m.Want.Text, m.Has})
		}
		list = append(list, x)
	}
	return map[string]any{"schema": 1, "supported": exact, "releases": list, "set": SetJSON(set)}
}

// Misses lists releases, with what they do not have.
func Misses(w io.Writer, answers []choose.Answer) {
	for _, a := range answers {
		var misses []string
		for _, m := range a.Misses {
			has := "has none"
			if m.Has != "" {
				has = "has " + m.Has
			}
			misses = append(misses, fmt.Sprintf("%s %s, not %s", m.Want.Component.Title, has, m.Want.Text))
		}
		if len(misses) == 0 {
			report.Fprintf(w, "%s\n", a.Release.Version)
		} else {
			report.Fprintf(w, "%s: %s\n", a.Release.Version, strings.Join(misses, "; "))
		}
	}
}
