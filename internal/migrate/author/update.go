package author

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// deepest is how far the text of an expectation may be indented.
const deepest = 12

// Update is the text of a ruleset in which each failed example expects what the
// migration makes of it, and how many were changed. Only block scalars ("out: |")
// are rewritten; a failure of another kind, such as a missing finding, is left.
func Update(path string, text []byte, failed []migrate.Failure) ([]byte, int, error) {
	set, err := migrate.ParseRuleset(path, text)
	if err != nil {
		return nil, 0, err
	}
	out, n := text, 0
	for i := len(failed) - 1; i >= 0; i-- { // from the end, so that the places of the others hold
		f := failed[i]
		if f.Got == "" {
			continue
		}
		start := strict.LineStart(out, f.Pos.Line)
		for depth := 2; depth <= deepest; depth++ {
			indent := strings.Repeat(" ", depth)
			fresh := "out: |\n" + indentedBy(indent, f.Got)
			old := "out: |\n" + indentedBy(indent, set.Examples[f.Index].Out)
			if set.Examples[f.Index].Out == "" { // it was to stay as it is
				old = "in: |\n" + indentedBy(indent, set.Examples[f.Index].In)
				fresh = old + indent[2:] + fresh
			}
			if bytes.Contains(out[start:], []byte(old)) {
				out = append(out[:start:start], bytes.Replace(out[start:], []byte(old), []byte(fresh), 1)...)
				break
			}
		}
		if set, err := migrate.ParseRuleset(path, out); err != nil || set.Examples[f.Index].Out != f.Got {
			return nil, 0, &source.Error{Path: path, Pos: f.Pos, Err: fmt.Errorf("example %q: out is not a block scalar (out: |) that can be rewritten: edit it by hand", f.Name)}
		}
		n++
	}
	return out, n, nil
}

func indentedBy(indent, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return b.String()
}
