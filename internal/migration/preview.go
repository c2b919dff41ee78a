package migration

import (
	"fmt"
	"io"
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
	case s.Action() == migrate.Change && s.Old == "":
		report.Fprintf(p.Out, "%s %s: added: %s\n", place, s.Rule.ID, p.Style("32", strings.Join(strings.Fields(s.New), " ")))
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

// maxAlike is how many entries of several files ask the same question apart.
const maxAlike = 3

// Review lists what needs review, and the files that could not be
// read, behind the changes: on w, which is standard error where standard output
// is a patch. Where many files ask the same question, it is one entry.
func (p *Preview) Review(w io.Writer, plan *migrate.Plan) {
	head := "\n" + p.Style("1", "Needs review:") + "\n"
	tell := func(place string, text report.Raw, also, hint string) {
		report.Fprintf(w, "%s%s: %s\n", head, place, text)
		if head = ""; also != "" {
			report.Fprintf(w, "    also: %s\n", also)
		}
		if hint != "" {
			report.Fprintf(w, "    hint: %s\n", hint)
		}
	}
	alike, said := map[[4]string][]string{}, map[[4]string]bool{}
	for _, f := range plan.Files {
		for _, s := range f.Entries() {
			if q := question(s); f.Skip == nil && s.Action() == migrate.NeedsReview {
				alike[q] = append(alike[q], beside(f, s, q[0] == ""))
			}
		}
	}
	for _, f := range plan.Files {
		if f.Skip != nil {
			p.unread(f, tell)
			continue
		}
		for _, s := range f.Entries() {
			q, also := question(s), ""
			if s.Action() != migrate.NeedsReview || said[q] {
				continue
			}
			if places := alike[q]; len(places) > maxAlike {
				said[q], also = true, p.list(places[1:])
			}
			tell(fmt.Sprintf("%s:%d:%d", f.Path, max(1, s.Pos.Line), max(1, s.Pos.Column)), report.Raw(report.Visible(s.Question())), also, f.Hint(s.Site))
		}
	}
}

// mostListed is how many places an entry lists, but with -v.
const mostListed = 10

// list is a list of places.
func (p *Preview) list(places []string) string {
	if n := len(places) - mostListed; n > 0 && !p.Verbose {
		return fmt.Sprintf("%s and %d more (-v lists them)", strings.Join(places[:mostListed], ", "), n)
	}
	return strings.Join(places, ", ")
}

// question is what an entry asks: of which name, why, and what to do with its file.
func question(s migrate.Listed) [4]string {
	if s.AnyName() {
		return [4]string{"", s.Why(), s.Hint(), s.In}
	}
	return [4]string{s.Old, s.Why(), s.Hint(), s.In}
}

// beside is where an entry is, behind the place of another one, with or without its name.
func beside(f *migrate.File, s migrate.Listed, name bool) string {
	place := fmt.Sprintf("%s:%d:%d", f.Path, max(1, s.Pos.Line), max(1, s.Pos.Column))
	if lines := s.Lines(); lines != nil {
		place = f.Path + ":" + strings.ReplaceAll(strings.Trim(fmt.Sprint(lines), "[]"), " ", ",")
	}
	if name {
		place += " (" + s.Old + ")"
	}
	return report.Visible(place)
}

// unread tells of a file that was not read, or not changed.
func (p *Preview) unread(f *migrate.File, tell func(place string, text report.Raw, also, hint string)) {
	place, what := f.Path, "not read: "
	if f.Skip.Pos.Line > 0 {
		place = fmt.Sprintf("%s:%d", f.Path, f.Skip.Pos.Line)
	}
	if f.Fault {
		what = "not changed: "
	}
	tell(place, p.Style("33", what)+report.Raw(report.Visible(f.Skip.Err.Error())), "", f.Skip.Hint)
}
