package migrate

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// The law of the account: a plain search for every old name finds no
// occurrence that the plan does not answer for. The search is regular
// expressions over the bytes of the files; it shares nothing with the scanner.

// An oldName is an expression that finds an old name. Where the rule is about
// kinds, the line of the name or one beside it must name one of them.
type oldName struct {
	expr  *regexp.Regexp
	kinds *regexp.Regexp // nil = any
}

// oldNames are what a plain search looks for: groups that are left, and
// versions beside their group. A group without a dot is an ordinary word, and
// a part of the paths of Go packages: there the field says that it is one.
func oldNames(sets []*Ruleset) []oldName {
	kinds := map[string][]string{} // of each expression; "" = any
	for _, set := range sets {
		for _, r := range set.Rules {
			group, dotted := regexp.QuoteMeta(r.From.Group), strings.Contains(r.From.Group, ".")
			expr := ""
			switch {
			case r.Removed == "" && dotted && everyKindLeaves(set, r.From.Group):
				expr, r.From.Kind = `\b`+group+`\b`, ""
			case r.From.Version != "" && dotted:
				expr = `\b` + group + "/" + r.From.Version + `\b`
			case r.From.Version != "":
				expr = `(?m)apiVersion:\s*["']?` + group + "/" + r.From.Version + `\b`
			default:
				continue
			}
			kinds[expr] = append(kinds[expr], r.From.Kind)
		}
	}
	var list []oldName
	for _, e := range slices.Sorted(maps.Keys(kinds)) {
		n := oldName{expr: regexp.MustCompile(e)}
		if !slices.Contains(kinds[e], "") {
			n.kinds = regexp.MustCompile(`\b(` + strings.Join(kinds[e], "|") + `)\b`)
		}
		list = append(list, n)
	}
	return list
}

// in are the places of the name in a text.
func (n oldName) in(data []byte) [][]int {
	all := n.expr.FindAllIndex(data, -1)
	if n.kinds == nil {
		return all
	}
	return slices.DeleteFunc(all, func(m []int) bool {
		from := bytes.LastIndexByte(data[:m[0]], '\n')
		from = bytes.LastIndexByte(data[:max(0, from)], '\n') + 1
		to := m[1]
		for range 2 {
			if i := bytes.IndexByte(data[to:], '\n'); i >= 0 {
				to += i + 1
			} else {
				to = len(data)
			}
		}
		return !n.kinds.Match(data[from:to])
	})
}

// everyKindLeaves says whether nothing of a group stays: then its bare name is
// an old name.
func everyKindLeaves(set *Ruleset, group string) bool {
	return !slices.ContainsFunc(set.Rules, func(r rules.Rule) bool {
		return r.From.Group == group && (r.To.Group == "" || r.To.Group == group)
	})
}

// A tally counts the answers of an account, and lists what has none.
type tally struct {
	changed, kept, person, skipped int
	silent                         []string
}

func (c tally) total() int { return c.changed + c.kept + c.person + c.skipped + len(c.silent) }

