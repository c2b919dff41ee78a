package olm

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
)

// resources reads text as objects, as kustomize does where it decides whether
// an entry is an object itself or the name of one.
func resources(data []byte) (resmap.ResMap, error) {
	return resmap.NewFactory(provider.NewDefaultDepProvider().GetResourceFactory()).NewResMapFromBytes(data)
}

// isObject says whether a patch is one itself, and not the name of a file.
func isObject(text string) bool {
	_, err := provider.NewDefaultDepProvider().GetResourceFactory().SliceFromBytes([]byte(text))
	return err == nil
}

// isURL says whether kustomize would ask a web server for a file of that name.
func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// followPlugin takes the configuration of a generator, transformer or
// validator: a file, a folder of files, or the configuration itself.
func (w *walker) followPlugin(k *kustomization, text string) (string, error) {
	if objects, err := resources([]byte(text)); err == nil {
		return text, w.configured(k, objects)
	}
	name, err := join(k.dir, text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", text, err)
	}
	if is, err := w.layers.isDir(name); err == nil && is {
		if name, err = w.layers.resolve(name); err != nil {
			return "", fmt.Errorf("%s: %w", text, err)
		}
		return relative(k.dir, name), w.walkPlugins(k, name)
	}
	to, data, err := w.followFile(k, text)
	if err != nil {
		return "", err
	}
	if objects, err := resources(data); err == nil { // else kustomize says what is wrong with it
		err = w.configured(k, objects)
		return to, err
	}
	return to, nil
}

var errMadePlugin = errors.New("a folder of generators, transformers or validators may contain only resources here: move what they read into separate files")

// walkPlugins visits a folder of configurations. Its kustomization may only
// list them: one that is made by others is not known before kustomize runs.
func (w *walker) walkPlugins(k *kustomization, dir string) error {
	if _, ok := w.seen[dir]; ok {
		return nil
	}
	w.seen[dir] = 1
	inner, err := w.read(dir)
	if err != nil {
		return err
	}
	w.visited = append(w.visited, inner)
	only := types.Kustomization{TypeMeta: inner.doc.TypeMeta, Resources: inner.doc.Resources}
	a, aerr := yaml.Marshal(only)
	b, berr := yaml.Marshal(inner.doc)
	if aerr != nil || berr != nil || string(a) != string(b) {
		return &source.Error{Path: shown(inner.path), Err: errMadePlugin}
	}
	for i, ref := range inner.doc.Resources {
		if inner.doc.Resources[i], err = w.followListed(k, inner, ref); err != nil {
			return inner.placed(ref, err)
		}
	}
	return nil
}

// followListed takes an entry of a folder of configurations. What these name
// is looked for from the kustomization that names the folder.
func (w *walker) followListed(k, inner *kustomization, ref string) (string, error) {
	name, err := join(inner.dir, ref)
	if err != nil {
		return "", fmt.Errorf("%s: %w", ref, err)
	}
	if is, err := w.layers.isDir(name); err == nil && is {
		if name, err = w.layers.resolve(name); err != nil {
			return "", fmt.Errorf("%s: %w", ref, err)
		}
		return relative(inner.dir, name), w.walkPlugins(k, name)
	}
	to, data, err := w.followFile(inner, ref)
	if err != nil {
		return "", err
	}
	objects, err := resources(data)
	if err != nil {
		return to, nil //nolint:nilerr // kustomize says what is wrong with it
	}
	return to, w.configured(k, objects)
}

// configured takes every file that a configuration could mean: each of its
// texts that is the name of one, below the kustomization k. A text that is an
// address would be fetched, and is refused.
func (w *walker) configured(k *kustomization, objects resmap.ResMap) error {
	for _, r := range objects.Resources() {
		data, err := r.AsYAML()
		if err != nil {
			return err
		}
		var config map[string]any
		if err := yaml.Unmarshal(data, &config); err != nil {
			return err
		}
		if err := w.configuredIn(k, config); err != nil {
			return fmt.Errorf("%s %s: %w", r.GetKind(), r.GetName(), err)
		}
	}
	return nil
}

func (w *walker) configuredIn(k *kustomization, value any) error {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if strings.EqualFold(key, "annotations") {
				continue // data: nothing of it is opened
			}
			if err := w.configuredIn(k, inner); err != nil {
				return err
			}
		}
	case []any:
		for _, inner := range v {
			if err := w.configuredIn(k, inner); err != nil {
				return err
			}
		}
	case string:
		_, after, _ := strings.Cut(v, "=") // KEY=FILE of a generator
		for _, text := range []string{v, after} {
			if isURL(text) {
				_, _, err := w.followFile(k, text)
				return err
			}
			w.takeNamed(k, text)
		}
	}
	return nil
}

// takeNamed takes the file of a name, where there is one: what is none is a
// word of another meaning, or missed by kustomize.
func (w *walker) takeNamed(k *kustomization, text string) {
	if text == "" || strings.ContainsAny(text, "\n\x00") {
		return
	}
	if name, err := join(k.dir, text); err == nil && path.Clean(name) != k.dir {
		_, _ = w.take(name, k.dir)
	}
}
