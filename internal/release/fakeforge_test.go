package release

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
)

// A fakeForge is the forge of a world, and the people on it. It exists for speed
// and for faults; the end-to-end tests run on an emulator that this project did not
// write.
type fakeForge struct {
	*forgetest.Server
	world *world
}

func newFakeForge(w *world) *fakeForge {
	f := &fakeForge{forgetest.New(w.t, w.dir, w.clock.Now), w}
	f.Login = "orchard"
	return f
}

// makeForks makes the forks that were asked for.
func (f *fakeForge) makeForks() { f.Fork(f.world.serve) }

// finish makes the tags that the dispatched workflows would make.
func (f *fakeForge) finish(w *world) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, x := range f.Runs {
		if x.Status != "completed" {
			complete(w, x, "success")
		}
	}
}

// complete ends a run, with its tag when it is the release's. Two drivers can
// dispatch at once: the run that comes second finds the tag taken, and fails.
func complete(w *world, x *forgetest.Run, result string) {
	if result == "success" && x.Version != "" { // a run without one is somebody's, for something else
		tag := "v" + x.Version
		if refsIn(w.t, w.bare(x.Repo))["refs/tags/"+tag] != "" {
			result = "failure"
		} else {
			w.run(w.bare(x.Repo), "git", "tag", tag, x.Head)
		}
	}
	x.Status, x.Result = "completed", result
}

func (f *fakeForge) merge(*world) {
	f.Mu.Lock()
	var open []*forgetest.Pull
	for _, p := range f.Pulls {
		if p.State == "open" {
			open = append(open, p)
		}
	}
	f.Mu.Unlock()
	for _, p := range open {
		f.Take(p)
	}
}

func (f *fakeForge) seen() []string {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	var list []string
	for _, p := range f.Pulls {
		list = append(list, fmt.Sprintf("PR %s %s->%s %q %s", p.Repo, p.Head, p.Base, p.Title, p.State))
	}
	for _, x := range f.Releases {
		list = append(list, fmt.Sprintf("release %s %s draft=%v pre=%v latest=%v %s", x.Repo, x.Tag, x.Draft, x.Pre, f.Latest[x.Repo] == x.ID, steps.Hash(strings.ReplaceAll(x.Body, f.world.git, ""))))
	}
	for _, c := range f.Comments {
		list = append(list, fmt.Sprintf("comment %v", c["body"]))
	}
	for _, x := range f.Runs {
		list = append(list, fmt.Sprintf("run %s %s %s %s", x.Repo, x.Workflow, x.Version, x.Status))
	}
	slices.Sort(list)
	return list
}

// pullsTo are the PRs to a repository, oldest first.
func (f *fakeForge) pullsTo(repo string) []*forgetest.Pull {
	return slices.DeleteFunc(slices.Clone(f.Pulls), func(p *forgetest.Pull) bool { return p.Repo != repo })
}

// reply answers as the forge does, in its place.
func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
