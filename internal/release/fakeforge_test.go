package release

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
)

// A fakeForge answers the part of GitHub's API that a train uses, from memory
// and from the world's git repositories. It exists for speed and for faults;
// the end-to-end tests run on an emulator that this project did not write.
type fakeForge struct {
	server *httptest.Server
	world  *world
	scopes string
	tells  bool // a dispatch is answered with the run's id
	others int  // runs of somebody else that begin with every dispatch
	late   int  // how often a list is read without what was made last

	mu       sync.Mutex
	pulls    []*fakePull
	releases []*fakeRelease
	latest   map[string]int64 // release that is shown as the latest, by repository
	runs     []*fakeRun
	issues   []map[string]any                                  // of any repository
	comments []map[string]any                                  // on any issue
	faults   func(w http.ResponseWriter, r *http.Request) bool // true: it has answered
	log      []string
	forks    []string // "UPSTREAM FORK"
	said     forgeSays
	unseen   int // reads of a list that do not show the last release or PR yet
}

type fakePull struct {
	repo, head, branch, base, title string
	number                          int
	state, merge, sha               string
	mergedAt                        *time.Time
}

type fakeRelease struct {
	repo      string
	ID        int64      `json:"id"`
	Tag       string     `json:"tag_name"`
	Target    string     `json:"target_commitish"`
	Name      string     `json:"name"`
	Body      string     `json:"body"`
	Draft     bool       `json:"draft"`
	Pre       bool       `json:"prerelease"`
	Latest    string     `json:"make_latest,omitempty"`
	URL       string     `json:"html_url"`
	Published *time.Time `json:"published_at"`
}

type fakeRun struct {
	repo, workflow, version string
	id                      int64
	head, status, result    string
	title, actor            string
	created                 time.Time
}

func newFakeForge(w *world) *fakeForge {
	f := &fakeForge{world: w, scopes: "repo, workflow", latest: map[string]int64{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /user", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-OAuth-Scopes", f.scopes)
		reply(w, 200, map[string]any{"login": "orchard"})
	})
	mux.HandleFunc("GET /repos/{o}/{r}", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"default_branch": "main", "permissions": map[string]bool{"push": true}})
	})
	mux.HandleFunc("GET /repos/{o}/{r}/branches/{b...}", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 404, map[string]any{"message": "Branch not protected"})
	})
	mux.HandleFunc("GET /repos/{o}/{r}/rules/branches/{b...}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("b") != "main" {
			reply(w, 200, []any{})
			return
		}
		reply(w, 200, notNil(f.said.rules))
	})
	mux.HandleFunc("GET /repos/{o}/{r}/rulesets", func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, []any{}) })
	f.handleChecks(mux)
	mux.HandleFunc("GET /repos/{o}/{r}/pulls", f.listPulls)
	mux.HandleFunc("POST /repos/{o}/{r}/pulls", f.createPull)
	mux.HandleFunc("PATCH /repos/{o}/{r}/pulls/{n}", f.editPull)
	mux.HandleFunc("POST /repos/{o}/{r}/forks", f.fork)
	mux.HandleFunc("POST /repos/{o}/{r}/merge-upstream", f.sync)
	mux.HandleFunc("GET /repos/{o}/{r}/releases", f.listReleases)
	mux.HandleFunc("GET /repos/{o}/{r}/releases/latest", f.latestRelease)
	mux.HandleFunc("POST /repos/{o}/{r}/releases", f.createRelease)
	mux.HandleFunc("PATCH /repos/{o}/{r}/releases/{id}", f.editRelease)
	mux.HandleFunc("DELETE /repos/{o}/{r}/releases/{id}", f.deleteRelease)
	mux.HandleFunc("GET /repos/{o}/{r}/actions/workflows/{w}/runs", f.listRuns)
	mux.HandleFunc("GET /repos/{o}/{r}/actions/runs/{id}", f.getRun)
	mux.HandleFunc("POST /repos/{o}/{r}/actions/workflows/{w}/dispatches", f.dispatch)
	mux.HandleFunc("GET /repos/{o}/{r}/issues", func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, f.issues) })
	mux.HandleFunc("GET /repos/{o}/{r}/issues/{n}", f.getIssue)
	mux.HandleFunc("GET /repos/{o}/{r}/issues/{n}/comments", func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, f.comments) })
	mux.HandleFunc("POST /repos/{o}/{r}/issues/{n}/comments", f.comment)
	f.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.log = append(f.log, r.Method+" "+r.URL.Path)
		if f.faults != nil && f.faults(w, r) {
			return
		}
		mux.ServeHTTP(w, r)
	}))
	w.t.Cleanup(f.server.Close)
	return f
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func repoOf(r *http.Request) string { return r.PathValue("o") + "/" + r.PathValue("r") }

