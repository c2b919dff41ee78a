package migrate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
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
			var expr string
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

// filesOf are names of files: those of CRDs of a group that is left.
func filesOf(sets []*Ruleset) []oldName {
	var list []oldName
	for _, set := range sets {
		for _, group := range set.Groups() {
			if strings.Contains(group, ".") && everyKindLeaves(set, group) {
				list = append(list, oldName{expr: regexp.MustCompile(`\b` + regexp.QuoteMeta(group) + `_[a-z][a-z0-9-]*\.ya?ml\b`)})
			}
		}
	}
	return list
}

// clientsOf are the calls of typed clients of versions that are left, or gone.
func clientsOf(sets []*Ruleset) []oldName {
	var list []oldName
	for _, set := range sets {
		for _, r := range set.Rules {
			label, _, _ := strings.Cut(r.From.Group, ".")
			if r.From.Kind == "" || r.From.Version == "" || r.To.Group == r.From.Group && r.To.Version == r.From.Version && r.To.Kind == r.From.Kind {
				continue
			}
			call := strings.ToUpper(label[:1]) + label[1:] + `(\(\)\.)?V` + r.From.Version[1:]
			list = append(list, oldName{expr: regexp.MustCompile(`\b` + call + `\(\)\.(` + r.From.Kind + `(s|es)?|` + strings.TrimSuffix(r.From.Kind, "y") + `ies)\(`)})
		}
	}
	return list
}

// A part is a version, kind or resource that a rule gives another name. It is an
// old name where its group is on the same line, or as the other half of an
// object's head.
type part struct {
	group, word, head *regexp.Regexp
	kind              *regexp.Regexp // must stand on the line as well; nil = nothing
}

func partsOf(sets []*Ruleset) []part {
	var list []part
	for _, set := range sets {
		for _, r := range set.Rules {
			if r.Removed != "" || !strings.Contains(r.From.Group, ".") {
				continue
			}
			group := regexp.QuoteMeta(r.From.Group)
			add := func(old, fresh, head string, kind *regexp.Regexp) {
				if old != "" && fresh != "" && old != fresh {
					list = append(list, part{regexp.MustCompile(`(^|[^\w.-])` + group + `\b`), regexp.MustCompile(`\b` + old + `\b`), regexp.MustCompile(head), kind})
				}
			}
			var kind *regexp.Regexp
			if r.From.Kind != "" {
				kind = regexp.MustCompile(`\b(` + r.From.Kind + "|" + cmp.Or(r.From.Plural, r.From.Kind) + `)\b`)
			}
			add(r.From.Kind, r.To.Kind, `(?m)^( *)apiVersion: ["']?`+group+`/\S+\n *kind: ["']?(`+r.From.Kind+`)\b`, nil)
			add(r.From.Plural, r.To.Plural, `x^`, nil)
			add(r.From.Version, r.To.Version, `x^`, kind)
		}
	}
	return list
}

// in are the places of a part.
func (p part) in(data []byte) [][]int {
	var found [][]int
	for _, m := range p.head.FindAllSubmatchIndex(data, -1) {
		found = append(found, m[4:6])
	}
	for _, m := range p.group.FindAllIndex(data, -1) {
		from, to := bytes.LastIndexByte(data[:m[0]], '\n')+1, len(data)
		if m[0] < len(data) && data[m[0]] == '\n' {
			from = m[0] + 1
		}
		if i := bytes.IndexByte(data[m[1]:], '\n'); i >= 0 {
			to = m[1] + i
		}
		if line := data[from:to]; p.kind == nil || p.kind.Match(line) {
			for _, w := range p.word.FindAllIndex(line, -1) {
				found = append(found, []int{from + w[0], from + w[1]})
			}
		}
	}
	return found
}

// halves are the parts whose group on the same line, or on the one before,
// changes, and that the account says nothing of.
func halves(at map[string][]Entry, name string, data []byte, parts []part) (all int, silent [][]int) {
	seen := map[int]bool{}
	for _, p := range parts {
		for _, m := range p.in(data) {
			if seen[m[0]] {
				continue
			}
			seen[m[0]] = true
			all++
			line := source.PositionAt(data, m[0]).Line
			moves := slices.ContainsFunc(at[name], func(e Entry) bool {
				return e.Answer == answerChanged && e.End > e.Start && (e.Line == line || e.Line == line-1) && p.group.Match([]byte(" "+e.Old))
			})
			if moves && answerFor(at, name, source.Span{Start: m[0], End: m[1]}) == "" {
				silent = append(silent, m)
			}
		}
	}
	return all, silent
}

