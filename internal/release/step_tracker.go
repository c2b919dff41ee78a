package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/spelling"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// trackerStep is the step that tells a release tracker.
const trackerStep = "tracker-comment"

// trackerHead is the line that begins what the tracker's automation reads.
const trackerHead = "#Release#"

// stepTracker comments on the release tracker of a distribution that the stack
// is a part of: an issue in which each team says which branch and tag of its
// component the next release takes. Source: the trackers of
// opendatahub-io/opendatahub-community, and docs/release-workflow-guide.md and
// cmd/manifest-tools of opendatahub-io/opendatahub-operator, which read them.
func stepTracker(t *Train, needs []*Step) *Step {
	tr := t.recipe.Tracker
	if tr == nil || len(t.trackerLines()) == 0 {
		return nil
	}
	s := &Step{Name: trackerStep, Title: "comment on the release tracker in " + tr.Repository, Needs: needs, Public: true, Group: trackerStep, Target: tr.Repository}
	s.Observe = func(ctx context.Context, v *View) (observation, error) {
		issues, err := forge.As[forge.IssueReader](v.forge, "issues")
		if err != nil {
			return observation{}, err
		}
		issue, err := recall(v, "tracker", func() (forge.Issue, error) { return tr.find(ctx, issues) })
		if errors.Is(err, wire.ErrNotFound) {
			return waiting(fmt.Sprintf("no open issue of %s has %q in its title", tr.Repository, tr.Title), "a maintainer of "+tr.Repository+", who opens the tracker; or release.tracker.issue names it", ""), nil
		}
		if err != nil {
			return observation{}, err
		}
		comments, err := recall(v, "tracker comments", func() ([]forge.Comment, error) { return issues.Comments(ctx, tr.Repository, issue.Number) })
		if err != nil {
			return observation{}, err
		}
		return t.tracked(issue, comments), nil
	}
	s.Act = func(ctx context.Context, h *Writer, seen observation) error {
		issues, err := forge.As[forge.IssueWriter](h.forge, "comments")
		if err != nil {
			return err
		}
		var number int
		if _, err := fmt.Sscan(seen.Facts["issue"], &number); err != nil {
			return err
		}
		c, err := issues.Comment(ctx, tr.Repository, number, seen.Detail)
		if err == nil {
			h.Tell("comment", c.URL)
		}
		return err
	}
	return s
}

// find is the tracker: the issue that the recipe names, else the newest open
// one with the title; ErrNotFound when there is none.
func (tr *Tracker) find(ctx context.Context, issues forge.IssueReader) (forge.Issue, error) {
	if tr.Issue != 0 {
		i, err := issues.Issue(ctx, tr.Repository, tr.Issue)
		if err != nil {
			return forge.Issue{}, fmt.Errorf("release tracker %s#%d: %w", tr.Repository, tr.Issue, err)
		}
		return i, nil
	}
	list, err := issues.OpenIssues(ctx, tr.Repository)
	if err != nil {
		return forge.Issue{}, err
	}
	for _, i := range list {
		if strings.Contains(strings.ToLower(i.Title), strings.ToLower(tr.Title)) {
			return i, nil
		}
	}
	return forge.Issue{}, wire.ErrNotFound
}

// A trackerLine is what the tracker is told of one component, with addresses.
type trackerLine struct{ name, branch, tag string }

// String writes a line as the template of the tracker has it.
func (l trackerLine) String() string { return "- " + l.name + "|" + l.branch + "|" + l.tag }

// said says whether an entry says the same. One with a single address, as
// people write where branch and tag are one, is of the tag.
func (l trackerLine) said(e trackerEntry) bool {
	atTag := strings.Replace(l.tag, "/releases/tag/", "/tree/", 1)
	return e.tag == l.tag && (e.branch == l.branch || e.branch == e.tag && l.branch == atTag)
}

// trackerLines are the lines of this release, in the order of the recipe.
func (t *Train) trackerLines() []trackerLine {
	var lines []trackerLine
	for _, e := range t.recipe.Tracker.Components {
		c, err := t.stack.Lookup(e.Component)
		if err != nil || t.Versions[c.Name] == "" || !stack.InEra(t.Version, e.From, e.Until) {
			continue // Recipe.Complete knows the component
		}
		branch := cmp.Or(e.Branch, t.tag(c))
		web := strings.TrimSuffix(t.recipe.Forge.Git, "/") + "/" + c.Repository
		lines = append(lines, trackerLine{e.Name, web + "/tree/" + branch, web + "/releases/tag/" + t.tag(c)})
	}
	return lines
}

