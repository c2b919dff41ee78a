package migrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// Idle are the entries of keep and keys, of rulesets of one's own and of the
// configuration, that matched nothing in the files of the plan, each in words:
// they may be misspelled. Built-in rulesets are made
// for many trees; own is the path of the configuration, which is always kept.
func (p *Plan) Idle(own string) []string {
	var list []string
	for _, set := range p.sets {
		if slices.Contains(Builtin(), set.Name) {
			continue
		}
		for _, k := range set.Keep {
			if !p.keeps(k.Path, k.Value) {
				list = append(list, fmt.Sprintf("%s: keep %q matched nothing", set.Name, k.Value+k.Path))
			}
		}
		for _, k := range set.Keys {
			if !p.movesKey(k) {
				list = append(list, fmt.Sprintf("%s: key %q matched nothing", set.Name, k.From))
			}
		}
	}
	for _, k := range p.configured {
		if k.Path != own && !p.keeps(k.Path, k.Value) {
			list = append(list, fmt.Sprintf(".cfctl.yaml: keep %q matched nothing", strings.TrimSpace(k.Path+" "+k.Value)))
		}
	}
	return list
}

// keeps says whether some place that stays has a spelling, in a file of a glob;
// empty = any.
func (p *Plan) keeps(glob, value string) bool {
	return slices.ContainsFunc(p.Files, func(f *File) bool {
		return f.m != nil && (glob == "" || matchPath(glob, f.placeIn())) && slices.ContainsFunc(f.Sites, func(s Site) bool {
			return s.Action() == Stay && (value == "" || holdsWhole(s.Old, value))
		})
	})
}

// holdsWhole says whether a kept spelling is a value, or goes on from it where
// a name ends.
func holdsWhole(old, value string) bool {
	rest, ok := strings.CutPrefix(old, value)
	return ok && (rest == "" || strings.IndexByte("/._:", rest[0]) >= 0)
}

// movesKey says whether some place is spelled like a key, moved or kept.
func (p *Plan) movesKey(k rules.KeyRule) bool {
	return slices.ContainsFunc(p.Files, func(f *File) bool {
		return slices.ContainsFunc(f.Sites, func(s Site) bool {
			return strings.HasPrefix(s.Old, k.From) || s.Old+"/" == k.From
		})
	})
}
