package edit

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The dual mode is the progressive path of ADR-0005: for a while the old and
// the new group are served side by side. Permissions, webhooks, markers of
// them and CRDs get the new group beside the old one; everything else stays,
// to be moved whenever its owner likes by a run in replace mode over its path.
// A replace run over the whole tree ends the window: what stands there twice
// is folded.

// Twins are the copies that dual mode puts behind the CRDs of a file that moved
// is the outcome of, in replace mode. One that is there has none, and one that
// no document can be put behind is left to a person: all of a file that is no
// stream, and those within a list or a string.
func Twins(data []byte, moved []Outcome, stream bool) []Outcome {
	var twins []Outcome
	there := definedIn(data)
	for _, doc := range text.Documents(data, false) {
		n := 0
		for n < len(moved) && moved[n].Start < doc.End {
			n++
		}
		o, ok := twinOf(data, doc, moved[:n])
		switch {
		case !ok || !stream:
			for _, o := range crdNames(moved[:n]) {
				if there[o.New] == nil {
					twins = append(twins, o.Borne().Leave("twin", noPlace, "write the CRD "+o.New+" beside it"))
					there[o.New] = []source.Span{doc}
				}
			}
		case there[o.New] != nil:
		case divided(doc.Of(data)):
			twins = append(twins, o.Borne().Leave("twin", partBetween+", so that its copy in the new group cannot be written behind it", "write the CRD "+o.New+" beside it"))
			there[o.New] = []source.Span{doc}
		default:
			twins = append(twins, o)
			there[o.New] = []source.Span{doc} // one that is there twice gets one in the new group
		}
		moved = moved[n:]
	}
	return twins
}

// crdNames are the names of CRDs that move with their groups.
func crdNames(moved []Outcome) []Outcome {
	if !slices.ContainsFunc(moved, func(o Outcome) bool { return o.Role == find.RoleCRDGroup && o.action == Change }) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(moved), func(o Outcome) bool { return o.Role != find.RoleCRDName || o.action != Change })
}

// noPlace is why a CRD has no copy where it stands.
const noPlace = "no document can be put behind this CRD, so that it has no copy in the new group"

// partBetween is why the text of a document is no document of its own.
const partBetween = "a part of the template begins or ends in this CRD"

// twinOf is the site that puts a copy of a document behind it, in which what
// its sites change has moved. It says false when the document is no CRD that
// moves.
func twinOf(data []byte, doc source.Span, moved []Outcome) (Outcome, bool) {
	edits, o, moves := movedIn(doc, moved)
	if !moves || !isCRD(data, doc) {
		return Outcome{}, false
	}
	content, err := source.Apply(doc.Of(data), WithoutCovered(edits))
	if err != nil {
		return Outcome{}, false
	}
	if !text.IsMarker(content) {
		content = append([]byte("---\n"), content...)
	}
	if data[doc.End-1] != '\n' {
		content = append([]byte("\n"), content...)
	}
	e, err := text.Whole(data).Edit(source.Span{Start: doc.End, End: doc.End}, "", string(content))
	if err != nil {
		return Outcome{}, false
	}
	o.Why = "the CRD in the new group, behind the old one"
	return o.Whole([]source.Edit{e}), true
}

// movedIn are the edits of a document, counted from where it begins, and the
// outcome of the name of its CRD. It says false when no CRD in it moves.
func movedIn(doc source.Span, moved []Outcome) (edits []source.Edit, name Outcome, moves bool) {
	group, named := false, false
	for _, o := range moved {
		if o.Start < doc.Start || o.End > doc.End || o.action != Change {
			continue
		}
		group = group || o.Role == find.RoleCRDGroup
		if o.Role == find.RoleCRDName {
			name, named = o, true
		}
		for _, e := range o.edits {
			e.Start, e.End = e.Start-doc.Start, e.End-doc.Start
			edits = append(edits, e)
		}
	}
	return edits, name, group && named
}

// branch is an action that begins or ends a part of a template.
var branch = lazyregexp.New(`\{\{-?\s*(if|range|with|define|block|else|end)\b|\{%-?\s*(if|for|block|macro|else|elif|end)`)

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
func isCRD(data []byte, doc source.Span) bool { return crdIn(data, doc) != nil }

