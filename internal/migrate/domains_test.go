package migrate

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The domain of a project stays while the group of a CRD below its folder stays in it.
func TestDomainsOfProjects(t *testing.T) {
	const project = "domain: example.com\nresources:\n- domain: example.com\n  group: a\n  kind: Widget\n  version: v1\n"
	crd := func(group, kind string) string {
		return fmt.Sprintf("kind: CustomResourceDefinition\nmetadata: {name: x.%s}\nspec:\n  group: %s\n  names: {kind: %s}\n", group, group, kind)
	}
	for _, x := range []struct {
		name string
		tree memory
		want string // the domains of the project after the plan
	}{
		{"no CRD", memory{"PROJECT": project}, "example.org example.org"},
		{"one that moves", memory{"PROJECT": project, "a.yaml": crd("a.example.com", "Widget")}, "example.org example.org"},
		{"one that has moved", memory{"PROJECT": project, "a.yaml": crd("x.example.org", "Widget")}, "example.org example.org"},
		{"one that stays", memory{"PROJECT": project, "crd/b.yaml": crd("b.example.com", "Tool")}, "example.com example.org"},
		{"two that stay", memory{"PROJECT": project, "c.yaml": crd("c.example.com", "Tool"), "b.yaml": crd("b.example.com", "Tool")}, "example.com example.org"},
		{"behind another document", memory{"PROJECT": project, "a.yaml": crd("a.example.com", "Widget") + "---\n" + crd("b.example.com", "Tool")}, "example.com example.org"},
		{"another domain", memory{"PROJECT": project, "b.yaml": crd("b.example.net", "Tool")}, "example.org example.org"},
		{"a longer domain", memory{"PROJECT": project, "b.yaml": crd("b.myexample.com", "Tool")}, "example.org example.org"},
		{"an object, and no CRD", memory{"PROJECT": project, "b.yaml": "apiVersion: b.example.com/v1\nkind: Tool\n# no CustomResourceDefinition\n"}, "example.org example.org"},
		{"without a spec", memory{"PROJECT": project, "b.yaml": "kind: CustomResourceDefinition\nmetadata: {name: x.b.example.com}\n"}, "example.org example.org"},
		{"in a folder beside it", memory{"p/PROJECT": project, "q/b.yaml": crd("b.example.com", "Tool"), "pq/b.yaml": crd("b.example.com", "Tool")}, "example.org example.org"},
		{"in a folder below it", memory{"p/PROJECT": project, "p/q/b.yaml": crd("b.example.com", "Tool")}, "example.com example.org"},
	} {
		m := parsedMigration(t, "name: x\nrules: [{id: all, from: {group: a.example.com}, to: {group: x.example.org}}]\n", false)
		tree := fstest.MapFS{}
		for name, text := range x.tree {
			tree[name] = &fstest.MapFile{Data: []byte(text)}
		}
		files, err := m.gather(func(s search, visit func(name string, data []byte)) error {
			return walkFS(t.Context(), tree, s, visit, func(string, []byte, source.Reason) {})
		})
		if err != nil {
			t.Fatal(err)
		}
		var domains []string
		for name, text := range x.tree.written(t, m.Finish(files, x.tree)) {
			for line := range strings.Lines(text) {
				if _, domain, ok := strings.Cut(line, "domain: "); ok && strings.HasSuffix(name, projectName) {
					domains = append(domains, strings.TrimSpace(domain))
				}
			}
		}
		if got := strings.Join(domains, " "); got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}
}
