package release

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
)

// What an open PR waits for, and why it stops: silence, a name that is required
// and no one reports, an app that is not the one of the rule, and what was skipped
// are no yes.
func TestGateJudges(t *testing.T) {
	for name, c := range gateCases() {
		o := c.pr3().decide()
		if o.State != c.state || o.Reason != c.reason || !strings.Contains(o.Text, c.says) || !strings.Contains(o.Who, c.who) || o.Who == "" || c.url != "" && o.URL != c.url || o.URL == "" {
			t.Errorf("%s: %s %s %q (%q, %s)", name, o.State, o.Reason, o.Text, o.Who, o.URL)
		}
	}
}

// Each verdict of the gate decides something that no other does: without it one
// of the PRs is evaluated otherwise.
func TestEveryVerdictDecides(t *testing.T) {
	for i := range verdicts {
		others, same := slices.Delete(slices.Clone(verdicts), i, i+1), true
		for _, c := range gateCases() {
			g := c.pr3()
			same = same && g.decide().Text == g.decideBy(others).Text
		}
		if same {
			t.Errorf("verdict %d could be left out", i)
		}
	}
}

// A gateCase is an open PR, and what is said of it.
type gateCase struct {
	g      mergeGate
	state  State
	reason string
	says   string
	who    string
	url    string
}

// pr3 is the PR of a case.
func (c gateCase) pr3() *mergeGate {
	g := c.g
	g.number, g.base, g.work, g.who, g.url, g.abort = 3, "main", "work", "the owner", "https://pr/3", "give up"
	return &g
}

