package olm

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/kustomize/api/resmap"
	built "sigs.k8s.io/kustomize/api/resource"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
)

// checkNames refuses objects that no API server would take for their names:
// the files of a bundle are named after them. The forms are those of
// https://kubernetes.io/docs/concepts/overview/working-with-objects/names/.
func (w *walker) checkNames(root string, objects resmap.ResMap) error {
	for _, r := range objects.Resources() {
		word, what := wrongName(r)
		if what == "" {
			continue
		}
		e := &source.Error{Path: root, Err: fmt.Errorf("%s %q: %q is not %s", r.GetKind(), r.GetName(), word, what)}
		if file, pos := w.standing(word); file != "" {
			e.Path, e.Pos = shown(file), pos
		}
		return e
	}
	return nil
}

// wrongName is the first name of an object that is none, and what it should be;
// both empty when all are.
func wrongName(r *built.Resource) (word, what string) {
	const subdomain, label = "a DNS subdomain name (RFC 1123)", "a DNS label (RFC 1123)"
	group, version, found := strings.Cut(r.GetApiVersion(), "/")
	if !found {
		group, version = "", group
	}
	name, kind := r.GetName(), r.GetKind()
	switch {
	case group != "" && !isDNSName(group):
		return group, subdomain
	case !isDNSLabel(version):
		return version, label
	case !isDNSLabel(strings.ToLower(kind)):
		return kind, "the name of a kind"
	case r.GetNamespace() != "" && !isDNSLabel(r.GetNamespace()):
		return r.GetNamespace(), label
	case group == "rbac.authorization.k8s.io" && !isPathSegment(name):
		return name, "one segment of a path"
	case group != "rbac.authorization.k8s.io" && !isDNSName(name):
		return name, subdomain
	}
	if kind != "CustomResourceDefinition" {
		return "", ""
	}
	if group := specText(r, "group"); !isDNSName(group) {
		return group, subdomain
	}
	if plural := specText(r, "names.plural"); !isDNSLabel(plural) {
		return plural, label
	}
	return "", ""
}

// specText is a text of an object's spec; empty when it is none.
func specText(r *built.Resource, field string) string {
	text, err := r.GetString("spec." + field)
	if err != nil {
		return ""
	}
	return text
}

// isPathSegment says whether a name can be a part of a URL, which is all that
// is asked of the names of roles and bindings ("system:auth").
func isPathSegment(s string) bool {
	return s != "" && s != "." && s != ".." && len(s) < 254 && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`/%\`, r)
	})
}

// isDNSName says whether s is a subdomain name as of RFC 1123.
func isDNSName(s string) bool { return len(validation.IsDNS1123Subdomain(s)) == 0 }

// standing finds where a word is as a value in the files of the build.
func (w *walker) standing(word string) (string, source.Position) {
	for _, file := range slices.Sorted(maps.Keys(w.tree.files)) {
		data := w.tree.files[file]
		if !bytes.Contains(data, []byte(word)) {
			continue
		}
		dec := kyaml.NewDecoder(bytes.NewReader(data))
		var doc kyaml.Node
		for dec.Decode(&doc) == nil {
			if pos := positionIn(&doc, word); pos.Line > 0 {
				return file, pos
			}
			doc = kyaml.Node{}
		}
	}
	return "", source.Position{}
}
