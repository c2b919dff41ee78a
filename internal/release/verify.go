package release

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// drifts say what it means when a piece of evidence is not what the journal
// has.
var drifts = []struct {
	key  string
	rule report.Rule
}{
	{"commit", report.Rule{ID: "tag-moved", Doc: "a tag or merge stands at another commit than it was released at"}},
	{"object", report.Rule{ID: "tag-replaced", Doc: "a tag is another object than the one that was pushed"}},
	{"digest", report.Rule{ID: "image-retagged", Doc: "an image tag has another digest than it was released with"}},
	{"notes", report.Rule{ID: "notes-edited", Doc: "the notes are not the ones that were published"}},
	{"name", report.Rule{ID: "title-edited", Doc: "the release has another title"}},
}

// VerifyRules lists what Verify finds.
func VerifyRules() []report.Rule {
	rules := []report.Rule{
		{ID: "not-done", Doc: "a step of the release is not done", Severity: report.Error},
		{ID: "matrix-edited", Doc: "the versions on the release branch are not the ones of the newest release", Severity: report.Error},
	}
	for _, d := range drifts {
		d.rule.Severity = report.Error
		rules = append(rules, d.rule)
	}
	return rules
}

// Verify observes every effect of a release again and holds it against the
// evidence in the journal.
func Verify(ctx context.Context, t *Train, env *Env) ([]report.Finding, error) {
	v := newView(t, env)
	warm(ctx, v)
	var findings []report.Finding
	for _, s := range t.Steps() {
		if s.Approval {
			continue
		}
		o, err := s.Observe(ctx, v)
		if err != nil {
			return findings, fmt.Errorf("%s: %w", s.Name, err)
		}
		v.facts.put(s.Name, o)
		findings = append(findings, judge(s, o, v.Journal.Last(s.Name, recDone))...)
	}
	more, err := matrixEdited(ctx, v)
	return append(findings, more...), err
}

// judge compares what a step sees with what it saw when it was done.
func judge(s *Step, o Observation, then *Record) []report.Finding {
	if o.State != Done {
		return []report.Finding{{Rule: "not-done", Severity: report.Error, Message: s.Name + " is " + string(o.State) + ": " + o.Text, URL: o.URL, Hint: o.Who}}
	}
	if then == nil || o.Facts["kept"] != "" {
		return nil
	}
	var findings []report.Finding
	for _, d := range drifts {
		want, have := then.Facts[d.key], o.Facts[d.key]
		if want == "" || have == "" || want == have {
			continue
		}
		findings = append(findings, report.Finding{
			Rule: d.rule.ID, Severity: report.Error, Expected: want, Actual: have, URL: o.URL,
			Message: fmt.Sprintf("%s: %s is %.19s, and was released as %.19s on %s", s.Name, d.key, have, want, then.Time.Format("2006-01-02"))})
	}
	return findings
}

// matrixEdited looks at the branch that the newest release was made from: the
// versions there are the ones of that release until the next one begins.
func matrixEdited(ctx context.Context, v *View) ([]report.Finding, error) {
	t, root := v.Train, v.Train.root()
	h, err := v.heads(ctx, root.Repository)
	if err != nil || newest(root, h.Tags, "") != t.Version {
		return nil, err
	}
	tree, err := v.rootMain(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := t.references(ctx, v, tree.Files)
	if errors.Is(err, stack.ErrNoMatch) {
		return []report.Finding{{Rule: "matrix-edited", Severity: report.Error, Message: err.Error()}}, nil
	}
	if err != nil {
		return nil, err
	}
	var findings []report.Finding
	for _, c := range changes {
		findings = append(findings, report.Finding{Rule: "matrix-edited", Severity: report.Error, Path: c.Path,
			Message: fmt.Sprintf("%s of %s does not hold the versions of %s any more", t.branch(root), root.Repository, t.Version)})
	}
	return findings, nil
}

// An Aborted says what Abort did.
type Aborted struct {
	Undone []string
	Stays  []string // what is published, and stays
}

// Abort takes back what is not published yet: open PRs, branches, drafts.
// What is published stays, and is listed.
func Abort(ctx context.Context, t *Train, env *Env, who string) (*Aborted, error) {
	d, err := newDriver(t, env, Choices{Who: who})
	if err != nil {
		return nil, err
	}
	out := &Aborted{}
	for _, s := range d.steps {
		if s.Act == nil || s.Undo != nil && s.Name != releaseStep {
			continue
		}
		if o, err := s.Observe(ctx, d.view); err == nil && o.State == Done {
			out.Stays = append(out.Stays, s.Title+": "+o.Text)
		}
	}
	for _, s := range slices.Backward(d.steps) {
		if s.Undo == nil {
			continue
		}
		d.view.forget()
		text, err := s.Undo(ctx, d.hands, Observation{})
		if err != nil {
			return out, fmt.Errorf("%s: %w", s.Name, err)
		}
		if text == "" {
			continue
		}
		out.Undone = append(out.Undone, text)
		if err := d.record(ctx, Record{Kind: recAbort, Step: s.Name, Text: text, Who: who}); err != nil {
			return out, err
		}
	}
	return out, d.record(ctx, Record{Kind: recAbort, Text: fmt.Sprintf("%d undone", len(out.Undone)), Who: who})
}

// Refresh is the status of a release as the world shows it now.
func Refresh(ctx context.Context, t *Train, env *Env) (*Status, error) {
	r, err := Plan(ctx, t, env)
	if err != nil {
		return nil, err
	}
	var rs Records
	if env.Journal != nil {
		rs = env.Journal.Records()
	}
	if rs.Last("", recBegin) == nil {
		rs = append(Records{beginRecord(t, t.Steps(), env.Now(), "")}, rs...)
	}
	s, _ := ReadStatus(t.Version, rs)
	for i := range s.Steps {
		st := &s.Steps[i]
		if o := r.Of(st.Name); o != nil {
			if o.State != st.State {
				st.Since = env.Now()
			}
			st.State, st.Text, st.Who, st.URL, st.Facts = o.State, o.Text, o.Who, o.URL, o.Facts
			if o.State == Missing || o.State == Waiting {
				st.State = Blocked
			}
		}
	}
	s.block()
	for i := range s.Steps {
		st := &s.Steps[i]
		if o := r.Of(st.Name); o != nil && st.State == Missing && o.State == Waiting {
			st.State, st.Text = Waiting, o.Text
		}
	}
	s.Next = ""
	s.summarise(rs)
	return s, nil
}
