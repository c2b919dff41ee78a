package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// TestDocumentedConfiguration holds the examples of docs/matrix.md to the
// decoder, and the stack that it describes to its own rules.
func TestDocumentedConfiguration(t *testing.T) {
	doc, err := os.ReadFile("../../docs/matrix.md")
	if err != nil {
		t.Fatal(err)
	}
	stacks := 0
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(doc, -1) {
		var c config.Config
		if err := strict.Decode("docs/matrix.md", m[1], &c); err != nil {
			t.Errorf("%v in\n%s", err, m[1])
			continue
		}
		if c.Stack == nil {
			continue
		}
		stacks++
		if err := c.Stack.Complete("docs/matrix.md"); err != nil {
			t.Error(err)
		}
		if err := (&matrix.Config{}).Complete("docs/matrix.md", c.Stack); err != nil {
			t.Error(err)
		}
	}
	if stacks == 0 {
		t.Error("no stack is described")
	}
}

// TestMatrixPage: the newest release is first, its versions are links where
// they lead to the web, and a range is no link.
func TestMatrixPage(t *testing.T) {
	s := stack.Default()
	page := func(old, now matrix.Pin) string {
		var b strings.Builder
		if err := showHTML(&b, s, []matrix.Release{{Version: "v1.0.0", Components: []matrix.Pin{old}}, {Version: "v1.1.0", Components: []matrix.Pin{now}}}); err != nil {
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
