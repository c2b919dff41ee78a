package release

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// settle undoes by hand what people did, newest first, and goes on with the
// release as its texts say: it arrives.
func (k *walk) settle() {
	for _, back := range slices.Backward(k.undo) {
		back()
	}
	k.locked(func(f *fakeForge) { f.Fault, f.Late, f.Unseen, f.Says = nil, 0, 0, forgetest.Says{} })
	k.faulty = false
	var r *Result
	for range 24 {
		if r, _ = k.runTrain(0, Choices{}, 0); r == nil || len(r.Steps) > 0 && r.Complete() || len(k.broken) > 0 {
			break
		}
		for _, s := range r.Steps {
			if s.State == Conflict || s.State == Unmanaged || s.Approval && s.State == Waiting {
				k.obeys(&s)
				break
			}
		}
		k.everybody()
	}
	if len(k.broken) > 0 {
		return
	}
	if r == nil || len(r.Steps) == 0 || !r.Complete() {
		k.fail("what is undone by hand goes on", "%s", at(r))
		return
	}
	if _, did := k.runTrain(0, Choices{}, 0); len(did) > 0 {
		k.fail("a run with nothing to do has no effect", "%q", did)
	}
	if n, m := len(k.chat.texts()), len(k.mail.ids()); n != 1 || m != 1 {
		k.fail("it is announced", "%d messages, %d mails", n, m)
	}
	k.watched(0, func(env *Env, _ *wire.Queue) error {
		findings, err := On(k.train("v0.2.0"), env).Verify(context.Background(), &env.Env)
		for _, f := range findings {
			if f.Severity == report.Error {
				k.fail("verify is green", "%s: %s", f.Rule, f.Message)
			}
		}
		if err != nil {
			k.fail("verify is green", "%v", err)
		}
		return err
	})
}

// at says where a run is.
func at(r *Result) string {
	if r == nil {
		return "no result"
	}
	var list []string
	for _, f := range r.Findings {
		if f.Severity == report.Error {
			list = append(list, f.Rule+" "+f.Message)
		}
	}
	for _, s := range r.Steps {
		if s.State != Done && s.State != Blocked {
			list = append(list, fmt.Sprintf("%s is %s %s: %s (%s) %v", s.Name, s.State, s.Reason, s.Text, s.Who, s.Err))
		}
	}
	return strings.Join(list, "; ")
}

// obeys does what a stop says, as a maintainer does who has undone what can be undone.
func (k *walk) obeys(s *train.StepResult) {
	switch s.Reason {
	case why.BranchUnmanaged:
		k.unbranched(s.Text)
	case why.PRConflict:
		k.abort(0)
		k.unbranched("orchard/operator orchard/sorter orchard/community-operators downstream/workloads") // where that leaves it
		k.locked(func(f *fakeForge) { f.Says.Merge = nil })
	case why.Unsure:
		k.watched(0, func(env *Env, _ *wire.Queue) error {
			return On(k.train("v0.2.0"), env).Approve(context.Background(), &env.Env, s.Name, "rita", len(k.chat.texts()) > 0)
		})
	case why.RunFailed:
		k.locked(func(f *fakeForge) {
			for _, x := range f.Runs {
				if x.Result == "failure" {
					x.Status, x.Result = "queued", ""
				}
			}
		})
	default:
		for _, m := range commands.FindAllStringSubmatch(s.Who, -1) {
			switch {
			case m[1] == "abort":
				k.abort(0)
				return
			case m[1] == "approve" && m[4] == "":
				k.watched(0, func(env *Env, _ *wire.Queue) error {
					return On(k.train("v0.2.0"), env).Approve(context.Background(), &env.Env, m[3], "rita", false)
				})
				return
			}
		}
	}
}

// unbranched deletes the work branches of the repositories that a text names.
func (k *walk) unbranched(text string) {
	for i, repo := range places {
		if strings.Contains(text, repo) {
			k.deletesBranch(i)
		}
	}
}
