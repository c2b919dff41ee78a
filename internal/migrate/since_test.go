package migrate

import (
	"strings"
	"testing"
	"testing/fstest"
)

// What the base said of a file as often is not said again, wherever it is
// now; what is new is.
func TestSince(t *testing.T) {
	m := parsedMigration(t, fuzzRules, false)
	const line, other = "apiVersion: old.example.com/v1\nkind: Thing\n", "x: 'old\\.example\\.com'\n"
	for _, tt := range []struct {
		name, base, now string
		moved           map[string]string
		want            string // the old spellings of what is left
	}{
		{"the same", line, line, nil, ""},
		{"moved down", line, "# a note\n" + line, nil, ""},
		{"once more", line, line + "---\n" + line, nil, "old.example.com/v1"},
		{"something else", line, line + other, nil, `old\.example\.com`},
		{"the line is another one", line, strings.Replace(line, "/v1", "/v1 # ours", 1), nil, ""},
		{"under another name", line, line, map[string]string{"b.yaml": "a.yaml"}, ""},
		{"not read before, and not now", "a: old.example.com/v1\n\tb: [\n", "a: old.example.com/v1\n\tb: [\n", nil, ""},
		{"not read, with another name", "a: old.example.com/v1\n\tb: [\n", "a: old.example.com/v1\n\tb: [\nc: old.example.com/v1\n", nil, "a.yaml:2: found a tab character that violates indentation"},
		{"not read, with another line", "a: old.example.com/v1\n\tb: [\n", "a: old.example.com/v1\n\tb: [\nc: d\n", nil, ""},
	} {
		was := "a.yaml"
		if tt.moved != nil {
			was = "b.yaml"
		}
		p, err := m.Since(t.Context(), m.One("a.yaml", []byte(tt.now)), one{name: "a.yaml", data: []byte(tt.now)}, fstest.MapFS{was: {Data: []byte(tt.base)}}, tt.moved)
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, f := range p.Files {
			for _, s := range f.Sites {
				left = append(left, s.Old)
			}
			if f.Skip != nil {
				left = append(left, f.Skip.Error())
			}
		}
		if got := strings.Join(left, " "); got != tt.want {
			t.Errorf("%s: left %q, want %q", tt.name, got, tt.want)
		}
	}
	if p, err := m.Since(t.Context(), m.One("new.yaml", []byte(line)), nothing{}, fstest.MapFS{}, nil); err != nil || len(p.Files) != 1 {
		t.Errorf("a new file: %v, %v", p, err)
	}
}

// An entry that matched nothing may be misspelled.
func TestIdle(t *testing.T) {
	m := parsedMigration(t, "name: own\nrules: [{id: a, from: {group: old.example.com}, to: {group: new.example.org}}]\nkeys:\n- {from: old.example.com/, to: new.example.org/}\n- {from: other.example.com/, to: new.example.org/}\n"+
		"keep:\n- {value: kept.old.example.com}\n- {value: lost.old.example.com}\n- {path: 'x/**'}\n", false)
	m.opts.Keep = []Keep{{Path: "b.yaml"}, {Value: "old.example.com/v1"}, {Path: ".cfctl.yaml"}}
	p := m.One("a.yaml", []byte("apiVersion: old.example.com/v1\nmetadata:\n  labels: {old.example.com/x: y}\nhost: kept.old.example.com\n"))
	want := []string{`own: keep "lost.old.example.com" matched nothing`, `own: keep "x/**" matched nothing`, `own: key "other.example.com/" matched nothing`, `.cfctl.yaml: keep "b.yaml" matched nothing`}
	if got := p.Idle(".cfctl.yaml"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
}
