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
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/schedule"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// checkPlaces finds places that match nothing, before a PR is made of them.
func checkPlaces(ctx context.Context, p *preflight) error {
	tree, err := p.rootMain(ctx)
	if err != nil {
		return err
	}
	_, err = p.train.references(ctx, p.View, tree.Files)
	var transit *wire.TransitError
	switch {
	case err == nil, errors.Is(err, errUnknown):
	case errors.As(err, &transit), ctx.Err() != nil:
		return err
	default:
		p.bad(p.train.root().Name, "", "%v", err)
	}
	return checkPins(ctx, p)
}

// tip is what a branch of a repository has; one that is not there is a *BranchError.
func (v *View) tip(ctx context.Context, repo, branch string, large bool) (ports.Snapshot, error) {
	h, err := v.heads(ctx, repo)
	if err != nil {
		return ports.Snapshot{}, err
	}
	if h.Branches[branch] == "" {
		return ports.Snapshot{}, v.noBranch(ctx, repo, branch)
	}
	return v.tree(ctx, repo, h.Branches[branch], large)
}

func (v *View) rootMain(ctx context.Context) (ports.Snapshot, error) {
	root := v.train.root()
	return v.tip(ctx, root.Repository, v.train.branch(root), false)
}

// catalogMain is the catalog as it is upstream.
func (v *View) catalogMain(ctx context.Context) (ports.Snapshot, error) {
	c := v.train.recipe.Catalog
	return v.tip(ctx, c.Repository, c.Branch, true)
}

// checkCatalog checks the chain of `replaces` against the catalog: the release
// before this one must be in it, else users of that one never get this one.
func checkCatalog(ctx context.Context, p *preflight) error {
	t := p.train
	if t.recipe.Catalog == nil || p.Skipped("catalog-branch") {
		return nil
	}
	tree, err := p.catalogMain(ctx)
	if err != nil {
		return err
	}
	folder, err := fs.Sub(tree.Files, t.recipe.Catalog.Path)
	if err != nil {
		return err
	}
	catalog, err := olm.ReadPackage(folder)
	if err != nil {
		return err
	}
	have := catalog.Versions()
	h, err := p.heads(ctx, t.root().Repository)
	if err != nil {
		return err
	}
	last := matrix.Newest(t.root(), h.Tags, t.Version)
	if last != "" && len(have) > 0 && !slices.Contains(have, bare(last)) {
		why, coming, err := p.absent(ctx, last)
		if err != nil {
			return err
		}
		top := "v" + have[len(have)-1]
		if coming {
			p.bad(t.root().Name, "cfctl release run "+last+" resumes with it; or, if it is not planned: cfctl release skip "+last+" catalog --reason TEXT",
				"the catalog does not have %s, the release before this one (it has up to %s): %s, and the chain of replaces would skip it", last, top, why)
		} else {
			p.say(report.Warning, t.root().Name, "", "the catalog does not have %s (%s): the bundle of %s replaces %s", last, why, t.Version, top)
		}
	}
	if len(have) > 0 && semver.Compare("v"+have[len(have)-1], t.Version) > 0 && t.hotfix == nil {
		p.bad(t.root().Name, "", "the catalog has %s, which is higher than %s", "v"+have[len(have)-1], t.Version)
	}
	return nil
}

// checkBundle makes the bundle of what main holds now, to see that it can be
// made; its findings (missing alm-examples and the like) come from the generator.
func checkBundle(ctx context.Context, p *preflight) error {
	t := p.train
	if t.recipe.Catalog == nil || p.Skipped("catalog-branch") {
		return nil
	}
	tree, err := p.rootMain(ctx)
	if err != nil {
		return err
	}
	catalog, err := p.catalogMain(ctx)
	if err != nil {
		return err
	}
	have, replaces, err := t.replaces(tree.Files, catalog.Files)
	if err != nil {
		return err
	}
	files, err := t.bundleThat(ctx, replaces, tree)
	if err != nil {
		p.bad(t.root().Name, "", "the bundle cannot be made: %v", err)
		return nil
	}
	if err := t.addReleaseConfig(files, have, replaces); err != nil {
		p.bad(t.root().Name, "name its templates under release.catalog.templates", "%v", err)
		return nil
	}
	findings, err := t.validate(ctx, tree.Files, files, catalog.Files)
	for _, f := range findings {
		if f.Severity == report.Error || f.Rule == examplesRule {
			hint := f.Hint
			if t.hotfix != nil && f.Severity == report.Error {
				hint = strings.TrimPrefix(hint+"; or leave the catalog out: --skip catalog --reason TEXT", "; ")
			}
			p.say(f.Severity, t.root().Name, hint, "%s (%s)", f.Message, f.Rule)
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
	if p.mute {
		p.say(severity, "", "set CFCTL_SLACK_WEBHOOK to the webhook's URL", "release.announce posts to Slack, and there is no webhook")
	}
	return nil
}

// checkFreeze stops a release in a declared freeze. The code freeze at the end
// of a sprint (ADR-0003: "approximately two days") comes before the release: to
// begin in it is early, and told.
func checkFreeze(_ context.Context, p *preflight) error {
	now := p.Now()
	for _, w := range p.train.recipe.Freeze {
		if !now.Before(w.From) && now.Before(w.Until) {
			p.bad("", "wait until "+w.Until.UTC().Format("2006-01-02 15:04 MST"), "a freeze is on: %s", w.Reason)
		}
	}
	if p.train.Sprint.Weeks == 0 || p.train.hotfix != nil {
		return nil
	}
	sprints, err := schedule.Sprints(p.train.Sprint, now, 1)
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
	t := p.train
	tree, err := p.rootMain(ctx)
	if err != nil {
		return err
	}
	changes, err := t.referencesOf(ctx, p.View, withoutCRDs(t.stack), tree.Files)
	var transit *wire.TransitError
	switch {
	case errors.As(err, &transit), ctx.Err() != nil:
		return err
	case err != nil:
		return nil //nolint:nilerr // checkPlaces has told it
	}
	before, err := t.matrixFindings(ctx, p, tree.Files, "")
	if err != nil {
		return nil //nolint:nilerr // the branch as it is cannot be read: what is proposed is told below
	}
	after, err := t.matrixFindings(ctx, p, withChanges(tree.Files, changes), t.tag(t.root()))
	var nothing *matrix.NothingError
	switch {
	case errors.As(err, &nothing):
		return nil // neither a table nor a row: nothing that could be violated
	case err != nil:
		p.bad(t.root().Name, "", "%v", err)
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
func (t *Train) matrixFindings(ctx context.Context, p *preflight, tree fs.FS, tag string) ([]report.Finding, error) {
	config := t.Matrix
	if config == nil {
		config = &matrix.Config{}
	}
	return matrix.Run(ctx, &matrix.Input{Stack: t.stack, Config: config, Tree: tree, Tag: tag, Now: p.Now()})
}
