package migrate

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

// torture is YAML as nobody should write it. Each line that changes ends with
// its new spelling behind "=>" in the table below.
const torture = "\ufeff# a comment with old.example.com:v1\r\n" +
	"---   # first\r\n" +
	"apiVersion  :   \"old.example.com/v1\"\t# quoted, aligned\r\n" +
	"kind: X\r\n" +
	"metadata: {annotations: {old.example.com/a: 'old.example.com/v1', x.old.example.com: y}, name: &n \"old.example.com\"}\r\n" +
	"list: [ {apiVersion: old.example.com/v1 , kind: X},\r\n  {kind: Y,apiVersion: 'old.example.com/v2'} ]\r\n" +
	"emoji: \"😀 old.example.com \u2028 \u0085\"\r\n" +
	"folded: >-2\r\n    apiVersion: old.example.com/v1\r\n\r\n    kind: X\r\n" +
	"literal: |+\r\n  apiVersion: old.example.com/v1\r\n  kind: X   \r\n\r\n" +
	"ref: !!str &a old.example.com/v1\r\n" +
	"again: *n\r\n" +
	"? apiGroup\r\n: old.example.com\r\n" +
	"groups:\r\n  -   old.example.com  # one\r\n  - 'old.example.com'\r\n" +
	"mail: me@old.example.com or @old.example.com\r\nurl: https://old.example.com/v1\r\nlonger: x.old.example.com.net\r\n" +
	"json: '{\"apiVersion\":\"old.example.com/v1\",\"it''s\":1}'\r\n" +
	"...\r\n--- \r\n- - - apiVersion: old.example.com/v1\r\n      kind: X"

func TestTortureChangesTheSitesAlone(t *testing.T) {
	m := fuzzMigration(t)
	data := []byte(torture)
	f := fileOf(m, "torture.yaml", data)
	if f == nil || f.Skip != nil {
		t.Fatalf("not read: %+v", f)
	}
	edits, err := source.Sort(data, f.Edits(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := source.Apply(data, edits)
	if err != nil {
		t.Fatal(err)
	}
	outside(t, data, out, edits)
	for _, e := range edits {
		if got := string(e.Of(data)); strings.TrimSuffix(got, "/") != "old.example.com" || strings.TrimSuffix(e.New, "/") != "new.example.org" {
			t.Errorf("an edit makes %q of %q", e.New, got)
		}
	}
	for _, kept := range []string{"me@old.example.com or @old.example.com", "https://old.example.com/v1", "x.old.example.com.net", "x.old.example.com: y"} {
		if !bytes.Contains(out, []byte(kept)) {
			t.Errorf("%s is gone", kept)
		}
	}
	if n := bytes.Count(out, []byte("apiVersion: old.")); n > 0 {
		t.Errorf("%d objects still have the old group", n)
	}
	if len(out)-len(data) != len(edits)*(len("new.example.org")-len("old.example.com")) {
		t.Error("more than the edits changed")
	}
}

// Several thousand documents in one file: each site moves, in time, and
// nothing else does.
func TestLongStream(t *testing.T) {
	m := fuzzMigration(t)
	var in, want strings.Builder
	for i := range 1250 {
		doc := "---\napiVersion: %s/v1  # %d\nkind: X\nmetadata: {name: x%d, labels: {x.old.example.com: y}}\n"
		fmt.Fprintf(&in, doc, "old.example.com", i, i)
		fmt.Fprintf(&want, doc, "new.example.org", i, i)
	}
	if n := strings.Count(in.String(), "\n"); n != 5000 {
		t.Fatalf("%d lines", n)
	}
	got, _, _, err := m.Once("all.yaml", []byte(in.String()))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want.String() {
		t.Error("the stream differs")
	}
}

// Input that is made to hurt is answered, and nothing is lost.
func TestHostileInput(t *testing.T) {
	racetest.OneGoroutine(t)
	m := fuzzMigration(t)
	deep := strings.Repeat("[", 100_000) + "old.example.com" + strings.Repeat("]", 100_000)
	bomb, merges := "a: &a [x, x, x]\n", "a: &a {x: y}\n"
	for c := 'b'; c < 'z'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c, *%c, *%c]\n", c, c, c-1, c-1, c-1)
		merges += fmt.Sprintf("%c: &%c {<<: [*%c, *%c, *%c]}\n", c, c, c-1, c-1, c-1)
	}
	for name, text := range map[string]string{
		"deep.json": deep, "deep.yaml": deep,
		"bomb.yaml":   bomb + "apiVersion: old.example.com/v1\nkind: X\n",
		"merges.yaml": merges + "kind: ClusterRole\nrules:\n- {<<: *y, apiGroups: [old.example.com]}\n",
		"long.json":   `{"a":"` + strings.Repeat("x", 8<<20) + `","apiVersion":"old.example.com/v1"}`,
		"long.txt":    strings.Repeat("old.example.com ", 1<<11),
		"nul.yaml":    "a: \x00\napiVersion: old.example.com/v1\n",
		"utf8.yaml":   "a: \xff\xfe\napiVersion: old.example.com/v1\nkind: X\n",
		"esc.json":    `{"a":"` + strings.Repeat(`\\\"`, 1<<16) + `","b":"old.example.com/v1"}`,
		"open.go":     "package a\nvar x = `old.example.com" + strings.Repeat("\n", 1<<16),
		"here.sh":     strings.Repeat("cat <<EOF\n", 1<<12) + "old.example.com\n",
		"fence.md":    strings.Repeat("```yaml\n", 1<<14) + "apiVersion: old.example.com/v1\n",
	} {
		t.Run(name, func(t *testing.T) { lawsOf(t, m, name, []byte(text)) })
	}
}

