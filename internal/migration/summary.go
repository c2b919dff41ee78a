package migration

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migrate/author"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Alone notes that what was named belongs to nothing that could decide with it.
func Alone(u *project.User, tree *source.Tree) {
	list := tree.Alone()
	for i, name := range list {
		if list[i] = path.Join(tree.From(), name); name == "." && tree.From() == "" {
			list[i] = "this folder"
		}
	}
	if len(list) > 0 {
		u.Note("%s: in no git work tree or project, so only the files there are considered", strings.Join(list, ", "))
	}
}

// Sum is the summary on standard error: what ran, what was checked,
// what remains.
func (o *Options) Sum(u *project.User, plan *migrate.Plan, verbose bool) {
	s, by := plan.Summary(), strings.Join(plan.Rulesets(), ", ")
	if verbose {
		for _, entry := range plan.Idle(config.Name) {
			u.Note("%s", entry)
		}
	}
	if s.Records > mostRecords && s.Records > s.Changes {
		u.Note("hint: %d references are kept because a folder is named after a version; if what is there is in use, add --no-heuristic released-folder", s.Records)
	}
	for i, command := range plan.Renames {
		if i == 0 {
			u.Note("the names of kinds in Go are not renamed; at the top of the work tree, run in this order:")
		}
		u.Note("%s", command)
	}
	if !s.Left() && s.Mild == 0 {
		u.Note("scanned %s (%s); nothing to migrate%s", report.Plural(s.Seen, "file"), by, kept(s, verbose))
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
		parts = append(parts, "all of it deprecated, and still served by Kubernetes "+o.Target)
	}
	u.Note("scanned %s (%s): %s%s", report.Plural(s.Seen, "file"), by, strings.Join(parts, ", "), kept(s, verbose))
	if plan.TypeChecked > 0 {
		with := ""
		if plan.Imported > 0 {
			with = fmt.Sprintf(", with %d of the %s of other modules that they import", plan.Compiled, report.Plural(plan.Imported, "package"))
		}
		u.Note("type-checked %s with the changes%s: no new errors", report.Plural(plan.TypeChecked, "Go package"), with)
	} else if plan.Unchecked && s.Changes > 0 {
		u.Note("not type-checked: no Go files changed")
	}
	dropped := plan.Dropped()
	if n := len(dropped); n > 0 && !o.Check {
		list := strings.Join(dropped[:min(n, mostDropped)], ", ")
		if n > mostDropped {
			list += fmt.Sprintf(" and %d more", n-mostDropped)
		}
		u.Note("hint: a cluster refuses the CRD while status.storedVersions has %s: store the objects in the new version and take the old one out of the status first", list)
	}
	switch {
	case o.Write && s.Files > 0:
		if kind := plan.Kind(); kind != "" {
			u.Note("%s is not renamed where it may be something else: cfctl migrate remaining lists these", kind)
		}
		u.Note("written; to undo: cfctl migrate undo")
	case !o.Check && !o.Diff && !o.Write && s.Files > 0:
		u.Note("nothing was written; --write applies the changes, --diff prints them as a patch")
	case o.Check && s.Files > 0:
		u.Note("to rewrite what can be: cfctl migrate --write")
	case o.Check && s.Review+s.Unread > 0:
		u.Note("to accept a line that you reviewed, add a comment %s REASON; to accept all that remain: cfctl migrate --keep-rest REASON", migrate.Suppression)
	}
}

// mostRecords is how many references of records are kept without a word, as those of a catalog
// with folders of versions.
const mostRecords = 500

// mostDropped is how many versions of CRDs a hint lists at most.
const mostDropped = 3

// needReview counts the entries for review.
func needReview(n int) string {
	if n == 1 {
		return "1 needs review"
	}
	return fmt.Sprintf("%d need review", n)
}

