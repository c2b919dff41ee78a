package stack

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A MakeVar is the first assignment of a variable in a Makefile.
type MakeVar struct {
	span source.Span // of the value, without the comment and the blanks around it
	Text string
	Line int
}

// A Makefile is the variables of one, and what they expand to.
type Makefile struct {
	path  string
	vars  map[string]MakeVar
	known map[string]string // values that were expanded; what is being expanded is its own reference
	spent int               // bytes of known
}

// Real values are names, versions and lists of files. The bounds leave room for
// a thousand times of that, and stop a value that doubles with each line.
const (
	maxMakeValue = 64 << 10 // bytes that a variable may expand to
	maxMakeTotal = 16 << 20 // bytes that all of them may
	maxMakeDepth = 200      // variables within each other
)

// ParseMakefile reads the variables of a Makefile: of each name the first line
// NAME ?= value, NAME := value or NAME = value. Blanks (no tab) before the
// name are allowed; a comment is cut off. The path is for errors.
func ParseMakefile(path string, data []byte) *Makefile {
	m := &Makefile{path: path, vars: map[string]MakeVar{}, known: map[string]string{}}
	at := positionsOf(data)
	for _, found := range makeVar.FindAllSubmatchIndex(data, -1) {
		name := string(data[found[2]:found[3]])
		if _, ok := m.vars[name]; ok {
			continue
		}
		span := source.Span{Start: found[4], End: found[5]}
		if i := bytes.IndexByte(span.Of(data), '#'); i >= 0 {
			span.End = span.Start + i
		}
		span = trimmed(data, span)
		m.vars[name] = MakeVar{span: span, Text: string(span.Of(data)), Line: at.of(found[2]).Line}
	}
	return m
}

var (
	makeVar = lazyregexp.New(`(?m)^ *(?:(?:export|override|private) +)*([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*(?:\?|::?)?=[ \t]*([^\r\n]*)`)
	makeRef = lazyregexp.New(`\$(?:\(([A-Za-z_][A-Za-z0-9_.-]*)\)|\{([A-Za-z_][A-Za-z0-9_.-]*)\})`)
)

// Names lists the variables, sorted.
func (m *Makefile) Names() []string { return slices.Sorted(maps.Keys(m.vars)) }

// Var is the first assignment of a variable, and whether there is one.
func (m *Makefile) Var(name string) (MakeVar, bool) {
	v, ok := m.vars[name]
	return v, ok
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
	v := m.vars[name]
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
	for _, ref := range makeRef.FindAllStringIndex(text, -1) {
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
	return &source.Error{Path: m.path, Pos: source.Position{Line: m.vars[name].Line}, Err: fmt.Errorf("variable "+name+" "+format, args...)}
}
