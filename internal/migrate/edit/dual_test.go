package edit

import "testing"

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
