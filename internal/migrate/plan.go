package migrate

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Plan is what a migration makes of a set of files.
type Plan struct {
	Files       []*File       // those with a site, sorted by path
	Skipped     []report.Skip // what was seen and not read
	Generators  []string      // programs whose files the plan changes, in the order in which they run
	Renames     []string      // commands by which gopls renames what Options.GoOff leaves, in their order; empty: none
	TypeChecked int           // Go packages that were type-checked with the changes, without a new error; 0: none were
	Imported    int           // packages of other modules that these import; 0: the go command was not asked, or knows none
	Compiled    int           // those of them that were in its build cache; the others were empty for the check
	Unchecked   bool          // the tree has the Go package of an API, and no Go file changes
	Seen        int           // files that were looked at, with or without a site
	Below       string        // folder of the work tree that all paths are relative to; "" = its top, or no work tree
	sets        []*rules.Ruleset
	configured  []Keep // acknowledgements of the configuration
	facts       *index.Facts
	rules       *rules.Table // nil in dual mode
}

// One is the plan of one file that stands on its own.
func (m *Migration) One(name string, data []byte) *Plan {
	files, _ := m.gather(func(_ search, visit func(name string, data []byte)) error { // no error, as nothing is read
		visit(name, data)
		return nil
	}, nil)
	return m.Finish(files, one{name: name, data: data})
}

