package prove

import (
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
	same := len(was) == len(is)
	line := at.Line
	for i := 0; same && i < len(was); i++ {
		old, fresh := was[i], is[i]
		same = old.indent == fresh.indent
		if same && old.indent >= 0 {
			shaped, err := f.reshaped(old.text(), fresh.text(), source.Position{Line: line, Column: 1}, depth)
			if err != nil {
				return err
			}
			if shaped {
				old.lines = make([]string, len(old.lines))
				fresh.lines = old.lines
			}
		}
		line += len(old.lines)
		b, a = append(b, old.lines...), append(a, fresh.lines...)
	}
	if same {
		before, after = strings.Join(b, "\n"), strings.Join(a, "\n")
	}
	return f.lines(before, after, at, &outline{})
}

// reshaped checks an object in a text, and says whether it is one whose shape changes.
func (f *proof) reshaped(before, after string, at source.Position, depth int) (shaped bool, err error) {
	if before == after {
		return false, nil
	}
	b, err := decode("yaml", before)
	if err != nil {
		return false, nil
	}
	if f.within == nil {
		f.within = &at
		defer func() { f.within = nil }()
	}
	f.shaped = false
	a, err := decode("yaml", after)
	if err != nil {
		return false, f.fault(at, "the object parsed as YAML before and does not parse after: %v", err)
	}
	if err = f.documents(b, a, depth); !f.shaped {
		return false, nil // its lines are checked
	}
	return true, err
}
