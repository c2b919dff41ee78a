package stack

import (
	"slices"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/source"
)

// positions are source.PositionAt for many offsets of one text.
type positions struct {
	data   []byte
	starts []int
}

func positionsOf(data []byte) positions { return positions{data, lineStarts(data)} }

func (p positions) of(offset int) source.Position {
	offset = max(0, min(offset, len(p.data)))
	line, ok := slices.BinarySearch(p.starts, offset)
	if !ok {
		line--
	}
	return source.Position{Line: line + 1, Column: utf8.RuneCount(p.data[p.starts[line]:offset]) + 1}
}

// lineStarts are the offsets at which the lines of data begin.
func lineStarts(data []byte) []int {
	starts := []int{0}
	for i, c := range data {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}
