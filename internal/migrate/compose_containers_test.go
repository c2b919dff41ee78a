package migrate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
	k8syaml "sigs.k8s.io/yaml"
)

// A container is a file that holds documents in its own way.
type container struct {
	name string
	wrap func(docs []string) string
}

var containers = []container{
	{"a.yaml", func(docs []string) string { return "# all\n---\n" + strings.Join(docs, "---\n") }},
	{"list.yaml", func(docs []string) string {
		text := "apiVersion: v1\nkind: List\nitems:\n"
		for _, d := range docs {
			if inner := oneMapping(d); inner {
				text += "- " + strings.TrimPrefix(indented(d, "  "), "  ")
			}
		}
		return text + "- {}\n"
	}},
	{"configmap.yaml", func(docs []string) string {
		text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n"
		for i, d := range docs {
			text += fmt.Sprintf("  f%d.yaml: |\n%s", i, indented(d, "    "))
		}
		return text
	}},
	{"annotated.yaml", func(docs []string) string {
		text := ""
		for _, d := range docs {
			text += "---\napiVersion: v1\nkind: Service\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '" +
				strings.ReplaceAll(asJSON(d), "'", "''") + "'\n"
		}
		return text
	}},
	{"last.yaml", func(docs []string) string {
		text := ""
		for _, d := range docs {
			text += "---\nkind: Service\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      " + asJSON(d) + "\n"
		}
		return text
	}},
	{"x.clusterserviceversion.yaml", func(docs []string) string {
		var all []string
		for _, d := range docs {
			all = append(all, asJSON(d))
		}
		return "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  annotations:\n    alm-examples: |-\n      [\n        " +
			strings.Join(all, ",\n        ") + "\n      ]\n  name: x.v1\nspec:\n  customresourcedefinitions:\n    owned:\n    - kind: AppWrapper\n      name: appwrappers.mcad.ibm.com\n      version: v1beta1\n"
	}},
	{"templates/a.yaml", func(docs []string) string {
		text := ""
		for i, d := range docs {
			text += fmt.Sprintf("{{- if .Values.x%d }}\n---\n%s# {{ .Release.Name }}\n{{- end }}\n", i, d)
		}
		return text
	}},
	{"a.md", func(docs []string) string {
		text := "# About\n\nWhat is it.\n"
		for _, d := range docs {
			text += "\n```yaml\n" + d + "```\n\n- item\n\n  ```yaml\n" + indented(d, "  ") + "  ```\n"
		}
		return text
	}},
	{"a.ipynb", func(docs []string) string {
		var cells []map[string]any
		for i, d := range docs {
			text := "x = '''\n" + strings.ReplaceAll(d, `\`, "") + "'''\n"
			kind := "code"
			if i%2 == 1 {
				text, kind = "```yaml\n"+d+"```\n", "markdown"
			}
			lines := strings.SplitAfter(text, "\n")
			cells = append(cells, map[string]any{"cell_type": kind, "metadata": map[string]any{}, "source": lines[:len(lines)-1]})
		}
		out, err := json.MarshalIndent(map[string]any{"cells": cells, "nbformat": 4}, "", " ")
		if err != nil {
			panic(err)
		}
		return string(out) + "\n"
	}},
	{"a.json", func(docs []string) string {
		var all []string
		for _, d := range docs {
			all = append(all, asJSON(d))
		}
		return "{\n  \"kind\": \"List\",\n  \"items\": [\n    " + strings.Join(all, ",\n    ") + "\n  ]\n}\n"
	}},
	{"a.sh", func(docs []string) string {
		text := "#!/bin/sh\n"
		for _, d := range docs {
			text += "kubectl apply -f - <<EOF\n" + d + "EOF\n"
		}
		return text
	}},
	{"a.go", func(docs []string) string {
		text := "package a\n"
		for i, d := range docs {
			text += fmt.Sprintf("\nvar x%d = `%s`\n", i, strings.ReplaceAll(d, "`", ""))
		}
		return text
	}},
	{"a.py", func(docs []string) string {
		text := ""
		for i, d := range docs {
			text += fmt.Sprintf("x%d = \"\"\"\n%s\"\"\"\n", i, strings.ReplaceAll(d, `\`, ""))
		}
		return text
	}},
}

// within are the containers whose text is a document again, for one more
// around it.
var within = []int{0, 1, 2, 3, 4, 5}

func indented(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(by)
		}
		b.WriteString(line)
	}
	return b.String()
}

func oneMapping(doc string) bool {
	var v map[string]any
	return k8syaml.Unmarshal([]byte(doc), &v) == nil && !strings.HasPrefix(doc, "#") && !strings.HasPrefix(doc, " ") && !strings.HasPrefix(doc, "{") && len(v) > 0
}

func asJSON(doc string) string {
	out, err := k8syaml.YAMLToJSON([]byte(doc))
	if err != nil {
		return "{}"
	}
	return string(out)
}

func isYAML(data []byte) bool {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var n yaml.Node
		if err := dec.Decode(&n); err != nil {
			return err.Error() == "EOF"
		}
	}
}
