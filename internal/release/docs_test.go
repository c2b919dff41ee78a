package release

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestStepsAreDocumented wants a row in docs/release-reference.md for each step that a release
// can have.
func TestStepsAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/release-reference.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(data), "\n## Steps\n")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := map[string]bool{}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			first := ""
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				name := m[1]
				if strings.HasPrefix(name, "-") {
					name = first[:strings.LastIndex(first, "-")] + name
				} else {
					first = name
				}
				rows[name] = true
			}
		}
	}
	w := newWorld(t)
	declared := "\nrelease:\n  tests: [{name: e2e, check: end to end}]\n"
	train, err := w.read([]byte(strings.Replace(string(w.config()), "\nrelease:\n", declared, 1)), "v0.2.0")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer(":operator", ":ROOT", ":picker", ":NAME", ":sorter", ":NAME", ":sdk", ":NAME", ":e2e", ":NAME", ":publish", ":NAME",
		"sorter-", "NAME-", "sdk-", "NAME-", "picker-", "NAME-", "workloads-", "NAME-")
	for _, s := range train.Steps() {
		if name := names.Replace(s.Name); !rows[name] && !rows[strings.Replace(name, ":ROOT", ":NAME", 1)] {
			t.Errorf("docs/release-reference.md has no row for %s (%s)", s.Name, name)
		}
	}
}
