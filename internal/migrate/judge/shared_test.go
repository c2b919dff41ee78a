package judge

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/rules/rulestest"
)

// A name that several objects take from one place moves when all of them make the
// same of it, and is for a person otherwise.
func TestShared(t *testing.T) {
	holds(t, []decision{
		{"a.yaml", setting{}, "- apiVersion: &v split.example.com/v1\n  kind: Apple\n- apiVersion: *v\n  kind: Berry\n", `
split.example.com/v1: person | shared | it stands here once for several objects: Apple becomes a.example.org/v1, and Berry becomes b.example.org/v2`},
		{"a.yaml", setting{}, "- apiVersion: &v old.example.com/v1\n  kind: Apple\n- apiVersion: *v\n  kind: Berry\n", `
old.example.com/v1: move new.example.org/v1 Apple |  |`},
		{"a.yaml", setting{}, "- apiVersion: &v split.example.com/v1\n  kind: Apple\n- apiVersion: *v\n  kind: Other\n", `
split.example.com/v1: person | shared | it stands here once for several objects: Apple becomes a.example.org/v1, and Other stays`},
		{"a.yaml", setting{}, "- apiVersion: &v split.example.com/v1\n  kind: Apple\n- apiVersion: *v\n  name: x\n", `
split.example.com/v1: person | shared | it stands here once for several objects: Apple becomes a.example.org/v1, and one without a kind stays`},
		{"a.yaml", setting{}, "- apiVersion: &v parts.example.com/v1\n  kind: &k Job\n- apiVersion: *v\n  kind: *k\n", `
parts.example.com/v1: move new.example.org/v1 Task |  |`},
		{"a.yaml", setting{}, "- apiVersion: parts.example.com/v1\n  kind: &k Job\n- apiVersion: x/v1\n  kind: *k\n", `
parts.example.com/v1: person | shared | it stands here once for several objects: Job becomes new.example.org/v1 Task, and Job stays`},
		{"a.yaml", setting{}, "- apiVersion: old.example.com/v1\n  kind: &k Job\n- apiVersion: x/v1\n  kind: *k\n", `
old.example.com/v1: move new.example.org/v1 Job |  |`},
		{"a.yaml", setting{}, "- apiVersion: &v parts.example.com/v1\n  kind: Job\n- apiVersion: *v\n  kind: Fig\n", `
parts.example.com/v1: person | shared | it stands here once for several objects: Job becomes new.example.org/v1 Task, and Fig becomes new.example.org/v1`},
		{"a.yaml", setting{}, "x: &a\n  group: split.example.com\n  version: v1\n  kind: Apple\ny:\n  <<: *a\n  kind: Berry\n", `
split.example.com: person | shared | it stands here once for several objects: Apple becomes a.example.org/v1, and Berry becomes b.example.org/v2`},
		{"a.yaml", setting{}, "x: &a\n  group: split.example.com\n  kind: Apple\ny:\n  <<: *a\n  name: x\n", `
split.example.com: move a.example.org Apple |  |`},
		{"a.yaml", setting{dual: true}, "- apiVersion: &v split.example.com/v1\n  kind: Apple\n- apiVersion: *v\n  kind: Berry\n", `
split.example.com/v1: stay dual-mode | dual | stays while both groups are served; --mode replace moves it`},
	})
}

