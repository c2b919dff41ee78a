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
	if fresh := strings.Replace(r.Leaf.String(), r.Token.Spelled, k.To, 1); bytes.Contains(c.data, []byte(`"`+fresh+`"`)) { // DataDog/datadog-operator, kubernetes-sigs/karpenter
		return fresh
	}
	return ""
}

// ofGroupAlone says whether a regular expression names neither a version behind its group nor a
// resource of a rule in front of it.
func (c *fileReader) ofGroupAlone(r *refs.Ref) bool {
	t := r.Leaf.Text()
	if slices.ContainsFunc(c.table.Keys(), func(k rules.KeyRule) bool { return strings.HasPrefix(k.From, r.Known.Group+"/") }) {
		return false
	}
	before := lastLabel.FindSubmatch(t[:r.Token.At.Start])
	return !versionBehind.Match(t[r.Token.At.End:]) && (before == nil || !slices.ContainsFunc(c.table.RulesOf(r.Known.Group), func(x rules.Rule) bool {
		return x.From.Kind != "" && slices.ContainsFunc(append(rules.Plurals(x.From.Kind), x.From.Plural, strings.ToLower(x.From.Kind), x.From.Kind), func(name string) bool {
			return strings.HasSuffix(name, string(before[1])) || name != "" && strings.HasSuffix(string(before[1]), name)
		})
	}))
}

var (
	lastLabel     = lazyregexp.New(`([A-Za-z0-9-]*)[^A-Za-z0-9-]*\\\.$`)
	versionBehind = lazyregexp.New(`^\\*/\W*(v([0-9]|\W|$)|[A-Z])`)
)
