package migration

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Preview shows plans as text.
type Preview struct {
	Out     io.Writer
	Style   func(sgr, text string) report.Raw // as of the terminal
	Heads   bool                              // Out is a terminal: what belongs together is grouped under one head
	Columns int                               // of Out; 0 = it is not known
	Verbose bool                              // what is not changed is listed too
}

// Plan prints a line for each change; on a terminal they are below their files, with
// the lines that change. Then it lists what needs review. read reads a file of the plan
// again.
func (p *Preview) Plan(plan *migrate.Plan, read func(name string) ([]byte, error)) {
	first := true
	for _, f := range plan.Files {
		if p.Heads {
			data, err := read(f.Path)
			if err != nil {
				data = nil // what is known without it is shown
			}
			if p.showFile(f, data, first) {
				first = false
			}
			continue
		}
		if f.After() != f.Path {
			report.Fprintf(p.Out, "%s\n", p.Style("1", Renamed(f.Path, f.After())))
		}
		for _, s := range f.Sites {
			p.showSite(f, s)
		}
	}
	p.Review(p.Out, plan)
}

// whyKept is why a reference is not changed, with the role of its place where it has one.
func whyKept(s migrate.Site) string {
	if s.Role() == "" {
		return s.Why()
	}
	return fmt.Sprintf("%s (%s)", s.Why(), s.Role())
}

// showSite is one line of the preview.
func (p *Preview) showSite(f *migrate.File, s migrate.Site) {
	place := fmt.Sprintf("%s:%d:%d:", f.Path, s.Pos.Line, s.Pos.Column)
	switch {
	case s.Action() == migrate.Change && s.New == "":
		report.Fprintf(p.Out, "%s %s: %s → removed (%s)\n", place, s.Rule.ID, p.Style("31", s.Old), s.Why())
	case s.Action() == migrate.Change:
		why := ""
		if s.Why() != "" {
			why = " (" + s.Why() + ")"
		}
		report.Fprintf(p.Out, "%s %s: %s → %s%s\n", place, s.Rule.ID, p.Style("31", s.Old), p.Style("32", s.New), why)
	case s.Action() == migrate.Stay && p.Verbose:
		report.Fprintf(p.Out, "%s %s\n", place, p.Style("2", "kept: "+s.Old+": "+whyKept(s)))
	}
}

// Renamed says what became of a path: it is new, removed, or another one.
func Renamed(from, to string) string {
	switch {
	case from == to:
		return from
	case from == "":
		return "new file " + to
	case to == "":
		return "removed " + from
	}
	return from + " → " + to
}

// A leftover is one entry for review, with the other references that it is for.
type leftover struct {
	place string // path:line:column, as far as they are known
	text  report.Raw
	hint  string
	also  []string // places
}

// Review lists what needs review, and the files that could not be
// read, behind the changes: on w, which is standard error where standard output
// is a patch.
func (p *Preview) Review(w io.Writer, plan *migrate.Plan) {
	list := p.leftovers(plan)
	if len(list) > 0 {
		report.Fprintf(w, "\n%s\n", p.Style("1", "Needs review:"))
	}
	for _, x := range list {
		report.Fprintf(w, "%s: %s\n", x.place, x.text)
		if len(x.also) > 0 {
			report.Fprintf(w, "    also: %s\n", strings.Join(x.also, ", "))
		}
		if x.hint != "" {
			report.Fprintf(w, "    hint: %s\n", x.hint)
		}
	}
}

// leftovers are the entries for review. The calls of a client in a folder, which go all in
// the same way when it does, are one line; so are, of the whole tree, the uses of a type
// that one command renames, and what one command generates.
func (p *Preview) leftovers(plan *migrate.Plan) []*leftover {
	var list []*leftover
	alike := map[leftoverOf][]*leftover{}
	for _, f := range plan.Files {
		if f.Skip != nil {
			list = append(list, p.unreadable(f))
			continue
		}
		for _, s := range f.Entries() {
			if s.Action() != migrate.NeedsReview {
				continue
			}
			x := &leftover{place: fmt.Sprintf("%s:%d:%d", f.Path, max(1, s.Pos.Line), max(1, s.Pos.Column)), text: report.Raw(report.Visible(s.Question())), hint: f.Hint(s.Site)}
			list = append(list, x)
			if of, ok := saidOnce(f, s.Site, x.hint); ok {
				alike[of] = append(alike[of], x)
			}
		}
	}
	said := map[*leftover]bool{}
	for _, same := range alike {
		for _, x := range same[1:] {
			same[0].also = append(same[0].also, besidePlace(same[0].place, x.place))
			said[x] = true
		}
	}
	return slices.DeleteFunc(list, func(x *leftover) bool { return said[x] })
}

