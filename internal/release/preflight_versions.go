package release

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// checkOrder refuses versions that are not newer than what is released on the
// same line: v1.3.1 of the stack went back from KubeRay v1.1.0 to v1.0.0. A
// hotfix is held against its own minor line.
func checkOrder(ctx context.Context, p *preflight) error {
	for _, c := range p.Train.Released() {
		v := p.Train.Versions[c.Name]
		h, err := p.Heads(ctx, c.Repository)
		if err != nil {
			return err
		}
		if _, there := h.Tags[p.Train.Tag(c)]; there {
			continue // released already: taken as it is
		}
		for tag := range h.Tags {
			have, ok := c.VersionOfTag(tag)
			if !ok || semver.Compare(have, v) <= 0 || semver.Prerelease(have) != "" {
				continue
			}
			if p.Train.Hotfix != nil && semver.MajorMinor(have) != semver.MajorMinor(v) {
				continue
			}
			p.bad(c.Name, "", "%s %s would come after %s, which is higher", c.Name, v, matrix.Newest(c, h.Tags, ""))
			break
		}
	}
	return nil
}

// checkTags finds tags that mean the same version in another spelling
// ("v.1.2.0", "1.2.0", "vv1.2.0"), and names that git does not take.
func checkTags(ctx context.Context, p *preflight) error {
	for _, c := range p.Train.Released() {
		want := p.Train.Tag(c)
		if err := git.CheckTag(ctx, want); err != nil {
			p.bad(c.Name, "", "%v", err)
			continue
		}
		h, err := p.Heads(ctx, c.Repository)
		if err != nil {
			return err
		}
		for _, tag := range git.Sorted(h.Tags) {
			if tag != want && steps.PlainTag(tag) == steps.PlainTag(want) {
				p.bad(c.Name, "take the next version, or have the tag deleted if it is not in use; if its tags are spelled so, set tag for it in stack.components", "%s has the tag %s, which spells %s otherwise", c.Repository, tag, want)
			}
		}
		if _, there := h.Tags[want]; !there {
			if draft, drafted, err := p.Drafted(ctx, c); err != nil {
				return err
			} else if drafted {
				p.bad(c.Name, "its author: delete it", "%s has a draft %q, and the tag %s would publish it: %s", c.Repository, draft.Name, want, draft.URL)
			}
		}
		if ref, there := h.Tags[want]; there && c.Name == p.Train.Root().Name {
			ours, err := p.RootMerged(ctx, h)
			if err != nil {
				return err
			}
			if !ours {
				p.bad(c.Name, "", "%s has the tag %s at %.7s already, and the PR of this release is not merged", c.Repository, want, ref.Commit)
			}
		}
	}
	return nil
}

// checkBegun holds what the root was released as, or its PR was merged as, against
// this release: components of other versions would be tagged for nothing.
func checkBegun(ctx context.Context, p *preflight) error {
	t, root := p.Train, p.Train.Root()
	if p.Journal.Last(steps.OperatorName+"-merged", steps.RecAssert) != nil {
		return nil // a maintainer has taken it as it is
	}
	h, err := p.Heads(ctx, root.Repository)
	if err != nil {
		return err
	}
	commit := h.Tags[t.Tag(root)].Commit
	if commit == "" {
		pull, err := steps.OperatorProposal(t, nil).Pull(ctx, p.View)
		if err != nil || !pull.Merged {
			return wire.IgnoreNotFound(err)
		}
		commit = pull.MergeCommit
	}
	made := fmt.Sprintf("%s of %s was made already, at %.7s", t.Version, root.Repository, commit)
	const versions = "name the versions that it was made of (matrix.releases, or --component), or take the next version"
	untagged := false
	for _, c := range t.Released() {
		h, err := p.Heads(ctx, c.Repository)
		if err != nil {
			return err
		}
		if _, there := h.Tags[t.Tag(c)]; !there && c != root {
			p.bad(c.Name, versions+"; or push the tag where it was", "%s, and there is no %s of %s", made, t.Tag(c), c.Repository)
			untagged = true
		}
	}
	if untagged {
		return nil
	}
	tree, err := p.Tree(ctx, root.Repository, commit, false)
	if err != nil {
		return err
	}
	differences, err := t.ReferencesDiffer(ctx, p.View, tree.Files)
	if len(differences) > 0 {
		p.bad(root.Name, versions, "%s, and is not of these versions%s", made, steps.Told(differences))
	}
	return err
}

