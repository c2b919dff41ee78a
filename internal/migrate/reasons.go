package migrate

import (
	"maps"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/report"
)

// ReasonRules are the reasons of the account as kinds of findings.
func ReasonRules() report.Rules {
	all := judge.Reasons()
	var list report.Rules
	for _, id := range slices.Sorted(maps.Keys(all)) {
		list = append(list, report.Rule{ID: id, Doc: all[id], Severity: report.Note})
	}
	return list
}

// IsTestData says whether a file is a test or below a folder of test data.
func IsTestData(name string) bool { return judge.IsTestData(name) }
