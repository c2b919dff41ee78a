package migrate

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The dual mode is the progressive path of ADR-0005: for a while the old and
// the new group are served side by side. Permissions, webhooks, markers of
// them and CRDs get the new group beside the old one; everything else stays,
// to be moved whenever its owner likes by a run in replace mode over its path.
// A replace run over the whole tree ends the window: what stands there twice
// is folded.

// twin is what dual mode adds for the CRDs of a file: the same CRDs in the new
// group, in a file of their own when the file is named after the group, else
// behind the old ones.
func (m *Migration) twin(f *File, data []byte) {
	single := *m
	single.opts.Dual = false
	moved := single.analyse(f.Path, data, find.FormatOf(f.Path, data))
	if !slices.ContainsFunc(moved.sites, func(s Site) bool { return s.Role == find.RoleCRDGroup && s.Action == Change }) {
		return
	}
	whole := &File{Path: f.Path, To: f.Path, Sites: moved.sites}
	if to := moved.newPath(whole); to != f.Path {
		text, err := source.Apply(data, whole.siteEdits())
		if err == nil {
			f.Twin = &Twin{Path: to, Data: text}
		}
		return
	}
	if f.format.Is(find.Streams) {
		f.appendTwins(data, moved)
	}
}

// A Twin is a file that dual mode creates beside another.
type Twin struct {
	Path string
	Data []byte
}

// appendTwins puts a copy of each CRD document in the new group behind it.
func (f *File) appendTwins(data []byte, moved *analysis) {
	there := definedIn(data)
	sites := moved.sites
	for _, doc := range text.Documents(data, false) {
		n := 0
		for n < len(sites) && sites[n].Start < doc.End {
			n++
		}
		if s, ok := twinOf(data, doc, sites[:n]); ok && there[s.New] == nil {
			f.Sites = append(f.Sites, s)
			there[s.New] = []source.Span{doc} // one that is there twice gets one in the new group
		}
		sites = sites[n:]
	}
}

// twinOf is the site that puts a copy of a document behind it, in which what
// its sites change has moved. It says false when the document is no CRD that
// moves.
func twinOf(data []byte, doc source.Span, sites []Site) (Site, bool) {
	var edits []source.Edit
	var name *Site
	moves := false
	for i, s := range sites {
		if s.Start < doc.Start || s.End > doc.End || s.Action != Change {
			continue
		}
		moves = moves || s.Role == find.RoleCRDGroup
		if s.Role == find.RoleCRDName {
			name = &sites[i]
		}
		for _, e := range s.edits {
			e.Start, e.End = e.Start-doc.Start, e.End-doc.Start
			edits = append(edits, e)
		}
	}
	if !moves || name == nil || !isCRD(data, doc) || divided(doc.Of(data)) {
		return Site{}, false
	}
	content, err := source.Apply(doc.Of(data), withoutCovered(edits))
	if err != nil {
		return Site{}, false
	}
	if !text.IsMarker(content) {
		content = append([]byte("---\n"), content...)
	}
	if doc.End > 0 && data[doc.End-1] != '\n' {
		content = append([]byte("\n"), content...)
	}
	s := *name
	e, err := text.Whole(data).Edit(source.Span{Start: doc.End, End: doc.End}, "", string(content))
	if err != nil {
		return Site{}, false
	}
	s.Why, s.edits = "the CRD in the new group, behind the old one", []source.Edit{e}
	s.fixes, s.structural = nil, true
	return s, true
}

// branch is an action that begins or ends a part of a template.
var branch = regexp.MustCompile(`\{\{-?\s*(if|range|with|define|block|else|end)\b|\{%-?\s*(if|for|block|macro|else|elif|end)`)

// divided says whether a part of a template begins or ends in a document, and
// not both: a copy of the document would stand in another part.
func divided(doc []byte) bool {
	depth := 0
	for _, m := range branch.FindAllSubmatch(doc, -1) {
		switch string(m[1]) + string(m[2]) {
		case "end":
			depth--
		case "else", "elif":
			if depth == 0 {
				return true
			}
		default:
			depth++
		}
		if depth < 0 {
			return true
		}
	}
	return depth != 0
}

