package guards

import (
	"cmp"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rhysd/actionlint"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
)

// A Guard is a check of the pull requests of a component: a job of a workflow, or
// a required check that something else reports.
type Guard struct {
	Check    string `json:"check"`              // its name on the forge; * = any text, of a matrix or an expression
	Workflow string `json:"workflow,omitempty"` // path of the file; empty = no workflow of the repository has it
	Line     int    `json:"line,omitempty"`     // of the job
	Tests    string `json:"tests,omitempty"`    // unit, e2e; empty = it does not look like a test
	Because  string `json:"because,omitempty"`  // what says so: the command, a name, or the configuration
	Only     string `json:"only,omitempty"`     // which pull requests it runs for; empty = all
	Required bool   `json:"required"`           // for a merge
	Through  string `json:"through,omitempty"`  // the required check that needs it; empty = it is required itself

	id    string   // of the job in its file, CALLER/ID in a workflow that is called
	needs []string // ids
	names string   // all that it is called, for the words in it
	flow  string   // name of the workflow
}

// The kinds of tests that ADR-0003 wants for each component.
const (
	unitTest = "unit"
	e2eTest  = "e2e"
)

// testWords are what tests and their runners are called; those of endToEnd are
// about the whole.
var (
	testWords = []string{"test", "tests", "unit", "unittest", "unittests", "pytest", "tox", "nox", "ginkgo", "gotestsum", "ctest", "rspec", "jest", "vitest", "phpunit"}
	endToEnd  = []string{"e2e", "integration", "acceptance", "conformance"}
	notWord   = lazyregexp.New(`[^a-z0-9]+`)
	dynamic   = lazyregexp.New(`\$\{\{.*?\}\}`)
)

// plainCommands handle files and text: what they are given is no test.
var plainCommands = []string{"cat", "cd", "chmod", "cp", "echo", "export", "find", "grep", "ls", "mkdir", "mv", "printf", "rm", "sed", "source", "tar", "tee", "touch"}

func endsCommand(c rune) bool { return strings.ContainsRune("&|;\n", c) }

// wordsIn are the words of a text, in lower case.
func wordsIn(text string) []string {
	return strings.Fields(notWord.ReplaceAllString(strings.ToLower(strings.ReplaceAll(text, "end-to-end", "e2e")), " "))
}

// kindOf is the kind of test that a text names; empty = none.
func kindOf(text string) string {
	words := wordsIn(text)
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	switch {
	case has(endToEnd):
		return e2eTest
	case has(testWords):
		return unitTest
	}
	return ""
}

// testCommand is the first command of a script that runs tests by its program or
// its subcommand ("go test", "make test-e2e", "npm run test:unit"); empty = none.
func testCommand(script string) string {
	for _, command := range strings.FieldsFunc(strings.ReplaceAll(script, "\\\n", " "), endsCommand) {
		words := slices.DeleteFunc(strings.Fields(command), func(w string) bool {
			return strings.HasPrefix(w, "-") || strings.Contains(w, "=") || w == "sudo" || w == "time"
		})
		if len(words) == 0 || words[0] == "test" || strings.HasPrefix(words[0], "#") || slices.Contains(plainCommands, words[0]) {
			continue
		}
		verb := words[:min(2, len(words))]
		if len(words) > 2 && (words[1] == "run" || words[1] == "exec") {
			verb = words[:3]
		}
		if kindOf(strings.Join(verb, " ")) != "" {
			return strings.Join(strings.Fields(command), " ")
		}
	}
	return ""
}

// classify decides what a guard tests: what the configuration says, else what the
// job runs, else what it is called.
func (g *Guard) classify(b *recipe.Build, scripts []string) {
	declared := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return g.named(forge.RequiredCheck{Name: name, Glob: true}) })
	}
	switch {
	case declared(b.Unit):
		g.Tests, g.Because = unitTest, recipe.File
		return
	case declared(b.E2E):
		g.Tests, g.Because = e2eTest, recipe.File
		return
	}
	for _, script := range scripts {
		if command := testCommand(script); command != "" {
			g.Tests, g.Because = cmp.Or(kindOf(command+" "+g.names), unitTest), command
			if kindOf(command) == e2eTest {
				return
			}
		}
	}
	if kind := kindOf(g.names); g.Tests == "" && kind != "" {
		g.Tests, g.Because = kind, "its name"
	}
}

// named says whether a required check is this one. Gitea calls the check of a job
// "WORKFLOW / JOB (EVENT)".
func (g *Guard) named(want forge.RequiredCheck) bool {
	if strings.Trim(g.Check, "* ()/") == "" {
		return false // an expression alone: no name can be told from another
	}
	names := []string{g.Check, g.flow + " / " + g.Check + " (pull_request)"}
	return slices.ContainsFunc(names, func(name string) bool {
		return want.Names(name) || (forge.RequiredCheck{Name: name, Glob: true}).Names(want.Name)
	})
}

// guardsIn are the jobs of a tree's workflows that run for pull requests to a
// branch, the end-to-end tests that run by a schedule, and the workflow files that
// cannot be read, with why.
func guardsIn(tree fs.FS, branch string, b *recipe.Build) (list, scheduled []Guard, unread map[string]error, err error) {
	files, unread, err := workflowsIn(tree)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, file := range git.Sorted(files) {
		for _, cron := range files[file].schedules() {
			for _, g := range (&jobReader{files, b, "", maxJobs}).jobs(file, "", "", 0) {
				if g.Tests == e2eTest {
					g.Only = cron
					scheduled = append(scheduled, g)
				}
			}
		}
		if only, runs := files[file].forPulls(branch); runs {
			list = append(list, (&jobReader{files, b, only, maxJobs}).jobs(file, "", "", 0)...)
		}
	}
	return list, scheduled, unread, nil
}

