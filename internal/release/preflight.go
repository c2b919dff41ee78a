package release

import (
	"context"
	"fmt"

	"github.com/project-codeflare/cfctl/internal/report"
)

// A check is one thing that has gone wrong in releases and is looked for
// before the first effect of a new one.
type check struct {
	report.Rule
	run func(ctx context.Context, p *preflight) error
}

// checks are run in this order.
var checks = []check{
	{report.Rule{ID: "identity", Doc: "git has an identity to sign off commits with"}, checkIdentity},
	{report.Rule{ID: "signing-key", Doc: "signed tags are asked for, and git has a key"}, checkSigning},
	{report.Rule{ID: "token-scope", Doc: "the token may do what the release does"}, checkToken},
	{report.Rule{ID: "repository", Doc: "every repository is there and can be pushed to"}, checkRepositories},
	{report.Rule{ID: "branch-protection", Doc: "what the branches of the PRs demand can be met"}, checkProtection},
	{report.Rule{ID: "tag-protection", Doc: "the tags can be pushed"}, checkTagRules},
	{report.Rule{ID: "version-order", Doc: "versions are newer than the released ones"}, checkOrder},
	{report.Rule{ID: "tag-conflict", Doc: "the tags are free, under every spelling"}, checkTags},
	{report.Rule{ID: "tag-missing", Doc: "the tags of what is only referred to are there"}, checkReferred},
	{report.Rule{ID: "image-missing", Doc: "images of what is released already are there"}, checkImages},
	{report.Rule{ID: "image-exists", Doc: "no image has the tag of a release that is not tagged"}, checkNoImages},
	{report.Rule{ID: "workflow-inputs", Doc: "workflows take the inputs that they will be given"}, checkWorkflows},
	{report.Rule{ID: "image-unbuilt", Doc: "the tag starts a workflow that may build the image"}, checkBuilders},
	{report.Rule{ID: "places", Doc: "every place where a version stands is found"}, checkPlaces},
	{report.Rule{ID: "matrix", Doc: "the tree that the PR will propose holds to the matrix (matrix check, offline)"}, checkMatrix},
	{report.Rule{ID: "catalog", Doc: "the release before is in the catalog, and this one is not"}, checkCatalog},
	{report.Rule{ID: "bundle", Doc: "the bundle can be made, and has examples for its resources"}, checkBundle},
	{report.Rule{ID: "announcement", Doc: "what is to be announced can be"}, checkAnnouncement},
	{report.Rule{ID: "freeze", Doc: "no freeze is on"}, checkFreeze},
}

// Rules lists the checks of Preflight, for the forms that carry a catalogue.
func Rules() []report.Rule {
	var rules []report.Rule
	for _, c := range checks {
		c.Severity = report.Error
		rules = append(rules, c.Rule)
	}
	return rules
}

// A preflight gathers findings.
type preflight struct {
	*View
	rule     string
	findings []report.Finding
}

func (p *preflight) say(severity report.Severity, component, hint, format string, args ...any) {
	p.findings = append(p.findings, report.Finding{
		Rule: p.rule, Severity: severity, Component: component, Version: p.Train.Versions[component],
		Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (p *preflight) bad(component, hint, format string, args ...any) {
	p.say(report.Error, component, hint, format, args...)
}

// Preflight looks for what would stop the release half-way. Findings of
// severity error must be dealt with first; an error means that the answer is
// not known.
func Preflight(ctx context.Context, v *View) ([]report.Finding, error) {
	p := &preflight{View: v}
	for _, c := range checks {
		p.rule = c.ID
		if err := c.run(ctx, p); err != nil {
			return p.findings, fmt.Errorf("preflight %s: %w", c.ID, err)
		}
	}
	return p.findings, nil
}
