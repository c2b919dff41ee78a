//go:build e2e

package release

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/release/steps"
)

// A runner is the CI of a stack: each command runs in a fresh clone of the root's
// repository with a fresh cache, and what it prints is all that anyone knows.
type runner struct {
	*world
	hub  *hub
	bin  string
	said string // all that was printed so far, and docs/release.md
	last string // what the last command printed
	runs int
}

func newRunner(t *testing.T) *runner {
	w, g := newRealWorld(t)
	bin, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../../docs/release.md")
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{world: w, hub: w.forge.(*hub), bin: bin, said: string(docs)}
	config := string(w.config())
	config = strings.Replace(config, "matrix:\n", "matrix:\n  sprint: {start: 2026-03-02, weeks: 3}\n", 1)
	from, to := strings.Index(config, "    - version: v0.2.0\n"), strings.Index(config, "\nrelease:\n")
	r.commit(rootRepo, ".cfctl.yaml", config[:from]+config[to+1:])
	r.told(rootRepo)
	g.reset()
	return r
}

const rootRepo = "orchard/operator"

// told lets the forge know what was done in git.
func (r *runner) told(repo string) { r.hub.sync(r.world, repo) }

// job runs one command on a machine of its own, and wants an exit code.
func (r *runner) job(want int, command string) string {
	r.t.Helper()
	args, dir := strings.Fields(command), r.t.TempDir()
	r.run("", "git", "clone", "-q", r.bare(rootRepo), filepath.Join(dir, "tree"))
	cmd := exec.Command(r.bin, args[1:]...)
	cmd.Dir = filepath.Join(dir, "tree")
	cmd.Env = append(os.Environ(), "CI=true", "GITHUB_TOKEN=tok_rel", "GITHUB_API_URL="+r.api, "GITHUB_SERVER_URL="+r.git, "CFCTL_TRUST_CONFIG=true",
		"CFCTL_SLACK_WEBHOOK="+r.hook, "XDG_CACHE_HOME="+dir, "XDG_CONFIG_HOME="+dir, "CFCTL_RELEASE_DISTANCE=0s", "GITHUB_ACTOR=rita", "GITHUB_STEP_SUMMARY=")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	err := cmd.Run()
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		r.t.Fatal(err)
	}
	r.runs++
	r.last = out.String()
	r.said += r.last
	r.t.Logf("$ %s # %v\n%s", command, time.Since(began).Round(time.Millisecond), r.last)
	if want == whenOurs {
		want = 0
		if strings.Contains(r.last, "unblocks: a maintainer of orchard/") || strings.Contains(r.last, "cfctl release approve") {
			want = 1
		}
	}
	if code != want {
		r.t.Fatalf("%s: exit %d, want %d", command, code, want)
	}
	return r.last
}

// whenOurs is exit code 1 where a maintainer of the project has to do what a release
// waits for, and 0 where it waits for others or is complete.
const whenOurs = -1

// obey runs a command that a text has named.
func (r *runner) obey(want int, command string) string {
	r.t.Helper()
	if !strings.Contains(r.said, command) {
		r.t.Fatalf("no text names %q", command)
	}
	return r.job(want, command)
}

var (
	nextLine  = regexp.MustCompile(`(?m)next: +(cfctl release .*)$`)
	abortText = regexp.MustCompile(`cfctl release abort v[0-9a-z.-]+`)
	declared  = regexp.MustCompile(`PR #\d+ declares (v[0-9a-z.-]+)`)
	dueDay    = regexp.MustCompile(`is on (\d{4}-\d\d-\d\d)`)
)

// next is the command that the last text goes on with.
func (r *runner) next() string {
	r.t.Helper()
	all := nextLine.FindAllStringSubmatch(r.last, -1)
	if len(all) == 0 {
		r.t.Fatalf("no next command in\n%s", r.last)
	}
	return strings.TrimSpace(all[len(all)-1][1])
}

// feature changes a component as its developers do between two releases.
func (r *runner) feature(repo, subject string) {
	text := subject + "\n"
	r.put(repo, "main", "refs/heads/main", "src/"+fmt.Sprint(r.runs)+".txt", &text, "Dora <dora@example.com>", subject)
	r.told(repo)
}

// due asks on the days of a sprint whether it is one of a release.
func (r *runner) due(day string) {
	r.t.Helper()
	r.job(1, "cfctl release schedule due --date "+day)
	m := dueDay.FindStringSubmatch(r.last)
	if m == nil {
		r.t.Fatalf("no day in %q", r.last)
	}
	r.job(0, "cfctl release schedule due --date "+m[1])
}

// propose has the next release worked out and declared, and returns the command
// that begins it.
func (r *runner) propose(more string) (version, command string) {
	r.t.Helper()
	ask := "cfctl release propose" + more + " --pr"
	m := declared.FindStringSubmatch(r.job(0, ask))
	if m == nil {
		r.t.Fatal("nothing is declared")
	}
	r.hub.merge(r.world)
	r.job(0, ask)
	return m[1], r.next()
}

