package migrate

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The dual mode is the progressive path of ADR-0005: for a while the old and
// the new group are served side by side. Permissions, webhooks, markers of
// them and CRDs get the new group beside the old one; everything else stays,
// to be moved whenever its owner likes by a run in replace mode over its path.
// A replace run over the whole tree ends the window: what stands there twice
// is folded.

// servesBoth says whether a role gets the new group beside the old one in dual mode.
func servesBoth(role Role) bool { return role == RoleRBAC }

const dualWhy = "stays while both groups are served; --mode replace moves it"

// twin is what dual mode adds for the CRDs of a file: the same CRDs in the new
// group, in a file of their own when the file is named after the group, else
// behind the old ones.
func (m *Migration) twin(f *File, data []byte) {
	single := *m
	single.opts.Dual = false
	moved := single.analyse(f.Path, data, formatOf(f.Path, data))
	if !slices.ContainsFunc(moved.sites, func(s Site) bool { return s.Role == RoleCRDGroup && s.Action == Change }) {
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
	f.appendTwins(data, moved)
}

// A Twin is a file that dual mode creates beside another.
type Twin struct {
	Path string
	Data []byte
}

// appendTwins puts a copy of each CRD document in the new group behind it.
func (f *File) appendTwins(data []byte, moved *analysis) {
	for _, doc := range documents(data, false) {
		var edits []source.Edit
		var name *Site
		isCRD := false
		for i, s := range moved.sites {
			if s.Start < doc.Start || s.End > doc.End || s.Action != Change {
				continue
			}
			isCRD = isCRD || s.Role == RoleCRDGroup
			if s.Role == RoleCRDName {
				name = &moved.sites[i]
			}
			for _, e := range s.edits {
				e.Start -= doc.Start
				e.End -= doc.Start
				edits = append(edits, e)
			}
		}
		if !isCRD || name == nil || hasWord(data, name.New) {
			continue
		}
		text, err := source.Apply(doc.Of(data), edits)
		if err != nil {
			continue
		}
		if !isMarker(text) {
			text = append([]byte("---\n"), text...)
		}
		if doc.End > 0 && data[doc.End-1] != '\n' {
			text = append([]byte("\n"), text...)
		}
		s := *name
		s.Why, s.edits = "the CRD in the new group, behind the old one", []source.Edit{{Span: source.Span{Start: doc.End, End: doc.End}, New: string(text)}}
		s.fixes, s.structural = nil, true
		f.Sites = append(f.Sites, s)
	}
}

// foldCRDs ends the window within a file: a CRD document whose new name
// stands in the file already is taken out.
func (a *analysis) foldCRDs() {
	for i := range a.sites {
		s := &a.sites[i]
		if s.Role != RoleCRDName || s.Action != Change || s.New == "" || !hasWord(a.file, s.New) {
			continue
		}
		from, to := document(a.file, s.Start)
		if !bytes.Contains(a.file[from:to], []byte("kind: CustomResourceDefinition")) || !a.definedElsewhere(s.New, from, to) {
			continue
		}
		why := "the CRD is there in the new group already"
		var kept []Site
		for _, x := range a.sites {
			if x.Start < from || x.End > to {
				kept = append(kept, x)
			}
		}
		drop := *s
		drop.New, drop.Why, drop.structural = "", why, true
		drop.edits = []source.Edit{{Span: source.Span{Start: from, End: to}, Old: string(a.file[from:to])}}
		kept = append(kept, drop)
		a.sites = kept
		slices.SortStableFunc(a.sites, func(x, y Site) int { return x.Start - y.Start })
		a.foldCRDs()
		return
	}
}

// definedElsewhere says whether another document of the file is the CRD of a name.
func (a *analysis) definedElsewhere(name string, from, to int) bool {
	for _, doc := range documents(a.file, false) {
		if doc.Start >= from && doc.End <= to {
			continue
		}
		text := doc.Of(a.file)
		if bytes.Contains(text, []byte("kind: CustomResourceDefinition")) && bytes.Contains(text, []byte("name: "+name)) {
			return true
		}
	}
	return false
}

// beside lists the twins that a list of files wants: in dual mode a reference
// in a list gets one to the new file behind it; at the end of the window a
// reference whose new file stands in the list already goes.
func (a *analysis) listed(v *view, t *tree, i int32, tok token) {
	s := &a.sites[len(a.sites)-1]
	if s.file == "" || !t.nodes[i].seq || v.depth > 0 {
		return
	}
	to, ok := a.fileNameOf(s.file, token{group: source.Span{End: tok.group.Len()}, site: GVK{Group: tok.site.Group}})
	if !ok {
		return
	}
	for _, j := range t.children(t.nodes[i].parent) {
		if path.Base(t.text(j)) == to {
			s.twin = true
		}
	}
	if t.nodes[i].flow {
		return
	}
	span := itemSpan(t, i)
	line := string(span.Of(t.data))
	s.drop = source.Edit{Span: v.span(span), Old: line}
	if !strings.HasSuffix(line, "\n") {
		line = "\n" + line
	}
	at := v.end(span.End)
	s.also = source.Edit{Span: source.Span{Start: at, End: at}, New: strings.Replace(line, s.file, to, 1)}
}
