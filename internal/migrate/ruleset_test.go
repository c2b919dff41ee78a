package migrate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

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
			if err := r.Lint(); err != nil {
				t.Error(err)
			}
			failed, err := Examples(r)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range failed {
				t.Error(f)
			}
		})
	}
}

// TestWrittenRulesets runs the examples of rulesets as users write them: each
// is one kind of migration, with what must not move by it.
func TestWrittenRulesets(t *testing.T) {
	files, err := filepath.Glob("testdata/rulesets/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no ruleset", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r, err := rules.Parse(file, data)
			if err != nil {
				t.Fatal(err)
			}
			failed, err := Examples(r)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range failed {
				t.Error(f)
			}
		})
	}
}
