package edit

import "testing"

// The halves of a group in PROJECT move where they become the same for all that
// share them.
func TestProject(t *testing.T) { rows(t, projectRows()) }

func projectRows() []row {
	return []row{
		{name: "domain", file: "PROJECT", in: "domain: example.com\nresources:\n- group: old\n  kind: Any\n  version: v1\n", want: "domain: example.org\nresources:\n- group: new\n  kind: Any\n  version: v1\n"},
		{name: "own domain", file: "PROJECT", in: "domain: example.net\nresources:\n- domain: example.com\n  group: old\n  kind: Any\n", want: "domain: example.net\nresources:\n- domain: example.org\n  group: new\n  kind: Any\n"},
		{name: "shared with one that stays", file: "PROJECT", in: "domain: example.com\nresources:\n- group: old\n  kind: Any\n- group: other\n  kind: Any\n", told: "splits: old"},
		{name: "kind", file: "PROJECT", in: "domain: example.com\nresources:\n- group: tree\n  kind: Plum\n", want: "domain: example.org\nresources:\n- group: wood\n  kind: Prune\n"},
		{name: "a group as a whole", file: "PROJECT", in: "domain: example.com\nresources:\n- group: old.example.com\n  kind: Any\n", want: "domain: example.com\nresources:\n- group: new.example.org\n  kind: Any\n"},
	}
}
