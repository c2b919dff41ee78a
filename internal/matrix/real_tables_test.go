package matrix

import (
	"os"
	"testing"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// realTables are tables of public projects, each of another shape, with the
// configuration that reads them, the least rows that they have had for years.
var realTables = []struct {
	repository, table string
	rows              int
	unreadable        int // rows whose release is made of several versions
}{
	{"kubernetes/ingress-nginx", "{release: Ingress-NGINX version, columns: [{component: a, header: k8s supported version}, {component: b, header: Nginx Version}, {component: c, header: Helm Chart Version}]}", 40, 0},
	{"kubernetes/kube-state-metrics", "{columns: [{component: a, header: Kubernetes client-go Version}]}", 5, 0},
	{"kubernetes-sigs/metrics-server", "{columns: [{component: a, header: Supported Kubernetes version}]}", 5, 0},
	{"kubernetes/client-go", "{columns: [{component: a, header: \"Kubernetes {version}\", marks: [\"✓\", \"+-\"]}]}", 5, 0},
	{"kubeflow/spark-operator", "{release: Operator Version, columns: [{component: a, header: Kubernetes Version}, {component: b, header: Base Spark Version}]}", 10, 10},
	{"prometheus-operator/kube-prometheus", "{columns: [{component: a, header: \"Kubernetes {version}\"}]}", 4, 0},
	{"projectcontour/contour", "{path: site/content/resources/compatibility-matrix.md, columns: [{component: a, header: Kubernetes Versions}, {component: b, header: Envoy Version}]}", 60, 0},
	{"kubernetes-sigs/controller-runtime", "{columns: [{component: a, header: \"k8s.io/*, client-go\"}, {component: b, header: minimum Go version}]}", 6, 0},
	{"cert-manager/website", "{path: content/docs/releases/README.md, release: Release, columns: [{component: a, header: Compatible Kubernetes versions}, {component: b, header: Compatible OpenShift versions}]}", 10, 0},
	{"aws/karpenter-provider-aws", "{path: website/content/en/preview/upgrading/compatibility.md, flip: true, release: karpenter, columns: [{component: a, header: Kubernetes}]}", 5, 0},
	{"strimzi/strimzi-kafka-operator", "{path: kafka-versions.yaml, release: version, columns: [{component: a, header: third-party-libs}]}", 30, 0},
	{"kubernetes-sigs/cluster-api", "{path: docs/book/src/reference/versions.md, under: \"Core provider (cluster-api-controller)\", flip: true, columns: [{component: a, header: \"Kubernetes {version}\"}]}", 3, 0},
	{"kubernetes-sigs/cluster-api-provider-vsphere", "{release: CAPV version, columns: [{component: a, header: CAPI version used in CI}]}", 5, 0},
}

// TestRealTables reads tables as other projects write them: every cell of them.
func TestRealTables(t *testing.T) {
	dir := mirrors(t)
	for _, c := range realTables {
		if _, err := os.Stat(mirror(dir, c.repository)); err != nil {
			t.Logf("%s: no mirror", c.repository)
			continue
		}
		repo, err := git.Open(t.Context(), mirror(dir, c.repository))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := repo.Tree(t.Context(), "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		s := &stack.Stack{}
		text := "root: app\ncomponents: [{name: app}, {name: a}, {name: b}, {name: c}]\ntables: [" + c.table + "]\n"
		if err := strict.Decode("c", []byte(text), s); err != nil {
			t.Fatal(c.repository, err)
		}
		s.Tables[0].Rows = stack.RowsReleases
		if err := s.Complete("c"); err != nil {
			t.Fatal(c.repository, err)
		}
		data, err := ReadFile(tree, s.Tables[0].Path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Tables[0].Read(s, data)
		if err != nil {
			t.Errorf("%s: %v", c.repository, err)
			continue
		}
		rows, cells := 0, 0
		for _, row := range r.Rows {
			if row.Err != nil {
				rows++
			}
			for _, k := range row.Claims {
				if k.Err != nil {
					t.Errorf("%s: %s:%d: %v", c.repository, k.Path, k.Pos.Line, k.Err)
				}
				cells++
			}
		}
		if len(r.Rows) < c.rows || rows != c.unreadable {
			t.Errorf("%s: %d rows, %d of them not read; want %d, %d", c.repository, len(r.Rows), rows, c.rows, c.unreadable)
		}
		findings, _, err := LintTables(s, tree)
		if err != nil {
			t.Error(err)
		}
		t.Logf("%s: %d rows, %d cells", c.repository, len(r.Rows), cells)
		for _, f := range findings {
			switch f.Rule {
			case "row-unreadable":
			default:
				t.Errorf("  %s: %s [%s]", f.Place(), f.Message, f.Rule)
			}
		}
		repo.Close()
	}
}
