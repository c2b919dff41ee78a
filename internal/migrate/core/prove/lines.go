package prove

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A lineReader hands out the lines of a text.
type lineReader struct {
	rest string
	n    int // of the line that was read last
}

// next is the next line; false at the end.
func (r *lineReader) next() (line string, ok bool) {
	if r.n++; r.rest == "" {
		return "", false
	}
	line, r.rest, _ = strings.Cut(r.rest, "\n")
	return line, true
}

// lines checks a text line by line. Items of lists may be added and taken out on
// lines of their own, and lines may be there a second time: in dual mode as they become, else
// before. The objects of a text that was not decoded are those of an outline.
func (f *proof) lines(before, after string, at source.Position, o *outline) error {
	if strings.HasSuffix(before, "\n") != strings.HasSuffix(after, "\n") {
		return f.fault(at, "the end of the last line changes")
	}
	b, a := &lineReader{rest: before}, &lineReader{rest: after}
	old, more := b.next()
	fresh, ok := a.next()
	last := ""         // the line before fresh
	read := &history{} // of the text before in dual mode, else of that after
	copied, changed := false, false
	g := f.replacing()
	for more || ok {
		pos := source.Position{Line: at.Line + b.n - 1, Column: 1}
		i, same := 0, false
		if more && ok {
			i, same = f.line(old, fresh)
		}
		switch {
		case same:
			if err := f.pair(o, old, fresh, pos); err != nil {
				return err
			}
			if read.add(fresh); f.opts.Dual {
				read.lines[len(read.lines)-1] = old
			}
			last = fresh
			old, more = b.next()
			fresh, ok = a.next()
		case ok && !f.opts.Dual && f.isItem(fresh) && margin(fresh) == margin(last):
			last = fresh
			read.add(fresh)
			fresh, ok = a.next()
		case more && !f.opts.Dual && (f.isItem(old) || read.again(old, func(x string) bool { return g.becomesLine(old, x, pos) })):
			old, more = b.next()
		case ok && f.opts.Dual && read.again(fresh, func(x string) bool { return x != fresh && g.becomesLine(x, fresh, pos) }):
			copied, changed = true, true
			fresh, ok = a.next()
		case ok && f.opts.Dual && read.again(fresh, func(x string) bool { return g.becomesLine(x, fresh, pos) }):
			copied = true
			fresh, ok = a.next()
		default:
			pos.Column = len([]rune(old[:i])) + 1
			return f.fault(pos, "no rule makes %s of %s", excerpt(fresh, i), excerpt(old, i))
		}
	}
	if copied && !changed {
		return f.fault(at, "lines are there twice")
	}
	if o == nil {
		return nil
	}
	return o.end()
}

// line checks one line.
func (f *proof) line(old, fresh string) (at int, ok bool) {
	if old == fresh || f.isProject() && halfGroup(old, fresh) {
		return 0, true
	}
	return f.permits(old, fresh, true)
}

// isItem says whether a line is an item of a list that is a name of the rules, which may have
// a comment.
func (f *proof) isItem(line string) bool {
	s, ok := strings.CutPrefix(strings.TrimLeft(line, " \t#/"), "- ")
	s, _, _ = strings.Cut(s, " #")
	return ok && f.isName(strings.Trim(s, " \r\"'"))
}

// margin is what a line has in front of an item of a list.
func margin(line string) string {
	m, _, _ := strings.Cut(line, "- ")
	return m
}

// pair checks two lines that are made of each other: the rule of permissions in
// a marker, and the object whose fields are on lines of their own.
func (f *proof) pair(o *outline, old, fresh string, at source.Position) error {
	if old != fresh && strings.Contains(old, "resources=") {
		if b, a := marker(old, at), marker(fresh, at); b != nil && a != nil {
			return f.grants(b, a, maxDepth)
		}
	}
	if o == nil {
		return nil
	}
	return o.line(old, fresh, at)
}