func (p *fakePull) json() map[string]any {
	return map[string]any{
		"number": p.number, "state": p.state, "title": p.title, "html_url": fmt.Sprintf("https://forge.invalid/%s/pull/%d", p.repo, p.number),
		"head": map[string]any{"ref": p.branch, "sha": p.sha}, "base": map[string]any{"ref": p.base}, "merged_at": p.mergedAt, "merge_commit_sha": p.merge,
	}
}

func (f *fakeForge) listPulls(w http.ResponseWriter, r *http.Request) {
	list := []any{}
	shown := f.pulls[:len(f.pulls)-f.hidden(len(f.pulls))]
	for _, p := range slices.Backward(shown) {
		base := r.URL.Query().Get("base")
		if p.repo == repoOf(r) && p.head == r.URL.Query().Get("head") && (base == "" || p.base == base) {
			f.look(p)
			list = append(list, p.json())
		}
	}
	reply(w, 200, list)
}

// hidden is how many of a list's newest are not shown yet.
func (f *fakeForge) hidden(of int) int {
	if f.unseen == 0 || of == 0 {
		return 0
	}
	f.unseen--
	return 1
}

func (f *fakeForge) createPull(w http.ResponseWriter, r *http.Request) {
	var in struct{ Title, Head, Base string }
	json.NewDecoder(r.Body).Decode(&in)
	for _, p := range f.pulls {
		if p.repo == repoOf(r) && p.head == in.Head && p.base == in.Base && p.state == "open" {
			reply(w, 422, map[string]any{"message": "Validation Failed", "errors": []map[string]string{{"message": "A pull request already exists for " + in.Head}}})
			return
		}
	}
	_, branch, _ := strings.Cut(in.Head, ":")
	p := &fakePull{repo: repoOf(r), head: in.Head, branch: branch, base: in.Base, title: in.Title, number: len(f.pulls) + 1, state: "open"}
	f.pulls, f.unseen = append(f.pulls, p), f.late
	reply(w, 201, p.json())
}

func (f *fakeForge) getIssue(w http.ResponseWriter, r *http.Request) {
	for _, i := range f.issues {
		if fmt.Sprint(i["number"]) == r.PathValue("n") {
			reply(w, 200, i)
			return
		}
	}
	reply(w, 404, map[string]any{"message": "Not Found"})
}

func (f *fakeForge) comment(w http.ResponseWriter, r *http.Request) {
	c := map[string]any{"html_url": "https://forge.invalid/comment", "user": map[string]any{"login": "orchard"}}
	json.NewDecoder(r.Body).Decode(&c)
	f.comments = append(f.comments, c)
	reply(w, 201, c)
}

// fork begins a fork, which is there when people have acted: GitHub makes
// forks in the background.
func (f *fakeForge) fork(w http.ResponseWriter, r *http.Request) {
	var in struct{ Organization string }
	json.NewDecoder(r.Body).Decode(&in)
	if in.Organization == "" {
		in.Organization = "orchard" // whose the token is
	}
	f.forks = append(f.forks, repoOf(r)+" "+in.Organization+"/"+r.PathValue("r"))
	reply(w, 202, map[string]any{"full_name": in.Organization + "/" + r.PathValue("r")})
}

