// Package gate decides what an open pull request waits for, or why it cannot go on.
package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
)

// How long a check may be silent before a maintainer has to act: one of which there is
// nothing to be seen, and one that waits for a machine.
const (
	silence = time.Hour
	queuing = 6 * time.Hour
)

// A Pull is all that is known of what an open PR has to pass. decide decides over
// it, and asks no one.
type Pull struct {
	Number  int
	Commit  string // that is tested, where it is about no PR
	Base    string // branch
	Work    string // branch
	Who     string // can merge it
	URL     string
	Abort   string // the command that gives it up
	Ours    bool   // it is a PR to a repository of the project
	Rules   forge.Protection
	Merge   forge.Merge
	Checks  []forge.Check
	Hidden  bool          // the token may not see the checks
	Queued  bool          // it is in the merge queue
	Tried   []forge.Check // of the commit that the queue has made of it
	Clashes []string      // files that both sides have changed; nil = not known
	Owners  []string      // whose review is asked for, by name
	Age     time.Duration // for which the PR has been seen at this commit
}

// A verdict is a rule of the gate: what it says, or nothing.
type verdict func(g *Pull) (o train.Observation, ok bool)

// verdicts are asked in turn; the first that speaks decides.
var verdicts = []verdict{
	(*Pull).draft, (*Pull).clash, (*Pull).refused, (*Pull).red, (*Pull).otherApp, (*Pull).silent, (*Pull).running, (*Pull).unapproved,
	(*Pull).inQueue, (*Pull).behind, (*Pull).unknown,
}

// Decide says what an open PR waits for, or why it cannot go on. What is not seen
// to have passed has not.
func (g *Pull) Decide() train.Observation { return g.decideBy(verdicts) }

// Tested says what is to be waited for where checks alone are required; ok = something is.
func (g *Pull) Tested() (o train.Observation, ok bool) {
	for _, v := range []verdict{(*Pull).red, (*Pull).silent, (*Pull).running} {
		if o, ok := v(g); ok {
			return o, true
		}
	}
	return train.Observation{}, false
}

func (g *Pull) decideBy(verdicts []verdict) train.Observation {
	for _, v := range verdicts {
		if o, ok := v(g); ok {
			return o.At(cmp.Or(o.URL, g.URL))
		}
	}
	if g.Rules.Queue {
		return g.people(g.pr("can be put into the merge queue")+g.passed(), g.Who).At(g.URL)
	}
	return g.people(g.pr("can be merged")+g.passed(), g.Who).At(g.URL)
}

// people is a wait for a maintainer, not for a machine.
func (g *Pull) people(text, who string) train.Observation {
	o := wait(text, who, "")
	o.Ours = g.Ours
	return o
}

func (g *Pull) pr(format string, args ...any) string {
	if g.Number == 0 {
		return fmt.Sprintf("%.7s ", g.Commit) + fmt.Sprintf(format, args...)
	}
	return fmt.Sprintf("PR #%d ", g.Number) + fmt.Sprintf(format, args...)
}

// stop is a stop that who can end.
func (g *Pull) stop(reason, who, text string) (train.Observation, bool) {
	return train.Observation{State: train.Conflict, Reason: reason, Text: text, Who: who}, true
}

// push is what mends a PR by a commit.
func (g *Pull) push() string {
	return "push a commit that fixes it to " + g.Work + " (do not change the versions)"
}

func (g *Pull) draft() (train.Observation, bool) {
	return g.people(g.pr("is a draft"), "its author: mark it as ready for review"), g.Merge.Draft
}

func (g *Pull) clash() (train.Observation, bool) {
	if !g.Merge.Conflicts {
		return train.Observation{}, false
	}
	in := ""
	if len(g.Clashes) > 0 {
		in = " in " + report.Few(g.Clashes, "; ")
	}
	return g.stop(why.PRConflict, "you: merge "+g.Base+" into "+g.Work+" and push it; or "+g.Abort+", delete "+g.Work+" where that leaves it, then run it again", g.pr("conflicts with %s%s", g.Base, in))
}

func (g *Pull) refused() (train.Observation, bool) {
	for _, r := range g.Merge.Reviews {
		if !r.Approves {
			o, ok := g.stop(why.PRChanges, "you: "+g.push()+", or answer "+r.By+", who then approves or dismisses the review", g.pr("waits for changes that %s asks for", r.By))
			return o.At(r.URL), ok
		}
	}
	return train.Observation{}, false
}

// counts says whether a check keeps the PR from being merged: one that is
// required; all of them where no one says which are.
func (g *Pull) counts(c forge.Check) bool {
	if len(g.Rules.Required) == 0 {
		return true
	}
	return slices.ContainsFunc(g.Rules.Required, func(want forge.RequiredCheck) bool { return answers(c, want) })
}

// answers says whether a check is the one that is wanted. Commit statuses do not
// say which app they are of.
func answers(c forge.Check, want forge.RequiredCheck) bool {
	return want.Names(c.Name) && (want.App == 0 || c.AppID == 0 || c.AppID == want.App)
}

func (g *Pull) red() (train.Observation, bool) {
	for _, list := range [][]forge.Check{g.Tried, g.Checks} {
		for _, c := range list {
			if c.State == forge.CheckFailed && g.counts(c) {
				o, ok := g.stop(why.CheckRed, "run it again on the forge; or you: "+g.push(), g.pr("is red: %s", ended(c)))
				return o.At(c.URL), ok
			}
		}
	}
	return train.Observation{}, false
}

// ended tells of a check that failed.
func ended(c forge.Check) string {
	return "check " + c.Name + " ended with " + cmp.Or(strings.ReplaceAll(c.Outcome, "_", " "), "failure") + after(c.Text)
}

