package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// cfctl changes the shape of objects in YAML and JSON that say their version and kind
// themselves. A version that stands elsewhere does not move where its object would have to
// change with it: in source, as a map or a struct, and as a value that objects take.

// unshaped is why a person moves a version, "" where no object changes its shape with it, or
// where that is written; and what conversions tell of the object of a version that moves.
func (m *maker) unshaped(s *find.Site, ver rules.Answer) (left judge.Decision, told []Outcome) {
	site := judge.Merge(s.Known, s.Facts)
	if !m.Converts() || !isVersionOf(s) || s.Tree != nil && site.Kind != "" {
		return left, nil
	}
	left = judge.Decision{Verdict: judge.Person, Reason: "shape", Answer: ver}
	span, none := s.Doc.Span(s.Word), site.Kind == "" && site.Plural == ""
	for _, c := range m.Shapes(site) {
		show := "cfctl migrate rules show " + shellWord(c.Shown)
		if none {
			if slices.ContainsFunc(c.Steps, func(s rules.Step) bool { return s.Tell == "" }) {
				left.Why = "objects that take it from here may change their shape with it, as " + c.Kind + " does: " + c.Doc
				left.Hint = "move it together with the fields of these objects, or keep it with a comment cfctl:keep REASON"
				return left, nil
			}
			continue
		}
		words, whole := m.wordsAround(span, c)
		changes, tells := words.asked(c, whole)
		if changes {
			left.Why, left.Hint = "its object changes its shape with its version, which cfctl does not write here: "+c.Doc, "write the object as "+c.To+" has it: "+show
			return left, nil
		}
		if tells != "" {
			o := Outcome{Span: source.Span{Start: span.Start, End: span.Start}, Role: find.RoleShape, Rule: c.ID, Ruleset: c.Set, Old: c.Kind}
			told = append(told, o.Leave("shape", tells, show))
		}
	}
	return left, told
}

// isVersionOf says whether a site is the version of an object, or a value that may be one.
func isVersionOf(s *find.Site) bool {
	role := s.Place.Role
	return (role == find.RoleAPIVersion || role == find.RoleLiteral) && !(s.Phrase && (s.Mode == find.InProse || s.Mode == find.InComment))
}

// objectReach is how far from a version its object is looked for, in bytes.
const objectReach = 1 << 16

// wordsAround are the words of the object of a version: of the nearest brackets around it in
// which the fields are written that a conversion begins with. Where these are a variable or a
// call, or stand in no brackets, they are the words of the file, and whole is false.
func (m *maker) wordsAround(at source.Span, c *rules.Conversion) (words shapeWords, whole bool) {
	for range 4 {
		in, ok := brackets(m.file, at)
		if !ok {
			break
		}
		switch there, written := fieldsIn(in.Of(m.file), c); {
		case there && written:
			return shapeWordsOf(in.Of(m.file)), true
		case there:
			return m.words(), false
		}
		at = in
	}
	return m.words(), false
}

// fieldsIn says whether the fields that a conversion begins with are there in a text, and
// whether all of these are written there.
func fieldsIn(data []byte, c *rules.Conversion) (there, written bool) {
	low, written := bytes.ToLower(data), true
	var last string
	for _, s := range c.Steps {
		_, path, _ := s.Verb()
		keys, err := text.ParsePath(path)
		if err != nil || keys[0] == last {
			continue
		}
		last = keys[0]
		is, own := fieldIn(low, []byte(strings.ToLower(last)))
		there, written = there || is, written && (own || !is)
	}
	return there, written
}

// words are those of the file.
func (m *sheet) words() shapeWords {
	if m.said == nil {
		m.said = shapeWordsOf(m.file)
	}
	return m.said
}

// brackets are the nearest ones around a place, with what is in them.
func brackets(data []byte, at source.Span) (source.Span, bool) {
	open, depth := at.Start, 0
	for depth >= 0 {
		if open--; open < max(0, at.Start-objectReach) {
			return source.Span{}, false
		}
		depth += nesting(data[open], -1)
	}
	end := at.End
	for depth = 0; depth >= 0; end++ {
		if end >= min(len(data), at.End+objectReach) {
			return source.Span{}, false
		}
		depth += nesting(data[end], 1)
	}
	return source.Span{Start: open, End: end}, true
}

// nesting is what a byte adds to the depth of brackets, read in a direction.
func nesting(b byte, way int) int {
	switch {
	case strings.IndexByte("([{", b) >= 0:
		return way
	case strings.IndexByte(")]}", b) >= 0:
		return -way
	}
	return 0
}

// fieldIn says whether a field is there in a text, and whether its value is written there,
// in brackets.
func fieldIn(data, name []byte) (there, written bool) {
	for at := 0; ; {
		n := bytes.Index(data[at:], name)
		if n < 0 {
			return there, false
		}
		from := at + n
		at = from + len(name)
		if from > 0 && text.IsIdent(data[from-1]) || at < len(data) && text.IsIdent(data[at]) {
			continue
		}
		if there = true; writtenBehind.Match(data[at:min(len(data), at+text.Nearby)]) {
			return true, true
		}
	}
}

// writtenBehind is what stands behind the name of a field whose value begins with a bracket:
// the way to a field of it perhaps, and the type.
var writtenBehind = lazyregexp.New(`^["'\x60\]]*(?:[.:]\s*[\w"'\]]+)*\s*(?::|=>?)\s*[^\s,;(){\[]*[{\[]`)
