package prove

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// changed are two texts of YAML without the documents that are the same in both, in
// whose place are empty ones of as many lines. A line that begins with "---" begins a
// document wherever it is, and no document depends on another one, but for directives.
// Source: https://yaml.org/spec/1.2.2/#912-document-markers
func changed(before, after string) (string, string) {
	b, a := pieces(before), pieces(after)
	if len(b) == 1 || len(b) != len(a) || directive.MatchString(before) || directive.MatchString(after) {
		return before, after
	}
	for i := range b {
		if b[i] == a[i] {
			b[i] = strings.Repeat("\n", strings.Count(b[i], "\n"))
			if i > 0 {
				b[i] = "---" + b[i]
			}
			a[i] = b[i]
		}
	}
	return strings.Join(b, ""), strings.Join(a, "")
}

var (
	directive = lazyregexp.New(`(?m)^%`)
	between   = lazyregexp.New(`(?m)^---(?:[ \t\r]|$)`)
)

// pieces are the documents of a stream, each but the first from its marker on.
func pieces(text string) (list []string) {
	from := 0
	for _, m := range between.FindAllStringIndex(text, -1) {
		if m[0] > 0 {
			list, from = append(list, text[from:m[0]]), m[0]
		}
	}
	return append(list, text[from:])
}