// runTrain runs the command that the last text named until the release is there, or
// stops. The PRs to the root are merged when merge says so.
func (r *runner) runTrain(command string, merge bool) {
	r.t.Helper()
	for range 14 {
		r.obey(whenOurs, command)
		if !strings.Contains(r.last, "next:") {
			return
		}
		command = r.next()
		if strings.Contains(command, "--yes") {
			continue
		}
		if open := r.rootPull(); open != nil && !merge {
			r.builds()
			r.hub.mergeThose(r.world, func(p hubPull) bool { return p.Repo != rootRepo })
			if strings.Contains(r.last, "operator-merged") {
				return
			}
			continue
		}
		r.play()
	}
	r.t.Fatal("the release does not arrive")
}

// rootPull is the open PR of a release to the root.
func (r *runner) rootPull() *hubPull {
	for _, p := range r.hub.pulls() {
		if p.Repo == rootRepo && p.State == "open" {
			return &p
		}
	}
	return nil
}

// Nine weeks of a stack on runners that forget everything: three releases by
// schedule, a pre-release, a hotfix of the older line while a release is under way,
// a red check that turns green, a reviewer's commit, a PR that a user closed. No
// command is given that no text has named, and in the end each release is
// announced once, verified, and in one line in the catalog.
func TestNineWeeks(t *testing.T) {
	began := time.Now()
	r := newRunner(t)

	// Weeks 1 to 3: the picker changes, and so what pins it; the SDK does not.
	r.feature("orchard/picker", "feat: pick pears")
	r.due("2026-03-20")
	first, command := r.propose("")
	r.runTrain(command, false)
	pull := r.rootPull()
	r.hub.check(r.world, rootRepo, pull.SHA, "e2e", "failure")
	if out := r.obey(1, command); !strings.Contains(out, "check e2e ended with failure") || !strings.Contains(out, "push a commit that fixes it to "+pull.Head) {
		t.Errorf("a red check: %s", out)
	}
	r.put(rootRepo, pull.Head, "refs/heads/"+pull.Head, "docs/REVIEW", new(string), "Anna <anna@example.com>", "Mend what the check has found")
	r.told(rootRepo)
	r.hub.check(r.world, rootRepo, r.rootPull().SHA, "e2e", "success")
	if out := r.obey(whenOurs, command); !strings.Contains(out, "1 check passed") {
		t.Errorf("a green check: %s", out)
	}
	r.runTrain(r.next(), true)

	// Weeks 4 to 6: a pre-release, then a release whose PR a user closes, so that
	// it is aborted and begun again; while it waits, the line before gets a fix.
	r.feature("orchard/picker", "feat: pick plums")
	pre, command := r.propose(" --pre rc")
	r.runTrain(command, true)
	r.due("2026-04-09")
	second, command := r.propose("")
	r.runTrain(command, false)
	r.hub.close(*r.rootPull())
	r.obey(1, r.next())
	r.obey(whenOurs, abortText.FindString(r.last))
	again := r.next()
	minor := semver.MajorMinor(first)
	(&workstation{world: r.world}).fix("orchard/picker", "v1.1")
	(&workstation{world: r.world}).fix(rootRepo, minor)
	r.told("orchard/picker")
	r.told(rootRepo)
	r.runTrain(again, false)
	again = r.next()
	r.job(0, "cfctl release hotfix picker "+first+" --run")
	r.play()
	r.runTrain(r.next(), true)
	r.runTrain(again, true)

	// Weeks 7 to 9.
	r.feature("orchard/sdk", "fix: count from one")
	r.due("2026-04-30")
	third, command := r.propose("")
	r.runTrain(command, true)

	versions := []string{first, pre, minor + ".1", second, third}
	if n, ids := len(r.chat.texts()), r.mail.ids(); n != len(versions) || len(ids) != len(versions) {
		t.Errorf("%d messages and %d mails of %d releases", n, len(ids), len(versions))
	}
	for _, v := range versions {
		r.job(0, "cfctl release verify "+v)
	}
	r.linear(first, minor+".1", second, third)
	pushes := r.run(r.bare(rootRepo), "git", "rev-list", "--count", "refs/cfctl/releases/"+third)
	t.Logf("%v for %d commands; %s pushes of the journal of %s", time.Since(began).Round(time.Second), r.runs, pushes, third)
}

// linear wants the releases in the catalog, each replacing the one before.
func (r *runner) linear(versions ...string) {
	r.t.Helper()
	semver.Sort(versions)
	before := "0.1.0"
	folders := strings.Fields(r.run(r.bare("eco/community-operators"), "git", "ls-tree", "--name-only", "-d", "main:operators/orchard-operator"))
	slices.Sort(folders)
	want := []string{before}
	for _, v := range versions {
		v = steps.Bare(v)
		csv := r.run(r.bare("eco/community-operators"), "git", "show", "main:"+strings.ReplaceAll(ourCSV, "0.2.0", v))
		if !strings.Contains(csv, "replaces: orchard-operator.v"+before+"\n") {
			r.t.Errorf("%s does not replace %s", v, before)
		}
		before = v
		want = append(want, v)
	}
	if !slices.Equal(folders, want) {
		r.t.Errorf("the catalog has %v, want %v", folders, want)
	}
}
