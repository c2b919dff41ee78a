package olm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// An imageAt is an image reference and where it is in the CSV.
type imageAt struct {
	ref   string
	where string
	keys  []string
}

var (
	csvDeployments = []string{"spec", "install", "spec", "deployments"}
	relatedImages  = []string{"spec", "relatedImages"}
)

// images are all image references of the CSV.
func (p *pass) images() []imageAt {
	all := lists.Of(p.containers(), func(c containerAt) imageAt { return imageAt{text(c.object, "image"), c.where, csvDeployments} })
	for _, r := range list(p.csvObject(), relatedImages...) {
		all = append(all, imageAt{text(r, "image"), strings.TrimSpace("related image " + text(r, "name")), relatedImages})
	}
	if ref := text(p.csvObject(), "metadata", "annotations", "containerImage"); ref != "" {
		all = append(all, imageAt{ref, "annotation containerImage", []string{"metadata", "annotations", "containerImage"}})
	}
	return all
}

// A containerAt is a container of a deployment of the CSV.
type containerAt struct {
	object any
	where  string
}

func (p *pass) containers() []containerAt {
	var all []containerAt
	for _, d := range list(p.csvObject(), csvDeployments...) {
		for _, key := range []string{"initContainers", "containers"} {
			for _, c := range list(d, "spec", "template", "spec", key) {
				all = append(all, containerAt{c, fmt.Sprintf("container %s of deployment %s", text(c, "name"), text(d, "name"))})
			}
		}
	}
	return all
}

func checkDigests(p *pass) {
	if !p.Digests {
		return
	}
	for _, image := range p.images() {
		if _, _, digest := stack.SplitImage(image.ref); digest == "" {
			f := p.sayCSV(image.keys, "%s: %s has no digest", image.where, image.ref)
			f.Actual = image.ref
			if now := p.seen[image.ref]; now != "" {
				f.Expected, f.Hint = image.ref+"@"+now, "image: "+image.ref+"@"+now
			}
		}
	}
}

// checkRelated wants what a disconnected cluster has to mirror to be told.
func checkRelated(p *pass) {
	if !p.Digests || p.csv == nil {
		return
	}
	related := lists.Of(list(p.csv.object, relatedImages...), func(r any) string { return text(r, "image") })
	say := func(ref, where string) {
		if ref != "" && !slices.Contains(related, ref) {
			p.sayCSV(relatedImages, "%s has %s, which is no related image", where, ref).Actual = ref
		}
	}
	for _, c := range p.containers() {
		say(text(c.object, "image"), c.where)
		for _, env := range list(c.object, "env") {
			if name := text(env, "name"); strings.HasPrefix(name, relatedPrefix) {
				say(text(env, "value"), name+" of "+c.where)
			}
		}
	}
}

// Images asks registries for images.
type Images interface {
	// Digest is the digest that a reference, by tag or by digest, has in its
	// registry; empty when it is not there. An error means that it is not known.
	Digest(ctx context.Context, ref string) (string, error)
}

// look asks for every image of the CSV, each once.
func (p *pass) look(ctx context.Context) error {
	p.seen = map[string]string{}
	if p.Images == nil {
		return nil
	}
	for _, image := range p.images() {
		ref, tag, digest := stack.SplitImage(image.ref)
		if _, done := p.seen[image.ref]; done || ref == "" || ref == controller {
			continue
		}
		if digest != "" {
			ref += "@" + digest
		} else if tag != "" {
			ref += ":" + tag
		}
		now, err := p.Images.Digest(ctx, ref)
		if err != nil {
			return err
		}
		p.seen[image.ref] = now
	}
	return nil
}

func checkPresent(p *pass) {
	for _, image := range p.images() {
		if digest, looked := p.seen[image.ref]; looked && digest == "" {
			p.sayCSV(image.keys, "%s: %s is not in its registry", image.where, image.ref).Actual = image.ref
		}
	}
}

func checkPlaceholder(p *pass) {
	for _, image := range p.images() {
		repository, _, _ := stack.SplitImage(image.ref)
		if repository == "" || repository == controller {
			p.sayCSV(image.keys, "%s has the image %q", image.where, image.ref).Hint = "cfctl release bundle --image REF"
		}
	}
}

func checkContainerImage(p *pass) {
	ref := text(p.csv.object, "metadata", "annotations", "containerImage")
	images := p.images()
	runs := slices.ContainsFunc(images, func(i imageAt) bool { return i.ref == ref && !strings.HasPrefix(i.where, "annotation") })
	if ref != "" && !runs {
		p.sayCSV([]string{"metadata", "annotations", "containerImage"}, "containerImage %s is no image of a deployment", ref).Actual = ref
	}
}
