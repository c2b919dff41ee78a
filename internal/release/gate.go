package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// How long a check may be silent before a maintainer has to act: one of which there is
// nothing to be seen, and one that waits for a machine.
const (
	silence = time.Hour
	queuing = 6 * time.Hour
)

// A mergeGate is all that is known of what an open PR has to pass. decide decides over
// it, and asks no one.
type mergeGate struct {
	number  int
	commit  string // that is tested, where it is about no PR
	base    string // branch
	work    string // branch
	who     string // can merge it
	url     string
	abort   string // the command that gives it up
	ours    bool   // it is a PR to a repository of the project
	rules   forge.Protection
	merge   forge.Merge
	checks  []forge.Check
	hidden  bool          // the token may not see the checks
	queued  bool          // it is in the merge queue
	tried   []forge.Check // of the commit that the queue has made of it
	clashes []string      // files that both sides have changed; nil = not known
	owners  []string      // whose review is asked for, by name
	age     time.Duration // for which the PR has been seen at this commit
}

// A verdict is a rule of the gate: what it says, or nothing.
type verdict func(g *mergeGate) (o observation, ok bool)

// verdicts are asked in turn; the first that speaks decides.
var verdicts = []verdict{
	(*mergeGate).draft, (*mergeGate).clash, (*mergeGate).refused, (*mergeGate).red, (*mergeGate).otherApp, (*mergeGate).silent, (*mergeGate).running, (*mergeGate).unapproved,
	(*mergeGate).inQueue, (*mergeGate).behind, (*mergeGate).unknown,
}

// decide says what an open PR waits for, or why it cannot go on. What is not seen
// to have passed has not.
func (g *mergeGate) decide() observation { return g.decideBy(verdicts) }

func (g *mergeGate) decideBy(verdicts []verdict) observation {
	for _, v := range verdicts {
		if o, ok := v(g); ok {
			return o.At(cmp.Or(o.URL, g.url))
		}
	}
	if g.rules.Queue {
		return g.people(g.pr("can be put into the merge queue")+g.passed(), g.who).At(g.url)
	}
	return g.people(g.pr("can be merged")+g.passed(), g.who).At(g.url)
}

// people is a wait for a maintainer, not for a machine.
func (g *mergeGate) people(text, who string) observation {
	o := waiting(text, who, "")
	o.Ours = g.ours
	return o
}

func (g *mergeGate) pr(format string, args ...any) string {
	if g.number == 0 {
		return fmt.Sprintf("%.7s ", g.commit) + fmt.Sprintf(format, args...)
	}
	return fmt.Sprintf("PR #%d ", g.number) + fmt.Sprintf(format, args...)
}

// stop is a stop that who can end.
func (g *mergeGate) stop(reason, who, text string) (observation, bool) {
	o := conflict(reason, "%s", text)
	o.Who = who
	return o, true
}

// push is what mends a PR by a commit.
func (g *mergeGate) push() string {
	return "push a commit that fixes it to " + g.work + " (do not change the versions)"
}

func (g *mergeGate) draft() (observation, bool) {
	return g.people(g.pr("is a draft"), "its author: mark it as ready for review"), g.merge.Draft
}

func (g *mergeGate) clash() (observation, bool) {
	if !g.merge.Conflicts {
		return observation{}, false
	}
	in := ""
	if len(g.clashes) > 0 {
		in = " in " + train.Few(g.clashes)
	}
	return g.stop(whyPRConflict, "you: merge "+g.base+" into "+g.work+" and push it; or "+g.abort+", delete "+g.work+" where that leaves it, then run it again", g.pr("conflicts with %s%s", g.base, in))
}

func (g *mergeGate) refused() (observation, bool) {
	for _, r := range g.merge.Reviews {
		if !r.Approves {
			o, ok := g.stop(whyPRChanges, "you: "+g.push()+", or answer "+r.By+", who then approves or dismisses the review", g.pr("waits for changes that %s asks for", r.By))
			return o.At(r.URL), ok
		}
	}
	return observation{}, false
}

// counts says whether a check keeps the PR from being merged: one that is
// required; all of them where no one says which are.
func (g *mergeGate) counts(c forge.Check) bool {
	if len(g.rules.Required) == 0 {
		return true
	}
	return slices.ContainsFunc(g.rules.Required, func(want forge.RequiredCheck) bool { return answers(c, want) })
}

// answers says whether a check is the one that is wanted. Commit statuses do not
// say which app they are of.
func answers(c forge.Check, want forge.RequiredCheck) bool {
	return want.Names(c.Name) && (want.App == 0 || c.AppID == 0 || c.AppID == want.App)
}

