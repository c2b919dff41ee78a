package gate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/train"
)

// What an open PR waits for, and why it stops: silence, a name that is required
// and no one reports, an app that is not the one of the rule, and what was skipped
// are no yes.
func TestGateJudges(t *testing.T) {
	for name, c := range gateCases() {
		o := c.pr3().Decide()
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
			same = same && g.Decide().Text == g.decideBy(others).Text
		}
		if same {
			t.Errorf("verdict %d could be left out", i)
		}
	}
}

// A gateCase is an open PR, and what is said of it.
type gateCase struct {
	g      Pull
	state  train.State
	reason string
	says   string
	who    string
	url    string
}

// pr3 is the PR of a case.
func (c gateCase) pr3() *Pull {
	g := c.g
	g.Number, g.Base, g.Work, g.Who, g.URL, g.Abort = 3, "main", "work", "the owner", "https://pr/3", "give up"
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
		"nothing is required, nothing has spoken": {Pull{Merge: free}, train.Waiting, "", "PR #3 can be merged", "the owner", "https://pr/3"},
		"all is green": {Pull{Merge: free, Rules: wants("build"), Checks: []forge.Check{run("build", forge.CheckPassed), run("docs", forge.CheckSkipped)}},
			train.Waiting, "", "PR #3 can be merged: 1 check passed", "the owner", ""},
		"a required check has not begun": {Pull{Merge: free, Rules: wants("build")}, train.Waiting, "", "waits for the check build, which has not begun", "CI", ""},
		"it never does":                  {Pull{Merge: free, Rules: wants("build"), Age: 2 * time.Hour}, train.Conflict, why.CheckSilent, "which has not begun for an hour", "empty commit", ""},
		"it was renamed":                 {Pull{Merge: free, Rules: wants("build"), Checks: []forge.Check{run("Build (linux)", forge.CheckPassed)}, Age: 2 * time.Hour}, train.Conflict, why.CheckSilent, "there is Build (linux), which is not required", "correct the name", ""},
		"it is queued":                   {Pull{Merge: free, Rules: wants("build"), Checks: []forge.Check{run("build", forge.CheckQueued)}, Age: 2 * time.Hour}, train.Waiting, "", "waits for the check build (queued)", "CI", "https://ci/build"},
		"it is queued for ever":          {Pull{Merge: free, Rules: wants("build"), Checks: []forge.Check{run("build", forge.CheckQueued)}, Age: 7 * time.Hour}, train.Conflict, why.CheckSilent, "queued for six hours", "add a runner", "https://ci/build"},
		"it runs":                        {Pull{Merge: free, Rules: wants("build"), Checks: []forge.Check{run("build", forge.CheckRunning)}}, train.Waiting, "", "waits for the check build (running)", "CI", "https://ci/build"},
		"it is red":                      {Pull{Merge: free, Rules: wants("build"), Checks: []forge.Check{run("build", forge.CheckFailed, "timed_out")}}, train.Conflict, why.CheckRed, "is red: check build ended with timed out", "push a commit that fixes it to work", "https://ci/build"},
		"another one is red":             {Pull{Merge: free, Rules: wants("build"), Checks: []forge.Check{run("build", forge.CheckPassed), run("cov", forge.CheckFailed)}}, train.Waiting, "", "1 check passed, cov failed, which is not required", "", ""},
		"one is red, and nobody says which count":    {Pull{Merge: free, Checks: []forge.Check{run("cov", forge.CheckFailed, "failure")}}, train.Conflict, why.CheckRed, "check cov ended with failure", "", ""},
		"another app says that it is green":          {Pull{Merge: free, Rules: wants("build"), Checks: []forge.Check{{Name: "build", App: "evil", AppID: 7, State: forge.CheckPassed}}}, train.Waiting, "", "it was reported by evil, and main wants it from the app 15368", "", ""},
		"and nobody else does":                       {Pull{Merge: free, Rules: wants("build"), Checks: []forge.Check{{Name: "build", App: "evil", AppID: 7, State: forge.CheckPassed}}, Age: 2 * time.Hour}, train.Conflict, why.CheckApp, "it was reported by evil", "the required checks of main", ""},
		"a status of that name is red too":           {Pull{Merge: free, Rules: wants("build"), Checks: []forge.Check{run("build", forge.CheckPassed), {Name: "build", State: forge.CheckFailed, Outcome: "error"}}}, train.Conflict, why.CheckRed, "ended with error", "", ""},
		"a skipped check is what GitHub takes":       {Pull{Merge: free, Rules: wants("build"), Checks: []forge.Check{run("build", forge.CheckSkipped, "neutral")}}, train.Waiting, "", "can be merged", "", ""},
		"one approval by name":                       {Pull{Merge: free, Rules: forge.Protection{Reviews: 1}, Owners: []string{"anna", "ben"}}, train.Waiting, "", "waits for 1 approval by anna, ben", "anna, ben", ""},
		"two approvals":                              {Pull{Merge: free, Rules: forge.Protection{Reviews: 2}}, train.Waiting, "", "waits for 2 approvals by the owner", "", ""},
		"an approval of somebody else":               {Pull{Merge: forge.Merge{Known: true, State: "blocked", Reviews: []forge.Review{{By: "otto", Approves: true}}}, Rules: forge.Protection{Reviews: 1, Owners: true}, Owners: []string{"anna"}}, train.Waiting, "", "waits for 1 approval by anna", "", ""},
		"approved":                                   {Pull{Merge: forge.Merge{Known: true, State: "clean", Reviews: []forge.Review{{By: "anna", Approves: true}}}, Rules: forge.Protection{Reviews: 1}}, train.Waiting, "", "can be merged: approved by anna", "", ""},
		"changes are asked for":                      {Pull{Merge: forge.Merge{Known: true, State: "blocked", Reviews: []forge.Review{{By: "otto", URL: "https://review"}}}}, train.Conflict, why.PRChanges, "waits for changes that otto asks for", "answer otto", "https://review"},
		"it clashes":                                 {Pull{Merge: forge.Merge{Known: true, Conflicts: true, State: "dirty"}, Clashes: []string{"Makefile", "README.md"}}, train.Conflict, why.PRConflict, "conflicts with main in Makefile; README.md", "merge main into work and push it; or give up", ""},
		"it clashes, and not known where":            {Pull{Merge: forge.Merge{Known: true, Conflicts: true}}, train.Conflict, why.PRConflict, "PR #3 conflicts with main", "", ""},
		"a draft":                                    {Pull{Merge: forge.Merge{Draft: true, Known: true, State: "draft"}}, train.Waiting, "", "is a draft", "ready for review", ""},
		"in the queue":                               {Pull{Merge: free, Rules: forge.Protection{Queue: true}, Queued: true, Tried: []forge.Check{run("build", forge.CheckPassed)}}, train.Waiting, "", "is in the merge queue of main", "the merge queue", ""},
		"the queue's commit is tested":               {Pull{Merge: free, Queued: true, Tried: []forge.Check{run("build", forge.CheckRunning)}}, train.Waiting, "", "waits for the check build (running)", "", ""},
		"the queue's commit is red":                  {Pull{Merge: free, Queued: true, Tried: []forge.Check{run("build", forge.CheckFailed, "failure")}}, train.Conflict, why.CheckRed, "check build ended with failure", "", ""},
		"it may go into the queue":                   {Pull{Merge: free, Rules: forge.Protection{Queue: true}}, train.Waiting, "", "can be put into the merge queue", "", ""},
		"behind":                                     {Pull{Merge: forge.Merge{Known: true, State: "behind"}, Rules: forge.Protection{Strict: true}}, train.Waiting, "", "is behind main, which has to be merged into work first", "Update branch", ""},
		"behind, on a forge that has no word for it": {Pull{Merge: forge.Merge{Known: true, Behind: true}, Rules: forge.Protection{Strict: true}}, train.Waiting, "", "is behind main, which has to be merged into work first", "Update branch", ""},
		"behind, which no rule minds":                {Pull{Merge: forge.Merge{Known: true, Behind: true}}, train.Waiting, "", "can be merged", "", ""},
		"a pattern of checks is red":                 {Pull{Merge: free, Rules: forge.Protection{Required: []forge.RequiredCheck{{Name: "ci/*/linux", Glob: true}}}, Checks: []forge.Check{run("ci/unit/fast/linux", forge.CheckFailed)}}, train.Conflict, why.CheckRed, "check ci/unit/fast/linux ended with failure", "", ""},
		"a pattern of checks that none fits":         {Pull{Merge: free, Rules: forge.Protection{Required: []forge.RequiredCheck{{Name: "ci/*/linux", Glob: true}}}, Checks: []forge.Check{run("ci/linux", forge.CheckFailed)}}, train.Waiting, "", "waits for the check ci/*/linux, which has not begun", "", ""},
		"not worked out yet":                         {Pull{}, train.Waiting, "", "has not worked out yet", "", ""},
		"a rule that is not seen":                    {Pull{Merge: forge.Merge{Known: true, State: "blocked"}}, train.Waiting, "", "blocked by a rule of main that is not for this token to see", "", ""},
		"checks that are not seen":                   {Pull{Merge: free, Rules: wants("build"), Hidden: true}, train.Waiting, "", "its checks are not for this token to see", "", ""},
	}
}
