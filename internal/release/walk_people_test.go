package release

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// approves says yes to a step as a maintainer does who has looked.
func (k *walk) approves(n int) {
	step := k.step(n)
	if step == "announce:mail" || k.record(step) {
		return
	}
	k.watched(0, func(env *Env, _ *wire.Queue) error {
		return On(k.train("v0.2.0"), env).Approve(context.Background(), &env.Env, step, "rita", step == "announce:slack" && len(k.chat.texts()) > 0)
	})
}

// record says whether a step is one that a maintainer would publish again.
func (k *walk) record(step string) bool {
	return strings.HasPrefix(step, "announce:") && len(k.chat.texts()) == 0
}

func (k *walk) skips(n int) {
	group := []string{"catalog", "workloads", "stable:picker"}[n]
	k.watched(0, func(env *Env, _ *wire.Queue) error {
		_, err := On(k.train("v0.2.0"), env).Skip(context.Background(), &env.Env, group, "it is said to", "rita")
		return err
	})
}

// everyone does what cfctl waits for.
func (k *walk) everybody() {
	k.machines()
	for i := range k.fake().Pulls {
		k.merges(i * 4)
	}
}

// machines build what is tagged, and end what was dispatched: a run that finds
// its tag there fails.
func (k *walk) machines() {
	k.locked(func(f *fakeForge) {
		made := map[string]bool{}
		for _, x := range f.Runs {
			if x.Status == "completed" {
				continue
			}
			if made[x.Repo+x.Version] || refsIn(k.t, k.bare(x.Repo))["refs/tags/v"+x.Version] != "" {
				x.Status, x.Result = "completed", "failure"
			}
			made[x.Repo+x.Version] = true
		}
	})
	k.builds()
}

// pull is one of the PRs; nil = there is none.
func (k *walk) pull(n int) *forgetest.Pull {
	pulls := k.fake().Pulls
	if len(pulls) == 0 {
		return nil
	}
	return pulls[len(pulls)-1-n%len(pulls)]
}

// headRepo is where the branch of a PR is.
func headRepo(p *forgetest.Pull) string {
	owner, _, _ := strings.Cut(p.Head, ":")
	_, name := forge.Split(p.Repo)
	return owner + "/" + name
}

// merges merges a PR, where that can be: with a merge commit, or squashed.
func (k *walk) merges(n int) {
	k.locked(func(f *fakeForge) {
		p := k.pull(n / 4)
		if p == nil || p.State != "open" || p.Base != "main" || f.Says.Checks != nil || f.Says.Rules != nil {
			return
		}
		bare, head := k.bare(p.Repo), refsIn(k.t, k.bare(headRepo(p)))["refs/heads/"+p.Branch]
		if head == "" {
			return
		}
		p.SHA = head
		if headRepo(p) != p.Repo {
			k.run(bare, "git", "fetch", "-q", k.bare(headRepo(p)), head)
		}
		cmd := exec.Command("git", "merge-tree", "--write-tree", "main", head)
		cmd.Dir = bare
		tree, err := cmd.Output()
		if err != nil {
			f.Says.Merge = map[string]any{"mergeable": false, "mergeable_state": "dirty"}
			return
		}
		f.Says.Merge = nil
		args := []string{"git", "commit-tree", strings.TrimSpace(string(tree)), "-p", "main", "-m", "Merge"}
		if n%2 == 0 {
			args = append(args, "-p", head)
		}
		p.Merge = k.run(bare, args...)
		k.run(bare, "git", "update-ref", "refs/heads/main", p.Merge)
		at := k.clock.Now()
		p.State, p.MergedAt, f.Unseen = "closed", &at, 0
		if n%4 == 3 {
			k.run(k.bare(headRepo(p)), "git", "update-ref", "-d", "refs/heads/"+p.Branch)
		}
	})
}

func (k *walk) closes(n int) {
	k.locked(func(*fakeForge) {
		if p := k.pull(n); p != nil && p.State == "open" {
			p.State = "closed"
			k.undo = append(k.undo, func() { k.locked(func(*fakeForge) { k.reopen(p) }) })
		}
	})
}

func (k *walk) reopens(n int) {
	k.locked(func(*fakeForge) {
		if p := k.pull(n); p != nil && k.reopen(p) {
			k.undo = append(k.undo, func() { k.closed(p) })
		}
	})
}

func (k *walk) closed(p *forgetest.Pull) {
	k.locked(func(*fakeForge) {
		if p.State == "open" {
			p.State = "closed"
		}
	})
}