func gateCases() map[string]gateCase {
	const actions = 15368
	run := func(name string, state forge.CheckState, more ...string) forge.Check {
		c := forge.Check{Name: name, App: "github-actions", AppID: actions, State: state, URL: "https://ci/" + name}
		if len(more) > 0 {
			c.Outcome = more[0]
		}
		return c
	}
	wants := func(names ...string) (p forge.Protection) {
		for _, n := range names {
			p.Want(forge.RequiredCheck{Name: n, App: actions})
		}
		return p
	}
	free := forge.Merge{Known: true, State: "clean"}
	return map[string]gateCase{
		"nothing is required, nothing has spoken": {mergeGate{merge: free}, Waiting, "", "PR #3 can be merged", "the owner", "https://pr/3"},
		"all is green": {mergeGate{merge: free, rules: wants("build"), checks: []forge.Check{run("build", forge.CheckPassed), run("docs", forge.CheckSkipped)}},
			Waiting, "", "PR #3 can be merged: one check passed", "the owner", ""},
		"a required check has not begun": {mergeGate{merge: free, rules: wants("build")}, Waiting, "", "waits for the check build, which has not begun", "CI", ""},
		"it never does":                  {mergeGate{merge: free, rules: wants("build"), age: 2 * time.Hour}, Conflict, whyCheckSilent, "which has not begun for an hour", "empty commit", ""},
		"it was renamed":                 {mergeGate{merge: free, rules: wants("build"), checks: []forge.Check{run("Build (linux)", forge.CheckPassed)}, age: 2 * time.Hour}, Conflict, whyCheckSilent, "there is Build (linux), which is not required", "correct the name", ""},
		"it is queued":                   {mergeGate{merge: free, rules: wants("build"), checks: []forge.Check{run("build", forge.CheckQueued)}, age: 2 * time.Hour}, Waiting, "", "waits for the check build (queued)", "CI", "https://ci/build"},
		"it is queued for ever":          {mergeGate{merge: free, rules: wants("build"), checks: []forge.Check{run("build", forge.CheckQueued)}, age: 7 * time.Hour}, Conflict, whyCheckSilent, "queued for six hours", "add a runner", "https://ci/build"},
		"it runs":                        {mergeGate{merge: free, rules: wants("build"), checks: []forge.Check{run("build", forge.CheckRunning)}}, Waiting, "", "waits for the check build (running)", "CI", "https://ci/build"},
		"it is red":                      {mergeGate{merge: free, rules: wants("build"), checks: []forge.Check{run("build", forge.CheckFailed, "timed_out")}}, Conflict, whyCheckRed, "is red: check build ended with timed out", "push a commit that fixes it to work", "https://ci/build"},
		"another one is red":             {mergeGate{merge: free, rules: wants("build"), checks: []forge.Check{run("build", forge.CheckPassed), run("cov", forge.CheckFailed)}}, Waiting, "", "one check passed, cov failed, which is not required", "", ""},
		"one is red, and nobody says which count":    {mergeGate{merge: free, checks: []forge.Check{run("cov", forge.CheckFailed, "failure")}}, Conflict, whyCheckRed, "check cov ended with failure", "", ""},
		"another app says that it is green":          {mergeGate{merge: free, rules: wants("build"), checks: []forge.Check{{Name: "build", App: "evil", AppID: 7, State: forge.CheckPassed}}}, Waiting, "", "it was reported by evil, and main wants it from the app 15368", "", ""},
		"and nobody else does":                       {mergeGate{merge: free, rules: wants("build"), checks: []forge.Check{{Name: "build", App: "evil", AppID: 7, State: forge.CheckPassed}}, age: 2 * time.Hour}, Conflict, whyCheckApp, "it was reported by evil", "the required checks of main", ""},
		"a status of that name is red too":           {mergeGate{merge: free, rules: wants("build"), checks: []forge.Check{run("build", forge.CheckPassed), {Name: "build", State: forge.CheckFailed, Outcome: "error"}}}, Conflict, whyCheckRed, "ended with error", "", ""},
		"a skipped check is what GitHub takes":       {mergeGate{merge: free, rules: wants("build"), checks: []forge.Check{run("build", forge.CheckSkipped, "neutral")}}, Waiting, "", "can be merged", "", ""},
		"one approval by name":                       {mergeGate{merge: free, rules: forge.Protection{Reviews: 1}, owners: []string{"anna", "ben"}}, Waiting, "", "waits for one approval by anna, ben", "anna, ben", ""},
		"two approvals":                              {mergeGate{merge: free, rules: forge.Protection{Reviews: 2}}, Waiting, "", "waits for 2 approvals by the owner", "", ""},
		"an approval of somebody else":               {mergeGate{merge: forge.Merge{Known: true, State: "blocked", Reviews: []forge.Review{{By: "otto", Approves: true}}}, rules: forge.Protection{Reviews: 1, Owners: true}, owners: []string{"anna"}}, Waiting, "", "waits for one approval by anna", "", ""},
		"approved":                                   {mergeGate{merge: forge.Merge{Known: true, State: "clean", Reviews: []forge.Review{{By: "anna", Approves: true}}}, rules: forge.Protection{Reviews: 1}}, Waiting, "", "can be merged: approved by anna", "", ""},
		"changes are asked for":                      {mergeGate{merge: forge.Merge{Known: true, State: "blocked", Reviews: []forge.Review{{By: "otto", URL: "https://review"}}}}, Conflict, whyPRChanges, "waits for changes that otto asks for", "answer otto", "https://review"},
		"it clashes":                                 {mergeGate{merge: forge.Merge{Known: true, Conflicts: true, State: "dirty"}, clashes: []string{"Makefile", "README.md"}}, Conflict, whyPRConflict, "conflicts with main in Makefile; README.md", "merge main into work and push it; or give up", ""},
		"it clashes, and not known where":            {mergeGate{merge: forge.Merge{Known: true, Conflicts: true}}, Conflict, whyPRConflict, "PR #3 conflicts with main", "", ""},
		"a draft":                                    {mergeGate{merge: forge.Merge{Draft: true, Known: true, State: "draft"}}, Waiting, "", "is a draft", "ready for review", ""},
		"in the queue":                               {mergeGate{merge: free, rules: forge.Protection{Queue: true}, queued: true, tried: []forge.Check{run("build", forge.CheckPassed)}}, Waiting, "", "is in the merge queue of main", "the merge queue", ""},
		"the queue's commit is tested":               {mergeGate{merge: free, queued: true, tried: []forge.Check{run("build", forge.CheckRunning)}}, Waiting, "", "waits for the check build (running)", "", ""},
		"the queue's commit is red":                  {mergeGate{merge: free, queued: true, tried: []forge.Check{run("build", forge.CheckFailed, "failure")}}, Conflict, whyCheckRed, "check build ended with failure", "", ""},
		"it may go into the queue":                   {mergeGate{merge: free, rules: forge.Protection{Queue: true}}, Waiting, "", "can be put into the merge queue", "", ""},
		"behind":                                     {mergeGate{merge: forge.Merge{Known: true, State: "behind"}, rules: forge.Protection{Strict: true}}, Waiting, "", "is behind main, which has to be merged into work first", "Update branch", ""},
		"behind, on a forge that has no word for it": {mergeGate{merge: forge.Merge{Known: true, Behind: true}, rules: forge.Protection{Strict: true}}, Waiting, "", "is behind main, which has to be merged into work first", "Update branch", ""},
		"behind, which no rule minds":                {mergeGate{merge: forge.Merge{Known: true, Behind: true}}, Waiting, "", "can be merged", "", ""},
		"a pattern of checks is red":                 {mergeGate{merge: free, rules: forge.Protection{Required: []forge.RequiredCheck{{Name: "ci/*/linux", Glob: true}}}, checks: []forge.Check{run("ci/unit/fast/linux", forge.CheckFailed)}}, Conflict, whyCheckRed, "check ci/unit/fast/linux ended with failure", "", ""},
		"a pattern of checks that none fits":         {mergeGate{merge: free, rules: forge.Protection{Required: []forge.RequiredCheck{{Name: "ci/*/linux", Glob: true}}}, checks: []forge.Check{run("ci/linux", forge.CheckFailed)}}, Waiting, "", "waits for the check ci/*/linux, which has not begun", "", ""},
		"not worked out yet":                         {mergeGate{}, Waiting, "", "has not worked out yet", "", ""},
		"a rule that is not seen":                    {mergeGate{merge: forge.Merge{Known: true, State: "blocked"}}, Waiting, "", "blocked by a rule of main that is not for this token to see", "", ""},
		"checks that are not seen":                   {mergeGate{merge: free, rules: wants("build"), hidden: true}, Waiting, "", "its checks are not for this token to see", "", ""},
	}
}
