package release

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A yank undoes what users get of a release that is complete: the stable tags, by
// digest, how the release is shown, its entry in the catalog, and the documents downstream.
// Tags, images and merged bundles stay: what is published is never made unpublished.
type yank struct {
	reason string
	was    train.Records // the journal of the release
}

// YankOf is the name of the journal of a yank, in place of a version.
func YankOf(version string) string { return "yank-" + version }

// A YankedError says that a release was yanked.
type YankedError struct {
	version string
	begin   train.Record
}

func (e *YankedError) Error() string {
	return "release " + e.version + " was yanked" + e.begin.By() + ": " + ReasonOf(e.begin)
}

// Hint is what to do about it.
func (e *YankedError) Hint() string { return "release the next version: cfctl release propose --write" }

// Yank makes a train the one that yanks its release. was is the journal of the release.
func Yank(t *Train, was train.Records, reason string) error {
	if was.Epoch().Last("", train.KindEnd) == nil {
		return fmt.Errorf("release %s is not complete, by its journal: there is nothing to yank", t.Version)
	}
	t.yank = &yank{reason, was.Epoch()}
	t.compiled.Store(nil)
	return nil
}

// yanked is a *YankedError for a release that was yanked.
func (t *Train) yanked(ctx context.Context, env *Env) error {
	if t.yank != nil || env.Journals == nil {
		return nil
	}
	rs, err := env.Journals(ctx, YankOf(t.Version))
	if err == nil && len(rs) > 0 {
		err = &YankedError{t.Version, rs[0]}
	}
	return err
}

// ReasonOf is the reason of a yank, by the first record of its journal.
func ReasonOf(begin train.Record) (reason string) {
	_ = json.Unmarshal(begin.Order, &reason) // of another cfctl: none
	return reason
}

// fact is a fact of the newest record of a step of the release.
func (y *yank) fact(step, kind, key string) string {
	if r := y.was.Last(step, kind); r != nil {
		return r.Facts[key]
	}
	return ""
}

// yankSteps are the steps of a yank.
func yankSteps(t *Train) (steps []*Step) {
	add := func(phase string, more ...*Step) {
		for _, s := range there(more...) {
			s.Phase = phase
			steps = append(steps, s)
		}
	}
	for _, c := range t.released() {
		add("Stable tags", stepUnstable(t, c))
	}
	add("Release", stepMark(t))
	var proposals []*proposal
	var mergings []*Step
	propose := func(phase string, p *proposal) {
		branch, pull, merged := p.steps()
		add(phase, branch, pull, merged)
		proposals, mergings = append(proposals, p), append(mergings, merged)
	}
	if c := t.recipe.Catalog; c != nil && c.Deprecations != "" && t.yank.merged("catalog") != "" {
		propose("Catalog", deprecation(t, c))
	}
	for i := range t.recipe.Downstream {
		if d := &t.recipe.Downstream[i]; t.yank.merged(d.Name) != "" {
			propose("Downstream", takenBack(t, d))
		}
	}
	add("Cleaning up", stepBranches(t, proposals, mergings))
	return steps
}

// merged is the commit that a PR of the release was merged as; empty = there was none, or
// nothing had to change.
func (y *yank) merged(name string) string {
	if y.fact(name+"-merged", recDone, train.Nothing) != "" {
		return ""
	}
	return y.fact(name+"-merged", recDone, "commit")
}

// stepUnstable moves the stable tag of a component back to the image that it had before;
// nil when the release has not moved it.
func stepUnstable(t *Train, c *stack.Component) *Step {
	step := stepOf("stable", c)
	moved, before := t.yank.fact(step, recDone, "digest"), t.yank.fact(step, recIntent, "before")
	if moved == "" || before == "" || before == moved {
		return nil
	}
	to := t.stable(c)
	return &Step{
		Name: stepOf("unstable", c), Title: "move " + to + " back", Target: to,
		Observe: func(ctx context.Context, v *View) (observation, error) {
			have, err := v.digest(ctx, to)
			switch {
			case ignoreNotFound(err) != nil:
				return observation{}, err
			case have != moved:
				return done(fmt.Sprintf("%s is %.19s", to, have), "digest", have), nil
			}
			return missing(fmt.Sprintf("%s back to %.19s", to, before)).With("digest", before), nil
		},
		Act: func(ctx context.Context, h *Writer, seen observation) error {
			return h.images.Retag(ctx, c, t.recipe.Stable, moved, seen.Facts["digest"])
		},
	}
}

// mark begins the notes of a release that was yanked.
const mark = "> **Yanked**: "

// stepMark shows a release as a pre-release, so that it is the latest no longer, with the
// reason above its notes; nil when there is none on the forge.
func stepMark(t *Train) *Step {
	if t.yank.fact(releaseStep, recDone, "url") == "" {
		return nil
	}
	root := t.root()
	return &Step{
		Name: "marked", Title: "mark the release " + t.Version + " as yanked", Target: root.Repository,
		Observe: func(ctx context.Context, v *View) (observation, error) {
			got, err := v.release(ctx, t)
			switch {
			case errors.Is(err, wire.ErrNotFound):
				return done("there is no release " + t.Version + " any more"), nil
			case err != nil:
				return observation{}, err
			case got.Pre && strings.HasPrefix(got.Body, mark):
				return done("marked", "url", got.URL).At(got.URL), nil
			}
			return missing("a pre-release, with the reason above its notes"), nil
		},
		Act: func(ctx context.Context, h *Writer, _ observation) error {
			got, err := h.View.forge.Release(ctx, root.Repository, t.tag(root))
			if err != nil {
				return err
			}
			got.Pre, got.Latest = true, false
			if !strings.HasPrefix(got.Body, mark) {
				got.Body = mark + t.yank.reason + "\n\n" + got.Body
			}
			return h.forge.EditRelease(ctx, root.Repository, got)
		},
	}
}

