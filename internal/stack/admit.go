package stack

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// errCell is wrapped by the error of a cell that has to be written by hand.
var errCell = errors.New("this cell has to be written by hand")

// Admit returns the edits, within the cell alone, after which it takes a
// version: one version is replaced in its own spelling, a bound is moved, a list
// gets one more item in its order. A cell that takes it already needs none. One
// for which there is no such edit is an error that wraps errCell.
func (k *Claim) Admit(data []byte, version string) ([]source.Edit, error) {
	byHand := fmt.Errorf("%s:%d:%d: %q: %w", k.Path, k.Pos.Line, k.Pos.Column, k.Span.Of(data), errCell)
	if k.Err != nil || !IsVersion(version) {
		return nil, byHand
	}
	if k.Cell.Range.Has(version) {
		return nil, nil
	}
	var edits []source.Edit
	ok := false
	switch {
	case k.Cell.marked:
		edits, ok = k.mark(data, version)
	case k.low != nil || k.high != nil:
		edits, ok = k.widen(data, version)
	case !k.Cell.none:
		edits, ok = k.Cell.admit(data, version)
	}
	if !ok {
		return nil, byHand
	}
	return withTwins(data, k.Span, edits), nil
}

// AdmitCell is Admit for the cell of a table of components.
func AdmitCell(path string, data []byte, cell source.Span, version string) ([]source.Edit, error) {
	k := &Claim{Path: path, Span: cell, Pos: source.PositionAt(data, cell.Start)}
	k.Cell, k.Err = readCell(data, nil, cell)
	return k.Admit(data, version)
}

// mark puts the mark of another cell of the row into that of the version.
func (k *Claim) mark(data []byte, version string) ([]source.Edit, bool) {
	if k.header == nil || !k.header.Has(version) {
		return nil, false
	}
	mark := yes[0]
	if len(k.column.Marks) > 0 {
		mark = k.column.Marks[0]
	}
	for _, o := range k.line.Claims {
		if text := string(o.Span.Of(data)); o.column == k.column && !o.Cell.none && text != "" && !strings.ContainsAny(text, "0123456789") {
			mark = text
			break
		}
	}
	if k.Span.Len() == 0 && k.Span.Start < len(data) && data[k.Span.Start] == '|' {
		mark += " "
	}
	return []source.Edit{{Span: k.Span, Old: string(k.Span.Of(data)), New: mark}}, true
}

// widen moves the lowest or the highest version.
func (k *Claim) widen(data []byte, version string) ([]source.Edit, bool) {
	for i, r := range []*Reading{k.low, k.high} {
		if r == nil || len(r.terms) != 1 || !r.terms[0].plain() {
			continue
		}
		n := r.terms[0].limits[0]
		if s := n.line(); i == 0 && semver.Compare(version, s.from) < 0 || i == 1 && !below(version, s.until) {
			return n.replaced(data, n.spell(version))
		}
	}
	return nil, false
}

// admit changes the terms of a cell.
func (r *Reading) admit(data []byte, version string) ([]source.Edit, bool) {
	if len(r.terms) == 1 {
		return r.terms[0].admit(data, version)
	}
	if slices.ContainsFunc(r.terms, func(t term) bool { return !t.plain() }) {
		return nil, false
	}
	return r.insert(data, version)
}

func (t term) admit(data []byte, version string) ([]source.Edit, bool) {
	l := t.limits[0]
	if len(t.limits) == 2 && semver.Compare(version, l.line().from) >= 0 {
		l = t.limits[1]
	}
	switch l.op {
	case ">", "*":
		return nil, false
	case "<":
		return l.replaced(data, l.spellAfter(version))
	}
	return l.replaced(data, l.spell(version))
}

// spell writes a version as the number is written: with its v or without, with
// as many numbers, with its x.
func (n number) spell(version string) string {
	if n.form != "" {
		return format(n.form, version)
	}
	v := numbersOf(semver.Canonical(version))
	var b strings.Builder
	if c := n.text[0]; c == 'v' || c == 'V' {
		b.WriteByte(c)
	}
	for i := range n.parts {
		if i > 0 {
			b.WriteByte('.')
		}
		fmt.Fprint(&b, v[i])
	}
	switch {
	case n.wild != "":
		b.WriteString("." + n.wild)
	case n.parts == 3:
		b.WriteString(semver.Prerelease(version))
	}
	return b.String()
}

