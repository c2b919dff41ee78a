package migrate_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	k8syaml "sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

// What YAML has to spell one document with: keys that are asked for, quotes,
// escapes, texts over lines, anchors and aliases, merge keys, flow style,
// comments on every item. Whatever the spelling of a place, what cfctl plans of
// it is what its proof takes; what it cannot write needs review.

// A speller writes values as YAML, each in a spelling that bytes choose.
type speller struct {
	program []byte
	out     strings.Builder
	named   map[string]string // anchors of scalars
	count   int               // of anchors and comments
}

func (s *speller) next(n int) int {
	if len(s.program) == 0 {
		return 0
	}
	x := int(s.program[0])
	s.program = s.program[1:]
	return x % n
}

// seldom chooses one of the first n spellings, mostly the first.
func (s *speller) seldom(n int) int {
	if x := s.next(3 * n); x < n {
		return x
	}
	return 0
}

type pair struct {
	key   string
	value any
}

type mapping []pair

// scalar is a text on one line, or over lines that are indented by more than
// indent.
func (s *speller) scalar(text string, indent int, flow, key bool) string {
	pad := "\n" + strings.Repeat(" ", indent+1)
	half := len(text) / 2
	plain := text
	if text == "" || strings.ContainsAny(text, "*,") {
		plain = `"` + text + `"`
	}
	switch n := s.seldom(12); {
	case n == 1 || text == "":
		return `"` + text + `"`
	case n == 2:
		return "'" + text + "'"
	case n == 3:
		return fmt.Sprintf(`"%s\x%02x"`, text[:len(text)-1], text[len(text)-1])
	case n == 4:
		return fmt.Sprintf(`"%s\u%04x%s"`, text[:half], text[half], text[half+1:])
	case n == 5:
		return "!!str " + plain
	case n == 6 && !key:
		return `"` + text[:half] + `\` + pad + text[half:] + `"`
	case n == 7 && !key && !flow:
		return ">-" + pad + text
	case n == 8 && !key && !flow:
		return "|-" + pad + text
	case n == 9 && !key && s.named[text] != "":
		return "*" + s.named[text]
	case n == 10 && !key && s.named[text] == "":
		s.count++
		name := fmt.Sprint("x", s.count)
		s.named[text] = name
		return "&" + name + " " + plain
	case n == 11 && !key && !flow:
		return "# c" + fmt.Sprint(s.count) + pad + plain
	}
	return plain
}

// comment is one at the end of a line, or nothing.
func (s *speller) comment() string {
	if s.seldom(2) == 1 {
		s.count++
		return fmt.Sprint(" # c", s.count)
	}
	return ""
}

func (s *speller) value(v any, indent int) {
	switch v := v.(type) {
	case string:
		s.out.WriteString(" " + s.scalar(v, indent, false, false) + "\n")
	case []any:
		if s.seldom(3) == 1 {
			s.out.WriteString(" " + s.flow(v, indent) + s.comment() + "\n")
			return
		}
		s.out.WriteString(s.comment() + "\n")
		s.list(v, indent)
	case mapping:
		if s.seldom(3) == 1 {
			s.out.WriteString(" " + s.flow(v, indent) + s.comment() + "\n")
			return
		}
		s.out.WriteString(s.comment() + "\n")
		s.mapping(v, indent+2, false)
	}
}

func (s *speller) list(list []any, indent int) {
	by := strings.Repeat(" ", indent)
	for _, item := range list {
		if s.seldom(4) == 1 {
			s.count++
			fmt.Fprintf(&s.out, "%s# above %d\n", by, s.count)
		}
		s.out.WriteString(by + "-")
		switch item := item.(type) {
		case string:
			text := s.scalar(item, indent+1, false, false)
			s.out.WriteString(" " + text)
			if !strings.Contains(text, "\n") {
				s.out.WriteString(s.comment())
			}
			s.out.WriteString("\n")
		case mapping:
			if s.seldom(4) == 1 {
				s.out.WriteString(" " + s.flow(item, indent) + "\n")
				continue
			}
			s.out.WriteString(" ")
			s.mapping(item, indent+2, true)
		}
	}
}

// mapping writes entries; the first one behind a dash, where it shares its line.
func (s *speller) mapping(m mapping, indent int, shares bool) {
	by := strings.Repeat(" ", indent)
	for i, p := range m {
		if i > 0 || !shares {
			s.out.WriteString(by)
		}
		if s.seldom(3) == 1 {
			s.out.WriteString("? " + s.scalar(p.key, indent, false, true) + "\n" + by + ":")
			switch v := p.value.(type) {
			case []any:
				if s.seldom(3) == 1 {
					s.out.WriteString(" " + s.flow(v, indent) + "\n")
					continue
				}
				s.out.WriteString("\n")
				s.list(v, indent+2)
			default:
				s.value(v, indent)
			}
			continue
		}
		s.out.WriteString(s.scalar(p.key, indent, false, true) + ":")
		s.value(p.value, indent)
	}
}

