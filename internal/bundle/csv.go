package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// csv assembles the ClusterServiceVersion: the base, with what the build says
// about name, install strategy, owned CRDs, examples, webhooks and images.
func (c *collection) csv(o Options, layout string) ([]byte, []string, error) {
	csv := c.bases[0]
	meta := child(csv, "metadata")
	meta["name"] = o.Package + ".v" + o.Version
	spec := child(csv, "spec")
	spec["version"] = o.Version
	if o.Replaces != "" {
		spec["replaces"] = o.Package + ".v" + o.Replaces
	}
	notes := c.setWebhooks(spec)
	related, err := c.relatedImages()
	if err != nil {
		return nil, notes, err
	}
	setOrDelete(spec, "relatedImages", related)
	c.setInstall(spec, o.ServiceAccounts)
	c.setOwned(spec)
	if err := c.annotate(child(meta, "annotations"), o, layout); err != nil {
		return nil, notes, err
	}
	settle(csv, spec)
	data, err := encode(csv)
	return data, notes, err
}

// annotate sets what belongs to this version.
func (c *collection) annotate(notes map[string]any, o Options, layout string) error {
	examples, err := c.examples()
	if err != nil {
		return err
	}
	notes["alm-examples"] = examples
	notes["createdAt"] = o.CreatedAt.UTC().Format(time.RFC3339)
	if o.Image != "" {
		notes["containerImage"] = o.Image
	}
	notes["operators.operatorframework.io/builder"] = o.Builder
	notes["operators.operatorframework.io/project_layout"] = layout
	return nil
}

// settle brings the members to the form in which operator-sdk writes them:
// what it never leaves out is there, what is empty is not, and fields of the
// running cluster are gone.
func settle(csv, spec map[string]any) {
	delete(csv, "status")
	for key, v := range spec {
		if isEmpty(v) {
			delete(spec, key)
		}
	}
	for _, key := range []string{"apiservicedefinitions", "customresourcedefinitions", "provider"} {
		child(spec, key)
	}
	if spec["displayName"] == nil {
		spec["displayName"] = ""
	}
	if cleanup, ok := spec["cleanup"].(map[string]any); ok && cleanup["enabled"] != true {
		delete(spec, "cleanup")
	}
	dropKey(csv, "creationTimestamp")
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// child is the object under key, made when it is not there.
func child(object map[string]any, key string) map[string]any {
	v, ok := object[key].(map[string]any)
	if !ok {
		v = map[string]any{}
		object[key] = v
	}
	return v
}

func setOrDelete[T any](object map[string]any, key string, list []T) {
	if len(list) == 0 {
		delete(object, key)
		return
	}
	object[key] = list
}

// dropKey removes a key at every depth.
func dropKey(v any, key string) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, key)
		for _, inner := range v {
			dropKey(inner, key)
		}
	case []any:
		for _, inner := range v {
			dropKey(inner, key)
		}
	}
}

// A deployment is a Deployment as a CSV writes it.
type deployment struct {
	Label map[string]string   `json:"label,omitempty"`
	Name  string              `json:"name"`
	Spec  apps.DeploymentSpec `json:"spec"`
}

// setInstall writes the install strategy.
func (c *collection) setInstall(spec map[string]any, more []string) {
	install := child(spec, "install")
	if s, _ := install["strategy"].(string); s != "" && s != "deployment" {
		return
	}
	install["strategy"] = "deployment"
	accounts := c.csvAccounts(more)
	strategy := child(install, "spec")
	setOrDelete(strategy, "permissions", c.permissions(false, accounts))
	setOrDelete(strategy, "clusterPermissions", c.permissions(true, accounts))
	list := []deployment{}
	for _, d := range c.deployments {
		watchTargets(&d.Spec)
		list = append(list, deployment{d.Labels, d.Name, d.Spec})
	}
	strategy["deployments"] = list
}

// watchTargets lets an operator that watches namespaces by WATCH_NAMESPACE
// follow the OperatorGroup.
func watchTargets(spec *apps.DeploymentSpec) {
	for _, container := range spec.Template.Spec.Containers {
		for i, env := range container.Env {
			if env.Name == "WATCH_NAMESPACE" {
				container.Env[i] = core.EnvVar{Name: env.Name, ValueFrom: &core.EnvVarSource{
					FieldRef: &core.ObjectFieldSelector{FieldPath: "metadata.annotations['olm.targetNamespaces']"},
				}}
			}
		}
	}
}

// An owned CRD is named by these three; the base may say more about it.
type owned struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Version string `json:"version"`
}

