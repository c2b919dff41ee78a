package text

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/source"
)

// asked reads "? key". A key that is more than a word on its line has a node of
// its own, which has no key.
// Source: YAML 1.2, 8.2.2, explicit entries of block mappings.
func (s *scanner) asked(line, at, indent, text int) {
	n := Node{Asked: true, Indent: int32(indent), Line: int32(line), Pos: int32(at), Style: None}
	from := SkipBlank(s.Data, at+1, text)
	word := s.properties(-1, from, text)
	if key, ok := s.word(word, text); ok {
		n.Key, n.Pos = key, int32(key.Start)
		s.open(n)
		return
	}
	s.open(n)
	if from < text && s.Data[from] != '#' {
		s.entry(line, from, from-line, text)
		return
	}
	s.trailing(from, text)
}

// word is the plain or quoted scalar that goes from an offset to the end of the
// line, but for a comment.
func (s *scanner) word(at, text int) (span source.Span, ok bool) {
	if at >= text || bytes.IndexByte([]byte("#[{|>*"), s.Data[at]) >= 0 || s.mark('-', at, text) || s.mark('?', at, text) {
		return source.Span{}, false
	}
	if _, _, isKey := s.key(at, text); isKey {
		return source.Span{}, false
	}
	if c := s.Data[at]; c != '"' && c != '\'' {
		return source.Span{Start: at, End: s.plainEnd(at, text)}, true
	}
	end := s.quoteEnd(at, text)
	if end < 0 {
		return source.Span{}, false
	}
	s.trailing(SkipBlank(s.Data, end, text), text)
	return source.Span{Start: at + 1, End: end - 1}, true
}

// answers reads ": value", which is under a key that was asked for; false
// where none was.
func (s *scanner) answers(line, at, indent, text int) bool {
	i := s.openAt(indent)
	if i < 0 || !s.Nodes[i].Asked {
		return false
	}
	n := s.Nodes[i]
	s.closeTo(indent+1, false)
	if n.Key.Len() == 0 || n.Style != None || n.Last >= 0 { // the value of a key that is more than a word
		s.open(Node{Asked: true, Indent: n.Indent, Line: int32(line), Pos: int32(at), Style: None})
	}
	from := SkipBlank(s.Data, at+1, text)
	if from == text || s.Data[from] == '#' {
		s.trailing(from, text)
		return true
	}
	s.entry(line, from, from-line, text)
	return true
}

// openAt is the open node of a column, -1 for none.
func (s *scanner) openAt(indent int) int32 {
	for i := len(s.stack) - 1; i >= 0; i-- {
		if n := s.stack[i]; int(s.Nodes[n].Indent) <= indent {
			if int(s.Nodes[n].Indent) == indent {
				return n
			}
			return -1
		}
	}
	return -1
}
