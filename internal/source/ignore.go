package source

import (
	"bytes"
	"strings"
)

// Globs is a list of patterns in the syntax of .gitignore: "*" and "?" stay
// within a path segment, "**" does not, a pattern with a "/" before its end is
// anchored to the top, one that ends in "/" means directories, "!" undoes
// what an earlier pattern said, the last pattern that matches decides.
type Globs struct{ rules []ignoreRule }

// NewGlobs reads patterns. An empty list matches nothing.
func NewGlobs(patterns []string) *Globs {
	g := &Globs{}
	for _, p := range patterns {
		g.rules = appendRule(g.rules, []byte(p))
	}
	return g
}

// Match tells whether a file, given by its slash-separated path, or one of the
// directories above it is matched.
func (g *Globs) Match(path string) bool {
	if len(g.rules) == 0 {
		return false
	}
	p := []byte(path)
	for i, c := range p {
		if c == '/' && decide(g.rules, p[:i], true) == ruledOut {
			return true
		}
	}
	return decide(g.rules, p, false) == ruledOut
}

// An ignoreList is the rules of one .gitignore (or exclude file) and, through
// up, those of the directories above, in the order of precedence.
type ignoreList struct {
	dir   string // of the tree; "." is the base
	above string // for a file above the base: the base's path from there, else ""
	rules []ignoreRule
	up    *ignoreList
}

// An ignoreRule is one line of a .gitignore.
type ignoreRule struct {
	pattern  []byte
	literal  int  // bytes at the start of pattern without a special character
	negate   bool // "!": what matches is not ignored
	dirOnly  bool // "/" at the end
	nameOnly bool // no other "/": matches the last segment, at any depth
	suffix   bool // "*" and then literal text only
}

// verdict is what a list of rules says about a path.
type verdict byte

const (
	undecided verdict = iota
	ruledOut
	ruledIn
)

