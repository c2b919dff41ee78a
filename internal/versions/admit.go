package versions

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Admit changes the version or a bound of a cell that has one term. Empty = there
// is no such edit.
func (r *Reading) Admit(data []byte, version string) []source.Edit {
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
		return Format(n.form, version)
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
	from, to := Bare(n.text), Bare(text)
	var edits []source.Edit
	for s, ok := r.find(data, from, r.at.Start); ok; s, ok = r.find(data, from, s.End) {
		edits = append(edits, source.Edit{Span: s, Old: from, New: to})
	}
	if len(edits) > 1 && !strings.Contains(from, ".") {
		return nil // one number may be anything
	}
	return edits
}

// Alone is where the version of a cell that says nothing else stands within its
// markup; it has three numbers.
func (r *Reading) Alone(data []byte) (source.Span, bool) {
	if len(r.terms) != 1 || !r.terms[0].plain() {
		return source.Span{}, false
	}
	n := r.terms[0].limits[0]
	if n.text != r.Text || n.parts != 3 {
		return source.Span{}, false
	}
	return r.find(data, n.text, r.at.Start)
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
