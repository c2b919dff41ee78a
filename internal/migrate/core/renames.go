package core

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// moveKey renames the key of a label or annotation.
func (r *ref) moveKey(to string) []Site {
	s := Site{Span: r.own, Verdict: r.verdict, Old: r.ownText, New: to, Rule: rules.RuleID{ID: "keys"}}
	if s.Action() == judge.Review {
		return []Site{s.As(r.verdict)}
	}
	if !strings.Contains(s.Old, "/") && strings.Contains(s.Old, "~1") { // of a JSON pointer
		s.New = strings.ReplaceAll(s.New, "/", "~1")
	}
	s.Edits = []source.Edit{{Span: r.own, Old: s.Old, New: s.New}}
	return []Site{s}
}

// fileName rewrites the name of a file that is renamed, or whose new name is there.
func (t *Tree) fileName(r *ref) []Site {
	s := Site{Span: r.own, Verdict: r.verdict, Old: r.ownText}
	prefix, glob := strings.CutSuffix(r.ownText, "_*")
	for _, base := range slices.Sorted(maps.Keys(t.renames)) {
		to := t.renames[base]
		switch {
		case glob && strings.HasPrefix(base, prefix+"_"):
			group, _, _ := strings.Cut(to, "_")
			to = group + "_*"
		case stemOf(base) != stemOf(r.ownText) || t.leadsElsewhere(r, base):
			continue
		case stemOf(r.ownText) == r.ownText:
			to = stemOf(to)
		}
		if s.New != "" && s.New != to { // the kinds of a group go to several
			return []Site{s.As(judge.Because(judge.FilesApart, ""))}
		}
		s.New = to
	}
	if s.New != "" && s.New != s.Old { // or it is of all kinds of a group, of which one gets another name
		s.Edits = []source.Edit{{Span: r.own, Old: s.Old, New: s.New}}
		return []Site{s}
	}
	fresh := t.core.newBase(r.ownText, t.Facts)
	if fresh == "" || fresh == r.ownText || t.isThere(r, r.ownText) {
		return []Site{s.As(judge.Because(judge.FileNotRenamed, ""))}
	}
	named := r.file.Format == "shell" && r.before != "" && !strings.HasPrefix(r.before, "//") || slices.Contains(Kustomizations, baseOf(r.file.Path))
	asked := slices.Contains([]string{"yaml", "json", "shell", "helm"}, r.file.Format) // where the tree disagrees
	switch there := t.isThere(r, fresh); {
	case there && !asked, !there && named && t.marked[r.known.Group]: // an earlier run renamed it, or a generator will
		s.New, s.Edits = fresh, []source.Edit{{Span: r.own, Old: s.Old, New: fresh}}
		return []Site{s}
	case !there && named:
		return []Site{s.As(judge.Because(judge.GeneratedFile, ""))}
	}
	return []Site{s.As(judge.Because(judge.FileNotRenamed, ""))}
}

// isThere says whether a file of the path of a reference is in the tree under a name: from the
// top, or from the folder of the file that has the reference.
func (l *layout) isThere(r *ref, name string) bool {
	if l.around == nil || isFilled(r.before) {
		return true
	}
	return slices.ContainsFunc([]string{"", ".yaml", ".yml", ".json"}, func(ext string) bool {
		_, _, ok := l.around(r.file, path.Join(r.before, name+ext))
		return ok
	})
}

func stemOf(base string) string {
	for _, ext := range []string{".yaml", ".yml", ".json"} {
		base = strings.TrimSuffix(base, ext)
	}
	return base
}

func (t *Tree) ask(site rules.GVK) rules.GVK {
	a := t.core.table.Ask(site)
	if a.Outcome != rules.Moves {
		return site
	}
	return a.To
}

// isPlural says whether a rule of a group names a plural.
func (m *meaning) isPlural(group, name string) bool {
	return slices.ContainsFunc(m.table.RulesOf(group), func(x rules.Rule) bool { return x.From.Plural == name })
}

// pluralNow is the new name of a resource in some versions, or in every one that the tree has, ""
// where it does not change; it is false where versions of it get different names.
func (t *Tree) pluralNow(group, name string, versions []string) (to string, ok bool) {
	site := rules.GVK{Group: group}
	if len(versions) > 0 {
		site.Version = versions[0]
	} else {
		versions = t.core.filled(rules.Known{Group: group, Kinds: []string{t.core.kindNamed(group, name, t.Facts)}}, t.Facts).Versions
	}
	to = t.plural(site, name)
	return to, !slices.ContainsFunc(versions, func(v string) bool { return t.plural(rules.GVK{Group: group, Version: v}, name) != to })
}

// plural is the new name of a resource.
func (t *Tree) plural(site rules.GVK, name string) string {
	kind := t.core.kindNamed(site.Group, name, t.Facts)
	if kind == "" {
		return ""
	}
	site.Kind, site.Plural = kind, name
	to := t.ask(site)
	switch {
	case to.Kind == "" || to.Kind == kind:
		return ""
	case name == strings.ToLower(kind) && !t.core.isPlural(site.Group, name):
		return strings.ToLower(to.Kind)
	}
	return to.Plural
}

// said is what a line names: a version of an API.
type said struct {
	line                           int
	group, version, kinds, plurals string
}

func saidBy(r *ref, line int, group, version string) said {
	return said{line, group, version, strings.Join(r.known.Kinds, ","), strings.Join(r.known.Plurals, ",")}
}

// repeats says whether the line of a reference names what it becomes by its version as well.
func (q *question) repeats(x result) bool {
	if x.To.Version == "" || len(q.known.Versions) != 1 || x.To.Version == q.known.Versions[0] {
		return false
	}
	f := q.file
	if f.said == nil {
		f.said = map[said]bool{}
		for i := range f.refs {
			if o := &f.refs[i]; len(o.known.Versions) == 1 {
				f.said[saidBy(o, o.line, o.known.Group, o.known.Versions[0])] = true
			}
		}
	}
	return f.said[saidBy(q.ref, q.line, cmp.Or(x.To.Group, q.known.Group), x.To.Version)]
}
