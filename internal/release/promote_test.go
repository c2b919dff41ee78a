package release

import (
	"strings"
	"testing"
)

// A pre-release is promoted as it is: at the same commits and with the same images, also
// where work has gone on since.
func TestPromotion(t *testing.T) {
	t.Parallel()
	a := newAdversary(t)
	full := a.train(2)
	of := func(name string) string { return full.Versions[name] + "-rc.1" }
	pre := func() *Train {
		made, err := newTrain(full.stack, a.train(2).recipe, "v0.2.0-rc.1", map[string]string{"picker": of("picker"), "sorter": of("sorter"), "sdk": full.Versions["sdk"]})
		if err != nil {
			t.Fatal(err)
		}
		made.Bundle = testBundle
		return made
	}
	final := func() *Train {
		made := a.train(2)
		made.Steps() // as after Compile
		if err := made.Promote("v0.2.0-rc.1"); err != nil {
			t.Fatal(err)
		}
		return made
	}
	for _, wrong := range []string{"v0.2.0", "v0.3.0-rc.1", "v0.1.0"} {
		if err := full.Promote(wrong); err == nil {
			t.Errorf("%s is promoted as v0.2.0", wrong)
		}
	}
	if o := a.look(final(), Choices{Who: "job"}).Of("tag:picker"); o.Err == nil || !strings.Contains(o.Err.Error(), "promotes v0.2.0-rc.1, which is not complete") {
		t.Errorf("before the pre-release: %s %v", o.Text, o.Err)
	}
	arrive(t, a.world, pre, a.journal(pre()))
	for _, repo := range []string{"orchard/picker", "orchard/sorter"} {
		a.somebody(repo, "main", "refs/heads/main", "MORE", holding("work goes on\n"))
	}
	r := arrive(t, a.world, final, a.journal(final()))
	for name, repo := range map[string]string{"picker": "orchard/picker", "sorter": "orchard/sorter"} {
		tag := func(v string) string { return a.world.run(a.bare(repo), "git", "rev-parse", v+"^{commit}") }
		if tag(of(name)) != tag(full.Versions[name]) {
			t.Errorf("%s is tagged at another commit", name)
		}
		if a.digest(repo, of(name)) != a.digest(repo, full.Versions[name]) || a.digest(repo, "stable") != a.digest(repo, of(name)) {
			t.Errorf("%s has another image", name)
		}
		if r.Of(name+"-pins-pr") != nil {
			t.Errorf("%s gets a PR", name)
		}
	}
	a.verified(final())
}
