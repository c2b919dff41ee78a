package olm

import (
	"context"
	"errors"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/project-codeflare/cfctl/internal/source"
)

// build runs kustomize over the root, with remote references resolved and the
// operator image set, in the order of `kustomize build` (legacy).
func build(ctx context.Context, p *project, o Options) (resmap.ResMap, []string, error) {
	w := newWalker(ctx, p, o.Remotes)
	root := path.Join("/0", o.Root)
	if err := w.walk(root); err != nil {
		return nil, w.notes, err
	}
	late := false
	if o.Image != "" {
		found, err := w.setImage(o.Image)
		if err != nil {
			return nil, w.notes, err
		}
		late = !found
	}
	objects, err := runKustomize(ctx, w.tree, root)
	if err != nil {
		return nil, w.notes, explain(o.Root, err)
	}
	if err := checkNames(o.Root, objects); err != nil {
		return nil, w.notes, err
	}
	if late {
		if err := setDeployed(objects, o.Image); err != nil {
			return nil, w.notes, err
		}
	}
	return objects, w.notes, nil
}

// runKustomize builds a root. Kustomize cannot be interrupted: when ctx ends
// while it computes, it is left to itself.
func runKustomize(ctx context.Context, files filesys.FileSystem, root string) (resmap.ResMap, error) {
	type result struct {
		objects resmap.ResMap
		err     error
	}
	done := make(chan result, 1)
	go func() {
		options := krusty.MakeDefaultOptions()
		options.Reorder = krusty.ReorderOptionLegacy
		objects, err := krusty.MakeKustomizer(options).Run(files, root)
		done <- result{objects, err}
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case r := <-done:
		return r.objects, r.err
	}
}

// explain gives kustomize's words with paths as the user knows them.
func explain(root string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	text := strings.NewReplacer("'/0/", "'", `"/0/`, `"`, "/0/", "").Replace(err.Error())
	return &source.Error{Path: root, Err: errors.New("kustomize: " + text), Hint: "kustomize build " + root}
}
