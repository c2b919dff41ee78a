package release

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/olm"
	"github.com/project-codeflare/cfctl/internal/release/bump"
	"github.com/project-codeflare/cfctl/internal/release/guards"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/schedule"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// checkPlaces finds places that match nothing, before a PR is made of them.
func checkPlaces(ctx context.Context, p *preflight) error {
	tree, err := p.RootMain(ctx)
	if err != nil {
		return err
	}
	_, err = p.Train.References(ctx, p.View, tree.Files)
	var transit *wire.TransitError
	switch {
	case err == nil, errors.Is(err, steps.ErrUnknown):
	case errors.As(err, &transit), ctx.Err() != nil:
		return err
	default:
		root, hint := p.Train.Root(), ""
		switch {
		case errors.Is(err, stack.ErrNoPlace):
			hint = "declare where a file has it: " + report.DocsURL("matrix")
		case errors.Is(err, stack.ErrNoMatch):
			hint = "push it to " + p.Train.Branch(root) + " of " + root.Repository + ": a release reads that branch, not the work tree"
		}
		p.bad(root.Name, hint, "%v", err)
	}
	return checkPins(ctx, p)
}

// checkPins finds pins that match nothing, before anything is tagged.
func checkPins(ctx context.Context, p *preflight) error {
	t := p.Train
	for _, c := range t.Released() {
		places := t.PinPlaces(c)
		if len(places) == 0 {
			continue
		}
		tree, ok, err := p.source(ctx, c)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if _, err := t.SetPins(c, places, tree.Files); err != nil {
			p.bad(c.Name, "", "%v", err)
		}
	}
	return nil
}

// source is the repository of a component as it would be tagged; ok is false
// when there is nothing to look at: it is tagged already, or has no such branch.
func (p *preflight) source(ctx context.Context, c *stack.Component) (s ports.Snapshot, ok bool, err error) {
	h, err := p.Heads(ctx, c.Repository)
	if err != nil {
		return s, false, err
	}
	commit := h.Branches[p.Train.Branch(c)]
	if _, there := h.Tags[p.Train.Tag(c)]; there || commit == "" {
		return s, false, nil
	}
	s, err = p.Tree(ctx, c.Repository, commit, false)
	return s, err == nil, err
}

// checkBuilders looks for a workflow that a pushed tag starts, where the image
// of the tag is awaited: else the train would wait for an image that no one
// builds. It may be built elsewhere, so this is a warning.
func checkBuilders(ctx context.Context, p *preflight) error {
	for _, c := range p.Train.Released() {
		if p.Train.Image(c) == "" || p.Train.Build(c).By != "tag" {
			continue
		}
		tree, ok, err := p.source(ctx, c)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		started, err := guards.StartedBy(tree.Files, p.Train.Tag(c))
		if err != nil {
			return err
		}
		if !started {
			p.say(report.Warning, c.Name, "add a workflow that builds it on: push: tags, or push it by hand when the train waits for it",
				"no workflow of %s runs when the tag %s is pushed: who builds %s?", c.Repository, p.Train.Tag(c), p.Train.Image(c))
		}
	}
	return nil
}

// checkCatalog checks the chain of `replaces` against the catalog: the release
// before this one must be in it, else users of that one never get this one.
func checkCatalog(ctx context.Context, p *preflight) error {
	t := p.Train
	if t.Recipe.Catalog == nil || p.Skipped("catalog-branch") {
		return nil
	}
	tree, err := p.CatalogMain(ctx)
	if err != nil {
		return err
	}
	folder, err := fs.Sub(tree.Files, t.Recipe.Catalog.Path)
	if err != nil {
		return err
	}
	catalog, err := olm.ReadPackage(folder)
	if err != nil {
		return err
	}
	have := catalog.Versions()
	h, err := p.Heads(ctx, t.Root().Repository)
	if err != nil {
		return err
	}
	last := matrix.Newest(t.Root(), h.Tags, t.Version)
	if last != "" && len(have) > 0 && !slices.Contains(have, steps.Bare(last)) {
		why, coming, err := p.Absent(ctx, last)
		if err != nil {
			return err
		}
		top := "v" + have[len(have)-1]
		if coming {
			p.bad(t.Root().Name, "cfctl release run "+last+" resumes with it; or, if it is not planned: cfctl release skip "+last+" catalog --reason TEXT",
				"the catalog does not have %s, the release before this one (it has up to %s): %s, and the chain of replaces would skip it", last, top, why)
		} else {
			p.say(report.Warning, t.Root().Name, "", "the catalog does not have %s (%s): the bundle of %s replaces %s", last, why, t.Version, top)
		}
	}
	if len(have) > 0 && semver.Compare("v"+have[len(have)-1], t.Version) > 0 && t.Hotfix == nil {
		p.bad(t.Root().Name, "", "the catalog has %s, which is higher than %s", "v"+have[len(have)-1], t.Version)
	}
	return nil
}

