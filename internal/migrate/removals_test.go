package migrate

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

// A life is what the types of Kubernetes say about a kind: minor versions, 0 for none.
type life struct{ introduced, deprecated, removed int }

// unserved are kinds that no API server serves under a path of their own, so that no
// manifest has them.
var unserved = map[string]string{
	"Scale":              "the kind of a subresource",
	"DeploymentRollback": "the kind of a subresource",
	"JobTemplate":        "was registered and never served",
	"AdmissionReview":    "the API server still sends v1beta1 to webhooks that ask for it",
}

func release(minor int) string { return "1." + strconv.Itoa(minor) }

// The ruleset kubernetes-removed knows each removal of the newest release of Kubernetes. What
// fails here is added to it by hand, with the version that replaces the kind.
func TestRulesKnowEveryRemoval(t *testing.T) {
	set, err := BuiltinRuleset("kubernetes-removed")
	if err != nil {
		t.Fatal(err)
	}
	kinds, newest := newestTypes(t)
	if set.Kubernetes != release(newest) {
		t.Errorf("the ruleset knows Kubernetes up to %s, the module proxy has 1.%d", set.Kubernetes, newest)
	}
	for from, l := range kinds {
		if l.removed == 0 || unserved[from.Kind] != "" {
			continue
		}
		i := slices.IndexFunc(set.Rules, func(r rules.Rule) bool {
			return r.From.Group == from.Group && r.From.Kind == from.Kind && (r.From.Version == from.Version || r.From.Version == "")
		})
		switch {
		case i < 0:
			t.Errorf("no rule says that %s is deprecated in 1.%d and removed in 1.%d", from, l.deprecated, l.removed)
		case set.Rules[i].Kubernetes.Removed != release(l.removed):
			t.Errorf("rule %s has removed: %q, the types of Kubernetes say 1.%d", set.Rules[i].ID, set.Rules[i].Kubernetes.Removed, l.removed)
		}
	}
	for _, r := range set.Rules {
		from, to := r.From, rules.Complete(r.To, r.From)
		from.Plural, to.Plural = "", ""
		if later := semver.Compare("v"+r.Kubernetes.Removed, "v"+set.Kubernetes) > 0; later && kinds[from] == nil {
			t.Errorf("rule %s has removed: %q, and the newest types do not have the kind", r.ID, r.Kubernetes.Removed)
		}
		if l := kinds[to]; !r.Gone() && l != nil && (l.removed != 0 && l.removed <= newest || l.introduced > 0 && semver.Compare("v"+r.Kubernetes.Served, "v"+release(l.introduced)) < 0) {
			t.Errorf("rule %s leads to %s, which is served from 1.%d until 1.%d", r.ID, to, l.introduced, l.removed)
		}
	}
}

// newestTypes are the kinds of the newest released API modules, as far as the module proxy
// can be reached. Minor version N of a module belongs to Kubernetes 1.N.
func newestTypes(t *testing.T) (map[rules.GVK]*life, int) {
	t.Helper()
	kinds, newest := map[rules.GVK]*life{}, 0
	for _, module := range []string{"k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/kube-aggregator"} {
		versions := strings.Fields(goCommand(t, "list", "-m", "-versions", module))
		versions = slices.DeleteFunc(versions, func(v string) bool { return semver.Major(v) != "v0" || semver.Prerelease(v) != "" })
		last := slices.MaxFunc(versions, semver.Compare)
		var got struct{ Dir string }
		if err := json.Unmarshal([]byte(goCommand(t, "mod", "download", "-json", module+"@"+last)), &got); err != nil {
			t.Fatal(err)
		}
		minor, err := strconv.Atoi(strings.TrimPrefix(semver.MajorMinor(last), "v0."))
		if err != nil {
			t.Fatal(err)
		}
		newest = max(newest, minor)
		for _, pattern := range []string{"*/*/register.go", "pkg/apis/*/*/register.go"} {
			found, err := filepath.Glob(filepath.Join(got.Dir, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range found {
				readLives(t, kinds, filepath.Dir(name))
			}
		}
	}
	return kinds, newest
}

func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(context.Background(), "go", args...).Output()
	if err != nil {
		t.Skipf("offline, so that the rules are not compared with the newest release of Kubernetes: %v", err)
	}
	return string(out)
}

var groupConstant = regexp.MustCompile(`GroupName += +"(.*)"`)

// readLives reads the lifecycle methods of one version of a group.
func readLives(t *testing.T, kinds map[rules.GVK]*life, dir string) {
	t.Helper()
	var group [][]byte
	for _, name := range []string{dir, filepath.Dir(dir)} { // the aggregator has the name with its internal types
		if data, err := source.ReadFile(filepath.Join(name, "register.go")); err == nil && group == nil {
			group = groupConstant.FindSubmatch(data)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || group == nil {
		return
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			m, ok := d.(*ast.FuncDecl)
			if !ok || m.Recv == nil || m.Name.Name != "DeepCopyObject" && !strings.HasPrefix(m.Name.Name, "APILifecycle") {
				continue
			}
			star, ok := m.Recv.List[0].Type.(*ast.StarExpr)
			if !ok {
				continue
			}
			of := rules.GVK{Group: string(group[1]), Version: filepath.Base(dir), Kind: star.X.(*ast.Ident).Name}
			if strings.HasSuffix(of.Kind, "List") || strings.HasSuffix(of.Kind, "Options") {
				continue
			}
			if kinds[of] == nil {
				kinds[of] = &life{}
			}
			switch m.Name.Name {
			case "APILifecycleIntroduced":
				kinds[of].introduced = minorOf(m)
			case "APILifecycleDeprecated":
				kinds[of].deprecated = minorOf(m)
			case "APILifecycleRemoved":
				kinds[of].removed = minorOf(m)
			}
		}
	}
}

// minorOf is the second number of a method that returns two.
func minorOf(m *ast.FuncDecl) int {
	var list []int
	ast.Inspect(m.Body, func(n ast.Node) bool {
		if x, ok := n.(*ast.BasicLit); ok {
			number, _ := strconv.Atoi(x.Value)
			list = append(list, number)
		}
		return true
	})
	if len(list) != 2 || list[0] != 1 {
		return 0
	}
	return list[1]
}

// withoutResource are the plurals of types of Kubernetes that are no resource to grant, or whose name
// more people know from another group.
var withoutResource = map[string]string{
	"podstatusresults": "no server serves it", "rangeallocations": "only the server stores it",
	"scales": "a subresource", "tokenrequests": "a subresource", "workloads": "an alpha of scheduling.k8s.io, and a kind of Kueue",
}

// The resources of Kubernetes are those of its Go types.
func TestResourcesOfKubernetes(t *testing.T) {
	for gvk, of := range kubernetesScheme(t).AllKnownTypes() {
		_, named := reflect.New(of).Interface().(metav1.Object)
		plural, _ := meta.UnsafeGuessKindToResource(gvk)
		if named && spelling.OfKubernetes(plural.Resource) == (withoutResource[plural.Resource] != "") {
			t.Errorf("%s of %s", plural.Resource, gvk.GroupVersion())
		}
	}
}