// isCRD says whether a document of a stream is a CRD: one in a list or in a
// string of the document is a part of something else.
func isCRD(data []byte, doc source.Span) bool {
	if !bytes.Contains(doc.Of(data), []byte("CustomResourceDefinition")) {
		return false
	}
	t := text.ScanYAML(data[:doc.End], doc.Start, doc.End, text.HasTemplate(doc.Of(data)))
	kind := t.Entry(-1, "kind")
	return kind >= 0 && t.Text(kind) == "CustomResourceDefinition"
}

// definedIn are the documents of a file that are CRDs, by their names.
func definedIn(data []byte) map[string][]source.Span {
	found := map[string][]source.Span{}
	for _, doc := range text.Documents(data, false) {
		if !isCRD(data, doc) {
			continue
		}
		for _, m := range nameLine.FindAllSubmatch(doc.Of(data), -1) {
			found[string(m[1])] = append(found[string(m[1])], doc)
		}
	}
	return found
}

var nameLine = regexp.MustCompile(`\bname: ([^\s,}]+)`)

// foldCRDs ends the window within a file: a CRD document whose new name
// another one has already is taken out.
func (a *analysis) foldCRDs() {
	if !slices.ContainsFunc(a.sites, func(s Site) bool { return s.Role == find.RoleCRDName && s.Action == Change }) {
		return
	}
	there := definedIn(a.file)
	var drops []Site
	for _, s := range a.sites {
		if s.Role != find.RoleCRDName || s.Action != Change || s.New == "" || len(drops) > 0 && s.Start < drops[len(drops)-1].edits[0].End {
			continue
		}
		mine := there[string(a.file[s.Start:s.End])]
		at, _ := slices.BinarySearchFunc(mine, s.Start, func(d source.Span, at int) int { return cmp.Or(cmp.Compare(d.End, at), -1) })
		if at == len(mine) || s.Start < mine[at].Start {
			continue
		}
		doc := mine[at]
		if !slices.ContainsFunc(there[s.New], func(d source.Span) bool { return d != doc }) {
			continue
		}
		s.New, s.Why, s.structural, s.edits = "", "the CRD is there in the new group already", true, nil
		a.part(&s, text.Whole(a.file), doc, string(doc.Of(a.file)), "")
		drops = append(drops, s)
	}
	a.replaceIn(drops)
}

// replaceIn puts sites in the place of all others that stand where they take
// something out. Both are in the order of the file.
func (a *analysis) replaceIn(drops []Site) {
	if len(drops) == 0 {
		return
	}
	var kept []Site
	k := 0
	for _, s := range a.sites {
		for k < len(drops) && drops[k].edits[0].End <= s.Start {
			k++
		}
		if k == len(drops) || s.End <= drops[k].edits[0].Start {
			kept = append(kept, s)
		}
	}
	a.sites = slices.Concat(kept, drops)
	slices.SortStableFunc(a.sites, func(x, y Site) int { return x.Start - y.Start })
}

// fileRef is the name of a CRD's file; it follows the file.
func (a *analysis) fileRef(g *find.Site) {
	if a.facts.Stays != "" {
		d, _ := a.kept(g)
		a.keep(g, d)
		return
	}
	s := a.add(g, Stay, g.Place.Why)
	s.Rule = FindingRename
	if e, err := g.Doc.Edit(g.Word, s.Old, ""); err == nil {
		s.file, s.refers = s.Old, e
		a.listed(g, s)
	}
}

// listed notes the twins that a list of files wants: in dual mode a reference
// in a list gets one to the new file behind it; at the end of the window a
// reference whose new file stands in the list already goes.
func (a *analysis) listed(g *find.Site, s *Site) {
	v, t, i := g.Doc, g.Tree, g.Node
	if g.Outer != nil {
		v = g.Outer
	}
	if t == nil || !t.Nodes[i].Seq || v.Depth > 0 {
		return
	}
	to, ok := a.fileNameOf(s.file, find.Token{Group: source.Span{End: g.Group.Len()}, Known: rules.GVK{Group: g.Known.Group}})
	if !ok {
		return
	}
	s.twin = t.Bases(t.Nodes[i].Parent)[to]
	if t.Nodes[i].Flow {
		return
	}
	span := text.ItemSpan(t, i)
	line := string(span.Of(t.Data))
	drop, err := v.Edit(span, line, "")
	if err != nil {
		return
	}
	if !strings.HasSuffix(line, "\n") {
		line = "\n" + line
	}
	also, err := v.Edit(source.Span{Start: span.End, End: span.End}, "", strings.Replace(line, s.file, to, 1))
	if err == nil {
		s.drop, s.also = drop, also
	}
}
