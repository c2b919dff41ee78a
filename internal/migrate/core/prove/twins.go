package prove

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// In dual mode nothing changes but that twins are added: what a migration
// without dual mode would make of a document, an item of a list or some lines
// follows them. Without it, one of two that become the same may be missing.

// replacing is the check of what a migration without dual mode makes.
func (f *proof) replacing() *proof {
	g, p := *f, *f.Prover
	p.opts.Dual = false
	g.Prover = &p
	return &g
}

// near is how far from its place what an item became is looked for.
const near = 64

// aligned checks the items of two lists in their order.
func (f *proof) aligned(before, after []*node, depth int) error {
	became := make([]*node, len(after)) // the item that is this one after
	var last *node
	j := 0
	for _, b := range before {
		var err error
		for j < len(after) {
			if err = f.value("", b, after[j], depth); err == nil || !f.isTwin(last, after[j], depth) {
				break
			}
			j++
			f.moves = true
		}
		switch {
		case j < len(after) && err == nil:
			became[j], last = b, b
			j++
		case f.folded(b, after, became, j, depth):
		case err != nil:
			return err
		default:
			return f.fault(b.pos, "the value is missing after")
		}
	}
	for ; j < len(after); j++ {
		if !f.isTwin(last, after[j], depth) {
			return f.fault(after[j].pos, "the value is not in the file before")
		}
		f.moves = true
	}
	return nil
}

// isTwin says whether a value is what a migration without dual mode makes of
// another one.
func (f *proof) isTwin(old, fresh *node, depth int) bool {
	return f.opts.Dual && old != nil && f.replacing().value("", old, fresh, depth) == nil && !same(old, fresh)
}

// folded says whether a value became another one of the list, which another
// value is or became too.
func (f *proof) folded(b *node, after, became []*node, j, depth int) bool {
	if f.opts.Dual {
		return false
	}
	for k := max(0, j-near); k < min(len(after), j+near); k++ {
		if f.value("", b, after[k], depth) == nil && (!same(b, after[k]) || became[k] != nil && !same(became[k], after[k])) {
			f.moves = true
			return true
		}
	}
	return false
}

func same(a, b *node) bool {
	var x, y bytes.Buffer
	a.write(&x)
	b.write(&y)
	return bytes.Equal(x.Bytes(), y.Bytes())
}

// A history is the lines of a text that were read, to find those that are there
// twice.
type history struct {
	lines []string
	at    map[string][]int // by what they begin with
	known int              // how many are in at
}

func (h *history) add(line string) { h.lines = append(h.lines, line) }

// begin is what a line has in front of its value.
func begin(line string) string {
	if i := strings.IndexByte(line, ':'); i >= 0 {
		return line[:i]
	}
	return line[:len(line)-len(strings.TrimLeft(line, " \t-#/"))]
}

// index notes what lines begin with.
func (h *history) index() {
	if h.at == nil {
		h.at = map[string][]int{}
	}
	for ; h.known < len(h.lines); h.known++ {
		key := begin(h.lines[h.known])
		h.at[key] = append(h.at[key], h.known)
	}
}

// again says whether one of the last lines that begin as a line does is it, as the rules make
// one of them, or an empty line or marker of a document.
func (h *history) again(line string, is func(read string) bool) bool {
	if t := strings.TrimSpace(line); t == "" || t == docMarker {
		return true
	}
	h.index()
	list := h.at[begin(line)]
	return slices.ContainsFunc(list[max(0, len(list)-near):], func(n int) bool { return is(h.lines[n]) })
}

// becomesLine says whether a line becomes another one without dual mode. One of them may be
// the last of a list.
func (f *proof) becomesLine(old, fresh string, pos source.Position) bool {
	if _, ok := f.line(old, fresh); !ok {
		if _, ok = f.line(strings.TrimSuffix(old, ","), strings.TrimSuffix(fresh, ",")); !ok {
			return false
		}
	}
	return f.pair(nil, old, fresh, pos) == nil
}

// remaining checks that each line of a text is in the text after, as the rules
// make it, and that no other is: of a text that was decoded, and of which items are
// added or missing.
func (f *proof) remaining(before, after string, at source.Position) error {
	if strings.HasSuffix(before, "\n") != strings.HasSuffix(after, "\n") {
		return f.fault(at, "the end of the last line changes")
	}
	b, a := f.linesIn(before), f.linesIn(after)
	if i := b.missing(a, f.isLine); i >= 0 {
		return f.fault(source.Position{Line: at.Line + i, Column: 1}, "no rule makes a line of %s", excerpt(b.lines[i], 0))
	}
	g := f.replacing()
	if i := a.missing(b, func(fresh, old string) bool { return f.isLine(old, fresh) || g.isLine(old, fresh) }); i >= 0 {
		return f.fault(at, "no rule makes %s of a line", excerpt(a.lines[i], 0))
	}
	return nil
}

func (f *proof) isLine(old, fresh string) bool {
	_, ok := f.line(old, fresh)
	return ok
}

// linesIn are the lines of a text, without the commas that depend on their place. Of the lists
// of rules of permissions, which are compared by what they permit, it has the comments alone.
func (f *proof) linesIn(text string) *history {
	h := &history{}
	for line := range strings.Lines(text) {
		if f.split && f.ofList(line) {
			_, line, _ = strings.Cut(line, " #")
		}
		h.add(strings.TrimRight(line, "\r\n,"))
	}
	h.index()
	return h
}

// missing is the index of a line for which no line of another text is the right
// one, -1 for none. It is looked for near that of the line before.
func (h *history) missing(other *history, is func(line, other string) bool) int {
	exact := inSet(other.lines)
	at := -1
	for n, line := range h.lines {
		if t := strings.TrimSpace(line); t == "" || t == "---" {
			continue
		}
		right := func(k int) bool { return line == other.lines[k] || is(line, other.lines[k]) }
		list := other.at[begin(line)]
		i, _ := slices.BinarySearch(list, at+1)
		if k := slices.IndexFunc(list[i:min(len(list), i+near)], right); k >= 0 {
			at = list[i+k]
		} else if !exact[line] && !slices.ContainsFunc(list[max(0, i-near):i], right) {
			return n
		}
	}
	return -1
}

// isListed says whether a character is one of a name in a list: of a resource, of
// a file.
func isListed(c rune) bool {
	return c < 128 && (isLabel(byte(c)) || strings.ContainsRune(".-_/", c))
}

// sameRules gives rules of permissions after what those before have but for their
// lists, where that is what the rules make of it: of two lists that differ in their
// length the ones with no equal are compared in their order.
func (f *proof) sameRules(b, a *node, before, after []grant, depth int) {
	had, has := map[string]bool{}, map[string]bool{}
	for _, g := range before {
		had[g.rest] = true
	}
	for _, g := range after {
		has[g.rest] = true
	}
	j := 0
	for i, g := range before {
		if has[g.rest] {
			continue
		}
		for k := j; k < min(len(after), j+near); k++ {
			if !had[after[k].rest] && f.other(b.items[i], a.items[k], depth) == nil {
				after[k].rest, j = g.rest, k+1
				break
			}
		}
	}
}
