package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// settleTime is how long a server may take to show a run that it was asked to
// start. Until then nothing is dispatched again.
const settleTime = 2 * time.Minute

// A dispatch starts the workflow that makes the release of a component, and
// finds exactly that run again: by the id that the server answers; where it
// answers none, by what is known of it.
type dispatch struct {
	tagger
	build *recipe.Build
}

func (d *dispatch) observe(ctx context.Context, v *View) (Observation, error) {
	if o, other := d.otherwise(v); other {
		return o, nil
	}
	h, err := v.Heads(ctx, d.c.Repository)
	if err != nil {
		return Observation{}, err
	}
	if ref, ok := h.Tags[d.Tag(d.c)]; ok {
		return d.owned(ctx, v, ref)
	}
	if id := d.recorded(v); id != 0 {
		run, err := Recall(v, fmt.Sprintf("run %s %d", d.c.Repository, id), func() (forge.WorkflowRun, error) {
			runs, err := forge.As[forge.RunReader](v.Forge, "workflows")
			if err != nil {
				return forge.WorkflowRun{}, err
			}
			return runs.Run(ctx, d.c.Repository, id)
		})
		if err == nil {
			return d.ofRun(run), nil
		}
		if !errors.Is(err, wire.ErrNotFound) {
			return Observation{}, err
		}
		return conflict(why.RunGone, "run %d, which was dispatched, is not there any more", id).By("a maintainer: dispatch " + d.build.Workflow + " by hand"), nil
	}
	commit := h.Branches[d.Branch(d.c)]
	if commit == "" {
		return v.branchless(ctx, d.c.Repository, d.Branch(d.c)), nil
	}
	runs, err := d.runs(ctx, v)
	if err != nil {
		return Observation{}, err
	}
	return d.correlate(ctx, v, commit, runs)
}

// runs are the runs of the workflow that were dispatched, newest first.
func (d *dispatch) runs(ctx context.Context, v *View) ([]forge.WorkflowRun, error) {
	return Recall(v, "runs "+d.c.Repository+" "+d.build.Workflow, func() ([]forge.WorkflowRun, error) {
		runs, err := forge.As[forge.RunReader](v.Forge, "workflows")
		if err != nil {
			return nil, err
		}
		return runs.Runs(ctx, d.c.Repository, d.build.Workflow)
	})
}

// recorded is the id of the run that the server answered; 0 = it answered none.
func (d *dispatch) recorded(v *View) int64 {
	r := v.Journal.Last(d.step(), RecEffect)
	if r == nil {
		return 0
	}
	id, _ := strconv.ParseInt(r.Facts["run"], 10, 64)
	return id
}

// correlate finds the run among those of the workflow, or says that there is
// none to find.
func (d *dispatch) correlate(ctx context.Context, v *View, commit string, runs []forge.WorkflowRun) (Observation, error) {
	intent := v.Journal.Last(d.step(), RecIntent)
	ours := d.candidates(runs, commit, intent)
	switch {
	case len(ours) == 1:
		return d.ofRun(ours[0]), nil
	case len(ours) > 1:
		return conflict(why.Runs, "%d runs of %s may be the one that was dispatched: %s", len(ours), d.build.Workflow, runIDs(ours)).At(ours[0].URL).
			By("a maintainer: cancel the runs that are not for " + d.Tag(d.c)), nil
	}
	if intent != nil {
		asked := v.Journal.Last(d.step(), RecEffect) != nil
		switch age := v.Now().Sub(intent.Time); {
		case age < -settleTime: // neither a wait by this clock nor a second dispatch is right
			o := conflict(why.Clock, "the clock is %v behind the one that the journal was written by: so that it is not known whether the run of %s has started",
				-age.Round(time.Second), d.build.Workflow).At(d.page())
			o.Who = "you: set the clock of this machine"
			return o, nil
		case asked && age < 15*settleTime:
			return waiting(d.build.Workflow+" was dispatched, and its run is not there yet", "GitHub Actions", d.page()), nil
		case !asked && age < settleTime:
			return waiting("whether "+d.build.Workflow+" was dispatched is known in two minutes", "the clock", d.page()), nil
		}
	}
	return d.missing(ctx, v, commit, runs)
}