// spellAfter writes the number that "<" needs to take a version.
func (n number) spellAfter(version string) string {
	m := n
	m.n = numbersOf(semver.Canonical(version))
	return n.spell(m.next())
}

func (n number) replaced(data []byte, text string) ([]source.Edit, bool) {
	if n.span.Len() == 0 {
		return nil, false
	}
	return []source.Edit{{Span: n.span, Old: string(n.span.Of(data)), New: text}}, true
}

// separator is what may stand between two items of a list that gets another.
var separator = lazyregexp.New(`^(?:[ \t]*[,;/|&][ \t]*|[ \t]*<br ?/?>[ \t]*|(?:,[ \t]*|[ \t]+)(?:and|or)[ \t]+)$`)

var wordOfList = lazyregexp.New(`(?:and|or)[ \t]+$`)

// insert adds an item to a list where its order wants it. A word before the last
// item stays before the last item.
func (r *Reading) insert(data []byte, version string) ([]source.Edit, bool) {
	items := r.terms
	var between []string
	for i, t := range items {
		if t.limits[0].span.Len() == 0 {
			return nil, false
		}
		if i == 0 {
			continue
		}
		s := source.Span{Start: items[i-1].limits[0].span.End, End: t.limits[0].span.Start}
		if s.Start > s.End || !separator.Match(s.Of(data)) {
			return nil, false
		}
		between = append(between, string(s.Of(data)))
	}
	last := len(items) - 1
	plain, final := between[0], between[last-1]
	if wordOfList.MatchString(plain) {
		plain = ", "
	}
	down := semver.Compare(items[0].limits[0].line().from, items[last].limits[0].line().from) > 0
	at := slices.IndexFunc(items, func(t term) bool { return (semver.Compare(version, t.limits[0].line().from) > 0) == down })
	switch {
	case at == 0:
		n := items[0].limits[0]
		return []source.Edit{{Span: source.Span{Start: n.span.Start, End: n.span.Start}, New: n.spell(version) + plain}}, true
	case at > 0:
		n := items[at-1].limits[0]
		return []source.Edit{{Span: source.Span{Start: n.span.End, End: n.span.End}, New: plain + n.spell(version)}}, true
	case !wordOfList.MatchString(final):
		n := items[last].limits[0]
		return []source.Edit{{Span: source.Span{Start: n.span.End, End: n.span.End}, New: final + n.spell(version)}}, true
	}
	s := source.Span{Start: items[last-1].limits[0].span.End, End: items[last].limits[0].span.End}
	old := string(s.Of(data))
	return []source.Edit{{Span: s, Old: old, New: plain + old[len(final):] + final + items[last].limits[0].spell(version)}}, true
}

// withTwins adds edits for the same version where it stands in the cell's link,
// or in the address of its badge, beside the text.
func withTwins(data []byte, cell source.Span, edits []source.Edit) []source.Edit {
	if len(edits) != 1 || edits[0].Len() == 0 {
		return edits
	}
	e := edits[0]
	from, to := bare(e.Old), bare(e.New)
	if strings.Count(from, ".") == 0 || !bytes.ContainsAny(cell.Of(data), "([<") {
		return edits
	}
	for at := cell.Start; at < cell.End; {
		i := bytes.Index(data[at:cell.End], []byte(from))
		if i < 0 {
			break
		}
		s := source.Span{Start: at + i, End: at + i + len(from)}
		at = s.End
		inText := s.Start >= e.Start && s.End <= e.End
		if !inText && apartFrom(data, cell, s) {
			edits = append(edits, source.Edit{Span: s, Old: from, New: to})
		}
	}
	return edits
}

// apartFrom says whether no number goes on before or behind a span.
func apartFrom(data []byte, cell, s source.Span) bool {
	digit := func(i int) bool { return i >= cell.Start && i < cell.End && data[i] >= '0' && data[i] <= '9' }
	dot := func(i int) bool { return i >= cell.Start && i < cell.End && data[i] == '.' }
	return !digit(s.Start-1) && !(dot(s.Start-1) && digit(s.Start-2)) && !digit(s.End) && !(dot(s.End) && digit(s.End+1))
}