func (s *speller) flow(v any, indent int) string {
	var parts []string
	open, end := "[", "]"
	switch v := v.(type) {
	case string:
		return s.scalar(v, indent, true, false)
	case []any:
		for _, x := range v {
			parts = append(parts, s.flow(x, indent))
		}
	case mapping:
		open, end = "{", "}"
		for _, p := range v {
			key := s.scalar(p.key, indent, true, true)
			if s.seldom(4) == 1 {
				key = "? " + key + " "
			}
			parts = append(parts, key+": "+s.flow(p.value, indent))
		}
	}
	pad := "\n" + strings.Repeat(" ", indent+1)
	switch s.seldom(5) {
	case 1:
		return open + " " + strings.Join(parts, " , ") + " " + end
	case 2:
		return open + pad + strings.Join(parts, ","+pad) + pad + end
	case 3:
		s.count++
		return open + fmt.Sprint(" # c", s.count) + pad + strings.Join(parts, fmt.Sprint(", # d", s.count)+pad) + pad + end
	}
	return open + strings.Join(parts, ", ") + end
}

func meaning(v any) any {
	switch v := v.(type) {
	case []any:
		list := []any{}
		for _, x := range v {
			list = append(list, meaning(x))
		}
		return list
	case mapping:
		m := map[string]any{}
		for _, p := range v {
			m[p.key] = meaning(p.value)
		}
		return m
	}
	return v
}

func list(items ...any) []any { return items }

