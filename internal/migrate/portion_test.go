package migrate

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

// answersAt are what a run on some paths says of each place, by where that is in its
// work tree. What follows a change of another file is left out: it does not follow one
// that is not made.
func answersAt(t *testing.T, m *Migration, paths ...string) map[string]string {
	t.Helper()
	tree, err := source.Open(paths)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tree.Close() }()
	p, err := m.Plan(t.Context(), tree, source.WalkOptions{Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, e := range p.Account() {
		if e.Answer != answerSkipped && e.Role != roleCRDFile && e.Role != roleClient {
			said[fmt.Sprintf("%s:%d:%d %s %s", tree.Place(e.Path), e.Line, e.Column, e.Role, e.Old)] = fmt.Sprintf("%s %s %s %s", e.Answer, e.Reason, e.Rule, e.New)
		}
	}
	return said
}

// scriptTree is the tree of a contract script, with its rulesets, by name.
func scriptTree(t *testing.T, script string) (memory, map[string]*rules.Ruleset) {
	t.Helper()
	a, err := txtar.ParseFile(script)
	if err != nil {
		t.Fatal(err)
	}
	tree, sets := memory{".git/HEAD": "ref: refs/heads/main\n"}, map[string]*rules.Ruleset{}
	for _, f := range a.Files {
		if set, err := rules.Parse(f.Name, f.Data); err == nil {
			sets[f.Name] = set
		} else if filepath.IsLocal(f.Name) && strings.Contains(path.Base(f.Name), ".") && path.Base(f.Name) != ".gitignore" {
			tree[f.Name] = string(f.Data)
		}
	}
	if len(sets) == 0 {
		for _, name := range []string{"codeflare-groups", "kubernetes-removed"} {
			if sets[name], err = BuiltinRuleset(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	return tree, sets
}

// partFaults are places of which a run on a part does not say all: a CRD that becomes that
// of a file beside the part, a version that no CRD serves, one that is joined to a constant
// of another file, a kind that Go code renames, which it does in a whole work tree only, a resource that
// a CRD beside the part defines for another group.
var partFaults = []string{"words.diff:", "surface.diff:", "crd/b.yaml:", "tree/samples/old.yaml:1:", "src/far/far.go:", "tree/ctl/a.go:", "tree/api/labels.go:", "tree/api/none.go:", "langs/", "kept/v1/", "other/c.sh:", "tree/api/v1/"}

func isPartFault(at string) bool {
	return slices.ContainsFunc(partFaults, func(x string) bool { return strings.HasPrefix(at, x) })
}

// samePart compares a run on a part of a work tree with one on all of it.
func samePart(t *testing.T, m *Migration, top, part string, whole map[string]string) {
	t.Helper()
	got := answersAt(t, m, filepath.Join(top, filepath.FromSlash(part)))
	for _, at := range slices.Sorted(maps.Keys(whole)) {
		if strings.HasPrefix(got[at], "kept selected ") {
			continue // what it selects is not changed in this run
		}
		if isPartFault(at) {
			continue
		}
		if (strings.HasPrefix(at, part+":") || strings.HasPrefix(at, part+"/")) && got[at] != whole[at] {
			t.Errorf("%s: %s: %q, and %q in a run on the whole tree", part, at, got[at], whole[at])
		}
	}
	for _, at := range slices.Sorted(maps.Keys(got)) {
		if _, ok := whole[at]; !ok && !isPartFault(at) {
			t.Errorf("%s: %s: %q, and nothing in a run on the whole tree", part, at, got[at])
		}
	}
}

// What is decided of a part of a work tree is what a run on the whole tree decides,
// whichever part it is, on the trees of the contract scripts.
func TestPartIsDecidedByItsTree(t *testing.T) {
	scripts, err := filepath.Glob("../../testdata/migrate/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	r, parts := rand.New(rand.NewPCG(1, 2)), 6
	if racetest.On {
		parts = 1
	}
	for _, script := range scripts {
		tree, sets := scriptTree(t, script)
		top := t.TempDir()
		writeTree(t, top, tree)
		names := slices.DeleteFunc(sortedNames(tree), func(name string) bool { return strings.HasPrefix(name, ".git") || strings.HasPrefix(name, "vendor/") })
		for _, set := range slices.Sorted(maps.Keys(sets)) {
			m, err := New(Options{Rulesets: []*rules.Ruleset{sets[set]}})
			if err != nil || len(names) == 0 {
				continue
			}
			whole := answersAt(t, m, top)
			for range parts {
				part := names[r.IntN(len(names))]
				for r.IntN(2) == 0 && path.Dir(part) != "." {
					part = path.Dir(part)
				}
				samePart(t, m, top, part, whole)
			}
		}
	}
}

// Each of these files is decided by another one of its tree.
func TestFileIsDecidedByItsNeighbours(t *testing.T) {
	const rules = `name: x
rules: [{id: w, from: {group: a.example.com, kind: Widget, plural: widgets}, to: {group: x.example.dev}}, {id: k, from: {group: k.example.com, kind: Gear, plural: gears}, to: {group: k.example.com, kind: Wheel, plural: wheels}}]
modules: [{from: example.com/api, to: example.com/fresh, run: "go get example.com/fresh@v2.0.0"}]
`
	crd := func(group, kind, plural string) string {
		return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: " + plural + "." + group + "}\nspec:\n  group: " + group + "\n  names: {kind: " + kind + ", plural: " + plural + "}\n  versions: [{name: v1, served: true, storage: true}]\n"
	}
	tree := memory{
		".git/HEAD":                    "ref: refs/heads/main\n",
		"crd/gadgets.yaml":             crd("a.example.com", "Gadget", "gadgets"),
		"crd/parts.yaml":               crd("b.example.com", "Part", "parts"),
		"PROJECT":                      "domain: example.com\nresources:\n- group: a\n  kind: Widget\n  version: v1\n",
		"code/use.go":                  "package code\n\nimport _ \"example.org/apis/a.example.com/v1\"\n",
		"code/told.go":                 "package code\n\nvar owner = \"a.example.com/v1\"\n",
		"code/of/import.go":            "package of\n\nimport _ \"example.com/api/v1\"\n",
		"go.mod":                       "module example.com/x\n\nrequire example.com/api v1.0.0\n",
		"api/group.go":                 "package api\n\nconst Group = \"k.example.com\"\n\ntype Gear struct{}\n",
		"keys/key.go":                  "package keys\n\nimport \"example.com/x/api\"\n\nvar owner = api.Group + \"/owner\"\n",
		"consts.py":                    "GROUP = \"k.example.com\"\nVERSION = \"v1\"\n",
		"py/use.py":                    "from consts import GROUP\n\ngears = api.list(GROUP, \"v1\", \"gears\")\n",
		"chart/values.yaml":            "group: k.example.com\n",
		"chart/templates/use.yaml":     "apiVersion: {{ .Values.group }}/v1\nkind: Gear\n",
		"kinds/kind.go":                "package kinds\n\nimport \"example.com/x/api\"\n\nvar _ api.Gear\n",
		"rbac/role.yaml":               "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\nrules:\n- apiGroups: [a.example.com, x.example.dev]\n  resources: [widgets]\n  verbs: [get]\n",
		"served/gadget.yaml":           "apiVersion: a.example.com/v2\nkind: Gadget\nmetadata: {name: x}\n",
		"served/one.yaml":              "apiVersion: a.example.com/v1\nkind: Widget\nmetadata: {name: x}\n",
		"served/two.yaml":              "apiVersion: x.example.dev/v1\nkind: Widget\nmetadata: {name: x}\n",
		"a.example.com/widget_v1.json": "{}\n",
	}
	top := t.TempDir()
	writeTree(t, top, tree)
	m := parsedMigration(t, rules, false)
	whole := answersAt(t, m, top)
	for _, name := range sortedNames(tree) {
		if name != ".git/HEAD" {
			samePart(t, m, top, name, whole)
			samePart(t, m, top, path.Dir(name), whole)
		}
	}
}