// lacking are the required checks of which there is nothing to be seen.
func (g *Pull) lacking() []forge.RequiredCheck {
	return lists.Where(g.Rules.Required, func(want forge.RequiredCheck) bool {
		return !slices.ContainsFunc(g.Checks, func(c forge.Check) bool { return answers(c, want) })
	})
}

// otherApp is a required check that an app has reported which the rule does
// not want it from.
func (g *Pull) otherApp() (train.Observation, bool) {
	for _, want := range g.lacking() {
		i := slices.IndexFunc(g.Checks, func(c forge.Check) bool { return want.Names(c.Name) })
		if i < 0 {
			continue
		}
		text := g.pr("waits for the check %s: it was reported by %s, and %s wants it from the app %d", want.Name, cmp.Or(g.Checks[i].App, "another app"), g.Base, want.App)
		if g.Age < silence {
			return wait(text, "the app that is wanted", g.Checks[i].URL), true
		}
		return g.stop(why.CheckApp, "an administrator: correct the required checks of "+g.Base+"; or the app: report it", text)
	}
	return train.Observation{}, false
}

// Silent is a required check that has not begun.
func (g *Pull) silent() (train.Observation, bool) {
	lacking := g.lacking()
	if len(lacking) == 0 || g.Hidden {
		return train.Observation{}, false
	}
	text := g.pr("waits for the check %s, which has not begun", lacking[0].Name)
	if g.Age < silence {
		return wait(text, "CI", ""), true
	}
	text += " for an hour"
	if more := g.nobodys(); len(more) > 0 {
		text += "; there is " + report.Few(more, "; ") + ", which is not required"
	}
	return g.stop(why.CheckSilent, "start it, or correct the name that "+g.Base+" requires; or you: push an empty commit to "+g.Work, text)
}

// nobodys are the checks that no one requires: one of them may be a renamed one.
func (g *Pull) nobodys() (names []string) {
	for _, c := range g.Checks {
		if !g.counts(c) {
			names = append(names, c.Name)
		}
	}
	return names
}

func (g *Pull) running() (train.Observation, bool) {
	for _, list := range [][]forge.Check{g.Tried, g.Checks} {
		for _, c := range list {
			if c.State != forge.CheckRunning && c.State != forge.CheckQueued || !g.counts(c) {
				continue
			}
			text := g.pr("waits for the check %s (%s)", c.Name, cmp.Or(c.Text, string(c.State)))
			if c.State == forge.CheckQueued && g.Age >= queuing {
				o, ok := g.stop(why.CheckSilent, "an administrator: add a runner for it; or you: push an empty commit to "+g.Work, g.pr("waits for the check %s, which is queued for six hours", c.Name))
				return o.At(c.URL), ok
			}
			return wait(text, "CI", c.URL), true
		}
	}
	return train.Observation{}, false
}

func (g *Pull) approvals() (by []string) {
	for _, r := range g.Merge.Reviews {
		if r.Approves {
			by = append(by, r.By)
		}
	}
	return by
}

// unapproved is a PR that waits for reviews.
func (g *Pull) unapproved() (train.Observation, bool) {
	left := g.Rules.Reviews - len(g.approvals())
	byOwner := g.Rules.Owners && !slices.ContainsFunc(g.approvals(), func(by string) bool { return slices.Contains(g.Owners, by) || len(g.Owners) == 0 })
	if left <= 0 && !byOwner {
		return train.Observation{}, false
	}
	who := cmp.Or(strings.Join(g.Owners, ", "), g.Who)
	return g.people(g.pr("waits for %s by %s", report.Plural(max(left, 1), "approval"), who), who), true
}

func (g *Pull) inQueue() (train.Observation, bool) {
	return wait(g.pr("is in the merge queue of %s", g.Base), "the merge queue", ""), g.Queued
}

func (g *Pull) behind() (train.Observation, bool) {
	behind := g.Merge.Known && (g.Merge.State == "behind" || g.Merge.Behind && g.Rules.Strict)
	return g.people(g.pr("is behind %s, which has to be merged into %s first", g.Base, g.Work), g.Who+" (Update branch)"), behind
}

// unknown is what must not be taken for a yes.
func (g *Pull) unknown() (train.Observation, bool) {
	switch {
	case g.Hidden:
		return g.people(g.pr("is open; its checks are not for this token to see"), g.Who), true
	case !g.Merge.Known:
		return wait(g.pr("is open; the forge has not worked out yet whether it can be merged"), g.Who, ""), true
	case g.Merge.State == "blocked":
		return g.people(g.pr("is blocked by a rule of %s that is not for this token to see", g.Base), g.Who), true
	}
	return train.Observation{}, false
}

// passed tells what a PR has behind it.
func (g *Pull) passed() string {
	n, red := 0, []string{}
	for _, c := range g.Checks {
		switch c.State {
		case forge.CheckPassed:
			n++
		case forge.CheckFailed:
			red = append(red, c.Name)
		}
	}
	var list []string
	if n > 0 {
		list = append(list, report.Plural(n, "check")+" passed")
	}
	if len(red) > 0 {
		list = append(list, report.Few(red, "; ")+" failed, which is not required")
	}
	if by := g.approvals(); len(by) > 0 {
		list = append(list, "approved by "+strings.Join(by, ", "))
	}
	return after(strings.Join(list, ", "))
}

// wait is what the release waits for, and who can end it.
func wait(text, who, url string) train.Observation {
	return train.Observation{State: train.Waiting, Text: text, Who: who, URL: url}
}

// after is a text at the end of a sentence.
func after(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}
