package migrate

import (
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// containers put a manifest into another language, and take it out again.
var containers = []struct {
	file      string
	into, out func(string) string
}{
	{"cm.yaml", func(s string) string { return "kind: ConfigMap\ndata:\n  a: |\n" + indented(s, "    ") + "  b: last\n" }, fromData},
	{"cm2.yaml", func(s string) string {
		return "kind: ConfigMap\ndata:\n  a: |\n" + indented(indented("data:\n  a: |\n"+indented(s, "     "), "  "), "   ")
	}, func(s string) string { return fromData(fromData(s)) }},
	{"quoted.yaml", func(s string) string { return "kind: ConfigMap\ndata:\n  a: " + strconv.Quote(s) + "\n" }, fromData},
	{"cm.json", func(s string) string { return `{"data": {"a": ` + strconv.Quote(s) + "}}\n" }, fromData},
	{"raw.go", func(s string) string { return "package a\n\nconst x = `" + s + "`\n" }, between("`", "`")},
	{"quoted.go", func(s string) string { return "package a\n\nconst x = " + strconv.Quote(s) + "\n" }, func(s string) string {
		_, s, _ = strings.Cut(s, "= ")
		s, _ = strconv.Unquote(strings.TrimSpace(s))
		return s
	}},
	{"comment.go", func(s string) string { return "package a\n\n" + indented(s, "// ") + "var x = 1\n" }, func(s string) string {
		s = between("\n\n", "var x")(s)
		return strings.TrimPrefix(strings.ReplaceAll(s, "\n// ", "\n"), "// ")
	}},
	{"a.md", func(s string) string { return "Text.\n\n  ```yaml\n" + indented(s, "  ") + "  ```\n" }, func(s string) string {
		return strings.ReplaceAll(strings.TrimPrefix(between("yaml\n", "  ```\n")(s), "  "), "\n  ", "\n")
	}},
	{"a.sh", func(s string) string { return "#!/bin/sh\nkubectl apply -f - <<EOF\n" + s + "EOF\n" }, between("<<EOF\n", "EOF\n")},
	{"a.py", func(s string) string { return "x = \"\"\"\n" + s + "\"\"\"\n" }, between("\"\"\"\n", "\"\"\"")},
}

func fromData(s string) string {
	var object struct{ Data map[string]string }
	if err := yaml.Unmarshal([]byte(s), &object); err != nil {
		return err.Error()
	}
	return object.Data["a"]
}

func between(from, to string) func(string) string {
	return func(s string) string {
		_, s, _ = strings.Cut(s, from)
		if i := strings.LastIndex(s, to); i >= 0 {
			return s[:i]
		}
		return "nothing between " + from + " and " + to
	}
}

// A manifest in any container becomes what it becomes on its own: lines that
// go, lines that come, words of another length, another shape.
func TestManifestInAnyContainer(t *testing.T) {
	rules := mergeRules + `  - {value: kept.example.dev, why: kept}
convert:
  - id: pear
    kind: Pear
    from: x.example.dev/v1
    to: x.example.dev/v2
    steps:
      - {drop: spec.worm}
      - {rename: spec.colour, to: color}
      - {move: spec.size, to: spec.dimensions.size}
`
	rules = strings.Replace(rules, "keys:", "  - {id: pear-v2, from: {group: x.example.dev, version: v1, kind: Pear}, to: {version: v2}}\nkeys:", 1)
	role := func(groups ...string) string {
		return "kind: ClusterRole\nrules:\n- apiGroups: [" + strings.Join(groups, ".example.dev, ") + ".example.dev]\n  resources: [things]\n"
	}
	pear := "apiVersion: a.example.dev/v1\nkind: Pear\nmetadata:\n  name: x\nspec:\n  worm: yes\n  colour: green\n  size: 3\n"
	manifests := []string{role("a", "b"), role("a", "x"), role("x", "b", "a"), role("o", "a", "x", "b"), pear, pear + "---\n" + strings.NewReplacer("a.ex", "b.ex", "name: x", "name: y").Replace(pear), "apiVersion: b.example.dev/v1\nkind: Thing\n"}
	for _, dual := range []bool{false, true} {
		m := parsedMigration(t, rules, dual)
		for i, manifest := range manifests {
			want := onceOf(t, m, "a.yaml", manifest)
			for _, c := range containers {
				in := c.into(manifest)
				if got := c.out(in); got != manifest {
					t.Fatalf("%s does not give the manifest back:\n%s", c.file, indent(got))
				}
				if out := onceOf(t, m, c.file, in); c.out(out) != want && out != in { // a list cannot be changed everywhere
					t.Errorf("%s, manifest %d, dual %v: got\n%swant inside\n%s", c.file, i, dual, indent(out), indent(want))
				}
			}
		}
	}
}
