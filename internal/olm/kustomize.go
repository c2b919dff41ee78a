package olm

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime/metrics"
	"strings"
	"time"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	built "sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
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
	if errors.Is(err, errGrows) || errors.Is(err, errSlow) {
		return nil, w.notes, w.endless(o.Root, err)
	}
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

// MaxGrowth is how many bytes of objects a build may take, which is less than the process
// may. Those of operators take less than a tenth.
var MaxGrowth uint64 = 512 << 20

// maxTime is how long a build may take. Those of operators take less than two seconds.
var maxTime = 30 * time.Second

var (
	errGrows = errors.New("more memory than a build may take")
	errSlow  = errors.New("longer than a build may take")
)

// endless is the error of a build that takes too much memory or time: copies of a JSON patch and
// replacements can double an object with each, and each patch may read all of an object.
func (w *walker) endless(root string, cause error) error {
	e := &source.Error{Path: root, Err: fmt.Errorf("kustomize: the build takes more than %d MiB of memory", MaxGrowth>>20)}
	if errors.Is(cause, errSlow) {
		e.Err = fmt.Errorf("kustomize: the build takes longer than %s", maxTime)
	}
	var change []string
	for _, k := range w.visited {
		if len(k.doc.Patches)+len(k.doc.Replacements)+len(k.doc.Transformers) > 0 {
			change = append(change, shown(k.path))
		}
	}
	if len(change) > 0 {
		e.Path, e.Hint = change[0], "look for a JSON patch that copies, or a replacement, into what it is taken from, or for very many of them: "+report.Few(change, ", ")
	}
	return e
}

// heapSize is how many bytes the objects of this process take.
func heapSize() uint64 {
	used := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(used)
	return used[0].Value.Uint64()
}

// runKustomize builds a root. Kustomize cannot be interrupted: when ctx ends
// while it computes, or it takes too much memory or time, it is left to itself.
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
	before, end := heapSize(), time.After(maxTime)
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case r := <-done:
			return r.objects, r.err
		case <-end:
			return nil, errSlow
		case <-look.C:
			if heapSize() > before+MaxGrowth {
				return nil, errGrows
			}
		}
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

// checkNames refuses objects with names that cannot be parts of a path: the files
// of a bundle are named after them.
func checkNames(root string, objects resmap.ResMap) error {
	for _, r := range objects.Resources() {
		words := append(strings.SplitN(r.GetApiVersion(), "/", 2), r.GetKind(), r.GetName(), r.GetNamespace())
		if r.GetKind() == "CustomResourceDefinition" {
			words = append(words, specText(r, "group"), specText(r, "names.plural"))
		}
		for _, word := range words {
			if word != "" && !isPathSegment(word) {
				return &source.Error{Path: root, Err: fmt.Errorf("%s %q: %q is not one segment of a path", r.GetKind(), r.GetName(), word)}
			}
		}
	}
	return nil
}

// specText is a text of an object's spec; empty when it is none.
func specText(r *built.Resource, field string) string {
	text, err := r.GetString("spec." + field)
	if err != nil {
		return ""
	}
	return text
}

// isPathSegment says whether a name can be a part of a path ("system:auth").
func isPathSegment(s string) bool {
	return s != "" && s != "." && s != ".." && len(s) < 254 && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`/%\`, r)
	})
}

// controller is the name under which kubebuilder's scaffold refers to the
// image of the project's own manager.
const controller = "controller"

// setImage makes the operator image are where the project keeps it: in an
// env file of a configMapGenerator, else under images. It says whether it
// found such a place.
func (w *walker) setImage(image string) (found bool, err error) {
	for _, k := range w.visited {
		for _, g := range k.doc.ConfigMapGenerator {
			for _, env := range g.EnvSources {
				if w.setEnv(k, env, image) {
					found = true
				}
			}
		}
	}
	for _, k := range w.visited {
		if !found && setImages(k, image) {
			found, err = true, w.serve(k)
		}
	}
	return found, err
}

// setEnv replaces the values of an env file that are images of the same name.
func (w *walker) setEnv(k *kustomization, env, image string) bool {
	file := path.Join(k.dir, env)
	data, err := w.tree.ReadFile(file)
	if err != nil {
		return false
	}
	found := false
	lines := strings.SplitAfter(string(data), "\n")
	for i, line := range lines {
		key, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "=")
		if ok && !strings.HasPrefix(key, "#") && sameImage(value, image) {
			lines[i] = key + "=" + image + line[len(key)+1+len(value):]
			found = true
		}
	}
	if found {
		w.tree.files[file] = []byte(strings.Join(lines, ""))
	}
	return found
}

// setImages does what `kustomize edit set image` does to the entry for the
// operator: kubebuilder's controller, or one whose name is the image's.
func setImages(k *kustomization, image string) bool {
	found := false
	for i := range k.doc.Images {
		entry := &k.doc.Images[i]
		if entry.Name != controller && !sameImage(entry.Name, image) && !sameImage(entry.NewName, image) {
			continue
		}
		found = true
		entry.NewName, entry.NewTag, entry.Digest = stack.SplitImage(image)
	}
	return found
}

// setDeployed replaces the operator's image where it is in the Deployments
// themselves: under its name, or as kubebuilder's controller.
func setDeployed(objects resmap.ResMap, image string) error {
	found := 0
	for _, r := range objects.Resources() {
		if r.GetKind() != "Deployment" {
			continue
		}
		containers, err := r.Pipe(yaml.Lookup("spec", "template", "spec", "containers"))
		if err != nil {
			return err
		}
		if containers == nil {
			continue
		}
		err = containers.VisitElements(func(c *yaml.RNode) error {
			old, _ := c.GetString("image")
			if repository, _, _ := stack.SplitImage(old); repository != controller && !sameImage(old, image) {
				return nil
			}
			found++
			return c.PipeE(yaml.SetField("image", yaml.NewStringRNode(image)))
		})
		if err != nil {
			return err
		}
	}
	if found == 0 {
		return fmt.Errorf("no place for the operator image %s: no env file of a configMapGenerator, no entry of images: and no container of a Deployment has an image of that name", image)
	}
	return nil
}

// sameImage says whether two references are of an image of the same name,
// whatever registry and organisation it is published in.
func sameImage(a, b string) bool {
	ra, _, _ := stack.SplitImage(a)
	rb, _, _ := stack.SplitImage(b)
	return ra != "" && path.Base(ra) == path.Base(rb)
}
