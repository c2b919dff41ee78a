package migrate

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A memory is a tree of files for tests.
type memory map[string]string

func (m memory) Exists(name string) bool { _, ok := m[name]; return ok }

func (m memory) ReadFile(name string) ([]byte, error) {
	if text, ok := m[name]; ok {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

// migrated writes the plan of a migration into a copy of the tree.
func migrated(t *testing.T, tree memory, opts Options) memory {
	t.Helper()
	m, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	out := maps.Clone(tree)
	for _, f := range tree.planned(m).Files {
		if f.Skip != nil {
			t.Fatal(f.Skip)
		}
		data := []byte(tree[f.Path])
		for _, c := range f.changes(data) {
			if c.From == "" {
				data = nil
			}
			text, err := source.Apply(data, c.Edits)
			if err != nil {
				t.Fatal(err)
			}
			if c.From != "" {
				delete(out, c.From)
			}
			if c.To != "" {
				out[c.To] = string(text)
			}
		}
	}
	return out
}

// TestDual opens the window and ends it: in between both groups are served,
// running twice changes nothing, and at the end the tree is what one run in
// replace mode makes of the beginning.
func TestDual(t *testing.T) {
	set, err := BuiltinRuleset("codeflare-groups")
	if err != nil {
		t.Fatal(err)
	}
	start := memory{
		"config/crd/bases/mcad.ibm.com_appwrappers.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: appwrappers.mcad.ibm.com\nspec:\n  group: mcad.ibm.com # the group\n  names: {kind: AppWrapper, plural: appwrappers}\n",
		"config/crd/kustomization.yaml":                  "resources:\n- bases/mcad.ibm.com_appwrappers.yaml\n- other.yaml\n",
		"config/rbac/role.yaml":                          "kind: ClusterRole\nrules:\n- apiGroups:\n  - mcad.ibm.com\n  resources:\n  - appwrappers\n  verbs: [get]\n- apiGroups: [\"ibm.com\"]\n  resources: [quotasubtrees]\n  verbs: [get]\n",
		"config/samples/aw.yaml":                         "apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\n",
		"controllers/aw.go":                              "package controllers\n\n// +kubebuilder:rbac:groups=mcad.ibm.com,resources=appwrappers,verbs=get\n",
		"all.yaml":                                       "kind: Namespace\n---\nkind: CustomResourceDefinition\nmetadata:\n  name: quotasubtrees.ibm.com\nspec:\n  group: ibm.com\n  names:\n    kind: QuotaSubtree\n    plural: quotasubtrees\n---\nkind: Service\n",
	}
	dual := Options{Rulesets: []*rules.Ruleset{set}, Dual: true}
	open := migrated(t, start, dual)
	for name, want := range map[string]string{
		"config/crd/bases/mcad.ibm.com_appwrappers.yaml": start["config/crd/bases/mcad.ibm.com_appwrappers.yaml"],
		"config/crd/kustomization.yaml":                  "resources:\n- bases/mcad.ibm.com_appwrappers.yaml\n- bases/workload.codeflare.dev_appwrappers.yaml\n- other.yaml\n",
		"config/rbac/role.yaml":                          "kind: ClusterRole\nrules:\n- apiGroups:\n  - mcad.ibm.com\n  - workload.codeflare.dev\n  resources:\n  - appwrappers\n  verbs: [get]\n- apiGroups: [\"ibm.com\", \"quota.codeflare.dev\"]\n  resources: [quotasubtrees]\n  verbs: [get]\n",
		"config/samples/aw.yaml":                         start["config/samples/aw.yaml"],
		"controllers/aw.go":                              "package controllers\n\n// +kubebuilder:rbac:groups=mcad.ibm.com;workload.codeflare.dev,resources=appwrappers,verbs=get\n",
		"all.yaml":                                       "kind: Namespace\n---\nkind: CustomResourceDefinition\nmetadata:\n  name: quotasubtrees.ibm.com\nspec:\n  group: ibm.com\n  names:\n    kind: QuotaSubtree\n    plural: quotasubtrees\n---\nkind: CustomResourceDefinition\nmetadata:\n  name: quotasubtrees.quota.codeflare.dev\nspec:\n  group: quota.codeflare.dev\n  names:\n    kind: QuotaSubtree\n    plural: quotasubtrees\n---\nkind: Service\n",
	} {
		if open[name] != want {
			t.Errorf("%s: got\n%swant\n%s", name, indent(open[name]), indent(want))
		}
	}
	if again := migrated(t, open, dual); !maps.Equal(again, open) {
		t.Errorf("a second run in dual mode changes something: %v", again)
	}
	replace := Options{Rulesets: []*rules.Ruleset{set}}
	want := migrated(t, start, replace)
	got := migrated(t, open, replace)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("after the window, %s: got\n%swant\n%s", name, indent(got[name]), indent(want[name]))
		}
	}
	if len(got) != len(want) {
		t.Errorf("after the window there are %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// TestDualBundle opens and ends the window of an OLM bundle: in between the
// ClusterServiceVersion owns the CRDs of both groups.
func TestDualBundle(t *testing.T) {
	start, want := readTree(t, "testdata/trees/csv/before"), readTree(t, "testdata/trees/csv/after")
	dual := Options{Rulesets: []*rules.Ruleset{codeflareGroups(t)}, Dual: true}
	open := migrated(t, start, dual)
	for name, both := range map[string][]string{
		"manifests/queue.clusterserviceversion.yaml": {"name: appwrappers.mcad.ibm.com", "name: appwrappers.workload.codeflare.dev", "name: quotasubtrees.ibm.com", "name: quotasubtrees.quota.codeflare.dev"},
	} {
		for _, text := range both {
			if n := strings.Count(open[name], text); n != 1 {
				t.Errorf("%s has %q %d times", name, text, n)
			}
		}
	}
	if again := migrated(t, open, dual); !maps.Equal(again, open) {
		t.Error("a second run in dual mode changes something")
	}
	got := migrated(t, open, Options{Rulesets: dual.Rulesets})
	for _, name := range sortedNames(want) {
		if got[name] != want[name] {
			t.Errorf("after the window, %s: got\n%swant\n%s", name, indent(got[name]), indent(want[name]))
		}
	}
	if len(got) != len(want) {
		t.Errorf("after the window there are %v, want %v", sortedNames(got), sortedNames(want))
	}
}

// A copy of a CRD stays in the part of the template in which it is.
func TestTwinsInTemplates(t *testing.T) {
	m := fuzzMigration(t)
	m.opts.Dual = true
	crd := "kind: CustomResourceDefinition\nmetadata:\n  name: apples.old.example.com\nspec:\n  group: old.example.com\n  names: {kind: Apple, plural: apples}\n"
	for name, text := range map[string]string{
		"a.yaml": "kind: List\nitems:\n- " + strings.TrimSpace(strings.ReplaceAll(crd, "\n", "\n  ")) + "\n",
		"b.yaml": "data:\n  x: |\n    " + strings.TrimSpace(strings.ReplaceAll(crd, "\n", "\n    ")) + "\n",
		"c.json": `{"kind": "CustomResourceDefinition", "metadata": {"name": "apples.old.example.com"}, "spec": {"group": "old.example.com", "names": {"kind": "Apple", "plural": "apples"}}}`,
		"d.sh":   "cat <<E\n" + crd + "E\n",
	} {
		if f := fileOf(m, name, []byte(text)); f != nil && f.Changes() {
			t.Errorf("%s gets a twin", name)
		}
	}
}

// A CRD that is in a stream twice gets one in the new group.
func TestOneTwinForACRDThatIsThereTwice(t *testing.T) {
	crd := "kind: CustomResourceDefinition\nmetadata:\n  name: things.old.example.com\nspec:\n  group: old.example.com\n  names: {kind: Thing, plural: things}\n"
	m := parsedMigration(t, fuzzRules, true)
	got := onceOf(t, m, "a.yaml", crd+"---\n"+crd)
	if strings.Count(got, "group: new.example.org") != 1 || strings.Count(got, "group: old.example.com") != 2 {
		t.Errorf("got\n%s", got)
	}
	if again := onceOf(t, m, "a.yaml", got); again != got {
		t.Errorf("a second run makes\n%s", again)
	}
}
