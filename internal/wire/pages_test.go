package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// TestPagesEnd has servers whose lists have no end, and long ones that have.
func TestPagesEnd(t *testing.T) {
	for name, c := range map[string]struct {
		token func(n int) string
		items func(n int) int
		after int // pages until the error; 0 = none
		want  string
	}{
		"the same token":         {func(int) string { return "again" }, func(int) int { return 1 }, 2, "repeats the page token"},
		"tokens in a circle":     {func(n int) string { return fmt.Sprint(n % 7) }, func(int) int { return 1 }, 8, "repeats the page token"},
		"fresh tokens, no items": {func(n int) string { return fmt.Sprint(n) }, func(int) int { return 0 }, 100, "without an item"},
		"fresh tokens, one item": {func(n int) string { return fmt.Sprint(n) }, func(int) int { return 1 }, 10_000, "no end after 10000 pages"},
		"an item now and then":   {func(n int) string { return fmt.Sprint(n) }, func(n int) int { return n / 99 % 2 }, 10_000, "no end after 10000 pages"},
		"a token of a megabyte":  {func(int) string { return strings.Repeat("x", 1<<20) }, func(int) int { return 1 }, 1, "bytes, more than"},
	} {
		var p wire.Pages
		var err error
		n := 0
		for err == nil && n < 20_000 {
			err = p.Next(c.token(n), c.items(n))
			n++
		}
		if err == nil || n != c.after || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 200 {
			t.Errorf("%s: after %d pages: %.300v", name, n, err)
		}
	}
	var p wire.Pages
	for n := range 5000 {
		if err := p.Next(fmt.Sprint(n), n%50); err != nil {
			t.Fatal(err)
		}
	}
}
