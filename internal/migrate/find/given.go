package find

import (
	"slices"
	"strings"
	"unicode"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A group in source may be given its kind or its resource by a constant of the file:
// list("mcad.ibm.com", "v1", PLURAL). Where the rules rename that, it does not move with
// the group. In Go the types say more.

// givenNames takes for loose what constants of the file say that stand on the line of a
// group or in its brackets.
func (l *literal) givenNames(s *Site) {
	if strings.HasSuffix(l.path, ".go") || l.tok.Shape != Bare && l.tok.Shape != GroupVersion || s.tells(RoleKind) || s.tells(RoleResource) {
		return
	}
	names := l.constantsOf(l.c, l.v.Data)
	if len(names) == 0 {
		return
	}
	at := l.around()
	EachName(at.Of(l.v.Data), func(name string, in source.Span) {
		value, start, end := names[name], at.Start+in.Start, at.Start+in.End
		if value == "" || l.c.Covers(start) || isField(l.v.Data[max(0, start-text.Nearby):start], name) || isNamed.Match(l.v.Data[end:min(len(l.v.Data), end+text.Nearby)]) {
			return
		}
		if l.isPart(s.Known.Group, RoleKind, value) || l.isPart(s.Known.Group, RoleResource, value) {
			s.Loose = append(s.Loose, value)
		}
	})
}

// isField says whether a name is a field of an object, by what stands before it: of no type
// or module, whose constants are written in capitals or behind a name that begins with one.
func isField(before []byte, name string) bool {
	m := objectBefore.FindSubmatch(before)
	return m != nil && name != strings.ToUpper(name) && !slices.Contains([]string{"this", "self", "cls", "local", "var"}, string(m[1])) && !unicode.IsUpper(rune(m[1][0]))
}

// objectBefore is an object whose field a name is.
var objectBefore = lazyregexp.New(`([\w$)\]]+)\??\.$`)

// isNamed is what stands behind the name of an argument or a field, or of what is set.
var isNamed = lazyregexp.New(`^["']?\s*(=[^=]|:[^:=])`)

// around is the line of a literal with the brackets that it stands in, as far as they are near.
func (l *literal) around() source.Span {
	data, at := l.v.Data, text.LineAround(l.v.Data, l.lit.Outer)
	if l.lit.Scope < 0 || l.lit.Scope < l.lit.Outer.Start-farthest {
		return at
	}
	at.Start = min(at.Start, l.lit.Scope)
	depth := 0
	for i := l.lit.Outer.End; i < min(len(data), l.lit.Outer.End+farthest); i++ {
		switch data[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				at.End = max(at.End, i)
				return at
			}
		}
	}
	return at
}

// constantsOf are the constants and variables of a file that are given a word, each with it;
// a file is asked for them once.
func (a *analysis) constantsOf(c *text.CodeFile, data []byte) map[string]string {
	if a.words == nil || a.wordsOf != c {
		a.words, a.wordsOf = map[string]string{}, c
		for _, lit := range c.Literals {
			if lit.Name != "" && lit.Text.Len() > 0 && lit.Text.Len() <= text.LongestName && assignedBefore.Match(data[max(0, lit.Outer.Start-text.Nearby):lit.Outer.Start]) {
				a.words[lit.Name] = string(lit.Text.Of(data))
			}
		}
	}
	return a.words
}

// assignedBefore is what stands before a value that a constant or variable is given, a
// line each: no argument by its name.
var assignedBefore = lazyregexp.New(`(?m)(^|[;{])[ \t]*[^"'\x60(){},;\n]*[^=!<>\n]=[ \t]*$`)
