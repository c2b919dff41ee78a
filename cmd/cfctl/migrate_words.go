package main

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migrate/author"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// showPlan prints a plan in the form that was asked for. As text it is a line
// for each change; on a terminal they are below their files, with the lines
// that change. read reads a file of the plan again.
func (t *terminal) showPlan(o *migrateOptions, plan *migrate.Plan, read func(name string) ([]byte, error)) error {
	if o.output != "text" {
		return t.print(o.output, t.reportOf(o, plan))
	}
	if len(t.files) > 0 {
		if err := t.printBeside("text", t.reportOf(o, plan)); err != nil {
			return err
		}
	}
	first := true
	for _, f := range plan.Files {
		if t.heads {
			data, err := read(f.Path)
			if err != nil {
				data = nil // what is known without it is shown
			}
			if t.showFile(o, f, data, first) {
				first = false
			}
			continue
		}
		if f.After() != f.Path {
			report.Fprintf(t.out, "%s\n", t.style("1", renamed(f.Path, f.After())))
		}
		for _, s := range f.Sites {
			t.showSite(o, f, s)
		}
	}
	t.sayPerson(t.out, plan)
	return nil
}

// reportOf is a plan as findings, with the account where a form prints it.
func (t *terminal) reportOf(o *migrateOptions, plan *migrate.Plan) *report.Report {
	return plan.Report(migrate.ReportOptions{Kept: o.verbose, Check: o.check, Account: t.prints(o.output, "json")})
}

// whyKept is why a reference is not changed, with the role of its place where it has one.
func whyKept(s migrate.Site) string {
	if s.Role == "" {
		return s.Why
	}
	return fmt.Sprintf("%s (%s)", s.Why, s.Role)
}

// showSite is one line of the preview.
func (t *terminal) showSite(o *migrateOptions, f *migrate.File, s migrate.Site) {
	place := fmt.Sprintf("%s:%d:%d:", f.Path, s.Pos.Line, s.Pos.Column)
	switch {
	case s.Action() == migrate.Change && s.New == "":
		report.Fprintf(t.out, "%s %s: %s → removed (%s)\n", place, s.Rule, t.style("31", s.Old), s.Why)
	case s.Action() == migrate.Change:
		why := ""
		if s.Why != "" {
			why = " (" + s.Why + ")"
		}
		report.Fprintf(t.out, "%s %s: %s → %s%s\n", place, s.Rule, t.style("31", s.Old), t.style("32", s.New), why)
	case s.Action() == migrate.Stay && o.verbose:
		report.Fprintf(t.out, "%s %s\n", place, t.style("2", "kept: "+s.Old+": "+whyKept(s)))
	}
}