// schedules are the times at which the workflow runs, as cron has them.
func (w *workflow) schedules() (crons []string) {
	for _, e := range w.On {
		if s, ok := e.(*actionlint.ScheduledEvent); ok {
			for _, entry := range s.Schedules {
				crons = append(crons, valueOf(entry.Cron))
			}
		}
	}
	return crons
}

// daily says whether a cron entry runs every day, or on several days of each week.
func daily(cron string) bool {
	f := strings.Fields(cron)
	return len(f) == 5 && f[2] == "*" && f[3] == "*" && (f[4] == "*" || strings.ContainsAny(f[4], "-,"))
}

// forPulls says whether the workflow runs for pull requests to a branch, and for
// which; empty = all.
func (w *workflow) forPulls(branch string) (only string, runs bool) {
	for _, name := range []string{"pull_request", "pull_request_target"} {
		e := w.webhook(name)
		if e == nil || !(refFilter{e.Branches, e.BranchesIgnore}).admits(branch) {
			continue
		}
		types := texts(e.Types)
		pushed := len(types) == 0 || slices.Contains(types, "synchronize")
		if !pushed && !slices.Contains(types, "opened") {
			continue
		}
		var limits []string
		if !pushed {
			limits = append(limits, "when "+strings.Join(types, ", "))
		}
		if e.Paths != nil {
			limits = append(limits, "paths "+strings.Join(texts(e.Paths.Values), ", "))
		}
		if e.PathsIgnore != nil {
			limits = append(limits, "not paths "+strings.Join(texts(e.PathsIgnore.Values), ", "))
		}
		return strings.Join(limits, "; "), true
	}
	return "", false
}

// A jobReader reads the jobs of workflows that call each other.
type jobReader struct {
	files map[string]*workflow
	build *recipe.Build
	only  string
	left  int // jobs that are read
}

// maxCalls is how deep workflows can call each other. Source: "Reuse workflows",
// limitations.
const maxCalls = 10

// maxJobs is how many jobs of a workflow and of those that it calls are read: workflows
// that call each other several times would have no end.
const maxJobs = 2000

// jobs are those of a file, in its order, below the check and the id of what calls it.
func (r *jobReader) jobs(file, check, id string, depth int) (list []Guard) {
	w := r.files[file]
	if w == nil || depth > maxCalls {
		return nil
	}
	byLine := func(a, b *actionlint.Job) int { return cmp.Compare(a.Pos.Line, b.Pos.Line) }
	for _, j := range slices.SortedFunc(maps.Values(w.Jobs), byLine) {
		if r.left--; r.left < 0 {
			return list
		}
		g := Guard{Check: checkOf(j), Workflow: file, Line: j.Pos.Line, Only: r.only, id: id + j.ID.Value, flow: cmp.Or(valueOf(w.Name), file)}
		g.names = strings.Join([]string{j.ID.Value, valueOf(j.Name), strings.TrimSuffix(path.Base(file), path.Ext(file)), check}, " ")
		g.needs = lists.Of(j.Needs, func(need *actionlint.String) string { return id + need.Value })
		if check != "" {
			g.Check = check + " / " + g.Check
		}
		if j.If != nil {
			g.Only = strings.TrimPrefix(g.Only+"; if "+j.If.Value, "; ")
		}
		var scripts []string
		if j.WorkflowCall != nil {
			uses := valueOf(j.WorkflowCall.Uses)
			if called := r.jobs(strings.TrimPrefix(uses, "./"), g.Check, g.id+"/", depth+1); strings.HasPrefix(uses, "./") && len(called) > 0 {
				list = append(list, called...)
				continue
			}
			g.Check += " / *" // of another repository
			g.names += " " + uses
		}
		for _, s := range j.Steps {
			if run, ok := s.Exec.(*actionlint.ExecRun); ok {
				scripts = append(scripts, valueOf(run.Run))
			}
		}
		g.classify(r.build, scripts)
		list = append(list, g)
	}
	return list
}

// checkOf is what the forge calls the check of a job: its name, with the values of a
// matrix in parentheses.
func checkOf(j *actionlint.Job) string {
	name := cmp.Or(valueOf(j.Name), j.ID.Value)
	if j.Strategy != nil && j.Strategy.Matrix != nil && !strings.Contains(name, "${{") {
		return name + " (*)"
	}
	return dynamic.ReplaceAllString(name, "*")
}

// require marks the guards that a merge needs: those that are required, and those
// that a required one needs. What no workflow has is added.
func require(list []Guard, wanted []forge.RequiredCheck, b *recipe.Build) []Guard {
	for _, want := range wanted {
		found := false
		for i := range list {
			if list[i].named(want) {
				list[i].Required, list[i].Through, found = true, "", true
				needed(list, &list[i], want.Name)
			}
		}
		if !found {
			g := Guard{Check: want.Name, Required: true, names: want.Name}
			g.classify(b, nil)
			list = append(list, g)
		}
	}
	return list
}

// needed marks what a guard needs, directly or through others.
func needed(list []Guard, by *Guard, name string) {
	for i := range list {
		g := &list[i]
		if g.Required || g.flow != by.flow && !strings.Contains(g.id, "/") {
			continue
		}
		if slices.ContainsFunc(by.needs, func(id string) bool { return g.id == id || strings.HasPrefix(g.id, id+"/") }) {
			g.Required, g.Through = true, name
			needed(list, g, name)
		}
	}
}
