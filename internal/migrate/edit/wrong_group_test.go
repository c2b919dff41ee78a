package edit

import "testing"

// A kind of the rules in a group where it never was is told of; what is far away
// from it is not its group.
func TestWrongGroups(t *testing.T) {
	rows(t, []row{
		{name: "wrong", file: "a.yaml", in: "apiVersion: found.example.net/v1\nkind: Thing\n", told: "wrong-group: found.example.net"},
		{name: "below", file: "a.yaml", in: "kind: Thing\nmetadata:\napiVersion: found.example.net/v1\n", told: "wrong-group: found.example.net"},
		{name: "right", file: "a.yaml", in: "apiVersion: found.example.org/v1\nkind: Thing\n"},
		{name: "another object", file: "a.json", in: `[{"kind":"Thing"},{"apiVersion":"batch/v1","kind":"Job"}]`},
		{name: "a longer name", file: "a.yaml", in: "apiVersion: found.example.net/v1\nkind: ThingList\n"},
	})
}

// The group of a kind is that of its own object, nearby.
func TestWhereTheGroupStands(t *testing.T) {
	rows(t, []row{
		{name: "on the line of its kind", file: "a.json", in: `
{"apiVersion": "found.example.net/v1", "kind": "Thing"}
`, told: "wrong-group: found.example.net"},
		{name: "behind its kind on the line", file: "a.json", in: `
{"kind": "Thing", "apiVersion": "found.example.net/v1"}
`, told: "wrong-group: found.example.net"},
		{name: "another object on the line", file: "a.json", in: `
[{"kind": "Thing"}, {"apiVersion": "found.example.net/v1", "kind": "Other"}]
`},
		{name: "the object before it", file: "a.json", in: `
[{"apiVersion": "found.example.net/v1", "kind": "Other"}, {"kind": "Thing"}]
`},
		{name: "escaped in a string", file: "a.json", in: `
{"last": "{\"apiVersion\":\"found.example.net/v1\",\"kind\":\"Thing\"}"}
`, told: "wrong-group: found.example.net"},
		{name: "in code", file: "a.py", in: `
thing = {"kind": "Thing",
         "apiVersion": "found.example.net/v1"}
`, told: "wrong-group: found.example.net"},
		{name: "two lines above", file: "a.yaml", in: `
apiVersion: found.example.net/v1
# a thing
kind: Thing
`, told: "wrong-group: found.example.net"},
		{name: "three lines above", file: "a.yaml", in: `
apiVersion: found.example.net/v1
# a
# thing
kind: Thing
`},
		{name: "the old group, which moves", file: "a.yaml", in: `
apiVersion: lost.example.com/v1
kind: Thing
`, want: `
apiVersion: found.example.org/v1
kind: Thing
`},
		{name: "a kind in running text", file: "a.md", in: `
The Thing of found.example.net/v1 is a kind.
`},
		{name: "of a list, below its metadata", file: "a.yaml", in: `
kind: Thing
apiVersion: found.example.net/v1
`, told: "wrong-group: found.example.net"},
		{name: "the last object of many", file: "a.yaml", in: `
apiVersion: found.example.org/v1
kind: Thing
---
kind: Thing
apiVersion: found.example.net/v1

`, told: "wrong-group: found.example.net"},
	})
}
