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
