package edit

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/rules/rulestest"
)

// Whether a step has something to do in an object is asked of its words.
func TestWordsAsked(t *testing.T) {
	const tell = "{tell: spec.old, why: look at it}"
	for _, x := range []struct {
		steps, in string
		part      bool // the words are of more than the object
		want      string
	}{
		{"{rename: spec.oldName, to: name}", "spec: {oldName: 1}", false, "changes"},
		{"{rename: spec.oldName, to: name}", "V1Pear(spec=V1Spec(old_name=1))", true, "changes"},
		{"{rename: spec.oldName, to: name}", "Spec: PearSpec{OldName: 1}", true, "changes"},
		{"{rename: spec.oldName, to: name}", "spec: {older: 1}", false, ""},
		{"{rename: spec.oldName, to: name}", `"kind: Pear\nspec:\n  oldName: 1"`, true, "changes"},
		{`{move: 'spec."example.com/old"', to: spec.old}`, `spec: {"example.com/old": 1}`, false, "changes"},
		{`{drop: "spec.list[*].a"}`, "spec: {list: [{a: 1}]}", false, "changes"},
		{"{set: spec.policy, value: Always}", "spec: {}", false, "changes"},
		{"{set: spec.policy, value: Always}", "spec: {policy: x}", false, ""},
		{"{set: spec.policy, value: Always}", "spec: {}", true, ""},
		{`{set: "spec.list[*].a", value: b}`, "spec: {list: []}", true, "changes"},
		{`{set: "spec.list[*].a", value: b}`, "spec: {}", false, ""},
		{"{set: spec.new, value: b, when: {path: spec.old, is: present}}", "spec: {old: 1}", true, "changes"},
		{"{set: spec.new, value: b, when: {path: spec.old, is: present}}", "spec: {}", false, ""},
		{"{drop: spec.a, when: {in: [x]}}", "spec: {a: y}", false, ""},
		{"{drop: spec.a, when: {in: [x]}}", "spec: {a: x}", false, "changes"},
		{"{drop: spec.a, when: {not: [x]}}", "spec: {b: 1}", false, ""},
		{"{copy: spec.a, to: spec.b, when: {path: spec.b, is: missing}}", "spec: {a: 1}", false, "changes"},
		{"{copy: spec.a, to: spec.b, when: {path: spec.b, is: missing}}", "spec: {a: 1, b: 1}", false, ""},
		{tell, "spec: {old: 1}", false, "tells"},
		{tell, "spec: {old: 1}", true, ""},
		{tell, "spec: {}", false, ""},
		{"{tell: spec.old, why: x, when: {is: missing}}", "spec: {}", false, "tells"},
		{"{tell: spec.old, why: x, when: {is: missing}}", "spec: {}", true, ""},
	} {
		c := rulestest.Table(t, "name: pears\nrules:\n- {id: v2, from: {group: a.example.dev, version: v1, kind: Pear}, to: {version: v2}}\n"+
			"convert:\n- {id: pear, kind: Pear, from: a.example.dev/v1, to: a.example.dev/v2, steps: ["+x.steps+"]}\n").Shapes(rules.GVK{Group: "a.example.dev", Version: "v1", Kind: "Pear"})[0]
		changes, tells := shapeWordsOf([]byte(x.in)).asked(c, !x.part)
		if changes != (x.want == "changes") || (tells != "") != (x.want == "tells") {
			t.Errorf("%s of %s, part %v: changes %v, tells %q", x.steps, x.in, x.part, changes, tells)
		}
	}
}
