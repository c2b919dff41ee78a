package core

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
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

// handled is the new key of a key that code names, where the file has that as well: it reads or
// writes both. It is "" for none.
func (c *fileReader) handled(r *refs.Ref) string {
	k, ok := c.table.Key(r.Token.Spelled)
	if !ok || r.Token.Form != names.MovedKey || !r.Leaf.Quoted || r.Leaf.Document().Lang == "yaml" || r.Leaf.Document().Lang == "json" {
		return "" // objects are apart
	}
	if fresh := strings.Replace(r.Leaf.String(), r.Token.Spelled, k.To, 1); bytes.Contains(c.data, []byte(`"`+fresh+`"`)) { // DataDog/datadog-operator, jordiprats/kubectl-eks
		return fresh
	}
	return ""
}

// isOther says whether a regular expression has a label before its group that is no resource of a
// rule, where no rule renames keys of the group.
func (c *fileReader) isOther(r *refs.Ref) bool {
	m := lastLabel.FindSubmatch(r.Leaf.Text()[:r.Token.At.Start])
	return m != nil && c.table.RulesOf(r.Known.Group).KindNamed(string(m[1])) == "" &&
		!slices.ContainsFunc(c.table.Keys(), func(k rules.KeyRule) bool { return strings.HasPrefix(k.From, r.Known.Group+"/") })
}

// lastLabel is a whole label in a regular expression: of ad\.example\.com, not of .*s\.example\.com.
var lastLabel = lazyregexp.New(`(?:^|[^\w\\.*+?)\]-])([a-z0-9-]+)\\+\.$`)