func (g *mergeGate) red() (observation, bool) {
	for _, list := range [][]forge.Check{g.tried, g.checks} {
		for _, c := range list {
			if c.State == forge.CheckFailed && g.counts(c) {
				o, ok := g.stop(whyCheckRed, "run it again on the forge; or you: "+g.push(), g.pr("is red: %s", ended(c)))
				return o.At(c.URL), ok
			}
		}
	}
	return observation{}, false
}

// ended tells of a check that failed.
func ended(c forge.Check) string {
	return "check " + c.Name + " ended with " + cmp.Or(strings.ReplaceAll(c.Outcome, "_", " "), "failure") + told(compact(c.Text))
}

// lacking are the required checks of which there is nothing to be seen.
func (g *mergeGate) lacking() (list []forge.RequiredCheck) {
	for _, want := range g.rules.Required {
		if !slices.ContainsFunc(g.checks, func(c forge.Check) bool { return answers(c, want) }) {
			list = append(list, want)
		}
	}
	return list
}

// otherApp is a required check that an app has reported which the rule does
// not want it from.
func (g *mergeGate) otherApp() (observation, bool) {
	for _, want := range g.lacking() {
		i := slices.IndexFunc(g.checks, func(c forge.Check) bool { return want.Names(c.Name) })
		if i < 0 {
			continue
		}
		text := g.pr("waits for the check %s: it was reported by %s, and %s wants it from the app %d", want.Name, cmp.Or(g.checks[i].App, "another app"), g.base, want.App)
		if g.age < silence {
			return waiting(text, "the app that is wanted", g.checks[i].URL), true
		}
		return g.stop(whyCheckApp, "an administrator: correct the required checks of "+g.base+"; or the app: report it", text)
	}
	return observation{}, false
}

// silent is a required check that has not begun.
func (g *mergeGate) silent() (observation, bool) {
	lacking := g.lacking()
	if len(lacking) == 0 || g.hidden {
		return observation{}, false
	}
	text := g.pr("waits for the check %s, which has not begun", lacking[0].Name)
	if g.age < silence {
		return waiting(text, "CI", ""), true
	}
	text += " for an hour"
	if more := g.nobodys(); len(more) > 0 {
		text += "; there is " + train.Few(more) + ", which is not required"
	}
	return g.stop(whyCheckSilent, "start it, or correct the name that "+g.base+" requires; or you: push an empty commit to "+g.work, text)
}

// nobodys are the checks that no one requires: one of them may be a renamed one.
func (g *mergeGate) nobodys() (names []string) {
	for _, c := range g.checks {
		if !g.counts(c) {
			names = append(names, c.Name)
		}
	}
	return names
}

func (g *mergeGate) running() (observation, bool) {
	for _, list := range [][]forge.Check{g.tried, g.checks} {
		for _, c := range list {
			if c.State != forge.CheckRunning && c.State != forge.CheckQueued || !g.counts(c) {
				continue
			}
			text := g.pr("waits for the check %s (%s)", c.Name, cmp.Or(c.Text, string(c.State)))
			if c.State == forge.CheckQueued && g.age >= queuing {
				o, ok := g.stop(whyCheckSilent, "an administrator: add a runner for it; or you: push an empty commit to "+g.work, g.pr("waits for the check %s, which is queued for six hours", c.Name))
				return o.At(c.URL), ok
			}
			return waiting(text, "CI", c.URL), true
		}
	}
	return observation{}, false
}

func (g *mergeGate) approvals() (by []string) {
	for _, r := range g.merge.Reviews {
		if r.Approves {
			by = append(by, r.By)
		}
	}
	return by
}

// unapproved is a PR that waits for reviews.
func (g *mergeGate) unapproved() (observation, bool) {
	left := g.rules.Reviews - len(g.approvals())
	byOwner := g.rules.Owners && !slices.ContainsFunc(g.approvals(), func(by string) bool { return slices.Contains(g.owners, by) || len(g.owners) == 0 })
	if left <= 0 && !byOwner {
		return observation{}, false
	}
	who := cmp.Or(strings.Join(g.owners, ", "), g.who)
	return g.people(g.pr("waits for %s by %s", counted(max(left, 1), "approval"), who), who), true
}

func (g *mergeGate) inQueue() (observation, bool) {
	return waiting(g.pr("is in the merge queue of %s", g.base), "the merge queue", ""), g.queued
}

func (g *mergeGate) behind() (observation, bool) {
	behind := g.merge.Known && (g.merge.State == "behind" || g.merge.Behind && g.rules.Strict)
	return g.people(g.pr("is behind %s, which has to be merged into %s first", g.base, g.work), g.who+" (Update branch)"), behind
}

// unknown is what must not be taken for a yes.
func (g *mergeGate) unknown() (observation, bool) {
	switch {
	case g.hidden:
		return g.people(g.pr("is open; its checks are not for this token to see"), g.who), true
	case !g.merge.Known:
		return waiting(g.pr("is open; the forge has not worked out yet whether it can be merged"), g.who, ""), true
	case g.merge.State == "blocked":
		return g.people(g.pr("is blocked by a rule of %s that is not for this token to see", g.base), g.who), true
	}
	return observation{}, false
}