// typesUntold are folders of Go packages of a group in which the type of a kind
// that gets another name is declared, and of which no person is told.
func typesUntold(tree fs.FS, at map[string][]Entry, sets []*Ruleset) []string {
	var untold []string
	for _, set := range sets {
		for _, r := range set.Rules {
			if r.From.Kind == "" || r.To.Kind == "" || r.From.Kind == r.To.Kind {
				continue
			}
			declared, owner := map[string]bool{}, map[string]bool{}
			typ := regexp.MustCompile(`(?m)^type ` + r.From.Kind + ` struct`)
			group := regexp.MustCompile(`(?m)(^// \+groupName=|")` + regexp.QuoteMeta(r.From.Group) + `("|$)`)
			err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains("/"+name, "/vendor/") {
					return err
				}
				data, err := fs.ReadFile(tree, name)
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				declared[path.Dir(name)] = declared[path.Dir(name)] || typ.Match(data)
				owner[path.Dir(name)] = owner[path.Dir(name)] || group.Match(data)
				return nil
			})
			if err != nil {
				untold = append(untold, err.Error())
			}
			for dir := range declared {
				told := false
				for name, list := range at {
					told = told || path.Dir(name) == dir && slices.ContainsFunc(list, func(e Entry) bool { return e.Old == r.From.Kind && e.Answer != answerChanged })
				}
				if declared[dir] && owner[dir] && !told {
					untold = append(untold, dir+": type "+r.From.Kind)
				}
			}
		}
	}
	return untold
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
	parts                          int // versions, kinds and resources beside a group, told or not
	silent                         []string
}

func (c tally) total() int { return c.changed + c.kept + c.person + c.skipped + len(c.silent) }

