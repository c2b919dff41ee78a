package shape

import (
	"fmt"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A text that copies make too large is not converted, and what is copied to many items, or
// done to many small objects, counts together.
func TestConvertIsBounded(t *testing.T) {
	var doubling []string
	for i := range 40 {
		doubling = append(doubling, fmt.Sprintf("{copy: spec.a, to: spec.a.c%d}", i))
	}
	small := head + "spec:\n  a:\n    x: 1\n"
	for _, x := range []struct {
		name, steps, text string
		times             int
	}{
		{"one object", strings.Join(doubling, "\n"), small, 1},
		{"many objects", strings.Join(doubling[:10], "\n"), small, 500},
		{"many items", `{copy: spec.big, to: "spec.l[*].b"}`, head + "spec:\n  big: " + strings.Repeat("x", 8000) + "\n  l:\n" + strings.Repeat("  - a: 1\n", 3000), 1},
	} {
		in := []byte(x.text)
		most := Budget(len(in) * x.times)
		left := most
		due, _ := Find(pears(t, x.steps), syntax.Scan(in, source.Span{End: len(in)}, false, false))
		var refused error
		for range x.times {
			if _, _, err := Convert(in, in, 0, due, Options{Left: &left}); err != nil {
				refused = err
			}
		}
		if written := most - left; refused == nil || written > 2*most {
			t.Errorf("%s: %d of %d bytes written, and it says %v", x.name, written, most, refused)
		}
	}
}
