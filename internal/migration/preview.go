package migration

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
)

// A Preview shows plans as text.
type Preview struct {
	Out     io.Writer
	Style   func(sgr, text string) report.Raw // as of the terminal
	Verbose bool                              // what is not changed is listed too
}

// Plan prints a line for each change. Then it lists what needs review.
func (p *Preview) Plan(plan *migrate.Plan) {
	for _, f := range plan.Files {
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
