package bundle

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// An imageAt is an image reference and where it stands in the CSV.
type imageAt struct {
	ref   string
	where string
	keys  []string
}

// images are all image references of the CSV.
func (p *pass) images() []imageAt {
	if p.csv == nil {
		return nil
	}
	var all []imageAt
	deployments := []string{"spec", "install", "spec", "deployments"}
	for _, d := range list(p.csv.object, deployments...) {
		pod := at(d, "spec", "template", "spec")
		for _, key := range []string{"initContainers", "containers"} {
			for _, c := range list(pod, key) {
				all = append(all, imageAt{text(c, "image"), fmt.Sprintf("container %s of deployment %s", text(c, "name"), text(d, "name")), deployments})
			}
		}
	}
	related := []string{"spec", "relatedImages"}
	for _, r := range list(p.csv.object, related...) {
		all = append(all, imageAt{text(r, "image"), "related image " + text(r, "name"), related})
	}
	if ref := text(p.csv.object, "metadata", "annotations", "containerImage"); ref != "" {
		all = append(all, imageAt{ref, "annotation containerImage", []string{"metadata", "annotations", "containerImage"}})
	}
	return all
}

func checkDigests(p *pass) {
	if !p.Digests {
		return
	}
	for _, image := range p.images() {
		if _, _, digest := splitImage(image.ref); digest == "" {
			p.sayCSV(image.keys, "%s: %s has no digest", image.where, image.ref).Actual = image.ref
		}
	}
}

func checkPlaceholder(p *pass) {
	for _, image := range p.images() {
		repository, _, _ := splitImage(image.ref)
		if repository == "" || repository == controller {
			p.sayCSV(image.keys, "%s has the image %q", image.where, image.ref).Hint = "cfctl release bundle --image REF"
		}
	}
}

func checkContainerImage(p *pass) {
	if p.csv == nil {
		return
	}
	ref := text(p.csv.object, "metadata", "annotations", "containerImage")
	images := p.images()
	runs := slices.ContainsFunc(images, func(i imageAt) bool { return i.ref == ref && !strings.HasPrefix(i.where, "annotation") })
	if ref != "" && !runs {
		p.sayCSV([]string{"metadata", "annotations", "containerImage"}, "containerImage %s is no image of a deployment", ref).Actual = ref
	}
}

var installModes = []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"}

func checkInstallModes(p *pass) {
	if p.csv == nil {
		return
	}
	place := []string{"spec", "installModes"}
	var seen []string
	supported := false
	for _, m := range list(p.csv.object, place...) {
		name := text(m, "type")
		switch {
		case !slices.Contains(installModes, name):
			p.sayCSV(place, "unknown install mode %q", name).Hint = nearest(name, installModes)
		case slices.Contains(seen, name):
			p.sayCSV(place, "install mode %s stands twice", name)
		}
		seen = append(seen, name)
		supported = supported || at(m, "supported") == true
	}
	switch {
	case len(seen) == 0:
		p.sayCSV(place, "no install modes").Hint = "OLM cannot install it: say of each of " + strings.Join(installModes, ", ") + " whether it is supported"
	case !supported:
		p.sayCSV(place, "no install mode is supported")
	}
}

func checkMinKube(p *pass) {
	if p.csv == nil {
		return
	}
	place := []string{"spec", "minKubeVersion"}
	v := at(p.csv.object, place...)
	if v == nil || v == "" {
		return
	}
	if s := fmt.Sprint(v); !semver.IsValid("v"+s) || strings.Count(s, ".") < 2 {
		p.sayCSV(place, "minKubeVersion %s is not MAJOR.MINOR.PATCH", s)
	} else if p.Kube != "" && semver.Compare("v"+s, "v"+strings.TrimPrefix(p.Kube, "v")) > 0 {
		p.sayCSV(place, "needs Kubernetes %s, and is checked for %s", s, p.Kube)
	}
}

func checkMinKubeMissing(p *pass) {
	if p.csv != nil && isEmpty(at(p.csv.object, "spec", "minKubeVersion")) {
		p.sayCSV([]string{"spec"}, "minKubeVersion is not said: OLM takes it that every Kubernetes will do")
	}
}

func checkKinds(p *pass) {
	for i := range p.manifests {
		m := &p.manifests[i]
		if kind := m.kind(); kind != "" && !supportedKinds[kind] {
			p.say(m.path, lineOf(m.node, []string{"kind"}), "OLM takes no %s from a bundle", kind).Hint = kindHint(kind)
		}
	}
}

func checkNamespace(p *pass) {
	for i := range p.manifests {
		m := &p.manifests[i]
		if ns := text(m.object, "metadata", "namespace"); ns != "" && m != p.csv && m.kind() != "ClusterServiceVersion" {
			p.say(m.path, lineOf(m.node, []string{"metadata", "namespace"}), "%s %s names the namespace %s", m.kind(), m.name(), ns)
		}
	}
}

func checkTwice(p *pass) {
	seen := map[string]string{}
	for i := range p.manifests {
		m := &p.manifests[i]
		if m.kind() == "ClusterServiceVersion" || m.name() == "" {
			continue
		}
		key := groupOf(text(m.object, "apiVersion")) + "/" + m.kind() + "/" + m.name()
		if first := seen[key]; first != "" {
			p.say(m.path, 0, "%s %s stands in %s too", m.kind(), m.name(), first)
			continue
		}
		seen[key] = m.path
	}
}

func checkWebhooks(p *pass) {
	if p.csv == nil {
		return
	}
	var deployments []string
	for _, d := range list(p.csv.object, "spec", "install", "spec", "deployments") {
		deployments = append(deployments, text(d, "name"))
	}
	for _, w := range list(p.csv.object, "spec", "webhookdefinitions") {
		if name := text(w, "deploymentName"); !slices.Contains(deployments, name) {
			f := p.sayCSV([]string{"spec", "webhookdefinitions"}, "webhook %s is served by %q, which is no deployment of the CSV", text(w, "generateName"), name)
			f.Actual, f.Hint = name, nearest(name, deployments)
		}
	}
}

func checkOneDirectory(p *pass) {
	if p.Commits == nil {
		return
	}
	for _, file := range p.Commits.Changed {
		if !strings.HasPrefix(file, p.Commits.Folder+"/") {
			p.say("", 0, "%s is changed too; a catalog takes one bundle at a time", file)
		}
	}
}

func checkSignOff(p *pass) {
	if p.Commits == nil {
		return
	}
	for _, c := range p.Commits.List {
		if !signedOff(c) {
			f := p.say("", 0, "commit %.12s by %s <%s> is not signed off by its author", c.Hash, c.Author, c.Email)
			f.Hint = "git commit --amend --signoff, or git rebase --signoff for more than the last"
		}
	}
}

// signedOff says whether a line "Signed-off-by: NAME <EMAIL>" of the message
// has the author's address. Source: https://developercertificate.org
func signedOff(c Commit) bool {
	for line := range strings.Lines(c.Message) {
		name, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		if ok && strings.EqualFold(name, "Signed-off-by") && strings.HasSuffix(strings.ToLower(strings.TrimSpace(rest)), "<"+strings.ToLower(c.Email)+">") {
			return true
		}
	}
	return false
}
