package release

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
)

// sprints is a world in which one release is made after the other.
type sprints struct {
	*world
	journals string
}

// train is the release of the n-th sprint: v0.n.0, with every component a minor
// version further.
func (s *sprints) train(n int) *steps.Train {
	base := s.world.train("v0.2.0")
	t, err := steps.NewTrain(base.Stack, base.Recipe, fmt.Sprintf("v0.%d.0", n), map[string]string{
		"picker": fmt.Sprintf("v1.%d.0", n-1), "sorter": fmt.Sprintf("v0.%d.0", n+2), "sdk": fmt.Sprintf("v2.%d.0", n-1)})
	if err != nil {
		s.t.Fatal(err)
	}
	t.Bundle = testBundle
	return t
}

func (s *sprints) journal(t *steps.Train) string {
	return filepath.Join(s.journals, t.Version+".jsonl")
}

// begin is three weeks in which people have worked: on the components, on other
// operators of the catalog (which leaves the fork behind), and on things of
// their own in the same repositories.
func (s *sprints) begin(n int) {
	s.clock.Pass(21 * 24 * time.Hour)
	more := holding(fmt.Sprintf("sprint %d\n", n))
	for _, repo := range []string{"orchard/picker", "orchard/sorter", "orchard/sdk", "eco/community-operators"} {
		s.somebody(repo, "main", "refs/heads/main", fmt.Sprintf("work/%d", n), more)
	}
	for _, repo := range []string{"orchard/operator", "orchard/community-operators", "downstream/workloads"} {
		s.somebody(repo, "main", fmt.Sprintf("refs/heads/otto/%d", n), "OTTO", more)
	}
	s.run(s.bare("orchard/picker"), "git", "tag", fmt.Sprintf("nightly-%d", n), "main")
}