// reopen opens a closed PR again, where a forge lets it.
func (k *walk) reopen(p *forgetest.Pull) bool {
	rival := slices.ContainsFunc(k.fake().Pulls, func(o *forgetest.Pull) bool {
		return o != p && o.Repo == p.Repo && o.Head == p.Head && (o.State == "open" || o.Number > p.Number)
	})
	head := refsIn(k.t, k.bare(headRepo(p)))["refs/heads/"+p.Branch]
	if p.State == "open" || p.MergedAt != nil || rival || head == "" {
		return false
	}
	p.State = "open"
	return true
}

func (k *walk) rebases(n int) {
	k.locked(func(*fakeForge) {
		if p := k.pull(n); p != nil && p.State == "open" && p.Base == "main" {
			p.Base = "dev"
			k.undo = append(k.undo, func() { p.Base = "main" })
		}
	})
}

// places are where work branches are.
var places = []string{"orchard/operator", "orchard/sorter", "orchard/community-operators", "downstream/workloads"}

// moves sets a ref, and has it set back unless a user has moved it meanwhile.
func (k *walk) moves(repo, ref, to string) {
	bare := k.bare(repo)
	was := refsIn(k.t, bare)[ref]
	k.setTo(bare, ref, to)
	k.undo = append(k.undo, func() {
		if refsIn(k.t, bare)[ref] == to {
			k.setTo(bare, ref, was)
		}
	})
}

func (k *walk) setTo(bare, ref, to string) {
	if to == "" {
		k.run(bare, "git", "update-ref", "-d", ref)
		return
	}
	k.run(bare, "git", "update-ref", ref, to)
}

// by is a commit of an untrusted author on top of a ref.
func (k *walk) by(repo, base, path string, edit func(string) string) string {
	commit := k.somebody(repo, base, "", path, edit)
	k.strangers = append(k.strangers, stranger{repo, commit})
	return commit
}

// deletesBranch deletes a work branch; the forge closes its PR then.
func (k *walk) deletesBranch(n int) {
	repo := places[n]
	if refsIn(k.t, k.bare(repo))[workBranch] == "" {
		return
	}
	for _, p := range k.fake().Pulls {
		if headRepo(p) == repo && p.State == "open" {
			k.locked(func(*fakeForge) { p.State = "closed" })
			k.undo = append(k.undo, func() { k.locked(func(*fakeForge) { k.reopen(p) }) })
		}
	}
	k.moves(repo, workBranch, "") // which is taken back before that
}

func (k *walk) forces(n int) {
	repo := places[n]
	k.moves(repo, workBranch, k.by(repo, "main", "OTTO", holding("otto\n")))
}

func (k *walk) commits(n int) {
	if repo := places[n]; refsIn(k.t, k.bare(repo))[workBranch] != "" {
		k.setTo(k.bare(repo), workBranch, k.by(repo, workBranch, "REVIEW", func(s string) string { return s + "better\n" }))
	}
}

// spoils changes in a work branch what the release has set.
func (k *walk) spoils(n int) {
	repo := places[n]
	if refsIn(k.t, k.bare(repo))[workBranch] == "" {
		return
	}
	path := []string{"Makefile", "Makefile", ourCSV, "README.md"}[n]
	spoil := strings.NewReplacer("v1.1.0", "v7.7.7", "v0.2.0", "v7.7.7", "registry.example/orchard", "registry.example/otto").Replace
	k.moves(repo, workBranch, k.by(repo, workBranch, path, spoil))
}

func (k *walk) pushes(n int) {
	repo := orchard[n]
	if repo == "orchard/community-operators" {
		repo = "eco/community-operators" // a fork that is ahead is a stop of its own
	}
	k.setTo(k.bare(repo), "refs/heads/main", k.by(repo, "main", "WORK", func(s string) string { return s + "work\n" }))
}

// pushesLines changes on main what the release changes.
func (k *walk) pushesLines(int) {
	const repo = "orchard/operator"
	show := exec.Command("git", "show", "main:Makefile")
	show.Dir = k.bare(repo)
	old, _ := show.Output()
	now := regexp.MustCompile(`(PICKER_VERSION .= v)[0-9.]+`).ReplaceAllString(string(old), "${1}1.0.7")
	k.setTo(k.bare(repo), "refs/heads/main", k.by(repo, "main", "Makefile", holding(now)))
	k.undo = append(k.undo, func() {
		if k.run(k.bare(repo), "git", "show", "main:Makefile") == strings.TrimSpace(now) {
			k.setTo(k.bare(repo), "refs/heads/main", k.by(repo, "main", "Makefile", holding(string(old))))
		}
	})
}

// takesBack takes the last commit off a main branch.
func (k *walk) takesBack(n int) {
	repo := places[n%2]
	parent := exec.Command("git", "rev-parse", "--verify", "-q", "main^1")
	parent.Dir = k.bare(repo)
	if out, err := parent.Output(); err == nil {
		k.moves(repo, "refs/heads/main", strings.TrimSpace(string(out)))
	}
}

