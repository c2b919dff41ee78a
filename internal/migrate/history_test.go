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

const oldThing = "apiVersion: old.example.com/v1\nkind: Thing\n"
