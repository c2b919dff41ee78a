// Package rulestest has the rules that tests of several rooms of a migration share.
package rulestest

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// Kinds are the beginning of a ruleset, up to more rules: a whole group, kinds
// that split one, a version by kind, a kind with another name, one that is gone.
const Kinds = `
name: kinds
rules:
  - {id: whole, from: {group: old.example.com}, to: {group: new.example.org}}
  - {id: split-a, from: {group: split.example.com, kind: Apple, plural: apples}, to: {group: a.example.org}}
  - {id: split-b, from: {group: split.example.com, kind: Berry, plural: berries}, to: {group: b.example.org, version: v2}}
  - {id: version, from: {group: same.example.com, version: v1beta1, kind: Pear, plural: pears}, to: {version: v1}}
  - {id: kind, from: {group: same.example.com, version: v1alpha1, kind: Quince, plural: quinces}, to: {version: v1, kind: Medlar, plural: medlars}}
  - {id: gone, from: {group: gone.example.com, kind: Ghost, plural: ghosts}, removed: nothing takes its place}
`

// Table compiles a ruleset.
func Table(tb testing.TB, text string) *rules.Table {
	tb.Helper()
	set, err := rules.Parse("rules.yaml", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	table, err := rules.Compile([]*rules.Ruleset{set})
	if err != nil {
		tb.Fatal(err)
	}
	return table
}
