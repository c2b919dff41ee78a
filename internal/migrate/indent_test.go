package migrate

import "strings"

// indent is a text as failures show it, one line each.
func indent(text string) string {
	return "  | " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  | ") + "\n"
}