// A tuple is one permission: group, resource, verb.
type tuple struct{ group, resource, verb string }

// tuplesOf reads permissions with a parser, apart from the migration's own code.
func tuplesOf(t *testing.T, data []byte) []tuple {
	t.Helper()
	var role struct {
		Rules []struct {
			APIGroups []string `yaml:"apiGroups"`
			Resources []string `yaml:"resources"`
			Verbs     []string `yaml:"verbs"`
		} `yaml:"rules"`
	}
	if err := yaml.Unmarshal(data, &role); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	var all []tuple
	for _, r := range role.Rules {
		for _, g := range r.APIGroups {
			for _, res := range r.Resources {
				for _, v := range r.Verbs {
					all = append(all, tuple{g, res, v})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b tuple) int {
		return strings.Compare(a.group+"\x00"+a.resource+"\x00"+a.verb, b.group+"\x00"+b.resource+"\x00"+b.verb)
	})
	return slices.Compact(all)
}

// movedTuple is what a permission becomes under fuzzRules.
func movedTuple(x tuple) tuple {
	res, sub, _ := strings.Cut(x.resource, "/")
	switch {
	case x.group == "old.example.com":
		x.group = "new.example.org"
	case x.group == "split.example.com" && res == "apples":
		x.group = "a.example.org"
	case x.group == "split.example.com" && res == "berries":
		x.group = "b.example.org"
	case x.group == "same.example.com" && res == "quinces":
		x.resource = strings.TrimSuffix("medlars/"+sub, "/")
	}
	return x
}

// Permissions are preserved tuple by tuple, in every style of writing them.
func TestPermissionsArePreserved(t *testing.T) {
	m := fuzzMigration(t)
	groups := [][]string{{"old.example.com"}, {"split.example.com"}, {"split.example.com", "apps"}, {"apps", "old.example.com", "split.example.com"}, {"", "old.example.com", "new.example.org"}, {"same.example.com"}}
	resources := [][]string{{"apples"}, {"apples", "berries"}, {"berries", "apples/status", "others"}, {"quinces", "quinces/status"}, {"pears"}}
	styles := []func([]string) string{
		func(l []string) string { return " [" + strings.Join(quoteAll(l, `"`), ", ") + "]\n" },
		func(l []string) string { return " [ " + strings.Join(quoteAll(l, `'`), ", ") + " ] # c\n" },
		func(l []string) string { return "\n  - " + strings.Join(quoteAll(l, `"`), "  # c\n  - ") + "\n" },
		func(l []string) string { return "\n    - " + strings.Join(quoteAll(l, `'`), "\n    - ") + "\n" },
	}
	for _, g := range groups {
		for _, r := range resources {
			for i, gs := range styles {
				rs := styles[(i+len(g)+len(r))%len(styles)]
				in := "kind: ClusterRole\nrules:\n- apiGroups:" + gs(g) + "  resources:" + rs(r) + "  verbs: [get, list]\n- verbs: [use]\n  resources:" + gs(r) + "  apiGroups:" + rs(g)
				out, _, finds, err := m.Once("role.yaml", []byte(in))
				if err != nil {
					t.Fatalf("%v\n%s", err, in)
				}
				var want []tuple
				for _, x := range tuplesOf(t, []byte(in)) {
					want = append(want, movedTuple(x))
				}
				slices.SortFunc(want, func(a, b tuple) int {
					return strings.Compare(a.group+"\x00"+a.resource+"\x00"+a.verb, b.group+"\x00"+b.resource+"\x00"+b.verb)
				})
				if got := tuplesOf(t, out); finds == "" && !slices.Equal(got, slices.Compact(want)) {
					t.Errorf("permissions differ\n%s\nbecame\n%s\ngot  %v\nwant %v", in, out, got, slices.Compact(want))
				}
				lawsOf(t, m, "role.yaml", []byte(in))
			}
		}
	}
}

func quoteAll(list []string, q string) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = q + x + q
	}
	return out
}
