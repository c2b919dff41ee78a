package prove

import (
	"errors"
	"strings"
)

// Lists are compared in one way: the values of a list or stream, the lines of a text, the
// words of a line, and names. An item after is one before, as the rules make it. In dual mode
// nothing changes but that twins are added: what a migration without dual mode would make of
// an item near it. Without it, one of two items that become the same may be missing.
type order uint8

const (
	ofValues order = iota // each twin follows its own
	ofLines               // an item of a list may be added; twins may have lines in common
	ofWords               // a name of the rules may be added
	ofNames               // each may be added
)

// near is how far from its place what an item became is looked for.
const near = 64

var errNoPair = errors.New("an item is missing or added")

// replacing is the check of what a migration without dual mode makes.
func (f *proof) replacing() *proof {
	g, p := *f, *f.Prover
	p.opts.Dual = false
	g.Prover = &p
	return &g
}

// align pairs the items of two lists in their order: it returns the index of what each item was
// before, ^ it for one that is added. Else it returns where it fails, and why.
func align[T any](f *proof, before, after []T, o order, pair func(g *proof, b, a T) error, same func(x, y T) bool) (from []int, i, j int, err error) {
	g := f.replacing()
	from = make([]int, len(after))
	last, copyOf, goneTo := -1, 0, 0 // the last ones found: what the next item became is probably behind it
	// Twins may be long, but what is looked at stays in proportion to them.
	far := max(near, len(before)-len(after)+near, len(after)-len(before)+near)
	looked, most := 0, 64*(len(before)+len(after))
	changed, copied := false, false
	added := func(j int) bool {
		if !f.mayAdd(o, after[j]) {
			return false
		}
		lo, hi := max(0, i-far), min(len(before), i+far)
		if o == ofValues {
			lo, hi = max(0, last), last+1
		}
		for n := range hi - lo {
			if looked++; looked > most && n > 2*near {
				break
			}
			k := lo + (max(0, copyOf-lo)+n)%(hi-lo)
			if is := same(before[k], after[j]); (!is || o >= ofWords || o == ofLines && f.opts.Dual) && pair(g, before[k], after[j]) == nil {
				changed, copied, from[j], copyOf = changed || !is, true, ^k, k
				return true
			}
		}
		return false
	}
	gone := func(i int) bool {
		if f.opts.Dual || o == ofWords && !f.mayAdd(o, before[i]) {
			return false
		}
		lo, hi := max(0, j-far), min(len(after), j+far)
		for n := range hi - lo {
			if looked++; looked > most && n > 2*near {
				break
			}
			k := lo + (max(0, goneTo-lo)+n)%(hi-lo)
			if pair(f, before[i], uncommented(o, before[i], after[k])) == nil {
				is := same(before[i], after[k])
				switch {
				case o == ofLines && k >= j && !f.isItem(before[i]):
				case o == ofValues && is && (k >= j || same(before[max(from[k], ^from[k])], after[k])):
				default:
					changed, copied, goneTo = changed || !is || o != ofLines, true, k
					return true
				}
			}
		}
		return false
	}
	for i < len(before) || j < len(after) {
		err = errNoPair
		if i < len(before) && j < len(after) {
			err = pair(f, before[i], after[j])
		}
		switch {
		case err == nil:
			from[j], last = i, i
			i, j = i+1, j+1
		case o == ofLines && i < len(before) && j < len(after) && f.isItem(after[j]) && !f.isItem(before[i]) && added(j):
			f.moves = true
			j++
		case i < len(before) && gone(i):
			f.moves, last = true, i
			i++
		case j < len(after) && added(j):
			f.moves = true
			j++
		case i < len(before) && !f.opts.Dual && isBlank(o, before[i]):
			i, copied = i+1, true
		case j < len(after) && f.opts.Dual && isBlank(o, after[j]):
			j, copied = j+1, true
		default:
			return nil, i, j, err
		}
	}
	if copied && !changed {
		return nil, 0, 0, errNoPair
	}
	return from, i, j, nil
}

// uncommented is a line without its comment, if that of what it is one with has none.
func uncommented[T any](o order, old, fresh T) T {
	b, ok := any(old).(string)
	if a, isText := any(fresh).(string); ok && isText && o == ofLines && !strings.Contains(b, " #") {
		a, _, _ = strings.Cut(a, " #")
		return any(a).(T)
	}
	return fresh
}

// mayAdd says whether an item may be added.
func (l *lexicon) mayAdd(o order, item any) bool {
	switch s, _ := item.(string); o {
	case ofWords:
		return l.isName(unquoted(s))
	case ofLines:
		return l.opts.Dual || l.isItem(item)
	}
	return l.opts.Dual || o == ofNames
}

// isItem says whether something is a line with an item of a list that is a name of the rules,
// which may have a comment.
func (l *lexicon) isItem(x any) bool {
	line, _ := x.(string)
	s, ok := strings.CutPrefix(strings.TrimLeft(line, " \t#/"), "- ")
	s, _, _ = strings.Cut(s, " #")
	return ok && l.isName(strings.Trim(s, " \r\"'"))
}

// isName says whether a text is a group or version of the rules.
func (l *lexicon) isName(s string) bool {
	return l.isGroup(s) || isVersion(s)
}

// isBlank says whether an item is an empty line, or one between two documents.
func isBlank(o order, item any) bool {
	s, _ := item.(string)
	s = strings.TrimSpace(s)
	return o == ofLines && (s == "" || s == "---")
}