// holdAccount searches a tree and holds what it finds against the account.
func holdAccount(t testing.TB, tree fs.FS, p *Plan, names []oldName) tally {
	t.Helper()
	at := map[string][]Entry{}
	var out tally
	for _, e := range p.Account() {
		if e.Answer != Changed && (e.Reason == "" || e.Reason == "other") {
			t.Errorf("%s:%d: %s has no reason: %q", e.Path, e.Line, e.Answer, e.Why)
		}
		if e.Answer == Changed && e.Rule == "" {
			t.Errorf("%s:%d: a change of no rule: %s → %s", e.Path, e.Line, e.Old, e.New)
		}
		at[e.Path] = append(at[e.Path], e)
	}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		for _, n := range names {
			for _, m := range n.in(data) {
				switch answerFor(at, name, source.Span{Start: m[0], End: m[1]}) {
				case Changed:
					out.changed++
				case Kept:
					out.kept++
				case ForOne:
					out.person++
				case Skipped:
					out.skipped++
				default:
					pos := source.PositionAt(data, m[0])
					line := strings.Split(string(data), "\n")[pos.Line-1]
					out.silent = append(out.silent, fmt.Sprintf("%s:%d:%d: %s: %.120s", name, pos.Line, pos.Column, data[m[0]:m[1]], strings.TrimSpace(line)))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// answerFor is what the account says of a place, "" when it says nothing.
func answerFor(at map[string][]Entry, name string, place source.Span) string {
	for dir := name; dir != "."; dir = path.Dir(dir) {
		for _, e := range at[dir] {
			if e.Answer == Skipped {
				return Skipped
			}
		}
	}
	for _, e := range at[name] {
		if e.Start < place.End && place.Start < e.End {
			return e.Answer
		}
	}
	return ""
}

func TestEveryOldNameHasAnAnswer(t *testing.T) {
	for _, set := range builtins(t, Builtin()...) {
		m, err := New(Options{Rulesets: []*rules.Ruleset{set}})
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range set.Examples {
			t.Run(fmt.Sprintf("%s/%d", set.Name, i), func(t *testing.T) {
				holdTree(t, m, set, fstest.MapFS{e.Path: {Data: []byte(e.In)}})
			})
		}
	}
	for _, dir := range []string{"../../testdata/example", "testdata/embedded/before", "testdata/trees/chart/before", "testdata/trees/csv/before", "testdata/trees/notebook/before", "testdata/trees/stream/before"} {
		for _, name := range []string{"codeflare-groups", "kubernetes-removed"} {
			t.Run(dir+"/"+name, func(t *testing.T) {
				set, err := BuiltinRuleset(name)
				if err != nil {
					t.Fatal(err)
				}
				m, err := New(Options{Rulesets: []*rules.Ruleset{set}})
				if err != nil {
					t.Fatal(err)
				}
				holdTree(t, m, set, os.DirFS(dir))
			})
		}
	}
}

func holdTree(t *testing.T, m *Migration, set *Ruleset, tree fs.FS) {
	t.Helper()
	p, err := m.planFS(context.Background(), tree)
	if err != nil {
		t.Fatal(err)
	}
	got := holdAccount(t, tree, p, oldNames([]*Ruleset{set}))
	for _, s := range got.silent {
		t.Errorf("silent: %s", s)
	}
}

// Whole upstream trees, each with a rename of our own making: CFCTL_TREES is a
// folder of trees, each beside NAME.rules.yaml.
func TestAccountOfUpstreamTrees(t *testing.T) {
	root := os.Getenv("CFCTL_TREES")
	if root == "" {
		t.Skip("CFCTL_TREES is not set")
	}
	files, err := filepath.Glob(filepath.Join(root, "*.rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".rules.yaml")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			set, err := ParseRuleset(file, data)
			if err != nil {
				t.Fatal(err)
			}
			m, err := New(Options{Rulesets: []*rules.Ruleset{set}})
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(root, name)
			tree, err := source.Open([]string{dir})
			if err != nil {
				t.Fatal(err)
			}
			defer tree.Close()
			p, err := m.Plan(context.Background(), tree, source.WalkOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got := holdAccount(t, os.DirFS(dir), p, oldNames([]*Ruleset{set}))
			t.Logf("| %s | %d | %d | %d | %d | %d | %d |", name, got.total(), got.changed, got.kept, got.person, got.skipped, len(got.silent))
			for _, s := range got.silent {
				t.Errorf("silent: %s", s)
			}
		})
	}
}

// What nobody may read, and what is too large, may hold an old name.
func TestWhatCannotBeReadIsNotPassedOver(t *testing.T) {
	m, err := New(Options{Rulesets: builtins(t, "codeflare-groups"), Keep: []Keep{{Path: "big.yaml", Why: "a dump"}}})
	if err != nil {
		t.Fatal(err)
	}
	files := m.unreadable([]source.Skip{
		{Path: "a.yaml", Reason: source.SkipUnreadable, Err: fs.ErrPermission},
		{Path: "b.yaml", Reason: source.SkipTooLarge}, {Path: "big.yaml", Reason: source.SkipTooLarge},
		{Path: "a.png", Reason: source.SkipBinary}, {Path: "vendor", Reason: source.SkipVendored},
	})
	if p := m.Finish(files, nil); p.Summary().Unread != 2 || !p.Summary().Left() {
		t.Errorf("%+v, want the two files to be left", p.Summary())
	}
}
