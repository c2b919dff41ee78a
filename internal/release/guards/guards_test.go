package guards

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/report"
)

// A job is a test by the command that it runs, or by what it is called.
func TestTestCommand(t *testing.T) {
	for script, want := range map[string]string{
		"go test ./...":                              "go test ./...",
		"cd operator && make test-unit":              "make test-unit",
		"set -e\nsudo make e2e":                      "sudo make e2e",
		"make build \\\n  -C x\nmake -C x test":      "",
		"python -m pytest -v tests":                  "python -m pytest -v tests",
		"npm ci; npm run test:unit":                  "npm run test:unit",
		"poetry run pytest":                          "poetry run pytest",
		"CI=1 ./hack/run-e2e.sh":                     "CI=1 ./hack/run-e2e.sh",
		"bash hack/end-to-end.sh":                    "bash hack/end-to-end.sh",
		"docker build -t test .":                     "",
		"echo run test | tee test.log":               "",
		"mkdir test; test -d test; cat test/tests":   "",
		"# go test\ngo install example.com/ginkgo":   "",
		"go run github.com/onsi/ginkgo/v2/ginkgo -r": "go run github.com/onsi/ginkgo/v2/ginkgo -r",
	} {
		if got := testCommand(script); got != want {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}

const (
	guardCI = `name: CI
on: {pull_request: {branches: [main, 'release-*']}}
jobs:
  unit:
    runs-on: x
    strategy: {matrix: {go: ['1.25', '1.26']}}
    steps: [{uses: actions/checkout@v4}, {run: go test ./...}]
  kind:
    runs-on: x
    if: github.actor != 'bot'
    steps: [{run: make test-e2e}]
  lint:
    runs-on: x
    steps: [{run: make lint}]
  all-green:
    needs: [unit, called]
    runs-on: x
    steps: [{run: 'true'}]
  called:
    name: Suite
    uses: ./.github/workflows/suite.yml
  elsewhere:
    uses: acme/ci/.github/workflows/integration.yml@v1
`
	guardSuite = "on: workflow_call\njobs:\n  operator:\n    name: Operator ${{ inputs.x }}\n    runs-on: x\n    steps: [{run: ginkgo run ./test/integration}]\n"
	guardDocs  = "on:\n  pull_request: {paths: [docs/**]}\njobs: {docs: {runs-on: x, steps: [{run: make docs}]}}\n"
	guardPush  = "on: [push]\njobs: {pushed: {runs-on: x, steps: [{run: go test ./...}]}}\n"
	guardOther = "on: {pull_request: {branches: [old]}}\njobs: {old: {runs-on: x, steps: [{run: go test ./...}]}}\n"
	guardClose = "on: {pull_request: {types: [closed]}}\njobs: {close: {runs-on: x, steps: [{run: go test ./...}]}}\n"
)

// TestGuards reads workflows and required checks: which jobs run for pull requests,
// what they test, and what has to pass; and what is found.
func TestGuards(t *testing.T) {
	all := map[string]string{"ci.yml": guardCI, "suite.yml": guardSuite, "docs.yaml": guardDocs, "push.yml": guardPush, "old.yml": guardOther, "close.yml": guardClose}
	for name, test := range map[string]struct {
		files    map[string]string
		required []forge.RequiredCheck
		hidden   bool
		build    recipe.Build
		want     []string // CHECK TESTS REQUIRED ONLY
		findings []string
	}{
		"nothing is required": {all, nil, false, recipe.Build{}, []string{
			"unit (*) unit", "kind e2e if github.actor != 'bot'", "lint ", "all-green ", "Suite / Operator * e2e", "elsewhere / * e2e", "docs paths docs/**"},
			[]string{"pr-unguarded require Suite / Operator *, elsewhere / *, kind, unit (*)"}},
		"one of a matrix": {map[string]string{"ci.yml": guardCI}, []forge.RequiredCheck{{Name: "unit (1.26)"}, {Name: "lint"}}, false, recipe.Build{}, []string{"unit (*) unit required", "lint required"}, nil},
		"through another": {all, []forge.RequiredCheck{{Name: "all-green"}}, false, recipe.Build{}, []string{"all-green required", "unit (*) unit required all-green", "Suite / Operator * e2e required all-green"}, nil},
		"of Gitea":        {all, []forge.RequiredCheck{{Name: "CI / unit (1.26) (pull_request)"}}, false, recipe.Build{}, []string{"unit (*) unit required"}, nil},
		"a pattern":       {all, []forge.RequiredCheck{{Name: "Suite / *", Glob: true}}, false, recipe.Build{}, []string{"Suite / Operator * e2e required"}, nil},
		"of another CI":   {nil, []forge.RequiredCheck{{Name: "ci/prow/e2e-aws"}, {Name: "tide"}}, false, recipe.Build{}, []string{"ci/prow/e2e-aws e2e required", "tide required"}, []string{"pr-unit-missing if cfctl does not"}},
		"by configuration": {map[string]string{"docs.yaml": guardDocs}, []forge.RequiredCheck{{Name: "docs"}, {Name: "smoke-1"}}, false, recipe.Build{Unit: []string{"docs"}, E2E: []string{"smoke-*"}},
			[]string{"docs unit required paths", "smoke-1 e2e required"}, nil},
		"no test":          {map[string]string{"docs.yaml": guardDocs, "push.yml": guardPush}, []forge.RequiredCheck{{Name: "docs"}}, false, recipe.Build{}, []string{"docs required"}, []string{"pr-unguarded add a workflow"}},
		"no workflow":      {nil, nil, false, recipe.Build{}, nil, []string{"pr-unguarded add a workflow"}},
		"hidden":           {all, nil, true, recipe.Build{}, nil, []string{"pr-rules-hidden use a token"}},
		"broken":           {map[string]string{"a.yml": "on: [", "ci.yml": guardCI}, []forge.RequiredCheck{{Name: "kind"}}, false, recipe.Build{}, nil, []string{"workflow-unreadable "}},
		"calls itself":     {map[string]string{"a.yml": "on: [pull_request, workflow_call]\njobs: {a: {uses: ./.github/workflows/a.yml}}\n"}, nil, false, recipe.Build{}, nil, []string{"pr-unguarded add"}},
		"a name unknown":   {map[string]string{"a.yml": "on: pull_request\njobs: {a: {name: '${{ matrix.x }}', runs-on: x, steps: [{run: tox}]}}\n"}, []forge.RequiredCheck{{Name: "dco"}}, false, recipe.Build{}, []string{"* unit", "dco required"}, []string{"pr-unguarded require *", "pr-e2e-missing"}},
		"opened, not push": {map[string]string{"a.yml": "on: {pull_request_target: {types: [opened]}}\njobs: {a: {runs-on: x, steps: [{run: tox}]}}\n"}, []forge.RequiredCheck{{Name: "a"}}, false, recipe.Build{}, []string{"a unit required when opened"}, []string{"pr-e2e-missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{}
			for file, text := range test.files {
				tree[workflowFolder+"/"+file] = &fstest.MapFile{Data: []byte(text)}
			}
			list, _, unread, err := guardsIn(tree, "main", &test.build)
			if err != nil {
				t.Fatal(err)
			}
			v := &Guards{Component: "fan", Repository: "o/fan", Branch: "main", Checks: require(list, test.required, &test.build), Hidden: test.hidden, unread: unread}
			var got []string
			for _, g := range v.Checks {
				got = append(got, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s %s", g.Check, g.Tests, map[bool]string{true: "required"}[g.Required], g.Through, g.Only)), " "))
			}
			for _, want := range test.want {
				if !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g+" ", want) }) {
					t.Errorf("no guard %q in %q", want, got)
				}
			}
			findings := v.Findings()
			if !slices.EqualFunc(findings, test.findings, func(f report.Finding, want string) bool { return strings.HasPrefix(f.Rule+" "+f.Hint, want) }) {
				t.Errorf("findings %+v", findings)
			}
		})
	}
}

