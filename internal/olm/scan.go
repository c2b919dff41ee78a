package olm

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/resmap"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
)

// scanRest scans what a kustomization says apart from what it is built of.
func (k *kustomization) scanRest() error {
	doc := k.doc
	if len(doc.HelmCharts) > 0 || doc.HelmGlobals != nil {
		return k.placed("helmCharts", errors.New("helmCharts: charts are not inflated, since helm would be run for it"))
	}
	doc.Resources, doc.Components = nil, nil
	doc.Generators, doc.Transformers, doc.Validators = nil, nil, nil
	data, err := yaml.Marshal(doc)
	if err != nil {
		return err
	}
	return k.scan(data)
}

// scan refuses every URL in a document that kustomize could fetch.
func (k *kustomization) scan(data []byte) error {
	var doc map[string]any
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return err
	}
	return k.scanValue(doc)
}

// dataKeys are keys, in lower case, whose values kustomize never opens. A
// field that a newer kustomize has is scanned until it is listed here.
var dataKeys = []string{"annotations", "commonannotations", "literals", "sourcevalue"}

func (k *kustomization) scanValue(value any) error {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if slices.Contains(dataKeys, strings.ToLower(key)) {
				continue
			}
			if err := k.scanValue(v[key]); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range v {
			if err := k.scanValue(item); err != nil {
				return err
			}
		}
	case string:
		if err := CheckAliases([]byte(v)); err != nil { // a patch or a configuration itself
			return k.placed(v, err)
		}
		_, file, _ := strings.Cut(v, "=") // KEY=FILE of a generator
		for _, name := range []string{v, file} {
			if isURL(name) {
				return k.placed(v, notFetched(name))
			}
		}
	}
	return nil
}

// isURL says whether kustomize would ask a web server for a file of that name.
func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

func notFetched(url string) error {
	return &source.Error{Err: fmt.Errorf("%s is not fetched: only git repositories are, as resources", url), Hint: "keep a copy of it next to the kustomization"}
}

// scanObjects scans configurations of generators and transformers.
func (k *kustomization) scanObjects(objects resmap.ResMap) error {
	for _, r := range objects.Resources() {
		data, err := r.AsYAML()
		if err == nil {
			err = k.scan(data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckAliases refuses YAML whose aliases expand to more than the parser takes.
// What does not parse is for its reader.
func CheckAliases(data []byte) error {
	if !bytes.ContainsRune(data, '&') || !bytes.ContainsRune(data, '*') {
		return nil
	}
	dec := kyaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc any
		err := dec.Decode(&doc)
		if err != nil && strings.Contains(err.Error(), "excessive aliasing") {
			return errors.New("its aliases expand to more than is read")
		}
		var wrong *kyaml.TypeError
		if err != nil && !errors.As(err, &wrong) {
			return nil //nolint:nilerr // for its reader
		}
	}
}
