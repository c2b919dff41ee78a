package prove

import (
	"errors"
	"iter"
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

// An alignment pairs the items of two lists in their order.
type alignment[T any] struct {
	*proof
	replaced      *proof // the check of twins
	order         order
	before, after []T
	pair          func(g *proof, b, a T) error
	same          func(x, y T) bool

	i, j   int   // the next item of each
	from   []int // the index of what each item after was before, ^ it for one that is added
	last   int   // of before: the last one that was paired, -1 for none
	copyOf int   // of before: what the last one added is made of; the next one is probably of one behind it
	goneTo int   // of after: what the last one missing became, likewise

	looked, most    int  // at how many pairs beyond the nearest: twins may be long, but the work stays in proportion
	changed, copied bool // an item is added or missing; and one that is not the same as its twin
}

// align pairs the items of two lists in their order: it returns the index of what each item was
// before, ^ it for one that is added. Else it returns where it fails, and why.
func align[T any](f *proof, before, after []T, o order, pair func(g *proof, b, a T) error, same func(x, y T) bool) (from []int, i, j int, err error) {
	x := alignment[T]{proof: f, replaced: f.replacing(), order: o, before: before, after: after, pair: pair, same: same, from: make([]int, len(after)), last: -1, most: 64 * (len(before) + len(after))}
	for x.i < len(before) || x.j < len(after) {
		if err := x.next(); err != nil {
			return nil, x.i, x.j, err
		}
	}
	if x.copied && !x.changed {
		return nil, 0, 0, errNoPair
	}
	return x.from, x.i, x.j, nil
}

// next takes the next item of one list, or of both.
func (x *alignment[T]) next() error {
	err := errNoPair
	old, fresh := x.i < len(x.before), x.j < len(x.after)
	if old && fresh {
		err = x.pair(x.proof, x.before[x.i], x.after[x.j])
	}
	switch {
	case err == nil:
		x.from[x.j], x.last = x.i, x.i
		x.i, x.j = x.i+1, x.j+1
	case x.order == ofLines && old && fresh && x.isItem(x.after[x.j]) && !x.isItem(x.before[x.i]) && x.added():
		x.moves = true
		x.j++
	case old && x.gone():
		x.moves, x.last = true, x.i
		x.i++
	case fresh && x.added():
		x.moves = true
		x.j++
	case old && !x.opts.Dual && isBlank(x.order, x.before[x.i]):
		x.i, x.copied = x.i+1, true
	case fresh && x.opts.Dual && isBlank(x.order, x.after[x.j]):
		x.j, x.copied = x.j+1, true
	default:
		return err
	}
	return nil
}

// around are the indices of a list of n items near a place, those from first on before the others.
func (x *alignment[T]) around(at, n, first int) iter.Seq[int] {
	far := max(near, len(x.before)-len(x.after)+near, len(x.after)-len(x.before)+near)
	return x.between(max(0, at-far), min(n, at+far), first)
}

func (x *alignment[T]) between(lo, hi, first int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := range hi - lo {
			if x.looked++; x.looked > x.most && n > 2*near || !yield(lo+(max(0, first-lo)+n)%(hi-lo)) {
				return
			}
		}
	}
}

// added says whether the next item after is the twin of one before.
func (x *alignment[T]) added() bool {
	fresh := x.after[x.j]
	if !x.mayAdd(x.order, fresh) {
		return false
	}
	list := x.around(x.i, len(x.before), x.copyOf)
	if x.order == ofValues {
		list = x.between(max(0, x.last), x.last+1, x.copyOf)
	}
	for k := range list {
		if is := x.same(x.before[k], fresh); (!is || x.order >= ofWords || x.order == ofLines && x.opts.Dual) && x.pair(x.replaced, x.before[k], fresh) == nil {
			x.changed, x.copied, x.from[x.j], x.copyOf = x.changed || !is, true, ^k, k
			return true
		}
	}
	return false
}

// gone says whether the next item before became the same as another one.
func (x *alignment[T]) gone() bool {
	old := x.before[x.i]
	if x.opts.Dual || x.order == ofWords && !x.mayAdd(x.order, old) {
		return false
	}
	for k := range x.around(x.j, len(x.after), x.goneTo) {
		if x.pair(x.proof, old, uncommented(x.order, old, x.after[k])) != nil {
			continue
		}
		is := x.same(old, x.after[k])
		switch {
		case x.order == ofLines && k >= x.j && !x.isItem(old):
		case x.order == ofValues && is && (k >= x.j || x.same(x.before[max(x.from[k], ^x.from[k])], x.after[k])):
		default:
			x.changed, x.copied, x.goneTo = x.changed || !is || x.order != ofLines, true, k
			return true
		}
	}
	return false
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
