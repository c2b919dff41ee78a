package migrate

import (
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Examples runs the examples of a ruleset and returns what failed, one text each;
// none means that every example holds, and that migrating its result again
// changes nothing.
func Examples(r *rules.Ruleset) ([]string, error) {
	var failed []string
	for _, e := range r.Examples {
		m, err := New(Options{Rulesets: []*rules.Ruleset{r}, Dual: e.Mode == "dual", Set: e.Set})
		if err != nil {
			return nil, err
		}
		if err := runExample(e, m); err != nil {
			failed = append(failed, fmt.Sprintf("example %q: %v", e.Name, err))
		}
	}
	return failed, nil
}

func runExample(e rules.Example, m *Migration) error {
	want := e.Out
	if want == "" {
		want = e.In
	}
	got, to, finds, err := m.Once(e.Path, []byte(e.In))
	if err != nil {
		return err
	}
	if string(got) != want {
		return fmt.Errorf("got\n%swant\n%s", indent(string(got)), indent(want))
	}
	if e.To != "" && e.To != to {
		return fmt.Errorf("the file is named %s, want %s", to, e.To)
	}
	for _, f := range e.Finds {
		if !strings.Contains(finds, f) {
			return fmt.Errorf("no finding says %q; they say\n%s", f, indent(finds))
		}
	}
	again, _, _, err := m.Once(to, got)
	if err != nil {
		return err
	}
	if string(again) != string(got) {
		return fmt.Errorf("a second run changes it again\n%s", indent(string(again)))
	}
	return nil
}

func indent(text string) string {
	return "  | " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  | ") + "\n"
}

// Once migrates one text on its own: the new text, its new path, and the
// reasons of what a person must look at, one a line. Text that cannot be read
// as what its name says is an error.
func (m *Migration) Once(name string, data []byte) (out []byte, to, finds string, err error) {
	f := m.File(name, data)
	if f == nil {
		return data, name, "", nil
	}
	if f.Skip != nil {
		return nil, name, "", f.Skip
	}
	m.Finish([]*File{f}, nil)
	out, err = source.Apply(data, f.Edits(data))
	var b strings.Builder
	for _, s := range f.Sites {
		if s.Action() == Person {
			fmt.Fprintf(&b, "%s: %s\n", s.Old, s.Why)
		}
	}
	return out, f.To, b.String(), err
}
