package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Lint returns the first entry of a ruleset that has no effect in any tree, as a
// *source.Error, and nil when there is none.
func (r *Ruleset) Lint() error {
	for _, rule := range r.Rules {
		for _, kind := range []string{rule.From.Kind, rule.To.Kind} {
			if kind != "" && kind[0] >= 'a' && kind[0] <= 'z' && rule.From.Plural == "" {
				return r.mistake("id: "+rule.ID, "rule %s: %q is not a kind as manifests have it, such as NetworkPolicy; for a resource name there is plural", rule.ID, kind)
			}
		}
		wider := rule.From.Kind != "" && slices.ContainsFunc(r.Rules, func(x Rule) bool { return x.From.Group == rule.From.Group && x.From.Kind == "" }) // that would change it
		if !rule.Gone() && !wider && Complete(rule.To, rule.From) == rule.From {
			return r.mistake("id: "+rule.ID, "rule %s: from and to are the same API, so it changes nothing", rule.ID)
		}
	}
	listed := map[string]bool{}
	for _, k := range r.Keys {
		if listed[k.From] {
			return r.mistake(k.From, "the key %q is listed twice: only the first entry has an effect", k.From)
		}
		listed[k.From] = true
	}
	for _, k := range r.Keep {
		name := k.Value + k.Path
		if listed[name] {
			return r.mistake(name, "%q is listed twice under keep, or under keys, where it is never renamed", name)
		}
		listed[name] = true
		if _, err := path.Match(k.Path, "x"); err != nil || strings.HasPrefix(k.Path, "!") || strings.HasPrefix(k.Path, "../") || strings.HasPrefix(k.Path, "./") ||
			k.Value != "" && !slices.ContainsFunc(r.names(), func(own string) bool { return holdsName(k.Value, own) }) {
			return r.mistake(name, "keep never matches: %q is no path from the top of a work tree, and contains no group and no key of the rules", name)
		}
	}
	return nil
}

// mistake is an error at the last place of a text in the ruleset.
func (r *Ruleset) mistake(at, format string, args ...any) error {
	e := &source.Error{Path: r.path, Err: fmt.Errorf(format, args...), Hint: "remove it, or correct it"}
	if i := strings.LastIndex(string(r.text), at); i >= 0 {
		e.Pos = source.PositionAt(r.text, i)
	}
	return e
}

// names are all that is looked for: groups, and the domains of keys.
func (r *Ruleset) names() []string {
	list := r.Groups()
	for _, c := range r.Convert {
		group, _, _ := strings.Cut(c.From, "/")
		list = append(list, group)
	}
	for _, k := range r.Keys {
		domain, _, _ := strings.Cut(k.From, "/")
		list = append(list, domain)
	}
	return list
}

// holdsName says whether a spelling has a name in it, with nothing but a dot
// before it and nothing of a name behind.
func holdsName(spelling, name string) bool {
	if name == "" {
		return false
	}
	for at := range source.All([]byte(spelling), name) {
		end := at + len(name)
		if (at == 0 || spelling[at-1] == '.') && (end == len(spelling) || strings.IndexByte("./_", spelling[end]) >= 0) {
			return true
		}
	}
	return false
}
