package release

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/schedule"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
)

// commit puts a file on the main branch of a repository; no content takes it
// away.
func (w *world) commit(repo, path, content string) {
	w.t.Helper()
	text := &content
	if content == "" {
		text = nil
	}
	w.put(repo, "main", "refs/heads/main", path, text, "Rita Releaser <rita@example.com>", "Change "+path)
}

// TestPreflight breaks the actual state in each way in which a release once went
// wrong; nothing may be written then.
func TestPreflight(t *testing.T) {
	for _, test := range []struct {
		rule, says string
		ruin       func(w *world, train *steps.Train)
	}{
		{"tag-conflict", "v.1.1.0", func(w *world, _ *steps.Train) { w.run(w.bare("orchard/picker"), "git", "tag", "v.1.1.0", "main") }},
		{"tag-conflict", "not merged", func(w *world, _ *steps.Train) { w.run(w.bare("orchard/operator"), "git", "tag", "v0.2.0", "main") }},
		{"tag-conflict", "the tag v0.2.0 would publish it", func(w *world, train *steps.Train) {
			train.Recipe.Forge.Kind = recipe.KindGitea
			releaseObstacle(true, "").put(w)
		}},
		{"token-scope", "lacks the scope repo", func(w *world, _ *steps.Train) { w.forge.(*fakeForge).Scopes = "read:org" }},
		{"token-scope", "lacks the scope workflow", func(w *world, _ *steps.Train) { w.forge.(*fakeForge).Scopes = "repo" }},
		{"token-scope", "does not take the token", func(w *world, _ *steps.Train) {
			w.forge.(*fakeForge).Fault = only("/user", wiretest.Status(401, "Bad credentials"))
		}},
		{"repository", "may not push", func(w *world, _ *steps.Train) {
			w.forge.(*fakeForge).Fault = only("/repos/orchard/picker", func(rw http.ResponseWriter) {
				reply(rw, 200, map[string]any{"permissions": map[string]bool{"push": false}})
			})
		}},
		{"repository", "is archived", func(w *world, _ *steps.Train) {
			w.forge.(*fakeForge).Fault = only("/repos/orchard/picker", func(rw http.ResponseWriter) {
				reply(rw, 200, map[string]any{"archived": true, "permissions": map[string]bool{"push": true}})
			})
		}},
		{"branch-protection", "so that", func(w *world, _ *steps.Train) { w.run(w.bare("orchard/picker"), "git", "branch", "cfctl", "main") }},
		{"branch-protection", "signed commits only", func(w *world, _ *steps.Train) {
			w.forge.(*fakeForge).Fault = only("/repos/orchard/operator/branches/main/protection", func(rw http.ResponseWriter) {
				reply(rw, 200, map[string]any{"required_signatures": map[string]any{"enabled": true}})
			})
		}},
		{"branch-protection", "cannot be pushed", func(w *world, _ *steps.Train) {
			w.forge.(*fakeForge).Fault = only("/repos/orchard/operator/branches/cfctl/release-v0.2.0/protection", func(rw http.ResponseWriter) {
				reply(rw, 200, map[string]any{})
			})
		}},
		{"branch-protection", "cannot be pushed", func(w *world, _ *steps.Train) {
			w.forge.(*fakeForge).Fault = only("/repos/orchard/operator/rules/branches/cfctl/release-v0.2.0", func(rw http.ResponseWriter) {
				reply(rw, 200, []any{map[string]any{"type": "creation"}})
			})
		}},
		{"branch-protection", "signed commits only", func(w *world, _ *steps.Train) {
			w.forge.(*fakeForge).Fault = only("/repos/orchard/operator/rules/branches/main", func(rw http.ResponseWriter) {
				reply(rw, 200, []any{map[string]any{"type": "required_signatures"}})
			})
		}},
		{"branch-protection", "main of eco/community-operators takes signed commits only", func(w *world, _ *steps.Train) {
			w.forge.(*fakeForge).Fault = only("/repos/eco/community-operators/rules/branches/main", func(rw http.ResponseWriter) {
				reply(rw, 200, []any{map[string]any{"type": "required_signatures"}})
			})
		}},
		{"branch-protection", "release.sign is never", func(w *world, train *steps.Train) {
			train.Recipe.Sign = "never"
			w.t.Setenv("GIT_CONFIG_COUNT", "1")
			w.t.Setenv("GIT_CONFIG_KEY_0", "user.signingKey")
			w.t.Setenv("GIT_CONFIG_VALUE_0", "0123456789ABCDEF")
			w.forge.(*fakeForge).Fault = only("/repos/downstream/workloads/rules/branches/main", func(rw http.ResponseWriter) {
				reply(rw, 200, []any{map[string]any{"type": "required_signatures"}})
			})
		}},
		{"tag-missing", "has no tag v3.0.0", func(w *world, train *steps.Train) {
			train.Recipe.Components = slices.DeleteFunc(train.Recipe.Components, func(b recipe.Build) bool { return b.Name == "sorter" })
			train.Versions["sorter"] = "v3.0.0"
		}},
		{"tag-missing", "Go looks for github.com/orchard/picker/api v1.1.0 at the tag api/v1.1.0 of orchard/picker, and only v1.1.0 is made", func(_ *world, train *steps.Train) {
			c, _ := train.Stack.Component("picker")
			c.Module = stack.Module{Path: "github.com/orchard/picker/api", Tag: c.Tag}
		}},
		{"tag-missing", "whether kelp v1.0.0 is released is not known: it has no repository", func(_ *world, train *steps.Train) {
			train.Stack.Components = append(train.Stack.Components, stack.Component{Name: "kelp", Tag: "v{version}"})
			train.Versions["kelp"] = "v1.0.0"
		}},
		{"image-missing", "kelp:v1.0.0 is not there", func(w *world, train *steps.Train) {
			train.Stack.Components = append(train.Stack.Components, stack.Component{Name: "kelp", Repository: "orchard/kelp", Tag: "v{version}",
				Image: stack.Image{Repository: w.reg + "/orchard/kelp", Tag: "v{version}"}})
			train.Versions["kelp"] = "v1.0.0"
		}},
		{"freeze", "harvest", func(_ *world, train *steps.Train) {
			train.Recipe.Freeze = []schedule.Window{{From: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC), Reason: "harvest"}}
		}},
		{"catalog", "does not have v0.1.5", func(w *world, _ *steps.Train) {
			w.run(w.bare("orchard/operator"), "git", "tag", "v0.1.5", "main")
			f := w.forge.(*fakeForge)
			f.Pulls = append(f.Pulls, &forgetest.Pull{Repo: "eco/community-operators", Number: 1, Head: "orchard:cfctl/release-v0.1.5", Branch: "cfctl/release-v0.1.5", Base: "main", State: "open"})
		}},
		{"catalog", "higher than v0.2.0", func(w *world, _ *steps.Train) {
			w.commit("eco/community-operators", "operators/orchard-operator/0.3.0/manifests/x.yaml", "kind: ClusterServiceVersion\nmetadata: {name: orchard-operator.v0.3.0}\nspec: {version: 0.3.0}\n")
		}},
		{"bundle", "no example of Basket", func(w *world, train *steps.Train) {
			train.Bundle = steps.MakeBundle(nil)
			w.commit("orchard/operator", "config/samples/kustomization.yaml", "resources:\n- harvest.yaml\n")
		}},
		{"identity", "not set", func(w *world, _ *steps.Train) {
			for _, v := range []string{"GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
				w.t.Setenv(v, "") // it comes back after the test
				os.Unsetenv(v)
			}
		}},
		{"signing-key", "no key", func(_ *world, train *steps.Train) { train.Recipe.Sign = "always" }},
		{"image-exists", "before its tag", func(w *world, _ *steps.Train) { w.image("orchard/sorter", "other", "v0.4.0") }},
		{"version-order", "which is higher", func(w *world, _ *steps.Train) { w.run(w.bare("orchard/sorter"), "git", "tag", "v0.9.0", "main") }},
		{"announcement", "no webhook", func(*world, *steps.Train) {}},
		{"places", "PICKER_VERSION", func(w *world, _ *steps.Train) {
			w.commit("orchard/operator", "Makefile", "SORTER_VERSION ?= v0.3.0\nSDK_VERSION ?= 2.0.0\n")
		}},
		{"matrix", "Picker v1.1.0 needs Sorter <0.4.0", func(_ *world, train *steps.Train) {
			train.Matrix = &matrix.Config{Rules: []matrix.Rule{{Kind: "pair", Component: "picker", With: "sorter", When: ">=1.1.0", Needs: "<0.4.0"}}}
		}},
	} {
		t.Run(test.rule+" "+test.says, func(t *testing.T) {
			if test.rule != "identity" && test.says != "release.sign is never" { // which set variables
				t.Parallel()
			}
			w := newWorld(t)
			train := w.train("v0.2.0")
			test.ruin(w, train)
			before := w.witness()
			env, _ := w.env(journalIn(t))
			if test.rule == "announcement" {
				env.Chat = nil
			}
			r, err := On(train, env).Run(context.Background(), &env.Env, yes)
			if err != nil {
				t.Fatal(err)
			}
			severity := report.Error
			if strings.HasPrefix(test.says, "whether ") { // the component has no title either
				severity = report.Warning
			}
			if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool {
				return f.Rule == test.rule && f.Severity == severity && strings.Contains(f.Message, test.says)
			}) {
				t.Errorf("not found; findings: %v", r.Findings)
			}
			if after := w.witness(); after != before {
				t.Error("something was done")
			}
		})
	}
}

