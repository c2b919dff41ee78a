package release

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

const workflowFolder = ".github/workflows"

// source is the repository of a component as it would be tagged; ok is false
// when there is nothing to look at: it is tagged already, or has no such branch.
func (p *preflight) source(ctx context.Context, c *stack.Component) (s Snapshot, ok bool, err error) {
	h, err := p.heads(ctx, c.Repository)
	if err != nil {
		return s, false, err
	}
	commit := h.Branches[p.train.branch(c)]
	if _, there := h.Tags[p.train.tag(c)]; there || commit == "" {
		return s, false, nil
	}
	s, err = p.tree(ctx, c.Repository, commit, false)
	return s, err == nil, err
}

// checkWorkflows compares the inputs that a workflow declares with those that
// it will be given.
func checkWorkflows(ctx context.Context, p *preflight) error {
	for _, c := range p.train.released() {
		b := p.train.build(c)
		if b.By != "workflow" {
			continue
		}
		tree, ok, err := p.source(ctx, c)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		file := path.Join(workflowFolder, b.Workflow)
		data, err := fs.ReadFile(tree.files, file)
		if errors.Is(err, fs.ErrNotExist) {
			p.bad(c.Name, "", "%s has no %s on %s", c.Repository, file, p.train.branch(c))
			continue
		}
		if err != nil {
			return err
		}
		w, err := parseWorkflow(data)
		if err != nil {
			p.bad(c.Name, "", "%s of %s: %v", file, c.Repository, err)
			continue
		}
		for _, wrong := range w.refuses(p.train.inputs(c)) {
			p.bad(c.Name, "set the inputs of "+c.Name+" under release.components", "%s of %s: %s", file, c.Repository, wrong)
		}
	}
	return nil
}

// checkBuilders looks for a workflow that a pushed tag starts, where the image
// of the tag is awaited: else the train would wait for an image that no one
// builds. It may be built elsewhere, so this is a warning.
func checkBuilders(ctx context.Context, p *preflight) error {
	for _, c := range p.train.released() {
		if p.train.image(c) == "" || p.train.build(c).By != "tag" {
			continue
		}
		tree, ok, err := p.source(ctx, c)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		started, err := startedBy(tree.files, p.train.tag(c))
		if err != nil {
			return err
		}
		if !started {
			p.say(report.Warning, c.Name, "add a workflow that builds it on: push: tags, or push it by hand when the train waits for it",
				"no workflow of %s runs when the tag %s is pushed: who builds %s?", c.Repository, p.train.tag(c), p.train.image(c))
		}
	}
	return nil
}

// startedBy says whether a workflow of a tree is started by pushing a tag.
func startedBy(tree fs.FS, tag string) (bool, error) {
	files, _, err := workflowsIn(tree)
	for _, w := range files {
		if w.startedBy(tag) {
			return true, err
		}
	}
	return false, err
}
