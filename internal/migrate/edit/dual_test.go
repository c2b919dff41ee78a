package edit

import (
	"strings"
	"testing"
)

// A document that begins or ends a part of a template, and not both, has no copy.
func TestDivided(t *testing.T) {
	for text, want := range map[string]bool{
		"a: 1\n": false, "{{- if .x }}\na: 1\n{{- else }}\nb: 1\n{{- end }}\n": false, "a: {{ .x }}\n": false,
		"a: 1\n{{- end }}\n{{- if .y }}\n": true, "{{ if .x }}\n": true, "{{- end }}\n": true, "{% else %}\n": true, "{% for x in y %}{% endfor %}": false,
	} {
		if got := divided([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

const anys = "kind: CustomResourceDefinition\nmetadata:\n  name: anys.old.example.com\nspec:\n  group: old.example.com\n  names: {kind: Any, plural: anys}\n"

// The dual mode puts the CRD of the new group behind the old one, once; its end
// takes the old one out.
func TestTwinsAndTheirEnd(t *testing.T) {
	b := newBench(t, moves)
	fresh := strings.NewReplacer("old.example.com", "new.example.org").Replace(anys)
	both, told := written(t, anys, Twins([]byte(anys), b.plan("crd.yaml", anys)))
	if both != anys+"---\n"+fresh || len(told) > 0 {
		t.Errorf("got\n%s", both)
	}
	if again := Twins([]byte(both), b.plan("crd.yaml", both)); len(again) > 0 {
		t.Errorf("%+v", again)
	}
	if got, _ := written(t, both, b.plan("crd.yaml", both)); got != fresh {
		t.Errorf("at the end of the window\n%s", got)
	}
	if got, _ := written(t, "a: 1\n", Twins([]byte("a: 1\n"), nil)); got != "a: 1\n" {
		t.Error(got)
	}
}