// definitions lists the versions of the CRDs of the build.
func (c *collection) definitions() []owned {
	var list []owned
	for _, crd := range c.crds {
		for _, v := range crd.Spec.Versions {
			list = append(list, owned{crd.Spec.Names.Kind, crd.Name, v.Name})
		}
	}
	for _, crd := range c.oldCRDs {
		versions := []string{crd.Spec.Version}
		if len(crd.Spec.Versions) > 0 {
			versions = nil
		}
		for _, v := range crd.Spec.Versions {
			versions = append(versions, v.Name)
		}
		for _, v := range versions {
			list = append(list, owned{crd.Spec.Names.Kind, crd.Name, v})
		}
	}
	return list
}

// setOwned lists the CRDs of the build, each as the base describes it when it
// does.
func (c *collection) setOwned(spec map[string]any) {
	definitions := child(spec, "customresourcedefinitions")
	described, _ := definitions["owned"].([]any)
	var list []any
	for _, d := range c.definitions() {
		i := slices.IndexFunc(described, func(v any) bool {
			m, ok := v.(map[string]any)
			return ok && m["kind"] == d.Kind && m["name"] == d.Name && m["version"] == d.Version
		})
		if i >= 0 {
			list = append(list, described[i])
		} else {
			list = append(list, d)
		}
	}
	setOrDelete(definitions, "owned", list)
}

// examples is the JSON of the custom resources in the build whose CRD is there too.
func (c *collection) examples() (string, error) {
	list := []any{}
	for _, object := range c.others {
		if c.isCustom(object) {
			list = append(list, object)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	err := enc.Encode(list)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// isCustom says whether an object is of a CRD of the build.
func (c *collection) isCustom(object map[string]any) bool {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	group, version := groupOf(apiVersion), apiVersion[strings.LastIndexByte(apiVersion, '/')+1:]
	for _, d := range c.definitions() {
		_, g, _ := strings.Cut(d.Name, ".")
		if d.Kind == kind && d.Version == version && g == group {
			return true
		}
	}
	return false
}

// A relatedImage is an image that the operator uses, for disconnected clusters.
type relatedImage struct {
	Image string `json:"image"`
	Name  string `json:"name"`

	container string
}

const relatedPrefix = "RELATED_IMAGE_"

// relatedImages takes them from RELATED_IMAGE_* variables of the containers.
// A name that stands for two images gets its container's name in front; an
// image under two names is listed once, without one.
func (c *collection) relatedImages() ([]relatedImage, error) {
	var all []relatedImage
	for _, d := range c.deployments {
		containers := append(slices.Clone(d.Spec.Template.Spec.Containers), d.Spec.Template.Spec.InitContainers...)
		for _, container := range containers {
			where := d.Name
			if len(containers) > 1 {
				where += "-" + container.Name
			}
			for _, env := range container.Env {
				rest, ok := strings.CutPrefix(env.Name, relatedPrefix)
				if !ok {
					continue
				}
				if env.ValueFrom != nil {
					return nil, fmt.Errorf("deployment %s: %s must have a plain value", d.Name, env.Name)
				}
				image := relatedImage{env.Value, strings.ToLower(strings.ReplaceAll(rest, "_", "-")), where}
				if !slices.ContainsFunc(all, func(o relatedImage) bool { return o.Name == image.Name && o.Image == image.Image }) {
					all = append(all, image)
				}
			}
		}
	}
	return nameRelated(all), nil
}

func nameRelated(all []relatedImage) []relatedImage {
	var list []relatedImage
	for i, image := range all {
		name := image.Name
		sameName, sameImage, first := 0, 0, i
		for j := len(all) - 1; j >= 0; j-- {
			if all[j].Name == image.Name {
				sameName++
			}
			if all[j].Image == image.Image {
				sameImage++
				first = j
			}
		}
		if sameName > 1 {
			name = image.container + "-" + name
		}
		if sameImage > 1 {
			if all[first].Name != image.Name {
				continue
			}
			name = ""
		}
		list = append(list, relatedImage{Image: image.Image, Name: name})
	}
	return list
}

// encode writes an object as sorted YAML. Typed values inside are written with
// their JSON names.
func encode(object any) ([]byte, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	m, err := decodeMap(data)
	if err != nil {
		return nil, err
	}
	if m["kind"] == "ClusterServiceVersion" {
		dropKey(m, "creationTimestamp") // of the pod templates
	}
	data, err = yaml.Marshal(m)
	if len(data) == 0 && err == nil {
		err = errors.New("nothing to write")
	}
	return data, err
}
