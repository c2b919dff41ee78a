package migrate

import (
	"path"
	"strings"
	"testing"
)

// What the words of a path say of a document they do not say of a manifest.
func TestHistoryIsOfDocuments(t *testing.T) {
	m, manifest := fuzzMigration(t), "apiVersion: old.example.com/v1\nkind: Thing\n"
	for _, name := range []string{
		"k8s/news.yaml", "k8s/history-server.yaml", "k8s/changes.json", "deploy/blog/web.yaml", "deploy/release-notes/web.yaml", "db-migration/job.yaml", "k8s/converter/deploy.yaml",
		"crd/patches/thing_conversion_webhook_patch.yaml", "k8s/v1.0/web.yaml", "charts/history/templates/web.yaml", "pkg/history/history.go", "web/news.py", "deploy/1.2/web.yaml",
	} {
		text := manifest
		switch path.Ext(name) {
		case ".go":
			text = "package history\n\nconst Group = \"old.example.com\"\n"
		case ".py":
			text = "group = \"old.example.com\"\n"
		case ".json":
			text = `{"apiVersion": "old.example.com/v1", "kind": "Thing"}`
		}
		if got := onceOf(t, m, name, text); strings.Contains(got, "old.example.com") {
			t.Errorf("%s is kept", name)
		}
	}
	for _, name := range []string{
		"NEWS.md", "CHANGELOG", "history.txt", "docs/blog/2024.md", "docs/v1.2/install.yaml", "website/content/v0.32/step.sh", "operators/x/0.3.0/manifests/x.yaml", "bundle/1.2/x.yaml",
		"release-1.4/x.yaml", "pkg/converter/convert.go", "pkg/converter/testdata/in.yaml", "docs/migration/before.yaml", "MIGRATING.md", "versioned_docs/a.yaml", "v2.1/notes.md", "test/__snapshots__/a.yaml",
	} {
		text := manifest
		if path.Ext(name) == ".go" {
			text = "package converter\n\nconst Group = \"old.example.com\"\n"
		}
		if got := onceOf(t, m, name, text); got != text {
			t.Errorf("%s is not kept:\n%s", name, indent(got))
		}
	}
}

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

const oldThing = "apiVersion: old.example.com/v1\nkind: Thing\n"
