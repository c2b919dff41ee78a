package find

import (
	"bytes"
	"path"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A Constant is a name by which the rest of a file, or of a tree, says a group: a
// constant or variable of source, of a shell or of a template, a value of a chart.
type Constant struct {
	Name string      // GROUP, $group of a template, .Values.api.group of a chart
	At   source.Span // of the group
}

// Shared says whether other files than its own may use it: those of a template and
// those that begin with a small letter are local.
func (c Constant) Shared() bool {
	return strings.HasPrefix(c.Name, valuesOf) || c.Name[0] >= 'A' && c.Name[0] <= 'Z'
}

// valuesOf begins the name of a value of a chart.
const valuesOf = ".Values."

var (
	// constantBefore is what stands before a value that a name is given: (1) the line
	// before the name, (2) the name, (3) the sign.
	constantBefore = lazyregexp.New(`^([^"'\x60(),=:]*?)(\$?[A-Za-z_]\w*)["']?(?:\s*:\s*&?[\w<>\[\]' ]+?)?\s*(:=|\?=|=|:)\s*(?:["'\x60]?\$\{\w+:?-)?["'\x60]?$`)
	// constantBehind is what stands behind it; a version may stand between.
	constantBehind = lazyregexp.New(`^(?:/v\d+(?:(?:alpha|beta)\d+)?)?\}?["'\x60]?\)?\s*([,;)}]|-?\}\}|(?:#|/[/*]).*)?\s*$`)
	upperCase      = lazyregexp.New(`^[A-Z][A-Z0-9_]*$`)
	valuesFile     = lazyregexp.New(`^values[\w.-]*\.ya?ml$`)
)

// Constants are the names that a file, data, gives a group.
func Constants(file string, data []byte, group string) []Constant {
	var list []Constant
	values := valuesFile.MatchString(path.Base(file))
	for at := 0; ; {
		n := bytes.Index(data[at:], []byte(group))
		if n < 0 {
			return list
		}
		span := source.Span{Start: at + n, End: at + n + len(group)}
		at = span.End
		line := text.LineAround(data, span)
		before := data[line.Start:span.Start]
		if !values && bytes.IndexByte(before, '=') < 0 && bytes.IndexByte(before, '$') < 0 && !endsUpper(before) {
			continue // a field, at most
		}
		m := constantBefore.FindSubmatch(before)
		if m == nil {
			continue
		}
		name, sign := string(m[2]), string(m[3])
		if sign == ":" && !upperCase.MatchString(name) && !values {
			continue // a field
		}
		behind := constantBehind.FindSubmatch(data[span.End:line.End])
		if behind == nil {
			continue
		}
		switch {
		case sign == ":" && values:
			name = valuesOf + strings.Join(append(keysAbove(data, line.Start, len(m[1])), name), ".")
		case string(behind[1]) == "," && !upperCase.MatchString(name):
			continue // an argument
		}
		list = append(list, Constant{Name: name, At: span})
	}
}

// endsUpper says whether the name before the first colon of a text may be in upper case.
func endsUpper(before []byte) bool {
	name := bytes.TrimRight(before[:max(0, bytes.IndexByte(before, ':'))], " \t\"'")
	return len(name) > 0 && (name[len(name)-1] < 'a' || name[len(name)-1] > 'z')
}

// keysAbove are the keys of the mappings around a line of YAML whose key is indented
// by some bytes, the outermost first.
func keysAbove(data []byte, at, indent int) []string {
	var keys []string
	for at > 0 && indent > 0 {
		start := text.LineStart(data, at-1)
		line := string(data[start : at-1])
		at = start
		key := strings.TrimLeft(line, " ")
		if key == "" || key[0] == '#' || len(line)-len(key) >= indent {
			continue
		}
		indent = len(line) - len(key)
		name, _, ok := strings.Cut(key, ":")
		if !ok {
			return nil
		}
		keys = append([]string{name}, keys...)
	}
	return keys
}

// derived is a name that is given what is made of another one: (1) the name, (2) that.
var derived = lazyregexp.New(`(?m)(?:^|;|\{[ \t]*let\b)[^"'\x60(),=:\n;]*?(\$?[A-Za-z_]\w*)(?:[ \t]*:[ \t]*&?[\w<>\[\]' ]+?)?[ \t]*(?:\?=|:=|=)[ \t]*([^\s=;][^\n;]*)`)

// plainMade is what a group alone, or with a version, is made of: names, and strings
// of nothing but signs and a version; callMade is a call that makes one of such.
var (
	plainMade = lazyregexp.New(`^(?:[\w.$(){}+|%\s-]|[fr]?["'\x60][\w./$(){}%#]*["'\x60])*$`)
	callMade  = lazyregexp.New(`^[\w.:&]*(?i:format|concat\w*|join|printf)!?\((?:[\w.:&\s,]|["'\x60][\w./{}%]*["'\x60])*\)[\w.()]*\s*$`)
)

// Derived are names of a file that are given what is made of another one of a list,
// and of nothing else, each with that.
func Derived(data []byte, known func(name string) bool) map[string]string {
	list := map[string]string{}
	for _, m := range derived.FindAllSubmatch(data, -1) {
		if len(m[2]) > text.Nearby || !plainMade.Match(m[2]) && !callMade.Match(m[2]) {
			continue
		}
		EachName(m[2], func(name string, _ source.Span) {
			if known(name) && name != string(m[1]) {
				list[string(m[1])] = name
			}
		})
	}
	return list
}

// EachName calls for each name in text: an identifier, one with a $ before it, or a
// value of a chart.
func EachName(data []byte, tell func(name string, at source.Span)) {
	for i := 0; i < len(data); {
		switch c := data[i]; {
		case c == '.' && bytes.HasPrefix(data[i:], []byte(valuesOf)):
			end := i + 1
			for end < len(data) && (text.IsIdent(data[end]) || data[end] == '.') {
				end++
			}
			tell(string(data[i:end]), source.Span{Start: i, End: end})
			i = end
		case text.IsIdent(c):
			end := i
			for end < len(data) && text.IsIdent(data[end]) {
				end++
			}
			tell(string(data[i:end]), source.Span{Start: i, End: end})
			if i > 0 && data[i-1] == '$' {
				tell(string(data[i-1:end]), source.Span{Start: i - 1, End: end})
			}
			i = end
		default:
			i++
		}
	}
}
