package edit

import (
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// controller-gen names the file of a CRD after its group and plural, and other
// files name it. It follows its group, and so do they.

// FindingRename is the id of a file that is renamed, and of what follows it.
const FindingRename = "crd-file"

// crdFile takes the base name of a CRD or sample file apart, behind its group.
var crdFile = lazyregexp.New(`^_(?:(v[0-9]+(?:(?:alpha|beta)[0-9]+)?)_)?([a-z][a-z0-9-]*?)((?:_crd|_cr|_patch|\.crd)?(?:\.[a-z0-9.]+)?)$`)

// NewPath is the path of the file after the migration, in which made is what
// becomes of its names: a file that is named after the group it holds follows
// the group. One of Go does not: client-gen names it after its folder.
func (f File) NewPath(made []Outcome) string {
	if f.Facts.Stays != "" || path.Ext(f.Path) == ".go" || keepsCRD(made) {
		return f.Path
	}
	changes := slices.ContainsFunc(made, func(o Outcome) bool { return o.action == Change })
	base := path.Base(f.Path)
	for _, tok := range f.Names.Tokens([]byte(base)) {
		if !tok.IsFile() {
			continue
		}
		if to, ok := fileNameOf(f.Table, f.Names, base, tok); ok && to != base && (changes || f.hasArrived(to, made)) {
			return path.Join(path.Dir(f.Path), to)
		}
	}
	return f.Path
}

// MovedName is what the base name of a file becomes that is named after a group, "" for
// another one.
func MovedName(t *rules.Table, names *find.Names, base string) string {
	for _, tok := range names.Tokens([]byte(base)) {
		if to, ok := fileNameOf(t, names, base, tok); ok && tok.IsFile() && to != base {
			return to
		}
	}
	return ""
}

// keepsCRD says whether a file has a CRD, and none that changes.
func keepsCRD(made []Outcome) bool {
	found := false
	for _, o := range made {
		if o.Role == find.RoleCRDGroup || o.Role == find.RoleCRDName {
			if o.action == Change {
				return false
			}
			found = true
		}
	}
	return found
}

// hasArrived says whether the file is a manifest that holds the group of its new
// name, and nothing is left to change in it: somebody moved the content alone.
func (f File) hasArrived(base string, made []Outcome) bool {
	group, _, _ := strings.Cut(base, "_")
	kept := slices.ContainsFunc(made, func(o Outcome) bool { return o.Role == find.RoleAPIVersion })
	return f.Facts.Format.Is(find.Objects) && !kept && judge.ContainsName(f.Facts.Data, group)
}

// fileNameOf is what the base name of a CRD file becomes.
func fileNameOf(t *rules.Table, names *find.Names, base string, tok find.Token) (string, bool) {
	parts := crdFile.FindStringSubmatch(base[tok.Group.End:])
	if parts == nil {
		return "", false
	}
	version, name, behind := parts[1], parts[2], parts[3]
	site := rules.GVK{Group: tok.Known.Group, Version: version}
	if kind, ok := names.Singular(site.Group, name); ok && version != "" {
		site.Kind = kind
	} else {
		site.Plural = name
	}
	ver := t.Ask(site)
	if ver.Outcome != rules.Moves {
		ver = t.Ask(rules.GVK{Group: site.Group, Version: version})
	}
	if ver.Outcome != rules.Moves {
		return "", false
	}
	if site.Plural != "" && ver.To.Plural != "" {
		name = ver.To.Plural
	} else if site.Kind != "" && ver.To.Kind != site.Kind {
		name = strings.ToLower(ver.To.Kind)
	}
	if version != "" {
		name = ver.To.Version + "_" + name
	}
	return ver.To.Group + "_" + name + behind, true
}

// fileRef is the name of a CRD's file; it follows the file.
func (m *maker) fileRef(g *find.Site) {
	if m.facts.Stays != "" {
		d, _ := m.kept(g)
		m.stay(g, d)
		return
	}
	if why, guard := judge.Linked(g, m.facts); why != "" {
		m.stay(g, judge.Decision{Verdict: judge.Stay, Reason: judge.ReasonOf(guard), Why: why, Guard: guard})
		return
	}
	o := m.draft(g).Keep(g.Place.Reason, g.Place.Why)
	o.Rule = FindingRename
	if e, err := g.Doc.Edit(g.Word, o.Old, ""); err == nil {
		w := wait{file: o.Old, refers: e, dir: foldersBefore(g.Doc.Data, g.Word.Start), pattern: goesOn(g.Doc.Data, g.Word.End)}
		to, ok := fileNameOf(m.Table, m.names, o.Old, find.Token{Group: source.Span{End: g.Group.Len()}, Known: rules.GVK{Group: g.Known.Group}})
		if ok && !m.listed(g, &w, to) {
			w.listed = judge.ContainsName(besides(g.Doc.Data, g.Word), to)
			if !m.facts.Format.Is(find.Written) {
				w.to = to
			}
		}
		o = o.await(w)
	}
	m.record(o)
}

// foldersBefore are the folders before the name of a file, from the last thing on
// that is not spelled: a variable, a quote.
func foldersBefore(data []byte, at int) string {
	from := at
	for from > 0 && at-from < text.Nearby && (text.IsWordByte(data[from-1]) || data[from-1] == '.' || data[from-1] == '/' || data[from-1] == '_') {
		from--
	}
	return string(data[from:at])
}

// goesOn says whether what stands behind the name of a file stands for several.
func goesOn(data []byte, at int) bool {
	return at < len(data) && strings.IndexByte("*?[{", data[at]) >= 0
}

// besides is the line of a name with the lines before and behind it, as far as
// they are nearby.
func besides(data []byte, word source.Span) []byte {
	low, high := max(0, word.Start-text.Nearby), min(len(data), word.End+text.Nearby)
	from, to := low+text.LineStart(data[low:high], word.Start-low), word.End
	if from > low {
		from = low + text.LineStart(data[low:high], from-1-low)
	}
	_, to = text.LineEnd(data, to, high)
	to, _ = text.LineEnd(data, to, high)
	return data[from:to]
}

// listed notes the twins that a list of files wants: in dual mode a reference
// in a list gets one to the new file behind it; at the end of the window a
// reference whose new file stands in the list already goes. It says false for a
// reference that stands in no list.
func (m *maker) listed(g *find.Site, s *wait, to string) bool {
	v, t, i := g.Doc, g.Tree, g.Node
	if g.Outer != nil {
		v = g.Outer
	}
	if t == nil || !t.Nodes[i].Seq || v.Depth > 0 {
		return false
	}
	s.others = t.Bases(t.Nodes[i].Parent)
	s.listed = s.others[to]
	if t.Nodes[i].Flow {
		return true
	}
	span := text.ItemSpan(t, i)
	line := string(span.Of(t.Data))
	drop, err := v.Edit(span, line, "")
	if err != nil {
		return true
	}
	if !strings.HasSuffix(line, "\n") {
		line = "\n" + line
	}
	also, err := v.Edit(source.Span{Start: span.End, End: span.End}, "", strings.Replace(line, s.file, to, 1))
	if err == nil {
		s.drop, s.also = drop, also
	}
	return true
}
