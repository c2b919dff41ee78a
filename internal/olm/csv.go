package olm

import (
	"bytes"
	"encoding/json"
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
	csv := &c.bases[0]
	csv.Name = o.Package + ".v" + o.Version
	csv.Spec.Version = o.Version
	if o.Replaces != "" {
		csv.Spec.Replaces = o.Package + ".v" + o.Replaces
	}
	if csv.Spec.Cleanup != nil && !csv.Spec.Cleanup.Enabled {
		csv.Spec.Cleanup = nil
	}
	var notes []string
	csv.Spec.WebhookDefinitions, notes = c.webhooks()
	related, err := c.relatedImages()
	if err != nil {
		return nil, notes, err
	}
	csv.Spec.RelatedImages = related
	c.setInstall(&csv.Spec.Install, o.ServiceAccounts)
	csv.Spec.CRDs.Owned = c.owned(csv.Spec.CRDs.Owned)
	if err := c.annotate(csv, o, layout); err != nil {
		return nil, notes, err
	}
	data, err := encode(csv)
	return data, notes, err
}

// annotate sets what belongs to this version.
func (c *collection) annotate(csv *clusterServiceVersion, o Options, layout string) error {
	examples, err := c.examples()
	if err != nil {
		return err
	}
	if csv.Annotations == nil {
		csv.Annotations = map[string]string{}
	}
	csv.Annotations["alm-examples"] = examples
	csv.Annotations["createdAt"] = o.CreatedAt.UTC().Format(time.RFC3339)
	if o.Image != "" {
		csv.Annotations["containerImage"] = o.Image
	}
	csv.Annotations["operators.operatorframework.io/builder"] = o.builder
	csv.Annotations["operators.operatorframework.io/project_layout"] = layout
	return nil
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

// setInstall writes the install strategy.
func (c *collection) setInstall(install *install, more []string) {
	if install.Strategy != "" && install.Strategy != "deployment" {
		return
	}
	accounts := c.csvAccounts(more)
	list := []deployment{}
	for _, d := range c.deployments {
		watchTargets(&d.Spec)
		list = append(list, deployment{d.Name, d.Spec, d.Labels})
	}
	install.Strategy = "deployment"
	install.Spec = strategy{Deployments: list, Permissions: c.permissions(false, accounts), ClusterPermissions: c.permissions(true, accounts)}
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

// definitions lists the versions of the CRDs of the build.
func (c *collection) definitions() []definition {
	var list []definition
	for _, crd := range c.crds {
		for _, v := range crd.Spec.Versions {
			list = append(list, definition{Kind: crd.Spec.Names.Kind, Name: crd.Name, Version: v.Name})
		}
	}
	return list
}

// owned lists the CRDs of the build, each as the base describes it when it does.
func (c *collection) owned(described []definition) []definition {
	list := c.definitions()
	for i, d := range list {
		for _, known := range slices.Backward(described) {
			if known.Kind == d.Kind && known.Name == d.Name && known.Version == d.Version {
				list[i] = known
				break
			}
		}
	}
	return list
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

const relatedPrefix = "RELATED_IMAGE_"

// relatedImages takes them from RELATED_IMAGE_* variables of the containers.
// A name that represents two images gets its container's name in front; an
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
				image := relatedImage{strings.ToLower(strings.ReplaceAll(rest, "_", "-")), env.Value, where}
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
		for j, a := range slices.Backward(all) {
			if a.Name == image.Name {
				sameName++
			}
			if a.Image == image.Image {
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

// encode writes a CSV as sorted YAML, without the fields of a running cluster.
func encode(csv *clusterServiceVersion) ([]byte, error) {
	data, err := json.Marshal(csv)
	if err != nil {
		return nil, err
	}
	m, err := decodeMap(data)
	if err != nil {
		return nil, err
	}
	dropKey(m, "creationTimestamp")
	return yaml.Marshal(m)
}