func renamed(from, to string) string {
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

// sayPerson lists what needs review, and the files that could not be
// read, behind the changes: on w, which is standard error where standard output
// is a patch.
func (t *terminal) sayPerson(w io.Writer, plan *migrate.Plan) {
	list := t.leftovers(plan)
	if len(list) > 0 {
		report.Fprintf(w, "\n%s\n", t.style("1", "Needs review:"))
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
func (t *terminal) leftovers(plan *migrate.Plan) []*leftover {
	var list []*leftover
	alike := map[leftoverOf][]*leftover{}
	for _, f := range plan.Files {
		if f.Skip != nil {
			list = append(list, t.unreadable(f))
			continue
		}
		for _, s := range f.Entries() {
			if s.Action() != migrate.NeedsReview {
				continue
			}
			x := &leftover{place: fmt.Sprintf("%s:%d:%d", f.Path, max(1, s.Pos.Line), max(1, s.Pos.Column)), text: report.Raw(report.Visible(s.Question())), hint: f.Hint(s)}
			list = append(list, x)
			if of, ok := saidOnce(f, s, x.hint); ok {
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
	case s.Reason == "typed-client":
		return leftoverOf{path.Dir(f.Path), s.Old, s.Why, hint}, true
	case s.Reason == "generated", s.Reason == "go-type" && s.In != "":
		return leftoverOf{why: s.Why, hint: hint}, true
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
func (t *terminal) unreadable(f *migrate.File) *leftover {
	x := &leftover{place: f.Path, hint: f.Skip.Hint}
	if f.Skip.Pos.Line > 0 {
		x.place = fmt.Sprintf("%s:%d", f.Path, f.Skip.Pos.Line)
	}
	what := "not read: "
	if f.Fault {
		what = "not changed: "
	}
	x.text = t.style("33", what) + report.Raw(report.Visible(f.Skip.Err.Error()))
	return x
}

// sayAlone notes that what was named belongs to nothing that could decide with it.
func (t *terminal) sayAlone(tree *source.Tree) {
	list := tree.Alone()
	for i, name := range list {
		if list[i] = path.Join(tree.From(), name); name == "." && tree.From() == "" {
			list[i] = "this folder"
		}
	}
	if len(list) > 0 {
		t.note("%s: in no git work tree or project, so only the files there are considered", strings.Join(list, ", "))
	}
}

// sayMigrated is the summary on standard error: what ran, what was checked,
// what is left.
func (t *terminal) sayMigrated(o *migrateOptions, plan *migrate.Plan) {
	s, by := plan.Summary(), strings.Join(plan.Rulesets(), ", ")
	if o.verbose {
		for _, entry := range plan.Idle(configName) {
			t.note("%s", entry)
		}
	}
	if !s.Left() && s.Mild == 0 {
		t.note("scanned %s (%s); nothing to migrate%s", report.Plural(s.Seen, "file"), by, kept(s))
		return
	}
	parts := []string{fmt.Sprintf("%s in %s", report.Plural(s.Changes, "change"), report.Plural(s.Files, "file"))}
	if s.Renames > 0 {
		parts = append(parts, report.Plural(s.Renames, "file")+" renamed")
	}
	if s.Review > 0 {
		parts = append(parts, needReview(s.Review))
	}
	if s.Unread > 0 {
		parts = append(parts, report.Plural(s.Unread, "file")+" not read")
	}
	if !s.Left() {
		parts = append(parts, "all of it deprecated, and still served by Kubernetes "+o.target)
	}
	t.note("scanned %s (%s): %s%s", report.Plural(s.Seen, "file"), by, strings.Join(parts, ", "), kept(s))
	if plan.TypeChecked > 0 {
		t.note("type-checked %s with the changes: no new errors", report.Plural(plan.TypeChecked, "Go package"))
	}
	switch {
	case o.write && s.Files > 0:
		t.note("written; to undo: cfctl migrate undo")
	case !o.check && !o.diff && !o.write && s.Files > 0:
		t.note("nothing was written; --write applies the changes, --diff prints them as a patch")
	case o.check && s.Review+s.Unread > 0 && s.Files == 0:
		t.note("to accept a line that you reviewed, add a comment %s REASON; to accept all that remain: cfctl migrate --keep-rest REASON", migrate.Suppression)
	}
}

// needReview counts the entries for review.
func needReview(n int) string {
	if n == 1 {
		return "1 needs review"
	}
	return fmt.Sprintf("%d need review", n)
}

func kept(s migrate.Summary) string {
	if s.Kept == 0 {
		return ""
	}
	return fmt.Sprintf(", %d not changed (-v shows why)", s.Kept)
}

// sayGenerated names, once, the command that writes generated files in the order of
// their generator.
func (t *terminal) sayGenerated(plan *migrate.Plan, read func(name string) ([]byte, error), written bool) {
	when := "after --write, run"
	if written {
		when = "now run"
	}
	if command := author.Regenerate(plan, read); command != "" {
		t.note("generated files are among the changes; %s: %s", when, command)
	} else if len(plan.Generators) > 0 {
		t.note("generated files are among the changes; %s these generators in this order: %s", when, strings.Join(plan.Generators, ", "))
	}
}