// Two objects of a list do not become one.
func TestDoubled(t *testing.T) {
	object := func(version, kind, name string) string {
		text := "- apiVersion: " + version + "\n  kind: " + kind + "\n"
		if name != "" {
			text += "  metadata: {name: " + name + "}\n"
		}
		return text
	}
	list := "kind: List\nitems:\n"
	holds(t, []decision{
		{"a.yaml", setting{}, list + object("old.example.com/v1", "Thing", "a") + object("new.example.org/v1", "Thing", "a"), `
old.example.com/v1: person | name-taken | it would become the same object as the new.example.org one of this list: Thing a`},
		{"a.yaml", setting{}, list + object("new.example.org/v1", "Thing", "a") + object("old.example.com/v1", "Thing", "a"), `
old.example.com/v1: person | name-taken | it would become the same object as the new.example.org one of this list: Thing a`},
		{"a.yaml", setting{}, list + object("old.example.com/v1", "Thing", "a") + object("new.example.org/v1", "Thing", "b"), `
old.example.com/v1: move new.example.org/v1 Thing |  |`},
		{"a.yaml", setting{}, list + object("old.example.com/v1", "Thing", "") + object("new.example.org/v1", "Thing", ""), `
old.example.com/v1: move new.example.org/v1 Thing |  |`},
		{"a.yaml", setting{}, list + object("old.example.com/v1", "Fig", "a") + object("parts.example.com/v1", "Fig", "a"), `
old.example.com/v1: move new.example.org/v1 Fig |  |
parts.example.com/v1: person | name-taken | it would become the same object as the old.example.com one of this list: Fig a`},
		{"a.yaml", setting{}, list + object("old.example.com/v1", "Run", "a") + object("parts.example.com/v1", "Run", "a"), `
old.example.com/v1: move new.example.org/v1 Run |  |
parts.example.com/v1: move runs.example.org/v1 Run |  |`},
		{"a.yaml", setting{}, list + object("other.example.com/v1", "Fig", "a") + object("old.example.com/v1", "Fig", "a"), `
old.example.com/v1: move new.example.org/v1 Fig |  |`},
		{"a.yaml", setting{}, list + object("old.example.com/v1", "Fig", "a") + object("old.example.com/v1beta1", "Fig", "a"), `
old.example.com/v1: move new.example.org/v1 Fig |  |
old.example.com/v1beta1: move new.example.org/v1beta1 Fig |  |`},
		{"a.yaml", setting{}, list + object("same.example.com/v1beta1", "Pear", "a") + object("same.example.com/v1", "Pear", "a"), `
same.example.com/v1beta1: move same.example.com/v1 Pear |  |
same.example.com/v1: none |  |`},
	})
}

// A key of a mapping does not become one that the mapping has.
func TestKeyTaken(t *testing.T) {
	holds(t, []decision{
		{"a.yaml", setting{off: "both-names"}, "x: {old.example.com/*: {}, new.example.org/*: {}}\n", `
old.example.com/: person | name-taken | its mapping has the key new.example.org/ already`},
		{"a.yaml", setting{off: "both-names"}, "x: {both.example.com/*: {a: b}, plums.example.org/*: {a: b}}\n", `
both.example.com: person | splits | it stands for every kind of the group, and this rule moves only Plum`},
		{"a.yaml", setting{}, "x: {old.example.com/*: {}, other.example.org/*: {}}\n", `
old.example.com/: key new.example.org/ |  |`},
	})
}

// A choice in a template whose branches all have old names, none of which becomes
// another one's, is none: each kind is that of its branch or of the whole.
func TestChoiceOfOldNames(t *testing.T) {
	const asks = "{{- if semverCompare \">=1\" .Capabilities.KubeVersion }}\n"
	holds(t, []decision{
		{"templates/a.yaml", setting{}, asks + "apiVersion: split.example.com/v1\n{{- else }}\napiVersion: old.example.com/v1\n{{- end }}\nkind: Apple\n", `
split.example.com/v1: move a.example.org/v1 Apple |  |
old.example.com/v1: move new.example.org/v1 Apple |  |`},
		{"templates/_helpers.tpl", setting{}, "{{- define \"x\" }}\n" + asks + "{{- print \"split.example.com/v1\" }}\n{{- else }}\n{{- print \"old.example.com/v1\" }}\n{{- end }}\n{{- end }}\n", `
split.example.com/v1: person | template-branches | what the branches of this choice become depends on the kind
old.example.com/v1: person | template-branches | what the branches of this choice become depends on the kind`},
		{"templates/a.yaml", setting{}, asks + "apiVersion: split.example.com/v1\n{{- else }}\napiVersion: stranger.example.com/v1\n{{- end }}\nkind: Apple\n", `
split.example.com/v1: stay template-choice | template-choice | the template chooses by what the cluster serves`},
		{"templates/a.yaml", setting{}, asks + "apiVersion: split.example.com/v1\nkind: Apple\n{{- else }}\napiVersion: old.example.com/v1\nkind: Apple\n{{- end }}\n", `
split.example.com/v1: move a.example.org/v1 Apple |  |
old.example.com/v1: move new.example.org/v1 Apple |  |`},
	})
}

