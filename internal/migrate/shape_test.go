package migrate

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

const oldScaler = "apiVersion: autoscaling/v2beta1\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: NAME\nspec:\n  metrics:\n  - type: Resource\n    resource:\n      name: memory\n      targetAverageUtilization: 70\n"

// onceOf migrates a text and fails when that is not possible.
func onceOf(t *testing.T, m *Migration, name, text string) string {
	t.Helper()
	out, _, _, err := m.Once(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func indented(text, by string) string {
	return by + strings.TrimSuffix(strings.ReplaceAll(text, "\n", "\n"+by), by)
}

// An object that is kept keeps its shape, too, whoever keeps it: by hand, by a
// folder, by a ruleset; in a file and in a string.
func TestKeptObjectsKeepTheirShape(t *testing.T) {
	set, m := kubernetesRemoved(t, Options{Target: "1.999"})
	keep, err := rules.Parse("keep.yaml", []byte("name: keep\nkeys: [{from: a.example.com/x, to: b.example.com/x}]\nkeep: [{value: autoscaling/v2beta1, why: an old cluster}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	both, err := New(Options{Rulesets: []*rules.Ruleset{set, keep}})
	if err != nil {
		t.Fatal(err)
	}
	marked := strings.Replace(oldScaler, "v2beta1", "v2beta1 # cfctl:keep for one cluster", 1)
	for _, c := range []struct {
		name, path, in string
		m              *Migration
	}{
		{"apiVersion", "a.yaml", marked, m},
		{"line above", "a.yaml", "# cfctl:keep\n" + oldScaler, m},
		{"in a string", "a.yaml", "kind: ConfigMap\ndata:\n  a.yaml: |\n" + indented(marked, "    "), m},
		{"ruleset", "a.yaml", oldScaler, both},
		{"folder", "crs/v2beta1/a.yaml", oldScaler, m},
	} {
		if got := onceOf(t, c.m, c.path, c.in); got != c.in {
			t.Errorf("%s: became\n%s", c.name, indent(got))
		}
	}
	two := onceOf(t, m, "a.yaml", marked+"---\n"+oldScaler)
	if !strings.HasPrefix(two, marked) || strings.Contains(two[len(marked):], "v2beta1") {
		t.Errorf("the other object of the file became\n%s", indent(two))
	}
}

// Many objects in one file are converted one by one: what is in one document,
// in one list, or in one JSON array gives the same objects as a file of each.
func TestManyObjectsAsOne(t *testing.T) {
	_, m := kubernetesRemoved(t, Options{Target: "1.999"})
	one := onceOf(t, m, "a.yaml", oldScaler)
	var stream, list, want, wantList strings.Builder
	list.WriteString("kind: List\nitems:\n")
	wantList.WriteString("kind: List\nitems:\n")
	item := func(text string) string { return "- " + indented(text, "  ")[2:] }
	for i := range 40 {
		name := fmt.Sprint("n", i)
		stream.WriteString("---\n" + strings.ReplaceAll(oldScaler, "NAME", name))
		want.WriteString("---\n" + strings.ReplaceAll(one, "NAME", name))
		list.WriteString(item(strings.ReplaceAll(oldScaler, "NAME", name)))
		wantList.WriteString(item(strings.ReplaceAll(one, "NAME", name)))
	}
	if got := onceOf(t, m, "a.yaml", stream.String()); got != want.String() {
		t.Errorf("stream: got\n%s", indent(got))
	}
	if got := onceOf(t, m, "a.yaml", list.String()); got != wantList.String() {
		t.Errorf("list: got\n%s", indent(got))
	}
}

// Rules are shared by every worker: nothing in them is written.
func TestConvertConcurrently(t *testing.T) {
	_, m := kubernetesRemoved(t, Options{Target: "1.999"})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				_, _, _, _ = m.Once("a.yaml", []byte(oldScaler))
			}
		})
	}
	all.Wait()
}

// A step that can never do what it says is refused when the ruleset is read.
func TestStepsThatCannotRun(t *testing.T) {
	for _, step := range []string{
		`{move: spec.size, to: 'spec."dimensions.size'}`,
		`{copy: spec.size, to: '[0'}`,
		`{drop: spec.worm, when: {path: 'spec."x', is: present}}`,
		`{drop: spec.worm, when: {path: 'spec.list[*].x', is: present}}`,
		`{rename: spec.worm, to: spec.snake}`,
		`{wrap: spec.worm, to: a.b}`,
		`{set: spec.worm}`,
		`{set: spec.worm, value: "a\nb"}`,
		`{drop: 'spec."worm'}`,
		`{drop: spec.worm, rename: spec.size, to: x}`,
	} {
		text := "name: x\nconvert:\n- id: c\n  kind: Pear\n  from: a.example.dev/v1\n  to: a.example.dev/v2\n  steps:\n  - " + step + "\n"
		if _, err := rules.Parse("x.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "step 1") {
			t.Errorf("%s: %v", step, err)
		}
	}
}

