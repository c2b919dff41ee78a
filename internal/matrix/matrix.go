// Package matrix checks the support matrix of a stack against the actual state.
//
// The matrix says which versions of the components make one release. It is
// declared (Config, the `matrix` section of .cfctl.yaml) or read from the table
// in the root's README; a pass observes a tree, the tags of the components'
// repositories and earlier releases; Checks compare and report findings, each
// with what was expected, the nearest version that would do, and a fix where
// that is mechanical.
package matrix

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/report"
)

// What checks need, as the catalogue says it.
const (
	needsTags    = "the tags of the components' repositories: not with `--offline`"
	needsSources = "the components' repositories: `--deep`"
	needsImpact  = "a pull request of a component: `--impact`"
	needsDev     = "the repository of a component: `--dev`"
)

// given says whether the input has what a check needs.
func (in *Input) given(needs string) bool {
	switch needs {
	case needsTags:
		return in.Tags != nil
	case needsSources:
		return in.Sources != nil
	}
	return false
}

// Rules is the catalogue of the checks that a run over the input makes.
func (in *Input) Rules() report.Rules { return report.RulesOf(checks, in.given) }

// Rules is the catalogue of all checks.
func Rules() report.Rules { return slices.Concat(report.RulesOf(checks, nil), ImpactRules, DevRules) }

// ImpactRules are those that package chain checks.
var ImpactRules = report.Rules{
	{ID: "impact-crd", Severity: report.Error, Needs: needsImpact, Doc: "what a component below uses of a CRD is still served, and takes what it took"},
	{ID: "impact-go-api", Severity: report.Error, Needs: needsImpact, Doc: "the Go packages that a component below imports still export what they did"},
	{ID: "impact-module-path", Severity: report.Error, Needs: needsImpact, Doc: "the Go module that a component below imports has the same path"},
	{ID: "impact-module", Severity: report.Warning, Needs: needsImpact, Doc: "go.mod requires no version that a replace directive or a rule of kind module keeps from a component below"},
	{ID: "impact-go-version", Severity: report.Warning, Needs: needsImpact, Doc: "go.mod needs no newer Go than a component below has"},
}

// DevRules are those that package chain checks of the tests of a component.
var DevRules = report.Rules{
	{ID: "dev-tag", Severity: report.Error, Needs: needsDev, Doc: "workflows and tests take the dev tag of the images of components above"},
	{ID: "dev-ref", Severity: report.Error, Needs: needsDev, Doc: "workflows and tests take the main branch of components above, not a release"},
	{ID: "dev-module", Severity: report.Error, Needs: needsDev, Doc: "a go.mod of tests requires the modules of components above at their main branch"},
}

// Excuse turns findings that the allow list excuses into notes.
func (in *Input) Excuse(findings []report.Finding) []report.Finding {
	p := &pass{Input: in}
	p.Findings = findings
	return p.allowed()
}