// parseIgnore reads a .gitignore; without rules it adds nothing to up.
func parseIgnore(data []byte, dir, above string, up *ignoreList) *ignoreList {
	l := &ignoreList{dir: dir, above: above, up: up}
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

func appendRule(rules []ignoreRule, line []byte) []ignoreRule {
	var r ignoreRule
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
	return append(rules, r)
}

// literalLen is the number of bytes before the first special character.
func literalLen(p []byte) int {
	if i := bytes.IndexAny(p, `*?[\`); i >= 0 {
		return i
	}
	return len(p)
}

// ignored tells whether a path of the tree is ruled out. The nearest list that
// says anything decides. scratch is for building paths; it may be nil.
func (l *ignoreList) ignored(path []byte, dir bool, scratch *[]byte) bool {
	for ; l != nil; l = l.up {
		rel := path
		switch {
		case l.above != "":
			*scratch = append(append((*scratch)[:0], l.above...), '/')
			*scratch = append(*scratch, path...)
			rel = *scratch
		case l.dir != ".":
			rel = path[len(l.dir)+1:]
		}
		if v := decide(l.rules, rel, dir); v != undecided {
			return v == ruledOut
		}
	}
	return false
}

// decide asks the rules, last first. path is relative to where they stand.
func decide(rules []ignoreRule, path []byte, dir bool) verdict {
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

func (r *ignoreRule) matches(path, name []byte) bool {
	switch {
	case r.suffix:
		return bytes.HasSuffix(name, r.pattern[1:])
	case r.literal == len(r.pattern):
		if r.nameOnly {
			return bytes.Equal(name, r.pattern)
		}
		return bytes.Equal(path, r.pattern)
	case r.nameOnly:
		return glob(r.pattern, name, newTried(r.pattern)) == matched
	}
	// As git does, the part after the literal start is a pattern of its own:
	// that decides whether a "**" right there represents directories.
	return bytes.HasPrefix(path, r.pattern[:r.literal]) &&
		glob(r.pattern[r.literal:], path[r.literal:], newTried(r.pattern)) == matched
}

// outcome is what glob found. The two that abandon keep the search short: they
// tell the stars to the left that no longer stretch would help.
type outcome byte

const (
	differs outcome = iota
	matched
	abandon         // the text is used up
	abandonToStars2 // only a "**" could go on: a "/" is in the way
)

// glob matches a whole text against a pattern with the rules of git's
// wildmatch for paths.
func glob(p, text []byte, t tried) outcome {
	for i, j := 0, 0; ; i, j = i+1, j+1 {
		if i == len(p) {
			if j == len(text) {
				return matched
			}
			return differs
		}
		if j == len(text) && p[i] != '*' {
			return abandon
		}
		switch p[i] {
		case '*':
			return t.globStar(p, i, text[j:])
		case '?':
			if text[j] == '/' {
				return differs
			}
		case '[':
			in, end := globClass(p, i, text[j])
			if end < 0 {
				return abandon
			}
			if !in || text[j] == '/' {
				return differs
			}
			i = end
		case '\\':
			if i++; i == len(p) || p[i] != text[j] {
				return differs
			}
		default:
			if p[i] != text[j] {
				return differs
			}
		}
	}
}

// tried is what stars found, by the lengths of the pattern and the text from there: many
// stars meet the same rests of both again and again. It is nil for patterns of few.
type tried map[[2]int]outcome

const fewStars = 5

func newTried(pattern []byte) tried {
	if bytes.Count(pattern, []byte("*")) <= fewStars {
		return nil
	}
	return tried{}
}

// globStar matches text against p from the star at p[i].
func (t tried) globStar(p []byte, i int, text []byte) outcome {
	if t == nil {
		return t.star(p, i, text)
	}
	at := [2]int{len(p) - i, len(text)}
	got, known := t[at]
	if !known {
		got = t.star(p, i, text)
		t[at] = got
	}
	return got
}

func (t tried) star(p []byte, i int, text []byte) outcome {
	start := i
	for i < len(p) && p[i] == '*' {
		i++
	}
	crossing := false // may the star cross a "/"?
	if i-start >= 2 && (start == 0 || p[start-1] == '/') && (i == len(p) || p[i] == '/' || bytes.HasPrefix(p[i:], []byte(`\/`))) {
		crossing = true
		if i < len(p) && p[i] == '/' && glob(p[i+1:], text, t) == matched {
			return matched
		}
	}
	rest := p[i:]
	slash := bytes.IndexByte(text, '/')
	if len(rest) == 0 {
		if !crossing && slash >= 0 {
			return abandonToStars2
		}
		return matched
	}
	if !crossing && rest[0] == '/' {
		if slash < 0 {
			return abandon
		}
		return glob(rest, text[slash:], t)
	}
	for j := range text {
		switch got := glob(rest, text[j:], t); {
		case got == differs:
			if !crossing && text[j] == '/' {
				return abandonToStars2
			}
		case !crossing || got != abandonToStars2:
			return got
		}
	}
	return abandon
}

// globClass tells whether c is in the class that starts at p[i], and where the
// class ends (the index of its "]"), or -1 when it does not.
func globClass(p []byte, i int, c byte) (in bool, end int) {
	i++
	negate := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negate {
		i++
	}
	for first, previous := true, byte(0); ; first = false {
		if i >= len(p) {
			return false, -1
		}
		b := p[i]
		switch {
		case b == ']' && !first:
			return in != negate, i
		case b == '\\':
			if i++; i >= len(p) {
				return false, -1
			}
			in = in || c == p[i]
			previous = p[i]
		case b == '-' && previous != 0 && i+1 < len(p) && p[i+1] != ']':
			if i++; p[i] == '\\' {
				if i++; i >= len(p) {
					return false, -1
				}
			}
			in = in || previous <= c && c <= p[i]
			previous = 0
		case b == '[' && i+1 < len(p) && p[i+1] == ':':
			name, after, ok := className(p, i)
			if !ok {
				in = in || c == '['
				previous = '['
				break
			}
			is, known := classes[name]
			if !known {
				return false, -1
			}
			in = in || is(c)
			i, previous = after, 0
		default:
			in = in || c == b
			previous = b
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

// classes are the POSIX character classes, for bytes.
var classes = map[string]func(byte) bool{
	"alnum":  func(c byte) bool { return isAlpha(c) || isDigit(c) },
	"alpha":  isAlpha,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < 0x20 || c == 0x7f },
	"digit":  isDigit,
	"graph":  func(c byte) bool { return c > 0x20 && c < 0x7f },
	"lower":  func(c byte) bool { return 'a' <= c && c <= 'z' },
	"print":  func(c byte) bool { return c >= 0x20 && c < 0x7f },
	"punct":  func(c byte) bool { return c > 0x20 && c < 0x7f && !isAlpha(c) && !isDigit(c) },
	"space":  func(c byte) bool { return strings.IndexByte(" \t\n\v\f\r", c) >= 0 },
	"upper":  func(c byte) bool { return 'A' <= c && c <= 'Z' },
	"xdigit": func(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' },
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
