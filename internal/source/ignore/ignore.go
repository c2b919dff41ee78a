// Package ignore reads .gitignore, and answers as git does.
package ignore

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Globs is a list of patterns in the syntax of .gitignore: "*" and "?" stay
// within a path segment, "**" does not, a pattern with a "/" before its end is
// anchored to the top, one that ends in "/" means directories, "!" undoes
// what an earlier pattern said, the last pattern that matches decides.
type Globs struct{ rules []rule }

// NewGlobs reads patterns. An empty list matches nothing.
func NewGlobs(patterns []string) *Globs {
	g := &Globs{}
	for _, p := range patterns {
		g.rules = appendRule(g.rules, []byte(p))
	}
	return g
}

// Names tells whether the patterns match the path itself.
func (g *Globs) Names(path []byte, dir bool) bool { return decide(g.rules, path, dir) == ruledOut }

// Match tells whether a file, given by its slash-separated path, or one of the
// directories above it is matched.
func (g *Globs) Match(path string) bool {
	if len(g.rules) == 0 {
		return false
	}
	p := []byte(path)
	for i, c := range p {
		if c == '/' && g.Names(p[:i], true) {
			return true
		}
	}
	return g.Names(p, false)
}

// A List is the rules of one .gitignore (or exclude file) and, through
// up, those of the directories above, in the order of precedence.
type List struct {
	Dir   string // of the tree; "." is the base
	above string // for a file above the base: the base's path from there, else ""
	rules []rule
	up    *List
}

// A rule is one line of a .gitignore.
type rule struct {
	pattern  []byte
	literal  int  // bytes at the start of pattern without a special character
	negate   bool // "!": what matches is not ignored
	dirOnly  bool // "/" at the end
	nameOnly bool // no other "/": matches the last segment, at any depth
	suffix   bool // "*" and then literal text only

	expression func() (*regexp.Regexp, []byte) // of what is special, see expression; made when it is asked for
}

// verdict is what a list of rules says about a path.
type verdict byte

const (
	undecided verdict = iota
	ruledOut
	ruledIn
)

// Parse reads a .gitignore; without rules it adds nothing to up.
func Parse(data []byte, dir, above string, up *List) *List {
	l := &List{Dir: dir, above: above, up: up}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		l.rules = appendRule(l.rules, trimBlanks(line))
	}
	if len(l.rules) == 0 {
		return up
	}
	return l
}

