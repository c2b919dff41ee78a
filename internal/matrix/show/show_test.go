package show

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// TestMatrixPage: the newest release is first, its versions are links where
// they lead to the web, and a range is no link.
func TestMatrixPage(t *testing.T) {
	s := stack.Default()
	page := func(old, now matrix.Pin) string {
		var b strings.Builder
		if err := Releases(&b, "html", s, []matrix.Release{{Version: "v1.0.0", Components: []matrix.Pin{old}}, {Version: "v1.1.0", Components: []matrix.Pin{now}}}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := page(matrix.Pin{Name: "mcad", Range: "1.0 - 1.2"}, matrix.Pin{Name: "mcad", Version: "v1.3.0", Link: "javascript:alert(1)"})
	if strings.Index(text, ">v1.1.0<") > strings.Index(text, ">v1.0.0<") {
		t.Error("the oldest release is first")
	}
	if strings.Contains(text, "javascript") || !strings.Contains(text, ">1.0 - 1.2</td>") || !strings.Contains(text, ">v1.3.0</td>") {
		t.Error(text)
	}
	text = page(matrix.Pin{Name: "mcad", Version: "v1.2.0"}, matrix.Pin{Name: "mcad", Version: "<b>", Link: "https://example.com/x"})
	if !strings.Contains(text, `<a href="https://example.com/x">&lt;b&gt;</a>`) {
		t.Error(text)
	}
}
