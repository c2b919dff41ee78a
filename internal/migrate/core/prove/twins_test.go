package prove

import (
	"fmt"
	"strings"
	"testing"
)

const (
	thing     = "kind: CustomResourceDefinition\nmetadata: {name: things.all.example.com}\nspec:\n  group: all.example.com # the group\n  names: {kind: Thing, plural: things}\n  scope: Namespaced\n"
	thingTwin = "kind: CustomResourceDefinition\nmetadata: {name: things.all.example.dev}\nspec:\n  group: all.example.dev # the group\n  names: {kind: Thing, plural: things}\n  scope: Namespaced\n"
	rule      = "- apiGroups: [old.example.com]\n  resources: [widgets, widgets/status]\n  verbs: [get]\n"
	ruleTwin  = "- apiGroups: [new.example.dev]\n  resources: [gadgets, gadgets/status]\n  verbs: [get]\n"
	block     = "- apiGroups:\n  - old.example.com\n  resources:\n  - widgets\n  verbs:\n  - get\n"
	other     = "kind: Service\nmetadata: {name: a}\n"
)

// windows are files before and while both groups are served.
var windows = []pair{
	{"CRD", "a.yaml", thing, thing + "---\n" + thingTwin, 0},
	{"CRD between others", "a.yaml", other + "---\n" + thing + "---\n" + other, other + "---\n" + thing + "---\n" + thingTwin + "---\n" + other, 0},
	{"CRDs with the same lines", "a.yaml", thing + "---\n" + strings.ReplaceAll(thing, "hing", "hung"), thing + "---\n" + thingTwin + "---\n" + strings.ReplaceAll(thing, "hing", "hung") + "---\n" + strings.ReplaceAll(thingTwin, "hing", "hung"), 0},
	{"rules with the same lines", "a.yaml", "rules:\n" + block + strings.NewReplacer("old.example.com", "apps", "widgets", "pods").Replace(block), "rules:\n" + block + strings.NewReplacer("old.example.com", "new.example.dev", "widgets", "gadgets").Replace(block) + strings.NewReplacer("old.example.com", "apps", "widgets", "pods").Replace(block), 0},
	{"CRD with another name", "a.yaml", crd, crd + "---\n" + crdAfter, 0},
	{"CRD in a template", "a.yaml", "{{ if .x }}\n" + thing + "{{ end }}\n", "{{ if .x }}\n" + thing + "---\n" + thingTwin + "{{ end }}\n", 0},
	{"rule of permissions", "a.yaml", "rules:\n" + rule, "rules:\n" + rule + ruleTwin, 0},
	{"groups of a rule", "a.yaml", "rules:\n- apiGroups:\n  - all.example.com # ours\n  resources: [a]\n  verbs: [get]\n", "rules:\n- apiGroups:\n  - all.example.com # ours\n  - all.example.dev # ours\n  resources: [a]\n  verbs: [get]\n", 0},
	{"owned CRD", "a.yaml", "owned:\n- name: things.all.example.com\n  kind: Thing\n  version: v1\n", "owned:\n- name: things.all.example.com\n  kind: Thing\n  version: v1\n- name: things.all.example.dev\n  kind: Thing\n  version: v1\n", 0},
	{"names of files", "a.yaml", "resources:\n- crd/old.example.com_widgets.yaml\n- b.yaml\n", "resources:\n- crd/old.example.com_widgets.yaml\n- crd/new.example.dev_gadgets.yaml\n- b.yaml\n", 0},
	{"marker", "a.go", "package x\n\n// +kubebuilder:rbac:groups=old.example.com,resources=widgets,verbs=get\nvar x int\n", "package x\n\n// +kubebuilder:rbac:groups=old.example.com,resources=widgets,verbs=get\n// +kubebuilder:rbac:groups=new.example.dev,resources=gadgets,verbs=get\nvar x int\n", 0},
}

