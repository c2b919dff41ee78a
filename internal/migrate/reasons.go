package migrate

import (
	"maps"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/report"
)

// ownReasons are the ids of reasons that this package gives, and those of the judge whose
// words depend on the occurrence, each with a clause that says why.
var ownReasons = map[string]string{
	"unused-suppression": "a cfctl:keep comment that keeps nothing",
	"name-taken":         "the new name of a file or object is taken",
	"outside":            "a name of a renamed file outside of what was named",
	"link":               "a symbolic link to a file that is renamed",
	"module":             "a Go module or package that moves",
	"disagrees":          "the tree does not agree with itself",
	"go-part":            "Go identifiers are renamed in a whole work tree only",
	"go-types":           "renaming Go identifiers would add a type error",
	"client-name":        "a generated client of a version that a rule changes",
	"built-version":      "a version that is joined to a group that a rule changes",
	"wrong-group":        "a kind in a group where it never was",
	"edits-differ":       "two rules make different things of one text",
}

// ReasonRules are the reasons of the account as kinds of findings.
func ReasonRules() report.Rules {
	all := judge.Reasons()
	maps.Copy(all, ownReasons)
	var list report.Rules
	for _, id := range slices.Sorted(maps.Keys(all)) {
		list = append(list, report.Rule{ID: id, Doc: all[id], Severity: report.Note})
	}
	return list
}
