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
	"go-syntax":          "a Go file that does not parse",
	"package-broken":     "a Go package with a file that does not parse",
	"kind-taken":         "the new name of a kind is a type of its package already",
	"kind-part":          "a Go type whose name begins with a renamed kind and may be about something else",
	"file-taken":         "the new name of a Go file is taken",
	"version-part":       "a Go package with kinds that no rule moves to its new version",
	"version-leave":      "the Go package of a version is not changed, as --go-version-package=leave asks for",
	"folder-taken":       "the new folder of a Go package is taken",
	"conversion-exists":  "a Go package that is copied has conversions already",
	"not-copied":         "a Go package that needs review before it is copied",
	"not-registered":     "a Go package is added to a scheme where its copy cannot be",
	"group-taken":        "a Go package of the new group registers the same kinds",
	"two-kinds":          "a Go struct is registered as two kinds",
	"registered-name":    "a kind that Go code registers under a name which its type does not have",
	"dual-client":        "generated clients know one of the two groups that are served",
	"dual-webhook":       "webhooks of two groups have one name",
	"run-time-name":      "a name of a kind that a program completes, such as that of an object",
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
