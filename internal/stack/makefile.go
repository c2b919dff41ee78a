package stack

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A MakeVar is an assignment of a variable in a Makefile.
type MakeVar struct {
	span source.Span // of the value, without the comment and the blanks around it
	Text string
	Line int
}

// A Makefile is the variables of one, and what they expand to.
type Makefile struct {
	path  string
	vars  map[string][]MakeVar // all assignments, in their order: which counts may depend on conditions
	known map[string]string    // values that were expanded; what is being expanded is its own reference
	spent int                  // bytes of known

	includes []string // what its include directives name
}

// Real values are names, versions and lists of files. The bounds leave room for
// a thousand times of that, and stop a value that doubles with each line.
const (
	maxMakeValue = 64 << 10 // bytes that a variable may expand to
	maxMakeTotal = 16 << 20 // bytes that all of them may
	maxMakeDepth = 200      // variables within each other
)

// ParseMakefile reads the variables of a Makefile, those of single targets too.
// Recipes and comments, which may go on in the next line, have none. The path is
// for errors.
func ParseMakefile(path string, data []byte) *Makefile {
	m := &Makefile{path: path, vars: map[string][]MakeVar{}, known: map[string]string{}}
	at := positionsOf(data)
	recipe := false
	for start := 0; start < len(data); {
		end := logicalEnd(data, start)
		line := source.Span{Start: start, End: end}
		text := line.Of(data)
		start = end
		if recipe && text[0] == '\t' {
			continue
		}
		if found := makeInclude.FindSubmatch(text); found != nil {
			words, _, _ := strings.Cut(string(found[1]), "#")
			m.includes = append(m.includes, strings.Fields(strings.ReplaceAll(words, "\\\n", " "))...)
		} else if found := makeVar.FindSubmatchIndex(text); found != nil {
			value := source.Span{Start: line.Start + found[4], End: line.Start + found[5]}
			if i := bytes.IndexByte(value.Of(data), '#'); i >= 0 {
				value.End = value.Start + i
			}
			m.assign(data, at, source.Span{Start: line.Start + found[2], End: line.Start + found[3]}, value)
			recipe = false
		} else if makeRule.Match(text) {
			recipe = true
		}
	}
	return m
}

// assign adds an assignment.
func (m *Makefile) assign(data []byte, at positions, name, value source.Span) {
	text := bytes.TrimRight(value.Of(data), " \t\r\n\\")
	value.End = value.Start + len(text)
	value.Start += len(text) - len(bytes.TrimLeft(text, " \t\r\n\\"))
	words := string(value.Of(data))
	if strings.Contains(words, "\n") {
		words = strings.Join(strings.Fields(strings.ReplaceAll(words, `\`, " ")), " ")
	}
	key := string(name.Of(data))
	m.vars[key] = append(m.vars[key], MakeVar{span: value, Text: words, Line: at.of(value.Start).Line})
}

// logicalEnd is where the line at an offset ends, with those that a backslash
// adds to it.
func logicalEnd(data []byte, at int) int {
	for {
		end := nextLine(data, at)
		text := bytes.TrimRight(data[at:end], "\r\n")
		if slashes := len(text) - len(bytes.TrimRight(text, `\`)); slashes%2 == 0 || end == len(data) {
			return end
		}
		at = end
	}
}

var (
	makeVar     = lazyregexp.New(`(?s)^[ \t]*(?:[^\s#=:][^#=:]*::?[ \t]*)?(?:(?:export|override|private)[ \t]+)*([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*(?:[?+!]|:{1,3})?=[ \t]*(.*)$`)
	makeInclude = lazyregexp.New(`(?s)^[ \t]*[-s]?include[ \t]+(.*)`)
	makeRule    = lazyregexp.New(`^[^\s#][^#=]*:`)
	makeRef     = lazyregexp.New(`\$(?:\(([A-Za-z_][A-Za-z0-9_.-]*)\)|\{([A-Za-z_][A-Za-z0-9_.-]*)\})`)
)

// Names lists the variables, sorted.
func (m *Makefile) Names() []string { return slices.Sorted(maps.Keys(m.vars)) }

// Var is the first assignment of a variable, and whether there is one.
func (m *Makefile) Var(name string) (MakeVar, bool) {
	if list := m.vars[name]; len(list) > 0 {
		return list[0], true
	}
	return MakeVar{}, false
}

// Value is what a variable expands to: $(X) and ${X} replaced by the Makefile's
// own values. A variable that the Makefile does not set, and one that needs
// itself, stays as written; a variable that is not set is empty. A value that
// grows beyond every real one is a *source.Error at the variable.
func (m *Makefile) Value(name string) (string, error) {
	if _, ok := m.vars[name]; !ok {
		return "", nil
	}
	return m.value(name, 0)
}

func (m *Makefile) value(name string, depth int) (string, error) {
	if text, ok := m.known[name]; ok {
		return text, nil
	}
	v, _ := m.Var(name)
	if depth > maxMakeDepth {
		return "", m.tooMuch(name, "is more than %d variables within each other", maxMakeDepth)
	}
	m.known[name] = "$(" + name + ")" // for those that need it on the way
	text, err := m.expand(name, v.Text, depth)
	if err != nil {
		delete(m.known, name)
		return "", err
	}
	if m.spent += len(text); m.spent > maxMakeTotal {
		return "", m.tooMuch(name, "and the variables before it expand to more than %d MiB", maxMakeTotal>>20)
	}
	m.known[name] = text
	return text, nil
}

// expand replaces the references in the text of a variable.
func (m *Makefile) expand(name, text string, depth int) (string, error) {
	var out strings.Builder
	done := 0
	for _, ref := range makeRef.Get().FindAllStringIndex(text, -1) {
		inner := text[ref[0]+2 : ref[1]-1]
		if _, ok := m.vars[inner]; !ok {
			continue
		}
		value, err := m.value(inner, depth+1)
		if err != nil {
			return "", err
		}
		out.WriteString(text[done:ref[0]])
		out.WriteString(value)
		done = ref[1]
		if out.Len() > maxMakeValue {
			return "", m.tooMuch(name, "expands to more than %d KiB", maxMakeValue>>10)
		}
	}
	out.WriteString(text[done:])
	return out.String(), nil
}

// tooMuch is the error of a variable that grows beyond a bound.
func (m *Makefile) tooMuch(name, format string, args ...any) error {
	v, _ := m.Var(name)
	return &source.Error{Path: m.path, Pos: source.Position{Line: v.Line}, Err: fmt.Errorf("variable "+name+" "+format, args...)}
}

// An Assigned is one assignment of the variable of a place, as make expands it.
type Assigned struct {
	MakeVar
	Path, Value string
}

// Assigned are the assignments of the variable of a place of kind make-var.
func (p *Place) Assigned(tree fs.FS) ([]Assigned, error) {
	paths, err := p.paths(tree)
	if err != nil {
		return nil, err
	}
	var list []Assigned
	for _, path := range paths {
		f, err := fileOf(tree, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		m := f.makefile()
		for _, v := range m.vars[p.Key] {
			value, err := m.expand(p.Key, v.Text, 0)
			if err != nil {
				return nil, err
			}
			list = append(list, Assigned{v, path, value})
		}
	}
	return list, nil
}
