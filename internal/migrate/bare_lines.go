package migrate

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A line that names a group names its kinds in more ways than anybody lists: expressions of
// CEL, jq and Rego (`kind == 'Gadget' && apiVersion.startsWith('G/')`), entries of maps, cells,
// sentences (the `Gadget` kind of `G`). Whatever way it is, a kind or a resource that gets
// another name must not stay beside a group that moves: where nothing else is said of it, it
// is for a person.

// source reads what source, and any other text, says of a name beside its group or far from it.
func (r *bareReader) source(format find.Format) {
	r.code(format)
	if r.file != projectName && r.groups.Match(r.data) && r.finder.Match(r.data) && !(format.Is(find.Gofmt) && find.IsGenerated(r.data)) {
		r.lines(format)
	}
}

// lines reads the lines on which a group of the kinds stands, and the name of one. Of the comments
// of source only markers say what is read.
func (r *bareReader) lines(format find.Format) {
	var notes []source.Span
	if lang := format.Language(); lang != nil {
		notes = slices.DeleteFunc(lang.Lex(r.data).Comments, func(s source.Span) bool { return bytes.HasPrefix(bytes.TrimSpace(s.Of(r.data)), []byte("+")) })
	}
	for at := 0; ; {
		n, group := r.groups.Index(r.data, at)
		if n < 0 {
			return
		}
		line := text.LineAround(r.data, text.SpanOf(n, n+len(group)))
		at = max(line.End, n+len(group))
		if r.finder.Match(line.Of(r.data)) {
			r.line(line, notes, format)
		}
	}
}

// line notes the names on a line that stand for themselves there and in none of some comments,
// each with the group of its own that is nearest.
func (r *bareReader) line(line source.Span, notes []source.Span, format find.Format) {
	said := line.Of(r.data)
	for _, m := range aWord.FindAllIndex(said, -1) {
		name := r.names[string(said[m[0]:m[1]])]
		if name == nil || !standsAlone(said, m[0], m[1], format) {
			continue
		}
		at := text.SpanOf(line.Start+m[0], line.Start+m[1])
		if group := r.nearest(line, at, name.groups); group.Len() > 0 && !text.Inside(notes, at.Start) {
			r.sites = append(r.sites, bareSite{at: at, name: name, group: group, line: true})
		}
	}
}

var aWord = lazyregexp.New(`[A-Za-z][A-Za-z0-9_-]*`)

// standsAlone says whether a word on a line is a name, and not one of a sentence or of code: it
// is quoted, a cell, or the key or value of something; in a script any word is.
func standsAlone(line []byte, from, to int, format find.Format) bool {
	before, behind := byte(' '), byte(' ')
	if from > 0 {
		before = line[from-1]
	}
	if to < len(line) {
		behind = line[to]
	}
	switch {
	case bytes.IndexByte([]byte("\"'`"), before) >= 0:
		return bytes.IndexByte([]byte("\"'`\\,/ "), behind) >= 0
	case format.Is(find.Gofmt):
		return false
	case format.Name == "shell" && bytes.IndexByte([]byte(".$/{"), before) < 0:
		return bytes.IndexByte([]byte("./"), behind) < 0
	case before == '=' || before == '[' || before == '(' && behind == ')':
		return true
	}
	left, right := bytes.TrimRight(line[:from], " \t"), bytes.TrimLeft(line[to:], " \t")
	cell := bytes.HasSuffix(left, []byte("|")) && bytes.HasPrefix(right, []byte("|"))
	return cell || !format.Is(find.Written) && bytes.HasPrefix(right, []byte(":")) && !bytes.HasPrefix(right, []byte("::"))
}

// nearest is where one of some groups stands on a line, nearest to a place; empty = nowhere.
func (r *bareReader) nearest(line, at source.Span, groups []string) source.Span {
	var best source.Span
	far := func(s source.Span) int { return max(s.Start-at.End, at.Start-s.End) }
	for from := line.Start; ; {
		n, group := r.groups.Index(r.data[:line.End], from)
		if n < 0 {
			return best
		}
		s := text.SpanOf(n, n+len(group))
		from = s.End
		if slices.Contains(groups, group) && holdsGroup(string(r.data[max(line.Start, n-1):min(line.End, s.End+1)]), group) && (best.Len() == 0 || far(s) < far(best)) {
			best = s
		}
	}
}

// isLeft says whether a name on the line of its group is left behind: the group moves by its
// rule, or moved, or keeps its name where the kind alone gets another one.
func (b *bareNames) isLeft(s bareSite, data []byte, known siteIndex) bool {
	r, of := s.name.rule, known.at(s.group)
	switch {
	case of != nil && of.Action() == edit.Change:
		to, _, _ := strings.Cut(of.New, "/")
		return of.Rule == r.ID || to == r.To.Group && !b.keepsName(of.Rule, r)
	case r.From.Group == r.To.Group:
		return of == nil || of.Action() == edit.Stay && !slices.Contains([]find.Role{find.RoleKey, find.RoleDomain, find.RoleImport}, of.Role)
	}
	return of == nil && string(s.group.Of(data)) == r.To.Group && !b.leadsTo(r.To.Group, s.name.kind)
}
