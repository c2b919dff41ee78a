package steps

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/release/mail"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
)

// MakeSteps is the table of contents of a train, in the order of ADR-0003:
//
//	NAME-pins-branch, -module,     1. components generate a new release, each with
//	-pr, -merged                      the pins of those that it needs
//	tag:NAME, built:NAME
//	operator-branch, -module,      2. references, CRDs, the Go module,
//	-pr, -merged, tested:NAME      3. matrix, in one PR; its tree is tested
//	tag:ROOT, built:ROOT, release  4. tag, image, release with notes
//	catalog-branch, -pr, -merged   5. bundle to the catalog
//	stable:NAME                    6. stable tags, last, by digest
//	announce:slack, announce:mail, 7. announcements
//	NAME-branch, -pr, -merged      8. downstream, with a deadline
func MakeSteps(t *Train) *Steps {
	m := &Steps{tags: map[string]tagging{}, images: map[string]Building{}, Merged: map[string]train.Fact[CommitID]{}}
	m.Steps = withApprovals(t, m.list(t))
	return m
}

// The types of facts.
type (
	// A CommitID is the hash of a commit.
	CommitID string
	digestID string // of an image
	webURL   string
	moment   string // RFC 3339
)

// Steps are the steps of a train, and the evidence that they leave for others.
type Steps struct {
	Steps   []*Step
	tags    map[string]tagging  // by component
	images  map[string]Building // by component
	root    pullFacts
	Merged  map[string]train.Fact[CommitID] // of the other PRs, by the proposal's name
	release publishing
}

// A tagging is a step that tags a component.
type tagging struct {
	*Step
	commit train.Fact[CommitID]
}

// A Building is a step that waits for an image; no Step: there is none.
type Building struct {
	*Step
	digest train.Fact[digestID]
}

// A publishing is the step of the release on the forge; no Step: there is none.
type publishing struct {
	*Step
	url train.Fact[webURL]
	at  train.Fact[moment]
}

func newTagging(s *Step) tagging   { return tagging{s, train.FactOf[CommitID](s, "commit")} }
func newBuilding(s *Step) Building { return Building{s, train.FactOf[digestID](s, "digest")} }
func newPublishing(s *Step) publishing {
	return publishing{s, train.FactOf[webURL](s, "url"), train.FactOf[moment](s, "published")}
}

// stepNames are the names of the steps of a train, each as often as it is there.
func stepNames(t *Train) []string {
	var names []string
	for _, s := range MakeSteps(t).Steps {
		if !s.Approval() {
			names = append(names, s.Name)
		}
	}
	return append(names, lists.Of(t.Recipe.Approvals, approvalStep)...)
}

// Complete is Recipe.Complete and the check of the names of steps. It must be called
// once after decoding.
func Complete(r *recipe.Recipe, path string, s *stack.Stack) error {
	if err := r.Complete(path, s); err != nil {
		return err
	}
	return checkSteps(r, path, s)
}

