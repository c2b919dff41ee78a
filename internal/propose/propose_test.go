package propose

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// past is a repository with a commit for each kind of change, by its name.
type past struct {
	repo   *git.Repo
	commit map[string]string
}

// files are written by a commit; an empty content takes one away.
type files map[string]string

func newPast(t *testing.T) *past {
	dir := t.TempDir()
	run := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q", "-b", "main")
	p := &past{commit: map[string]string{}}
	crd := func(more string) string {
		return "kind: CustomResourceDefinition\nmetadata: {name: kites.example.com}\nspec: {versions: [{name: v1, schema: {openAPIV3Schema: {properties: {spec: {properties: {line: {type: string}" + more + "}}}}}}]}\n"
	}
	made := func(name, from, message string, fs files) {
		if from == "" {
			run("checkout", "-q", "--orphan", name)
		} else {
			run("checkout", "-q", "-B", name, p.commit[from])
		}
		for file, content := range fs {
			at := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		run("add", "-A")
		run("commit", "-q", "--allow-empty", "-m", message)
		p.commit[name] = run("rev-parse", "HEAD")
	}
	api := "package kite\n\n// Fly flies.\nfunc Fly(height int) error { return nil }\n\ntype Kite struct {\n\tName string\n\thidden int\n}\n"
	made("begin", "", "Begin", files{"kite.go": api, "config/crd/bases/kites.yaml": crd("")})
	made("docs", "begin", "Update README", files{"README.md": "a kite\n", "docs/a.txt": "a\n", "kite_test.go": "package kite\n"})
	made("fix", "docs", "fix: mend the line (#1)", files{"main.txt": "1\n"})
	made("chore", "docs", "chore: tidy (#2)", files{"main.txt": "1\n"})
	made("verb", "docs", "Add a tail", files{"main.txt": "2\n"})
	made("feat", "fix", "feat: fly higher (#3)", files{"main.txt": "2\n"})
	made("breaks", "feat", "feat!: fly lower (#4)", files{"main.txt": "3\n"})
	made("footer", "feat", "refactor: lines\n\nBREAKING CHANGE: the line is gone", files{"main.txt": "4\n"})
	made("field", "fix", "Change things", files{"config/crd/bases/kites.yaml": crd(", colour: {type: string}")})
	made("unfield", "field", "Change things", files{"config/crd/bases/kites.yaml": crd("")})
	made("signature", "fix", "Change things", files{"kite.go": strings.Replace(api, "height int", "metres, feet int", 1)})
	made("parameter", "fix", "Change things", files{"kite.go": strings.Replace(api, "height int", "metres int", 1)})
	made("name", "fix", "Change things", files{"kite.go": api + "\nfunc Land() {}\n"})
	made("picked", "begin", "fix: mend the line (#1)", files{"main.txt": "1\n", "VERSION": "1.0.1\n"})
	made("again", "", "Begin again", files{"kite.go": api + "// 2\n"})
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	p.repo = repo
	return p
}

// at is the History with a head and tags, "v1.0.0 begin".
func (p *past) at(head string, tags ...string) local {
	h := git.Heads{Branches: map[string]string{"main": p.commit[head]}, Tags: map[string]git.Ref{}}
	for _, tag := range tags {
		name, commit, _ := strings.Cut(tag, " ")
		h.Tags[name] = git.Ref{Name: name, Commit: p.commit[commit]}
	}
	return local{p.repo, h}
}

// TestNext holds the next version to what each kind of change asks for.
func TestNext(t *testing.T) {
	p := newPast(t)
	labels := map[string][]string{}
	for _, c := range []struct {
		name, head string
		tags       []string
		ask        question
		labels     []string // of PR 1
		want, why  string
	}{
		{name: "nothing", head: "begin", tags: []string{"v1.0.0 begin"}, want: "v1.0.0", why: "nothing since v1.0.0"},
		{name: "documents", head: "docs", tags: []string{"v1.0.0 begin"}, want: "v1.0.0", why: "documents, tests and CI alone"},
		{name: "fix", head: "fix", tags: []string{"v1.0.0 begin"}, want: "v1.0.1", why: "patch: mend the line (#1)"},
		{name: "chore that changes files", head: "chore", tags: []string{"v1.0.0 begin"}, want: "v1.0.1", why: "patch: "},
		{name: "feature", head: "feat", tags: []string{"v1.0.9 begin"}, want: "v1.1.0", why: "minor: fly higher (#3); 3 commits since v1.0.9"},
		{name: "feature by its verb", head: "verb", tags: []string{"v1.0.0 begin"}, want: "v1.1.0", why: "minor: Add a tail"},
		{name: "breaking", head: "breaks", tags: []string{"v1.2.3 begin"}, want: "v2.0.0", why: "major: fly lower (#4), by its text"},
		{name: "breaking by its footer", head: "footer", tags: []string{"v1.2.3 begin"}, want: "v2.0.0", why: "major: "},
		{name: "breaking in v0", head: "breaks", tags: []string{"v0.2.3 begin"}, want: "v0.3.0", why: "minor, since v0 breaks with it: "},
		{name: "new field", head: "field", tags: []string{"v1.0.0 fix"}, want: "v1.1.0", why: "kites.example.com v1 spec.colour: added"},
		{name: "field that is gone", head: "unfield", tags: []string{"v1.0.0 field"}, want: "v2.0.0", why: "spec.colour: removed"},
		{name: "Go API of nobody", head: "signature", tags: []string{"v1.0.0 fix"}, want: "v1.0.1", why: "patch"},
		{name: "Go API", head: "signature", tags: []string{"v1.0.0 fix"}, ask: question{Imported: true}, want: "v2.0.0", why: "..Fly: changed from func(int) error to func(int, int) error (Go API)"},
		{name: "name of a parameter", head: "parameter", tags: []string{"v1.0.0 fix"}, ask: question{Imported: true}, want: "v1.0.1", why: "patch"},
		{name: "new Go name", head: "name", tags: []string{"v1.0.0 fix"}, ask: question{Imported: true}, want: "v1.1.0", why: "..Land: added (Go API)"},
		{name: "label", head: "fix", tags: []string{"v1.0.0 begin"}, labels: []string{"lgtm", "kind/feature"}, want: "v1.1.0", why: "minor: mend the line (#1), label kind/feature"},
		{name: "label that breaks", head: "fix", tags: []string{"v1.0.0 begin"}, labels: []string{"breaking-change"}, want: "v2.0.0", why: "label breaking-change"},
		{name: "never released", head: "fix", tags: []string{"v.0.0.7 begin", "latest begin"}, want: "v0.1.0", why: "never released: initial development begins at 0.1.0 (semver.org); not versions: v.0.0.7"},
		{name: "tags without v", head: "fix", tags: []string{"0.6.0 begin"}, want: "v0.1.0", why: "never released: initial development begins at 0.1.0 (semver.org); not versions: 0.6.0; if its tags have no v, set tag: \"{version}\" for it in stack.components"},
		{name: "never released, as a candidate", head: "fix", ask: question{Pre: "rc"}, want: "v0.1.0-rc.1"},
		{name: "candidate", head: "feat", tags: []string{"v1.0.0 begin"}, ask: question{Pre: "rc"}, want: "v1.1.0-rc.1"},
		{name: "next candidate", head: "feat", tags: []string{"v1.0.0 begin", "v1.1.0-rc.1 fix", "v1.1.0-rc.9 fix", "v1.1.0-rc.10 fix"}, ask: question{Pre: "rc"}, want: "v1.1.0-rc.11"},
		{name: "same candidate", head: "feat", tags: []string{"v1.0.0 begin", "v1.1.0-rc.1 feat"}, ask: question{Pre: "rc"}, want: "v1.1.0-rc.1", why: "nothing since v1.1.0-rc.1"},
		{name: "candidate of another name", head: "feat", tags: []string{"v1.0.0 begin", "v1.1.0-alpha.3 fix"}, ask: question{Pre: "rc"}, want: "v1.1.0-rc.1"},
		{name: "after its candidate", head: "feat", tags: []string{"v1.0.0 begin", "v1.1.0-rc.1 feat"}, want: "v1.1.0", why: "after v1.1.0-rc.1: minor"},
		{name: "breaks after a candidate", head: "breaks", tags: []string{"v1.0.0 begin", "v1.1.0-rc.1 feat"}, want: "v2.0.0"},
		{name: "only candidates", head: "feat", tags: []string{"v1.0.0-rc.1 fix"}, want: "v1.0.0"},
		{name: "picked onto a branch", head: "feat", tags: []string{"v1.0.0 begin", "v1.0.1 picked"}, want: "v1.1.0", why: "minor: fly higher (#3)"},
		{name: "rewritten", head: "again", tags: []string{"v1.0.0 begin"}, want: "", why: "the history was rewritten"},
		{name: "moved back", head: "begin", tags: []string{"v1.0.0 fix"}, want: "v1.0.0", why: "main is behind v1.0.0"},
		{name: "given", head: "fix", tags: []string{"v1.0.0 begin"}, ask: question{Given: "v3.0.0"}, want: "v3.0.0", why: "given"},
		{name: "as what it is made of", head: "begin", tags: []string{"v1.0.0 begin"}, ask: question{Least: Minor, Because: "line from v1.0.0 to v1.1.0"}, want: "v1.1.0", why: "minor: line from v1.0.0 to v1.1.0"},
	} {
		q := c.ask
		q.Component, q.Branch = &stack.Component{Name: "kite", Repository: "o/kite", Tag: "v{version}"}, "main"
		labels["1"] = c.labels
		a, err := next(t.Context(), p.at(c.head, c.tags...), func(context.Context, string, time.Time) (map[string][]string, error) { return labels, nil }, q)
		if err != nil || a.Version != c.want || !strings.Contains(a.Why+a.Problem, c.why) {
			t.Errorf("%s: %q, %q %q (%v), want %q, %q", c.name, a.Version, a.Why, a.Problem, err, c.want, c.why)
		}
		if strings.Contains(a.Why, "\n") {
			t.Errorf("%s: more than a line: %q", c.name, a.Why)
		}
	}
}

// TestNextIsHigher holds for many sets of tags: the next version is none of
// them unless nothing is new, and higher than all that it follows.
func TestNextIsHigher(t *testing.T) {
	names := []string{"v0.1.0", "v0.1.1-rc.1", "v1.0.0-rc.1", "v1.0.0", "v1.0.1", "v1.1.0-rc.1", "v1.1.0-rc.2", "v2.0.0-alpha.1"}
	for set := range 1 << len(names) {
		refs := map[string]git.Ref{}
		for i, name := range names {
			if set>>i&1 == 1 {
				refs[name] = git.Ref{Name: name}
			}
		}
		tags := tagsOf(&stack.Component{Tag: "v{version}"}, refs)
		if tags.last() == "" {
			continue
		}
		for _, level := range []Level{Patch, Minor, Major} {
			for _, pre := range []string{"", "rc", "alpha"} {
				v, _ := tags.next(level, question{Pre: pre}, "")
				if slices.Contains(tags.all, v) || semver.Compare(v, tags.top) <= 0 || !versions.IsVersion(v) {
					t.Fatalf("%s %q after %q: %s", level, pre, tags.all, v)
				}
			}
		}
	}
}
