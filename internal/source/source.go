// Package source reads and writes a user's files.
//
// A Tree is opened once; Walk hands out its files; callers compute Edits at
// Spans; Apply splices them; Diff shows them; a Transaction writes them, all
// or none. Nothing in here knows YAML's meaning, rules or releases: bytes in,
// bytes out, and every byte outside an edit stays as it was.
package source

import (
	"bytes"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"unicode/utf8"
)

// A Span is a half-open range of bytes in a file as it was read.
// Bytes, not characters: parsers that count characters are converted once,
// where their answer enters, and nowhere else.
type Span struct {
	Start, End int // 0 <= Start <= End <= len(data)
}

// Len is the number of bytes in the span.
func (s Span) Len() int { return s.End - s.Start }

// Of returns the bytes of data that the span covers.
func (s Span) Of(data []byte) []byte { return data[s.Start:s.End] }

// An Edit replaces the bytes of its span by New. An empty span inserts; an
// empty New deletes. Old, when not empty, is the spelling that the span must
// hold: Apply refuses an edit whose proof fails.
type Edit struct {
	Span
	New string
	Old string
}

// Apply returns data with the edits made. Edits may come in any order; it
// sorts a copy. Overlapping edits, spans outside data, two insertions at one
// place and an edit whose Old is not there are errors: no edit is made then.
// Data is not changed.
func Apply(data []byte, edits []Edit) ([]byte, error) {
	sorted, err := Sort(data, edits)
	if err != nil {
		return nil, err
	}
	return applySorted(data, sorted), nil
}

// applySorted is Apply with edits as Sort returns them.
func applySorted(data []byte, sorted []Edit) []byte {
	size := len(data)
	for _, e := range sorted {
		size += len(e.New) - e.Len()
	}
	out := make([]byte, 0, size)
	at := 0
	for _, e := range sorted {
		out = append(out, data[at:e.Start]...)
		out = append(out, e.New...)
		at = e.End
	}
	return append(out, data[at:]...)
}

// Sort returns the edits ordered by place, proven to lie within data, to hold
// what they expect, and not to overlap.
func Sort(data []byte, edits []Edit) ([]Edit, error) {
	sorted := slices.Clone(edits)
	slices.SortFunc(sorted, func(a, b Edit) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return a.End - b.End
	})
	for i, e := range sorted {
		if e.Start < 0 || e.End < e.Start || e.End > len(data) {
			return nil, fmt.Errorf("edit %d..%d is outside of %d bytes", e.Start, e.End, len(data))
		}
		if i > 0 && (e.Start < sorted[i-1].End || e.Span == sorted[i-1].Span) {
			p := sorted[i-1]
			return nil, fmt.Errorf("edit %d..%d overlaps edit %d..%d", e.Start, e.End, p.Start, p.End)
		}
		if e.Old != "" && string(e.Of(data)) != e.Old {
			return nil, fmt.Errorf("bytes %d..%d hold %q, not %q", e.Start, e.End, e.Of(data), e.Old)
		}
	}
	return sorted, nil
}

// Invert returns the edits that take the result of Apply(data, edits) back to
// data. The edits must be sorted, as Sort returns them.
func Invert(data []byte, sorted []Edit) []Edit {
	var back []Edit
	shift := 0
	for i, e := range sorted {
		start := e.Start + shift
		x := Edit{Span: Span{start, start + len(e.New)}, New: string(e.Of(data)), Old: e.New}
		if i > 0 && e.Start == sorted[i-1].End { // two texts removed side by side would return to one place
			last := back[len(back)-1]
			back = back[:len(back)-1]
			x = Edit{Span: Span{last.Start, x.End}, New: last.New + x.New, Old: last.Old + x.Old}
		}
		back = append(back, x)
		shift += len(e.New) - e.Len()
	}
	return back
}

// A Position is a place for display. Line and Column count from 1; Column
// counts characters (a byte that is not UTF-8 is one). The zero Position
// means that there is no place to name.
type Position struct {
	Line, Column int
}

// PositionAt returns the position of a byte offset in data. A line ends at
// "\n". Offsets beyond the data are taken to its end.
func PositionAt(data []byte, offset int) Position {
	offset = max(0, min(offset, len(data)))
	start := bytes.LastIndexByte(data[:offset], '\n') + 1
	return Position{
		Line:   bytes.Count(data[:start], []byte{'\n'}) + 1,
		Column: utf8.RuneCount(data[start:offset]) + 1,
	}
}

// All are the offsets of a word in a text, without those in one before.
func All(data []byte, word string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; ; at += len(word) {
			i := bytes.Index(data[at:], []byte(word))
			if at += i; i < 0 || !yield(at) {
				return
			}
		}
	}
}

// Hinted is an error with what to do about it.
func Hinted(err error, hint string) error { return &hinted{err, hint} }

type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error { return h.error }

// Hint is what to do about it.
func (h *hinted) Hint() string { return h.hint }

// An Error is trouble with a place: "path:line:col: cause". Hint, when not
// empty, is the exact next thing to do; the command line prints it on a line
// of its own.
type Error struct {
	Path string
	Pos  Position
	Err  error
	Hint string
}

func (e *Error) Error() string {
	switch {
	case e.Pos.Line > 0 && e.Pos.Column > 0:
		return fmt.Sprintf("%s:%d:%d: %v", e.Path, e.Pos.Line, e.Pos.Column, e.Err)
	case e.Pos.Line > 0:
		return fmt.Sprintf("%s:%d: %v", e.Path, e.Pos.Line, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.Path, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// RealPath is an absolute path without symbolic links.
func RealPath(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
