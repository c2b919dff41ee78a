package prove

import (
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// stayingActions are the actions of a template but for those that go with a
// document: what goes must be whole, so that no condition ends that did not begin,
// and its actions must stand once more, around what it became. After are the
// actions of the result.
func (c *check) stayingActions(text string, after []string) []string {
	var gone []source.Span
	for _, d := range c.file.Decisions {
		for _, e := range d.Edits {
			if d.New != "" || e.New != "" || e.End > len(text) {
				continue
			}
			if list := actionTexts(text[e.Start:e.End]); len(list) > 0 && whole(list) && c.standsIn(after, list) {
				gone = append(gone, e.Span)
			}
		}
	}
	var list []string
	for _, s := range actionsOf(text) {
		for len(gone) > 0 && gone[0].End <= s.Start {
			gone = gone[1:]
		}
		if len(gone) == 0 || s.Start < gone[0].Start || s.End > gone[0].End {
			list = append(list, text[s.Start:s.End])
		}
	}
	return list
}

// standsIn says whether actions stand one behind the other among others.
func (c *check) standsIn(all, part []string) bool {
	for i := 0; i+len(part) <= len(all); i++ {
		n := 0
		for n < len(part) && c.explains(part[n], all[i+n]) {
			n++
		}
		if n == len(part) {
			return true
		}
	}
	return false
}

// opens and closes are actions that begin and end a part of a template, turns one
// that parts it.
// Source: https://pkg.go.dev/text/template#hdr-Actions; Jinja, template designer documentation.
var (
	opens  = lazyregexp.New(`^\{[{%]-?\s*(if|range|with|define|block|for|macro)\b`)
	turns  = lazyregexp.New(`^\{[{%]-?\s*(else|elif)\b`)
	closes = lazyregexp.New(`^\{[{%]-?\s*end`)
)

// whole says whether each part that begins in a list of actions ends there, and
// none ends or is parted that did not begin.
func whole(list []string) bool {
	depth := 0
	for _, action := range list {
		switch {
		case opens.MatchString(action):
			depth++
		case turns.MatchString(action) && depth == 0:
			return false
		case closes.MatchString(action):
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}
