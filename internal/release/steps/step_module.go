package steps

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/gocmd"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/release/bump"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
)

// ModuleStep is the name of the step between the branch of the root's PR and
// the PR.
const ModuleStep = "operator-module"

// A moduleCommit brings go.mod and go.sum to the versions that the branch of
// a PR sets: one more commit on it. It is a step of its own because
// it needs what no other step does: Go, and the modules of the components at
// their new tags. A module that cannot be had stops the train with its name.
type moduleCommit struct {
	*Proposal
	modules []*stack.Component // whose tags Go asks for
}

// stepModule is nil when no version of this release is in a go.mod.
func stepModule(t *Train, p *Proposal, branch *Step) *Step {
	root := t.Root()
	for _, c := range t.Stack.At(t.Version) {
		for _, place := range t.Stack.PlacesOf(c, root, t.Version) {
			if place.Kind == "go-require" && t.Versions[c.Name] != "" {
				return tidyStep(p, branch, t.modules())
			}
		}
	}
	return nil
}

// modules are the components that this release tags and that publish a Go
// module, without the root.
func (t *Train) modules() []*stack.Component {
	return slices.DeleteFunc(t.Released(), func(c *stack.Component) bool { return c == t.Root() || c.Module.Path == "" })
}

// tidyStep is the step that tidies the module on the branch of a PR.
func tidyStep(p *Proposal, branch *Step, modules []*stack.Component) *Step {
	m := &moduleCommit{p, modules}
	return &Step{Name: p.step("module"), Title: "go mod tidy on the work branch for " + p.repo, Needs: []*Step{branch}, Observe: m.observe, Act: m.act, Doubt: true, Moving: true}
}

func (m *moduleCommit) observe(ctx context.Context, v *View) (Observation, error) {
	branch := m.step("branch")
	switch {
	case v.Journal.Last(m.step("module"), RecAssert) != nil:
		return Done("marked as done by hand"), nil
	case m.nothing.In(v) != "":
		return Done("nothing to change"), nil
	case m.number.In(v) != "":
		return Done("PR merged"), nil
	}
	head, err := m.head(ctx, v)
	if err != nil {
		return Observation{}, err
	}
	if last := v.Journal.Last(m.step("module"), RecDone, RecIntent); last != nil && last.Facts["commit"] == head && head != "" {
		return Done("go.mod and go.sum are tidy", "commit", head), nil
	}
	if untagged := m.untagged(ctx, v); head == "" || len(untagged) > 0 {
		return m.later(ctx, v, head, "known when "+strings.Join(append(untagged, branch), ", ")+" are done")
	}
	tree, err := m.tree(ctx, v, m.pushed(v), head)
	if err != nil {
		return Observation{}, err
	}
	return m.tidy(ctx, v, head, tree)
}

// head is the branch as it is, or as it would be pushed.
func (m *moduleCommit) head(ctx context.Context, v *View) (string, error) {
	heads, err := v.Heads(ctx, m.pushed(v))
	if err != nil {
		return "", err
	}
	if head := heads.Branches[m.work(v)]; head != "" {
		return head, nil
	}
	return string(m.commit.In(v)), nil
}

// untagged are the tags that Go would ask for in vain; only a plan meets them.
func (m *moduleCommit) untagged(ctx context.Context, v *View) []string {
	var list []string
	for _, c := range m.modules {
		h, err := v.Heads(ctx, c.Repository)
		if _, there := h.Tags[cmp.Or(tagger{m.train, c}.moduleTag(), m.train.Tag(c))]; err == nil && !there {
			list = append(list, StepOf("tag", c))
		}
	}
	return list
}

// later is the observation when the tags are not there that Go would ask for. A
// plan tells of the push, unless the branch leaves go.mod as it is: a version
// that is another one brings lines of go.sum.
func (m *moduleCommit) later(ctx context.Context, v *View, head, text string) (Observation, error) {
	if !v.Planning() {
		return Observation{State: train.Blocked, Text: text}, nil
	}
	if head != "" {
		same, err := m.leaves(ctx, v, head)
		if err != nil || same {
			return Observation{State: train.Blocked, Text: text}, err
		}
	}
	return missing("go mod tidy: what it changes is " + text), nil
}

