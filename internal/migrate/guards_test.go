package migrate

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/report"
)

// Each guess keeps something that moves when it is switched off: by a flag, and
// by a ruleset.
func TestGuesses(t *testing.T) {
	fenced := "```yaml\n" + oldThing + "```\n"
	pear := "apiVersion: same.example.com/v1beta1\nkind: Pear\n"
	fencedPear := "```yaml\n" + pear + "```\n"
	examples := map[string][2]string{
		"change-log":         {"HISTORY.md", fenced},
		"log-folder":         {"docs/blog/a.md", fenced},
		"guide":              {"upgrading-things.md", "To new.example.org.\n\n" + fenced},
		"conversion-code":    {"pkg/converter/a.go", "package converter\n\nconst Group = \"old.example.com\"\n"},
		"snapshot":           {"test/__snapshots__/a.yaml", oldThing},
		"released-folder":    {"0.3.0/a.yaml", oldThing},
		"released-file":      {"releases/app-1.2.3.yaml", oldThing},
		"generated-document": {"reference.md", fencedPear + "\n" + fencedPear + string(find.ReferenceMark) + "\n"},
		"template-choice":    {"templates/a.yaml", "{{- if .Capabilities.APIVersions.Has \"x/v1\" }}\napiVersion: old.example.com/v1\n{{- else }}\napiVersion: x/v1\n{{- end }}\nkind: Thing\n"},
		"proposal":           {"proposals/a.md", fencedPear},
		"version-folder":     {"api/v1beta1/a.yaml", pear},
		"version-document":   {"pears.v1beta1.md", fencedPear},
		"past-constant":      {"a.go", "package a\n\nconst LegacyGroup = \"old.example.com\"\n"},
		"past-words":         {"a.txt", "It was \"old.example.com\".\n"},
		"both-names":         {"a.txt", "old.example.com/v1 became new.example.org/v1\n"},
		"when-words":         {"a.txt", "deprecated: same.example.com/v1beta1, Pear\n"},
		"pinned-link":        {"a.md", "See https://example.net/blob/main/a.md#old.example.com/v1.Thing\n"},
	}
	for _, g := range judge.Guards {
		if !g.Guess {
			continue
		}
		path, in := examples[g.ID][0], examples[g.ID][1]
		if got := onceOf(t, fuzzMigration(t), path, in); got != in {
			t.Errorf("%s: %s becomes\n%s", g.ID, path, indent(got))
		}
		off := parsedMigration(t, fuzzRules+"guess: {off: ["+g.ID+"]}\n", false)
		if got := onceOf(t, off, path, in); got == in {
			t.Errorf("%s: switched off, %s still stays", g.ID, path)
		}
		m := fuzzMigration(t)
		flagged, err := New(Options{Rulesets: m.opts.Rulesets, Unguessed: []string{g.ID}})
		if err != nil {
			t.Fatal(err)
		}
		if got := onceOf(t, flagged, path, in); got == in {
			t.Errorf("%s: switched off by an option, %s still stays", g.ID, path)
		}
		p := fuzzMigration(t).One(path, []byte(in))
		said := slices.ContainsFunc(p.Report(ReportOptions{Kept: true}).Findings, func(f report.Finding) bool { return strings.HasSuffix(f.Message, "; guess "+g.ID+")") })
		if !said || !slices.ContainsFunc(p.Account(), func(e Entry) bool { return e.Guard == g.ID }) {
			t.Errorf("%s: the preview and the account do not name it", g.ID)
		}
	}
	m := fuzzMigration(t)
	if _, err := New(Options{Rulesets: m.opts.Rulesets, Unguessed: []string{"snapshots"}}); err == nil || !strings.Contains(err.Error(), "snapshots") {
		t.Errorf("an unknown guess: %v", err)
	}
}

// twoGroups moves the kinds of a group to two others.
const twoGroups = `name: two
rules:
  - {id: all, from: {group: one.example.com}, to: {group: new.example.org}}
  - {id: fig, from: {group: one.example.com, kind: Fig, plural: figs}, to: {group: figs.example.org}}
`

// Every other guard keeps something that moves without it.
func TestGuards(t *testing.T) {
	pears := "same.example.com/v1beta1"
	examples := map[string]struct {
		path, in, rules, set string
		dual                 bool
	}{
		"ruleset":           {path: "fuzz.yaml", in: fuzzRules},
		"kept-path":         {path: "kept/a.yaml", in: oldThing, rules: "  - {path: kept/**}\n"},
		"kept-value":        {path: "a.yaml", in: "group: kept.old.example.com\nname: apple.old.example.com\n", rules: "  - {value: apple.old.example.com}\n"},
		"kept-webhook":      {path: "a.go", in: "package a\n\n//+kubebuilder:webhook:resources=figs;nuts,name=x.one.example.com\n", set: twoGroups},
		"dual-mode":         {path: "a.yaml", in: oldThing, dual: true},
		"version-package":   {path: "a.go", in: "package v1beta1\n\nvar ref = Ref{APIVersion: \"" + pears + "\", Kind: \"Pear\"}\n"},
		"api-service":       {path: "a.yaml", in: "kind: APIService\nmetadata:\n  name: v1beta1.same.example.com\n"},
		"version-reference": {path: "a.md", in: "[x](api.md#" + pears + ".Pear)\n"},
	}
	for _, g := range judge.Guards {
		if g.Guess {
			continue
		}
		x, ok := examples[g.ID]
		if !ok {
			t.Errorf("%s has no example", g.ID)
			continue
		}
		set := fuzzRules
		if x.set != "" {
			set = x.set
		}
		m := parsedMigration(t, set+x.rules, x.dual)
		if got := onceOf(t, m, x.path, x.in); got != x.in {
			t.Errorf("%s: %s becomes\n%s", g.ID, x.path, indent(got))
		}
		without := *m
		without.off = map[string]bool{g.ID: true}
		if got := onceOf(t, &without, x.path, x.in); got == x.in {
			t.Errorf("%s: switched off, %s still stays", g.ID, x.path)
		}
	}
}

// What a guard keeps says so in the account, by an id that is documented.
func TestGuardsHaveReasons(t *testing.T) {
	for _, g := range judge.Guards {
		if id := judge.ReasonOf(g.ID); !slices.ContainsFunc(reasons, func(r reasonInfo) bool { return r.ID == id }) {
			t.Errorf("%s: no reason %q", g.ID, id)
		}
	}
}

// The table of guesses in docs/migrate.md is that of the code; UPDATE=1 writes
// it.
func TestGuessesAreDocumented(t *testing.T) {
	const file, head = "../../docs/migrate.md", "| guess | in | what stays |\n|---|---|---|\n"
	docs, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(docs), head)
	if !ok {
		t.Fatal("docs/migrate.md has no table of guesses")
	}
	table, after, _ := strings.Cut(rest, "\n\n")
	var want []string
	for _, g := range judge.Guards {
		in := "every format"
		if g.In != 0 {
			in = strings.Join(g.Formats(), ", ")
		}
		if g.Guess {
			want = append(want, "| `"+g.ID+"` | "+in+" | "+g.Doc+" |")
		}
	}
	if table == strings.Join(want, "\n") {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Fatal("docs/migrate.md has another table of guesses; UPDATE=1 writes it")
	}
	if err := os.WriteFile(file, []byte(before+head+strings.Join(want, "\n")+"\n\n"+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