// checkSteps checks the names of steps against the trains that the recipe can
// make, in every era: two steps of one name, and a gate before a step that no
// release has, are errors. A gate with a typing mistake would be no gate.
func checkSteps(r *recipe.Recipe, path string, s *stack.Stack) error {
	var known []string
	for _, era := range Eras(r, s) {
		t := &Train{Stack: s, Recipe: r, Version: era, Versions: map[string]string{}}
		for i := range s.Components {
			t.Versions[s.Components[i].Name] = era
		}
		seen := map[string]bool{}
		for _, name := range stepNames(t) {
			if seen[name] {
				err := fmt.Errorf("release: two steps are called %s: documents and approvals need names (name) of their own", name)
				return &source.Error{Path: path, Err: err}
			}
			seen[name] = true
			if !strings.HasPrefix(name, approvalStep(recipe.Approval{})) && !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
	}
	for _, a := range r.Approvals {
		if len(a.Before) == 0 {
			return &source.Error{Path: path, Err: fmt.Errorf("release: approval %s: before which steps (before)?", a.Name)}
		}
		for i, name := range a.Before {
			if slices.Contains(known, name) {
				continue
			}
			e := &source.Error{Path: path, Pos: a.At(i), Err: fmt.Errorf("release: approval %s: no release has a step %q", a.Name, name)}
			if near := spelling.Nearest(name, known); near != "" {
				e.Hint = fmt.Sprintf("did you mean %q?", near)
			}
			return e
		}
		known = append(known, approvalStep(a)) // a gate is before those that are listed before it
	}
	return nil
}

// Eras are versions of the stack, one for each span in which the same
// components, builds, places and documents are declared.
func Eras(r *recipe.Recipe, s *stack.Stack) []string {
	list := []string{"v0.0.0"}
	for _, c := range s.Components {
		list = append(list, c.From, c.Until)
	}
	for _, p := range s.Places {
		list = append(list, p.From, p.Until)
	}
	for _, b := range r.Components {
		list = append(list, b.From, b.Until)
	}
	for _, d := range r.Downstream {
		list = append(list, d.From, d.Until)
	}
	list = train.Compact(list...)
	slices.Sort(list)
	return slices.Compact(list)
}

// list are the steps without the approvals.
func (m *Steps) list(t *Train) []*Step {
	var steps []*Step
	phase := "Components"
	add := func(more ...*Step) {
		for _, s := range more {
			if s != nil {
				s.Phase = phase
				steps = append(steps, s)
			}
		}
	}
	root := t.Root()
	var ready []*Step // what the PR to the root waits for
	for _, c := range t.Released() {
		if c.Name == root.Name {
			continue
		}
		pins, pinned := stepsPins(t, c, m.tags, add)
		tag := stepTag(t, c, m.tags, pins, pinned)
		built := stepBuilt(t, c, tag)
		m.tags[c.Name], m.images[c.Name] = tag, built
		add(tag.Step, built.Step)
		ready = append(ready, there(tag.Step, built.Step)...)
	}
	phase = "References"
	pr := OperatorProposal(t, ready)
	branch, pull, merged := pr.steps()
	m.root = pr.pullFacts
	module := stepModule(t, pr, branch)
	pull.Needs = append(pull.Needs, there(module)...)
	add(branch, module, pull)
	var tests []*Step
	for i := range t.Recipe.Tests {
		tests = append(tests, stepTested(pr, &t.Recipe.Tests[i], pull))
	}
	add(tests...)
	add(merged)
	phase = "Release"
	tag := stepTagRoot(t, merged, pr.merged)
	tag.Needs = append(tag.Needs, tests...)
	built := stepBuilt(t, root, tag)
	m.tags[root.Name], m.images[root.Name] = tag, built
	m.release = stepRelease(t, tag, there(tag.Step, built.Step))
	add(tag.Step, built.Step, m.release.Step)
	published := there(tag.Step, built.Step, m.release.Step) // what has to be there before the catalog is told
	phase = "Catalog"
	if t.Recipe.Catalog != nil {
		p := CatalogProposal(t, published)
		branch, pull, merged := p.steps()
		add(branch, pull, merged)
		published, m.Merged[p.name] = []*Step{merged}, p.merged
	}
	phase = "Stable tags"
	final := published
	for _, c := range t.Released() {
		if s := StepStable(t, c, m.images[c.Name], published); s != nil {
			add(s)
			final = append(slices.Clone(final), s)
		}
	}
	phase = "Announcements"
	add(stepSlack(t, final), stepMail(t, final))
	phase = "Downstream"
	for i := range t.Recipe.Downstream {
		if d := &t.Recipe.Downstream[i]; stack.InEra(t.Version, d.From, d.Until) {
			p := downstreamProposal(t, d, final)
			branch, pull, merged := p.steps()
			m.Merged[p.name] = p.merged
			add(branch, pull, merged)
		}
	}
	return steps
}

// there are the steps that this release has: what it has not is nil.
func there(steps ...*Step) []*Step {
	return slices.DeleteFunc(steps, func(s *Step) bool { return s == nil })
}

// withApprovals puts each approval before the first step that waits for it.
func withApprovals(t *Train, steps []*Step) []*Step {
	for _, a := range t.Recipe.Approvals {
		at, gated := -1, []*Step(nil)
		for i, s := range steps {
			if s.Name == approvalStep(a) {
				gated = nil
				break
			}
			if slices.Contains(a.Before, s.Name) {
				if gated = append(gated, s); at < 0 {
					at = i
				}
			}
		}
		if len(gated) == 0 {
			continue // steps that this release does not have: Recipe.Complete knows that another one has them
		}
		s := stepApproval(a, gated, steps[:at])
		s.Phase = gated[0].Phase
		for _, g := range gated {
			g.Needs = append(slices.Clone(g.Needs), s)
		}
		steps = slices.Insert(steps, at, s)
	}
	return steps
}

// StepOf is the step of one kind for one component.
func StepOf(kind string, c *stack.Component) string { return kind + ":" + c.Name }

func approvalStep(a recipe.Approval) string { return "approve:" + a.Name }

// stepApproval is before the gated steps. ready are the steps that come
// before it.
func stepApproval(a recipe.Approval, gated, ready []*Step) *Step {
	s := &Step{Name: approvalStep(a), Title: a.Title, Gates: gated}
	s.Title = cmp.Or(s.Title, a.Name)
	for _, g := range gated {
		for _, r := range ready { // a second step that it is before may need the first
			if slices.Contains(g.Needs, r) && !slices.Contains(s.Needs, r) {
				s.Needs = append(s.Needs, r)
			}
		}
	}
	return s
}

// The words of the train, as the steps here use them.
type (
	// A Step looks at a View and acts with a Writer; steps.go lists them.
	Step = train.Step[*View, *Writer]
	// An Observation is what a step saw.
	Observation = train.Observation
)

// The kinds of records that steps ask for.
const (
	RecIntent  = train.KindIntent
	RecEffect  = train.KindEffect
	RecDone    = train.KindDone
	RecWait    = train.KindWait
	recFailed  = train.KindFailed
	RecApprove = train.KindApprove
	RecAssert  = train.KindAssert
	recSkip    = train.KindSkip
)

// ErrUnknown is returned by what depends on what an earlier step has not made
// yet. Only a plan meets it.
var ErrUnknown = train.ErrUnknown

// Done is what a step saw that is done.
func Done(text string, facts ...string) Observation { return train.Saw(train.Done, text, facts...) }

func missing(text string) Observation { return Observation{State: train.Missing, Text: text} }

func waiting(text, who, url string) Observation {
	return Observation{State: train.Waiting, Text: text, Who: who, URL: url}
}

// unmanaged is the observation of what is not ours; reason is the id of one. facts
// say which it is, for a maintainer who takes it as it is (release approve --done).
func unmanaged(reason, text, who string, facts ...string) Observation {
	return Observation{State: train.Unmanaged, Reason: reason, Text: text, Who: who, Facts: train.Pairs(facts...)}
}

func conflict(reason, format string, args ...any) Observation {
	return Observation{State: train.Conflict, Reason: reason, Text: fmt.Sprintf(format, args...)}
}

// A View is the read-only part of the environment. Observe gets no more than this, so
// that planning cannot write, by type.
type View struct {
	*train.View
	Train  *Train
	Git    ports.GitReader
	Forge  forge.Reader
	Images registry.Reader

	Mute   bool // an announcement is in the recipe, and nothing to make it with
	Shared bool // the journal is on a ref: another driver may have read it, and be at work

	Offline bool // no forge is asked

	Journals func(ctx context.Context, version string) (train.Records, error) // of other releases; nil = not known
}

// A Writer is a View that can also write.
type Writer struct {
	*View
	*train.Attempt
	Git    ports.GitWriter
	Forge  forge.Writer
	Images registry.Writer
	Mail   mail.Mailer
	Chat   mail.Chat
}

// Recall answers from the view's memo, or reads once.
func Recall[T any](v *View, key string, read func() (T, error)) (T, error) {
	return train.Recall(v.View, key, read)
}

// Contains asks once; the answer is the same for ever.
func (v *View) Contains(ctx context.Context, repo, tip, commit string) (bool, error) {
	if tip == commit {
		return true, nil
	}
	return Recall(v, "contains "+repo+" "+tip+" "+commit, func() (bool, error) { return v.Git.Contains(ctx, repo, tip, commit) })
}

// Tree is the content of a commit.
func (v *View) Tree(ctx context.Context, repo, commit string, large bool) (ports.Snapshot, error) {
	return train.Keep(v.View, "tree "+repo+" "+commit, func() (ports.Snapshot, error) { return v.Git.Tree(ctx, repo, commit, large) })
}

// Account is who the token belongs to.
func (v *View) Account(ctx context.Context) (forge.Account, error) {
	return Recall(v, "account", func() (forge.Account, error) { return v.Forge.Account(ctx) })
}
