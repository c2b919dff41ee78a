package stack

import (
	"bytes"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/source"
)

// positions tells the positions of ascending offsets in one pass over the data.
// An offset that lies before the last one begins anew.
type positions struct {
	data []byte
	at   int // the last offset
	pos  source.Position
}

// of is source.PositionAt.
func (p *positions) of(offset int) source.Position {
	offset = max(0, min(offset, len(p.data)))
	if p.pos.Line == 0 || offset < p.at {
		p.at, p.pos = 0, source.Position{Line: 1, Column: 1}
	}
	passed := p.data[p.at:offset]
	if last := bytes.LastIndexByte(passed, '\n'); last >= 0 {
		p.pos.Line += bytes.Count(passed, []byte{'\n'})
		p.pos.Column = 1
		passed = passed[last+1:]
	}
	p.pos.Column += utf8.RuneCount(passed)
	p.at = offset
	return p.pos
}

// lineStarts are the offsets at which the lines of data begin.
func lineStarts(data []byte) []int {
	starts := []int{0}
	for at := 0; ; {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return starts
		}
		at += i + 1
		starts = append(starts, at)
	}
}
