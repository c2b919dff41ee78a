package author

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// examplesHead begins the examples of a new ruleset.
const examplesHead = "examples: # cut from this repository; cfctl migrate rules test runs them\n"

// examples are manifests of the tree that change, pieces of other files where there are none,
// or an object of a kind where all of those are long.
func (d *draft) examples(plan *migrate.Plan, m *migrate.Migration, rules string, kinds []string) string {
	for _, manifests := range []bool{true, false} {
		if out := d.examplesOf(plan, m, rules, manifests); out != "" {
			return examplesHead + out
		}
	}
	for _, kind := range append(slices.Sorted(maps.Keys(d.Kinds)), kinds...) {
		version := append(slices.Sorted(maps.Keys(d.Versions)), "v1")[0]
		if out := d.example(m, &migrate.File{Path: "object.yaml", Format: "yaml"}, fmt.Appendf(nil, "apiVersion: %s/%s\nkind: %s\n", d.From, version, kind)); out != "" {
			return "examples:\n" + out
		}
	}
	return ""
}

// examplesOf are at most two pieces that change, with what they become; each is
// run before it is written.
func (d *draft) examplesOf(plan *migrate.Plan, m *migrate.Migration, rules string, manifests bool) string {
	var out string
	n := 0
	for _, f := range plan.Files {
		data, err := d.root.ReadFile(f.Path)
		if err != nil || n == 2 || (f.Format == "yaml") != manifests || isTestData(f.Path) {
			continue
		}
		one := d.example(m, f, data)
		if one == "" {
			continue
		}
		r, err := migrate.ParseRuleset("rules.yaml", []byte(rules+"examples:\n"+out+one))
		if err != nil {
			continue
		}
		if failed, err := migrate.Examples(r); err == nil && len(failed) == 0 {
			out += one
			n++
		}
	}
	return out
}

// maxExample is the most lines that a document may have to be an example.
const maxExample = 40

func (d *draft) example(m *migrate.Migration, f *migrate.File, data []byte) string {
	for _, doc := range pieces(f, data) {
		doc = strings.TrimRight(strings.TrimPrefix(doc, "\n"), "\n") + "\n"
		if !strings.Contains(doc, d.From) || strings.Count(doc, "\n") > maxExample || strings.HasPrefix(doc, " ") || strings.HasPrefix(doc, "\t") || strings.Contains(doc, "\r") {
			continue
		}
		after, to, _, err := m.Once(f.Path, []byte(doc))
		if err != nil || to != f.Path || string(after) == doc {
			continue
		}
		return fmt.Sprintf("  - name: %[1]s\n    path: %[1]s\n    in: |\n%[2]s    out: |\n%[3]s", strict.Quoted(f.Path), indentedBy(exampleIndent, doc), indentedBy(exampleIndent, string(after)))
	}
	return ""
}

// pieces are what an example may be cut from: the documents of a manifest, any
// other file, and its lines that change.
func pieces(f *migrate.File, data []byte) []string {
	if f.Format == "yaml" {
		return strings.Split("\n"+string(data), "\n---\n")
	}
	list := []string{string(data)}
	for _, s := range f.Sites {
		if s.Action() == migrate.Change {
			list = append(list, strings.TrimSpace(string(lineAt(data, s.Start))))
		}
	}
	return list
}

// exampleIndent is the indentation of the files of an example.
const exampleIndent = "      "
