// Package author writes what a repository needs to be migrated: a ruleset made
// from its own files (Draft), the migrate section of its .cfctl.yaml (Configure) and the CI job that checks it (Jobs).
//
// It reads a repository through internal/migrate and internal/source, writes
// no file and prints nothing: the command shows what report.Progress receives, and
// writes the texts that are returned.
package author

import (
	"context"
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// isGroup says whether a text is an API group with a domain, which those of Kubernetes have not all.
func isGroup(s string) bool { return strings.Contains(s, ".") && rules.GroupName.MatchString(s) }

// planOf is the plan of a migration in the working directory.
func planOf(ctx context.Context, m *migrate.Migration) (*migrate.Plan, error) {
	tree, err := source.Open([]string{"."})
	if err != nil {
		return nil, err
	}
	defer tree.Close() //nolint:errcheck // only reading was done
	return m.Plan(ctx, tree, source.WalkOptions{Exclude: []string{"/.cfctl.yaml"}})
}

// place is a line of a file, as a comment has it.
func place(name string, line int) string { return fmt.Sprintf("%s:%d", report.Visible(name), line) }