// A name for every kind of a group moves when the whole group does.
func TestEveryKind(t *testing.T) {
	holds(t, []decision{
		{"a.go", setting{}, "package a\n\nvar x = strings.HasSuffix(crd.Name, \".old.example.com\")\n", `
old.example.com: move new.example.org |  |`},
		{"a.go", setting{}, "package a\n\nvar x = strings.HasSuffix(crd.Name, \".both.example.com\")\n", `
both.example.com: person | splits | it stands for every kind of the group, and this rule moves only Plum`},
		{"a.yaml", setting{}, "x:\n  group: both.example.com\n  resources: [\"*\"]\n", `
both.example.com: stay | no-rule | no rule moves resource *`},
		{"a.yaml", setting{}, "x:\n  group: both.example.com\n  resources: [plums, figs]\n", `
both.example.com: person | splits | the resources of this rule go to different groups: figs stays`},
		{"a.yaml", setting{}, "x:\n  group: old.example.com\n  resources: [plums, figs]\n", `
old.example.com: move new.example.org |  |`},
	})
}

// What belongs to a version by what several names say together is told as what
// belongs to one by its folder.
func TestAtHome(t *testing.T) {
	if d := AtHome("old.example.com", rules.Answer{To: rules.GVK{Group: "new.example.org", Version: "v1"}}, "v1beta1", ""); d.Verdict != Person || d.Reason != "version-folder" {
		t.Errorf("%+v", d)
	}
}

// A CRD of a list does not become another one of it; what is no item of a list, or no
// CRD, may.
func TestCRDTaken(t *testing.T) {
	crd := func(before, group string) string {
		return before + "metadata: {name: apples." + group + "}\n  spec: {group: " + group + ", names: {kind: Apple, plural: apples}}\n"
	}
	const kind = "kind: CustomResourceDefinition\n  "
	holds(t, []decision{
		{"a.yaml", setting{}, crd("- "+kind, "split.example.com") + crd("- "+kind, "a.example.org"), `
apples.split.example.com: person | name-taken | it would become apples.a.example.org, which is in this list already
split.example.com: stay | name-taken | it would become apples.a.example.org, which is in this list already`},
		{"a.yaml", setting{}, crd("x:\n  "+kind, "split.example.com") + crd("y:\n  "+kind, "a.example.org"), `
apples.split.example.com: move a.example.org Apple |  |
split.example.com: move a.example.org Apple |  |`},
		{"a.yaml", setting{}, crd("- ", "split.example.com") + crd("- "+kind, "a.example.org"), `
apples.split.example.com: move a.example.org Apple |  |
split.example.com: move a.example.org Apple |  |`},
		{"a.yaml", setting{}, "crd: apples.split.example.com\n", `
apples.split.example.com: move a.example.org apples |  |`},
		{"a.yaml", setting{}, "x: {crd: apples.split.example.com}\n", `
apples.split.example.com: move a.example.org apples |  |`},
	})
}

// A line that names the new group as well stays, whatever more the name tells; the
// name of a resource moves beside its new one.
func TestBothNames(t *testing.T) {
	holds(t, []decision{
		{"a.txt", setting{}, "the old.example.com API group, now new.example.org\n", `
old.example.com: stay both-names | both-names | its line names the new one as well`},
		{"a.txt", setting{}, "an old.example.com/v1/Thing, now new.example.org/v1/Thing\n", `
old.example.com/v1/Thing: stay both-names | both-names | its line names the new one as well`},
		{"a.txt", setting{}, "the apples.split.example.com and apples.a.example.org\n", `
apples.split.example.com: move a.example.org apples |  |`},
	})
}

