package syntax

import (
	"bytes"
	"slices"
	"sort"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// inBraces are the texts of the braces around an offset, the outermost first, without the escapes of
// their quotes.
func (x *Texts) inBraces(v *View, at int, quote string) (list []*View) {
	pairs := x.bracesOf(v, quote)
	i := sort.Search(len(pairs), func(i int) bool { return pairs[i].open >= at }) - 1
	for ; i >= 0 && pairs[i].open > at-maxAround && len(list) < mostBraces; i = pairs[i].up {
		if p := pairs[i]; v.B[p.open] == '{' && p.end > at && p.end < at+maxAround {
			list = append(list, unquoted(v.Sub(p.open, p.end), quote))
		}
	}
	slices.Reverse(list)
	return list
}

// A brace is a bracket of a text.
type brace struct {
	open, end int // from its begin to behind the one that closes it; end 0: none does
	up        int // the bracket around it, -1 for none
}

// braced are the brackets of a text whose names are in quotes of one kind.
type braced struct {
	of    *View
	quote string
	list  []brace
}

// bracesOf are the brackets of a text, in order. Those in quotes count where they are pairs.
func (x *Texts) bracesOf(v *View, quote string) []brace {
	for _, b := range x.braces {
		if b.of == v && b.quote == quote {
			return b.list
		}
	}
	var list []brace
	up, closed := -1, 0
	for i := 0; i < len(v.B); i++ {
		switch c := v.B[i]; {
		case c == '{' || c == '[':
			list = append(list, brace{open: i, up: up})
			up = len(list) - 1
		case c == '}' || c == ']':
			for up >= 0 && v.B[list[up].open] != c-2 { // { and }, [ and ] are two apart
				up = list[up].up
			}
			if up >= 0 {
				list[up].end = i + 1
				up = list[up].up
			}
		case i >= closed && quote != "" && bytes.HasPrefix(v.B[i:], []byte(quote)):
			i, closed = quoted(v.B, i, quote)
		case i >= closed && quote == "" && (c == '"' || c == '\'') && i > 0 && bytes.IndexByte([]byte(" \t\n:,[{"), v.B[i-1]) >= 0:
			i, closed = quoted(v.B, i, string(c))
		}
	}
	x.work += len(v.B)
	x.braces = append(x.braces[max(0, len(x.braces)-3):], braced{v, quote, list})
	return list
}

// quoted is where a text goes on that has quotes at an offset which end on their line: in them, where
// the brackets in them are pairs, else behind them, and where they end.
func quoted(b []byte, at int, quote string) (next, end int) {
	in := b[at+len(quote) : text.LineBreak(b, at)]
	n := bytes.Index(in, []byte(quote))
	if n < 0 {
		return at, at + 1
	}
	end = at + n + 2*len(quote)
	if in = in[:n]; bytes.Count(in, []byte("{")) == bytes.Count(in, []byte("}")) && bytes.Count(in, []byte("[")) == bytes.Count(in, []byte("]")) {
		return at, end
	}
	return end - 1, end
}

// unquoted takes the escapes away that an object has in the string around it.
func unquoted(v *View, quote string) *View {
	if quote == `""` {
		b := newBuilder(v, len(v.B))
		for i := 0; i < len(v.B); i++ {
			b.add(i, i+1)
			if v.B[i] == '"' && i+1 < len(v.B) && v.B[i+1] == '"' {
				i++
			}
		}
		return b.view()
	}
	for n := len(quote) - 1; n > 0; n /= 2 {
		v = unescape(v)
	}
	return v
}

// isMapping says whether a document is a mapping in braces of which each entry has a name.
func isMapping(doc *Node) bool {
	for len(doc.Kids) == 1 && doc.Kids[0].Name == "" {
		doc = doc.Kids[0]
	}
	for _, k := range doc.Kids {
		if k.Name == "" && k.Kind != Comment || bytes.IndexByte([]byte(k.Name), '\n') >= 0 {
			return false
		}
	}
	return len(doc.Kids) > 1
}
