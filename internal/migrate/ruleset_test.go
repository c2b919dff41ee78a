package migrate

import "testing"

// TestExamples runs the examples of every built-in ruleset.
func TestExamples(t *testing.T) {
	for _, name := range Builtin() {
		t.Run(name, func(t *testing.T) {
			r, err := BuiltinRuleset(name)
			if err != nil {
				t.Fatal(err)
			}
			if r.Name != name {
				t.Errorf("the file is named %s, the ruleset %s", name, r.Name)
			}
			if r.Doc == "" || r.URL == "" || len(r.Examples) == 0 {
				t.Error("a built-in ruleset has doc, url and examples")
			}
			failed, err := r.Test()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range failed {
				t.Error(f)
			}
		})
	}
}

// A list of TYPE/NAME arguments for kubectl holds objects, not keys.
func TestObjectsInAList(t *testing.T) {
	m := fuzzMigration(t)
	in := "const all = [\n  'secret/one',\n  'x.old.example.com/one',\n]\nconst key = 'x.old.example.com/one'\n"
	want := "const all = [\n  'secret/one',\n  'x.new.example.org/one',\n]\nconst key = 'x.old.example.com/one'\n"
	got, _, _, err := m.Once("a.ts", []byte(in))
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
}