// trimBlanks takes trailing blanks off that no backslash protects.
func trimBlanks(line []byte) []byte {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

func appendRule(rules []rule, line []byte) []rule {
	var r rule
	if len(line) > 0 && line[0] == '!' {
		r.negate, line = true, line[1:]
	}
	if len(line) > 0 && line[len(line)-1] == '/' {
		r.dirOnly, line = true, line[:len(line)-1]
	}
	if len(line) == 0 {
		return rules
	}
	r.nameOnly = bytes.IndexByte(line, '/') < 0
	if !r.nameOnly && line[0] == '/' {
		line = line[1:]
	}
	r.pattern = bytes.Clone(line)
	r.literal = literalLen(line)
	r.suffix = r.nameOnly && line[0] == '*' && literalLen(line[1:]) == len(line)-1
	special := r.pattern
	if !r.nameOnly {
		special = special[r.literal:]
	}
	r.expression = sync.OnceValues(func() (*regexp.Regexp, []byte) { return expression(special) })
	return append(rules, r)
}

// literalLen is the number of bytes before the first special character.
func literalLen(p []byte) int {
	if i := bytes.IndexAny(p, `*?[\`); i >= 0 {
		return i
	}
	return len(p)
}

// Ignored tells whether a path of the tree is ruled out. The nearest list that
// says anything decides. scratch is for building paths; it may be nil.
func (l *List) Ignored(path []byte, dir bool, scratch *[]byte) bool {
	for ; l != nil; l = l.up {
		rel := path
		switch {
		case l.above != "":
			*scratch = append(append((*scratch)[:0], l.above...), '/')
			*scratch = append(*scratch, path...)
			rel = *scratch
		case l.Dir != ".":
			rel = path[len(l.Dir)+1:]
		}
		if v := decide(l.rules, rel, dir); v != undecided {
			return v == ruledOut
		}
	}
	return false
}

// decide asks the rules, last first. path is relative to where they stand.
func decide(rules []rule, path []byte, dir bool) verdict {
	name := path[bytes.LastIndexByte(path, '/')+1:]
	for i := len(rules) - 1; i >= 0; i-- {
		r := &rules[i]
		if r.dirOnly && !dir || !r.matches(path, name) {
			continue
		}
		if r.negate {
			return ruledIn
		}
		return ruledOut
	}
	return undecided
}

func (r *rule) matches(path, name []byte) bool {
	switch {
	case r.suffix:
		return bytes.HasSuffix(name, r.pattern[1:])
	case r.literal == len(r.pattern):
		if r.nameOnly {
			return bytes.Equal(name, r.pattern)
		}
		return bytes.Equal(path, r.pattern)
	case r.nameOnly:
		return r.glob(name)
	}
	// As git does, the part after the literal start is a pattern of its own:
	// that decides whether a "**" right there represents directories.
	return bytes.HasPrefix(path, r.pattern[:r.literal]) && r.glob(path[r.literal:])
}

// glob matches a whole text against what is special of the pattern.
func (r *rule) glob(text []byte) bool {
	e, literal := r.expression()
	return e != nil && inOrder(literal, text) && e.Match(latin1(text))
}

// inOrder says whether a text has some bytes in their order. What has not, no pattern
// that needs them matches, however many stars are in between.
func inOrder(some, text []byte) bool {
	for _, c := range text {
		if len(some) > 0 && some[0] == c {
			some = some[1:]
		}
	}
	return len(some) == 0
}

// latin1 is a text with a character for each byte, as git compares bytes.
func latin1(text []byte) []byte {
	if !slices.ContainsFunc(text, func(c byte) bool { return c >= utf8.RuneSelf }) {
		return text
	}
	var b []byte
	for _, c := range text {
		b = utf8.AppendRune(b, rune(c))
	}
	return b
}

// expression is a pattern by the rules of git's wildmatch for paths; nil = it matches
// nothing. literal are its characters that every match has, in their order.
func expression(p []byte) (e *regexp.Regexp, literal []byte) {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '*':
			start := i
			for i < len(p) && p[i] == '*' {
				i++
			}
			crossing := i-start >= 2 && (start == 0 || p[start-1] == '/') // it may cross a "/"
			switch {
			case crossing && i < len(p) && p[i] == '/':
				b.WriteString(`(?:.*/)?`)
				for bytes.HasPrefix(p[i+1:], []byte("**/")) { // which says no more
					i += len("**/")
				}
				continue
			case crossing && (i == len(p) || bytes.HasPrefix(p[i:], []byte(`\/`))):
				b.WriteString(`.*`)
			default:
				b.WriteString(`[^/]*`)
			}
			i--
		case '?':
			b.WriteString(`[^/]`)
		case '[':
			set, end := class(p, i)
			if end < 0 {
				return nil, nil
			}
			b.WriteString(set)
			i = end
		case '\\':
			if i++; i == len(p) {
				return nil, nil
			}
			fallthrough
		default:
			b.WriteString(regexp.QuoteMeta(string(rune(p[i]))))
			literal = append(literal, p[i])
		}
	}
	e, err := regexp.Compile(b.String() + `\z`)
	if err != nil {
		return nil, nil // longer than any path
	}
	return e, literal
}

// class translates the class that starts at p[i], which never has a "/", and says where it
// ends (the index of its "]"), or -1 when it does not.
func class(p []byte, i int) (set string, end int) {
	var b strings.Builder
	add := func(from, to byte) {
		if from <= '/' && '/' <= to {
			if from < '/' {
				fmt.Fprintf(&b, `\x{%x}-\x{%x}`, from, '/'-1)
			}
			from = '/' + 1
		}
		if from <= to {
			fmt.Fprintf(&b, `\x{%x}-\x{%x}`, from, to)
		}
	}
	i++
	negate := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negate {
		i++
	}
	for first, previous := true, byte(0); ; first = false {
		if i >= len(p) {
			return "", -1
		}
		c := p[i]
		switch {
		case c == ']' && !first && negate:
			return `[^/` + b.String() + `]`, i
		case c == ']' && !first && b.Len() == 0:
			return `[^\x00-\x{10ffff}]`, i
		case c == ']' && !first:
			return `[` + b.String() + `]`, i
		case c == '\\':
			if i++; i >= len(p) {
				return "", -1
			}
			add(p[i], p[i])
			previous = p[i]
		case c == '-' && previous != 0 && i+1 < len(p) && p[i+1] != ']':
			if i++; p[i] == '\\' {
				if i++; i >= len(p) {
					return "", -1
				}
			}
			add(previous, p[i])
			previous = 0
		case c == '[' && i+1 < len(p) && p[i+1] == ':':
			name, after, ok := className(p, i)
			if !ok {
				add('[', '[')
				previous = '['
				break
			}
			if classes[name] == "" {
				return "", -1
			}
			b.WriteString(classes[name])
			i, previous = after, 0
		default:
			add(c, c)
			previous = c
		}
		i++
	}
}

// className reads "[:name:]" at p[i]; after is the index of its "]".
func className(p []byte, i int) (name string, after int, ok bool) {
	n := bytes.IndexByte(p[i+2:], ']')
	if n < 0 {
		return "", len(p), true // not closed: an unknown class, no match
	}
	after = i + 2 + n
	if n < 1 || p[after-1] != ':' {
		return "", i, false
	}
	return string(p[i+2 : after-1]), after, true
}

// classes are the POSIX character classes, for bytes, without "/".
var classes = map[string]string{
	"alnum": `[:alnum:]`, "alpha": `[:alpha:]`, "blank": `[:blank:]`, "cntrl": `[:cntrl:]`, "digit": `[:digit:]`, "graph": `!-.0-~`,
	"lower": `[:lower:]`, "print": ` -.0-~`, "punct": `!-.:-@\[-\x60{-~`, "space": `[:space:]`, "upper": `[:upper:]`, "xdigit": `[:xdigit:]`,
}
