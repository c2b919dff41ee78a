package release

import (
	"context"
	"errors"
	"fmt"
	"path"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/release/bump"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// auditRules are what audit finds.
var auditRules = []report.Rule{
	{ID: "branch-rewritten", Doc: "the branch that a component is released from has the commit that was tagged", Severity: report.Note},
	{ID: "catalog-edited", Doc: "the catalog does not have the bundle as it was merged", Severity: report.Error},
	{ID: "document-edited", Doc: "a document downstream does not name the versions of the release, nor later ones", Severity: report.Error},
	{ID: "matrix-edited", Doc: "the versions on the release branch are not the ones of the newest release", Severity: report.Error},
}

// audit looks at what became of a release next to its steps.
func audit(ctx context.Context, v *steps.View) ([]report.Finding, error) {
	var findings []report.Finding
	for _, look := range []func(context.Context, *steps.View) ([]report.Finding, error){rewritten, matrixEdited, catalogEdited, documentsEdited} {
		more, err := look(ctx, v)
		if errors.Is(err, steps.ErrUnknown) {
			continue
		}
		if findings = append(findings, more...); err != nil {
			return findings, err
		}
	}
	return findings, nil
}

// rewritten looks for components whose branch has lost the commit that was tagged: the tag
// stays, and the next release would not have what was in this one.
func rewritten(ctx context.Context, v *steps.View) (findings []report.Finding, err error) {
	for _, c := range v.Train.Released() {
		commit, branch := string(v.Train.Tagged(c, v)), v.Train.Branch(c)
		h, err := v.Heads(ctx, c.Repository)
		if err != nil {
			return findings, err
		}
		if commit == "" || h.Branches[branch] == "" || v.Train.Build(c).By == "workflow" { // whose tags are beside the branch
			continue
		}
		on, err := v.Contains(ctx, c.Repository, h.Branches[branch], commit)
		if err != nil {
			return findings, err
		}
		if !on {
			findings = append(findings, report.Finding{Rule: "branch-rewritten", Severity: report.Note,
				Message: fmt.Sprintf("%s of %s does not have the commit %.7s of %s any more", branch, c.Repository, commit, v.Train.Tag(c)),
				Hint:    "push the commit to the branch again, or the next release lacks it"})
		}
	}
	return findings, nil
}

// catalogEdited checks the bundle that the catalog has now against the one that
// was merged, file by file.
func catalogEdited(ctx context.Context, v *steps.View) ([]report.Finding, error) {
	t, c := v.Train, v.Train.Recipe.Catalog
	if c == nil || !t.Made().Merged["catalog"].Reached(v) || v.Skipped("catalog-merged") {
		return nil, nil
	}
	merged, err := v.Tree(ctx, c.Repository, string(t.Made().Merged["catalog"].In(v)), true)
	if err != nil {
		return nil, err
	}
	now, err := v.CatalogMain(ctx)
	if err != nil {
		return nil, err
	}
	folder := path.Join(c.Path, steps.Bare(t.Version))
	was, err := bump.FilesOf(merged.Files, folder)
	if err != nil {
		return nil, err
	}
	have, err := bump.FilesOf(now.Files, folder)
	if err != nil {
		return nil, err
	}
	return lists.Of(bump.FilesDiffer(folder, have, was), func(text string) report.Finding {
		return report.Finding{Rule: "catalog-edited", Severity: report.Error, Message: c.Branch + " of " + c.Repository + ": " + text}
	}), nil
}

// documentsEdited checks the documents downstream, as they are now, against the
// versions of the release. A later release may have moved them on.
func documentsEdited(ctx context.Context, v *steps.View) ([]report.Finding, error) {
	var findings []report.Finding
	for i := range v.Train.Recipe.Downstream {
		d := &v.Train.Recipe.Downstream[i]
		merged := d.Name + "-merged"
		if !v.Train.Made().Merged[d.Name].Reached(v) || v.Skipped(merged) {
			continue // told as not done, or not of this era
		}
		tree, err := v.Tip(ctx, d.Repository, d.Branch, true)
		if err != nil {
			return findings, err
		}
		changes, err := v.Train.SetDocument(d, tree.Files)
		if errors.Is(err, stack.ErrNoMatch) {
			findings = append(findings, report.Finding{Rule: "document-edited", Severity: report.Error, Message: err.Error()})
			continue
		}
		if err != nil {
			return findings, err
		}
		texts, err := bump.Differences(tree.Files, changes)
		if err != nil {
			return findings, err
		}
		for _, text := range texts {
			findings = append(findings, report.Finding{Rule: "document-edited", Severity: report.Error, Message: d.Branch + " of " + d.Repository + ": " + text})
		}
	}
	return findings, nil
}

// matrixEdited looks at the branch that the newest release was made from: the
// versions there are the ones of that release until the next one begins.
func matrixEdited(ctx context.Context, v *steps.View) ([]report.Finding, error) {
	t, root := v.Train, v.Train.Root()
	h, err := v.Heads(ctx, root.Repository)
	if err != nil || matrix.Newest(root, h.Tags, "") != t.Version {
		return nil, err
	}
	tree, err := v.RootMain(ctx)
	if err != nil {
		return nil, err
	}
	if semver.Compare(bump.VersionIn(t.Stack, tree.Files, root), t.Version) > 0 {
		return nil, nil // the next release, or a pre-release of it, has begun there
	}
	texts, err := t.ReferencesDiffer(ctx, v, tree.Files)
	return lists.Of(texts, func(text string) report.Finding {
		message := fmt.Sprintf("%s of %s does not hold the versions of %s any more: %s", t.Branch(root), root.Repository, t.Version, text)
		return report.Finding{Rule: "matrix-edited", Severity: report.Error, Message: message}
	}), err
}