// checks are all of them, in the order of the catalogue; findings are printed
// by place.
var checks = []report.Check[*pass]{
	{Rule: report.Rule{ID: "matrix-missing", Severity: report.Warning, Doc: "the README has a compatibility table with at least one row"}, Run: checkMissing},
	{Rule: report.Rule{ID: "table-malformed", Severity: report.Error, Doc: "the compatibility table can be read: its markers are in order, each row has a component and a version"}, Run: report.Simple(checkMalformed)},
	{Rule: report.Rule{ID: "release-missing", Severity: report.Error, Doc: "a table of releases has a row for this release"}, Run: report.Simple(checkReleaseMissing)},
	{Rule: report.Rule{ID: "cell-unreadable", Severity: report.Warning, Doc: "the cells of this release say which versions they mean"}, Run: report.Simple(checkCells)},
	{Rule: report.Rule{ID: "row-duplicate", Severity: report.Error, Doc: "a component has one row"}, Run: report.Simple(checkDuplicate)},
	{Rule: report.Rule{ID: "row-unknown", Severity: report.Warning, Doc: "every row is a component that the stack declares"}, Run: report.Simple(checkUnknown)},
	{Rule: report.Rule{ID: "row-missing", Severity: report.Warning, Doc: "every component of this release of the stack has a row"}, Run: report.Simple(checkRowMissing)},
	{Rule: report.Rule{ID: "version-not-semver", Severity: report.Error, Doc: "the version of a row is a semantic version with a leading v"}, Run: report.Simple(checkSemver)},
	{Rule: report.Rule{ID: "tag-not-found", Severity: report.Error, Doc: "the version of a row is a tag of the component's repository", Needs: needsTags}, Run: report.Simple(checkTag)},
	{Rule: report.Rule{ID: "link-malformed", Severity: report.Warning, Doc: "the link of a row leads to a release or tag on GitHub"}, Run: report.Simple(checkLink)},
	{Rule: report.Rule{ID: "link-repo-mismatch", Severity: report.Warning, Doc: "the link of a row leads to the component's own repository"}, Run: report.Simple(checkLinkRepo)},
	{Rule: report.Rule{ID: "link-text-mismatch", Severity: report.Warning, Doc: "the link of a row leads to the version that it shows"}, Run: report.Simple(checkLinkText)},
	{Rule: report.Rule{ID: "link-tag-not-found", Severity: report.Warning, Doc: "the link of a row is not dead", Needs: needsTags}, Run: report.Simple(checkLinkTag)},
	{Rule: report.Rule{ID: "release-tag-mismatch", Severity: report.Warning, Doc: "the row of the root says the version of the tag"}, Run: report.Simple(checkReleaseTag)},
	{Rule: report.Rule{ID: "downgrade", Severity: report.Error, Doc: "no component goes back from the release before"}, Run: checkDowngrade},
	{Rule: report.Rule{ID: "declared-mismatch", Severity: report.Error, Doc: "the table says what the declared matrix says"}, Run: report.Simple(checkDeclared)},
	{Rule: report.Rule{ID: "makefile-mismatch", Severity: report.Error, Doc: "the Makefile variable of a component says the version of its row"}, Run: checkMakefile},
	{Rule: report.Rule{ID: "gomod-mismatch", Severity: report.Error, Doc: "go.mod, and others at declared places, require the version of the row"}, Run: checkRequire},
	{Rule: report.Rule{ID: "gomod-pseudo-version", Severity: report.Warning, Doc: "go.mod requires a release of the component, not a commit"}, Run: report.Simple(checkPseudo)},
	{Rule: report.Rule{ID: "gomod-replaced", Severity: report.Error, Doc: "no replace directive builds another version than the row's"}, Run: report.Simple(checkReplaced)},
	{Rule: report.Rule{ID: "gomod-replaced-fork", Severity: report.Warning, Doc: "no replace directive builds the row's version from another module"}, Run: report.Simple(checkReplacedFork)},
	{Rule: report.Rule{ID: "replace-idle", Severity: report.Warning, Doc: "a replace directive with a version on its left still applies to what is required"}, Run: checkReplaceIdle},
	{Rule: report.Rule{ID: "module-skew", Severity: report.Warning, Doc: "the modules of a family (k8s.io/*) are built within the allowed distance of each other"}, Run: report.Simple(checkModuleSkew)},
	{Rule: report.Rule{ID: "not-in-build", Severity: report.Error, Doc: "a component that has a row and is part of the product is built in"}, Run: checkNotInBuild},
	{Rule: report.Rule{ID: "crd-ref-behind", Severity: report.Warning, Doc: "the component's CRDs come from the version of its row"}, Run: checkRef},
	{Rule: report.Rule{ID: "generated-default-behind", Severity: report.Warning, Doc: "generated Go constants say the version of the row"}, Run: checkGenerated},
	{Rule: report.Rule{ID: "params-env-mismatch", Severity: report.Warning, Doc: "params.env deploys the image of this release"}, Run: checkParams},
	{Rule: report.Rule{ID: "image-tag-scheme", Severity: report.Warning, Doc: "the image that is built gets a semantic version with a leading v as its tag"}, Run: checkImageTag},
	{Rule: report.Rule{ID: "csv-mismatch", Severity: report.Warning, Doc: "the ClusterServiceVersion of the bundle is of this release"}, Run: checkCSV},
	{Rule: report.Rule{ID: "place-mismatch", Severity: report.Error, Doc: "every other declared place says the version of the row"}, Run: checkPlaces},
	{Rule: report.Rule{ID: "place-overridden", Severity: report.Warning, Doc: "no digest and no other image next to a declared place is taken instead of its version"}, Run: checkOverridden},
	{Rule: report.Rule{ID: "place-missing", Severity: report.Error, Doc: "every declared place that is not optional has a version"}, Run: checkPlaceMissing},
	{Rule: report.Rule{ID: "alignment", Severity: report.Warning, Doc: "components that are declared to share a version do, and the root's own places say the version of its row"}, Run: checkAlignment},
	{Rule: report.Rule{ID: "skew", Severity: report.Warning, Doc: "what is built and what the row says are within the allowed distance"}, Run: report.Simple(checkSkew)},
	{Rule: report.Rule{ID: "pairwise", Severity: report.Error, Doc: "the versions of the rows go together by the declared pairs"}, Run: checkPairs},
	{Rule: report.Rule{ID: "lag", Severity: report.Warning, Doc: "the stack uses a new release of a component by the end of the next sprint (a warning before, an error after)", Needs: needsSources}, Run: checkLag},
	{Rule: report.Rule{ID: "component-pin", Severity: report.Warning, Doc: "a component's own go.mod pins the versions that the rows say", Needs: needsSources}, Run: checkPins},
	{Rule: report.Rule{ID: "go-version", Severity: report.Warning, Doc: "no component needs a newer Go than the root's go.mod has", Needs: needsSources}, Run: checkGoVersion},
	{Rule: report.Rule{ID: "crd-content", Severity: report.Warning, Doc: "copies of CRDs are equal to the component's at the version of its row", Needs: needsSources}, Run: checkCRDContent},
	{Rule: report.Rule{ID: "allow-expired", Severity: report.Warning, Doc: "no exception of the allow list has run out"}, Run: report.Simple(checkExpired)},
}
