package olm

import (
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/api/resmap"
	built "sigs.k8s.io/kustomize/api/resource"

	"github.com/project-codeflare/cfctl/internal/source"
)

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
