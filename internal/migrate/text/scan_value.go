package text

import (
	"github.com/project-codeflare/cfctl/internal/source"
)

// value reads the value of a node, which begins on this line.
func (s *scanner) value(n int32, at, text int) {
	at = s.properties(n, at, text)
	if at >= text {
		return
	}
	node := &s.Nodes[n]
	switch c := s.Data[at]; {
	case c == '#':
		s.trailing(at, text)
	case c == '*':
		node.Style = Plain
		node.Val = source.Span{Start: at, End: s.plainEnd(at, text)}
		node.alias = node.Val.Len() > 1
	case c == '|' || c == '>':
		s.block(n, at)
	case c == '"' || c == '\'':
		end := s.quoteEnd(at, s.end)
		if end < 0 {
			end = text + 1
		}
		node.Style = Double
		if c == '\'' {
			node.Style = Single
		}
		node.Val = source.Span{Start: at + 1, End: max(at+1, end-1)}
		s.after(end)
	case (c == '{' || c == '[') && !(s.templated && templateOpen(s.Data[at:text]) != nil):
		s.after(s.flow(n, at))
	default:
		node.Style = Plain
		node.Val = source.Span{Start: at, End: s.plainEnd(at, text)}
	}
}

// after goes on behind a value that may have ended on a later line.
func (s *scanner) after(end int) {
	text, next := LineEnd(s.Data, min(end, s.end), s.end)
	s.at = next
	at := SkipBlank(s.Data, min(end, s.end), text)
	s.trailing(at, text)
}

// plainEnd is where a plain scalar's text on this line ends; a comment behind
// it is kept.
func (s *scanner) plainEnd(at, text int) int {
	for i := at; i < text; i++ {
		c := s.Data[i]
		if s.templated && (c == '{' || c == '<') && templateOpen(s.Data[i:text]) != nil {
			if next := s.closing(i, text); next >= 0 {
				i = next - 1
				continue
			}
		}
		if c == '#' && i > at && (s.Data[i-1] == ' ' || s.Data[i-1] == '\t') {
			s.trailing(i, text)
			text = i
			break
		}
	}
	return s.trimmed(at, text)
}

// block reads a literal or folded scalar: every line that is blank or
// indented more than the entry it belongs to.
func (s *scanner) block(n int32, at int) {
	node := &s.Nodes[n]
	node.Style = Literal
	if s.Data[at] == '>' {
		node.Style = Folded
	}
	parent := int(node.Indent)
	from := s.at
	end := s.at
	for s.at < s.end {
		lt, next := LineEnd(s.Data, s.at, s.end)
		first := SkipBlank(s.Data, s.at, lt)
		if first < lt && first-s.at <= parent && !(s.templated && templateOpen(s.Data[first:lt]) != nil) {
			break
		}
		s.at = next
		if first < lt {
			end = next
		}
	}
	node.Val = source.Span{Start: from, End: max(from, end)}
}

// flow reads [..] or {..}, which may go on over lines, and returns the offset
// behind it.
func (s *scanner) flow(n int32, at int) int {
	return (&flowReader{s: s, at: at}).collection(n, 0)
}
