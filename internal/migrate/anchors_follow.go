package migrate

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"

	"github.com/project-codeflare/cfctl/internal/source"
)

// An anchor is one of a page that has an old name or had one, and what it is in the end.
type anchor struct {
	page    string
	now     string // the same as it was where it stays
	heading string // what the heading says that it is made of, "" for one that is written there
	came    bool   // it became another one before this run
	by      edit.Outcome
}

// anchorsOf are the anchors of files, by what they are or were.
func anchorsOf(files []*File) map[string][]anchor {
	all := map[string][]anchor{}
	for _, f := range files {
		if f.page == nil {
			continue
		}
		for _, a := range f.page.written {
			now, by := f.becomes(a.Span, a.raw)
			all[unescaped(a.raw)] = append(all[unescaped(a.raw)], anchor{page: f.Path, now: unescaped(now), by: by})
		}
		f.headingAnchors(all)
	}
	return all
}

// headingAnchors adds the anchors that are made of the headings of a page.
func (f *File) headingAnchors(all map[string][]anchor) {
	p := f.page
	texts, by := slices.Clone(p.texts), make([]edit.Outcome, len(p.texts))
	for i, h := range p.headings {
		texts[i], by[i] = f.becomes(h, texts[i])
	}
	for way, names := range find.Slugs(f.Path, texts) {
		for i, now := range names {
			a := anchor{page: f.Path, now: now, heading: texts[i], by: by[i]}
			if was := p.names[way][i]; (was != now || by[i].Rule != "") && !slices.Contains(p.own, was) {
				all[was] = append(all[was], a)
			}
			if p.came == nil || by[i].Rule != "" {
				continue
			}
			if was := p.came[way][i]; was != now && !slices.Contains(p.names[way], was) && !slices.Contains(p.own, was) {
				a.came, a.by.Rule, a.by.Ruleset = true, p.by[i].ID, p.by[i].Set
				all[was] = append(all[was], a)
			}
		}
	}
}

// becomes is what becomes of a place of a file, which says old, and what changes there.
func (f *File) becomes(at source.Span, old string) (now string, by edit.Outcome) {
	if f.Skip != nil || f.Drop {
		return old, by
	}
	var edits []source.Edit
	for _, i := range f.sitesIn(at) {
		if s := f.Sites[i]; s.Action() == Change {
			by = s.Outcome
			for _, e := range s.Edits() {
				e.Start, e.End = e.Start-at.Start, e.End-at.Start
				edits = append(edits, e)
			}
		}
	}
	fresh, err := source.Apply([]byte(old), edit.WithoutCovered(edits))
	if err != nil {
		return old, edit.Outcome{}
	}
	return string(fresh), by
}

// unescaped is the name of an anchor without the escape of its slash.
func unescaped(name string) string {
	if !strings.Contains(name, "%2") {
		return name
	}
	return escapedSlash.Replace(name)
}

var escapedSlash = strings.NewReplacer("%2f", "/", "%2F", "/")

// escapedAs is a name with its slash as another one has it.
func escapedAs(name, as string) string {
	for _, slash := range []string{"%2f", "%2F"} {
		if strings.Contains(as, slash) {
			return strings.ReplaceAll(name, "/", slash)
		}
	}
	return name
}

// followAnchors settles the links to anchors, when all else is.
func (m *Migration) followAnchors(files []*File, others Others) {
	all := anchorsOf(files)
	for _, f := range files {
		if f.page == nil || f.Skip != nil || f.Drop || f.outside {
			continue
		}
		var made []edit.Outcome
		told := map[string]bool{}
		for _, l := range f.page.links {
			o := f.follows(l, all[unescaped(l.raw)])
			if o.Action() == "" && o.New == "" || o.Action() == Person && told[l.raw] {
				continue
			}
			told[l.raw] = o.Action() == Person
			made = append(made, o)
		}
		if len(made) == 0 {
			continue
		}
		if data, err := others.ReadFile(f.Path); err == nil && !m.keptWhole(f.placeIn(), data) {
			f.followed(data, made, others)
		}
	}
}

