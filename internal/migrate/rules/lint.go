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
		at := "id: " + rule.ID
		for _, kind := range []string{rule.From.Kind, rule.To.Kind} {
			if kind != "" && kind[0] >= 'a' && kind[0] <= 'z' {
				return r.mistake(at, "rule %s: %q is not a kind as manifests have it, such as NetworkPolicy; for a resource name there is plural", rule.ID, kind)
			}
		}
		if !rule.Gone() && Complete(rule.To, rule.From) == rule.From {
			return r.mistake(at, "rule %s: from and to are the same API, so it changes nothing", rule.ID)
		}
	}
	keys := map[string]bool{}
	for _, k := range r.Keys {
		if keys[k.From] {
			return r.mistake(k.From, "the key %q is listed twice: only the first entry has an effect", k.From)
		}
		keys[k.From] = true
		if slices.ContainsFunc(r.Keep, func(x Keep) bool { return x.Value == k.From }) {
			return r.mistake(k.From, "the key %q is never renamed: keep lists it too", k.From)
		}
	}
	kept := map[Keep]bool{}
	for _, k := range r.Keep {
		at := Keep{Value: k.Value, Path: k.Path}
		switch _, err := path.Match(k.Path, "x"); {
		case kept[at]:
			return r.mistake(k.Value+k.Path, "keep lists %q twice", k.Value+k.Path)
		case err != nil || strings.HasPrefix(k.Path, "!"):
			return r.mistake(k.Path, "keep never matches: %q is not a valid pattern", k.Path)
		case strings.HasPrefix(k.Path, "../") || strings.HasPrefix(k.Path, "./"):
			return r.mistake(k.Path, "keep never matches: %q is not a path from the top of a work tree", k.Path)
		case k.Value != "" && !slices.ContainsFunc(r.names(), func(name string) bool { return holdsName(k.Value, name) }):
			return r.mistake(k.Value, "keep never matches: %q contains no group and no key of the rules", k.Value)
		}
		kept[at] = true
	}
	return nil
}

// mistake is an error at the first place of a text in the ruleset.
func (r *Ruleset) mistake(at, format string, args ...any) error {
	e := &source.Error{Path: r.path, Err: fmt.Errorf(format, args...), Hint: "remove it, or correct it"}
	if i := strings.LastIndex(string(r.text), at); at != "" && i >= 0 {
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