// proposes is a PR of a yank.
func (y *yank) proposes(t *Train, name, repo, fork, base, title string) *proposal {
	fork = cmp.Or(fork, repo)
	return &proposal{
		train: t, name: name, repo: repo, push: fork, base: base, title: title, large: true, group: name, who: "a maintainer of " + repo,
		body: func(*View) string { return t.Title() + " was yanked: " + y.reason },
	}
}

// changing are the two ends of a proposal, by the changes that it makes: a tree that needs
// none is settled.
func (p *proposal) changing(changes func(ctx context.Context, v *View, tree fs.FS) ([]git.Change, error)) *proposal {
	p.changes = func(ctx context.Context, v *View, base Snapshot) ([]git.Change, error) {
		return changes(ctx, v, base.files)
	}
	p.differs = func(ctx context.Context, v *View, tree Snapshot) ([]string, error) {
		list, err := changes(ctx, v, tree.files)
		if err != nil {
			return nil, err
		}
		return differences(tree.files, list)
	}
	return p
}

// takenBack gives a document the versions again that it had before the release, where it
// still has those of the release.
func takenBack(t *Train, d *Document) *proposal {
	p := t.yank.proposes(t, d.Name, d.Repository, d.Fork, d.Branch, t.fill("Revert to the versions before {stack} {release}"))
	return p.changing(func(ctx context.Context, v *View, tree fs.FS) ([]git.Change, error) {
		merge, err := v.tree(ctx, d.Repository, t.yank.merged(d.Name), true)
		if err != nil || len(merge.info.Parents) == 0 {
			return nil, err
		}
		before, err := v.tree(ctx, d.Repository, merge.info.Parents[0], true)
		if err != nil {
			return nil, err
		}
		var matches []versioned
		for i := range d.Places {
			place := &d.Places[i]
			c, err := t.stack.Lookup(place.Component)
			if err != nil {
				return nil, err
			}
			old, err := place.Find(before.files)
			if err != nil {
				return nil, err
			}
			now, err := place.Find(tree)
			if err != nil {
				return nil, err
			}
			for n, m := range now {
				if m.Version == t.Versions[c.Name] && len(old) == len(now) {
					matches = append(matches, versioned{m, old[n].Version})
				}
			}
		}
		return splice(tree, matches)
	})
}

// entryIndent is how the entries of such a file are indented.
var entryIndent = lazyregexp.New(`(?m)^ *-`)

// deprecation adds the release to the file of the catalog that says what is deprecated:
// OLM shows users of it the message.
// Source: https://olm.operatorframework.io/docs/reference/file-based-catalogs/#olmdeprecations
func deprecation(t *Train, c *Catalog) *proposal {
	p := t.yank.proposes(t, "catalog", c.Repository, c.Fork, c.Branch, t.fill("Deprecate {package} {version}", "{package}", c.Package))
	type reference struct {
		Schema string `yaml:"schema"`
		Name   string `yaml:"name,omitempty"`
	}
	type entry struct {
		Reference reference `yaml:"reference"`
		Message   string    `yaml:"message"`
	}
	type document struct {
		Schema  string  `yaml:"schema"`
		Package string  `yaml:"package"`
		Entries []entry `yaml:"entries"`
	}
	of := reference{"olm.bundle", c.Package + "." + t.Version}
	return p.changing(func(_ context.Context, _ *View, tree fs.FS) ([]git.Change, error) {
		data, err := fs.ReadFile(tree, c.Deprecations)
		if ignoreMissing(err) != nil {
			return nil, err
		}
		doc := document{Schema: "olm.deprecations", Package: c.Package}
		if err := yaml.Unmarshal(data, &doc); err != nil {
			return nil, unfit(whyBundle, fmt.Errorf("%s: %w", c.Deprecations, err))
		}
		for _, e := range doc.Entries {
			if e.Reference == of {
				return nil, nil
			}
		}
		doc.Entries = append(doc.Entries, entry{of, t.fill("{stack} {release} was yanked: ") + t.yank.reason})
		if len(data) > 0 { // what is there stays as it is
			more, err := yaml.Marshal(doc.Entries[len(doc.Entries)-1:])
			if err != nil {
				return nil, err
			}
			indent := strings.TrimSuffix(entryIndent.FindString(string(data)), "-")
			text := strings.TrimRight(string(data), "\n") + "\n" + indent + strings.ReplaceAll(strings.TrimSuffix(string(more), "\n"), "\n", "\n"+indent) + "\n"
			var again document
			if err := yaml.Unmarshal([]byte(text), &again); err != nil || len(again.Entries) != len(doc.Entries) {
				return nil, unfit(whyBundle, fmt.Errorf("%s: an entry for %s is to be added by hand", c.Deprecations, of.Name))
			}
			return []git.Change{{Path: c.Deprecations, Data: []byte(text)}}, nil
		}
		made, err := yaml.Marshal(doc)
		return []git.Change{{Path: c.Deprecations, Data: made}}, err
	})
}