// sync brings a branch of the fork to where it is upstream, as GitHub does.
func (f *fakeForge) sync(w http.ResponseWriter, r *http.Request) {
	var in struct{ Branch string }
	json.NewDecoder(r.Body).Decode(&in)
	for _, from := range orchard {
		if _, name, _ := strings.Cut(from, "/"); name == r.PathValue("r") && from != repoOf(r) {
			f.world.run(f.world.bare(repoOf(r)), "git", "fetch", "-q", f.world.bare(from), in.Branch+":"+in.Branch)
			reply(w, 200, map[string]any{"merge_type": "fast-forward", "base_branch": in.Branch})
			return
		}
	}
	reply(w, 404, map[string]any{"message": "Not Found"})
}

// makeForks makes the forks that were asked for.
func (f *fakeForge) makeForks() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range f.forks {
		from, to, _ := strings.Cut(x, " ")
		if _, err := os.Stat(f.world.bare(to)); err != nil {
			f.world.run("", "git", "clone", "-q", "--bare", f.world.bare(from), f.world.bare(to))
			f.world.serve(f.world.bare(to))
		}
	}
}

func (f *fakeForge) editPull(w http.ResponseWriter, r *http.Request) {
	for _, p := range f.pulls {
		if strconv.Itoa(p.number) == r.PathValue("n") {
			p.state = "closed"
			reply(w, 200, p.json())
			return
		}
	}
	reply(w, 404, map[string]any{"message": "Not Found"})
}

func (f *fakeForge) listReleases(w http.ResponseWriter, r *http.Request) {
	list := []*fakeRelease{}
	for _, x := range f.releases[:len(f.releases)-f.hidden(len(f.releases))] {
		if x.repo == repoOf(r) {
			list = append(list, x)
		}
	}
	reply(w, 200, list)
}

func (f *fakeForge) createRelease(w http.ResponseWriter, r *http.Request) {
	x := &fakeRelease{repo: repoOf(r), ID: int64(len(f.releases) + 1)}
	json.NewDecoder(r.Body).Decode(x)
	x.URL = "https://forge.invalid/" + x.repo + "/releases/tag/" + x.Tag
	f.releases, f.unseen = append(f.releases, x), f.late
	reply(w, 201, x)
}

func (f *fakeForge) find(r *http.Request) *fakeRelease {
	for _, x := range f.releases {
		if strconv.FormatInt(x.ID, 10) == r.PathValue("id") {
			return x
		}
	}
	return nil
}

func (f *fakeForge) editRelease(w http.ResponseWriter, r *http.Request) {
	x := f.find(r)
	if x == nil {
		reply(w, 404, map[string]any{"message": "Not Found"})
		return
	}
	draft := x.Draft
	json.NewDecoder(r.Body).Decode(x)
	switch {
	case !x.Draft && !x.Pre && x.Latest != "false":
		f.latest[x.repo] = x.ID
	case f.latest[x.repo] == x.ID:
		delete(f.latest, x.repo)
	}
	if draft && !x.Draft {
		at := time.Date(2026, 3, 2, 13, 0, 0, 0, time.UTC)
		x.Published = &at
	}
	reply(w, 200, x)
}

// latestRelease tells the latest as GitHub does: the one that was made it last,
// else the newest one that was not said to be none.
func (f *fakeForge) latestRelease(w http.ResponseWriter, r *http.Request) {
	for _, x := range slices.Backward(f.releases) {
		id := f.latest[repoOf(r)]
		if x.repo == repoOf(r) && !x.Draft && !x.Pre && (id == x.ID || id == 0 && x.Latest != "false") {
			reply(w, 200, x)
			return
		}
	}
	reply(w, 404, map[string]any{"message": "Not Found"})
}

func (f *fakeForge) deleteRelease(w http.ResponseWriter, r *http.Request) {
	f.releases = slices.DeleteFunc(f.releases, func(x *fakeRelease) bool { return strconv.FormatInt(x.ID, 10) == r.PathValue("id") })
	w.WriteHeader(http.StatusNoContent)
}