// marker reads a comment of kubebuilder as a list with one rule of permissions;
// nil for any other.
func marker(line string, at source.Position) *node {
	i := strings.LastIndex(line, ":")
	if j := strings.Index(line, "+kubebuilder:"); j < 0 {
		return nil
	} else if k := strings.Index(line[j:], "="); k > 0 {
		i = j + strings.LastIndex(line[j:j+k], ":")
	}
	n := &node{shape: mapping, pos: at}
	for _, field := range fieldsOf(strings.TrimSpace(line[i+1:])) {
		k, v, _ := strings.Cut(field, "=")
		val := &node{shape: sequence, pos: at}
		for _, x := range strings.FieldsFunc(v, func(c rune) bool { return c == ';' || c == '{' || c == '}' || c == ',' }) {
			val.items = append(val.items, &node{value: strings.Trim(x, "\"`"), tag: "string", pos: at})
		}
		if len(val.items) == 0 {
			val.items = []*node{{value: strings.Trim(v, "\"`"), tag: "string", pos: at}}
		}
		n.keys = append(n.keys, &node{value: strings.TrimSpace(k), tag: "string", pos: at})
		n.items = append(n.items, val)
	}
	if !isGrant(n) {
		return nil
	}
	return listOf(n)
}

// fieldsOf splits at commas that are not in braces.
func fieldsOf(s string) []string {
	var list []string
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, s[from:i])
				from = i + 1
			}
		}
	}
	return append(list, s[from:])
}

// An outline collects the objects of a text that does not parse: fields with
// the same indentation, as far as nothing less indented is between them.
type outline struct {
	*proof
	open []outlined
}

type outlined struct {
	indent        int
	before, after object
	changed       bool
	pos           source.Position
}

// line takes in a line before and after.
func (o *outline) line(old, fresh string, at source.Position) error {
	indent, item, key, value, ok := field(old)
	if strings.TrimSpace(old) == "" {
		return nil
	}
	if !ok {
		if strings.HasPrefix(old, "---") { // the next document
			return o.close(0)
		}
		if strings.ContainsAny(strings.TrimSpace(old)[:1], "#/-*{[") {
			return o.close(indent + 1)
		}
		return o.close(indent) // a line of something else
	}
	if item {
		if err := o.close(indent); err != nil {
			return err
		}
	} else if err := o.close(indent + 1); err != nil {
		return err
	}
	if n := len(o.open); n == 0 || o.open[n-1].indent < indent {
		o.open = append(o.open, outlined{indent: indent, pos: at})
	}
	x := &o.open[len(o.open)-1]
	x.before.take(key, value)
	if _, _, k, v, ok := field(fresh); ok {
		x.after.take(k, v)
	}
	if old != fresh && !x.changed {
		x.changed, x.pos = true, at
	}
	return nil
}

// close checks the objects that are indented at least so much.
func (o *outline) close(indent int) error {
	for n := len(o.open); n > 0 && o.open[n-1].indent >= indent; n-- {
		x := o.open[n-1]
		o.open = o.open[:n-1]
		if !x.changed {
			continue
		}
		if err := o.whole(x.before, x.after, x.pos); err != nil {
			return err
		}
	}
	return nil
}

func (o *outline) end() error { return o.close(0) }

// field reads a line that is a key with a value: "- key: value", `"key": "value",`,
// key = 'value', and not "key:word".
func field(line string) (indent int, item bool, key, value string, ok bool) {
	s := strings.TrimLeft(line, " \t")
	indent = len(line) - len(s)
	if t, is := strings.CutPrefix(s, "- "); is {
		s = strings.TrimLeft(t, " ")
		item, indent = true, indent+len(t)-len(s)+2
	}
	s = strings.TrimLeft(s, "\"'")
	n := run(s)
	key = s[:n]
	s = strings.TrimLeft(s[n:], "\"' ")
	if n == 0 || s == "" || s[0] != ':' && s[0] != '=' || strings.HasPrefix(s, ":") && run(s[1:]) > 0 {
		return indent, item, "", "", false
	}
	value = strings.TrimSpace(strings.TrimLeft(s, ":="))
	if i := strings.Index(value, " #"); i >= 0 {
		value = value[:i]
	}
	value = strings.TrimSuffix(strings.Trim(value, "\"',; \r"), `\n`) // a line of a string
	return indent, item, key, strings.Trim(value, "\"',; \r"), true
}
