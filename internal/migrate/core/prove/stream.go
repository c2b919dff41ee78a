package prove

import "strings"

// changed are two texts of YAML without the documents that are the same in both, in
// whose place are empty ones of as many lines. A line that begins with "---" begins a
// document wherever it is, and no document depends on another one.
// Source: https://yaml.org/spec/1.2.2/#912-document-markers
func changed(before, after string) (string, string) {
	b, a := pieces(before), pieces(after)
	if len(b) == 1 || len(b) != len(a) || hasDirective(before) || hasDirective(after) {
		return before, after
	}
	for i := range b {
		if b[i] == a[i] {
			b[i] = strings.Repeat("\n", strings.Count(b[i], "\n"))
			if i > 0 {
				b[i] = docMarker + b[i]
			}
			a[i] = b[i]
		}
	}
	return strings.Join(b, ""), strings.Join(a, "")
}

const docMarker = "---"

// hasDirective says whether a line may be a directive, which is about a document.
func hasDirective(text string) bool {
	return strings.HasPrefix(text, "%") || strings.Contains(text, "\n%")
}

// pieces are the documents of a stream, each but the first from its marker on.
func pieces(text string) []string {
	var list []string
	from := 0
	for at := 0; ; {
		n := strings.Index(text[at:], "\n"+docMarker)
		if n < 0 {
			return append(list, text[from:])
		}
		at += n + 1
		if rest := text[at+len(docMarker):]; rest == "" || strings.IndexByte(" \t\r\n", rest[0]) >= 0 {
			list, from = append(list, text[from:at]), at
		}
	}
}