var releaseTags = []stranger{{"orchard/picker", "v1.1.0"}, {"orchard/sorter", "v0.4.0"}, {"orchard/sdk", "v2.1.0"}, {"orchard/operator", "v0.2.0"}}

func (k *walk) untags(n int) {
	if x := releaseTags[n]; refsIn(k.t, k.bare(x.repo))["refs/tags/"+x.commit] != "" {
		k.moves(x.repo, "refs/tags/"+x.commit, "")
	}
}

func (k *walk) retags(n int) {
	x := releaseTags[n]
	was := refsIn(k.t, k.bare(x.repo))["refs/tags/"+x.commit]
	k.undo = append(k.undo, func() {
		if was == "" && refsIn(k.t, k.bare(x.repo))["refs/tags/"+x.commit] == "" {
			k.unbuilt(x) // what was built from it goes with it
		}
	})
	k.moves(x.repo, "refs/tags/"+x.commit, k.by(x.repo, k.by(x.repo, "main", "private.txt", holding("private\n")), "private.txt", holding("more\n")))
}

// unbuilt takes the image of a tag away.
func (k *walk) unbuilt(x stranger) {
	ref, err := name.NewTag(k.store + "/" + x.repo + ":" + x.commit)
	if err != nil {
		k.t.Fatal(err)
	}
	_ = remote.Delete(ref) // there may be none
}

// images pushes another image under the tag of a release.
func (k *walk) images(n int) {
	x := releaseTags[[]int{0, 1, 3}[n]]
	if refsIn(k.t, k.bare(x.repo))["refs/tags/"+x.commit] == "" {
		return
	}
	k.built(x.repo, x.commit, strings.Repeat("5", 40), false)
	k.undo = append(k.undo, func() { k.image(x.repo, x.commit) })
}

func (k *walk) drafts(int) {
	if len(k.fake().Releases) > 0 {
		return
	}
	releaseObstacle(true, "").put(k.world)
	k.undo = append(k.undo, func() { k.unrelease(func(x *forgetest.Release) bool { return x.ID == 77 }) })
}

func (k *walk) unrelease(which func(*forgetest.Release) bool) {
	k.locked(func(f *fakeForge) { f.Releases = slices.DeleteFunc(f.Releases, which) })
}

// publishes publishes by hand what cfctl has drafted.
func (k *walk) publishes(int) {
	k.locked(func(f *fakeForge) {
		for _, x := range f.Releases {
			if at := k.clock.Now(); x.Draft && x.ID != 77 {
				x.Draft, x.Published = false, &at
			}
		}
	})
}

func (k *walk) deletesRelease(int) {
	was := slices.Clone(k.fake().Releases)
	k.unrelease(func(*forgetest.Release) bool { return true })
	k.undo = append(k.undo, func() {
		k.locked(func(f *fakeForge) {
			if len(f.Releases) == 0 {
				f.Releases = was
			}
		})
	})
}

// checks turn red, or never begin, or are green again.
func (k *walk) checks(n int) {
	k.locked(func(f *fakeForge) {
		f.Says = []forgetest.Says{
			{Checks: []map[string]any{forgetest.Check("build", "completed", "failure")}},
			{Rules: []map[string]any{forgetest.Requires(15368, "build")}},
			{Checks: []map[string]any{forgetest.Check("build", "in_progress", "")}},
			{},
		}[n]
	})
	k.undo = append(k.undo, func() { k.locked(func(f *fakeForge) { f.Says = forgetest.Says{} }) })
}

// cuts tears the journal off somewhere behind its first record.
func (k *walk) cuts(n int) {
	data, err := os.ReadFile(k.journals[0])
	first := bytes.IndexByte(data, '\n') + 1
	if err != nil || first >= len(data) {
		return
	}
	if err := os.Truncate(k.journals[0], int64(max(first, len(data)-n))); err != nil {
		k.t.Fatal(err)
	}
}

// faults has the forge fail once, at one of the next requests.
func (k *walk) faults(n int) {
	status, left := []int{422, 403, 500, 429, 404, 502}[n%6], n/6
	k.locked(func(f *fakeForge) {
		k.faulty = true
		f.Fault = func(w http.ResponseWriter, r *http.Request) bool {
			if (status == 422 || status == 404) && r.Method == http.MethodGet {
				return false // they say something of what is asked for
			}
			if left--; left >= 0 {
				return false
			}
			k.faulty, f.Fault = false, nil
			reply(w, status, map[string]any{"message": "not today"})
			return true
		}
	})
}

// refuses has a repository refuse what is pushed, until that is undone.
func (k *walk) refuses(n int) {
	bare := k.bare(orchard[n])
	k.run(bare, "git", "config", "receive.hideRefs", "refs")
	k.faulty = true
	k.undo = append(k.undo, func() { k.run(bare, "git", "config", "receive.hideRefs", "refs/none") })
}
