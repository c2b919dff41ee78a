package judge

import (
	"path"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// history is the path of a file that says how something was: a changelog,
// release notes, an upgrade guide, a folder named like a released version, a
// dated post.
var history = lazyregexp.New(`(?i)(^|/)(changelog|changes|release[-_ ]?notes?|releases?|news|history|(upgrad(e|ing)|migrat(e|ing|ion))([-_]?(guide|notes|to[-_])?[-_]?(v?[0-9][-_a-z0-9.]*)?)|breaking[-_]changes|whats[-_]?new)(\.[a-z0-9.-]+)?\.(md|rst|adoc|txt|mdx)$` +
	`|(^|/)(changelogs?|release[-_]?notes?|\.?changes|blog|_?posts)/` +
	`|(^|/)CHANGELOG[^/]*$` +
	`|(^|/)(v?[0-9]+\.[0-9]+(\.[0-9x]+)?([-+][a-z0-9.]+)?|v[0-9]+[-_.][0-9]+[-_.x0-9]*)/` +
	`|(^|/)[^/]*[-_.]v[0-9]+\.[0-9]+(\.[0-9]+)?[^/]*\.(go|ya?ml|json)$` +
	`|(^|/)[0-9]{4}-[0-9]{2}-[0-9]{2}[-_][^/]*$` +
	`|(^|/)(__snapshots?__|versioned_docs|version-[0-9.]+)/`)

// proposals are folders of design documents.
var proposals = lazyregexp.New(`(?i)(^|/)(proposals?|keps|enhancements|designs?|rfcs?|adrs?)/`)

// IsProposal says whether a file is a design document, which says the group of
// its API as it is called today and the version as it was.
func IsProposal(name string) bool { return proposals.MatchString(name) }

// pastRow keeps the references of a file that is history.
var pastRow = Row{ID: "history", Role: "prose", Say: Keep, Why: "the file is a record of an earlier release, by its path"}

// Past is the row that keeps a whole file; nil for none.
func Past(name string) *Row {
	if !history.MatchString(name) {
		return nil
	}
	base := strings.ToLower(path.Base(name))
	if strings.HasSuffix(base, ".go") && !releasedFile.MatchString(base) && !versionFolder.MatchString(path.Dir(name)+"/") {
		return nil // code that migrates
	}
	return &pastRow
}

var (
	releasedFile  = lazyregexp.New(`[-_.]v[0-9]+\.[0-9]`)
	versionFolder = lazyregexp.New(`(^|/)v?[0-9]+\.[0-9]+(\.[0-9x]+)?([-+][a-z0-9.]+)?/`)
)
