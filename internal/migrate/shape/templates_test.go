package shape

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/source"
)

// What a template writes or chooses is not parted from what it belongs to: an object of
// which a step would do that needs review, as are one that chooses its own version and
// a value that is there at times. So does an object with lines that a template writes, if a
// step would change it.
func TestStepsAroundActions(t *testing.T) {
	const (
		move  = "{move: spec.old, to: spec.new.place}"
		port  = "{move: spec.old, to: spec.new.place, when: {is: template}}"
		set   = "{set: spec.policy, value: Always}"
		drop  = "{drop: spec.old}"
		wrap  = "{wrap: spec.old, to: name}"
		again = "{copy: spec.old, to: spec.new}"
		if0   = "  {{- if .x }}\n"
		end   = "  {{- end }}\n"
	)
	for _, x := range []struct{ steps, in, want string }{ // no want = for a person
		{move, "spec:\n  old:\n    {{- toYaml .x | nindent 4 }}\n", ""},
		{"{move: spec.old, to: spec.new.place, when: {path: spec.a, is: template}}", "spec:\n  old: \"{{ .x }}\"\n  a: {{ .y }}\n", "spec:\n  a: {{ .y }}\n  new:\n    place: \"{{ .x }}\"\n"},
		{port, "spec:\n  old: {{ .x }}\n", "spec:\n  new:\n    place: {{ .x }}\n"},
		{port, "spec:\n  old: \"{{ .x }}\"\n", ""},
		{port, "spec:\n  old: {{ .x | quote }}\n", ""},
		{port, "spec:\n  old: {{ .x.quoted }}\n", "spec:\n  new:\n    place: {{ .x.quoted }}\n"},
		{move, "spec:\n  old:\n    a: b\n    {{- include \"x\" . | nindent 4 }}\n  z: 1\n", ""},
		{move, "spec:\n  old:\n{{ toYaml .x | indent 4 }}\n  z: 1\n", ""},
		{move, "spec:\n  old:\n    {{- with .x }}\n    {{- toYaml . | nindent 4 }}\n    {{- end }}\n", ""},
		{move, "spec:\n" + if0 + "  old: 1\n  {{- else }}\n  old: 2\n" + end, ""},
		{move, "spec:\n" + if0 + "  old: 1\n" + end + "  z: 1\n", ""},
		{move, "spec:\n  old:\n    a: b\n    {{- if .c }}\n    c: d\n    {{- end }}\n  z: 1\n", ""},
		{move, "spec:\n  old: 1\n  {{- include \"x\" . | nindent 2 }}\n", ""},
		{move, "spec:\n  old: {{ .x }}\n" + if0 + "  z: 1\n" + end, ""},
		{move, "spec:\n  old: {{- toYaml .x | nindent 4 }}\n", ""},
		{again, "spec:\n  old:\n    {{- toYaml .x | nindent 4 }}\n", ""},
		{again, "spec:\n  old:\n    {% for x in y %}\n    {{ x }}: 1\n    {% endfor %}\n", ""},
		{drop, "spec:\n  old:\n    {{- toYaml .x | nindent 4 }}\n  z: 1\n", ""},
		{drop, "spec: {z: 1 {{ if .x }}, old: 1 {{ end }}}\n", ""},
		{drop, "spec:\n" + if0 + "  old: 1\n" + end + "  z: 1\n", ""},
		{drop, "spec:\n" + if0 + "  old: 1\n  {{- else }}\n  old: 2\n" + end, ""},
		{wrap, "spec:\n  old:\n    {{- include \"x\" . | nindent 4 }}\n", ""},
		{set, "spec:\n  z:\n    {{- toYaml .x | nindent 4 }}\n", ""},
		{drop, "spec:\n  z:\n    {{- with .x }}\n    {{- toYaml . | nindent 4 }}\n    {{- end }}\n", "spec:\n  z:\n    {{- with .x }}\n    {{- toYaml . | nindent 4 }}\n    {{- end }}\n"},
		{set, "spec:\n  {{- with .x }}\n  z: {{ . }}\n" + end, ""},
		{set, "spec:\n  z:\n    {{ .x }}\n", ""},
		{set, "spec:\n  {{- toYaml .x | nindent 2 }}\n", ""},
		{set, "{{- include \"x\" . }}\n", ""},
		{set, "spec: {{ .x | toJson }}\n", ""},
		{set, "spec:\n  {{ .key }}: 1\n", ""},
		{set, "spec: {a: 1, {{ .x }}}\n", ""},
		{set, "spec: {a: {{ .x }}}\n", ""},
		{set, "spec:\n  a: 1\n{{ toYaml .x | indent 2 }}\n", ""},
		{move, "spec:\n  old:\n    a: 1\n    {{- toYaml .x | nindent 4 }}\n    b: 1\n  z: 1\n", ""},
		{move, "spec:\n  old:\n    {{- $y := .x }}\n    a: 1\n  z: {{ $y }}\n", ""},
		{"{drop: \"spec.items[*].old\"}", "spec:\n  items:\n  {{- toYaml .x | nindent 2 }}\n", ""},
		{"{drop: \"spec.items[*].old\"}", "spec:\n  items: {{ .x | toJson }}\n", ""},
		{"{move: spec.old.a, to: spec.a, prune: true}", "spec:\n  old:\n    a: 1\n    {{- toYaml .x | nindent 4 }}\n  z: 1\n", ""},
		{"{map-values: spec.old, values: {a: b}}", "spec:\n  old:\n    {{- include \"x\" . | nindent 4 }}\n", ""},
		{"{drop: spec.a, when: {path: spec.old, is: number}}", "spec:\n  a: 1\n  old:\n    {{- include \"x\" . | nindent 4 }}\n", ""},
		{set, if0 + "spec:\n  z: 1\n" + end, ""},
		{set, "spec:\n" + if0 + "  policy: {{ .x }}\n" + end, ""},
		{"{set: spec.policy, value: Always, when: {path: spec.old, is: missing}}", "spec:\n  z: 1\n" + if0 + "  old: 1\n" + end, ""},
		// Items are there or not as a whole: the template of helm create, in deliveryhero/helm-charts and fybrik/fybrik.
		{"{set: \"spec.items[*].policy\", value: Always}", "spec:\n  items:\n  {{- range .x }}\n  - a: {{ . }}\n" + end, "spec:\n  items:\n  {{- range .x }}\n  - a: {{ . }}\n    policy: Always\n" + end},
		{"{set: \"spec.items[*].policy\", value: Always}", "spec:\n  items:\n  - a: 1\n    {{- with .x }}\n    b: {{ . }}\n    {{- end }}\n", ""},
		{"{set: \"spec.items[*].policy\", value: Always, when: {path: spec.a, is: present}}", "spec:\n  items:\n  - a: 1\n" + if0 + "  a: 1\n" + end, ""},
		{"{move: \"spec.items[*].old\", to: \"spec.items[*].b.new\"}", "spec:\n  items:\n" + if0 + "  - a: 1\n    old: {{ .y }}\n" + end + if0 + "  - old: 2\n    a: 1\n" + end, "spec:\n  items:\n" + if0 + "  - a: 1\n    b:\n      new: {{ .y }}\n" + end + if0 + "  - a: 1\n    b:\n      new: 2\n" + end},
		{"{move: \"spec.items[*].old\", to: spec.new}", "spec:\n  items:\n" + if0 + "  - old: 1\n" + end, ""},
		{"{move: \"spec.items[*].old\", to: \"spec.items[*].new\"}", "spec:\n  items:\n  - old:\n      {{- toYaml .x | nindent 6 }}\n  - a: b\n", ""},
	} {
		in := []byte(head + x.in)
		tree := syntax.Scan(in, source.Span{End: len(in)}, false, true)
		due, _ := Find(pears(t, x.steps), tree)
		got, _, err := Convert(in, in, 0, due, Options{Templated: true})
		switch {
		case x.want == "" && err == nil:
			t.Errorf("%s of\n%s is done:\n%s", x.steps, x.in, got)
		case x.want != "" && (err != nil || string(got) != after+x.want):
			t.Errorf("%s of\n%s: %v\n%s", x.steps, x.in, err, strings.TrimPrefix(string(got), after))
		}
	}
	in := []byte("{{- if .x }}\napiVersion: a.example.dev/v1alpha1\n{{- else }}\napiVersion: a.example.dev/v1\n{{- end }}\nkind: Pear\nmetadata: {name: x}\n")
	due, _ := Find(pears(t, set), syntax.Scan(in, source.Span{End: len(in)}, false, true))
	if _, _, err := Convert(in, in, 0, due, Options{Templated: true}); err == nil || len(due) != 1 {
		t.Errorf("an object that chooses its version is changed: %d", len(due))
	}
}

// An object in braces with actions of a template needs review.
func TestActionsInBraces(t *testing.T) {
	const begin = `{"apiVersion": "a.example.dev/v1", "kind": "Pear", "spec": `
	for in, done := range map[string]bool{
		`{"old": 1, "z": "x"}}`:                               true,
		`{"old": "{{ .x }}"}}`:                                false,
		`{"z": 1 {{ if .x }}, "old": 1 {{ end }}}}`:           false,
		`{{ toJson .spec }}}`:                                 false,
		`{"old": 1, "z": "\\{{ .x }}", "y": {{ .y }} } }`:     false,
		"\n  {\"old\": 1, {{ include \"x\" . }} \"z\": 1}\n}": false,
	} {
		for _, json := range []bool{false, true} {
			in := []byte(begin + in)
			due, _ := Find(pears(t, "{drop: spec.old}"), syntax.Scan(in, source.Span{End: len(in)}, json, !json))
			if got, _, err := Convert(in, in, 0, due, Options{JSON: json, Templated: !json}); len(due) != 1 || done != (err == nil) {
				t.Errorf("%v %d: %s", err, len(due), got)
			}
		}
	}
}