// What tells no kind depends on it where a kind of the tree stays.
func TestMixed(t *testing.T) {
	table := rulestest.Table(t, testRules)
	mixed := Mixed{
		Stays: map[string]string{"both.example.com": "Fig", "both.example.com/v1beta1": "Lime", "old.example.com": "Fig", "kind.example.com": "Fig"},
		Moves: map[string]bool{"kind.example.com/v1": true},
	}
	for _, x := range []struct {
		path, in, want string
		resources      []string
	}{
		{path: "a.go", in: "package a\n\nconst Group = \"both.example.com\"\n", want: "person: it depends on the kind: Plum moves, and Fig of this tree stays"},
		{path: "a.go", in: "package a\n\nconst Group = \"both.example.com\"\n", resources: []string{"plums"}, want: "move: "},
		{path: "a.go", in: "package a\n\nconst Version = \"both.example.com/v1beta1\"\n", want: "person: it depends on the kind: Plum moves, and Lime of this tree stays"},
		{path: "a.yaml", in: "apiVersion: both.example.com/v1beta1\nkind: Plum\n", want: "move: "},
		{path: "a.txt", in: "GET /apis/both.example.com/v1beta1/plums\n", want: "move: "},
		{path: "a.go", in: "package a\n\nconst Group = \"old.example.com\"\n", want: "move: "},
		{path: "a.yaml", in: "kind: APIService\nmetadata: {name: v1beta1.both.example.com}\n", want: "person: it depends on the kind: Plum moves, and Lime of this tree stays"},
	} {
		facts := FactsOf(table, nil, false, x.path, []byte(x.in), find.FormatOf(x.path, []byte(x.in)))
		facts.Mixed = mixed
		for d := range Decisions(NamesOf(table, nil), table, facts, x.path) {
			if d.Site == nil {
				continue
			}
			s := *d.Site
			s.Resources = x.resources
			got := Decide(&s, table, facts)
			if said := map[Verdict]string{Person: "person", Move: "move"}[got.Verdict] + ": " + got.Why; said != x.want {
				t.Errorf("%s: %q, want %q of\n%s", x.path, said, x.want, x.in)
			}
		}
	}
}

// A name of a version is one of the kinds that the tree has in it, and of any where it
// has none.
func TestKindsOfAVersion(t *testing.T) {
	mixed := Mixed{Stays: map[string]string{"g": "Fig", "g/v2": "Lime"}, Moves: map[string]bool{"g/v1": true, "g/v2": true}}
	for _, x := range [][3]string{{"g", "", "Fig"}, {"g", "v1", ""}, {"g", "v2", "Lime"}, {"g", "v3", "Fig"}, {"h", "v1", ""}} {
		if got := mixed.In(x[0], x[1]); got != x[2] {
			t.Errorf("%s/%s: %q, want %q", x[0], x[1], got, x[2])
		}
	}
}

// The formats look for the group of a change of shape that no rule moves.
func TestNamesOfConversions(t *testing.T) {
	table := rulestest.Table(t, "name: shapes\nrules: [{id: a, from: {group: a.example.com}, to: {group: b.example.com}}]\nconvert:\n"+
		"- {id: pear, kind: Pear, from: shapes.example.com/v1, to: shapes.example.com/v2, steps: [{drop: spec.x}]}\n"+
		"- {id: pod, kind: Pod, from: v1, to: v2, steps: [{drop: spec.x}]}\n")
	for in, want := range map[string]int{"shapes.example.com/v1": 1, "\"v1\"": 0, "a.example.com": 1, "b.example.com": 0} {
		if got := NamesOf(table, nil).Tokens([]byte(in)); len(got) != want {
			t.Errorf("%s: %d names", in, len(got))
		}
	}
}