// crdIn is the tree of a document that is a CRD, nil for any other.
func crdIn(data []byte, doc source.Span) *text.Tree {
	if !bytes.Contains(doc.Of(data), []byte("CustomResourceDefinition")) {
		return nil
	}
	t := text.ScanYAML(data[:doc.End], doc.Start, doc.End, text.HasTemplate(doc.Of(data)))
	if kind := t.Entry(-1, "kind"); kind < 0 || t.Text(kind) != "CustomResourceDefinition" {
		return nil
	}
	return t
}

// definedIn are the documents of a file that are CRDs, by their names.
func definedIn(data []byte) map[string][]source.Span {
	found := map[string][]source.Span{}
	for _, doc := range text.Documents(data, false) {
		t := crdIn(data, doc)
		if t == nil {
			continue
		}
		own := ""
		if meta := t.Value(-1, "metadata"); meta >= 0 {
			own = t.Text(t.Value(meta, "name"))
			found[own] = append(found[own], doc)
		}
		for _, name := range namesIn(doc.Of(data)) {
			if name != own {
				found[name] = append(found[name], doc)
			}
		}
	}
	return found
}

// namesIn are the values of the entries "name" in any of the ways that YAML quotes
// them.
func namesIn(data []byte) (names []string) {
	for from := 0; ; {
		at := bytes.Index(data[from:], []byte("name"))
		if at < 0 {
			return names
		}
		at, from = from+at, from+at+len("name")
		if at > 0 && text.IsIdent(data[at-1]) {
			continue
		}
		if m := nameValue.FindSubmatch(data[from:]); m != nil {
			names, from = append(names, string(m[1])), from+len(m[0])
		}
	}
}

// nameValue is what follows the key "name".
var nameValue = lazyregexp.New(`^["']?:\s*["']?([^\s,}"']+)`)

// A foldNet looks for CRDs that a file defines twice.
type foldNet struct{ *sheet }

// foldCRDs ends the window within a file: a CRD document whose new name
// another one has already is taken out.
func (m *foldNet) foldCRDs() {
	moves := func(o Outcome) bool { return o.Role == find.RoleCRDName && o.action == Change && o.New != "" }
	if m.facts.Dual || !slices.ContainsFunc(m.made, moves) || len(text.Documents(m.file, false)) < 2 {
		return
	}
	there := definedIn(m.file)
	var drops []Outcome
	for _, o := range slices.Clone(m.made) {
		if !moves(o) || len(drops) > 0 && o.Start < drops[len(drops)-1].edits[0].End {
			continue
		}
		doc, ok := documentAt(there[o.Old], o.Start)
		twins := slices.DeleteFunc(slices.Clone(there[o.New]), func(d source.Span) bool { return d == doc })
		if !ok || len(twins) == 0 {
			continue
		}
		if divided(doc.Of(m.file)) {
			m.leaveCRD(doc, o, partBetween+", and "+o.New+" is there already", "take the CRD out by hand, and leave the rest of the template as it is")
			continue
		}
		if !m.facts.Format.Is(find.Objects) { // no file of manifests: what else the text says, nobody knows
			m.leaveCRD(doc, o, o.New+" is there already", "take the CRD out by hand")
			continue
		}
		goes := doc
		if head := m.headOf(doc); m.ownComment(source.Span{Start: doc.Start, End: head}, twins) != "" {
			goes.Start = head
		}
		if note := m.ownComment(goes, twins); note != "" {
			m.leaveCRD(doc, o, o.New+" is there already, without the comment "+note, "take the CRD out by hand, and what its comments say with it")
			continue
		}
		if e, err := text.Whole(m.file).Edit(goes, string(goes.Of(m.file)), ""); err == nil {
			o.New, o.Why = "", "the CRD is there in the new group already"
			drops = append(drops, o.Whole([]source.Edit{e}))
		}
	}
	m.replaceIn(m.withMarkers(drops))
}

