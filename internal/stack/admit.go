package stack

import (
	"bytes"
	"errors"
	"fmt"
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
	switch {
	case k.Cell.marked:
		edits = k.mark(data, version)
	case !k.Cell.none:
		edits = k.Cell.admit(data, version)
	}
	if len(edits) == 0 {
		return nil, byHand
	}
	return edits, nil
}

// AdmitCell is Admit for the cell of a table of components.
func AdmitCell(path string, data []byte, cell source.Span, version string) ([]source.Edit, error) {
	k := &Claim{Path: path, Span: cell, Pos: source.PositionAt(data, cell.Start)}
	k.Cell, k.Err = readCell(data, nil, cell)
	return k.Admit(data, version)
}

// mark puts the mark of another cell of the row into that of the version.
func (k *Claim) mark(data []byte, version string) []source.Edit {
	if k.header == nil || !k.header.Has(version) {
		return nil
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
	return []source.Edit{{Span: k.Span, Old: string(k.Span.Of(data)), New: mark}}
}

// admit changes the terms of a cell: the bound of one, or a list.
func (r *Reading) admit(data []byte, version string) []source.Edit {
	if len(r.terms) > 1 {
		return r.insert(data, version)
	}
	limits := r.terms[0].limits
	l := limits[0]
	if len(limits) == 2 && semver.Compare(version, l.line().from) >= 0 {
		l = limits[1]
	}
	switch {
	case l.op == ">" || l.op == "*" || len(limits) == 2 && limits[0].text == limits[1].text:
		return nil
	case l.op == "<":
		return r.replaced(data, l.number, l.spellAfter(version))
	}
	return r.replaced(data, l.number, l.spell(version))
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

// replaced are the edits that write another text for a number, wherever it stands
// in the cell: in the link, and in the address of its badge, too.
func (r *Reading) replaced(data []byte, n number, text string) []source.Edit {
	from, to := bare(n.text), bare(text)
	var edits []source.Edit
	for s, ok := r.find(data, from, r.at.Start); ok; s, ok = r.find(data, from, s.End) {
		edits = append(edits, source.Edit{Span: s, Old: from, New: to})
	}
	if len(edits) > 1 && !strings.Contains(from, ".") {
		return nil // one number may be anything
	}
	return edits
}

// find finds a text in the cell, from an offset on, where no number goes on before
// or behind it.
func (r *Reading) find(data []byte, text string, from int) (source.Span, bool) {
	for at := from; ; {
		i := bytes.Index(data[at:r.at.End], []byte(text))
		if i < 0 {
			return source.Span{}, false
		}
		s := source.Span{Start: at + i, End: at + i + len(text)}
		if !endsInNumber.Match(data[r.at.Start:s.Start]) && !beginsWithNumber.Match(data[s.End:r.at.End]) {
			return s, true
		}
		at = s.End
	}
}

var (
	endsInNumber     = lazyregexp.New(`[0-9]\.?$`)
	beginsWithNumber = lazyregexp.New(`^\.?[0-9]|^\.[xX*]`)
)

// separator is what may stand between two items of a list that gets another.
var separator = lazyregexp.New(`^(?:[ \t]*[,;/|&][ \t]*|[ \t]*<br ?/?>[ \t]*|(?:,[ \t]*|[ \t]+)(?:and|or)[ \t]+)$`)

var wordOfList = lazyregexp.New(`(?:and|or)[ \t]+$`)

// insert adds an item to a list of versions where its order wants it. A word before
// the last item stays before the last item.
func (r *Reading) insert(data []byte, version string) []source.Edit {
	var spans []source.Span
	var between []string
	for i, t := range r.terms {
		from := r.at.Start
		if i > 0 {
			from = spans[i-1].End
		}
		s, ok := r.find(data, t.limits[0].text, from)
		if !ok || !t.plain() {
			return nil
		}
		spans = append(spans, s)
		if i == 0 {
			continue
		}
		separated := string(data[from:s.Start])
		if !separator.MatchString(separated) {
			return nil
		}
		between = append(between, separated)
	}
	last := len(spans) - 1
	plain, final := between[0], between[last-1]
	if wordOfList.MatchString(plain) {
		plain = ", "
	}
	put := func(at int, text string) []source.Edit {
		return []source.Edit{{Span: source.Span{Start: at, End: at}, New: text}}
	}
	low := func(i int) string { return r.terms[i].limits[0].line().from }
	down := semver.Compare(low(0), low(last)) > 0
	at := 0
	for at <= last && (semver.Compare(version, low(at)) > 0) != down {
		at++
	}
	text := r.terms[max(at-1, 0)].limits[0].spell(version)
	switch {
	case at == 0:
		return put(spans[0].Start, text+plain)
	case at <= last:
		return put(spans[at-1].End, plain+text)
	case !wordOfList.MatchString(final):
		return put(spans[last].End, final+text)
	}
	s := source.Span{Start: spans[last-1].End, End: spans[last].End}
	old := string(s.Of(data))
	return []source.Edit{{Span: s, Old: old, New: plain + old[len(final):] + final + text}}
}