// passed tells what a PR has behind it.
func (g *mergeGate) passed() string {
	n, red := 0, []string{}
	for _, c := range g.checks {
		switch c.State {
		case forge.CheckPassed:
			n++
		case forge.CheckFailed:
			red = append(red, c.Name)
		}
	}
	var list []string
	if n > 0 {
		list = append(list, counted(n, "check")+" passed")
	}
	if len(red) > 0 {
		list = append(list, train.Few(red)+" failed, which is not required")
	}
	if by := g.approvals(); len(by) > 0 {
		list = append(list, "approved by "+strings.Join(by, ", "))
	}
	return told(compact(strings.Join(list, ", ")))
}

func counted(n int, thing string) string {
	if n == 1 {
		return "one " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// unseen says whether an answer means that the token may not see something, or
// that the forge has no such thing.
func unseen(err error) bool {
	return errors.Is(err, wire.ErrNotFound) || errors.Is(err, forge.ErrLacks) || forge.Refused(err, http.StatusForbidden) || forge.Refused(err, http.StatusUnprocessableEntity)
}

// checks are those of a commit, read once a look.
func (v *View) checks(ctx context.Context, repo, commit string) ([]forge.Check, error) {
	return recall(v, "checks "+repo+" "+commit, func() ([]forge.Check, error) {
		if commit == "" {
			return nil, fmt.Errorf("checks of no commit: %w", wire.ErrNotFound)
		}
		return v.forge.Checks(ctx, repo, commit)
	})
}

// rules are those of a branch, read once a run: they are not what is waited for.
func (v *View) rules(ctx context.Context, repo, branch string) (forge.Protection, error) {
	return train.Keep(v.View, "rules "+repo+" "+branch, func() (forge.Protection, error) { return v.forge.Protection(ctx, repo, branch) })
}

// open is what an open PR waits for, as far as the forge says so.
func (p *proposal) open(ctx context.Context, v *View, pull forge.Pull) (observation, error) {
	g := &mergeGate{number: pull.Number, base: p.base, work: p.work(v), who: p.who, url: pull.URL, abort: "cfctl release abort " + p.train.Version, ours: p.ours(), age: p.age(v, pull.Head)}
	var err error
	g.merge, err = recall(v, fmt.Sprintf("merge %s %d", p.repo, pull.Number), func() (forge.Merge, error) { return v.forge.Merge(ctx, p.repo, pull.Number) })
	if unseen(err) {
		return p.wait(fmt.Sprintf("PR #%d is open", pull.Number), pull.URL), nil
	}
	if err == nil {
		g.rules, err = v.rules(ctx, p.repo, p.base)
	}
	if err == nil {
		g.checks, err = v.checks(ctx, p.repo, pull.Head)
		if unseen(err) {
			g.hidden, err = true, nil
		}
	}
	if err == nil {
		err = p.queue(ctx, v, g)
	}
	if err != nil {
		return observation{}, err
	}
	p.details(ctx, v, g, pull)
	return g.decide(), nil
}

// age is for how long this release has seen its PR at a commit.
func (p *proposal) age(v *View, head string) time.Duration {
	for _, r := range v.Journal {
		if r.Step == p.step("merged") && r.Facts["head"] == head {
			return v.Now().Sub(r.Time)
		}
	}
	return 0
}

// queue looks whether the PR is in the merge queue of its base. GitHub makes a
// branch there for it, gh-readonly-queue/BASE/pr-NUMBER-COMMIT.
func (p *proposal) queue(ctx context.Context, v *View, g *mergeGate) error {
	heads, err := v.heads(ctx, p.repo)
	if err != nil {
		return err
	}
	prefix := fmt.Sprintf("gh-readonly-queue/%s/pr-%d-", p.base, g.number)
	for name, commit := range heads.Branches {
		if strings.HasPrefix(name, prefix) {
			g.queued = true
			if g.tried, err = v.checks(ctx, p.repo, commit); unseen(err) {
				err = nil
			}
			return err
		}
	}
	return nil
}

// details are names that help people: which files clash, whose review is asked for.
// What cannot be had is left out.
func (p *proposal) details(ctx context.Context, v *View, g *mergeGate, pull forge.Pull) {
	g.owners = g.merge.Asked
	heads, err := v.heads(ctx, p.repo)
	if err != nil {
		return
	}
	base := heads.Branches[p.base]
	if g.merge.Conflicts || g.merge.Unclear {
		g.clashes, _ = recall(v, "clashes "+base+" "+pull.Head, func() ([]string, error) { return v.git.Clashes(ctx, p.repo, base, pull.Head) })
	}
	g.merge.Conflicts = g.merge.Conflicts || len(g.clashes) > 0
}
