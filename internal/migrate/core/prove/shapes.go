package prove

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A passage is a run of lines of a text that is no YAML: an object that is written in it
// as YAML, as in a fenced block or a heredoc, or what is between two of them.
type passage struct {
	lines  []string
	indent int // of the fields of an object; -1 for other text
}

// text is that of an object without its indentation.
func (p passage) text() string {
	var b strings.Builder
	for _, l := range p.lines {
		if strings.TrimSpace(l) == "..." { // what an example leaves out
			l = ""
		}
		b.WriteString(l[min(p.indent, len(l)-len(strings.TrimLeft(l, " "))):] + "\n")
	}
	return b.String()
}

var (
	firstField = lazyregexp.New(`^( *)(apiVersion|kind): *[^ ]`)
	otherLine  = lazyregexp.New(`^ *([A-Za-z0-9_./-]+:( |\r?$)|- |#)`)
)

// passages splits a text.
func passages(text string) []passage {
	list := []passage{{indent: -1}}
	for _, line := range strings.Split(text, "\n") {
		p := &list[len(list)-1]
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch m := firstField.FindStringSubmatch(line); {
		case p.indent >= 0 && (strings.TrimSpace(line) == "" || indent > p.indent || indent == p.indent && otherLine.MatchString(line)):
		case m != nil:
			list = append(list, passage{indent: len(m[1])})
		case p.indent >= 0:
			list = append(list, passage{indent: -1})
		}
		p = &list[len(list)-1]
		p.lines = append(p.lines, line)
	}
	return list
}

// withObjects checks a text with objects that change their shape: those as documents, and
// all others line by line.
func (f *proof) withObjects(before, after string, at source.Position, depth int) error {
	was, is := passages(before), passages(after)
	var b, a []string
	for i, old := range was {
		if len(was) != len(is) || old.indent != is[i].indent {
			return f.lines(before, after, at, &outline{})
		}
		fresh := is[i].lines
		pos := source.Position{Line: at.Line + len(b), Column: 1}
		if shaped, err := f.reshaped(old, is[i], pos, depth); err != nil {
			return err
		} else if shaped {
			old.lines = make([]string, len(old.lines))
			fresh = old.lines
		}
		b, a = append(b, old.lines...), append(a, fresh...)
	}
	return f.lines(strings.Join(b, "\n"), strings.Join(a, "\n"), at, &outline{})
}

// reshaped checks an object in a text, and says whether it is one whose shape changes.
func (f *proof) reshaped(before, after passage, at source.Position, depth int) (shaped bool, err error) {
	if before.indent < 0 || slices.Equal(before.lines, after.lines) {
		return false, nil
	}
	b, err := decodeYAML(before.text())
	if err != nil {
		return false, nil
	}
	if f.within == nil {
		f.within = &at
		defer func() { f.within = nil }()
	}
	f.shaped = false
	a, err := decodeYAML(after.text())
	if err != nil {
		return false, f.fault(at, "the object parsed as YAML before and does not parse after: %v", err)
	}
	if err = f.documents(b, a, depth); !f.shaped {
		return false, nil // its lines are checked
	}
	return true, err
}
