package olm

import (
	"fmt"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/stack"
)

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