// What binds others, or other tags, does not stop a release; what the PR's
// branch demands is told.
func TestPreflightTellsOnlyWhatBinds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f, train := w.forge.(*fakeForge), w.train("v0.2.0")
	look := func(fault func(http.ResponseWriter, *http.Request) bool) string {
		f.Fault = fault
		env, _ := w.env(journalIn(t))
		defer env.Journal.Close()
		r, err := On(train, env).Plan(context.Background(), &env.Env)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, f := range r.Findings {
			fmt.Fprintln(&b, f.Severity, f.Rule, f.Message)
		}
		return b.String()
	}
	got := look(only("/repos/orchard/operator/rules/branches/main", func(rw http.ResponseWriter) {
		reply(rw, 200, []any{
			map[string]any{"type": "pull_request", "parameters": map[string]any{"required_approving_review_count": 2}},
			map[string]any{"type": "required_status_checks", "parameters": map[string]any{"required_status_checks": []any{map[string]any{"context": "build"}}}}})
	}))
	if got != "note branch-protection the PR to orchard/operator needs 2 approving review(s) and the checks build\n" {
		t.Errorf("demands: %s", got)
	}
	train.Sprint = matrix.Sprint{Start: "2026-02-16", Weeks: 2} // 2 March is in the second one's first day
	if got := look(nil); got != "" {
		t.Errorf("no freeze: %s", got)
	}
	train.Sprint.Start = "2026-02-17" // the sprint ends on 2 March, a Monday
	if got := look(nil); got != "warning freeze the code freeze of sprint 1 is on until 2026-03-02; its release is due on 2026-03-03\n" {
		t.Errorf("code freeze: %s", got)
	}
	train.Sprint = matrix.Sprint{}
	w.commit("orchard/sorter", ".github/workflows/image.yml", "")
	if got := look(nil); got != "warning image-unbuilt no workflow of orchard/sorter runs when the tag v0.4.0 is pushed: who builds "+w.reg+"/orchard/sorter:v0.4.0?\n" {
		t.Errorf("no builder: %s", got)
	}
}

