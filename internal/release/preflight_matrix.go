package release

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// checkMatrix runs the checks of the matrix on the tree that the PR to the root
// will propose, without asking remotes: the preflight has done that. What the
// branch has already is a warning; what this release would bring, an error.
func checkMatrix(ctx context.Context, p *preflight) error {
	t := p.train
	tree, err := p.rootMain(ctx)
	if err != nil {
		return err
	}
	changes, err := t.referencesOf(ctx, p.View, withoutCRDs(t.stack), tree.files)
	var transit *wire.TransitError
	switch {
	case errors.As(err, &transit), ctx.Err() != nil:
		return err
	case err != nil:
		return nil //nolint:nilerr // checkPlaces has told it
	}
	before, err := t.matrixFindings(ctx, p, tree.files, "")
	if err != nil {
		return nil //nolint:nilerr // the branch as it is cannot be read: what is proposed is told below
	}
	after, err := t.matrixFindings(ctx, p, withChanges(tree.files, changes), t.tag(t.root()))
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
