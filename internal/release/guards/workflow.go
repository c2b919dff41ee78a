package guards

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rhysd/actionlint"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/olm"
)

// A workflow is a file of GitHub Actions, which Gitea reads too.
type workflow struct{ *actionlint.Workflow }

// A refFilter says which refs an event is about: patterns of which the last
// that fits decides, "!" excludes.
type refFilter struct {
	patterns, ignore *actionlint.WebhookEventFilter
}

// parseWorkflow reads a workflow file. What is no YAML mapping with `on` is an
// error; what else is wrong with it is for its own linter.
func parseWorkflow(data []byte) (*workflow, error) {
	if err := olm.CheckAliases(data); err != nil {
		return nil, err
	}
	w, errs := actionlint.Parse(data)
	switch {
	case w != nil && len(w.On) > 0:
		return &workflow{w}, nil
	case len(errs) > 0:
		return nil, errors.New(errs[0].Message)
	}
	return nil, errors.New("no events under on")
}

// workflowsIn are the workflow files of a tree by path, and those that cannot be
// read, with why.
func workflowsIn(tree fs.FS) (files map[string]*workflow, unread map[string]error, err error) {
	entries, err := fs.ReadDir(tree, workflowFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	files, unread = map[string]*workflow{}, map[string]error{}
	for _, e := range entries {
		if ext := path.Ext(e.Name()); ext != ".yml" && ext != ".yaml" {
			continue
		}
		file := path.Join(workflowFolder, e.Name())
		data, err := fs.ReadFile(tree, file)
		if err != nil {
			return nil, nil, err
		}
		if w, err := parseWorkflow(data); err != nil {
			unread[file] = err
		} else {
			files[file] = w
		}
	}
	return files, unread, nil
}

// webhook is an event that something outside of the workflow causes; nil = it
// does not start the workflow.
func (w *workflow) webhook(name string) *actionlint.WebhookEvent {
	for _, e := range w.On {
		if hook, ok := e.(*actionlint.WebhookEvent); ok && hook.EventName() == name {
			return hook
		}
	}
	return nil
}

// startedBy says whether pushing a tag starts the workflow.
func (w *workflow) startedBy(tag string) bool {
	if w.webhook("create") != nil {
		return true
	}
	push := w.webhook("push")
	if push == nil {
		return false
	}
	if (push.Branches != nil || push.BranchesIgnore != nil) && push.Tags == nil && push.TagsIgnore == nil {
		return false // filtered by branches alone: no tag starts it
	}
	return refFilter{push.Tags, push.TagsIgnore}.admits(tag)
}

func (f refFilter) admits(ref string) bool {
	switch {
	case f.ignore != nil:
		return !slices.ContainsFunc(texts(f.ignore.Values), func(p string) bool { return forge.MatchesRef(p, ref) })
	case f.patterns == nil:
		return true
	}
	admitted := false
	for _, p := range texts(f.patterns.Values) {
		if exclude, ok := strings.CutPrefix(p, "!"); ok {
			admitted = admitted && !forge.MatchesRef(exclude, ref)
		} else {
			admitted = admitted || forge.MatchesRef(p, ref)
		}
	}
	return admitted
}

func texts(list []*actionlint.String) []string {
	return lists.Of(list, valueOf)
}

func valueOf(s *actionlint.String) string {
	if s == nil {
		return ""
	}
	return s.Value
}

const workflowFolder = ".github/workflows"

// StartedBy says whether a workflow of a tree is started by pushing a tag.
func StartedBy(tree fs.FS, tag string) (bool, error) {
	files, _, err := workflowsIn(tree)
	for _, w := range files {
		if w.startedBy(tag) {
			return true, err
		}
	}
	return false, err
}
