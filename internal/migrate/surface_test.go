package migrate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/report"
)

const surfaceRules = `  - {id: widget, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: new.example.org}}
  - {id: gadget, from: {group: old.example.com, kind: Gadget, plural: gadgets}, to: {group: new.example.org}}
  - {id: tool, from: {group: old.example.com, kind: Tool, plural: tools}, to: {group: other.example.org}}
keys:
  - {from: old.example.com/owner, to: new.example.org/owner}
guard: [Widget]
`

// saidOf is what a plan says of each place, a line each.
func saidOf(p *Plan) []string {
	list := []string{}
	for _, f := range p.Files {
		if f.Skip != nil {
			list = append(list, fmt.Sprintf("%s:%d: unread", f.Path, f.Skip.Pos.Line))
			continue
		}
		if f.To != f.Path {
			list = append(list, f.Path+" -> "+f.To)
		}
		for _, s := range f.Entries() {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s:%d: %s %s %s", f.Path, s.Pos.Line, s.Action(), s.Old, s.New)))
		}
	}
	return list
}

// TestSurface: what is around the core, for trees of a
// few lines.
func TestSurface(t *testing.T) {
	widget := "apiVersion: old.example.com/v1\nkind: Widget\n"
	crd := "kind: CustomResourceDefinition\nmetadata: {name: widgets.new.example.org}\nspec:\n  group: new.example.org\n  names: {kind: Widget, plural: widgets}\n"
	for _, tt := range []struct {
		name string
		keep []Keep
		off  []string
		tree map[string]string
		want []string
	}{
		{"a comment keeps its line, and one that keeps nothing is reported", nil, nil,
			map[string]string{"a.yaml": "apiVersion: old.example.com/v1 # cfctl:keep later\nkind: Widget\n---\nkind: Other # cfctl:keep nothing\n"},
			[]string{"a.yaml:1: keep old.example.com/v1", "a.yaml:4: review cfctl:keep"}},
		{"a record of an earlier release is kept", nil, nil,
			map[string]string{"docs/upgrading.md": "`old.example.com/v1, Kind=Widget`\n"},
			[]string{"docs/upgrading.md:1: keep old.example.com/v1, Kind=Widget"}},
		{"it is not where the heuristic is switched off", nil, []string{"guide"},
			map[string]string{"docs/upgrading.md": "`old.example.com/v1, Kind=Widget`\n", "CHANGELOG.md": "`old.example.com/v1`\n"},
			[]string{"CHANGELOG.md:1: keep old.example.com/v1", "docs/upgrading.md:1: change old.example.com/v1, Kind=Widget new.example.org/v1, Kind=Widget"}},
		{"a comment before the line keeps it", nil, nil,
			map[string]string{"a.go": "package a\n\n// cfctl:keep served until 2.0\nvar g = \"old.example.com/v1, Kind=Widget\"\n"},
			[]string{"a.go:4: keep old.example.com/v1, Kind=Widget"}},
		{"the configuration keeps a spelling of a file", []Keep{{Path: "/a.yaml", Value: "old.example.com/v1"}}, nil,
			map[string]string{"a.yaml": widget, "b.yaml": widget},
			[]string{"a.yaml:1: keep old.example.com/v1", "b.yaml:1: change old.example.com/v1 new.example.org/v1"}},
		{"the configuration keeps a file", []Keep{{Path: "/a.yaml"}}, nil,
			map[string]string{"a.yaml": widget}, []string{"a.yaml:1: keep old.example.com/v1"}},
		{"a file that has the new CRD is renamed", nil, nil,
			map[string]string{"crd/old.example.com_widgets.yaml": crd},
			[]string{"crd/old.example.com_widgets.yaml -> crd/new.example.org_widgets.yaml"}},
		{"the configuration keeps the name of a file", []Keep{{Value: "old.example.com_widgets.yaml"}}, nil,
			map[string]string{"crd/old.example.com_widgets.yaml": crd},
			[]string{"crd/old.example.com_widgets.yaml:1: keep old.example.com_widgets.yaml"}},
		{"YAML that does not parse is not changed", nil, nil,
			map[string]string{"a.yaml": widget + " metadata: {name: [x}\n", "b.yaml": widget},
			[]string{"a.yaml:3: unread", "b.yaml:1: change old.example.com/v1 new.example.org/v1"}},
		{"YAML that a template fills in is no YAML yet", nil, nil,
			map[string]string{"a.yaml": widget + "spec: {name: {{ .x }}}\n"},
			[]string{"a.yaml:1: change old.example.com/v1 new.example.org/v1"}},
		{"a key does not become another one of its mapping", nil, nil,
			map[string]string{"a.yaml": "metadata:\n  labels:\n    old.example.com/owner: a\n    new.example.org/owner: b\n"},
			[]string{"a.yaml:3: review old.example.com/owner"}},
		{"a guarded kind is in a group that no rule knows", nil, nil,
			map[string]string{"a.yaml": "apiVersion: wrong.example.org/v1\nkind: Widget\n---\napiVersion: new.example.org/v1\nkind: Widget\n"},
			[]string{"a.yaml:1: review wrong.example.org"}},
		{"text with NUL bytes is not read", nil, nil,
			map[string]string{"a.yaml": widget + "# \x00\n"}, []string{"a.yaml:0: unread"}},
		{"the files of a ruleset and of git are no part of the tree", nil, nil,
			map[string]string{"vendor/a.yaml": widget}, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := fstest.MapFS{}
			for name, text := range tt.tree {
				tree[name] = &fstest.MapFile{Data: []byte(text)}
			}
			p, err := goMigration(t, surfaceRules, Options{Keep: tt.keep, HeuristicsOff: tt.off}).planFS(t.Context(), tree)
			if err != nil {
				t.Fatal(err)
			}
			if got := saidOf(p); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestEntries: places of a file that ask the same question are one entry with its
// lines in every form; the account has each of them.
func TestEntries(t *testing.T) {
	ask := "x = \"old.example.com/v1\"\n"
	p, err := goMigration(t, surfaceRules, Options{}).planFS(t.Context(), fstest.MapFS{
		"a.py": {Data: []byte(ask + "\n" + ask + ask)}, "b.py": {Data: []byte(ask)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Summary(); s.Review != 2 || s.Changes != 0 {
		t.Fatalf("summary %+v, want two entries\n%q", s, saidOf(p))
	}
	answers := 0
	for _, e := range p.Account() {
		if e.Answer == answerReview {
			answers++
		}
	}
	if answers != 4 {
		t.Errorf("the account has %d places, want 4", answers)
	}
	r := p.Report(ReportOptions{Check: true})
	if f := r.Findings[0]; len(r.Findings) != 2 || f.Count != 3 || !slices.Equal(f.Lines, []int{1, 3, 4}) || !strings.HasSuffix(f.Message, " (3 references, lines 1, 3, 4)") {
		t.Errorf("findings %+v", r.Findings)
	}
	var sarif bytes.Buffer
	if err := report.Write(&sarif, "sarif", r); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct {
			Results []struct {
				Count     int   `json:"occurrenceCount"`
				Locations []any `json:"locations"`
			} `json:"results"`
		} `json:"runs"`
	}
	if err := json.Unmarshal(sarif.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if x := log.Runs[0].Results[0]; x.Count != 3 || len(x.Locations) != 3 {
		t.Errorf("SARIF %+v", x)
	}
}
