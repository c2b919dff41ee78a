package core

import (
	"maps"
	"testing"
)

// TestKindOfAChoice has objects whose apiVersion is one of two, and whose kind would get another
// name for both; and versions that are joined to a group of another file. Nothing is rewritten.
func TestKindOfAChoice(t *testing.T) {
	c := testCore(t, "name: c\nrules:\n- {id: t, from: {group: old.example.com, version: v1alpha1, kind: Gadget, plural: gadgets}, to: {group: new.example.org, version: v1, kind: Tool, plural: tools}}\n", Options{})
	for name, before := range map[string]tree{
		"branches":  {"templates/a.yaml": "{{- if .Values.x }}\napiVersion: other.io/v1\n{{- else }}\napiVersion: old.example.com/v1alpha1\n{{- end }}\nkind: Gadget\n"},
		"inline":    {"templates/a.yaml": "apiVersion: {{ if .Values.x }}old.example.com/v1alpha1{{ else }}other.io/v1{{ end }}\nkind: Gadget\n"},
		"core":      {"a.py": "x = {\"apiVersion\": \"old.example.com/v1alpha1\" if y else \"v1\", \"kind\": \"Gadget\"}\n"},
		"ternary":   {"a.ts": "const x = {apiVersion: y ? \"old.example.com/v1alpha1\" : \"other.io/v1\", kind: \"Gadget\"};\n"},
		"terraform": {"a.tf": "x = {\n  apiVersion = var.y ? \"old.example.com/v1alpha1\" : \"other.io/v1\"\n  kind = \"Gadget\"\n}\n"},
	} {
		out, review := migrated(t, c, before, nil)
		if !maps.Equal(out, before) || len(review) == 0 {
			t.Errorf("%s: %v\nreview %v", name, out, review)
		}
	}
	for name, before := range map[string]tree{ // the group and what is joined to it
		"values": {"values.yaml": "group: old.example.com\nkind: Gadget\n", "templates/a.yaml": "apiVersion: {{ .Values.group }}/v1alpha1\nkind: {{ .Values.kind }}\n"},
		"env":    {"a.env": "GROUP=old.example.com\nKIND=Gadget\n", "a.yaml.tmpl": "apiVersion: ${GROUP}/v1alpha1\nkind: ${KIND}\n"},
	} {
		if out, review := migrated(t, c, before, nil); !maps.Equal(out, before) || len(review) != 2 {
			t.Errorf("%s: %v\nreview %v", name, out, review)
		}
	}
	beside := tree{"values.yaml": "group: old.example.com\n", "templates/a.yaml": "apiVersion: {{ .Values.group }}/v1alpha1\nkind: Gadget\n",
		"k.yaml": "x:\n- group: old.example.com\n  version: v1alpha1\n  kind: Gadget\n"}
	if out, review := migrated(t, c, beside, nil); out["k.yaml"] == beside["k.yaml"] || out["values.yaml"] != beside["values.yaml"] {
		t.Errorf("a version next to the group: %v\nreview %v", out, review)
	}
	both := tree{"templates/a.yaml": "{{- if .Values.x }}\napiVersion: old.example.com/v1alpha1\n{{- else }}\napiVersion: old.example.com/v1alpha1\n{{- end }}\nkind: Gadget\n"}
	if out, review := migrated(t, c, both, nil); maps.Equal(out, both) || len(review) > 0 {
		t.Errorf("of one group: %v\nreview %v", out, review)
	}
}
