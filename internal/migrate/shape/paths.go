package shape

import (
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// places are the ways that a path with wildcards stands for, one for each item
// that is there.
func (c *converter) places(keys []string) [][]string {
	last := -1
	for i, k := range keys {
		if k == "[*]" {
			last = i
		}
	}
	if last < 0 {
		return [][]string{keys}
	}
	t, obj := c.object()
	var ways [][]string
	for _, h := range t.Find(obj, keys[:last+1]) {
		ways = append(ways, append(text.Filled(keys[:last+1], h.Wild), keys[last+1:]...))
	}
	return ways
}