// documentAt is the document of a list, in the order of the file, that a place
// is in.
func documentAt(docs []source.Span, at int) (source.Span, bool) {
	i, _ := slices.BinarySearchFunc(docs, at, func(d source.Span, at int) int { return cmp.Or(cmp.Compare(d.End, at), -1) })
	if i == len(docs) || at < docs[i].Start {
		return source.Span{}, false
	}
	return docs[i], true
}

// leaveCRD leaves a CRD to a person that is there in the new group already, and
// cannot go by itself.
func (m *foldNet) leaveCRD(doc source.Span, name Outcome, why, hint string) {
	for i, o := range m.made {
		if o.action != Change || o.Start < doc.Start || o.End > doc.End {
			continue
		}
		if o.Span == name.Span {
			m.made[i] = o.Leave("twin", why, hint)
		} else {
			m.made[i] = o.Keep("twin", "its CRD is there in the new group already")
		}
	}
}

// headOf is where a document begins behind the comments that head its file.
func (m *foldNet) headOf(doc source.Span) int {
	at := doc.Start
	for at == 0 || at < doc.End && m.file[at-1] == '\n' {
		content, next := text.LineEnd(m.file, at, doc.End)
		if line := bytes.TrimSpace(m.file[at:content]); doc.Start > 0 || len(line) > 0 && line[0] != '#' {
			break
		}
		at = next
	}
	return at
}

// ownComment is a comment of a part of a file that none of its twins has, as it
// stands or with its names moved; empty when there is none. Someone wrote it here.
func (m *foldNet) ownComment(doc source.Span, twins []source.Span) string {
	there := map[string]bool{}
	for _, twin := range twins {
		for _, note := range notes(twin.Of(m.file)) {
			there[note] = true
		}
	}
	old := notes(doc.Of(m.file))
	edits, _, _ := movedIn(doc, m.made)
	moved, err := source.Apply(doc.Of(m.file), WithoutCovered(edits))
	fresh := notes(moved)
	for i, note := range old {
		if !there[note] && (err != nil || len(fresh) != len(old) || !there[fresh[i]]) {
			return note
		}
	}
	return ""
}

// notes are the ends of lines that begin as comments do.
func notes(doc []byte) []string {
	var list []string
	for line := range strings.Lines(string(doc)) {
		if at := strings.Index(" "+strings.ReplaceAll(line, "\t", " "), " #"); at >= 0 {
			list = append(list, strings.TrimSpace(line[at:]))
		}
	}
	return list
}

// withMarkers takes the marker of the document behind those that go with them,
// when they begin the file and had none: the marker came with the twin.
func (m *foldNet) withMarkers(drops []Outcome) []Outcome {
	end, last := 0, -1
	for i, o := range drops {
		if first := o.edits[0].Start; first != end && !(i == 0 && m.headOf(source.Span{End: len(m.file)}) == first) {
			break
		}
		end, last = o.edits[0].End, i
	}
	if last < 0 || text.IsMarker(m.file) {
		return drops
	}
	marker := m.file[end:]
	content, next := text.LineEnd(marker, 0, len(marker))
	if string(marker[:content]) != "---" || next == len(marker) {
		return drops
	}
	span := source.Span{Start: drops[last].edits[0].Start, End: end + next}
	if e, err := text.Whole(m.file).Edit(span, string(span.Of(m.file)), ""); err == nil {
		drops[last] = drops[last].Whole([]source.Edit{e})
	}
	return drops
}

// replaceIn puts sites in the place of all others that stand where they take
// something out. Both are in the order of the file.
func (m *foldNet) replaceIn(drops []Outcome) {
	if len(drops) == 0 {
		return
	}
	var kept []Outcome
	k := 0
	for _, s := range m.made {
		for k < len(drops) && drops[k].edits[0].End <= s.Start {
			k++
		}
		if k == len(drops) || s.End <= drops[k].edits[0].Start {
			kept = append(kept, s)
		}
	}
	m.made = slices.Concat(kept, drops)
	slices.SortStableFunc(m.made, func(x, y Outcome) int { return x.Start - y.Start })
}
