package judge

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
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
split.example.com/v1: stay template-choice | template-choice | the template chooses by what the cluster serves
old.example.com/v1: stay template-choice | template-choice | the template chooses by what the cluster serves`},
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
