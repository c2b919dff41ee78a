package release

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/release/mail"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
)

// makeSteps is the table of contents of a train, in the order of ADR-0003:
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
func makeSteps(t *Train) *made {
	m := &made{tags: map[string]tagging{}, images: map[string]building{}, merged: map[string]train.Fact[commitID]{}}
	m.steps = withApprovals(t, m.list(t))
	return m
}

// The types of facts.
type (
	commitID string // of git
	digestID string // of an image
	webURL   string
	moment   string // RFC 3339
)

// made are the steps of a train, and the evidence that they leave for others.
type made struct {
	steps   []*Step
	tags    map[string]tagging  // by component
	images  map[string]building // by component
	root    pullFacts
	merged  map[string]train.Fact[commitID] // of the other PRs, by the proposal's name
	release publishing
}

// A tagging is a step that tags a component.
type tagging struct {
	*Step
	commit train.Fact[commitID]
}

// A building is a step that waits for an image; no Step: there is none.
type building struct {
	*Step
	digest train.Fact[digestID]
}

// A publishing is the step of the release on the forge; no Step: there is none.
type publishing struct {
	*Step
	url train.Fact[webURL]
	at  train.Fact[moment]
}

func newTagging(s *Step) tagging   { return tagging{s, train.FactOf[commitID](s, "commit")} }
func newBuilding(s *Step) building { return building{s, train.FactOf[digestID](s, "digest")} }
func newPublishing(s *Step) publishing {
	return publishing{s, train.FactOf[webURL](s, "url"), train.FactOf[moment](s, "published")}
}

// stepNames are the names of the steps of a train, each as often as it is there.
func stepNames(t *Train) []string {
	var names []string
	for _, s := range makeSteps(t).steps {
		if !s.Approval() {
			names = append(names, s.Name)
		}
	}
	for _, a := range t.recipe.Approvals {
		names = append(names, approvalStep(a))
	}
	return names
}

// list are the steps without the approvals.
func (m *made) list(t *Train) []*Step {
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
	root := t.root()
	var ready []*Step // what the PR to the root waits for
	for _, c := range t.released() {
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
	pr := operatorProposal(t, ready)
	branch, pull, merged := pr.steps()
	m.root = pr.pullFacts
	module := stepModule(t, pr, branch)
	pull.Needs = append(pull.Needs, there(module)...)
	add(branch, module, pull)
	var tests []*Step
	for i := range t.recipe.Tests {
		tests = append(tests, stepTested(pr, &t.recipe.Tests[i], pull))
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
	if t.recipe.Catalog != nil {
		p := catalogProposal(t, published)
		branch, pull, merged := p.steps()
		add(branch, pull, merged)
		published, m.merged[p.name] = []*Step{merged}, p.merged
	}
	phase = "Stable tags"
	final := published
	for _, c := range t.released() {
		if s := stepStable(t, c, m.images[c.Name], published); s != nil {
			add(s)
			final = append(slices.Clone(final), s)
		}
	}
	phase = "Announcements"
	add(stepSlack(t, final), stepMail(t, final))
	phase = "Downstream"
	for i := range t.recipe.Downstream {
		if d := &t.recipe.Downstream[i]; stack.InEra(t.Version, d.From, d.Until) {
			p := downstreamProposal(t, d, final)
			branch, pull, merged := p.steps()
			m.merged[p.name] = p.merged
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
	for _, a := range t.recipe.Approvals {
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

// stepOf is the step of one kind for one component.
func stepOf(kind string, c *stack.Component) string { return kind + ":" + c.Name }

func approvalStep(a Approval) string { return "approve:" + a.Name }

// stepApproval is before the gated steps. ready are the steps that come
// before it.
func stepApproval(a Approval, gated, ready []*Step) *Step {
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
	// An observation is what a step saw.
	observation = train.Observation
)

// The kinds of records that steps ask for.
const (
	recIntent  = train.KindIntent
	recEffect  = train.KindEffect
	recDone    = train.KindDone
	recWait    = train.KindWait
	recFailed  = train.KindFailed
	recApprove = train.KindApprove
	recAssert  = train.KindAssert
	recSkip    = train.KindSkip
)

// errUnknown is returned by what depends on what an earlier step has not made
// yet. Only a plan meets it.
var errUnknown = train.ErrUnknown

func done(text string, facts ...string) observation { return train.Saw(train.Done, text, facts...) }

func missing(text string) observation { return observation{State: train.Missing, Text: text} }

func waiting(text, who, url string) observation {
	return observation{State: train.Waiting, Text: text, Who: who, URL: url}
}

// unmanaged is the observation of what is not ours; reason is the id of one. facts
// say which it is, for a maintainer who takes it as it is (release approve --done).
func unmanaged(reason, text, who string, facts ...string) observation {
	return observation{State: train.Unmanaged, Reason: reason, Text: text, Who: who, Facts: train.Pairs(facts...)}
}

func conflict(reason, format string, args ...any) observation {
	return observation{State: train.Conflict, Reason: reason, Text: fmt.Sprintf(format, args...)}
}

// A View is the read-only part of the environment. Observe gets no more than this, so
// that planning cannot write, by type.
type View struct {
	*train.View
	train  *Train
	git    ports.GitReader
	forge  forge.Reader
	images registry.Reader

	mute   bool // an announcement is in the recipe, and nothing to make it with
	shared bool // the journal is on a ref: another driver may have read it, and be at work

	offline bool // no forge is asked

	journals func(ctx context.Context, version string) (train.Records, error) // of other releases; nil = not known
}

// A Writer is a View that can also write.
type Writer struct {
	*View
	*train.Attempt
	git    ports.GitWriter
	forge  forge.Writer
	images registry.Writer
	mail   mail.Mailer
	chat   mail.Chat
}

// recall answers from the view's memo, or reads once.
func recall[T any](v *View, key string, read func() (T, error)) (T, error) {
	return train.Recall(v.View, key, read)
}

// contains asks once; the answer is the same for ever.
func (v *View) contains(ctx context.Context, repo, tip, commit string) (bool, error) {
	if tip == commit {
		return true, nil
	}
	return recall(v, "contains "+repo+" "+tip+" "+commit, func() (bool, error) { return v.git.Contains(ctx, repo, tip, commit) })
}

// tree is the content of a commit.
func (v *View) tree(ctx context.Context, repo, commit string, large bool) (ports.Snapshot, error) {
	return train.Keep(v.View, "tree "+repo+" "+commit, func() (ports.Snapshot, error) { return v.git.Tree(ctx, repo, commit, large) })
}

// account is who the token belongs to.
func (v *View) account(ctx context.Context) (forge.Account, error) {
	return recall(v, "account", func() (forge.Account, error) { return v.forge.Account(ctx) })
}
