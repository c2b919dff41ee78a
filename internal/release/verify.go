package release

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

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
		{ID: "foreign", Doc: "what is there is not what the release made", Severity: report.Error},
		{ID: "catalog-edited", Doc: "the catalog does not have the bundle as it was merged", Severity: report.Error},
		{ID: "document-edited", Doc: "a document downstream does not name the versions of the release, nor later ones", Severity: report.Error},
		{ID: "skipped", Doc: "a step was skipped, and why", Severity: report.Note},
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
	if err := trusted(t, env); err != nil {
		return nil, err
	}
	v := newView(t, env)
	warm(ctx, v)
	var findings []report.Finding
	for _, s := range t.Steps() {
		if s.Approval {
			continue
		}
		o, err := s.Observe(ctx, v)
		if errors.Is(err, errUnknown) { // since a step before it is not as it was
			o, err = Observation{State: Blocked, Text: err.Error()}, nil
		}
		if err != nil {
			return findings, fmt.Errorf("%s: %w", s.Name, err)
		}
		v.facts.put(s.Name, o)
		findings = append(findings, judge(s, o, v.Past.Last(s.Name, recDone))...)
	}
	for _, look := range []func(context.Context, *View) ([]report.Finding, error){matrixEdited, catalogEdited, documentsEdited} {
		more, err := look(ctx, v)
		if errors.Is(err, errUnknown) {
			continue
		}
		if findings = append(findings, more...); err != nil {
			return findings, err
		}
	}
	return findings, nil
}

// catalogEdited holds the bundle that the catalog has now against the one that
// was merged, file by file.
func catalogEdited(ctx context.Context, v *View) ([]report.Finding, error) {
	t, c := v.Train, v.Train.Recipe.Catalog
	if c == nil || !v.Reached("catalog-merged") || v.skipped("catalog-merged") {
		return nil, nil
	}
	merged, err := v.tree(ctx, c.Repository, v.Fact("catalog-merged", "commit"), true)
	if err != nil {
		return nil, err
	}
	now, err := v.catalogMain(ctx)
	if err != nil {
		return nil, err
	}
	folder := path.Join(c.Path, bare(t.Version))
	was, err := filesOf(merged.Files, folder)
	if err != nil {
		return nil, err
	}
	have, err := filesOf(now.Files, folder)
	if err != nil {
		return nil, err
	}
	var findings []report.Finding
	for _, text := range filesDiffer(folder, have, was) {
		findings = append(findings, report.Finding{Rule: "catalog-edited", Severity: report.Error, Message: c.Branch + " of " + c.Repository + ": " + text})
	}
	return findings, nil
}

// documentsEdited holds the documents downstream, as they are now, against the
// versions of the release. A later release may have moved them on.
func documentsEdited(ctx context.Context, v *View) ([]report.Finding, error) {
	var findings []report.Finding
	for i := range v.Train.Recipe.Downstream {
		d := &v.Train.Recipe.Downstream[i]
		merged := d.Name + "-merged"
		if !v.Reached(merged) || v.skipped(merged) {
			continue // told as not done, or not of this era
		}
		h, err := v.heads(ctx, d.Repository)
		if err != nil {
			return findings, err
		}
		tree, err := v.tree(ctx, d.Repository, h.Branches[d.Branch], true)
		if err != nil {
			return findings, err
		}
		changes, err := v.Train.setDocument(d, tree.Files)
		if errors.Is(err, stack.ErrNoMatch) {
			findings = append(findings, report.Finding{Rule: "document-edited", Severity: report.Error, Message: err.Error()})
			continue
		}
		if err != nil {
			return findings, err
		}
		texts, err := differences(tree.Files, changes)
		if err != nil {
			return findings, err
		}
		for _, text := range texts {
			findings = append(findings, report.Finding{Rule: "document-edited", Severity: report.Error, Message: d.Branch + " of " + d.Repository + ": " + text})
		}
	}
	return findings, nil
}

// judge compares what a step sees with what it saw when it was done.
func judge(s *Step, o Observation, then *Record) []report.Finding {
	if reason := o.Facts["skipped"]; reason != "" {
		return []report.Finding{{Rule: "skipped", Severity: report.Note, Message: s.Name + " was " + o.Text}}
	}
	findings := drifted(s, o, then)
	if o.State != Done && len(findings) == 0 {
		rule := "not-done"
		if o.State == Foreign {
			rule = "foreign"
		}
		return []report.Finding{{Rule: rule, Severity: report.Error, Message: s.Name + " is " + string(o.State) + ": " + o.Text, URL: o.URL, Hint: o.Who}}
	}
	return findings
}

// drifted are the pieces of evidence that are not what the journal has.
func drifted(s *Step, o Observation, then *Record) []report.Finding {
	if then == nil || o.Facts["kept"] != "" || o.State != Done && o.State != Foreign {
		return nil
	}
	var findings []report.Finding
	for _, d := range drifts {
		want, have := then.Facts[d.key], o.Facts[d.key]
		if want == "" || have == "" || want == have || o.Facts["nothing"] != "" && then.Facts["nothing"] != "" {
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
	texts, err := t.referencesDiffer(ctx, v, tree.Files)
	var findings []report.Finding
	for _, text := range texts {
		findings = append(findings, report.Finding{Rule: "matrix-edited", Severity: report.Error,
			Message: fmt.Sprintf("%s of %s does not hold the versions of %s any more: %s", t.branch(root), root.Repository, t.Version, text)})
	}
	return findings, err
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
	fresh := rs.Last("", recBegin) == nil
	if fresh {
		rs = append(Records{beginRecord(t, t.Steps(), env.Now(), "")}, rs...)
	}
	s, _ := ReadStatus(t.Version, rs)
	if fresh {
		s.Began = time.Time{}
	}
	for i := range s.Steps {
		st := &s.Steps[i]
		if o := r.Of(st.Name); o != nil {
			if o.State != st.State {
				st.Since = env.Now()
			}
			st.State, st.Text, st.Who, st.URL, st.Reason, st.Facts = o.State, o.Text, o.Who, o.URL, o.Reason, o.Facts
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