// tracked compares what the tracker has with what this release wants to say. An
// entry that says something else is a user's, and stays.
func (t *Train) tracked(issue forge.Issue, comments []forge.Comment) observation {
	at := fmt.Sprintf("%s#%d", t.recipe.Tracker.Repository, issue.Number)
	said := map[string][]trackerEntry{}
	for _, c := range comments {
		for _, e := range entriesOf(c) {
			said[plainName(e.name)] = append(said[plainName(e.name)], e)
		}
	}
	var left []trackerLine
	for _, line := range t.trackerLines() {
		entries := said[plainName(line.name)]
		if i := slices.IndexFunc(entries, func(e trackerEntry) bool { return !line.said(e) }); i >= 0 {
			o := unmanaged(whyTrackerEntry, fmt.Sprintf("%s has another entry of %s, by %s: %s", at, line.name, entries[i].by, entries[i]), "its author: delete "+entries[i].url, "entry", entries[i].String())
			return o.At(issue.URL)
		}
		if len(entries) == 0 {
			left = append(left, line)
		}
	}
	if len(left) == 0 {
		return done(at+" has it", "issue", fmt.Sprint(issue.Number)).At(issue.URL)
	}
	if !issue.Open {
		o := conflict(whyTrackerClosed, "%s is closed, and does not name %s", at, left[0].name)
		o.Who = "a maintainer of " + t.recipe.Tracker.Repository + ", or you: release.tracker.issue names another one"
		return o.At(issue.URL)
	}
	if o, ok := t.listed(issue, left); !ok {
		return o.At(issue.URL)
	}
	o := missing("comment on " + at + " (" + issue.Title + ")")
	o.Detail = trackerHead
	for _, line := range left {
		o.Detail += "\n" + line.String()
	}
	return o.With("issue", fmt.Sprint(issue.Number)).At(issue.URL)
}

// listed checks the names of the lines against the list of components in the
// tracker, which are the ones that its automation knows. A tracker without a
// list knows all.
func (t *Train) listed(issue forge.Issue, lines []trackerLine) (observation, bool) {
	var names []string
	for _, m := range trackerName.FindAllStringSubmatch(issue.Body, -1) {
		names = append(names, m[1])
	}
	for _, line := range lines {
		if len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { return plainName(n) == plainName(line.name) }) {
			continue
		}
		o := conflict(whyTrackerList, "the list of components in %s#%d has no %s", t.recipe.Tracker.Repository, issue.Number, line.name)
		o.Who = "you: release.tracker.components[].name is one of " + strings.Join(names, ", ")
		if near := spelling.Nearest(line.name, names); near != "" {
			o.Who = fmt.Sprintf("you: release.tracker.components[].name, did you mean %q?", near)
		}
		return o, false
	}
	return observation{}, true
}

// trackerWord is what a name or a branch may be: it is in a line of a
// comment, and in an address.
var trackerWord = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._/-]*$`)

var trackerName = lazyregexp.New(`(?m)^[ \t]*[-*][ \t]+\[[ xX]\][ \t]+([A-Za-z0-9][A-Za-z0-9_/-]*)[ \t\r]*$`)

// plainName is a name as the tracker's automation compares it.
func plainName(name string) string {
	return strings.NewReplacer("/", "-", "_", "-").Replace(strings.ToLower(name))
}

// A trackerEntry is what a comment says of a component.
type trackerEntry struct {
	trackerLine
	by, url string
}

// entriesOf reads the lines behind #Release# in a comment: a name and one or
// two addresses with bars between them, with or without a bullet.
func entriesOf(c forge.Comment) []trackerEntry {
	var entries []trackerEntry
	_, rest, found := strings.Cut("\n"+strings.ReplaceAll(c.Body, "\r\n", "\n"), "\n"+trackerHead)
	if !found {
		return nil
	}
	for line := range strings.Lines(rest) {
		parts := strings.Split(strings.TrimLeft(strings.TrimSpace(line), "-* "), "|")
		if len(parts) < 2 || !strings.HasPrefix(strings.TrimSpace(parts[1]), "https://") {
			continue
		}
		e := trackerEntry{trackerLine{strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1]), strings.TrimSpace(parts[len(parts)-1])}, c.By, c.URL}
		entries = append(entries, e)
	}
	return entries
}