// An object in a text that is not converted there keeps its version, however the text is read:
// its fields are those of the old one.
func TestVersionsGoWithShapes(t *testing.T) {
	_, m := kubernetesRemoved(t, Options{Target: "1.999"})
	lines := strings.SplitN(oldScaler, "\n", 3)
	last := lines[2] + lines[1] + "\n" + lines[0] + "\n" // the version at its end
	for path, in := range map[string]string{
		"a.rst":  "T\n=\n\n.. code-block:: yaml\n\n" + indented(last, "   ") + "\nend\n",
		"a.adoc": "= T\n\n[source,yaml]\n----\n" + last + "----\n",
		"a.yaml": "kind: ConfigMap\ndata:\n  x: '" + strings.TrimSuffix(strings.ReplaceAll(last, "\n", "\n\n    "), "    ") + "'\n",
		"b.yaml": "{{- define \"x\" -}}\n{ x = ''\n" + indented(oldScaler, "  ") + "''; }\n{{- end -}}\n",
		"a.nix":  "{ x = ''\n  > ```yaml\n  > {\"apiVersion\": \"autoscaling/v2beta1\", \"kind\": \"HorizontalPodAutoscaler\", \"spec\": {\"metrics\": [{\"resource\": {\"targetAverageUtilization\": 7}}]}}\n  > ```\n''; }\n",
	} {
		out, _, finds, err := m.Once(path, []byte(in))
		if err != nil || string(out) != in {
			t.Errorf("%s: %v, became\n%s", path, err, indent(string(out)))
		}
		if finds == "" {
			t.Errorf("%s: nothing is left for review", path)
		}
	}
}

// An object that changes its shape by one ruleset gets the group of another one as well.
func TestShapeAndGroup(t *testing.T) {
	var sets []*rules.Ruleset
	for _, text := range []string{
		"name: step\nrules: [{id: s, from: {group: old.example.com, version: v1, kind: Fig, plural: figs}, to: {version: v2}}]\nconvert: [{id: c, doc: d, kind: Fig, from: old.example.com/v1, to: old.example.com/v2, steps: [{move: spec.a, to: spec.b}]}]\n",
		"name: group\nrules: [{id: g, from: {group: old.example.com}, to: {group: new.example.org}}]\n",
	} {
		set, err := rules.Parse("s.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, set)
	}
	got := migrated(t, memory{"a.yaml": "apiVersion: old.example.com/v1\nkind: Fig\nspec:\n  a: 1\n"}, Options{Rulesets: sets})
	if want := "apiVersion: new.example.org/v2\nkind: Fig\nspec:\n  b: 1\n"; got["a.yaml"] != want {
		t.Errorf("got\n%swant\n%s", got["a.yaml"], want)
	}
}

// An object changes as a whole next to one of its list that needs review, in each
// container; where its shape cannot change there, its version stays.
func TestListWithWhatIsReviewed(t *testing.T) {
	_, m := kubernetesRemoved(t, Options{Target: "1.999"})
	gone := "apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: a}\n"
	owned := strings.Replace(oldScaler, "  name: NAME\n", "  name: NAME\n  ownerReferences:\n  - apiVersion: apps/v1\n    kind: Deployment\n", 1)
	list := "apiVersion: v1\nkind: List\nitems:\n"
	for _, o := range []string{gone, owned, gone} {
		list += "- " + strings.TrimPrefix(indented(o, "  "), "  ")
	}
	quoted := strings.ReplaceAll(list, "\n", "\\n")
	spaced := strings.NewReplacer("kind: H", "kind:\\\n    \\ H", "\\n  ", "\\n\\\n    \\  ").Replace(quoted)
	for name, in := range map[string]string{
		"a.yaml":   list,
		"b.yaml":   gone + "---\n" + list,
		"c.yaml":   "kind: ConfigMap\ndata:\n  a.yaml: |\n" + indented(list, "    "),
		"d.yaml":   "kind: ConfigMap\ndata:\n  a.yaml: \"" + quoted + "\"\n",
		"e.yaml":   "kind: ConfigMap\ndata:\n  a.yaml: \"" + spaced + "\"\n",
		"a.md":     "```yaml\n" + list + "```\n",
		"a.sh":     "kubectl apply -f - <<EOF\n" + list + "EOF\n",
		"a.py":     "x = \"\"\"\n" + list + "\"\"\"\n",
		"chart.tf": "x = <<EOF\n" + list + "EOF\n",
	} {
		got := onceOf(t, m, name, in)
		if strings.Contains(got, "autoscaling/v2beta1") != strings.Contains(got, "targetAverageUtilization") {
			t.Errorf("%s: half an object:\n%s", name, indent(got))
		}
		if !strings.Contains(got, "policy/v1beta1") {
			t.Errorf("%s: what has no successor changed:\n%s", name, indent(got))
		}
		if changed := !strings.Contains(got, "autoscaling/v2beta1"); changed != strings.Contains("a.yaml b.yaml c.yaml a.md a.sh", name) {
			t.Errorf("%s: changed = %v:\n%s", name, changed, indent(got))
		}
	}
}
