package migrate

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// The rulesets of projects that are changing now are held against what these
// projects say themselves: the schemas of their CRDs, the code of their
// conversions, their samples, the commits in which they renamed.

// builtinSet reads a built-in ruleset and a migration by it alone.
func builtinSet(t *testing.T, name string) (*rules.Ruleset, *Migration) {
	t.Helper()
	set, err := BuiltinRuleset(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Options{Rulesets: []*rules.Ruleset{set}})
	if err != nil {
		t.Fatal(err)
	}
	return set, m
}

// realTree is the tree of one commit of a mirror.
func realTree(t *testing.T, repository, rev string) fs.FS {
	t.Helper()
	tree, err := openReal(t, repository).Tree(context.Background(), rev)
	if err != nil {
		t.Skip(err)
	}
	return tree
}

// A crdSchema is what a CRD says about one field.
type crdSchema struct {
	Type       string                `json:"type"`
	Properties map[string]*crdSchema `json:"properties"`
	Items      *crdSchema            `json:"items"`
	Additional *crdSchema            `json:"additionalProperties"`
	Enum       []any                 `json:"enum"`
	Free       bool                  `json:"x-kubernetes-preserve-unknown-fields"`
	IntOr      bool                  `json:"x-kubernetes-int-or-string"`
}

// schemaOf is the spec of a version of a CRD.
func schemaOf(t *testing.T, tree fs.FS, name, version string) *crdSchema {
	t.Helper()
	data, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	var crd struct {
		Spec struct {
			Versions []struct {
				Name   string `json:"name"`
				Schema struct {
					Open crdSchema `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(data, &crd); err != nil {
		t.Fatal(err)
	}
	for _, v := range crd.Spec.Versions {
		if v.Name == version {
			return v.Schema.Open.Properties["spec"]
		}
	}
	t.Fatalf("%s has no version %s", name, version)
	return nil
}

// fill makes a value with every field that the schema has. Each text and number
// in it occurs once, and is in marks under its path.
func (s *crdSchema) fill(at string, marks map[string]string) any {
	mark := func(form string) string {
		text := fmt.Sprintf(form, 4000+len(marks))
		marks[text] = at
		return text
	}
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.Properties) > 0:
		m := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
			m[key] = s.Properties[key].fill(at+"."+key, marks)
		}
		return m
	case s.Items != nil:
		return []any{s.Items.fill(at+"[]", marks)}
	case s.Additional != nil:
		return map[string]any{mark("key%d"): s.Additional.fill(at+".*", marks)}
	case s.Type == "boolean":
		return true
	case s.Type == "integer" || s.Type == "number":
		var n int
		_, _ = fmt.Sscan(mark("%d"), &n)
		return n
	case s.Free && s.Type == "object":
		return map[string]any{}
	}
	return mark("text%d")
}

// unknown are the paths of a value that the schema does not have.
func (s *crdSchema) unknown(v any, at string) []string {
	var list []string
	switch x := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			p, ok := s.Properties[key]
			switch {
			case ok:
				list = append(list, p.unknown(x[key], at+"."+key)...)
			case s.Additional == nil && !s.Free:
				list = append(list, at+"."+key)
			}
		}
	case []any:
		for _, item := range x {
			if s.Items != nil {
				list = append(list, s.Items.unknown(item, at+"[]")...)
			}
		}
	}
	return list
}

// livingShapes are the kinds that change their shape, with the CRDs that say
// how: where the old and where the new version is.
var livingShapes = []struct {
	set, repository, kind    string
	old, oldFile, oldVersion string
	new, newFile, newVersion string
	samples                  string // folder of the old samples
}{
	{
		set: "odh-datasciencecluster-v2", repository: "opendatahub-io/opendatahub-operator", kind: "DataScienceCluster",
		old: "v2.35.0", oldFile: "config/crd/bases/datasciencecluster.opendatahub.io_datascienceclusters.yaml", oldVersion: "datasciencecluster.opendatahub.io/v1",
		new: "v3.0.0", newFile: "config/crd/bases/datasciencecluster.opendatahub.io_datascienceclusters.yaml", newVersion: "v2",
		samples: "config/samples",
	},
	{
		set: "odh-datasciencecluster-v2", repository: "opendatahub-io/opendatahub-operator", kind: "DSCInitialization",
		old: "v2.35.0", oldFile: "config/crd/bases/dscinitialization.opendatahub.io_dscinitializations.yaml", oldVersion: "dscinitialization.opendatahub.io/v1",
		new: "v3.0.0", newFile: "config/crd/bases/dscinitialization.opendatahub.io_dscinitializations.yaml", newVersion: "v2",
		samples: "config/samples",
	},
	{
		set: "odh-dspa-v1", repository: "opendatahub-io/data-science-pipelines-operator", kind: "DataSciencePipelinesApplication",
		old: "2a0170d8~1", oldFile: "config/crd/bases/datasciencepipelinesapplications.opendatahub.io_datasciencepipelinesapplications.yaml", oldVersion: "datasciencepipelinesapplications.opendatahub.io/v1alpha1",
		new: "2a0170d8", newFile: "config/crd/bases/datasciencepipelinesapplications.opendatahub.io_datasciencepipelinesapplications.yaml", newVersion: "v1",
		samples: "config/samples",
	},
	{
		set: "odh-llamastack-ogx", repository: "ogx-ai/ogx-k8s-operator", kind: "LlamaStackDistribution",
		old: "v0.9.0", oldFile: "config/crd/bases/llamastack.io_llamastackdistributions.yaml", oldVersion: "llamastack.io/v1alpha1",
		new: "v0.14.0", newFile: "config/crd/bases/ogx.io_ogxservers.yaml", newVersion: "v1beta1",
		samples: "config/samples",
	},
	{
		set: "third-party-removed", repository: "cert-manager/cert-manager", kind: "Certificate",
		old: "v1.5.3", oldFile: "deploy/crds/crd-certificates.yaml", oldVersion: "cert-manager.io/v1alpha2",
		new: "v1.5.3", newFile: "deploy/crds/crd-certificates.yaml", newVersion: "v1",
	},
	{
		set: "third-party-removed", repository: "cert-manager/cert-manager", kind: "Certificate",
		old: "v1.5.3", oldFile: "deploy/crds/crd-certificates.yaml", oldVersion: "cert-manager.io/v1alpha3",
		new: "v1.5.3", newFile: "deploy/crds/crd-certificates.yaml", newVersion: "v1",
	},
	{
		set: "third-party-removed", repository: "cert-manager/cert-manager", kind: "Certificate",
		old: "v1.5.3", oldFile: "deploy/crds/crd-certificates.yaml", oldVersion: "cert-manager.io/v1beta1",
		new: "v1.5.3", newFile: "deploy/crds/crd-certificates.yaml", newVersion: "v1",
	},
	{
		set: "third-party-removed", repository: "cert-manager/cert-manager", kind: "ClusterIssuer",
		old: "v1.5.3", oldFile: "deploy/crds/crd-clusterissuers.yaml", oldVersion: "cert-manager.io/v1alpha2",
		new: "v1.5.3", newFile: "deploy/crds/crd-clusterissuers.yaml", newVersion: "v1",
	},
	{
		set: "third-party-removed", repository: "cert-manager/cert-manager", kind: "ClusterIssuer",
		old: "v1.5.3", oldFile: "deploy/crds/crd-clusterissuers.yaml", oldVersion: "cert-manager.io/v1beta1",
		new: "v1.5.3", newFile: "deploy/crds/crd-clusterissuers.yaml", newVersion: "v1",
	},
	{
		set: "third-party-removed", repository: "cert-manager/cert-manager", kind: "CertificateRequest",
		old: "v1.5.3", oldFile: "deploy/crds/crd-certificaterequests.yaml", oldVersion: "cert-manager.io/v1alpha2",
		new: "v1.5.3", newFile: "deploy/crds/crd-certificaterequests.yaml", newVersion: "v1",
	},
	{
		set: "third-party-removed", repository: "cert-manager/cert-manager", kind: "Challenge",
		old: "v1.5.3", oldFile: "deploy/crds/crd-challenges.yaml", oldVersion: "acme.cert-manager.io/v1alpha2",
		new: "v1.5.3", newFile: "deploy/crds/crd-challenges.yaml", newVersion: "v1",
	},
	{
		set: "third-party-removed", repository: "cert-manager/cert-manager", kind: "Order",
		old: "v1.5.3", oldFile: "deploy/crds/crd-orders.yaml", oldVersion: "acme.cert-manager.io/v1alpha3",
		new: "v1.5.3", newFile: "deploy/crds/crd-orders.yaml", newVersion: "v1",
	},
	{
		set: "kueue-v1beta2", repository: "kubernetes-sigs/kueue", kind: "ClusterQueue",
		old: "v0.14.0", oldFile: "config/components/crd/bases/kueue.x-k8s.io_clusterqueues.yaml", oldVersion: "kueue.x-k8s.io/v1beta1",
		new: "v0.19.2", newFile: "config/components/crd/bases/kueue.x-k8s.io_clusterqueues.yaml", newVersion: "v1beta2",
	},
	{
		set: "kueue-v1beta2", repository: "kubernetes-sigs/kueue", kind: "Workload",
		old: "v0.14.0", oldFile: "config/components/crd/bases/kueue.x-k8s.io_workloads.yaml", oldVersion: "kueue.x-k8s.io/v1beta1",
		new: "v0.19.2", newFile: "config/components/crd/bases/kueue.x-k8s.io_workloads.yaml", newVersion: "v1beta2",
	},
	{
		set: "kueue-v1beta2", repository: "kubernetes-sigs/kueue", kind: "MultiKueueCluster",
		old: "v0.14.0", oldFile: "config/components/crd/bases/kueue.x-k8s.io_multikueueclusters.yaml", oldVersion: "kueue.x-k8s.io/v1beta1",
		new: "v0.19.2", newFile: "config/components/crd/bases/kueue.x-k8s.io_multikueueclusters.yaml", newVersion: "v1beta2",
	},
	{
		set: "kueue-v1beta2", repository: "kubernetes-sigs/kueue", kind: "AdmissionCheck",
		old: "v0.14.0", oldFile: "config/components/crd/bases/kueue.x-k8s.io_admissionchecks.yaml", oldVersion: "kueue.x-k8s.io/v1beta1",
		new: "v0.19.2", newFile: "config/components/crd/bases/kueue.x-k8s.io_admissionchecks.yaml", newVersion: "v1beta2",
	},
}

// Nothing of an object is lost in silence, and nothing is made that the new
// CRD does not know: an object with every field of the old CRD is migrated, and
// so are upstream's own samples.
func TestRealShapes(t *testing.T) {
	for _, c := range livingShapes {
		t.Run(c.kind, func(t *testing.T) {
			before, after := realTree(t, c.repository, c.old), realTree(t, c.repository, c.new)
			_, m := builtinSet(t, c.set)
			_, version, _ := strings.Cut(c.oldVersion, "/")
			target := schemaOf(t, after, c.newFile, c.newVersion)
			marks := map[string]string{}
			spec := schemaOf(t, before, c.oldFile, version).fill("spec", marks)
			data, err := yaml.Marshal(map[string]any{"apiVersion": c.oldVersion, "kind": c.kind, "metadata": map[string]any{"name": "all"}, "spec": spec})
			if err != nil {
				t.Fatal(err)
			}
			out, finds := holds(t, m, target, "all.yaml", data)
			for _, mark := range slices.Sorted(maps.Keys(marks)) {
				if !strings.Contains(out, mark) && !told(finds, marks[mark]) {
					t.Errorf("%s is lost, and nobody is told", marks[mark])
				}
			}
			t.Logf("%d values of the old CRD are there or reported", len(marks))
			if c.samples == "" {
				return // testdata has objects with what the project makes of them
			}
			samples(t, before, c.samples, c.oldVersion, c.kind, func(name string, data []byte) { holds(t, m, target, name, data) })
		})
	}
}

// told says whether a finding names the path or one that it lies in.
func told(finds, at string) bool {
	for line := range strings.Lines(finds) {
		_, rest, _ := strings.Cut(line, ": ")
		named, _, _ := strings.Cut(rest, ": ")
		if at == named || strings.HasPrefix(at, named+".") || strings.HasPrefix(at, named+"[]") {
			return true
		}
	}
	return false
}

// holds migrates a file and demands that every spec in it fits the schema.
func holds(t *testing.T, m *Migration, target *crdSchema, name string, data []byte) (out, finds string) {
	t.Helper()
	text, _, finds, err := m.Once(name, data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var object struct {
		APIVersion string `json:"apiVersion"`
		Spec       any    `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &object); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	for _, at := range target.unknown(object.Spec, "spec") {
		t.Errorf("%s: %s is not in the CRD\n%s", name, at, finds)
	}
	return string(text), finds
}

// samples gives every document of a folder that is of a kind.
func samples(t *testing.T, tree fs.FS, dir, version, kind string, each func(name string, data []byte)) {
	t.Helper()
	found := 0
	err := fs.WalkDir(tree, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".yaml" {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		for doc := range strings.SplitSeq(string(data), "\n---\n") {
			if strings.Contains(doc, "apiVersion: "+version+"\n") && strings.Contains(doc, "kind: "+kind+"\n") {
				found++
				each(path.Base(name), []byte(doc))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d samples", found)
}

// The names of components move as upstream's conversion function moves them,
// and what it leaves out goes with a word.
func TestRealConversionFunction(t *testing.T) {
	const repository = "opendatahub-io/opendatahub-operator"
	tree := realTree(t, repository, "v3.0.0")
	old := jsonNames(t, tree, "api/datasciencecluster/v1/datasciencecluster_types.go", "Components")
	now := jsonNames(t, tree, "api/datasciencecluster/v2/datasciencecluster_types.go", "Components")
	want := map[string]string{}
	for to, from := range conversionPairs(t, tree, "api/datasciencecluster/v1/datasciencecluster_conversion.go", "ConvertTo", now) {
		want[old[from]] = now[to]
	}
	if len(want) != 11 {
		t.Fatalf("read %d components in the conversion: %v", len(want), want)
	}
	_, m := builtinSet(t, "odh-datasciencecluster-v2")
	for _, name := range old {
		in := "apiVersion: datasciencecluster.opendatahub.io/v1\nkind: DataScienceCluster\nspec:\n  components:\n    " + name + ":\n      managementState: Removed\n    zz: {}\n"
		out, _, finds, err := m.Once("dsc.yaml", []byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if want[name] != "" && !strings.Contains(string(out), "\n    "+want[name]+":\n      managementState: Removed\n") {
			t.Errorf("%s did not become %s:\n%s", name, want[name], out)
		}
		if want[name] == "" && (strings.Contains(string(out), name) || !strings.Contains(finds, name)) {
			t.Errorf("%s should go, with a word; findings %q in\n%s", name, finds, out)
		}
	}
}

// jsonNames are the names in YAML of the fields of a Go struct.
func jsonNames(t *testing.T, tree fs.FS, file, name string) map[string]string {
	t.Helper()
	names := map[string]string{}
	ast.Inspect(parseGo(t, tree, file), func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != name {
			return true
		}
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
			names[f.Names[0].Name], _, _ = strings.Cut(tag, ",")
		}
		return false
	})
	return names
}

// conversionPairs are those of the fields that a conversion sets from a field of
// Spec.Components of its receiver, also by way of a member of it.
func conversionPairs(t *testing.T, tree fs.FS, file, function string, fields map[string]string) map[string]string {
	t.Helper()
	pairs := map[string]string{}
	for _, d := range parseGo(t, tree, file).Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != function {
			continue
		}
		var field string
		ast.Inspect(f.Body, func(n ast.Node) bool {
			kv, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			key, _ := kv.Key.(*ast.Ident)
			if key != nil && fields[key.Name] != "" {
				field = key.Name
			}
			if chain := selectors(kv.Value); len(chain) >= 4 && chain[1] == "Spec" && chain[2] == "Components" {
				pairs[field] = chain[3]
			}
			return true
		})
	}
	return pairs
}

func selectors(e ast.Expr) []string {
	switch x := e.(type) {
	case *ast.Ident:
		return []string{x.Name}
	case *ast.SelectorExpr:
		return append(selectors(x.X), x.Sel.Name)
	}
	return nil
}

func parseGo(t *testing.T, tree fs.FS, file string) *ast.File {
	t.Helper()
	data, err := fs.ReadFile(tree, file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(gotoken.NewFileSet(), file, data, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The renames of 2026, as the projects committed them: what the ruleset would
// not have done, or would have done otherwise, is listed with its reason.
func TestRealRenames(t *testing.T) {
	for _, c := range []struct {
		set, repository, base, head string
		proven                      int
		known                       map[string]string // findings by the beginning of path:line rule, and why they are right
	}{
		{"openmcp-metrics", "openmcp-project/metrics-operator", "eec3f03~1", "eec3f03", 92, map[string]string{
			"config/crd/kustomization.yaml": "names files that upstream keeps elsewhere, before as after",
			"docs/":                         "upstream forgot its documentation",
			"hack/migrate-api-group.sh":     "the script that moves stored objects names both",
			"PROJECT:":                      "the domain of kubebuilder's project is no name of an API",
			"VERSION:":                      "the version",
		}},
		{"openperouter-network", "openperouter/openperouter", "c384ef90", "c67cc272^2", 340, map[string]string{
			"config/all-in-one/openpe.yaml":         "one of two manifests to choose from, which both define the CRDs, before as after",
			"enhancements/":                         "designs of the past keep the group of their time",
			"API-DOCS.md:4":                         "an anchor in generated documentation",
			"website/content/docs/api-reference.md": "an anchor in generated documentation",
			"operator/bundle/manifests/openperouter-operator.clusterserviceversion.yaml:7": "the day of the bundle",
			"operator/PROJECT": "the domain of kubebuilder's project is no name of an API",
		}},
	} {
		t.Run(c.set, func(t *testing.T) {
			set, _ := builtinSet(t, c.set)
			r := reviewOf(t, set, c.repository, c.base, c.head)
			if r.Proven < c.proven {
				t.Errorf("%d lines proven", r.Proven)
			}
			for _, f := range r.Findings {
				at := fmt.Sprintf("%s:%d %s", f.Path, f.Line, f.Rule)
				if !slices.ContainsFunc(slices.Collect(maps.Keys(c.known)), func(known string) bool { return strings.HasPrefix(at, known) }) {
					t.Errorf("%s %s", at, f.Message)
				}
			}
			t.Logf("%d files, %d lines proven, %d by hand, %d findings", r.Files, r.Proven, r.ByHand, len(r.Findings))
		})
	}
}

// Where both groups are served side by side, every kind of the old one is there
// in the new one under the same plural, and no field of it is gone.
func TestRealTwins(t *testing.T) {
	const dir = "opensearch-operator/config/crd/bases/"
	tree := realTree(t, "opensearch-project/opensearch-k8s-operator", "8303ee31")
	set, _ := builtinSet(t, "opensearch-org")
	kinds := 0
	for _, rule := range set.Rules {
		if rule.From.Plural == "" {
			continue
		}
		kinds++
		old := schemaOf(t, tree, dir+"opensearch.opster.io_"+rule.From.Plural+".yaml", "v1")
		now := schemaOf(t, tree, dir+"opensearch.org_"+rule.From.Plural+".yaml", "v1")
		for _, at := range now.unknown(old.fill("spec", map[string]string{}), "spec") {
			t.Errorf("%s: %s", rule.From.Kind, at)
		}
	}
	entries, err := fs.Glob(tree, dir+"opensearch.opster.io_*.yaml")
	if err != nil || len(entries) != kinds {
		t.Errorf("%d CRDs of the old group, %d kinds in the ruleset, %v", len(entries), kinds, err)
	}
}
