package prove

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// manifestHead is a line that begins a manifest in running text, which may be a
// comment or a quotation; it gives what stands before each of its lines.
var manifestHead = lazyregexp.New(`^([ \t]*(?:(?:#+|//+|>|\*|;+|--)[ \t]*)*)(?:- )?(?:apiVersion|kind|apiGroups|rules):(?:[ \t]|\r?\n|$)`)

// manifestLine is a line that may go on a manifest at the left edge.
var manifestLine = lazyregexp.New(`^(?:[ \t#\r\n}\]]|-|[^ \t,;()]+:(?:[ \t]|\r?\n|$))`)

// manifestsOf takes a text apart: the manifests that stand in its lines, each without
// what stands before its lines, and what is between them.
func manifestsOf(text string) []piece {
	var list []piece
	from := 0 // of what is between
	for at := 0; at < len(text); {
		next := lineAfter(text, at)
		m := manifestHead.FindStringSubmatch(text[at:next])
		if m == nil {
			at = next
			continue
		}
		end := manifestEnd(text, at, m[1])
		list = append(list, piece{text: text[from:at]}, piece{text: withoutPrefix(text[at:end], m[1]), block: true})
		at, from = end, end
	}
	return append(list, piece{text: text[from:]})
}

// lineAfter is the offset of the line behind the one at an offset.
func lineAfter(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

// manifestEnd is the offset behind the last line of the manifest at an offset: as
// far as lines have its prefix, without the blank ones behind it.
func manifestEnd(text string, at int, prefix string) int {
	end := at
	for at < len(text) {
		next := lineAfter(text, at)
		line := text[at:next]
		blank := strings.TrimSpace(line) == strings.TrimSpace(prefix)
		if !blank && (!strings.HasPrefix(line, prefix) || prefix == "" && !manifestLine.MatchString(line)) {
			break
		}
		if at = next; !blank {
			end = next
		}
	}
	return end
}

func withoutPrefix(text, prefix string) string {
	if prefix == "" {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			b.WriteString(rest)
		} else {
			b.WriteString("\n") // a blank one
		}
	}
	return b.String()
}
