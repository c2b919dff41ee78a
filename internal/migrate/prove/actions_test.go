package prove

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Actions are whole when each part that begins among them ends there.
func TestWholeActions(t *testing.T) {
	for in, want := range map[string]bool{
		"": true, "{{ .x }}": true, "{{ if .x }}{{ end }}": true, "{{- range .x -}}{{ .y }}{{- end -}}": true, "{{ if .x }}{{ else }}{{ end }}": true,
		"{% for x in y %}{% endfor %}": true, "{% if x %}{% elif y %}{% endif %}": true, "{{ with .x }}{{ if .y }}{{ end }}{{ end }}": true,
		"{{ if .x }}": false, "{{ end }}": false, "{{ else }}": false, "{{ end }}{{ if .x }}": false, "{{ if .x }}{{ end }}{{ else }}": false,
		"{{ if .x }}{{ if .y }}{{ end }}": false,
	} {
		if whole(actionTexts(in)) != want {
			t.Errorf("%s: not %v", in, want)
		}
	}
}

// A document that goes takes its actions with it, when they are whole and stand
// once more in what stays; all others are to be found again.
func TestStayingActions(t *testing.T) {
	const head, gone, rest = "{{ .a }}\n", "---\n{{ if .b }}{{ .c }}{{ end }}\n", "---\n{{ .d }}\n"
	all := head + gone + rest
	at := source.Span{Start: len(head), End: len(head + gone)}
	for _, x := range []struct {
		name, text, after string
		fresh, drop       string
		span              source.Span
		want              string
	}{
		{"it goes", all, "{{ .a }}{{ if .b }}{{ .c }}{{ end }}{{ .d }}", "", "", at, "{{ .a }} {{ .d }}"},
		{"nothing of it stays", all, "{{ .a }}{{ .d }}", "", "", at, "{{ .a }} {{ if .b }} {{ .c }} {{ end }} {{ .d }}"},
		{"some of it stays", all, "{{ if .b }}{{ end }}{{ .c }}", "", "", at, "{{ .a }} {{ if .b }} {{ .c }} {{ end }} {{ .d }}"},
		{"something takes its place", all, "{{ if .b }}{{ .c }}{{ end }}", "", "x", at, "{{ .a }} {{ if .b }} {{ .c }} {{ end }} {{ .d }}"},
		{"a name moves", all, "{{ if .b }}{{ .c }}{{ end }}", "x", "", at, "{{ .a }} {{ if .b }} {{ .c }} {{ end }} {{ .d }}"},
		{"its condition stays open", all, "{{ if .b }}{{ .c }}", "", "", source.Span{Start: at.Start, End: at.End - len("{{ end }}\n")}, "{{ .a }} {{ if .b }} {{ .c }} {{ end }} {{ .d }}"},
		{"it is of a longer text", head, "{{ .a }}", "", "", source.Span{Start: 0, End: len(all)}, "{{ .a }}"},
		{"it goes first", all, "{{ .a }}", "", "", source.Span{End: len(head)}, "{{ if .b }} {{ .c }} {{ end }} {{ .d }}"},
		{"it goes last", all, "{{ .d }}", "", "", source.Span{Start: len(head + gone), End: len(all)}, "{{ .a }} {{ if .b }} {{ .c }} {{ end }}"},
	} {
		rules := testRules()
		c := &check{rules: rules, vocabulary: &rules.names, file: &File{Decisions: []Decision{{New: x.fresh, Edits: []source.Edit{{Span: x.span, New: x.drop}}}}}}
		if got := strings.Join(c.stayingActions(x.text, actionTexts(x.after)), " "); got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}
}
