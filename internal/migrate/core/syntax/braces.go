package syntax

import (
	"bytes"
	"slices"
	"sort"
)

// inBraces are the texts of the braces around an offset, the outermost first, without the escapes of
// their quotes.
func (x *Texts) inBraces(v *View, at int, quote string) (list []*View) {
	pairs := x.bracesOf(v)
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

// braced are the brackets of a text.
type braced struct {
	of   *View
	list []brace
}

// bracesOf are the brackets of a text, in order.
func (x *Texts) bracesOf(v *View) []brace {
	for _, b := range x.braces {
		if b.of == v {
			return b.list
		}
	}
	var list []brace
	up := -1
	for i, c := range v.B {
		switch c {
		case '{', '[':
			list = append(list, brace{open: i, up: up})
			up = len(list) - 1
		case '}', ']':
			for up >= 0 && v.B[list[up].open] != c-2 { // { and }, [ and ] are two apart
				up = list[up].up
			}
			if up >= 0 {
				list[up].end = i + 1
				up = list[up].up
			}
		}
	}
	x.work += len(v.B)
	x.braces = append(x.braces[max(0, len(x.braces)-3):], braced{v, list})
	return list
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
