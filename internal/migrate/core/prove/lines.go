package prove

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// lines checks a text line by line. Of one whose values are compared and that has more or
// fewer of them after, only the comments are. The objects of a text that was not decoded are
// those of an outline.
func (f *proof) lines(before, after string, at source.Position, o *outline) error {
	if strings.HasSuffix(before, "\n") != strings.HasSuffix(after, "\n") {
		return f.fault(at, "the end of the last line changes")
	}
	b, a := strings.Split(before, "\n"), strings.Split(after, "\n")
	if o == nil && f.moves {
		return f.comments(b, a, at)
	}
	line := func(i int) source.Position { return source.Position{Line: at.Line + i, Column: 1} }
	from, i, j, err := align(f, b, a, ofLines, func(g *proof, old, fresh string) error {
		if !g.line(old, fresh) {
			return errNoPair
		}
		return (&grantProof{g, maxDepth}).marked(old, fresh, at)
	}, equal)
	if err != nil {
		old, fresh := append(b, "")[i], append(a, "")[j]
		if i < len(b) && j < len(a) && f.line(old, fresh) {
			return (&grantProof{f, maxDepth}).marked(old, fresh, line(i))
		}
		n, _ := f.permits(old, fresh)
		return f.fault(source.Position{Line: at.Line + i, Column: len([]rune(old[:n])) + 1}, "no rule makes %s of %s", excerpt(fresh, n), excerpt(old, n))
	}
	for j, i := range from {
		if o != nil && i >= 0 {
			if err := o.line(f, b[i], a[j], line(i)); err != nil {
				return err
			}
		}
	}
	if o == nil {
		return nil
	}
	return o.close(f, 0)
}

// comments checks the comments in lines of YAML, wherever they are after.
func (f *proof) comments(before, after []string, at source.Position) error {
	b, a := commentsOf(before), commentsOf(after)
	for i, x := range b {
		if !slices.Contains(a, x) && (f.opts.Dual || !slices.ContainsFunc(a, func(y string) bool { return f.becomes(x, y) })) {
			return f.fault(source.Position{Line: at.Line + i, Column: 1}, "no rule makes a comment of %s", excerpt(x, 0))
		}
	}
	g := f.replacing()
	for _, y := range a {
		if !slices.Contains(b, y) && !slices.ContainsFunc(b, func(x string) bool { return g.becomes(x, y) }) {
			return f.fault(at, "no rule makes %s of a comment", excerpt(y, 0))
		}
	}
	return nil
}

func (l *lexicon) becomes(old, fresh string) bool {
	_, ok := l.permits(old, fresh)
	return ok
}

// commentsOf are those of lines, "" for none.
func commentsOf(lines []string) []string {
	list := make([]string, len(lines))
	for i, l := range lines {
		if list[i] = strings.TrimSpace(l); !strings.HasPrefix(list[i], "#") {
			_, list[i], _ = strings.Cut(l, " #")
		}
	}
	return list
}

// line checks one line, to whose lists names may be added, or which may lose some.
func (f *proof) line(old, fresh string) bool {
	if _, ok := f.permits(old, fresh); ok || len(old) > maxListLine {
		return ok
	}
	b, a := wordsOf(old), wordsOf(fresh)
	if len(b) == len(a) && !f.isItem(old) {
		return false
	}
	_, _, _, err := align(f, b, a, ofWords, func(g *proof, x, y string) error {
		if !g.becomes(x, y) && !(f.isName(unquoted(x)) && g.becomes(unquoted(x), unquoted(y))) {
			return errNoPair
		}
		return nil
	}, equal)
	return err == nil
}

// wordsOf are the items of the lists in a line, and what is between the lists.
func wordsOf(line string) []string {
	return strings.FieldsFunc(listMarks.Replace(line), func(r rune) bool { return r == ',' || r == ';' })
}

var listMarks = strings.NewReplacer(", ", ",", "- ", ",- ,", "[", ",[,", "]", ",],", "{", ",{,", "}", ",},", "=", ",=,", " #", ", #,")

// unquoted is a word without its quotes, which may be escaped.
func unquoted(word string) string {
	word = strings.TrimSpace(word)
	if m := quoted.FindStringSubmatch(word); m != nil && m[1] == m[3] {
		return m[2]
	}
	return word
}

var quoted = lazyregexp.New("^(\\\\*[\"'`])(.*?)(\\\\*[\"'`])$")

