package release

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/propose"
)

// The next release of a stack comes from its repositories: what has something
// new moves, in the order in which it is needed, the rest stays; and its row is
// proposed once, follows the base, and is left alone where somebody else works
// on its branch or has closed it.
func TestProposedRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const config = "matrix:\n  releases:\n    - version: v0.1.0\n      components:\n        - {name: operator, version: v0.1.0}\n"
	w.somebody("orchard/operator", "main", "refs/heads/main", ".cfctl.yaml", holding(config))
	picked := "package picker\n"
	w.put("orchard/picker", "main", "refs/heads/main", "main.go", &picked, "Otto <otto@example.com>", "feat: pick by colour")
	train := w.train("v0.2.0")
	declared := &matrix.Config{Releases: []matrix.Release{{Version: "v0.1.0", Components: []matrix.Pin{
		{Name: "operator", Version: "v0.1.0"}, {Name: "picker", Version: "v1.0.0"}, {Name: "sorter", Version: "v0.3.0"}, {Name: "sdk", Version: "v2.0.0"}}}}}
	env, _ := w.env(journalIn(t))
	p := Proposer{Stack: train.Stack, Recipe: train.Recipe, Matrix: declared, Git: remotesOf(env), Forge: env.Forge}
	plan, err := p.Propose(t.Context(), propose.Request{})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(plan.Lines(), "\n")
	for _, want := range []string{"picker    v1.0.0 -> v1.1.0  minor: pick by colour", "sorter    v0.3.0 -> v0.3.1  patch: Makefile pins picker, to be v1.1.0", "sdk       v2.0.0            nothing since v2.0.0", "operator  v0.1.0 -> v0.2.0  minor: picker from v1.0.0 to v1.1.0"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if first := plan.Components[0].Name; first != "picker" {
		t.Errorf("%s comes first, and others need picker", first)
	}
	row, _ := declared.NewRow(train.Stack, plan.Version, plan.Versions())
	open := func() (RowOpened, error) {
		env, _ := w.env(journalIn(t))
		pull := RowOf(train.Recipe, "orchard/operator", "Declare Orchard v0.2.0", RowBody(plan.Version, plan.Lines()), "main", row)
		return pull.Open(context.Background(), env.Git, env.Forge)
	}
	const branch = "refs/heads/cfctl/release-v0.2.0-row"
	bare, f := w.bare("orchard/operator"), w.forge.(*fakeForge)
	if r, err := open(); err != nil || !r.Fresh || !r.Pull.Open {
		t.Fatalf("%+v %v", r, err)
	}
	want := config + "    - version: v0.2.0\n      components:\n        - {name: operator, version: v0.2.0}\n        - {name: picker, version: v1.1.0}\n        - {name: sorter, version: v0.3.1}\n        - {name: sdk, version: v2.0.0}"
	if got := w.run(bare, "git", "show", branch+":.cfctl.yaml"); got != want {
		t.Errorf("the row is\n%s\nwant\n%s", got, want)
	}
	before := w.witness()
	if r, err := open(); err != nil || r.Fresh || w.witness() != before {
		t.Errorf("proposed again: %+v %v", r, err)
	}
	row.Components[2].Version = "v0.4.0" // its branch has got a feature since
	if r, err := open(); err != nil || !r.Fresh || !strings.Contains(w.run(bare, "git", "show", branch+":.cfctl.yaml"), "sorter, version: v0.4.0") {
		t.Errorf("with other versions: %+v %v", r, err)
	}
	row.Components[2].Version = "v0.3.1"
	w.somebody("orchard/operator", "main", "refs/heads/main", "NEWS", holding("news\n"))
	if r, err := open(); err != nil || !r.Fresh || w.run(bare, "git", "rev-parse", branch+"^") != w.run(bare, "git", "rev-parse", "main") {
		t.Errorf("on a base that moved: %+v %v", r, err)
	}
	mine := w.run(bare, "git", "rev-parse", branch)
	w.somebody("orchard/operator", branch, branch, "NEWS", holding("mine\n"))
	if _, err := open(); err == nil || !strings.Contains(err.Error(), "has commits of others") {
		t.Errorf("over the commits of others: %v", err)
	}
	w.run(bare, "git", "update-ref", branch, mine)
	f.Pulls[0].State = "closed"
	if r, err := open(); err != nil || r.Fresh || r.Pull.Open || r.Pull.Number == 0 {
		t.Errorf("after it was closed: %+v %v", r, err)
	}
	w.run(bare, "git", "update-ref", "refs/heads/main", mine)
	if r, err := open(); err != nil || !r.Declared {
		t.Errorf("after it was merged: %+v %v", r, err)
	}
	w.somebody("orchard/operator", "main", "refs/heads/main", ".cfctl.yaml", holding(strings.Replace(want, "v1.1.0", "v1.2.0", 1)))
	if _, err := open(); !errors.Is(err, matrix.ErrDeclared) {
		t.Errorf("over another row: %v", err)
	}
	w.put("orchard/operator", "main", "refs/heads/main", ".cfctl.yaml", nil, "Otto <otto@example.com>", "Take it away")
	if _, err := open(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a configuration: %v", err)
	}
}
