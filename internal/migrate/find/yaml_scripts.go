package find

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// A value of YAML may be a script of a shell: a step of a workflow, a task, the arguments of a
// container, an entry of a ConfigMap that is called so. It is read as a script is.

// scriptKeys are those of values that a shell runs, or of lists of such.
// Source: GitHub Actions (run), GitLab CI (script, before_script, after_script), Tekton (script),
// Argo Workflows (source), Azure Pipelines (bash, script), Task (cmd, cmds), Woodpecker (commands),
// Prow and lefthook (run), Buildkite (command, commands), CircleCI (command).
var scriptKeys = isKey(`^(run|script|before_script|after_script|source|bash|sh|cmds?|commands?|[\w.-]+\.(sh|bash))$`)

var (
	shebang      = lazyregexp.New(`^\s*#![^\n]*`)
	shellShebang = lazyregexp.New(`\b(ba|da|z|k|a)?sh\b`)
	beginsJSON   = lazyregexp.New(`^\s*(\{\s*["}]|\[["{])`)
	runsScript   = lazyregexp.New(`^-[a-z]*c$`)
)

// isScript says whether the text of node i is a script of a shell: it says so itself, or by its
// key, or it stands behind the option -c of one.
func isScript(t *text.Tree, i int32, content []byte) bool {
	if first := shebang.Find(content); first != nil {
		return shellShebang.Match(first)
	}
	entry := t.Up(i)
	if entry < 0 || beginsJSON.Match(content) {
		return false
	}
	if scriptKeys(t.KeyText(entry)) && t.Nodes[i].Style >= text.Literal {
		return t.KeyOf(t.Up(t.Nodes[entry].Parent)) != "with" && !runsOther(t, entry)
	}
	if t.Nodes[i].Key.Len() > 0 || !slices.Contains([]string{"args", "command"}, t.KeyText(entry)) {
		return false
	}
	before := t.Children(entry)
	if t.KeyText(entry) == "args" {
		if command := t.Sibling(entry, "command"); command >= 0 {
			before = append(slices.Clone(t.Children(command)), before...)
		}
	}
	at := slices.Index(before, i)
	return at > 0 && runsScript.MatchString(t.Text(before[at-1]))
}

// runsOther says whether what stands beside a script runs it by something else than a shell.
// Source: docs.github.com, workflow syntax, jobs.<job_id>.steps[*].shell; argo-workflows,
// ScriptTemplate.command.
func runsOther(t *text.Tree, entry int32) bool {
	for _, key := range []string{"shell", "command"} {
		at := t.Sibling(entry, key)
		if at < 0 || at == entry {
			continue
		}
		by := t.Text(at)
		if list := t.Children(at); len(list) > 0 {
			by = t.Text(list[0])
		}
		if by != "" && !shellShebang.MatchString(by) {
			return true
		}
	}
	return false
}