// look runs once, and returns how far it came, whatever that is.
func (s *sprints) look(t *steps.Train, pick Choices) *Result {
	s.t.Helper()
	env, _ := s.env(s.journal(t))
	defer env.Journal.Close()
	r, err := On(t, env).Run(context.Background(), &env.Env, pick)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// catalogue is what each bundle of the catalog replaces, in order.
func (s *sprints) catalogue() string {
	var list []string
	folder := "main:operators/orchard-operator"
	for version := range strings.Lines(s.run(s.bare("eco/community-operators"), "git", "ls-tree", "-d", "--name-only", folder)) {
		version = strings.TrimSpace(version)
		csv := s.run(s.bare("eco/community-operators"), "git", "show", folder+"/"+version+"/manifests/orchard-operator.clusterserviceversion.yaml")
		_, replaces, _ := strings.Cut(csv, "replaces: orchard-operator.v")
		replaces, _, _ = strings.Cut(replaces, "\n")
		list = append(list, version+">"+replaces)
	}
	return strings.Join(list, " ")
}

// digest is what an image tag represents.
func (s *sprints) digest(repo, tag string) string {
	ref, _ := name.NewTag(s.store + "/" + repo + ":" + tag)
	d, err := remote.Head(ref, s.reach())
	if err != nil {
		s.t.Fatal(err)
	}
	return d.Digest.String()
}

// verified fails the test when a release is not as it was released, and returns
// the notes.
func (s *sprints) verified(t *steps.Train) (notes []string) {
	s.t.Helper()
	return s.verifiedAt(t, s.journal(t))
}

// verifiedAt is verified with another journal.
func (s *sprints) verifiedAt(t *steps.Train, journal string) (notes []string) {
	s.t.Helper()
	env, _ := s.env(journal)
	defer env.Journal.Close()
	findings, err := On(t, env).Verify(context.Background(), &env.Env)
	if err != nil {
		s.t.Fatalf("verify %s: %v", t.Version, err)
	}
	for _, f := range findings {
		if f.Severity != report.Note {
			s.t.Errorf("verify %s: %s: %s", t.Version, f.Rule, f.Message)
		}
		notes = append(notes, f.Message)
	}
	return notes
}

// Four sprints in a row, one of them aborted and repeated, and a hotfix of the
// first line at the end: with a fork that is behind each time, branches, tags
// and drafts of other people, edits by hand and a server that refuses. Every
// release replaces the one before, nothing goes backwards, and all of them are
// as they were released.
func TestReleasesInARow(t *testing.T) {
	t.Parallel()
	s := &sprints{newWorld(t), t.TempDir()}
	f := s.forge.(*fakeForge)
	to := func(n int) func() *steps.Train { return func() *steps.Train { return s.train(n) } }

	// The first sprint, undisturbed.
	s.begin(2)
	arrive(t, s.world, to(2), s.journal(s.train(2)))

	// The second: a policy refuses the tag, a user has drafted the release,
	// and a user adds to the PR.
	s.begin(3)
	s.run(s.bare("orchard/picker"), "git", "config", "receive.hideRefs", "refs/tags")
	if o := s.look(s.train(3), Choices{Who: "rita", Only: "tag:picker"}).Of("tag:picker"); o.State != Conflict || o.Reason != why.PushRefused || !strings.Contains(o.Text, "deny updating a hidden ref") {
		t.Errorf("a refusing server: %s: %s", o.State, o.Text)
	}
	s.run(s.bare("orchard/picker"), "git", "config", "--unset", "receive.hideRefs")
	draft := &forgetest.Release{Repo: "orchard/operator", ID: 33, Tag: "v0.3.0", Name: "Harvest", Body: "by hand", Draft: true}
	f.Releases = append(f.Releases, draft)
	var r *Result
	for range 8 {
		if r, _ = once(t, s.world, s.train(3), s.journal(s.train(3)), yes); stoppedAt(r) != "" {
			break
		}
		if branch := "refs/heads/cfctl/release-v0.3.0"; r.Of("operator-branch").State == Done && r.Of("operator-merged").State == Waiting {
			s.somebody("orchard/operator", branch, branch, "NEWS", holding("sprint 3\n"))
		}
		s.play()
	}
	if at := stoppedAt(r); at != steps.ReleaseStep || draft.Body != "by hand" {
		t.Fatalf("stopped at %q, the draft says %q", at, draft.Body)
	}
	f.Releases = slices.DeleteFunc(f.Releases, func(x *forgetest.Release) bool { return x == draft })
	arrive(t, s.world, to(3), s.journal(s.train(3)))
	if news := s.run(s.bare("orchard/operator"), "git", "show", "v0.3.0:NEWS"); news != "sprint 3" {
		t.Errorf("what was added to the PR: %q", news)
	}

	// The third is aborted when its PR is merged already, mended, and repeated.
	s.begin(4)
	for try := 0; try < 6 && s.look(s.train(4), Choices{Who: "rita"}).Of("operator-merged").State != Done; try++ {
		s.play()
	}
	env, _ := s.env(s.journal(s.train(4)))
	if _, err := On(s.train(4), env).Abort(context.Background(), &env.Env, "rita"); err != nil {
		t.Fatal(err)
	}
	env.Journal.Close()
	fix := s.somebody("orchard/operator", "main", "refs/heads/main", "MENDED", holding("mended\n"))
	arrive(t, s.world, to(4), s.journal(s.train(4)))
	if at := s.run(s.bare("orchard/operator"), "git", "rev-parse", "v0.4.0^{commit}"); at != fix {
		t.Errorf("v0.4.0 is at %.7s, and main was mended as %.7s", at, fix)
	}

	// A hotfix of the first line: the catalog would get a second head, which a
	// person takes out of it, with the reason.
	s.run(s.bare("orchard/operator"), "git", "branch", "release-v0.2", "v0.2.0^{commit}")
	s.run(s.bare("orchard/picker"), "git", "branch", "release-v1.1", "v1.1.0^{commit}")
	s.somebody("orchard/picker", "release-v1.1", "refs/heads/release-v1.1", "FIX", holding("fix\n"))
	document := s.run(s.bare("downstream/workloads"), "git", "rev-parse", "main")
	hot := s.hotfix()
	env, _ = s.env(s.journal(hot))
	if _, err := On(hot, env).Skip(context.Background(), &env.Env, "catalog", "the z stream of v0.2 has no channel", "rita"); err != nil {
		t.Fatal(err)
	}
	env.Journal.Close()
	r = arrive(t, s.world, s.hotfix, s.journal(hot))
	if hot.Version != "v0.2.1" || !strings.Contains(r.Of("catalog-merged").Text, "skipped by rita: the z stream") {
		t.Errorf("%s: catalog-merged: %s", hot.Version, r.Of("catalog-merged").Text)
	}
	if now := s.run(s.bare("downstream/workloads"), "git", "rev-parse", "main"); now != document || r.Of("workloads-branch").Facts["nothing"] == "" {
		t.Errorf("the document: %s", r.Of("workloads-branch").Text)
	}
	if have, want := s.digest("orchard/picker", "stable"), s.digest("orchard/picker", "v1.3.0"); have != want {
		t.Errorf("the stable picker went back to %.19s", have)
	}
	if status, _ := ReadStatus(hot.Version, mustRead(t, s.journal(hot))); !slices.ContainsFunc(status.Steps, func(st StepStatus) bool { return strings.Contains(st.Text, "has no channel") }) {
		t.Error("the status does not tell why the catalog was skipped")
	}

	// The fourth, after the hotfix.
	s.begin(5)
	arrive(t, s.world, to(5), s.journal(s.train(5)))

	if got, want := s.catalogue(), "0.1.0> 0.2.0>0.1.0 0.3.0>0.2.0 0.4.0>0.3.0 0.5.0>0.4.0"; got != want {
		t.Errorf("the catalog is %s\nwant %s", got, want)
	}
	if readme := s.run(s.bare("downstream/workloads"), "git", "show", "main:README.md"); !strings.Contains(readme, "v0.5.0") || !strings.Contains(readme, "v2.4.0") {
		t.Errorf("the document says:\n%s", readme)
	}
	for _, repo := range orchard[:3] {
		newest := map[string]string{"orchard/operator": "v0.5.0", "orchard/picker": "v1.4.0", "orchard/sorter": "v0.7.0"}[repo]
		if s.digest(repo, "stable") != s.digest(repo, newest) {
			t.Errorf("the stable tag of %s is not %s", repo, newest)
		}
	}
	if n, m := len(s.chat.texts()), len(s.mail.ids()); n != 5 || m != 5 {
		t.Errorf("%d messages and %d mails of 5 releases", n, m)
	}
	for _, n := range []int{2, 3, 4, 5} {
		if notes := s.verified(s.train(n)); len(notes) > 0 {
			t.Errorf("v0.%d.0: %q", n, notes)
		}
	}
	if notes := s.verified(hot); len(notes) != 3 || !strings.Contains(notes[0], "has no channel") {
		t.Errorf("%s: %q", hot.Version, notes)
	}
	for _, repo := range []string{"orchard/operator", "orchard/community-operators", "downstream/workloads"} {
		if got := s.run(s.bare(repo), "git", "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/otto"); got != "otto/2\notto/3\notto/4\notto/5" {
			t.Errorf("branches of others in %s: %q", repo, got)
		}
	}
}

// hotfix is the z stream of the first line, with a fix of the picker.
func (s *sprints) hotfix() *steps.Train {
	s.t.Helper()
	env, _ := s.env(filepath.Join(s.t.TempDir(), "none.jsonl"))
	defer env.Journal.Close()
	base := s.train(2)
	t, err := steps.NewHotfix(context.Background(), base.Stack, base.Recipe, env.Git, "picker", "v0.2.0", "release-{minor}", base.Versions)
	if err != nil {
		s.t.Fatal(err)
	}
	t.Bundle = testBundle
	return t
}