// leaves says whether the branch has the go.mod of its base.
func (m *moduleCommit) leaves(ctx context.Context, v *View, head string) (bool, error) {
	h, err := v.Heads(ctx, m.repo)
	if err != nil {
		return false, err
	}
	var mods [2][]byte
	for i, commit := range []string{h.Branches[m.base], head} {
		tree, err := m.tree(ctx, v, m.pushed(v), commit)
		if err != nil {
			return false, err
		}
		if mods[i], err = fs.ReadFile(tree.Files, "go.mod"); bump.IgnoreMissing(err) != nil {
			return false, err
		}
	}
	return bytes.Equal(mods[0], mods[1]), nil
}

// tidy runs go mod tidy on a copy, and says what it would change.
func (m *moduleCommit) tidy(ctx context.Context, v *View, head string, tree ports.Snapshot) (Observation, error) {
	var env []string
	if v.Offline {
		env = gocmd.Offline
	}
	changes, findings, err := tidied(ctx, tree.Files, env)
	switch {
	case err != nil:
		return Observation{}, err
	case v.Offline && len(findings) > 0:
		return Observation{State: train.Blocked, Text: "not known offline: " + findings[0].Message}, nil
	case len(findings) > 0:
		return conflict(why.Module, "%s", findings[0].Message).
			By("you, where the module can be had: go mod tidy on " + m.work(v) + ", push it, then cfctl release approve " + m.train.Version + " " + m.step("module") + " --done"), nil
	case len(changes) == 0:
		return Done("go.mod and go.sum are tidy", "commit", head), nil
	}
	made, err := v.Git.Commit(ctx, m.pushed(v), head, ports.NewCommit{Changes: changes, Message: "Tidy the Go module", SignOff: true})
	if err != nil {
		return Observation{}, err
	}
	paths := lists.Of(changes, func(c git.Change) string { return c.Path })
	o := missing("go mod tidy changes " + strings.Join(paths, ", "))
	o.Detail = made.Diff
	return o.With("commit", made.Commit, "base", head), nil
}

func (m *moduleCommit) act(ctx context.Context, h *Writer, seen Observation) error {
	return m.pushCommit(ctx, h, m.pushed(h.View), seen.Facts["commit"], seen.Facts["base"])
}

// tidied runs go mod tidy on the Go files of a tree, in a folder of its own,
// and returns go.mod and go.sum where they change, with variables for Go. A tree without a go.mod has
// nothing to tidy.
func tidied(ctx context.Context, tree fs.FS, env []string) ([]git.Change, []report.Finding, error) {
	if _, err := fs.Stat(tree, "go.mod"); err != nil {
		return nil, nil, bump.IgnoreMissing(err)
	}
	dir, err := os.MkdirTemp("", "cfctl-module-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of ours in the folder for temporary files
	if err := copyModule(dir, tree); err != nil {
		return nil, nil, err
	}
	if findings := bump.TidyModule(ctx, dir, env...); len(findings) > 0 {
		return nil, findings, ctx.Err()
	}
	var changes []git.Change
	for _, name := range []string{"go.mod", "go.sum"} {
		now, err := os.ReadFile(filepath.Join(dir, name))
		if bump.IgnoreMissing(err) != nil {
			return nil, nil, err
		}
		was, err := fs.ReadFile(tree, name)
		if bump.IgnoreMissing(err) != nil {
			return nil, nil, err
		}
		if !bytes.Equal(now, was) {
			changes = append(changes, git.Change{Path: name, Data: now, Delete: now == nil})
		}
	}
	return changes, nil, nil
}

// copyModule copies what go mod tidy reads: Go files, and the go.mod and go.sum
// of every module in the tree.
func copyModule(dir string, tree fs.FS) error {
	return fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		base := path.Base(name)
		if err != nil || !e.Type().IsRegular() || path.Ext(base) != ".go" && base != "go.mod" && base != "go.sum" {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, 0o644))
	})
}