// only is a fault for requests of one path.
func only(path string, answer func(http.ResponseWriter)) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == path {
			answer(w)
		}
		return r.URL.Path == path
	}
}

// Values that were made to break things are refused before anything is asked,
// or are text like any other.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := w.train("v0.2.0")
	for _, v := range []string{"", "-v1.0.0", "--upload-pack=x", "v1.0", "v.0.0.7", "vv1.0.0", "1.0.0", "v1.0.0\n", "v1.0.0 ", "v1.0.0$(id)", "v1.0.0;id", "../v1.0.0", "v1.0.0/../..", "v1.0.0+build", "v01.0.0", "V1.0.0", "v1.0.0.1"} {
		if _, err := steps.Compile(base.Stack, base.Recipe, v, base.Versions, nil); err == nil {
			t.Errorf("version %q is taken", v)
		}
		versions := map[string]string{"picker": v, "sorter": "v0.4.0", "sdk": "v2.1.0"}
		if _, err := steps.Compile(base.Stack, base.Recipe, "v0.2.0", versions, nil); err == nil {
			t.Errorf("component version %q is taken", v)
		}
	}
	for _, branch := range []string{"--exec=id", "$(touch pwned)", "a\nb", "../../x"} {
		train := w.train("v0.2.0")
		train.Recipe.Components[0].Branch = branch
		env, _ := w.env(journalIn(t))
		r, err := On(train, env).Run(context.Background(), &env.Env, Choices{Only: "tag:picker"})
		if err != nil {
			t.Fatal(err)
		}
		if s := r.Of("tag:picker"); s.State != Conflict {
			t.Errorf("branch %q: %s", branch, s.State)
		}
	}
	train := w.train("v0.2.0")
	train.Stack.Name = "$(touch pwned)\n-Orchard `id`"
	env, _ := w.env(journalIn(t))
	if _, err := On(train, env).Run(context.Background(), &env.Env, Choices{}); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".", w.dir} {
		if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
			t.Fatal("a shell ran")
		}
	}
}