// holdAccount searches a tree and holds what it finds against the account.
func holdAccount(t testing.TB, tree fs.FS, p *Plan, sets ...*Ruleset) tally {
	t.Helper()
	names, parts := slices.Concat(oldNames(sets), filesOf(sets), clientsOf(sets)), partsOf(sets)
	at := map[string][]Entry{}
	var out tally
	for _, e := range p.Account() {
		if e.Answer != answerChanged && (e.Reason == "" || e.Reason == "other") {
			t.Errorf("%s:%d: %s has no reason: %q", e.Path, e.Line, e.Answer, e.Why)
		}
		if e.Answer == answerChanged && e.Rule == "" {
			t.Errorf("%s:%d: a change of no rule: %s → %s", e.Path, e.Line, e.Old, e.New)
		}
		at[e.Path] = append(at[e.Path], e)
	}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a snapshot without its largest files
		}
		if err != nil {
			return err
		}
		silent := func(m []int) {
			pos := source.PositionAt(data, m[0])
			line := strings.Split(string(data), "\n")[pos.Line-1]
			out.silent = append(out.silent, fmt.Sprintf("%s:%d:%d: %s: %.120s", name, pos.Line, pos.Column, data[m[0]:m[1]], strings.TrimSpace(line)))
		}
		n, half := halves(at, name, data, parts)
		out.parts += n
		for _, m := range half {
			silent(m)
		}
		for _, n := range names {
			for _, m := range n.in(data) {
				switch answerFor(at, name, source.Span{Start: m[0], End: m[1]}) {
				case answerChanged:
					out.changed++
				case answerKept:
					out.kept++
				case answerReview:
					out.person++
				case answerSkipped:
					out.skipped++
				default:
					silent(m)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	out.silent = append(out.silent, typesUntold(tree, at, sets)...)
	return out
}

// answerFor is what the account says of a place, "" when it says nothing.
func answerFor(at map[string][]Entry, name string, place source.Span) string {
	for dir := name; dir != "."; dir = path.Dir(dir) {
		for _, e := range at[dir] {
			if e.Answer == answerSkipped {
				return answerSkipped
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
		made := map[string]*Migration{} // by target
		for i, e := range set.Examples {
			t.Run(fmt.Sprintf("%s/%d", set.Name, i), func(t *testing.T) {
				if made[e.Target] == nil {
					m, err := New(Options{Rulesets: []*rules.Ruleset{set}, Target: e.Target})
					if err != nil {
						t.Fatal(err)
					}
					made[e.Target] = m
				}
				holdTree(t, made[e.Target], set, fstest.MapFS{e.Path: {Data: []byte(e.In)}})
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
	got := holdAccount(t, tree, p, set)
	for _, s := range got.silent {
		t.Errorf("silent: %s", s)
	}
}

// upstream are whole trees of projects, each with a rename of our own making.
var upstream = []struct{ repository, rules string }{
	{"strimzi/strimzi-kafka-operator", "{id: all, from: {group: kafka.strimzi.io}, to: {group: kafka.example.dev}}"},
	{"projectcontour/contour", "{id: all, from: {group: projectcontour.io}, to: {group: ingress.example.dev}}"},
	{"kubernetes-sigs/kueue", "{id: all, from: {group: kueue.x-k8s.io}, to: {group: queues.example.dev}}"},
	{"opendatahub-io/data-science-pipelines-operator", "{id: all, from: {group: datasciencepipelinesapplications.opendatahub.io}, to: {group: pipelines.example.dev}}"},
	{"kubeflow/spark-operator", "{id: all, from: {group: sparkoperator.k8s.io}, to: {group: spark.example.dev}}"},
	{"aws/karpenter-provider-aws", "{id: all, from: {group: karpenter.sh}, to: {group: nodes.example.dev}}"},
	{"open-telemetry/opentelemetry-operator", "{id: step, from: {group: opentelemetry.io, version: v1alpha1, kind: OpenTelemetryCollector, plural: opentelemetrycollectors}, to: {version: v1beta1}}"},
	{"opensearch-project/opensearch-k8s-operator", "{id: all, from: {group: opensearch.opster.io}, to: {group: search.example.dev}}"},
	{"kubernetes-sigs/cluster-api-provider-vsphere", "{id: all, from: {group: infrastructure.cluster.x-k8s.io}, to: {group: infrastructure.example.dev}}"},
	{"kubernetes-sigs/external-dns", "{id: all, from: {group: externaldns.k8s.io}, to: {group: dns.example.dev}}"},
	{"openperouter/openperouter", "{id: rest, from: {group: network.openperouter.io}, to: {group: routes.example.dev}}, {id: kind, from: {group: network.openperouter.io, kind: Underlay, plural: underlays}, to: {group: routes.example.dev, kind: Fabric, plural: fabrics}}"},
	{"NVIDIA/nodewright", "{id: all, from: {group: skyhook.nvidia.com}, to: {group: nodes.example.dev}}"},
	{"crossplane/crossplane", "{id: all, from: {group: pkg.crossplane.io}, to: {group: packages.example.dev}}, {id: kind, from: {group: apiextensions.crossplane.io, kind: Composition, plural: compositions}, to: {group: apiextensions.example.dev, kind: Recipe, plural: recipes}}, {id: rest, from: {group: apiextensions.crossplane.io}, to: {group: apiextensions.example.dev}}"},
	{"kubernetes-sigs/gateway-api", "{id: step, from: {group: gateway.networking.k8s.io, version: v1beta1, kind: HTTPRoute, plural: httproutes}, to: {version: v1}}, {id: gateway, from: {group: gateway.networking.k8s.io, version: v1beta1, kind: Gateway, plural: gateways}, to: {version: v1}}"},
	{"kubernetes-sigs/gateway-api", "{id: all, from: {group: gateway.networking.k8s.io}, to: {group: gateways.example.dev}}"},
	{"knative/serving", "{id: all, from: {group: serving.knative.dev}, to: {group: serving.example.dev}}"},
	{"knative/serving", "{id: rest, from: {group: serving.knative.dev}, to: {group: serving.example.dev}}, {id: kind, from: {group: serving.knative.dev, kind: Revision, plural: revisions}, to: {group: serving.example.dev, kind: Edition, plural: editions}}"},
	{"cert-manager/cert-manager", "{id: all, from: {group: cert-manager.io}, to: {group: certs.example.dev}}"},
	{"cert-manager/cert-manager", "{id: step, from: {group: cert-manager.io, version: v1, kind: Certificate, plural: certificates}, to: {version: v2}}"},
}

func TestAccountOfUpstreamTrees(t *testing.T) {
	for _, c := range upstream {
		t.Run(path.Base(c.repository), func(t *testing.T) {
			tree, err := openReal(t, c.repository).Tree(context.Background(), "HEAD")
			if err != nil {
				t.Skip(err)
			}
			set, err := ParseRuleset("ours.yaml", []byte("name: ours\nrules: ["+c.rules+"]\n"))
			if err != nil {
				t.Fatal(err)
			}
			m, err := New(Options{Rulesets: []*rules.Ruleset{set}})
			if err != nil {
				t.Fatal(err)
			}
			p, err := m.planFS(context.Background(), tree)
			if err != nil {
				t.Fatal(err)
			}
			got := holdAccount(t, tree, p, set)
			t.Logf("| %s | %d | %d | %d | %d | %d | %d | %d |", c.repository, got.total(), got.parts, got.changed, got.kept, got.person, got.skipped, len(got.silent))
			for _, s := range got.silent {
				t.Errorf("silent: %s", s)
			}
			told := map[string]int{}
			for _, f := range p.Files {
				if f.Skip != nil {
					t.Logf("not read: %s: %v", f.Path, f.Skip)
				}
				for _, s := range f.Sites {
					if s.Action() == NeedsReview && told[s.Why()] < 2 {
						told[s.Why()]++
						t.Logf("person: %s:%d: %s: %s", f.Path, s.Pos.Line, s.Old, s.Why())
					}
				}
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
	x := &planning{Migration: m, skipped: []source.Skip{
		{Path: "a.yaml", Reason: source.SkipUnreadable, Err: fs.ErrPermission},
		{Path: "b.yaml", Reason: source.SkipTooLarge}, {Path: "big.yaml", Reason: source.SkipTooLarge},
		{Path: "a.png", Reason: source.SkipBinary}, {Path: "vendor", Reason: source.SkipVendored},
	}}
	if p := m.Finish(x.unreadable(), nil); p.Summary().Unread != 2 || !p.Summary().Left() {
		t.Errorf("%+v, want the two files to be left", p.Summary())
	}
}

func builtins(t testing.TB, names ...string) []*rules.Ruleset {
	t.Helper()
	var sets []*rules.Ruleset
	for _, name := range names {
		set, err := BuiltinRuleset(name)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, set)
	}
	return sets
}
