package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/report"
)

// PlanStep is what is approved when a release is to go on by another plan than the
// one it began with (release approve VERSION plan). It is no step.
const PlanStep = "plan"

// RunRules lists what a run finds of the plan.
func RunRules() []report.Rule {
	return []report.Rule{
		{ID: planChanged, Doc: "the plan is the one that the release began with", Severity: report.Error},
		{ID: toolChanged, Doc: "the release is driven with the cfctl that drove it before", Severity: report.Note},
	}
}

// The rules of findings about the plan.
const (
	planChanged = "plan-changed"
	toolChanged = "other-version"
)

// A PlanChangedError says that this train is not the release that was begun: steps
// of that are gone, are not waited for any more, or act on something else.
type PlanChangedError struct {
	version     string
	differences []string
	command     string // that accepts the plan as it is now
	complete    bool   // the release was completed by its own plan
	begun       *Record
	tool        string
}

func (e *PlanChangedError) Error() string {
	with := ""
	if e.begun.Tool != "" && e.tool != "" && e.begun.Tool != e.tool {
		with = fmt.Sprintf(" with cfctl %s, this is %s", e.begun.Tool, e.tool)
	}
	return fmt.Sprintf("%s: the release was begun by another plan%s: %s", e.version, with, strings.Join(e.differences, "; "))
}

// Finding is the error as what is found before the first effect.
func (e *PlanChangedError) Finding() report.Finding {
	f := report.Finding{Rule: planChanged, Severity: report.Error, Message: e.Error(), Hint: "run it with the configuration that it started with; or, to use this one: " + e.command}
	if e.complete {
		f.Severity, f.Hint = report.Note, ""
		f.Message += "; it is complete, and this configuration is not applied to it"
	}
	return f
}

// agreed is the begin whose plan the release follows: the first, any later one that
// drops nothing of it, and one that a maintainer has accepted. nil: it was not begun.
func (rs Records) agreed() *Record {
	var base, last *Record
	for i := range rs {
		switch r := &rs[i]; {
		case r.Kind == KindBegin:
			if last = r; base == nil || len(dropped(base.Plan, r.Plan, rs)) == 0 {
				base = r
			}
		case r.Kind == KindApprove && r.Step == PlanStep && last != nil:
			base = last
		}
	}
	return base
}

// dropped says what a plan does not have that another one had. Titles are for
// people, and steps that are new wait for the approvals that there are.
func dropped(was, now []PlannedStep, rs Records) []string {
	var list []string
	name := func(s PlannedStep) string { return s.Name }
	have, before := lists.By(now, name), lists.By(was, name)
	for _, s := range was {
		n, there := have[s.Name]
		switch {
		case there:
		case rs.Last(s.Name, KindSkip) != nil:
			continue
		case s.Approval:
			list = append(list, "the approval "+s.Name+" is gone")
			continue
		default:
			list = append(list, "the step "+s.Name+" is gone")
			continue
		}
		if s.Target != "" && n.Target != "" && s.Target != n.Target {
			list = append(list, fmt.Sprintf("%s acts on %s, and began with %s", s.Name, n.Target, s.Target))
		}
		for _, need := range s.Needs {
			if h, there := have[need]; there && before[need].Approval && (!h.Approval || !slices.Contains(n.Needs, need)) {
				list = append(list, s.Name+" does not wait for "+need+" any more")
			}
		}
	}
	return list
}

// changedPlan says whether this train lacks something of the one that the release
// was begun with. rs are the records of its epoch.
func (t *Train[V, H]) changedPlan(rs Records) error {
	base := rs.agreed()
	if base == nil {
		return nil
	}
	list := dropped(base.Plan, t.planned(), rs)
	if len(list) == 0 {
		return nil
	}
	return &PlanChangedError{
		version: t.Version, differences: list, command: t.commandOf("approve", PlanStep),
		complete: rs.Last("", KindEnd) != nil, begun: base, tool: t.Tool,
	}
}

func (t *Train[V, H]) planned() []PlannedStep { return lists.Of(t.Steps, (*Step[V, H]).planned) }

// unchanged is the result of a run that does nothing, since the plan is another one.
// A release that is complete by its own plan is complete.
func (t *Train[V, H]) unchanged(rs Records, e *PlanChangedError) *Result {
	r := &Result{Findings: []report.Finding{e.Finding()}}
	if e.complete {
		for _, s := range e.begun.Plan {
			st := stepStatus(s, rs)
			st.State = Done
			r.Steps = append(r.Steps, StepResult{s, st.Observation, nil})
		}
	}
	return r
}

// otherTool says that another cfctl goes on with the release.
func otherTool(tool string, rs Records) []report.Finding {
	begin := rs.Last("", KindBegin)
	if begin == nil || begin.Tool == "" || tool == "" || begin.Tool == tool {
		return nil
	}
	return []report.Finding{{Rule: toolChanged, Severity: report.Note, Message: fmt.Sprintf("the release was driven with cfctl %s so far, and this is %s", begin.Tool, tool)}}
}

// Replan records that a maintainer accepts the plan as it is now, for a release that
// began with another one. It returns what is different.
func (t *Train[V, H]) Replan(ctx context.Context, env *Env, who string) ([]string, error) {
	d, err := t.driver(env, Choices{Who: who, replan: true})
	if err != nil {
		return nil, err
	}
	var changed *PlanChangedError
	_ = errors.As(t.changedPlan(d.view.Journal), &changed) // nil where nothing changed
	if changed == nil {
		return nil, fmt.Errorf("%s: the plan is the one that the release began with", t.Version)
	}
	return changed.differences, d.record(ctx, Record{Kind: KindApprove, Step: PlanStep, Who: who, Text: strings.Join(changed.differences, "; ")})
}
