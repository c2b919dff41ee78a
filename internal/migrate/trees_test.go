package migrate

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The trees of testdata/trees are hard cases of one kind each, before and
// after. UPDATE=1 writes what comes of them (make golden); read the diff then.
//
// The after alone would only say that nothing changed since somebody looked.
// So the test holds it against spellings, apart from the migration's own code:
// a line that differs does so by an old name that became its new one, and
// every line that still holds an old name is in kept.txt.
var trees = []struct {
	name     string
	rulesets []string
	names    [][2]string // every old spelling that may go, with its new one
}{
	{"chart", []string{"codeflare-groups", "kubernetes-removed"}, append(codeflareNames, [2]string{"policy/v1beta1", "policy/v1"}, [2]string{"batch/v1beta1", "batch/v1"})},
	{"csv", []string{"codeflare-groups"}, codeflareNames},
	{"notebook", []string{"codeflare-groups"}, codeflareNames},
	{"stream", []string{"codeflare-groups", "kubernetes-removed"}, append(codeflareNames, [2]string{"batch/v1beta1", "batch/v1"}, [2]string{"autoscaling/v2beta2", "autoscaling/v2"})},
}

var codeflareNames = [][2]string{{"mcad.ibm.com", "workload.codeflare.dev"}, {"ibm.com", "quota.codeflare.dev"}, {"mcad-ibm-com", "workload-codeflare-dev"}}

func TestTrees(t *testing.T) {
	for _, c := range trees {
		t.Run(c.name, func(t *testing.T) {
			root := filepath.Join("testdata", "trees", c.name)
			if c.name == "stream" && os.Getenv("UPDATE") != "" {
				writeTree(t, filepath.Join(root, "before"), memory{"all.yaml": longStream()})
			}
			before := readTree(t, filepath.Join(root, "before"))
			opts := Options{}
			for _, name := range c.rulesets {
				set, err := BuiltinRuleset(name)
				if err != nil {
					t.Fatal(err)
				}
				opts.Rulesets = append(opts.Rulesets, set)
			}
			got := migrated(t, before, opts)
			if again := migrated(t, got, opts); fmt.Sprint(again) != fmt.Sprint(got) {
				t.Error("a second run changes something")
			}
			kept := accountFor(t, before, got, c.names)
			if os.Getenv("UPDATE") != "" {
				writeTree(t, filepath.Join(root, "after"), got)
				writeTree(t, root, memory{"kept.txt": kept})
			}
			want := readTree(t, filepath.Join(root, "after"))
			for name := range want {
				if got[name] != want[name] {
					t.Errorf("%s differs from after/%s", name, name)
				}
			}
			for name := range got {
				if _, ok := want[name]; !ok {
					t.Errorf("%s is not in after", name)
				}
			}
			if list, err := os.ReadFile(filepath.Join(root, "kept.txt")); err != nil || string(list) != kept {
				t.Errorf("what stays is\n%swant kept.txt (%v)", indent(kept), err)
			}
		})
	}
}

// accountFor explains every byte that differs by the names, and returns the
// lines that still hold an old one.
func accountFor(t *testing.T, before, after memory, names [][2]string) string {
	t.Helper()
	var kept strings.Builder
	for _, name := range sortedNames(before) {
		to := name
		if _, ok := after[to]; !ok {
			dir, base := path.Split(name)
			for _, n := range names {
				if strings.HasPrefix(base, n[0]+"_") {
					to = dir + n[1] + strings.TrimPrefix(base, n[0])
					break
				}
			}
		}
		old, fresh := strings.SplitAfter(before[name], "\n"), strings.SplitAfter(after[to], "\n")
		if len(old) != len(fresh) {
			t.Errorf("%s has %d lines, %s has %d", name, len(old), to, len(fresh))
			continue
		}
		for i := range old {
			if old[i] != fresh[i] && !explains(old[i], fresh[i], names) {
				t.Errorf("%s:%d: %q became %q", name, i+1, old[i], fresh[i])
			}
			if slices.ContainsFunc(names, func(n [2]string) bool { return strings.Contains(fresh[i], n[0]) }) {
				fmt.Fprintf(&kept, "%s:%d: %s\n", to, i+1, strings.TrimSpace(fresh[i]))
			}
		}
	}
	return kept.String()
}