// A leftoverOf is what entries for review have in common that are said once.
type leftoverOf struct{ dir, old, why, hint string }

// saidOnce is what an entry for review has in common with others that are said with it.
func saidOnce(f *migrate.File, s migrate.Site, hint string) (leftoverOf, bool) {
	switch {
	case s.ID() == "typed-client":
		return leftoverOf{path.Dir(f.Path), s.Old, s.Why(), hint}, true
	case s.ID() == "generated", s.ID() == "go-type" && s.In != "":
		return leftoverOf{why: s.Why(), hint: hint}, true
	}
	return leftoverOf{}, false
}

// besidePlace is a place as it is named behind another one: without the folder that both
// are in.
func besidePlace(first, place string) string {
	if path.Dir(first) == path.Dir(place) {
		return path.Base(place)
	}
	return place
}

// unreadable is the line of a file that was not read, or not changed.
func (p *Preview) unreadable(f *migrate.File) *leftover {
	x := &leftover{place: f.Path, hint: f.Skip.Hint}
	if f.Skip.Pos.Line > 0 {
		x.place = fmt.Sprintf("%s:%d", f.Path, f.Skip.Pos.Line)
	}
	what := "not read: "
	if f.Fault {
		what = "not changed: "
	}
	x.text = p.Style("33", what) + report.Raw(report.Visible(f.Skip.Err.Error()))
	return x
}

// previewWidth is how many columns a preview has where the terminal does not say.
const previewWidth = 100

// placeWidth is how many columns of the preview the positions take.
const placeWidth = 10

// showFile is a file of the preview on a terminal: its path once, then each line
// that changes as a line with "-" and one with "+". data is the file as it was
// read; a site that is no longer there as it is spelled is shown without its line.
// It says whether there was anything to show; a blank line separates files.
func (p *Preview) showFile(f *migrate.File, data []byte, first bool) bool {
	var shown []migrate.Site
	for _, s := range f.Sites {
		if s.Action() == migrate.Change || s.Action() == migrate.Stay && p.Verbose {
			shown = append(shown, s)
		}
	}
	if len(shown) == 0 && f.To == f.Path {
		return false
	}
	if !first {
		report.Fprintf(p.Out, "\n")
	}
	report.Fprintf(p.Out, "%s\n", p.Style("1", Renamed(f.Path, f.After())))
	for len(shown) > 0 {
		n := 1
		for inLine(data, shown[0]) && n < len(shown) && shown[n].Pos.Line == shown[0].Pos.Line && shown[n].Start >= shown[n-1].End && inLine(data, shown[n]) {
			n++
		}
		p.showSites(data, shown[:n])
		shown = shown[n:]
	}
	return true
}

// inLine says whether a change is within one line of the file, byte for byte.
func inLine(data []byte, s migrate.Site) bool {
	return s.Action() == migrate.Change && s.Start >= 0 && s.End <= len(data) && s.Start < s.End &&
		string(data[s.Start:s.End]) == s.Old && !strings.Contains(s.Old+s.New, "\n")
}

