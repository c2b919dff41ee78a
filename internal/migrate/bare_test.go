package migrate

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// bareObjects are objects, in texts that are not read as such, whose kind gets another name too.
var bareObjects = map[string]string{
	"a.rst":         "T\n=\n\n.. code-block:: yaml\n\n   {apiVersion: old.example.com/v1alpha1, kind: Widget, metadata: {name: a}}\n",
	"a.xml":         "<a><![CDATA[\n{apiVersion: old.example.com/v1alpha1, kind: Widget}\n]]></a>\n",
	"a.adoc":        "----\n{apiVersion: old.example.com/v1alpha1, kind: Widget, metadata: {name: a}}\n----\n",
	"tags.nix":      "{ x = ''\n  apiVersion: !!str old.example.com/v1alpha1\n  kind: !!str Widget\n''; }\n",
	"far.nix":       "{ x = ''\n  apiVersion: old.example.com/v1alpha1\n  kind: Widget\n  ---\n  apiVersion: old.example.com/v1alpha1\n  spec:\n" + strings.Repeat("    field: value\n", 40) + "  kind: Widget\n''; }\n",
	"block.sh":      "if true; then\n\tkubectl apply -f - <<-EOF\n\tapiVersion: >-\n\t  old.example.com/v1alpha1\n\tkind: |-\n\t  Widget\n\tEOF\nfi\n",
	"two.toml":      "x = \"\"\"\n{apiVersion: old.example.com/v1alpha1, kind: Widget}\n---\napiVersion: v1\nkind: ConfigMap\n\"\"\"\n",
	"two.py":        `x = "{\n \"apiVersion\": \"old.example.com/v1alpha1\",\n \"kind\": \"Widget\"\n}\n---\napiVersion: old.example.com/v1alpha1\nkind: Widget\n"` + "\n",
	"asked.yaml":    "data:\n  x.toml: |\n    y = \"? apiVersion\\n: old.example.com/v1alpha1\\n? kind\\n: Widget\\n\"\n",
	"two.yaml":      `x: "{\"kind\": \"Widget\", \"apiVersion\": \"old.example.com/v1alpha1\"}\n---\napiVersion:\n  old.example.com/v1alpha1\nkind:\n  Widget\n"` + "\n",
	"cell.ipynb":    `{"cells": [{"cell_type": "code", "source": ["apiVersion: old.example.com/v1alpha1\n", "kind: Widget\n"]}]}` + "\n",
	"slash.json":    `{"apiVersion": "old.example.com\/v1alpha1", "kind": "Widget"}` + "\n",
	"slash.in.json": `{"x": "apiVersion: old.example.com\/v1alpha1\nkind: Widget\n"}` + "\n",
	"other.ts":      `const x = "{\"kind\": \"Widget\", \"apiVersion\": \"old.example.com/v1alpha1\"}\n---\napiVersion: old.example.com/v1alpha1\nkind: Gizmo\n"` + "\n",
	"gizmo.ipynb":   `{"cells": [{"cell_type": "code", "source": ["apiVersion: old.example.com/v1alpha1\n", "kind: Gizmo\n"]}]}` + "\n",
	"far.adoc":      "----\n{apiVersion: old.example.com/v1alpha1, spec: [" + strings.Repeat("value,\n ", 400) + "], kind: Widget, metadata: {name: a}}\n----\n",
	"alone.adoc":    "----\n{apiVersion: old.example.com/v1alpha1, kind: Gizmo}\n----\n",
}

// TestBareObjectsAreWhole has each such object migrated as a whole or not at all. What of it
// is old needs review, also once the rest of its file is new; an object of another kind is as before.
func TestBareObjectsAreWhole(t *testing.T) {
	set, err := rules.Parse("r.yaml", []byte("name: r\nrules: [{id: w, from: {group: old.example.com, version: v1alpha1, kind: Widget, plural: widgets}, to: {group: new.example.org, version: v9, kind: Tool, plural: tools}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Options{Rulesets: []*Ruleset{set}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range bareObjects {
		others := strings.Count(text, "Gizmo")
		for run := range 2 {
			f := fileOf(m, name, []byte(text))
			if run == 1 && f == nil && !strings.Contains(text, "old.example.com") {
				continue // all of it is new
			}
			if f == nil || f.Skip != nil {
				t.Fatalf("%s: %+v", name, f)
			}
			after, err := source.Apply([]byte(text), f.Edits([]byte(text)))
			if err != nil {
				t.Fatal(err)
			}
			if text = string(after); run == 1 && len(f.Edits(after)) > 0 {
				t.Errorf("%s: a second run changes it", name)
			}
			old := strings.Count(text, "old.example.com") - others
			if old != strings.Count(text, "Widget") || strings.Count(text, "new.example.org/v9") != strings.Count(text, "Tool") || strings.Count(text, "Gizmo") != others {
				t.Errorf("%s: a half object:\n%s", name, text)
			}
			reviewed := 0
			for _, s := range f.Sites {
				if s.Action() == NeedsReview && strings.Contains(s.Old, "old.example.com") {
					reviewed++
				}
			}
			if old > 0 && reviewed < old {
				t.Errorf("%s: %d of %d old names need review:\n%s", name, reviewed, old, text)
			}
		}
	}
}
