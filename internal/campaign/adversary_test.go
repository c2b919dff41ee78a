package campaign

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
)

// adversaries are what happens to campaigns, one case each.
var adversaries = map[string]func(t *testing.T, w *world){
	"main moves between work and open": func(t *testing.T, w *world) {
		p := w.plan()
		w.work(p)
		worked := w.result(p, "acme/r00")
		w.commit("acme/r00", "main", map[string]string{"more.md": "work goes on\n"})
		w.git(w.bare("acme/r01"), "update-ref", "refs/heads/main", w.git(w.bare("acme/r01"), "commit-tree", "main^{tree}", "-m", "Begin anew"))
		within := func(o *Open) { o.Budget = Budget{3, 3} }
		began := w.clock()
		if n := w.run(p, within); n != 3 || w.clock().Sub(began) >= time.Hour {
			t.Errorf("opened %d in %s: a repository that is not opened takes from the budget", n, w.clock().Sub(began))
		}
		if pull := w.forge.Newest("acme/r00"); pull == nil || pull.SHA != worked.Commit || w.stages()["acme/r00"] != Opened {
			t.Errorf("a branch that went on: %+v", pull)
		}
		st, err := Count(t.Context(), w.open())
		if err != nil || w.stages()["acme/r01"] != Stale || !st.Left || w.forge.Newest("acme/r01") != nil {
			t.Errorf("a history that was rewritten: %v, %v", w.stages(), err)
		}
		if i := slices.IndexFunc(st.Rows, func(r Row) bool { return r.Name == "acme/r01" }); i < 0 || !strings.Contains(st.Rows[i].Text, "the default branch no longer has the commit that work read") {
			t.Errorf("the status says %+v", st.Rows)
		}
		w.pass(time.Hour)
		w.work(p)
		if n := w.run(p, within); n != 1 || w.stages()["acme/r01"] != Opened {
			t.Errorf("after the next work: opened %d, %v", n, w.stages())
		}
	},
	"interrupted at each pause and run again": func(t *testing.T, w *world) {
		p := w.plan()
		w.work(p)
		for {
			ctx, cancel := context.WithCancel(t.Context())
			n, err := w.opens(func(o *Open) {
				o.Sleep = func(context.Context, time.Duration) error {
					cancel()
					w.pass(time.Hour)
					return ctx.Err()
				}
				o.Budget = Budget{1, 1}
			}).Run(ctx, p)
			cancel()
			if err == nil && n == 0 {
				break
			}
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		if len(w.forge.Pulls) != 4 {
			t.Errorf("%d pull requests in 4 repositories", len(w.forge.Pulls))
		}
		for name, stage := range w.stages() {
			if stage != Opened {
				t.Errorf("%s is %s", name, stage)
			}
		}
	},
	"an empty repository": func(t *testing.T, w *world) {
		w.git(w.bare("acme/r02"), "update-ref", "-d", "refs/heads/main")
		p := w.plan()
		w.work(p)
		if n := w.run(p); n != 3 {
			t.Errorf("opened %d", n)
		}
		if st, err := Count(t.Context(), w.open()); err != nil || st.Counts["empty"] != 1 {
			t.Errorf("%+v, %v", st.Counts, err)
		}
	},
	"files of every kind": func(t *testing.T, w *world) {
		const windows, pointer = "# a: \r\napiVersion: mcad.ibm.com/v1beta1\r\nkind: AppWrapper\r\n", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n"
		w.imports("acme/kinds", file("100644", "a.yaml", oldManifest), file("100755", "run.yaml", oldManifest), file("100644", "windows.yaml", windows),
			file("100644", "pointer.yaml", pointer), file("120000", "link.yaml", "a.yaml"), file("120000", "out.yaml", "../../etc/passwd"), "M 160000 "+strings.Repeat("7", 40)+" module\n")
		p := w.plan(only("acme/kinds"))
		w.work(p)
		if r := w.result(p, "acme/kinds"); r.State != Changed || strings.Join(r.Paths, " ") != "a.yaml run.yaml windows.yaml" {
			t.Errorf("%s %s: %q %s", r.State, r.Class, r.Paths, r.Text)
		}
		w.run(p)
		bare := w.bare("acme/kinds")
		if got := w.git(bare, "diff", "--raw", "--abbrev=1", "--format=", "main", p.Branch()); strings.Count(got, "\n") != 2 || strings.Count(got, ":100644 100644") != 2 || !strings.Contains(got, ":100755 100755") {
			t.Errorf("the commit changes\n%s", got)
		}
		if got, want := w.git(bare, "show", p.Branch()+":windows.yaml"), strings.TrimSpace(strings.Replace(windows, "mcad.ibm.com", "workload.codeflare.dev", 1)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	},
}

// After each case the state is right, and nothing is done twice.
func TestAdversaries(t *testing.T) {
	for name, play := range adversaries {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.seed(4)
			play(t, w)
		})
	}
}

// file is a line of git fast-import that writes a file.
func file(mode, path, text string) string {
	return fmt.Sprintf("M %s inline %s\ndata %d\n%s\n", mode, path, len(text), text)
}

// imports makes a repository with one commit of such lines.
func (w *world) imports(name string, files ...string) {
	w.t.Helper()
	w.git(".", "init", "-q", "--bare", "-b", "main", w.bare(name))
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = w.bare(name), strings.NewReader("commit refs/heads/main\ncommitter P <p@example.com> 1700000000 +0000\ndata 3\none\n"+strings.Join(files, ""))
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git fast-import: %v\n%s", err, out)
	}
	w.forge.Add(name)
}

// only leaves one repository in a plan.
func only(name string) func(*Plan) {
	return func(p *Plan) {
		p.Repositories = slices.DeleteFunc(p.Repositories, func(r Repository) bool { return r.Name != name })
	}
}

// A worker may write its shard only: a tree of few objects that is billions of files is not read,
// and the results of others are. Work makes the shard anew.
func TestShardOfManyFiles(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	p := w.plan()
	w.work(p)
	tree := w.git(w.store, "rev-parse", "refs/cfctl/campaigns/groups/plan^{tree}")
	for range 9 {
		lines := ""
		for i := range 10 {
			lines += fmt.Sprintf("040000 tree %s\td%d\n", tree, i)
		}
		cmd := exec.Command("git", "mktree")
		cmd.Dir, cmd.Stdin = w.store, strings.NewReader(lines)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		tree = strings.TrimSpace(string(out))
	}
	bomb := w.git(w.store, "commit-tree", "-m", "many", tree)
	w.git(w.store, "update-ref", "refs/cfctl/campaigns/groups/shards/0001", bomb)
	if r := w.result(p, "acme/r00"); r.State != Changed {
		t.Errorf("with a shard of many files: %+v", r)
	}
	w.git(w.store, "update-ref", "refs/cfctl/campaigns/groups/shards/0000", bomb)
	if all, err := w.open().Results(t.Context(), p); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	w.work(p)
	if r := w.result(p, "acme/r00"); r.State != Changed {
		t.Errorf("made anew: %+v", r)
	}
	if _, err := w.open().repo.BoundedTree(t.Context(), bomb, mostEntries); !errors.Is(err, git.ErrMore) {
		t.Errorf("got %v", err)
	}
}
