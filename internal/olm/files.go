package olm

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// supportedKinds are the kinds that may be in manifests/ next to the CSV,
// its CRDs and RBAC. Source: operator-registry, pkg/lib/bundle/supported_resources.go.
var supportedKinds = map[string]bool{
	"ClusterServiceVersion": true, "CustomResourceDefinition": true, "Secret": true, "ClusterRole": true,
	"ClusterRoleBinding": true, "Role": true, "RoleBinding": true, "ServiceAccount": true, "Service": true,
	"PrometheusRule": true, "ServiceMonitor": true, "PodDisruptionBudget": true, "PriorityClass": true,
	"VerticalPodAutoscaler": true, "ConsoleYAMLSample": true, "ConsoleQuickStart": true, "ConsoleCLIDownload": true,
	"ConsoleLink": true, "ConsolePlugin": true, "ConfigMap": true, "NetworkPolicy": true,
}

// writeManifests adds the objects that stand next to the CSV, one file each.
// They lose their namespace: OLM installs them where the operator is.
func (c *collection) writeManifests(files map[string][]byte, more []string) error {
	var objects []any
	for i := range c.crds {
		objects = append(objects, &c.crds[i])
	}
	for i := range c.services {
		objects = append(objects, &c.services[i])
	}
	for _, other := range c.others {
		if kind, _ := other["kind"].(string); supportedKinds[kind] {
			objects = append(objects, other)
		}
	}
	objects = append(objects, c.leftRBAC(c.csvAccounts(more))...)
	duplicates := 0
	for _, object := range objects {
		m, err := asMap(object)
		if err != nil {
			return err
		}
		name := "manifests/" + fileName(m)
		if files[name] != nil {
			name = fmt.Sprintf("manifests/dup%d_%s", duplicates, fileName(m))
			duplicates++
		}
		if files[name], err = yaml.Marshal(m); err != nil {
			return err
		}
	}
	return nil
}

// asMap gives an object the form in which it is written. Typed objects carry
// "creationTimestamp: null", as they did in the Kubernetes libraries before
// v0.34, which the tools for bundles are built with.
func asMap(object any) (map[string]any, error) {
	if m, ok := object.(map[string]any); ok {
		m = maps.Clone(m)
		meta := maps.Clone(child(m, "metadata"))
		delete(meta, "namespace")
		m["metadata"] = meta
		return m, nil
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	m, err := decodeMap(data)
	if err != nil {
		return nil, err
	}
	meta := child(m, "metadata")
	delete(meta, "namespace")
	if meta["creationTimestamp"] == nil {
		meta["creationTimestamp"] = nil
	}
	return m, nil
}

// fileName is GROUP_PLURAL.yaml of a CRD, and NAME_GROUP_VERSION_KIND.yaml of
// everything else, in lower case where the group is not empty.
func fileName(object map[string]any) string {
	apiVersion, kind := text(object, "apiVersion"), text(object, "kind")
	if kind == "CustomResourceDefinition" {
		group, plural := text(object, "spec", "group"), text(object, "spec", "names", "plural")
		if group != "" && plural != "" {
			return group + "_" + plural + ".yaml"
		}
	}
	parts := []string{text(object, "metadata", "name"), groupOf(apiVersion), apiVersion[strings.LastIndexByte(apiVersion, '/')+1:], strings.ToLower(kind)}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "_") + ".yaml"
}

// A scorecard is the configuration of operator-sdk's scorecard tests
// (scorecard.operatorframework.io/v1alpha3).
type scorecard struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name,omitempty"`
	} `json:"metadata"`
	Stages []struct {
		Parallel bool `json:"parallel,omitempty"`
		Tests    []struct {
			Image      string            `json:"image"`
			Entrypoint []string          `json:"entrypoint,omitempty"`
			Labels     map[string]string `json:"labels,omitempty"`
			Storage    storage           `json:"storage"`
		} `json:"tests"`
	} `json:"stages"`
	Storage        storage `json:"storage"`
	ServiceAccount string  `json:"serviceaccount,omitempty"`
}

// storage says where a test puts its output.
type storage struct {
	Spec struct {
		MountPath struct {
			Path string `json:"path,omitempty"`
		} `json:"mountPath"`
	} `json:"spec"`
}

// writeScorecard adds the configuration of the tests, when there is one.
func (c *collection) writeScorecard(files map[string][]byte) error {
	if c.scorecard == nil || c.scorecard.Metadata.Name == "" {
		c.scorecard = nil
		return nil
	}
	data, err := yaml.Marshal(c.scorecard)
	files["tests/scorecard/config.yaml"] = data
	return err
}

// annotations is metadata/annotations.yaml.
func annotations(o Options, layout string, tests bool) []byte {
	const prefix = "  operators.operatorframework.io."
	var b strings.Builder
	line := func(key, value string) { b.WriteString(prefix + key + ": " + value + "\n") }
	b.WriteString("annotations:\n  # Core bundle annotations.\n")
	line("bundle.mediatype.v1", "registry+v1")
	line("bundle.manifests.v1", "manifests/")
	line("bundle.metadata.v1", "metadata/")
	line("bundle.package.v1", o.Package)
	line("bundle.channels.v1", o.Channels)
	if o.DefaultChannel != "" {
		line("bundle.channel.default.v1", o.DefaultChannel)
	}
	line("metrics.builder", o.builder)
	line("metrics.mediatype.v1", "metrics+v1")
	line("metrics.project_layout", layout)
	if tests {
		b.WriteString("\n  # Annotations for testing.\n")
		line("test.mediatype.v1", "scorecard+v1")
		line("test.config.v1", "tests/scorecard/")
	}
	return []byte(b.String())
}