// explains says whether b is a with some of the names replaced.
func explains(a, b string, names [][2]string) bool {
	for a != "" || b != "" {
		if i := slices.IndexFunc(names, func(n [2]string) bool { return strings.HasPrefix(a, n[0]) && strings.HasPrefix(b, n[1]) }); i >= 0 {
			a, b = a[len(names[i][0]):], b[len(names[i][1]):]
			continue
		}
		if a == "" || b == "" || a[0] != b[0] {
			return false
		}
		a, b = a[1:], b[1:]
	}
	return true
}

// longStream is 5,000 lines of documents as a cluster gives them: objects of
// several groups, lists, strings over several lines, comments between them.
func longStream() string {
	var b bytes.Buffer
	lines := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	b.WriteString("# everything of one cluster\n")
	for i := 0; bytes.Count(b.Bytes(), []byte("\n")) < 4970; i++ {
		lines("---\n")
		switch i % 7 {
		case 0:
			lines("apiVersion: mcad.ibm.com/v1beta1 # %d\nkind: AppWrapper\nmetadata:\n  name: job-%d\n  labels: {appwrapper.mcad.ibm.com: job-%d}\nspec:\n  priority: %d\n", i, i, i, i)
		case 1:
			lines("kind:   QuotaSubtree\nmetadata: {name: q%d}\napiVersion: \"ibm.com/v1\"\n", i)
		case 2:
			lines("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d}\ndata:\n  a.yaml: |\n    # inner\n    apiVersion: mcad.ibm.com/v1beta1\n    kind: AppWrapper\n\n    metadata: {name: x}   \n  mail: me@us.ibm.com\n", i)
		case 3:
			lines("apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: n%d, ownerReferences: [{apiVersion: mcad.ibm.com/v1beta1, kind: AppWrapper, name: a, uid: u}]}\nspec: {schedule: '%d 3 * * *'}\n", i, i%60)
		case 4:
			lines("apiVersion: v1\nkind: List\nitems:\n- kind: AppWrapper\n  metadata: {name: l%d}\n  apiVersion: 'mcad.ibm.com/v1beta1'\n- {apiVersion: ibm.com/v1, kind: QuotaSubtree, metadata: {name: l%d}}\n", i, i)
		case 5:
			lines("apiVersion: autoscaling/v2beta2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: h%d\n  annotations:\n    last: >-\n      {\"apiVersion\":\"mcad.ibm.com/v1beta1\",\n      \"kind\":\"AppWrapper\"}\nspec:\n  scaleTargetRef: {apiVersion: mcad.ibm.com/v1beta1, kind: AppWrapper, name: a}\n", i)
		default:
			lines("# nothing here: https://mcad.ibm.com/v1beta1\napiVersion: v1\nkind: Service\nmetadata:\n  name: s%d\n  finalizers:\n  - quotasubtrees.ibm.com/cleanup\n", i)
		}
	}
	for n := bytes.Count(b.Bytes(), []byte("\n")); n < 4999; n++ {
		lines("# the end, %d\n", n)
	}
	b.WriteString("...\n")
	return b.String()
}

func sortedNames(tree memory) []string {
	var names []string
	for name := range tree {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// readTree reads the files below a directory.
func readTree(t *testing.T, root string) memory {
	t.Helper()
	tree := memory{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(root, name)
		tree[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// writeTree writes files; below a directory named after it goes all else.
func writeTree(t *testing.T, root string, tree memory) {
	t.Helper()
	if filepath.Base(root) == "after" {
		if err := os.RemoveAll(root); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range tree {
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
