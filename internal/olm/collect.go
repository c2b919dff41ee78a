package olm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	admission "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	crdv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A collection is the objects of a build, sorted by what they mean for OLM.
// Each list is in the order of the build, without exact duplicates.
type collection struct {
	bases       []clusterServiceVersion
	deployments []apps.Deployment
	services    []core.Service
	accounts    []core.ServiceAccount
	roles       []role
	bindings    []binding
	crds        []crdv1.CustomResourceDefinition
	hooks       []hook
	scorecard   *scorecard
	others      []map[string]any
}

// A typeMeta is what every object begins with.
type typeMeta struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
}

// collect sorts the objects of a build.
func collect(objects resmap.ResMap) (*collection, error) {
	c := &collection{}
	seen := map[string]bool{}
	for _, r := range objects.Resources() {
		data, err := r.MarshalJSON()
		if err != nil {
			return nil, err
		}
		var t typeMeta
		if err := json.Unmarshal(data, &t); err != nil {
			return nil, fmt.Errorf("%s %s: %w", t.Kind, t.Metadata.Name, err)
		}
		if seen[string(data)] {
			continue
		}
		seen[string(data)] = true
		if err := c.add(t, data); err != nil {
			return nil, fmt.Errorf("%s %s: %w", t.Kind, t.Metadata.Name, plain(err))
		}
	}
	return c, nil
}

// add takes one object in JSON.
func (c *collection) add(t typeMeta, data []byte) error {
	switch groupOf(t.APIVersion) + "/" + t.Kind {
	case "operators.coreos.com/ClusterServiceVersion":
		return appendTyped(&c.bases, data)
	case "apps/Deployment":
		return appendTyped(&c.deployments, data)
	case "/Service":
		return appendTyped(&c.services, data)
	case "/ServiceAccount":
		return appendTyped(&c.accounts, data)
	case "rbac.authorization.k8s.io/Role", "rbac.authorization.k8s.io/ClusterRole":
		r := &rbac.ClusterRole{} // has all fields of both
		err := decodeTyped(data, r)
		c.roles = append(c.roles, role{t.Kind, r.Name, r.Rules, r})
		return err
	case "rbac.authorization.k8s.io/RoleBinding", "rbac.authorization.k8s.io/ClusterRoleBinding":
		b := &rbac.ClusterRoleBinding{} // has the fields of both
		err := decodeTyped(data, b)
		c.bindings = append(c.bindings, binding{t.Kind == "ClusterRoleBinding", b.RoleRef, b.Subjects, b})
		return err
	case "apiextensions.k8s.io/CustomResourceDefinition":
		if path.Base(t.APIVersion) != "v1" {
			return fmt.Errorf("%s: no Kubernetes since 1.22 serves it; write it as apiextensions.k8s.io/v1", t.APIVersion)
		}
		return appendTyped(&c.crds, data)
	case "admissionregistration.k8s.io/ValidatingWebhookConfiguration", "admissionregistration.k8s.io/MutatingWebhookConfiguration":
		var list admission.MutatingWebhookConfiguration // has all fields of both
		err := decodeTyped(data, &list)
		for _, w := range list.Webhooks {
			c.hooks = append(c.hooks, hook{strings.TrimSuffix(t.Kind, "WebhookConfiguration") + "AdmissionWebhook", w})
		}
		return err
	case "scorecard.operatorframework.io/Configuration":
		if c.scorecard != nil {
			return fmt.Errorf("there is another scorecard configuration, %s", c.scorecard.Metadata.Name)
		}
		c.scorecard = &scorecard{}
		return decodeTyped(data, c.scorecard)
	}
	other, err := decodeMap(data)
	c.others = append(c.others, other)
	return err
}

func appendTyped[T any](list *[]T, data []byte) error {
	var v T
	if err := decodeTyped(data, &v); err != nil {
		return err
	}
	*list = append(*list, v)
	return nil
}

// decodeTyped decodes JSON. Where a string is wanted it takes a number or a
// boolean too, as the decoder of operator-sdk does: an annotation "certified:
// false" is "false".
func decodeTyped[T any](data []byte, v *T) error {
	if json.Unmarshal(data, v) == nil {
		return nil
	}
	*v = *new(T)
	return yaml.Unmarshal(data, v)
}

// decodeMap decodes JSON and keeps numbers as they are written.
func decodeMap(data []byte) (map[string]any, error) {
	var v map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return v, dec.Decode(&v)
}

// findBase leaves exactly one base: the ClusterServiceVersion of the package in
// the build, else the file bases/PACKAGE.clusterserviceversion.yaml next to the
// kustomization, which is where operator-sdk keeps it.
func (c *collection) findBase(p *project, o Options) error {
	for _, base := range c.bases {
		if strings.HasPrefix(base.Name, o.Package+".") {
			c.bases = []clusterServiceVersion{base}
			return nil
		}
	}
	file := path.Join(o.Root, "bases", o.Package+csvSuffix)
	if len(c.bases) > 0 {
		return &source.Error{Path: o.Root, Err: fmt.Errorf("the ClusterServiceVersion %s is not of the package %s", c.bases[0].Name, o.Package), Hint: "name the package with --package"}
	}
	data, err := fs.ReadFile(p.tree, file)
	if err != nil {
		return &source.Error{Path: file, Err: fmt.Errorf("no base ClusterServiceVersion of the package %s", o.Package), Hint: "operator-sdk generate kustomize manifests"}
	}
	if data, err = yaml.YAMLToJSON(data); err == nil {
		err = appendTyped(&c.bases, data)
	}
	if err != nil {
		return &source.Error{Path: file, Err: plain(err)}
	}
	if kind := c.bases[0].Kind; kind != "ClusterServiceVersion" {
		return &source.Error{Path: file, Err: fmt.Errorf("not a ClusterServiceVersion but a %s", kind)}
	}
	return nil
}
