package release

import (
	"context"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/release/why"
)

// moreAdversaries are cases of TestAdversaries.
var moreAdversaries = map[string]func(t *testing.T, a *adversary){
	"a component is retired and releases with it are verified": func(t *testing.T, a *adversary) {
		a.arrive(2)
		a.recipe = func(config string) string {
			return strings.NewReplacer("    - name: sorter\n", "    - name: sorter\n      until: v0.3.0\n", "    - {name: sorter}\n", "    - {name: sorter, until: v0.3.0}\n").Replace(config)
		}
		a.verifies(2)
		a.begin(3)
		if r := a.arrive(3); r.Of("tag:sorter") != nil {
			t.Error("it is released")
		}
		a.verifies(2)
		a.verifies(3)
	},
	"the PR that declares a release is closed and a higher version is needed": func(t *testing.T, a *adversary) {
		a.somebody("orchard/operator", "main", "refs/heads/main", ".cfctl.yaml", holding("matrix:\n  releases:\n    - version: v0.1.0\n      components:\n        - {name: operator, version: v0.1.0}\n"))
		open := func(version string) (r RowOpened) {
			a.on(2, func(made *steps.Train, env *Env) (err error) {
				row := matrix.Release{Version: version, Components: []matrix.Pin{{Name: "operator", Version: version}}}
				r, err = RowOf(made.Recipe, "orchard/operator", "Declare Orchard "+version, "", "main", row).Open(context.Background(), env.Git, env.Forge)
				return err
			})
			return r
		}
		if r := open("v0.2.0"); !r.Fresh {
			t.Fatalf("%+v", r)
		}
		pulls := a.forge.(*fakeForge)
		pulls.Pulls[0].State = "closed"
		a.world.run(a.bare("orchard/operator"), "git", "branch", "-D", "cfctl/release-v0.2.0-row")
		if r := open("v0.2.0"); r.Fresh || r.Pull.Open || len(pulls.Pulls) != 1 {
			t.Errorf("what somebody has closed: %+v", r)
		}
		if r := open("v0.3.0"); !r.Fresh || !r.Pull.Open {
			t.Errorf("a higher version: %+v", r)
		}
	},
	"a force-push drops the commit that a component was tagged at": func(t *testing.T, a *adversary) {
		a.until(2, "built:picker", Done)
		was := a.world.run(a.bare("orchard/picker"), "git", "rev-parse", "v1.1.0^{commit}")
		a.set("orchard/picker", "refs/heads/main", a.world.run(a.bare("orchard/picker"), "git", "commit-tree", "main^{tree}", "-m", "Begin anew"))
		a.arrive(2)
		if now := a.world.run(a.bare("orchard/picker"), "git", "rev-parse", "v1.1.0^{commit}"); now != was {
			t.Errorf("v1.1.0 is at %.7s now", now)
		}
		if notes := a.verified(a.of(2)); len(notes) != 1 || !strings.Contains(notes[0], "main of orchard/picker does not have the commit") {
			t.Errorf("%q", notes)
		}
	},
	"a component is added in the second release": func(t *testing.T, a *adversary) {
		first := func(config string) string {
			return strings.NewReplacer("    - name: sorter\n", "    - name: sorter\n      from: v0.3.0\n", "    - {name: sorter}\n", "    - {name: sorter, from: v0.3.0}\n").Replace(config)
		}
		a.recipe = first
		if r := a.arrive(2); r.Of("tag:sorter") != nil {
			t.Error("it is released before it is added")
		}
		a.begin(3)
		if r := a.arrive(3); r.Of("tag:sorter") == nil {
			t.Error("it is not released")
		}
		a.verifies(2)
		a.verifies(3)
	},
	"two people declare different versions": func(t *testing.T, a *adversary) {
		a.until(2, "built:picker", Done)
		other := a.of(2)
		other.Versions["picker"] = "v2.0.0"
		if o := a.look(other, Choices{Who: "otto"}).Of("tag:picker"); o.Reason != why.Versions {
			t.Errorf("%s %s: %s", o.State, o.Reason, o.Text)
		}
		a.arrive(2)
		a.verifies(2)
	},
}