// maxListLine is how long a line may be of which lists are compared.
const maxListLine = 1 << 16

// marked checks the rule of permissions in a marker.
func (f *grantProof) marked(old, fresh string, at source.Position) error {
	if old != fresh && strings.Contains(old, "resources=") {
		if b, a := marker(old, at), marker(fresh, at); b != nil && a != nil {
			return f.lists(b, a)
		}
	}
	return nil
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
	n, depth := &node{Kind: yaml.MappingNode, Line: at.Line, Column: at.Column}, 0
	for _, field := range strings.FieldsFunc(strings.TrimSpace(line[i+1:]), func(c rune) bool { // commas that are not in braces
		depth += strings.Count(string(c), "{") - strings.Count(string(c), "}")
		return c == ',' && depth == 0
	}) {
		k, v, _ := strings.Cut(field, "=")
		val := &node{Kind: yaml.SequenceNode}
		for _, x := range strings.FieldsFunc(v, func(c rune) bool { return strings.ContainsRune(";{},", c) }) {
			val.Content = append(val.Content, scalar(strings.Trim(x, "\"`"), at))
		}
		if len(val.Content) == 0 {
			val.Content = []*node{scalar("", at)}
		}
		n.Content = append(n.Content, scalar(strings.TrimSpace(k), at), val)
	}
	if !isGrant(n) {
		return nil
	}
	return &node{Kind: yaml.SequenceNode, Content: []*node{n}, Line: at.Line, Column: at.Column}
}

func scalar(s string, at source.Position) *node {
	return &node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Line: at.Line, Column: at.Column}
}

// An outline collects the objects of a text that does not parse: fields with
// the same indentation, as far as nothing less indented is between them.
type outline struct {
	open []outlined
}

type outlined struct {
	indent        int
	before, after object
	changed       bool
	pos           source.Position
}

// line takes in a line before and after.
func (o *outline) line(f *proof, old, fresh string, at source.Position) error {
	t := strings.TrimSpace(old)
	if t == "" {
		return nil
	}
	indent, item, key, value := field(old)
	end := indent // a line of something else ends what is as much indented
	switch {
	case strings.HasPrefix(old, "---"): // the next document
		end = 0
	case key != "" && !item, key == "" && strings.ContainsAny(t[:1], "#/-*{["):
		end++
	}
	if err := o.close(f, end); err != nil || key == "" {
		return err
	}
	if n := len(o.open); n == 0 || o.open[n-1].indent < indent {
		o.open = append(o.open, outlined{indent: indent, pos: at})
	}
	x := &o.open[len(o.open)-1]
	x.before.take(key, value)
	if _, _, key, value := field(fresh); key != "" {
		x.after.take(key, value)
	}
	if old != fresh && !x.changed {
		x.changed, x.pos = true, at
	}
	return nil
}

// close checks the objects that are indented at least so much.
func (o *outline) close(f *proof, indent int) error {
	for n := len(o.open); n > 0 && o.open[n-1].indent >= indent; n-- {
		x := o.open[n-1]
		o.open = o.open[:n-1]
		if err := f.whole(x.before, x.after, x.pos); x.changed && err != nil {
			return err
		}
	}
	return nil
}

// field reads a line that is a key with a value: "- key: value", `"key": "value",`,
// key = 'value', and not "key:word". Of any other line the key is empty.
func field(line string) (indent int, item bool, key, value string) {
	s := strings.TrimLeft(line, " \t")
	indent = len(line) - len(s)
	if t, is := strings.CutPrefix(s, "- "); is {
		s = strings.TrimLeft(t, " ")
		item, indent = true, indent+len(t)-len(s)+2
	}
	s = strings.TrimLeft(s, "\"'")
	key = s[:run(s)]
	s = strings.TrimLeft(s[len(key):], "\"' ")
	if key == "" || s == "" || s[0] != ':' && s[0] != '=' || s[0] == ':' && run(s[1:]) > 0 {
		return indent, item, "", ""
	}
	value, _, _ = strings.Cut(strings.TrimSpace(strings.TrimLeft(s, ":=")), " #")
	value = strings.TrimSuffix(strings.Trim(value, "\"',; \r"), `\n`) // a line of a string
	return indent, item, key, strings.Trim(value, "\"',; \r")
}

// isListed says whether a character is one of a name in a list: of a resource, of
// a file.
func isListed(c rune) bool {
	return c < 128 && (isLabel(byte(c)) || strings.ContainsRune(".-_/", c))
}
