// Package matrix holds the support matrix of a stack against the world.
//
// The matrix says which versions of the components make one release. It is
// declared (Config, the `matrix` section of .cfctl.yaml) or read from the table
// in the root's README; a Pass observes a tree, the tags of the components'
// repositories and earlier releases; Checks compare and report findings, each
// with what was expected, the nearest version that would do, and a fix where
// that is mechanical.
package matrix

import (
	"github.com/project-codeflare/cfctl/internal/report"
)

// A Check is one rule that a tree is held to.
type Check struct {
	Name     string // stable id
	Severity report.Severity
	Doc      string // one sentence, for the catalogue
	Remote   bool   // asks remotes for their tags: not run offline
	Deep     bool   // reads the components' own repositories: run with --deep only

	run func(*Pass, *Check) error
}

// Checks are all of them, in the order of the catalogue; findings are printed
// by place.
var Checks = []*Check{
	{Name: "matrix-missing", Severity: report.Warning, Doc: "the README has a compatibility table with at least one row", run: checkMissing},
	{Name: "table-malformed", Severity: report.Error, Doc: "the compatibility table can be read: its markers are in order, each row has a component and a version", run: checkMalformed},
	{Name: "release-missing", Severity: report.Error, Doc: "a table of releases has a row for this release", run: checkReleaseMissing},
	{Name: "cell-unreadable", Severity: report.Warning, Doc: "the cells of this release say which versions they mean", run: checkCells},
	{Name: "row-duplicate", Severity: report.Error, Doc: "a component has one row", run: checkDuplicate},
	{Name: "row-unknown", Severity: report.Warning, Doc: "every row is a component that the stack declares", run: checkUnknown},
	{Name: "row-missing", Severity: report.Warning, Doc: "every component of this release of the stack has a row", run: checkRowMissing},
	{Name: "version-not-semver", Severity: report.Error, Doc: "the version of a row is a semantic version with a leading v", run: checkSemver},
	{Name: "tag-not-found", Severity: report.Error, Doc: "the version of a row is a tag of the component's repository", Remote: true, run: checkTag},
	{Name: "link-malformed", Severity: report.Warning, Doc: "the link of a row leads to a release or tag on GitHub", run: checkLink},
	{Name: "link-repo-mismatch", Severity: report.Warning, Doc: "the link of a row leads to the component's own repository", run: checkLinkRepo},
	{Name: "link-text-mismatch", Severity: report.Warning, Doc: "the link of a row leads to the version that it shows", run: checkLinkText},
	{Name: "link-tag-not-found", Severity: report.Warning, Doc: "the link of a row is not dead", Remote: true, run: checkLinkTag},
	{Name: "release-tag-mismatch", Severity: report.Warning, Doc: "the row of the root says the version of the tag", run: checkReleaseTag},
	{Name: "downgrade", Severity: report.Error, Doc: "no component goes back from the release before", run: checkDowngrade},
	{Name: "declared-mismatch", Severity: report.Error, Doc: "the table says what the declared matrix says", run: checkDeclared},
	{Name: "makefile-mismatch", Severity: report.Error, Doc: "the Makefile variable of a component says the version of its row", run: checkMakefile},
	{Name: "gomod-mismatch", Severity: report.Error, Doc: "go.mod requires the version of the row", run: checkRequire},
	{Name: "gomod-pseudo-version", Severity: report.Warning, Doc: "go.mod requires a release of the component, not a commit", run: checkPseudo},
	{Name: "gomod-replaced", Severity: report.Error, Doc: "no replace directive builds another version than the row's", run: checkReplaced},
	{Name: "gomod-replaced-fork", Severity: report.Warning, Doc: "no replace directive builds the row's version from another module", run: checkReplacedFork},
	{Name: "replace-idle", Severity: report.Warning, Doc: "a replace directive with a version on its left still applies to what is required", run: checkReplaceIdle},
	{Name: "module-skew", Severity: report.Warning, Doc: "the modules of a family (k8s.io/*) are built within the allowed distance of each other", run: checkModuleSkew},
	{Name: "not-in-build", Severity: report.Error, Doc: "a component that has a row and is part of the product is built in", run: checkNotInBuild},
	{Name: "crd-ref-behind", Severity: report.Warning, Doc: "the component's CRDs come from the version of its row", run: checkRef},
	{Name: "generated-default-behind", Severity: report.Warning, Doc: "generated Go constants say the version of the row", run: checkGenerated},
	{Name: "params-env-mismatch", Severity: report.Warning, Doc: "params.env deploys the image of this release", run: checkParams},
	{Name: "image-tag-scheme", Severity: report.Warning, Doc: "the image that is built gets a semantic version with a leading v as its tag", run: checkImageTag},
	{Name: "csv-mismatch", Severity: report.Warning, Doc: "the ClusterServiceVersion of the bundle is of this release", run: checkCSV},
	{Name: "place-mismatch", Severity: report.Error, Doc: "every other declared place says the version of the row", run: checkPlaces},
	{Name: "alignment", Severity: report.Warning, Doc: "components that are declared to share a version do, and the root's own places say the version of its row", run: checkAlignment},
	{Name: "skew", Severity: report.Warning, Doc: "what is built and what the row says are within the allowed distance", run: checkSkew},
	{Name: "pairwise", Severity: report.Error, Doc: "the versions of the rows go together by the declared pairs", run: checkPairs},
	{Name: "lag", Severity: report.Warning, Doc: "a new release of a component is taken in by the end of the next sprint (a warning before, an error after)", Deep: true, run: checkLag},
	{Name: "component-pin", Severity: report.Warning, Doc: "a component's own go.mod pins the versions that the rows say", Deep: true, run: checkPins},
	{Name: "go-version", Severity: report.Warning, Doc: "no component needs a newer Go than the root's go.mod has", Deep: true, run: checkGoVersion},
	{Name: "crd-content", Severity: report.Warning, Doc: "copies of CRDs are equal to the component's at the version of its row", Deep: true, run: checkCRDContent},
	{Name: "allow-expired", Severity: report.Warning, Doc: "no exception of the allow list has run out", run: checkExpired},
}
