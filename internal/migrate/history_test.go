package migrate

import (
	"path"
	"strings"
	"testing"
)

// A verdict does not depend on the folder that names are relative to.
func TestVerdictFromEveryFolder(t *testing.T) {
	m := fuzzMigration(t)
	for _, name := range []string{"operators/x/0.3.0/manifests/x.yaml", "docs/v1.2/install.yaml", "pkg/converter/testdata/in.yaml", "api/v1/x.yaml", "k8s/v1.0/web.yaml"} {
		parts := strings.Split(name, "/")
		want := onceOf(t, m, name, oldThing)
		for i := range parts {
			below := *m
			below.below = path.Join(parts[:i]...)
			if got := onceOf(t, &below, path.Join(parts[i:]...), oldThing); got != want {
				t.Errorf("%s from %q: got\n%s", name, below.below, indent(got))
			}
		}
	}
}

// A manifest in a folder that is called blog is one of an application, unless it is in the
// documentation; a text there is a record.
func TestManifestsOfAnApplicationCalledBlog(t *testing.T) {
	m := fuzzMigration(t)
	for name, kept := range map[string]bool{
		"apps/blog/a.yaml": false, "charts/blog/templates/a.tpl": false, "deploy/changelog.json": false, "apps/2024-01-02-a.yaml": false,
		"docs/blog/a.yaml": true, "content/en/blog/a.yaml": true, "blog/a.md": true, "apps/blog/CHANGELOG.md": true, "apps/v1.2.3/a.yaml": true,
	} {
		text := map[string]string{".md": "```yaml\n" + oldThing + "```\n", ".json": `{"apiVersion": "old.example.com/v1", "kind": "Thing"}`}[path.Ext(name)]
		if text == "" {
			text = oldThing
		}
		if got := onceOf(t, m, name, text); (got == text) != kept {
			t.Errorf("%s: got\n%s", name, indent(got))
		}
	}
	const note = "fixes:\n- old.example.com/v1 is served again\n"
	if got := onceOf(t, m, "changelogs/fragments/a.yaml", note); got != note {
		t.Errorf("a note: got\n%s", indent(got))
	}
}

const oldThing = "apiVersion: old.example.com/v1\nkind: Thing\n"

// A text that says what a release of Kubernetes serves stays, as a cluster that a chart is
// tested against; other groups have no releases of Kubernetes.
func TestReleasesOfKubernetes(t *testing.T) {
	_, m := kubernetesRemoved(t, Options{})
	for name, text := range map[string]string{
		"values.yaml":     "# For Kubernetes v1.14+, use 'scheduling.k8s.io/v1beta1'\na: 1\n",
		"a.md":            "- k8s >= 1.14 has `scheduling.k8s.io/v1beta1`, PriorityClass\n",
		"tests/test.yaml": "tests:\n- it: renders\n  capabilities:\n    apiVersions:\n    - scheduling.k8s.io/v1beta1\n",
	} {
		if got := onceOf(t, m, name, text); got != text {
			t.Errorf("%s: got\n%s", name, got)
		}
		if other := strings.NewReplacer("Kubernetes", "Rancher", "k8s >", "rke >", "capabilities", "supported").Replace(text); onceOf(t, m, name, other) == other {
			t.Errorf("%s stays:\n%s", name, other)
		}
	}
	const other = "On Kubernetes 1.14, old.example.com/v1 of Thing is served.\n"
	if got := onceOf(t, fuzzMigration(t), "a.md", other); got == other {
		t.Errorf("another group stays")
	}
}
