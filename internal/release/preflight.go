package release

import (
	"context"
	"errors"
	"fmt"

	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
)

const tagConflict = "tag-conflict"

// checks are what has gone wrong in releases and is looked for before the first
// effect of a new one. They are run in this order.
var checks = []report.Check[*preflight]{
	{Rule: report.Rule{ID: "identity", Severity: report.Error, Doc: "git has an identity to sign off commits with"}, Run: checkIdentity},
	{Rule: report.Rule{ID: "signing-key", Severity: report.Error, Doc: "signed tags are asked for, and git has a key"}, Run: checkSigning},
	{Rule: report.Rule{ID: "token-scope", Severity: report.Error, Doc: "the token may do what the release does"}, Run: checkToken},
	{Rule: report.Rule{ID: "token-own", Severity: report.Error, Doc: "what the token makes starts workflows"}, Run: checkOwnToken},
	{Rule: report.Rule{ID: "repository", Severity: report.Error, Doc: "every repository is there and can be pushed to"}, Run: checkRepositories},
	{Rule: report.Rule{ID: "branch-protection", Severity: report.Error, Doc: "what the branches of the PRs demand can be met"}, Run: checkProtection},
	{Rule: report.Rule{ID: "version-order", Severity: report.Error, Doc: "versions are newer than the released ones"}, Run: checkOrder},
	{Rule: report.Rule{ID: tagConflict, Severity: report.Error, Doc: "the tags are free, under every spelling"}, Run: checkTags},
	{Rule: report.Rule{ID: "tag-missing", Severity: report.Error, Doc: "the tags of what is only referred to are there, and Go finds nested modules"}, Run: checkReferred},
	{Rule: report.Rule{ID: "image-missing", Severity: report.Error, Doc: "images of what is released already are there"}, Run: checkImages},
	{Rule: report.Rule{ID: "image-exists", Severity: report.Error, Doc: "no image has the tag of a release that is not tagged"}, Run: checkNoImages},
	{Rule: report.Rule{ID: "image-unbuilt", Severity: report.Error, Doc: "the tag starts a workflow that may build the image"}, Run: checkBuilders},
	{Rule: report.Rule{ID: "places", Severity: report.Error, Doc: "every declared place has a version"}, Run: checkPlaces},
	{Rule: report.Rule{ID: "matrix", Severity: report.Error, Doc: "the tree that the PR will propose holds to the matrix (matrix check, offline)"}, Run: checkMatrix},
	{Rule: report.Rule{ID: "catalog", Severity: report.Error, Doc: "the release before is in the catalog, and this one is not"}, Run: checkCatalog},
	{Rule: report.Rule{ID: "bundle", Severity: report.Error, Doc: "the bundle can be made, and has examples for its resources"}, Run: checkBundle},
	{Rule: report.Rule{ID: "announcement", Severity: report.Error, Doc: "what is to be announced can be"}, Run: checkAnnouncement},
	{Rule: report.Rule{ID: "freeze", Severity: report.Error, Doc: "no freeze is on"}, Run: checkFreeze},
}

// Rules lists the checks of Preflight, for the forms that carry a catalogue.
func Rules() report.Rules {
	return append(append(report.RulesOf(checks, nil), again.Rule), train.RunRules()...)
}

// A preflight gathers findings.
type preflight struct {
	report.Pass
	*steps.View
}

func (p *preflight) say(severity report.Severity, component, hint, format string, args ...any) {
	p.Report(report.Finding{
		Rule: p.Rule.ID, Severity: severity, Component: component, Version: p.Train.Versions[component], Hint: hint}, format, args...)
}

func (p *preflight) bad(component, hint, format string, args ...any) {
	p.say(report.Error, component, hint, format, args...)
}

// begun is what is looked for where the root was released, or its PR is merged, and
// the journal knows nothing of it.
var begun = report.Check[*preflight]{Rule: report.Rule{ID: tagConflict, Severity: report.Error, Doc: "what was released has the versions of this release"}, Run: checkBegun}

// lookFor looks for one thing before the next effect of a release that has had some:
// of what has been released as something else nothing is made.
func lookFor(check report.Check[*preflight]) func(context.Context, *steps.View) ([]report.Finding, error) {
	return func(ctx context.Context, v *steps.View) ([]report.Finding, error) {
		p := &preflight{View: v}
		if err := report.Run(ctx, []report.Check[*preflight]{check}, p, nil); err != nil {
			return p.Findings, fmt.Errorf("preflight %s: %w", p.Rule.ID, err)
		}
		return p.Findings, nil
	}
}

// lookAhead looks for what would stop the release half-way. Findings of
// severity error must be dealt with first; an error means that the answer is
// not known.
func lookAhead(ctx context.Context, v *steps.View) ([]report.Finding, error) {
	p := &preflight{View: v}
	err := report.Run(ctx, checks, p, nil)
	if missing, ok := errors.AsType[*recipe.BranchError](err); ok {
		p.bad("", missing.Hint(), "%v", missing)
		return p.Findings, nil
	}
	if err != nil {
		return p.Findings, fmt.Errorf("preflight %s: %w", p.Rule.ID, err)
	}
	return p.Findings, nil
}