// candidates are the runs that can be the one that was dispatched: that name
// the tag (a workflow with run-name); else those that began after what was
// seen before the dispatch, of the same account and branch. Without a journal:
// those that are under way on the very commit. What ended badly and was
// dispatched by hand before is none.
func (d *dispatch) candidates(runs []forge.WorkflowRun, commit string, intent *train.Record) []forge.WorkflowRun {
	tag := d.Tag(d.c)
	var named, likely []forge.WorkflowRun
	for _, r := range runs {
		switch {
		case NamesTag(r.Title, tag):
			named = append(named, r)
		case intent == nil && r.Head == commit && r.Status != "completed":
			likely = append(likely, r)
		case intent != nil && d.follows(r, intent):
			likely = append(likely, r)
		}
	}
	if len(named) > 0 {
		return named[:1] // newest first: an older one was for an attempt before
	}
	return likely
}

// follows says whether a run can be what an intent led to. Ids grow with time.
func (d *dispatch) follows(r forge.WorkflowRun, intent *train.Record) bool {
	before, _ := strconv.ParseInt(intent.Facts["newest"], 10, 64)
	actor := intent.Facts["actor"]
	return r.ID > before && (actor == "" || r.Actor == "" || strings.EqualFold(r.Actor, actor)) && cmp.Or(r.Branch, d.Branch(d.c)) == d.Branch(d.c)
}

// NamesTag says whether a title has the tag, or its version, as a word.
func NamesTag(title, tag string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(title, func(r rune) bool { return strings.ContainsRune(" \t,;:()[]\"'/@=#", r) }),
		func(word string) bool { return word == tag || word == Bare(tag) })
}

func runIDs(runs []forge.WorkflowRun) string {
	return strings.Join(lists.Of(runs, func(r forge.WorkflowRun) string { return fmt.Sprint(r.ID) }), ", ")
}

// page is where the workflow's runs are listed for display.
func (d *dispatch) page() string {
	return strings.TrimSuffix(d.Recipe.Forge.Git, "/") + "/" + d.c.Repository + "/actions/workflows/" + d.build.Workflow
}

// missing is what the dispatch needs to be found again: what runs there are
// before it, and who asks.
func (d *dispatch) missing(ctx context.Context, v *View, commit string, runs []forge.WorkflowRun) (Observation, error) {
	who, err := v.Account(ctx)
	if err != nil && !forge.Refused(err, 401) && !forge.Refused(err, 403) {
		return Observation{}, err
	}
	newest := int64(0)
	for _, r := range runs {
		newest = max(newest, r.ID)
	}
	o := missing("dispatch " + d.build.Workflow + " on " + d.Branch(d.c))
	return o.With("commit", commit, "newest", strconv.FormatInt(newest, 10), "actor", who.Login), nil
}

func (d *dispatch) act(ctx context.Context, h *Writer, _ Observation) error {
	starts, err := forge.As[forge.Dispatcher](h.Forge, "workflows")
	if err != nil {
		return err
	}
	id, err := starts.Dispatch(ctx, d.c.Repository, d.build.Workflow, d.Branch(d.c), d.inputs(d.c))
	if id != 0 {
		h.Tell("run", strconv.FormatInt(id, 10))
	}
	return err
}

// ofRun is what a run says of the release that it makes.
func (d *dispatch) ofRun(r forge.WorkflowRun) Observation {
	run := []string{"run", strconv.FormatInt(r.ID, 10)}
	switch {
	case r.Status != "completed":
		return waiting(fmt.Sprintf("run %d is %s", r.ID, strings.ReplaceAll(r.Status, "_", " ")), "GitHub Actions", r.URL).With(run...)
	case r.Conclusion == "success":
		return waiting(fmt.Sprintf("run %d succeeded, and there is no tag %s yet", r.ID, d.Tag(d.c)), "a maintainer: read the log of the run", r.URL).With(run...)
	}
	return conflict(why.RunFailed, "run %d ended with %s", r.ID, r.Conclusion).At(r.URL).By("a maintainer: run it again").With(run...)
}

// inputs are the inputs of a component's workflow.
func (t *Train) inputs(c *stack.Component) map[string]string {
	more := []string{"{version}", Bare(t.Versions[c.Name]), "{tag}", t.Tag(c), "{branch}", t.Branch(c), "{release}", t.Version}
	for _, name := range slices.Sorted(maps.Keys(t.Versions)) {
		more = append(more, "{component:"+name+"}", t.Versions[name])
	}
	in := map[string]string{}
	for k, v := range t.Build(c).Inputs {
		in[k] = strings.NewReplacer(more...).Replace(v)
	}
	return in
}

// InputText is the inputs of a workflow, for a plan.
func InputText(in map[string]string) string {
	var list []string
	for k, v := range in {
		list = append(list, k+"="+v)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}
