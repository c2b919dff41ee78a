package edit

import (
	"testing"
)

// A file that is named after its group follows it, with what its CRD becomes.
func TestNewPath(t *testing.T) {
	b := newBench(t, moves)
	crd := func(group, kind, plural string) string {
		return "kind: CustomResourceDefinition\nmetadata:\n  name: " + plural + "." + group + "\nspec:\n  group: " + group + "\n  names: {kind: " + kind + ", plural: " + plural + "}\n"
	}
	for _, tt := range []struct{ name, in, want string }{
		{"crd/old.example.com_anys.yaml", crd("old.example.com", "Any", "anys"), "crd/new.example.org_anys.yaml"},
		{"tree.example.com_plums.yaml", crd("tree.example.com", "Plum", "plums"), "wood.example.org_prunes.yaml"},
		{"fruit.example.com_pears.yaml", crd("fruit.example.com", "Pear", "pears"), "pear.example.org_pears.yaml"},
		{"old.example.com_v1_any_cr.yaml", "apiVersion: old.example.com/v1\nkind: Any\n", "new.example.org_v1_any_cr.yaml"},
		{"old.example.com_anys.yaml", crd("new.example.org", "Any", "anys"), "new.example.org_anys.yaml"},        // the content moved alone
		{"old.example.com_anys.yaml", "# nothing\n", "old.example.com_anys.yaml"},                                // nothing of the group is in it
		{"step.example.com_steps.yaml", crd("step.example.com", "Step", "steps"), "step.example.com_steps.yaml"}, // the group stays
		{"anys.yaml", crd("old.example.com", "Any", "anys"), "anys.yaml"},
		{"tree.example.com_v1_plum_cr.yaml", "apiVersion: tree.example.com/v1\nkind: Plum\n", "wood.example.org_v1_prune_cr.yaml"},
		{"home.example.com_v1alpha1_nest.yaml", "apiVersion: home.example.com/v1alpha1\nkind: Nest\n", "nest.example.org_v1_nest.yaml"},
		{"old.example.com_v1_unknown.yaml", "apiVersion: old.example.com/v1\nkind: Unknown\n", "new.example.org_v1_unknown.yaml"},
		{"fruit.example.com_melons.yaml", crd("old.example.com", "Any", "anys"), "fruit.example.com_melons.yaml"}, // no rule moves melons
		{"old.example.com.yaml", crd("old.example.com", "Any", "anys"), "old.example.com.yaml"},                   // no plural
		{"old.example.com_anys.yaml", crd("old.example.com # cfctl:keep", "Any", "anys"), "old.example.com_anys.yaml"},
		{"old.example.com_anys.go", "package a // of new.example.org\n", "old.example.com_anys.go"}, // no manifest
		{"frozen/old.example.com_anys.yaml", crd("old.example.com", "Any", "anys"), "frozen/old.example.com_anys.yaml"},
		{"old.example.com_v1_any_cr.yaml", "apiVersion: old.example.com/v1 # cfctl:keep, not new.example.org\nkind: Any\n", "old.example.com_v1_any_cr.yaml"},
	} {
		if got := b.file(tt.name, tt.in).NewPath(b.plan(tt.name, tt.in)); got != tt.want {
			t.Errorf("%s becomes %s, want %s", tt.name, got, tt.want)
		}
	}
}

// The name of a CRD's file in another file follows the file, and names its twin
// where it stands in a list.
func TestFileReferences(t *testing.T) {
	b := newBench(t, moves)
	list, name := "resources:\n- bases/old.example.com_anys.yaml\n- x.yaml\n", "old.example.com_anys.yaml"
	both := "resources:\n- bases/old.example.com_anys.yaml\n- bases/new.example.org_anys.yaml\n- x.yaml\n"
	fresh := map[string]string{name: "new.example.org_anys.yaml"}
	for _, tt := range []struct {
		name, in, want string
		action         Action
		tree           Tree
	}{
		{"no such file", list, list, Stay, Tree{}},
		{"renamed", list, "resources:\n- bases/new.example.org_anys.yaml\n- x.yaml\n", Change, Tree{Renames: fresh}},
		{"twin", list, both, Change, Tree{Twins: fresh}},
		{"twin is named", both, both, Stay, Tree{Twins: fresh}},
		{"gone", list, "resources:\n- bases/new.example.org_anys.yaml\n- x.yaml\n", Change, Tree{Gone: fresh}},
		{"gone, and the new one is named", both, "resources:\n- bases/new.example.org_anys.yaml\n- x.yaml\n", Change, Tree{Gone: fresh}},
		{"twin of one in running text", "a: old.example.com_anys.yaml\n", "a: old.example.com_anys.yaml\n", Person, Tree{Twins: fresh}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			made := b.plan("kustomization.yaml", tt.in)
			if len(made) == 0 || made[0].Action() != Wait {
				t.Fatalf("%+v", made)
			}
			o, ok := made[0].Settle("kustomization.yaml", &tt.tree)
			if got, _ := written(t, tt.in, []Outcome{o}); !ok || o.Action() != tt.action || got != tt.want {
				t.Errorf("%s, %s", o.Action(), got)
			}
		})
	}
}
