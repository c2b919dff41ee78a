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
// version: one version is replaced in its own spelling, a bound is moved. A cell
// that takes it already needs none. One for which there is no such edit, like a
// list, is an error that wraps errCell.
func (k *Claim) Admit(data []byte, version string) ([]source.Edit, error) {
	byHand := fmt.Errorf("%s:%d:%d: %q: %w", k.Path, k.Pos.Line, k.Pos.Column, k.Span.Of(data), errCell)
	if k.Err != nil || !IsVersion(version) {
		return nil, byHand
	}
	if k.Cell.Range.Has(version) {
		return nil, nil
	}
	if edits := k.Cell.admit(data, version); len(edits) > 0 {
		return edits, nil
	}
	return nil, byHand
}

// AdmitCell is Admit for the cell of a table of components.
func AdmitCell(path string, data []byte, cell source.Span, version string) ([]source.Edit, error) {
	k := &Claim{Path: path, Span: cell, Pos: source.PositionAt(data, cell.Start)}
	k.Cell, k.Err = readCell(data, nil, cell)
	return k.Admit(data, version)
}

// admit changes the version or a bound of a cell that has one term.
func (r *Reading) admit(data []byte, version string) []source.Edit {
	if len(r.terms) != 1 {
		return nil
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
