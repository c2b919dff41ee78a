package prove

import (
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// crds holds the CRDs of a stream against what an API server asks of their
// names, each that kept to it before.
// Source: k8s.io/apiextensions-apiserver, pkg/apis/apiextensions/validation.
func (c *check) crds(before, after []*yaml.Node) error {
	was := map[string]bool{} // the names that kept to it
	broken := false
	for _, d := range before {
		if crd := crdOf(d); crd != nil {
			err := namesOf(crd)
			was[textAt(crd, "metadata", "name")] = err == nil
			broken = broken || err != nil
		}
	}
	if len(was) == 0 || broken {
		return nil
	}
	for _, d := range after {
		if crd := crdOf(d); crd != nil {
			if err := namesOf(crd); err != nil {
				return under(textAt(crd, "metadata", "name"), err)
			}
		}
	}
	return nil
}

// crdOf is the CustomResourceDefinition that a document is, or nil.
func crdOf(doc *yaml.Node) *yaml.Node {
	if doc.Kind == yaml.DocumentNode && len(doc.Content) > 0 {
		doc = doc.Content[0]
	}
	if k := entry(doc, "kind"); k == nil || k.Value != "CustomResourceDefinition" || value(doc, "spec") == nil {
		return nil
	}
	return doc
}

func textAt(n *yaml.Node, path ...string) string {
	for _, key := range path {
		n = value(n, key)
	}
	if n == nil {
		return ""
	}
	return n.Value
}

// namesOf says whether the names of a CRD agree: its own is plural.group, and
// of its versions each has a name of its own and one is stored.
func namesOf(crd *yaml.Node) error {
	spec := value(crd, "spec")
	name, group, plural := textAt(crd, "metadata", "name"), textAt(spec, "group"), textAt(spec, "names", "plural")
	if name != plural+"."+group {
		return differ("the name should be %s.%s", plural, group)
	}
	versions := value(spec, "versions")
	if versions == nil || versions.Kind != yaml.SequenceNode {
		return nil
	}
	seen, stored := map[string]bool{}, 0
	for _, v := range versions.Content {
		if n := textAt(v, "name"); seen[n] || !isVersion(n) {
			return differ("the version %q", n)
		}
		seen[textAt(v, "name")] = true
		if textAt(v, "storage") == "true" {
			stored++
		}
	}
	if stored != 1 {
		return differ("%d versions are stored", stored)
	}
	return nil
}
