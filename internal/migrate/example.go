package migrate

import (
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/diff"
)

// A Failure is an example of a ruleset that does not hold.
type Failure struct {
	Index int             // of the example
	Name  string          // of the example
	Pos   source.Position // of the example in the ruleset
	Text  string          // what differs: a unified diff, or a sentence
	Got   string          // the file as it is migrated, when it differs from what the example expects
}

// Examples runs the examples of a ruleset and returns those that fail; none means
// that every example holds, and that migrating its result again changes nothing.
func Examples(r *rules.Ruleset) ([]Failure, error) {
	var failed []Failure
	for i, e := range r.Examples {
		m, err := New(Options{Rulesets: []*rules.Ruleset{r}, Target: e.Target, Dual: e.Mode == "dual", Set: e.Set})
		if err != nil {
			return nil, err
		}
		if f, ok := runExample(e, m); !ok {
			f.Index, f.Name, f.Pos = i, e.Name, r.ExampleAt(i)
			failed = append(failed, f)
		}
	}
	return failed, nil
}

// runExample says whether an example holds, and else how it fails.
func runExample(e rules.Example, m *Migration) (Failure, bool) {
	want := e.Out
	if want == "" {
		want = e.In
	}
	got, to, finds, err := m.Once(e.Path, []byte(e.In))
	if err != nil {
		return Failure{Text: err.Error()}, false
	}
	if string(got) != want {
		return Failure{Text: unified("expected", want, "migrated", string(got)), Got: string(got)}, false
	}
	if e.To != "" && e.To != to {
		return Failure{Text: fmt.Sprintf("the file is renamed to %s, the example expects %s", to, e.To)}, false
	}
	for _, f := range e.Finds {
		if !strings.Contains(finds, f) {
			return Failure{Text: fmt.Sprintf("no finding contains %q; the findings are:\n%s", f, finds)}, false
		}
	}
	again, _, _, err := m.Once(to, got)
	if err != nil {
		return Failure{Text: err.Error()}, false
	}
	if string(again) != string(got) {
		return Failure{Text: "a second run changes the result again:\n" + unified("first run", string(got), "second run", string(again))}, false
	}
	return Failure{}, true
}

// unified is a unified diff of two texts.
func unified(oldName, before, newName, after string) string {
	return "--- " + oldName + "\n+++ " + newName + "\n" + string(diff.Hunks([]byte(before), []byte(after)))
}

// Once migrates one text on its own: the new text, its new path, and the
// reasons of what needs review, one a line. Text that cannot be read
// as what its name says is an error.
func (m *Migration) Once(name string, data []byte) (out []byte, to, finds string, err error) {
	p := m.One(name, data)
	if len(p.Files) == 0 {
		return data, name, "", nil
	}
	f := p.Files[0]
	if f.Skip != nil {
		return nil, name, "", f.Skip
	}
	out, err = source.Apply(data, f.Edits(data))
	var b strings.Builder
	for _, s := range f.Sites {
		if s.Action() == NeedsReview {
			fmt.Fprintf(&b, "%s: %s\n", s.Old, s.Why())
		}
	}
	return out, f.To, b.String(), err
}
