package text

import (
	"fmt"
	"strings"
	"testing"
)

// entries are the entries of a document, one on a line: its key, its text, and what
// it is worth somewhere else. ⏎ stands for the end of a line.
func entries(in string, json bool) string {
	t := ScanPart([]byte(in), spanOf(0, len(in)), json, true)
	var b strings.Builder
	show := func(s string) string { return strings.ReplaceAll(s, "\n", "⏎") }
	for i := range t.Nodes {
		n := int32(i)
		if t.Nodes[n].Key.Len() == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s: [%s]", t.KeyText(n), show(string(t.Block(n).Of(t.Data))))
		for _, flow := range []bool{false, true} {
			if value, comments, ok := t.Movable(n, flow); ok {
				fmt.Fprintf(&b, " %s[%s]", show(comments), show(value))
			} else {
				b.WriteString(" -")
			}
		}
		if t.Shares(n) {
			b.WriteString(" shares")
		}
		if t.InFlow(n) {
			b.WriteString(" flow")
		}
		if t.Takes(n) {
			b.WriteString(" takes")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// An entry is its lines with all that is under it, or what is between commas;
// it can be written elsewhere where it means the same.
func TestTextsOfEntries(t *testing.T) {
	for _, c := range entriesRead {
		in := strings.TrimPrefix(c.in, "\n")
		if got, want := entries(in, c.json), strings.TrimPrefix(c.want, "\n"); got != want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, want)
		}
	}
}