// follows is what becomes of a link to an anchor, of which some pages have one of its name:
// New says what it is to be, where it is written; an outcome without that and without an
// action where nothing is to be said.
func (f *File) follows(l pageLink, of []anchor) edit.Outcome {
	o := edit.Outcome{Span: l.Span, Role: find.RoleGroup, Old: l.raw}
	now, by := f.becomes(l.Span, l.raw)
	kept := slices.ContainsFunc(f.sitesIn(l.Span), func(i int) bool { return f.Sites[i].keptByPerson() })
	of = l.nearest(of, f.Path)
	switch {
	case kept:
		return edit.Outcome{}
	case len(of) == 0 && l.Site() && now != l.raw:
		return o.Keep("another-site", "an anchor of a page that is not in this tree")
	case len(of) == 0 || pinnedLink(l):
		return edit.Outcome{}
	}
	a := of[0]
	to := escapedAs(a.now, l.raw)
	o.Rule, o.Ruleset = a.by.Rule, a.by.Ruleset
	switch {
	case slices.ContainsFunc(of, func(x anchor) bool { return x.now != a.now }):
		return o.Leave("heading-link", "pages have such an anchor that do not become the same", "look which of them is meant")
	case to == now:
		return edit.Outcome{}
	case to == l.raw:
		o.Rule, o.Ruleset = by.Rule, by.Ruleset
		return o.Keep("kept-anchor", "its anchor stays")
	case a.heading != "" && l.Site() || !f.m.proof.Permits(l.raw, to):
		verb := "becomes"
		if a.came {
			verb = "became"
		}
		o.Start, o.Old = o.Start-1, "#"+o.Old
		return o.Leave("heading-link", "it leads to a heading that "+verb+" "+a.heading, "write #"+to+" in each link, or generate the document again")
	}
	o.New = to
	return o
}

// nearest are those of some anchors of one name to which a link of a page leads most surely.
// A page that is nowhere in the tree may be made of one that is there: then all that are
// written with that name count, where they agree.
func (l pageLink) nearest(all []anchor, from string) []anchor {
	var of []anchor
	best := 1
	for _, a := range all {
		n := l.LeadsTo(a.page, from)
		if n > best {
			of, best = nil, n
		}
		if n == best {
			of = append(of, a)
		}
	}
	if len(of) > 0 || !l.Site() || slices.ContainsFunc(all, func(a anchor) bool { return a.heading != "" || a.now != all[0].now }) {
		return of
	}
	return all
}

// keptByPerson says whether a person keeps a site, by a comment, the configuration or a ruleset.
func (s Site) keptByPerson() bool {
	return s.Action() == Stay && slices.Contains([]string{"by-hand", edit.Configured, "ruleset", "pinned-link"}, s.Reason)
}

// keptWhole says whether a file stays as a whole with its links: a person keeps it, or a
// program writes it.
func (m *Migration) keptWhole(place string, data []byte) bool {
	_, guard := judge.Stays(m.rules, m.off, place, data, find.FormatOf(place, data))
	_, acknowledged := m.opts.Keep.Of(place, "")
	return acknowledged || slices.Contains([]string{"ruleset", "kept-path", "generated-document", "snapshot"}, guard)
}

// pinnedLink says whether a link leads to a page of a release or a commit.
func pinnedLink(l pageLink) bool { return l.Site() && judge.IsPinned(l.To) }

// followed puts what becomes of links in the place of what was known of them.
func (f *File) followed(data []byte, made []edit.Outcome, others Others) {
	for i, o := range made {
		if o.Action() == "" {
			made[i] = o.Respell(data)
		}
	}
	made, marks := edit.Acknowledge(data, f.placeIn(), f.m.opts.Keep, made)
	within := map[int]bool{}
	for _, o := range made {
		for _, i := range f.sitesIn(o.Span) {
			within[f.Sites[i].Start] = true
		}
	}
	f.Sites = slices.DeleteFunc(f.Sites, func(s Site) bool { return within[s.Start] })
	f.Sites = append(f.Sites, sitesOf(data, made)...)
	slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
	f.Sites = withoutMarks(f.Sites, marks)
	err := f.sound()
	if err == nil {
		err = f.prove(data)
	}
	if err != nil {
		f.fail(err)
	}
	if f.m.opts.Fixes {
		f.fix(others)
	}
}
