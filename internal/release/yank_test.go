package release

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/train"
)

// yank runs the yank of a release once.
func (a *adversary) yank(n int, reason string) *Result {
	a.t.Helper()
	made := a.of(n)
	made.Steps() // as after Compile
	was, err := train.ReadJournal(a.journal(made))
	if err == nil {
		err = Yank(made, was, reason)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	env, _ := a.env(filepath.Join(a.journals, YankOf(made.Version)+".jsonl"))
	defer env.Journal.Close()
	r, err := Run(context.Background(), made, env, train.Choices{Who: "rita"})
	if err != nil {
		a.t.Fatal(err)
	}
	return r
}

// A yank takes a release back from its users, once, without taking anything from the next
// release or from what others have done since; the release is not made again.
func TestYank(t *testing.T) {
	t.Parallel()
	a := newAdversary(t)
	a.recipe = func(config string) string {
		return strings.Replace(config, "    path: operators/orchard-operator\n", "    path: operators/orchard-operator\n    deprecations: catalog/deprecations.yaml\n", 1)
	}
	if err := Yank(a.of(2), nil, "x"); err == nil || !strings.Contains(err.Error(), "is not complete") {
		t.Fatal(err)
	}
	before := map[string]string{}
	for _, repo := range orchard[:3] {
		before[repo] = a.digest(repo, "stable")
	}
	document := a.world.run(a.bare("downstream/workloads"), "git", "show", "main:README.md")
	a.arrive(2)
	tags := a.world.run(a.bare("orchard/operator"), "git", "for-each-ref", "refs/tags")
	a.somebody("downstream/workloads", "main", "refs/heads/main", "MORE", holding("work goes on\n"))
	a.somebody("eco/community-operators", "main", "refs/heads/main", "catalog/deprecations.yaml",
		holding("# what not to use\nschema: olm.deprecations\npackage: orchard-operator\nentries:\n- reference: {schema: olm.bundle, name: orchard-operator.v0.0.9}\n  message: too old\n"))

	var r *Result
	for range 6 {
		if r = a.yank(2, "it loses apples"); r.Complete() {
			break
		}
		a.play()
	}
	if !r.Complete() {
		t.Fatalf("it does not arrive: %s", at(r))
	}
	for _, repo := range orchard[:3] {
		if a.digest(repo, "stable") != before[repo] {
			t.Errorf("the stable image of %s is not what it was", repo)
		}
	}
	f := a.forge.(*fakeForge)
	if got := f.Releases[len(f.Releases)-1]; !got.Pre || !strings.HasPrefix(got.Body, "> **Yanked**: it loses apples\n\n") {
		t.Errorf("the release is shown so: %+v", got)
	}
	if now := a.world.run(a.bare("downstream/workloads"), "git", "show", "main:README.md"); now != document {
		t.Errorf("the document says\n%s", now)
	}
	text := a.world.run(a.bare("eco/community-operators"), "git", "show", "main:catalog/deprecations.yaml")
	if !strings.HasPrefix(text, "# what not to use\n") || strings.Count(text, "- reference:") != 2 || !strings.Contains(text, "name: orchard-operator.v0.2.0\n") || !strings.Contains(text, "was yanked: it loses apples") {
		t.Errorf("the catalog says\n%s", text)
	}
	if now := a.world.run(a.bare("orchard/operator"), "git", "for-each-ref", "refs/tags"); now != tags {
		t.Errorf("the tags are %s", now)
	}

	seen := a.witness()
	if again := a.yank(2, "it loses apples"); !again.Complete() || a.witness() != seen {
		t.Errorf("a second yank: %s", at(again))
	}
	env, _ := a.env(a.journal(a.of(2)))
	_, err := Run(context.Background(), a.of(2), env, train.Choices{Who: "job"})
	var yanked *YankedError
	if !errors.As(err, &yanked) || !strings.Contains(err.Error(), "by rita since") || !strings.Contains(err.Error(), "it loses apples") || a.witness() != seen {
		t.Errorf("the release is run: %v", err)
	}
	if _, err := Verify(context.Background(), a.of(2), env); !errors.As(err, &yanked) {
		t.Errorf("the release is verified: %v", err)
	}
	a.begin(3)
	a.arrive(3)
	a.verifies(3)
	if a.digest("orchard/picker", "stable") != a.digest("orchard/picker", "v1.2.0") {
		t.Error("the next release is not the stable one")
	}
}