// TestDamagedTwinsAreRefused damages files with twins, and those in which one of
// two has gone, at one place each.
func TestDamagedTwinsAreRefused(t *testing.T) {
	dual, single := prover(t, widgets, Options{Dual: true}), prover(t, widgets, Options{})
	for _, x := range windows {
		check(t, dual, x)
		damage(t, dual, x)
		end := pair{name: x.name + ", at the end", path: x.path, before: x.after}
		end.after = strings.NewReplacer("old.example.com", "new.example.dev", "all.example.com", "all.example.dev", "widgets", "gadgets", "Widget", "Gadget", "widget", "gadget", "v1beta1", "v1").Replace(x.before)
		check(t, single, end)
		damage(t, single, end)
		if err := single.File(x.path, x.path, []byte(x.before), []byte(x.after)); err == nil && !strings.Contains(x.after, "resources:") {
			t.Errorf("%s: twins are not refused without dual mode", x.name)
		}
	}
}

// TestLongTwins: a CRD of a template that is longer than what is looked at around other lines.
func TestLongTwins(t *testing.T) {
	var b strings.Builder
	for i := range near + 6 {
		fmt.Fprintf(&b, "  x%03d: {{ x }}y\n", i)
	}
	old, twin := "{{ if .x }}\n"+thing+b.String(), thingTwin+b.String()
	end := "{{ end }}\n"
	check(t, prover(t, widgets, Options{Dual: true}), pair{"twin", "a.yaml", old + end, old + "---\n" + twin + end, 0})
	check(t, prover(t, widgets, Options{}), pair{"the end of both", "a.yaml", old + "---\n" + twin + end, "{{ if .x }}\n" + twin + end, 0})
}

func damage(t *testing.T, p *Prover, x pair) {
	t.Helper()
	for i := range len(x.after) {
		if strings.Contains("[,{", x.after[i-min(i, 1):i]) && x.after[i] == ' ' {
			continue // the layout of what is added to a list does not matter
		}
		refuse(t, p, x, "lost byte", x.after[:i]+x.after[i+1:])
	}
	lines := strings.SplitAfter(x.after, "\n")
	for i := range lines {
		refuse(t, p, x, "lost line", strings.Join(lines[:i], "")+strings.Join(lines[i+1:], ""))
	}
	for _, d := range damages {
		for at := 0; d.from != "\n"; at++ {
			i := strings.Index(x.after[at:], d.from)
			if i < 0 {
				break
			}
			at += i
			refuse(t, p, x, d.name, x.after[:at]+d.to+x.after[at+len(d.from):])
		}
	}
}

func TestLostOriginalsAreRefused(t *testing.T) {
	p := prover(t, widgets, Options{Dual: true})
	for _, x := range []pair{
		{"lost original", "a.yaml", thing, thingTwin, 0},
		{"two twins", "a.yaml", thing, thingTwin + "---\n" + thingTwin, 0},
		{"twin of another group", "a.yaml", thing, thing + "---\n" + strings.ReplaceAll(thingTwin, "all.example.dev", "new.example.dev"), 0},
		{"twin that lost a field", "a.yaml", thing, thing + "---\n" + strings.Replace(thingTwin, "  scope: Namespaced\n", "", 1), 0},
		{"twin in another place", "a.yaml", thing + "---\n" + other, thing + "---\n" + other + "---\n" + thingTwin, 0},
		{"rewritten object", "a.yaml", widget, gadget, 0},
		{"lost rule", "a.yaml", "rules:\n" + rule, "rules:\n" + ruleTwin, 0},
		{"twin that lost a resource", "a.yaml", "rules:\n" + rule, "rules:\n" + rule + strings.Replace(ruleTwin, ", gadgets/status", "", 1), 0},
		{"lost marker", "a.go", windows[len(windows)-1].before, strings.Replace(windows[len(windows)-1].after, "// +kubebuilder:rbac:groups=old.example.com,resources=widgets,verbs=get\n", "", 1), 0},
		{"lost item", "a.yaml", "resourceNames: [things.all.example.com]\n", "resourceNames: [things.all.example.dev]\n", 0},
	} {
		if err := p.File(x.path, x.path, []byte(x.before), []byte(x.after)); err == nil {
			t.Errorf("%s: not refused", x.name)
		}
	}
}