// spelledPlaces are documents that name groups of the rules in every place that a
// maker of its own takes apart.
var spelledPlaces = []mapping{
	{{"apiVersion", "a.example.com/v1"}, {"kind", "Widget"}, {"spec", mapping{
		{"ref", mapping{{"apiVersion", "a.example.com/v1"}, {"kind", "Widget"}}},
		{"other", mapping{{"kind", "Gadget"}, {"apiVersion", "a.example.com/v1"}}},
		{"by", mapping{{"apiGroup", "a.example.com"}, {"kind", "Widget"}}},
	}}},
	{{"apiVersion", "a.example.com/v1"}, {"kind", "Gadget"}},
	{{"apiVersion", "rbac.authorization.k8s.io/v1"}, {"kind", "ClusterRole"}, {"rules", list(
		mapping{{"apiGroups", list("a.example.com")}, {"resources", list("widgets", "gadgets")}, {"verbs", list("get")}},
		mapping{{"apiGroups", list("")}, {"resources", list("pods")}, {"verbs", list("get")}},
		mapping{{"verbs", list("get", "list")}, {"resources", list("widgets", "widgets/status")}, {"apiGroups", list("a.example.com", "b.example.com")}},
	)}},
	{{"kind", "Role"}, {"apiVersion", "rbac.authorization.k8s.io/v1"}, {"rules", list(
		mapping{{"apiGroups", list("b.example.com", "a.example.com", "")}, {"resources", list("widgets", "*")}, {"verbs", list("*")}},
		mapping{{"apiGroups", list("a.example.com")}, {"resources", list("widgets", "gadgets", "gizmos")}, {"resourceNames", list("x")}, {"verbs", list("get")}},
	)}},
	{{"apiVersion", "rbac.authorization.k8s.io/v1"}, {"kind", "ClusterRole"}, {"rules", list(
		mapping{{"apiGroups", list("apiextensions.k8s.io", "a.example.com")}, {"resources", list("customresourcedefinitions", "widgets")}, {"resourceNames", list("widgets.a.example.com", "gadgets.a.example.com")}, {"verbs", list("get")}},
		mapping{{"apiGroups", list("a.example.com", "x.example.dev")}, {"resources", list("widgets")}, {"verbs", list("get")}},
		mapping{{"nonResourceURLs", list("/apis/a.example.com/v1")}, {"verbs", list("get")}},
	)}},
	{{"apiVersion", "admissionregistration.k8s.io/v1"}, {"kind", "ValidatingWebhookConfiguration"}, {"webhooks", list(
		mapping{{"name", "vwidget.a.example.com"}, {"clientConfig", mapping{{"service", mapping{{"path", "/validate-a-example-com-v1-widget"}, {"name", "x"}}}}},
			{"rules", list(mapping{{"apiGroups", list("a.example.com")}, {"apiVersions", list("v1", "v1alpha1")}, {"resources", list("widgets", "gadgets")}, {"operations", list("CREATE")}})}},
		mapping{{"name", "vgadget.a.example.com"}, {"rules", list(mapping{{"resources", list("*/*")}, {"apiGroups", list("a.example.com", "b.example.com")}, {"apiVersions", list("v1")}, {"operations", list("CREATE")}})}},
	)}},
	{{"apiVersion", "apiextensions.k8s.io/v1"}, {"kind", "CustomResourceDefinition"}, {"metadata", mapping{{"name", "widgets.a.example.com"}}}, {"spec", mapping{
		{"group", "a.example.com"}, {"names", mapping{{"kind", "Widget"}, {"plural", "widgets"}, {"singular", "widget"}, {"listKind", "WidgetList"}}}, {"scope", "Namespaced"},
		{"versions", list(mapping{{"name", "v1alpha1"}, {"schema", mapping{{"openAPIV3Schema", mapping{{"properties", mapping{
			{"apiGroup", mapping{{"type", "string"}, {"default", "a.example.com"}, {"enum", list("a.example.com", "")}}},
			{"kind", mapping{{"default", "Widget"}, {"enum", list("Widget", "Gadget")}}},
		}}}}}}})},
	}}},
	{{"apiVersion", "apiextensions.k8s.io/v1"}, {"kind", "CustomResourceDefinition"}, {"metadata", mapping{{"name", "gadgets.a.example.com"}}}, {"spec", mapping{
		{"names", mapping{{"plural", "gadgets"}, {"kind", "Gadget"}}}, {"scope", "Cluster"}, {"group", "a.example.com"},
		{"versions", list(mapping{{"name", "v1alpha1"}, {"served", "x"}})},
	}}},
	{{"apiVersion", "kyverno.io/v1"}, {"kind", "ClusterPolicy"}, {"metadata", mapping{{"name", "x"}}}, {"spec", mapping{{"rules", list(
		mapping{{"name", "x"}, {"match", mapping{{"any", list(mapping{{"resources", mapping{{"kinds", list("a.example.com/v1/Widget", "a.example.com/*/Gadget", "a.example.com/*/*")}}}})}}}},
	)}}}},
	{{"apiVersion", "constraints.gatekeeper.sh/v1beta1"}, {"kind", "K8sRequired"}, {"spec", mapping{{"match", mapping{{"kinds", list(
		mapping{{"apiGroups", list("a.example.com")}, {"kinds", list("Widget", "Gadget")}}, mapping{{"kinds", list("*")}, {"apiGroups", list("a.example.com", "b.example.com")}},
	)}}}}}},
	{{"apiVersion", "v1"}, {"kind", "List"}, {"items", list(
		mapping{{"apiVersion", "a.example.com/v1alpha1"}, {"kind", "Widget"}, {"metadata", mapping{{"name", "x"}, {"labels", mapping{{"a.example.com/x", "a.example.com"}}}}}},
		mapping{{"kind", "Gadget"}, {"apiVersion", "a.example.com/v1alpha1"}},
		mapping{{"apiVersion", "b.example.com/v1"}, {"kind", "Tool"}},
	)}},
	{{"apiVersion", "kustomize.config.k8s.io/v1beta1"}, {"kind", "Kustomization"}, {"resources", list("bases/a.example.com_widgets.yaml", "b.example.com_widgets.yaml")}, {"patches", list(
		mapping{{"path", "x.yaml"}, {"target", mapping{{"group", "a.example.com"}, {"version", "v1alpha1"}, {"kind", "Widget"}}}},
		mapping{{"target", mapping{{"kind", "CustomResourceDefinition"}, {"name", "widgets.a.example.com"}}}, {"path", "y.yaml"}},
	)}},
	{{"apiVersion", "operators.coreos.com/v1alpha1"}, {"kind", "ClusterServiceVersion"}, {"metadata", mapping{{"name", "x.v1"}}}, {"spec", mapping{
		{"customresourcedefinitions", mapping{{"owned", list(
			mapping{{"name", "widgets.a.example.com"}, {"kind", "Widget"}, {"version", "v1alpha1"}}, mapping{{"version", "v1"}, {"kind", "Widget"}, {"name", "widgets.b.example.com"}},
			mapping{{"kind", "Gadget"}, {"name", "gadgets.a.example.com"}, {"version", "v1"}})}}},
		{"webhookdefinitions", list(mapping{{"generateName", "vwidget.a.example.com"}, {"webhookPath", "/validate-a-example-com-v1-widget"}, {"rules", list(mapping{{"apiGroups", list("a.example.com")}, {"apiVersions", list("v1")}, {"resources", list("widgets")}})}})},
	}}},
	{{"apiVersion", "argoproj.io/v1alpha1"}, {"kind", "AppProject"}, {"spec", mapping{{"namespaceResourceWhitelist", list(
		mapping{{"group", "a.example.com"}, {"kind", "Widget"}}, mapping{{"kind", "*"}, {"group", "a.example.com"}}, mapping{{"group", "b.example.com"}, {"kind", "Gadget"}})}}}},
	{{"apiVersion", "v1"}, {"kind", "ResourceQuota"}, {"spec", mapping{{"hard", mapping{{"count/widgets.a.example.com", "1"}, {"count/gadgets.a.example.com", "2"}}}}}},
	{{"metadata", mapping{{"ownerReferences", list(mapping{{"apiVersion", "a.example.com/v1"}, {"kind", "Widget"}, {"name", "x"}}, mapping{{"kind", "Gadget"}, {"apiVersion", "a.example.com/v1"}})}}}, {"kind", "Pod"}, {"apiVersion", "v1"}},
	{{"apiVersion", "autoscaling/v2"}, {"kind", "HorizontalPodAutoscaler"}, {"spec", mapping{{"scaleTargetRef", mapping{{"name", "x"}, {"kind", "Widget"}, {"apiVersion", "a.example.com/v1alpha1"}}}}}},
}