// A workflow whose aliases multiply is not read.
func TestWorkflowAliases(t *testing.T) {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 6 {
		text += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 10))
	}
	_, err := parseWorkflow([]byte(text + "on: pull_request\njobs:\n  a: {runs-on: x, strategy: {matrix: {x: *a6}}, steps: [{run: go test}]}\n"))
	if err == nil || !strings.Contains(err.Error(), "its aliases expand to more than") {
		t.Errorf("a workflow of %d bytes is read: %v", len(text), err)
	}
}

// Workflows that call each other several times are read to a bound.
func TestWorkflowsWithoutEnd(t *testing.T) {
	text := "on: {pull_request: {}, workflow_call: {}}\njobs:\n"
	for i := range 30 {
		text += fmt.Sprintf("  j%d: {uses: ./.github/workflows/ci.yml}\n", i)
	}
	list, _, unread, err := guardsIn(fstest.MapFS{".github/workflows/ci.yml": {Data: []byte(text)}}, "main", &recipe.Build{})
	if err != nil || len(unread) > 0 || len(list) == 0 || len(list) > maxJobs {
		t.Errorf("%d jobs, %v, %v", len(list), unread, err)
	}
}

// Tests that run by a schedule are read apart from those of pull requests.
func TestScheduledTests(t *testing.T) {
	for cron, found := range map[string]bool{"0 2 * * *": false, "0 2 * * 1-5": false, "0 2 * * 1": true, "0 2 1 * *": true} {
		text := "on: {schedule: [{cron: '" + cron + "'}]}\njobs:\n  e2e: {runs-on: x, steps: [{run: make test-e2e}]}\n  stale: {runs-on: x, steps: [{run: make lint}]}\n"
		list, scheduled, _, err := guardsIn(fstest.MapFS{".github/workflows/nightly.yml": {Data: []byte(text)}}, "main", &recipe.Build{})
		if err != nil || len(list) != 0 || len(scheduled) != 1 || scheduled[0].Check != "e2e" || scheduled[0].Only != cron {
			t.Fatalf("%s: %v, %v, %v", cron, list, scheduled, err)
		}
		for _, root := range []bool{true, false} {
			v := &Guards{Repository: "o/fan", Scheduled: scheduled, root: root}
			has := slices.ContainsFunc(v.Findings(), func(f report.Finding) bool { return f.Rule == "nightly-missing" })
			if has != (found && root) {
				t.Errorf("%s, root %v: found %v", cron, root, has)
			}
		}
	}
}
