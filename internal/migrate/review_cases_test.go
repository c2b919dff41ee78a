package migrate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/migrate/core/prove"
)

// A review proves the lines that are what the migration makes, and tells of the
// others: what was missed, what became something else, and what is by hand.
func TestReviewLines(t *testing.T) {
	m := parsedMigration(t, fuzzRules, false)
	const old = "apiVersion: old.example.com/v1\nkind: Thing\nmetadata:\n  name: a-thing-of-ours\n  labels: {kept.old.example.com/x: y}\n"
	fresh := strings.Replace(old, "apiVersion: old.example.com", "apiVersion: new.example.org", 1)
	for _, tt := range []struct {
		name, head string
		proven     int
		by         int
		want       string // rule and line of each finding
	}{
		{"as the migration", fresh, 1, 0, ""},
		{"nothing", old, 0, 0, "missed:1"},
		{"another group", strings.Replace(old, "apiVersion: old.example.com", "apiVersion: wrong.example.org", 1), 0, 1, "differs:1"},
		{"a longer version", strings.Replace(fresh, "/v1\n", "/v1beta1\n", 1), 0, 1, "differs:1"},
		{"a longer group", strings.Replace(fresh, "new.example.org", "not-new.example.org", 1), 0, 1, "differs:1"},
		{"the end of a path", strings.Replace(fresh, "new.example.org", "https://new.example.org", 1), 0, 1, "differs:1"},
		{"a sentence behind it", strings.Replace(fresh, "/v1\n", "/v1 # see new.example.org/v1.\n", 1), 0, 1, "other-change:1"},
		{"a name that stays", strings.Replace(fresh, "kept.old.example.com/x", "kept.new.example.org/x", 1), 1, 1, "key-changed:5"},
		{"something more", fresh + "  # by hand\n", 1, 1, "other-change:6"},
		{"the line again", strings.Replace(old, "/v1\n", "/v1 # later\n", 1), 0, 1, "missed:1 other-change:1"},
		{"a line is gone", strings.Replace(fresh, "  name: a-thing-of-ours\n", "", 1), 1, 1, "other-change:4"},
	} {
		r, err := m.Review(t.Context(), fstest.MapFS{"a.yaml": {Data: []byte(old)}}, fstest.MapFS{"a.yaml": {Data: []byte(tt.head)}}, Diff{Touched: []string{"a.yaml"}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			got = append(got, fmt.Sprintf("%s:%d", f.Rule, f.Line))
		}
		if strings.Join(got, " ") != tt.want || r.Proven != tt.proven || r.ByHand != tt.by {
			t.Errorf("%s: %d proven, %d by hand, %v", tt.name, r.Proven, r.ByHand, got)
		}
	}
}

// The group of a permission is judged alike, however its list is written.
func TestReviewStyles(t *testing.T) {
	m := parsedMigration(t, fuzzRules, false)
	for _, list := range []string{" [old.example.com]", "\n  - old.example.com", "\n  - \"old.example.com\"", "\n  - 'old.example.com' # ours", "\n    [\n      old.example.com,\n      batch,\n    ]", " &g [old.example.com]", " [\n    \"old.example.com\"\n  ]"} {
		old := "kind: Role\nrules:\n- apiGroups:" + list + "\n  resources: [things]\n  verbs: [get]\n"
		for wrong, want := range map[string]string{"wrong.dev": "differs", "apps": "differs", "new.example.org": ""} {
			r, err := m.Review(t.Context(), fstest.MapFS{"a.yaml": {Data: []byte(old)}}, fstest.MapFS{"a.yaml": {Data: []byte(strings.ReplaceAll(old, "old.example.com", wrong))}}, Diff{Touched: []string{"a.yaml"}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range r.Findings {
				if f.Rule != reviewHand {
					got = append(got, f.Rule)
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%q, %s: %v", list, wrong, got)
			}
		}
	}
}

// Permissions are compared, not their lines: rules may be in another order, be split or
// be joined. What is not allowed any more, or newly, is by hand.
func TestReviewPermissions(t *testing.T) {
	rule := func(group, resource, verbs string) string {
		return "- apiGroups: [" + group + "]\n  resources: [" + resource + "]\n  verbs: [" + verbs + "]\n"
	}
	const head = "kind: Role\nrules:\n"
	old := head + rule("old.example.com", "things", "get, list") + rule("batch", "jobs", "get")
	for _, tt := range []struct {
		name, rules string
		dual        bool
		by          int
	}{
		{"another order", rule("batch", "jobs", "get") + rule("new.example.org", "things", "list, get"), false, 0},
		{"a rule for each group", rule("batch", "jobs", "get") + rule("new.example.org", "things", "get, list") + rule("old.example.com", "things", "get, list"), true, 0},
		{"one more verb", rule("batch", "jobs", "get, list") + rule("new.example.org", "things", "get, list"), false, 1},
		{"one verb less", rule("batch", "jobs", "get") + rule("new.example.org", "things", "get"), false, 1},
	} {
		m := parsedMigration(t, fuzzRules, tt.dual)
		r, err := m.Review(t.Context(), fstest.MapFS{"a.yaml": {Data: []byte(old)}}, fstest.MapFS{"a.yaml": {Data: []byte(head + tt.rules)}}, Diff{Touched: []string{"a.yaml"}})
		if err != nil {
			t.Fatal(err)
		}
		if (r.ByHand == 0) != (tt.by == 0) || tt.by == 0 && len(r.Findings) > 0 {
			t.Errorf("%s: %d by hand, %v", tt.name, r.ByHand, r.Findings)
		}
	}
}

// A list of rules that shares its line with something else is compared by lines, so that no
// other change on the line counts as part of the migration.
func TestReviewPermissionsOnOneLine(t *testing.T) {
	line := func(name, groups string) string {
		return "{kind: ClusterRole, metadata: {name: " + name + "}, rules: [{apiGroups: [" + groups + "], resources: [things], verbs: [get]}]}\n"
	}
	m := parsedMigration(t, fuzzRules, false)
	for name, byHand := range map[string]int{"ours": 0, "admin": 1} {
		r, err := m.Review(t.Context(), fstest.MapFS{"a.yaml": {Data: []byte(line("ours", "old.example.com"))}}, fstest.MapFS{"a.yaml": {Data: []byte(line(name, "new.example.org"))}}, Diff{Touched: []string{"a.yaml"}})
		if err != nil {
			t.Fatal(err)
		}
		if r.ByHand+r.Errors() < byHand || byHand == 0 && r.ByHand+r.Errors() > 0 {
			t.Errorf("%s: %d by hand, %v", name, r.ByHand, r.Findings)
		}
	}
}

// What a rule allows is not spelled out where that is too much: a pull request may hold any
// number of groups, resources and verbs.
func TestPermissionsAreBounded(t *testing.T) {
	many := "[" + strings.Repeat("a, ", 50_000) + "a]"
	rules := []byte("rules:\n- apiGroups: " + many + "\n  resources: " + many + "\n  verbs: " + many + "\n")
	if prove.Same(rules, append(rules, '\n')) {
		t.Error("they are the same")
	}
}

// A file whose new name is taken stays, with all that is in it; one whose twin is
// there goes.
func TestNamesThatAreTaken(t *testing.T) {
	m := parsedMigration(t, fuzzRules, false)
	crd := "kind: CustomResourceDefinition\nmetadata:\n  name: things.old.example.com\nspec:\n  group: old.example.com\n  names: {kind: Thing, plural: things}\n"
	const name, to = "old.example.com_things.yaml", "new.example.org_things.yaml"
	for _, tt := range []struct {
		name, there string
		after       string
		left        int
	}{
		{"free", "", to, 0},
		{"taken", "kind: Other\n", name, 1},
		{"its twin is there", strings.ReplaceAll(crd, "old.example.com", "new.example.org"), "", 0},
	} {
		tree := memory{name: crd}
		if tt.there != "" {
			tree[to] = tt.there
		}
		files := tree.planned(m).Files
		f := files[slices.IndexFunc(files, func(f *File) bool { return f.Path == name })]
		if left := (&Plan{Files: []*File{f}}).Count(NeedsReview); f.After() != tt.after || left != tt.left {
			t.Errorf("%s: becomes %q, %d left", tt.name, f.After(), left)
		}
	}
}

// TestReviewOfRemoved: what the end of the window removes should be removed, the findings say.
func TestReviewOfRemoved(t *testing.T) {
	crd := func(group string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: things." + group + "\nspec:\n  group: " + group + "\n  names: {kind: Thing, plural: things}\n  versions: [{name: v1, served: true, storage: true}]\n")}
	}
	tree := fstest.MapFS{"old.example.com_things.yaml": crd("old.example.com"), "new.example.org_things.yaml": crd("new.example.org")}
	r, err := parsedMigration(t, fuzzRules, false).Review(t.Context(), tree, tree, Diff{Touched: []string{"old.example.com_things.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if strings.HasSuffix(f.Message, "should be ") {
			t.Errorf("%s:%d: %s", f.Path, f.Line, f.Message)
		}
	}
	if len(r.Findings) == 0 {
		t.Error("no findings")
	}
}