func (f *fakeForge) listRuns(w http.ResponseWriter, r *http.Request) {
	list := []any{}
	for _, x := range slices.Backward(f.runs) {
		if x.repo == repoOf(r) && x.workflow == r.PathValue("w") {
			list = append(list, x.json())
		}
	}
	reply(w, 200, map[string]any{"total_count": len(list), "workflow_runs": list})
}

func (x *fakeRun) json() map[string]any {
	return map[string]any{"id": x.id, "status": x.status, "conclusion": x.result, "head_sha": x.head, "head_branch": "main",
		"display_title": x.title, "created_at": x.created, "html_url": x.url(), "actor": map[string]any{"login": x.actor}}
}

func (x *fakeRun) url() string {
	return fmt.Sprintf("https://forge.invalid/%s/actions/runs/%d", x.repo, x.id)
}

func (f *fakeForge) getRun(w http.ResponseWriter, r *http.Request) {
	for _, x := range f.runs {
		if strconv.FormatInt(x.id, 10) == r.PathValue("id") {
			reply(w, 200, x.json())
			return
		}
	}
	reply(w, 404, map[string]any{"message": "Not Found"})
}

func (f *fakeForge) dispatch(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Ref    string
		Inputs map[string]string
	}
	json.NewDecoder(r.Body).Decode(&in)
	head := f.world.run(f.world.bare(repoOf(r)), "git", "rev-parse", in.Ref)
	run := f.begin(repoOf(r), r.PathValue("w"), head)
	run.version = in.Inputs["version"]
	for range f.others {
		f.begin(repoOf(r), r.PathValue("w"), head).actor = "somebody"
	}
	if f.tells {
		reply(w, 200, map[string]any{"workflow_run_id": run.id, "run_url": f.server.URL, "html_url": run.url()})
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// begin starts a run.
func (f *fakeForge) begin(repo, workflow, head string) *fakeRun {
	run := &fakeRun{repo: repo, workflow: workflow, id: int64(len(f.runs) + 100), head: head, status: "queued", title: "release", actor: "orchard", created: f.world.clock.Now()}
	f.runs = append(f.runs, run)
	return run
}

// finish makes the tags that the dispatched workflows would make.
func (f *fakeForge) finish(w *world) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range f.runs {
		if x.status != "completed" {
			x.status, x.result = "completed", "success"
			if x.version == "" {
				continue // somebody's, for something else
			}
			w.run(w.bare(x.repo), "git", "tag", "v"+x.version, x.head)
		}
	}
}

func (f *fakeForge) merge(w *world) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.pulls {
		if p.state != "open" {
			continue
		}
		owner, _, _ := strings.Cut(p.head, ":")
		_, name := forge.Split(p.repo)
		f.look(p)
		p.merge = w.mergeBranch(p.repo, p.base, owner+"/"+name, p.branch)
		at := time.Date(2026, 3, 2, 12, 30, 0, 0, time.UTC)
		p.state, p.mergedAt = "closed", &at
	}
}

func (f *fakeForge) seen() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []string
	for _, p := range f.pulls {
		list = append(list, fmt.Sprintf("PR %s %s->%s %q %s", p.repo, p.head, p.base, p.title, p.state))
	}
	for _, x := range f.releases {
		list = append(list, fmt.Sprintf("release %s %s draft=%v pre=%v latest=%v %s", x.repo, x.Tag, x.Draft, x.Pre, f.latest[x.repo] == x.ID, hash(strings.ReplaceAll(x.Body, f.world.git, ""))))
	}
	for _, c := range f.comments {
		list = append(list, fmt.Sprintf("comment %v", c["body"]))
	}
	for _, x := range f.runs {
		list = append(list, fmt.Sprintf("run %s %s %s %s", x.repo, x.workflow, x.version, x.status))
	}
	slices.Sort(list)
	return list
}

// pullsTo are the PRs to a repository, oldest first.
func (f *fakeForge) pullsTo(repo string) []*fakePull {
	return slices.DeleteFunc(slices.Clone(f.pulls), func(p *fakePull) bool { return p.repo != repo })
}