// Finish settles what depends on several files and returns the plan. Others
// may be nil.
func (m *Migration) Finish(files []*File, others Others) *Plan {
	if others == nil {
		others = nothing{}
	}
	var unchosen []report.Skip // by the formats of Options.Only
	files = slices.DeleteFunc(files, func(f *File) bool {
		if f == nil {
			return true
		}
		if f.unchosen && !f.outside {
			unchosen = append(unchosen, report.Skip{Path: f.Path, Reason: skipFormat + ": " + f.Format})
		}
		f.outside = f.outside || f.unchosen // it says what the tree is
		return f.unchosen && f.core == nil
	})
	slices.SortFunc(files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	p := &Plan{Files: files, Seen: len(files) - len(unchosen), Skipped: unchosen, sets: m.opts.Rulesets, configured: m.opts.Keep, Below: m.below}
	if p.facts = m.settle(files, others); !m.opts.Dual {
		p.rules = m.rules
	}
	p.agree(others)
	p.target(m)
	return p
}

// Dropped are versions of CRDs of the tree that become other ones, sorted: "v1alpha1 of Gadget".
// A cluster refuses such a CRD while its status lists the old version as stored. A CRD that needs
// review for its versions keeps the old one.
// Source: apiextensions.k8s.io, validation of status.storedVersions.
func (p *Plan) Dropped() (list []string) {
	if p.facts == nil || p.rules == nil {
		return nil
	}
	kept := map[string]bool{} // names of CRDs
	for _, f := range p.Files {
		for _, s := range f.Sites {
			kept[s.Old] = kept[s.Old] || s.ID() == "crd-version" || s.ID() == "test-crd"
		}
	}
	for _, g := range p.rules.Groups() {
		for _, kind := range p.facts.Kinds(g) {
			served := p.facts.Serves(g, kind)
			for _, v := range served {
				x := p.rules.Ask(rules.GVK{Group: g, Version: v, Kind: kind})
				if x.To.Group == g && x.To.Version != "" && !slices.Contains(served, x.To.Version) && !slices.ContainsFunc(p.facts.Plurals(g, kind), func(plural string) bool { return kept[plural+"."+g] }) {
					list = append(list, v+" of "+kind)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// withoutAnswered decides about the references that need review only for a kind that is named apart
// from them, where each place of the kind is rewritten, or needs review itself and no rule changes
// the reference.
func (p *Plan) withoutAnswered(x *settling) {
	for _, f := range p.Files {
		if !slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Then != nil }) {
			continue
		}
		var edited, told []source.Span
		for _, s := range f.Sites {
			if s.Action() == NeedsReview {
				told = append(told, s.Span)
			}
			for _, e := range s.Edits {
				edited = append(edited, e.Span)
			}
		}
		told = append(told, edited...)
		f.answer(x, map[bool]func(source.Span) bool{true: apartFrom(edited), false: apartFrom(told)})
	}
}

// apartFrom says whether a span is outside of all of some others.
func apartFrom(of []source.Span) func(source.Span) bool {
	slices.SortFunc(of, func(a, b source.Span) int { return a.Start - b.Start })
	for i := 1; i < len(of); i++ { // each has the last end of those up to it
		of[i].End = max(of[i].End, of[i-1].End)
	}
	return func(at source.Span) bool {
		i, _ := slices.BinarySearchFunc(of, at.End, func(s source.Span, end int) int { return s.Start - end })
		return i == 0 || of[i-1].End <= at.Start
	}
}

// answer decides about the references of a file. Open says whether a place of a kind is not taken
// care of: for a reference that would change, and for one that would not. What changes is verified
// without the other changes of the file.
func (f *File) answer(x *settling, open map[bool]func(source.Span) bool) {
	type set struct {
		places  *source.Span // references share them
		changes bool
	}
	known := map[set]bool{}
	alone := *f
	alone.Sites, alone.To, alone.Twin, alone.Drop, alone.converts = nil, f.Path, nil, false, false
	by := map[int]int{} // where references begin, to the site that decides about them
	for i, s := range f.Sites {
		if s.Action() != NeedsReview || s.Then == nil {
			continue
		}
		key := set{&s.Apart[0], s.Then[0].Action() == Change}
		if _, ok := known[key]; !ok {
			known[key] = !slices.ContainsFunc(s.Apart, open[key.changes])
		}
		if known[key] {
			for _, then := range s.Then {
				by[then.Start] = i
			}
			alone.Sites = append(alone.Sites, s.Then...)
		}
	}
	sites := slices.DeleteFunc(slices.Clone(f.Sites), func(old Site) bool { _, ok := by[old.Start]; return ok })
	for i, s := range f.Sites {
		for _, then := range s.Then {
			if of, ok := by[then.Start]; ok && of == i {
				sites = append(sites, then)
			}
		}
	}
	if x.verify(&alone); alone.Skip == nil && len(alone.Sites) > 0 {
		slices.SortStableFunc(sites, func(a, b Site) int { return a.Start - b.Start })
		f.Sites = sites
	}
}

// target says of each site whether the target version serves what is there.
func (p *Plan) target(m *Migration) {
	for _, f := range p.Files {
		for i, s := range f.Sites {
			if m.removed[s.Rule.Set] && f.Format == "helm" && slices.ContainsFunc(f.asked, func(x judge.Asked) bool {
				return x.Start <= s.Start && s.End <= x.End && (s.Action() == NeedsReview || s.Action() == Change && x.Value)
			}) {
				f.Sites[i] = s.As(judge.Because(judge.TemplateChoice, ""))
				continue
			}
			life, ok := m.lives[s.Rule.Set][s.Rule.ID]
			if !ok {
				continue
			}
			s.Severe, s.Mild = !life.Deprecated, life.Deprecated
			if s.Action() == Change && s.Why() == "" {
				s.Verdict = s.With(life.Why)
			}
			f.Sites[i] = s
		}
	}
}

// templateChoice is the heuristic that a template which asks what the cluster serves names
// on purpose what newer clusters do not serve.
const templateChoice = "template-choice"

// skipFormat is why a file that holds a name is not read with Options.Only.
const skipFormat = "format not chosen"

// placeIn is the file's path from the top of the work tree.
func (f *File) placeIn() string { return f.m.placeOf(f.Path) }

// Edits are the edits of a file's changed sites against its content, data.
// Where two sites ask for the same edit, it is made once.
func (f *File) Edits(data []byte) []source.Edit {
	edits := f.siteEdits()
	if f.Format == "go" {
		edits = f.tidy(data, edits)
	}
	return edits
}

// siteEdits are the edits of the sites alone, before Go is formatted.
func (f *File) siteEdits() []source.Edit {
	var edits []source.Edit
	for _, s := range f.Sites {
		if s.Action() == Change {
			edits = append(edits, s.Edits...)
		}
	}
	return withoutCovered(edits)
}

// After is the path of the file when the plan is done, "" for one that goes.
func (f *File) After() string {
	if f.Drop {
		return ""
	}
	return f.To
}

// Changes says whether the file would be written, renamed or removed.
func (f *File) Changes() bool {
	return f.Skip == nil && (f.Drop || f.Twin != nil || f.To != f.Path || slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Action() == Change }))
}

// Kinds are the kinds of a group that the files name, sorted.
func (p *Plan) Kinds(group string) []string {
	if p.facts == nil {
		return nil
	}
	return p.facts.Kinds(group)
}

// Count is the number of sites with an action.
func (p *Plan) Count(a Action) int {
	n := 0
	for _, f := range p.Files {
		for _, s := range f.Sites {
			if s.Action() == a {
				n++
			}
		}
	}
	return n
}
