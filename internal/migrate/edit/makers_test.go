package edit

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
)

// Without its maker, what one says of its places is said no more.
func TestEveryMaker(t *testing.T) {
	kustomization := []row{{file: "kustomization.yaml", in: "resources:\n- old.example.com_anys.yaml\n"}}
	identifier := []row{{file: "a.go", in: "package a\n\nvar c = client.OldV1().Anys(ns)\n"}}
	half := []row{{file: "PROJECT", in: "domain: example.com\nresources:\n- group: other.example.com\n  kind: Any\n  domain: old.example.com\n"}}
	examples := map[find.Ask][]row{
		find.Permission: permissionRows(), find.Marker: markerRows(), find.Owned: ownedRows(), find.Project: projectRows(),
		find.Typed: clientRows(), find.File: kustomization, find.Client: identifier, find.Half: half,
	}
	b := newBench(t, moves)
	said := func(r row) string {
		b := *b
		b.dual = r.dual
		var all strings.Builder
		for _, o := range b.plan(r.file, r.in) {
			all.WriteString(string(o.Action()) + " " + o.Old + " " + o.New + " " + o.Reason + "\n")
		}
		return all.String()
	}
	for _, ask := range slices.Sorted(maps.Keys(makers)) {
		is := makers[ask]
		matters := slices.ContainsFunc(examples[ask], func(r row) bool {
			with := said(r)
			makers[ask] = func(*maker, *find.Site) {}
			without := said(r)
			makers[ask] = is
			return with != without
		})
		if !matters {
			t.Errorf("nothing tells that the maker of %d is missing", ask)
		}
	}
}
