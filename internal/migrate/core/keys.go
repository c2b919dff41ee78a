package core

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
)

// twin is the key that the key of a reference would become and that its mapping has already, ""
// for none: one of the two values would be lost.
func (c *fileReader) twin(r *refs.Ref) string {
	n, group := r.Leaf, r.Known.Group
	if n.Kind != syntax.Key || n.Up == nil || n.Up.Up == nil {
		return ""
	}
	has := func(key string) bool { return n.Up.Up.Child(syntax.Normal(key)) != nil }
	if k, _ := c.table.Key(r.Token.Spelled); r.Token.Form == names.MovedKey {
		if fresh := strings.Replace(n.String(), r.Token.Spelled, k.To, 1); has(fresh) {
			return fresh
		}
	}
	for _, x := range c.table.RulesOf(group) {
		fresh := strings.Replace(n.String(), group, x.To.Group, 1)
		if x.From.Version != "" && x.To.Version != "" {
			fresh = strings.Replace(fresh, "/"+x.From.Version, "/"+x.To.Version, 1)
		}
		if fresh != n.String() && has(fresh) {
			return fresh
		}
	}
	return ""
}
