package matrix

import (
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/stack"
)

// Catalogue is docs/checks.md: every check, lint rule and kind of place, from
// their own words. A test holds the file to it.
func Catalogue() string {
	var b strings.Builder
	b.WriteString("# Checks of the support matrix\n\n")
	b.WriteString("<!-- Written from the checks' own words: UPDATE=1 go test ./internal/matrix -run TestCatalogue -->\n\n")
	b.WriteString("`cfctl matrix check` holds a tree to these rules; [matrix.md](matrix.md) says how. Rules marked *remote*\n" +
		"ask the components' repositories for their tags and are left out by `--offline`; those marked *deep* read the\n" +
		"repositories themselves, with `--deep`.\n\n| rule | severity | holds when | |\n|---|---|---|---|\n")
	for _, c := range Checks {
		mark := ""
		if c.Remote {
			mark = "remote"
		}
		if c.Deep {
			mark = "deep"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, c.Severity, catalogued(c.Doc), mark)
	}
	b.WriteString("\n## Rules of `cfctl matrix lint`\n\n| rule | severity | holds when |\n|---|---|---|\n")
	for _, r := range LintRules {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name, r.Severity, catalogued(r.Doc))
	}
	b.WriteString("\n## Kinds of places\n\nA place (`stack.places`) says where a version stands. What stands there is judged by the rule of its kind,\n" +
		"unless the place names another.\n\n| kind | finds | key | rule |\n|---|---|---|---|\n")
	for _, k := range stack.Kinds {
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` |\n", k.Name, catalogued(k.Doc), catalogued(k.Key), k.Rule)
	}
	return b.String()
}

// catalogued is a sentence as it may stand in a cell.
func catalogued(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", "&lt;").Replace(text)
}