// countingGit counts how often remotes are asked for their refs.
type countingGit struct {
	ports.GitPort
	saw func(repo string) // may be nil
	mu  sync.Mutex
	n   int
}

func (g *countingGit) Heads(ctx context.Context, repo string) (git.Heads, error) {
	g.mu.Lock()
	g.n++
	g.mu.Unlock()
	if g.saw != nil {
		g.saw(repo)
	}
	return g.GitPort.Heads(ctx, repo)
}

// Many repositories with 5,000 tags each: one ls-remote per repository, and of the
// tags those are kept that matter.
func TestPlanOfManyRepositories(t *testing.T) {
	repositories := 40
	if n, err := strconv.Atoi(os.Getenv("CFCTL_REPOSITORIES")); err == nil {
		repositories = n
	}
	w := newWorld(t)
	w.asked = true
	bare := w.bare("orchard/picker")
	head := w.run(bare, "git", "rev-parse", "main")
	var packed strings.Builder
	packed.WriteString("# pack-refs with: peeled fully-peeled sorted \n" + head + " refs/heads/main\n")
	var tags []string
	for i := range 5000 {
		tags = append(tags, fmt.Sprintf("%s refs/tags/v0.%d.%d\n", head, i/10, i%10))
	}
	tags = append(tags, head+" refs/tags/v1.0.0\n")
	slices.Sort(tags)
	packed.WriteString(strings.Join(tags, ""))
	if err := os.WriteFile(filepath.Join(bare, "packed-refs"), []byte(packed.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	os.RemoveAll(filepath.Join(bare, "refs", "tags"))
	os.MkdirAll(filepath.Join(bare, "refs", "tags"), 0o755)
	train := w.train("v0.2.0")
	for i := range repositories {
		name := fmt.Sprintf("c%03d", i)
		if err := os.Symlink(bare, w.bare("orchard/"+name)); err != nil {
			t.Fatal(err)
		}
		train.Stack.Components = append(train.Stack.Components, stack.Component{Name: name, Title: name, Repository: "orchard/" + name, Tag: "v{version}"})
		train.Stack.Places = append(train.Stack.Places, train.Stack.Places[2])
		train.Stack.Places[len(train.Stack.Places)-1].Component = name
		train.Recipe.Components = append(train.Recipe.Components, recipe.Build{Name: name, By: "tag", Branch: "main"})
		train.Versions[name] = "v1.1.0"
	}
	env, _ := w.env(journalIn(t))
	counted := &countingGit{GitPort: env.Git}
	env.Git = counted
	peak := watchHeap()
	began := time.Now()
	before := cpuTime(began)
	r, err := On(train, env).Plan(context.Background(), &env.Env)
	took, cpu := time.Since(began), cpuTime(began)-before
	mb := int(peak() >> 20)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d steps, %d ls-remote in %v (%v of a core, the servers' work included), %d MB of heap", len(r.Steps), counted.n, took, cpu, mb)
	if len(r.Steps) < 20+repositories || mb > 50+repositories/2 || counted.n > repositories+len(orchard) {
		t.Errorf("%d steps, %d MB, %d ls-remote", len(r.Steps), mb, counted.n)
	}
	view := newView(train, env)
	if h, err := view.Heads(context.Background(), "orchard/c000"); err != nil || len(h.Tags) == 0 || len(h.Tags) > 8 {
		t.Errorf("%d of 5,001 tags are kept: %v", len(h.Tags), err)
	}
}

// watchHeap watches how large the heap becomes; calling what it returns ends
// that and gives the bytes.
func watchHeap() (peak func() uint64) {
	runtime.GC() // what other tests left
	done, most := make(chan bool), make(chan uint64)
	go func() {
		var mem runtime.MemStats
		var top uint64
		for tick := time.Tick(20 * time.Millisecond); ; {
			runtime.ReadMemStats(&mem)
			top = max(top, mem.HeapInuse)
			select {
			case <-done:
				most <- top
				return
			case <-tick:
			}
		}
	}()
	return func() uint64 {
		close(done)
		return <-most
	}
}
