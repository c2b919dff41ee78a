package names

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// bare is the spelling of a group as it is.
func bare(group string) string { return group }

// isNew says whether an old group in a text is a part of a new one that holds it, as
// apps.example.com holds example.com.
func (n *Names) isNew(b []byte, group string, at int, spelling func(string) string) bool {
	return slices.ContainsFunc(n.longer[group], func(to string) bool {
		to = spelling(to)
		from := at - strings.Index(to, spelling(group))
		if from < 0 || !bytes.HasPrefix(b[from:], []byte(to)) || from > 0 && (isLabel(b[from-1]) || b[from-1] == '-') {
			return false
		}
		rest := b[from+len(to):]
		return len(rest) == 0 || !isLabel(rest[0]) && rest[0] != '-'
	})
}

// claims are the places of the tokens of longer groups, in order.
type claims []source.Span

// with are the claims of a list of tokens, which has grown or is the same.
func (c claims) with(list []Token) claims {
	if len(c) == len(list) {
		return c
	}
	for _, t := range list[len(c):] {
		c = append(c, t.At)
	}
	slices.SortFunc(c, func(a, b source.Span) int { return a.Start - b.Start })
	return c
}

// touch says whether a claim has a part of a place. Claims do not overlap each other, but
// for those of two keys.
func (c claims) touch(from, to int) bool {
	i, _ := slices.BinarySearchFunc(c, to, func(s source.Span, to int) int { return s.Start - to })
	return slices.ContainsFunc(c[max(0, i-2):i], func(s source.Span) bool { return from < s.End })
}

// within are the shorter groups that are in a group: b.c in a.b.c.
func within(group string) []string {
	var list []string
	parts := strings.Split(group, ".")
	for i := range parts {
		for j := i + 1; j <= len(parts); j++ {
			if j-i < len(parts) {
				list = append(list, strings.Join(parts[i:j], "."))
			}
		}
	}
	return list
}