// checkReferred looks for the tags of the components that the release only
// refers to, and those of nested modules: no one is going to make them.
func checkReferred(ctx context.Context, p *preflight) error {
	for _, c := range p.Train.Stack.At(p.Train.Version) {
		version := p.Train.Versions[c.Name]
		if version == "" {
			continue
		}
		if c.Repository == "" {
			p.say(report.Warning, c.Name, "add its repository in stack.components", "whether %s %s is released is not known: it has no repository", c.Name, version)
			continue
		}
		h, err := p.Heads(ctx, c.Repository)
		if errors.Is(err, ports.ErrNoClone) {
			p.say(report.Warning, c.Name, "clone it there, or set --clones DIR", "whether %s %s is released is not known offline: %v", c.Name, version, err)
			continue
		}
		if errors.Is(err, wire.ErrNotFound) {
			p.bad(c.Name, "", "the repository %s of %s %s is not there", c.Repository, c.Name, version)
			continue
		}
		if err != nil {
			return err
		}
		if p.Train.Releases(c) {
			p.checkNested(c, h)
		} else if _, there := h.Tags[c.TagOf(version)]; !there {
			p.bad(c.Name, "take a version that is released", "%s has no tag %s, and it is not released with the stack", c.Repository, c.TagOf(version))
		}
	}
	return nil
}

// checkNested wants the tag at which Go looks for a module in a folder of its repository:
// it is there, or declared, so that the release makes it.
func (p *preflight) checkNested(c *stack.Component, h git.Heads) {
	folder, version := c.ModuleFolder(), p.Train.Versions[c.Name]
	tag := folder + "/" + version
	if _, there := h.Tags[tag]; there || folder == "" || c == p.Train.Root() || c.Module.Tag != c.Tag || p.Train.Build(c).By == "workflow" {
		return
	}
	p.bad(c.Name, "in .cfctl.yaml, under module of "+c.Name+`: tag: "`+folder+`/v{version}"`,
		"Go looks for %s %s at the tag %s of %s, and only %s is made", c.Module.Path, version, tag, c.Repository, p.Train.Tag(c))
}

// checkImages looks for the images of what is referred to: a tag that is there
// must have its image, else the release would ship a reference to nothing
// (v.0.0.7).
func checkImages(ctx context.Context, p *preflight) error {
	for _, c := range p.Train.Stack.At(p.Train.Version) {
		ref := p.Train.Image(c)
		if ref == "" || p.Train.Versions[c.Name] == "" || slices.Contains(p.Train.Released(), c) {
			continue
		}
		_, err := p.Digest(ctx, ref)
		if errors.Is(err, wire.ErrNotFound) {
			p.bad(c.Name, "", "the image %s is not there", ref)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// checkNoImages finds images that would be taken for the release's own: built
// before its tag, from something else.
func checkNoImages(ctx context.Context, p *preflight) error {
	for _, c := range p.Train.Released() {
		ref := p.Train.Image(c)
		if ref == "" {
			continue
		}
		h, err := p.Heads(ctx, c.Repository)
		if err != nil {
			return err
		}
		if _, tagged := h.Tags[p.Train.Tag(c)]; tagged {
			continue
		}
		digest, err := p.Digest(ctx, ref)
		switch {
		case errors.Is(err, wire.ErrNotFound):
		case err != nil:
			return err
		default:
			p.bad(c.Name, "delete the image, or take the next version", "the image %s exists (%.19s) before its tag: it was built from something else", ref, digest)
		}
	}
	return nil
}
