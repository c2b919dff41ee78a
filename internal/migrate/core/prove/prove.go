// Package prove checks the result of a migration. It decodes a file before and
// after with the parsers of others, and asks the rules about each difference.
// It knows nothing of how the result was made: it shares no code with the
// packages that find references and decide about them.
package prove

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Options are what a migration was asked to do.
type Options struct {
	Dual    bool                              // serve the old and the new group side by side
	Plurals func(group, kind string) []string // the plural and the singular that the tree defines; nil: it defines none
}

// plurals are the usual names of the resource of a kind, and those that the tree defines, without the singular.
func (o Options) plurals(group, kind string) []string {
	list := rules.Plurals(kind)
	if o.Plurals != nil {
		list = append(list, o.Plurals(group, kind)...)
	}
	return slices.DeleteFunc(list, func(name string) bool { return name == strings.ToLower(kind) })
}

// A Prover checks results against one table of rules. It is safe for
// concurrent use.
type Prover struct {
	table *rules.Table
	opts  Options
	names vocabulary
}

// New makes the Prover of a table.
func New(t *rules.Table, o Options) *Prover {
	return &Prover{table: t, opts: o, names: vocabularyOf(t, o)}
}

// File checks one file, which is at path before and at to after. It returns nil
// when every difference is one that the rules make, else a *source.Error at the
// first difference that is not.
func (p *Prover) File(path, to string, before, after []byte) error {
	f := &proof{lexicon: lexicon{p, map[rules.GVK][]rules.GVK{}}, path: path}
	if _, ok := f.permits(path, to); !ok {
		return f.fault(source.Position{}, "the rules do not rename this file to %q", to)
	}
	b, a := string(before), string(after)
	if b == a {
		return nil
	}
	return f.text(language(path), b, a, source.Position{Line: 1, Column: 1}, 0)
}

// maxDepth is how deep documents are that are in strings of documents.
const maxDepth = 6

// A proof is the check of one file.
type proof struct {
	lexicon
	path   string
	within *source.Position // of the string that is checked as a document of its own
	shaped bool             // an object of the text changes its shape
	moves  bool             // a list or stream of the text has more or fewer items after
}

// fault is an error at a position. All of a document in a string is reported at
// the string.
func (f *proof) fault(at source.Position, format string, args ...any) error {
	if f.within != nil {
		at = *f.within
	}
	return &source.Error{Path: f.path, Pos: at, Err: fmt.Errorf(format, args...)}
}

// language is what a file is written in, by its name.
func language(name string) string {
	switch path.Ext(name) {
	case ".go":
		return "go"
	case ".json", ".ipynb":
		return "json"
	case ".yaml", ".yml":
		return "yaml"
	}
	if path.Base(name) == "PROJECT" {
		return "yaml"
	}
	return ""
}

// text checks a text in a language: its values and its lines. One that does not parse
// before is checked by its lines.
func (f *proof) text(lang, before, after string, at source.Position, depth int) error {
	if lang == "go" {
		return f.goFile(before, after, at, depth)
	}
	if lang == "" && f.table.Converts() {
		return f.withObjects(before, after, at, depth)
	}
	if lang == "" {
		return f.lines(before, after, at, &outline{})
	}
	is := after
	b, err := decode(lang, before)
	if err != nil && lang == "yaml" && strings.Count(before, "\n") != strings.Count(after, "\n") && actionsOf(before) == actionsOf(after) {
		is = withoutActions(after)
		b, err = decode(lang, withoutActions(before))
	}
	if err != nil && !(lang == "json" && isJSON(before) && !isJSON(after)) { // with escapes that are none of YAML
		return f.lines(before, after, at, &outline{})
	}
	a, err := decode(lang, is)
	if err != nil {
		return f.fault(at, "the file parsed as %s before and does not parse after: %v", lang, err)
	}
	f.shaped, f.moves = false, isProject(f.path)
	if err := f.documents(b, a, depth); err != nil || f.shaped {
		return err
	}
	return f.lines(before, after, at, nil)
}

// action is an action of a template.
var action = lazyregexp.New(`\{\{[^}]*\}\}`)

// actionsOf are the actions of a template.
func actionsOf(s string) string { return strings.Join(action.Get().FindAllString(s, -1), "\n") }

// withoutActions is a template with words where its actions are, and the same
// lines. One with nothing but actions is empty.
func withoutActions(s string) string {
	s = action.Get().ReplaceAllStringFunc(s, func(x string) string { return "x" + strings.Repeat("\n", strings.Count(x, "\n")) })
	return onlyActions.ReplaceAllString(s, "$1")
}

var onlyActions = lazyregexp.New(`(?m)^[ x]+(\r?)$`)

// embedded checks a string that may hold a document.
func (f *proof) embedded(before, after string, at source.Position, depth int) error {
	lang := ""
	if depth < maxDepth {
		lang = documentLanguage(before)
	}
	if lang == "" && !strings.Contains(before, "\n") {
		return f.scalar(before, after, at)
	}
	if f.within == nil {
		f.within = &at
		defer func() { f.within = nil }()
	}
	shaped, moves := f.shaped, f.moves
	defer func() { f.shaped, f.moves = f.shaped || shaped, f.moves || moves }()
	return f.text(lang, before, after, at, depth+1)
}

// documentLanguage is the language of the document in a string, "" for none.
func documentLanguage(s string) string {
	t := strings.TrimLeft(s, " \t\r\n")
	switch {
	case t == "":
		return ""
	case t[0] == '{' || t[0] == '[':
		return "json"
	case strings.Contains(t, "\n") && strings.Contains(t, ": "):
		return "yaml"
	}
	return ""
}

// scalar checks one text without structure.
func (f *proof) scalar(before, after string, at source.Position) error {
	if i, ok := f.permits(before, after); !ok {
		return f.fault(at, "no rule makes %s of %s", excerpt(after, i), excerpt(before, i))
	}
	return nil
}

// excerpt quotes a text, around an offset where it is long.
func excerpt(s string, at int) string {
	const size = 60
	if len(s) > 2*size {
		at = min(max(at-size/2, 0), len(s)-size)
		s = s[at : at+size]
	}
	return fmt.Sprintf("%q", s)
}