// checkBundle makes the bundle of what main holds now, to see that it can be
// made; its findings (missing alm-examples and the like) come from the generator.
func checkBundle(ctx context.Context, p *preflight) error {
	t := p.Train
	if t.Recipe.Catalog == nil || p.Skipped("catalog-branch") {
		return nil
	}
	tree, err := p.RootMain(ctx)
	if err != nil {
		return err
	}
	catalog, err := p.CatalogMain(ctx)
	if err != nil {
		return err
	}
	have, replaces, err := t.Replaces(tree.Files, catalog.Files)
	if err != nil {
		return err
	}
	files, err := t.BundleThat(ctx, replaces, tree)
	if err != nil {
		p.bad(t.Root().Name, "", "the bundle cannot be made: %v", err)
		return nil
	}
	if err := t.AddReleaseConfig(files, have, replaces); err != nil {
		p.bad(t.Root().Name, "name its templates under release.catalog.templates", "%v", err)
		return nil
	}
	findings, err := t.Validate(ctx, tree.Files, files, catalog.Files)
	for _, f := range findings {
		if f.Severity == report.Error || f.Rule == steps.ExamplesRule {
			hint := f.Hint
			if t.Hotfix != nil && f.Severity == report.Error {
				hint = strings.TrimPrefix(hint+"; or leave the catalog out: --skip catalog --reason TEXT", "; ")
			}
			p.say(f.Severity, t.Root().Name, hint, "%s (%s)", f.Message, f.Rule)
		}
	}
	return err
}

// checkAnnouncement wants the webhook before the first effect, not at the last
// step. A plan is often made by a user who does not have it.
func checkAnnouncement(_ context.Context, p *preflight) error {
	severity := report.Error
	if p.Planning() {
		severity = report.Warning
	}
	if p.Mute {
		p.say(severity, "", "set CFCTL_SLACK_WEBHOOK to the webhook's URL", "release.announce posts to Slack, and there is no webhook")
	}
	return nil
}

// checkFreeze stops a release in a declared freeze. The code freeze at the end
// of a sprint (ADR-0003: "approximately two days") comes before the release: to
// begin in it is early, and told.
func checkFreeze(_ context.Context, p *preflight) error {
	now := p.Now()
	for _, w := range p.Train.Recipe.Freeze {
		if !now.Before(w.From) && now.Before(w.Until) {
			p.bad("", "wait until "+w.Until.UTC().Format("2006-01-02 15:04 MST"), "a freeze is on: %s", w.Reason)
		}
	}
	if p.Train.Sprint.Weeks == 0 || p.Train.Hotfix != nil {
		return nil
	}
	sprints, err := schedule.Sprints(p.Train.Sprint, now, 1)
	if err != nil {
		return err
	}
	if s := sprints[0]; !now.Before(s.FreezeFrom.Time) && now.Before(s.FreezeUntil.AddDate(0, 0, 1)) {
		p.say(report.Warning, "", "", "the code freeze of sprint %d is on until %s; its release is due on %s", s.Number, s.FreezeUntil, s.Release)
	}
	return nil
}

// checkMatrix runs the checks of the matrix on the tree that the PR to the root
// will propose, without asking remotes: the preflight has done that. What the
// branch has already is a warning; what this release would bring, an error.
func checkMatrix(ctx context.Context, p *preflight) error {
	t := p.Train
	tree, err := p.RootMain(ctx)
	if err != nil {
		return err
	}
	changes, err := t.ReferencesOf(ctx, p.View, withoutCRDs(t.Stack), tree.Files)
	var transit *wire.TransitError
	switch {
	case errors.As(err, &transit), ctx.Err() != nil:
		return err
	case err != nil:
		return nil //nolint:nilerr // checkPlaces has told it
	}
	before, err := p.matrixFindings(ctx, tree.Files, "")
	if err != nil {
		return nil //nolint:nilerr // the branch as it is cannot be read: what is proposed is told below
	}
	after, err := p.matrixFindings(ctx, bump.WithChanges(tree.Files, changes), t.Tag(t.Root()))
	var nothing *matrix.NothingError
	switch {
	case errors.As(err, &nothing):
		return nil // neither a table nor a row: nothing that could be violated
	case err != nil:
		p.bad(t.Root().Name, "", "%v", err)
		return nil
	}
	fresh := matrix.New(before, after)
	for _, f := range after {
		if f.Severity != report.Error {
			continue
		}
		severity := report.Warning
		if len(matrix.New(fresh, []report.Finding{f})) == 0 {
			severity = report.Error
		}
		p.Report(report.Finding{
			Rule: p.Rule.ID, Severity: severity, Component: f.Component, Version: f.Version, Path: f.Path, Line: f.Line, Column: f.Column,
			Hint: f.Hint}, "%s (%s)", f.Message, f.Rule)
	}
	return nil
}

// withoutCRDs is a stack whose components have no CRDs: their content is that of
// tags, which are not there before the release.
func withoutCRDs(s *stack.Stack) *stack.Stack {
	plain := *s
	plain.Components = slices.Clone(s.Components)
	for i := range plain.Components {
		plain.Components[i].CRDs = nil
	}
	return &plain
}

// matrixFindings checks one tree; tag is what it will be tagged, empty = not
// known.
func (p *preflight) matrixFindings(ctx context.Context, tree fs.FS, tag string) ([]report.Finding, error) {
	t := p.Train
	config := t.Matrix
	if config == nil {
		config = &matrix.Config{}
	}
	return matrix.Run(ctx, &matrix.Input{Stack: t.Stack, Config: config, Tree: tree, Tag: tag, Now: p.Now()})
}
