package gorefactor

import (
	"bytes"
	"go/format"
	"go/parser"
	"go/token"
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Align adds the edits that gofmt makes after others, if the file was
// formatted before: columns and the order of imports.
func Align(data []byte, edits []source.Edit) []source.Edit {
	edited, err := source.Apply(data, edits)
	if err != nil {
		return edits
	}
	after := formatted(edited)
	if after == nil || bytes.Equal(after, edited) || !bytes.Equal(formatted(data), data) {
		return edits
	}
	m := newMapping(edits)
	var out []source.Edit
	from, to := importsEnd(edited), importsEnd(after)
	var block source.Span // of imports that change their order
	if !bytes.Equal(edited[:from], after[:to]) {
		start := firstDifference(edited[:from], after[:to])
		block = source.Span{Start: m.back(start), End: m.back(from)}
		out = append(out, source.Edit{Span: block, New: string(after[start:to])})
	}
	spaces, ok := spaceEdits(edited, after, from, to)
	if !ok {
		return edits
	}
	for _, e := range spaces {
		start, end := m.back(e.Start), m.back(e.End)
		if start == end {
			return edits
		}
		out = append(out, source.Edit{Span: source.Span{Start: start, End: end}, New: e.New, Old: string(data[start:end])})
	}
	for _, e := range edits {
		if e.Start < block.Start || e.End > block.End {
			out = append(out, e)
		}
	}
	if sorted, err := source.Sort(data, out); err == nil {
		return sorted
	}
	return edits
}

// formatted is a Go file as gofmt writes it, nil if it does not parse: that is
// found when the plan is verified.
func formatted(data []byte) []byte {
	after, err := format.Source(data)
	if err != nil {
		return nil
	}
	return after
}

// firstDifference is the beginning of the line of the first byte that differs.
func firstDifference(a, b []byte) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return bytes.LastIndexByte(a[:i], '\n') + 1
}

// importsEnd is the offset after the last import of a file.
func importsEnd(data []byte) int {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", data, parser.ImportsOnly)
	if err != nil || len(f.Decls) == 0 {
		return 0
	}
	return fset.Position(f.Decls[len(f.Decls)-1].End()).Offset
}

// spaceEdits are the differences in white space of two texts from two offsets.
// It is not ok if anything else differs.
func spaceEdits(a, b []byte, i, j int) ([]source.Edit, bool) {
	var edits []source.Edit
	for i < len(a) || j < len(b) {
		ai, bj := spaceEnd(a, i), spaceEnd(b, j)
		if !bytes.Equal(a[i:ai], b[j:bj]) {
			edits = append(edits, source.Edit{Span: source.Span{Start: i, End: ai}, New: string(b[j:bj])})
		}
		i, j = ai, bj
		for i < len(a) && j < len(b) && !space(a[i]) && !space(b[j]) {
			if a[i] != b[j] {
				return nil, false
			}
			i++
			j++
		}
		if (i < len(a) && !space(a[i])) != (j < len(b) && !space(b[j])) {
			return nil, false
		}
	}
	return edits, true
}

func space(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

func spaceEnd(b []byte, i int) int {
	for i < len(b) && space(b[i]) {
		i++
	}
	return i
}

// A mapping relates the offsets of an edited text to those of the original.
type mapping struct {
	edits  []source.Edit // sorted
	starts []int         // of the edits in the edited text
}

func newMapping(edits []source.Edit) mapping {
	m := mapping{edits: edits}
	shift := 0
	for _, e := range edits {
		m.starts = append(m.starts, e.Start+shift)
		shift += len(e.New) - e.Len()
	}
	return m
}

// inserted says whether an offset of the edited text is in what an edit adds to the
// original, which it does not replace.
func (m mapping) inserted(at int) bool {
	for i, e := range m.edits {
		if e.Len() == 0 && m.starts[i] <= at && at < m.starts[i]+len(e.New) {
			return true
		}
	}
	return false
}

// back is the original offset of an offset of the edited text. Within the new
// text of an edit it is the beginning of the edit.
func (m mapping) back(at int) int {
	i, found := slices.BinarySearch(m.starts, at)
	if !found {
		i--
	}
	if i < 0 {
		return at
	}
	e := m.edits[i]
	if at < m.starts[i]+len(e.New) {
		return e.Start
	}
	return at - m.starts[i] - len(e.New) + e.End
}