// showSites prints the sites of one line: the line before and after, or what is
// known of the first one where the file does not show it.
func (p *Preview) showSites(data []byte, sites []migrate.Site) {
	first := sites[0]
	place := report.Raw(fmt.Sprintf("%*s  ", placeWidth-2, fmt.Sprintf("%d:%d", first.Pos.Line, first.Pos.Column)))
	if first.Action() == migrate.Stay {
		report.Fprintf(p.Out, "%s  %s  %s\n", place, first.Old, p.Style("2", "kept: "+about(sites)))
		return
	}
	before, after := []piece{{first.Old, true}}, []piece{{first.New, true}}
	if inLine(data, first) {
		before, after = lineOf(data, sites, false), lineOf(data, sites, true)
	}
	why := "[" + about(sites) + "]"
	gone, _ := p.cut(before)
	if first.New == "" && len(after) == 1 {
		report.Fprintf(p.Out, "%s%s  %s\n", place, p.signed("31", "- ", gone), p.Style("2", why))
		return
	}
	come, columns := p.cut(after)
	report.Fprintf(p.Out, "%s%s\n%*s%s", place, p.signed("31", "- ", gone), placeWidth, "", p.signed("32", "+ ", come))
	if columns+2+utf8.RuneCountInString(why) > p.previewed() {
		report.Fprintf(p.Out, "\n%*s", placeWidth, "")
	}
	report.Fprintf(p.Out, "  %s\n", p.Style("2", why))
}

// previewed is how many columns a line of the preview has behind its sign.
func (p *Preview) previewed() int {
	width := cmp.Or(p.Columns, previewWidth)
	return max(width-placeWidth-len("- "), 20)
}

// A piece is a part of a line; what differs is shown bright.
type piece struct {
	text    string
	differs bool
}

// lineOf are the pieces of the line of the sites, before or after the change.
func lineOf(data []byte, sites []migrate.Site, after bool) []piece {
	last := sites[len(sites)-1]
	at := bytes.LastIndexByte(data[:sites[0].Start], '\n') + 1
	end := len(data)
	if i := bytes.IndexByte(data[last.End:], '\n'); i >= 0 {
		end = last.End + i
	}
	var list []piece
	for i, s := range sites {
		before := blanked(data[at:s.Start])
		if i == 0 {
			before = strings.TrimLeft(before, " ")
		}
		text := s.Old
		if after {
			text = s.New
			if removed(s) {
				text = ""
			}
		}
		list = append(list, piece{report.Visible(before), false}, piece{report.Visible(text), true})
		at = s.End
	}
	return append(list, piece{report.Visible(strings.TrimRight(blanked(data[at:end]), " ")), false})
}

// removed says whether a change only removes text: the new name is there already.
func removed(s migrate.Site) bool {
	return len(s.Edits) > 0 && !slices.ContainsFunc(s.Edits, func(e source.Edit) bool { return e.New != "" })
}

// cut shortens pieces to the columns of the preview, and says how many they have:
// first at the end of the line, then before its first change.
func (p *Preview) cut(list []piece) ([]piece, int) {
	list = slices.Clone(list)
	total := 0
	for _, x := range list {
		total += utf8.RuneCountInString(x.text)
	}
	room := p.previewed()
	shorten := func(i int, atEnd bool) {
		text := []rune(list[i].text)
		if n := len(text); total > room && n > 1 && !list[i].differs {
			n = max(n-(total-room)-1, 0)
			total -= len(text) - n - 1
			if atEnd {
				list[i].text = string(text[:n]) + "…"
			} else {
				list[i].text = "…" + string(text[len(text)-n:])
			}
		}
	}
	shorten(len(list)-1, true)
	shorten(0, false)
	return list, total
}

// signed is a line with its sign, in a colour, with what differs in it bright.
func (p *Preview) signed(sgr, sign string, list []piece) report.Raw {
	text := p.Style(sgr, sign)
	for _, x := range list {
		code := sgr
		if x.differs {
			code = "1;" + sgr
		}
		text += p.Style(code, x.text)
	}
	return text
}

// blanked is a piece of a line, its tabs and the CR of its end as blanks.
func blanked(b []byte) string { return strings.NewReplacer("\t", " ", "\r", " ").Replace(string(b)) }

// about names the rules of the sites, and the reasons.
func about(sites []migrate.Site) string {
	var list []string
	for _, s := range sites {
		text := s.Rule.ID
		switch {
		case s.Action() == migrate.Stay:
			text = whyKept(s)
		case s.Why() != "":
			text += " (" + s.Why() + ")"
		}
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return strings.Join(list, ", ")
}