const spelledHead = "name: spelled\ndoc: d\nurl: https://example.dev/x\nrules:\n"

// spelledRules are rulesets of every sort.
var spelledRules = []string{
	"- {id: w, from: {group: a.example.com, kind: Widget, plural: widgets}, to: {group: x.example.dev}}\n",
	"- {id: all, from: {group: a.example.com}, to: {group: x.example.dev}}\n- {id: w, from: {group: a.example.com, kind: Widget, plural: widgets}, to: {group: x.example.dev, kind: Gizmo, plural: gizmos}}\n",
	"- {id: all, from: {group: a.example.com}, to: {group: x.example.dev}}\n",
	"- {id: a, from: {group: a.example.com}, to: {group: c.example.dev}}\n- {id: b, from: {group: b.example.com}, to: {group: c.example.dev}}\n",
	"- {id: w, from: {group: a.example.com, version: v1alpha1, kind: Widget, plural: widgets}, to: {group: a.example.com, version: v1}}\n",
	"- {id: w, from: {group: a.example.com, kind: Widget, plural: widgets}, to: {group: x.example.dev}}\n- {id: g, from: {group: a.example.com, kind: Gadget, plural: gadgets}, to: {group: y.example.dev, kind: Cog, plural: cogs}}\n",
}

// spellPlace makes a composition of bytes: rules and mode, place, spelling.
func spellPlace(t testing.TB, rules, place int, dual bool, program []byte) composition {
	s := &speller{program: program, named: map[string]string{}}
	doc := spelledPlaces[place]
	s.mapping(doc, 0, false)
	text := s.out.String()
	var got any
	if err := k8syaml.Unmarshal([]byte(text), &got); err != nil || !reflect.DeepEqual(got, meaning(doc)) {
		if err != nil {
			t.Logf("%v\n%s", err, text)
		}
		t.Skip("no spelling of it")
	}
	set, err := migrate.ParseRuleset("spelled.yaml", []byte(spelledHead+spelledRules[rules]))
	if err != nil {
		t.Fatal(err)
	}
	return composition{name: "a.yaml", text: text, opts: migrate.Options{Rulesets: []*migrate.Ruleset{set}, Dual: dual}, rules: spelledRules[rules] + " gizmo mgizmo vgizmo GizmoList cog mcog vcog CogList"}
}

func FuzzSpellings(f *testing.F) {
	racetest.OneGoroutine(f)
	r := rand.New(rand.NewPCG(7, 8))
	for range 400 {
		program := make([]byte, 40)
		for i := range program {
			program[i] = byte(r.Uint32())
		}
		f.Add(byte(r.Uint32()), byte(r.Uint32()), program)
	}
	f.Fuzz(func(t *testing.T, rules, place byte, program []byte) {
		c := spellPlace(t, int(rules)%len(spelledRules), int(place)%len(spelledPlaces), int(rules)/len(spelledRules)%3 == 2, program)
		if m, err := migrate.New(c.opts); err == nil && m.One(c.name, []byte(c.text)).Fault() != nil {
			t.Skip("its change is refused, and not written")
		}
		c.laws(t, 1)
	})
}
