package migrate

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// fix gives the sites of a file, for reports that print them, the edits that
// writing makes: the same ones, so that a program that applies the report
// makes the same file.
func (f *File) fix(others Others) {
	if !f.Changes() || f.Skip != nil {
		return
	}
	data, err := others.ReadFile(f.Path)
	if err != nil || source.SumOf(data) != f.Sum {
		return
	}
	f.fixes(data)
}

// fixes hands the edits of a file to its sites: each to the site in which it
// begins, else to the last one before.
func (f *File) fixes(data []byte) {
	var sites []int // those that change
	for i, s := range f.Sites {
		if s.Action == Change {
			sites = append(sites, i)
		}
	}
	edits := f.Edits(data)
	slices.SortStableFunc(edits, func(a, b source.Edit) int { return a.Start - b.Start })
	walk := positions{data: data, at: source.Position{Line: 1, Column: 1}}
	k := 0
	for _, e := range edits {
		for k+1 < len(sites) && f.Sites[sites[k+1]].Start <= max(e.Start, e.End-1) {
			k++
		}
		if k == len(sites) {
			return
		}
		s := &f.Sites[sites[k]]
		start := walk.to(e.Start)
		s.fixes = append(s.fixes, report.Fix{Path: f.Path, Edit: e, Start: e.Start, Stop: e.End, Text: e.New, Position: start, End: walk.to(e.End)})
	}
}

// positions counts lines and characters of a text in one pass.
type positions struct {
	data   []byte
	offset int
	at     source.Position
}

// to is the place of an offset that is not before the last one.
func (p *positions) to(offset int) source.Position {
	step := p.data[p.offset:offset]
	if n := bytes.LastIndexByte(step, '\n'); n >= 0 {
		p.at.Line += bytes.Count(step, []byte("\n"))
		p.at.Column, step = 1, step[n+1:]
	}
	p.at.Column += utf8.RuneCount(step)
	p.offset = offset
	return p.at
}