func kept(s migrate.Summary, listed bool) string {
	switch {
	case s.Kept == 0:
		return ""
	case listed:
		return fmt.Sprintf(", %d not changed", s.Kept)
	}
	return fmt.Sprintf(", %d not changed (-v shows why)", s.Kept)
}

// Generated names, once, the command that writes generated files in the order of
// their generator.
func Generated(u *project.User, plan *migrate.Plan, read func(name string) ([]byte, error), written bool) {
	when := "after --write, run"
	if written {
		when = "now run"
	}
	if command := author.Regenerate(plan, read); command != "" {
		u.Note("generated files depend on the changes; %s: %s", when, command)
	} else if len(plan.Generators) > 0 {
		u.Note("generated files depend on the changes; %s %s", when, strings.Join(plan.Generators, ", then "))
	}
	if author.Vendored(plan, read) {
		u.Note("vendor has a copy of a module that changes; %s: go mod vendor", when)
	}
}

// Findings prints the findings first, then the lines to be read.
func (p *Preview) Findings(r *migrate.Review) {
	rep := r.Report()
	rep.Sort()
	for _, f := range rep.Findings {
		if f.Severity == report.Error {
			report.Fprintf(p.Out, "%s: %s: %s\n", f.Place(), p.Style("31", f.Rule), f.Message)
		}
	}
	head := false
	for _, f := range rep.Findings {
		if f.Severity == report.Error {
			continue
		}
		if !head {
			report.Fprintf(p.Out, "\n%s\n", p.Style("1", "Manual changes, to be reviewed:"))
			head = true
		}
		report.Fprintf(p.Out, "%s: %s\n", f.Place(), f.Message)
	}
}

// Counts are how many occurrences have each answer, with the formats of their files.
func Counts(list []migrate.Entry) string {
	answers, formats := map[string]int{}, map[string]map[string]int{}
	for _, e := range list {
		if answers[e.Answer]++; formats[e.Answer] == nil {
			formats[e.Answer] = map[string]int{}
		}
		formats[e.Answer][migrate.FormatOf(e.Path)]++
	}
	var parts []string
	for _, answer := range []string{"changed", "review", "kept", "word", "skipped"} {
		if answers[answer] == 0 {
			continue
		}
		by := lists.Of(slices.Sorted(maps.Keys(formats[answer])), func(format string) string { return fmt.Sprintf("%s %d", format, formats[answer][format]) })
		parts = append(parts, fmt.Sprintf("%d %s (%s)", answers[answer], answer, strings.Join(by, ", ")))
	}
	return cmp.Or(strings.Join(parts, "; "), "no old name remains")
}

// tasksDone is the command that no longer lists a task when it is done.
const tasksDone = "cfctl migrate --check"

// Tasks is a checklist, or one text for each task.
func Tasks(tasks []migrate.Task, prompts bool) string {
	var b strings.Builder
	for i, x := range tasks {
		if !prompts {
			fmt.Fprintf(&b, "- [ ] %s\n", report.Cell(x.Title))
			for _, place := range x.Places {
				fmt.Fprintf(&b, "  - %s\n", report.Code(place))
			}
			if x.Do != "" {
				fmt.Fprintf(&b, "  - Do: %s\n", report.Cell(x.Do))
			}
			fmt.Fprintf(&b, "  - Check: %s\n", report.Code(tasksDone))
			continue
		}
		if i > 0 {
			b.WriteString("---\n")
		}
		fmt.Fprintf(&b, "A migration of Kubernetes API names is not finished in this repository.\n\nProblem: %s\n", report.Visible(x.Title))
		if x.Do != "" {
			fmt.Fprintf(&b, "What to do: %s\n", report.Visible(x.Do))
		}
		fmt.Fprintf(&b, "Where:\n")
		for _, place := range x.Places {
			fmt.Fprintf(&b, "  %s\n", report.Visible(place))
		}
		fmt.Fprintf(&b, "Done when: `%s` no longer lists it. Change nothing else.\n", tasksDone)
	}
	return b.String()
}
