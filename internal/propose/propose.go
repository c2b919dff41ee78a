// Package propose works out the next version of a component: from its tags and
// what its branch has since the last of them.
//
// The flow: next reads tags, commits and two trees of a component from a
// History; level.go says how much they change for users, and which version that
// is. Nothing is written.
package propose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/notes"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A History reads repositories, which are OWNER/NAME or URLs.
type History interface {
	Heads(ctx context.Context, repo string) (git.Heads, error)
	// Log lists the commits that to has and from has not, newest first; an
	// empty from means all.
	Log(ctx context.Context, repo, from, to string) ([]git.Commit, error)
	Files(ctx context.Context, repo, commit string) (*git.Tree, error)
}

// Labels are the labels of the pull requests of a repository that changed
// since a time, by number. Nil: they are not known.
type Labels func(ctx context.Context, repo string, since time.Time) (map[string][]string, error)

// A question is which version of a component comes next.
type question struct {
	Component *stack.Component
	Branch    string // that it is released from
	Pre       string // name of the pre-release, "rc"; empty = a full release
	Given     string // by the user: it is checked, and taken
	Least     Level  // of what it is made of: it changes no less
	Because   string // why Least
	Newer     string // what it is made of, and its last pre-release is not; empty = nothing
	Imported  bool   // another component of the stack imports its Go module: then what that exports is a part of it
}

// An Answer is the next version of a component, and why.
type Answer struct {
	Name    string `json:"name"`
	Before  string `json:"before,omitempty"`  // its last version; empty = it was never released
	Version string `json:"version,omitempty"` // its next one, or Before when nothing is new; empty = not known
	Level   Level  `json:"level"`
	Why     string `json:"why"`               // one line
	Commits int    `json:"commits"`           // since Before
	Problem string `json:"problem,omitempty"` // why the version is not known: the user has to say it
	Fix     string `json:"fix,omitempty"`     // what to do about that, where it is not to say the version
	Branch  string `json:"-"`                 // that is not there; empty = it is
	Default string `json:"-"`                 // the default branch of a repository without Branch; empty = not known
}

// Moves says whether the component gets another version.
func (a Answer) Moves() bool { return a.Version != "" && a.Version != a.Before }

// next answers a question. What the user has to decide is a Problem; an error
// means that the answer may come.
func next(ctx context.Context, h History, labels Labels, q question) (Answer, error) {
	a := Answer{Name: q.Component.Name}
	heads, err := h.Heads(ctx, q.Component.Repository)
	if errors.Is(err, wire.ErrNotFound) {
		a.Problem = q.Component.Repository + " is not there"
		return a, nil
	}
	if err != nil {
		return a, err
	}
	t := tagsOf(q.Component, heads.Tags)
	a.Before = t.last()
	head := heads.Branches[q.Branch]
	switch {
	case q.Given != "":
		return given(a, q, t), nil
	case head == "":
		a.Problem, a.Branch = fmt.Sprintf("%s has no branch %s", q.Component.Repository, q.Branch), q.Branch
		if d, ok := h.(interface {
			DefaultBranch(ctx context.Context, repo string) (string, error)
		}); ok {
			a.Default, err = d.DefaultBranch(ctx, q.Component.Repository)
		}
		return a, err
	}
	c := change{history: h, labels: labels, question: q, head: head, tags: t, refs: heads.Tags}
	return c.answer(ctx, a)
}

// given takes the version that the user named, unless it is lower than what is
// released.
func given(a Answer, q question, t tags) Answer {
	a.Version, a.Why = q.Given, "given"
	if a.Before != "" && semver.Compare(q.Given, a.Before) < 0 {
		a.Why = "given, and lower than " + a.Before
	}
	if slices.Contains(t.all, q.Given) {
		a.Why = "given; it is tagged"
	}
	return a
}

// A change is what happened to a component since its last tag.
type change struct {
	history  History
	labels   Labels
	question question
	head     string // commit
	tags     tags
	refs     map[string]git.Ref
}

// commitOf is the commit of a version's tag.
func (c *change) commitOf(version string) string {
	for _, tag := range slices.Sorted(maps.Keys(c.refs)) { // two tags may be of one version
		if v, ok := c.question.Component.VersionOfTag(tag); ok && v == version {
			return c.refs[tag].Commit
		}
	}
	return ""
}

// answer judges the history since the last tag.
func (c *change) answer(ctx context.Context, a Answer) (Answer, error) {
	if a.Before == "" {
		return c.first(a), nil
	}
	if pre := c.tags.pre; pre != "" && c.question.Newer == "" && c.commitOf(pre) == c.head && c.question.Pre != "" && strings.HasPrefix(semver.Prerelease(pre), "-"+c.question.Pre+".") {
		a.Before, a.Version, a.Why = pre, pre, "nothing since "+pre
		return a, nil
	}
	since := cmp.Or(c.tags.top, c.tags.pre)
	f, err := c.since(ctx, a.Name, since)
	if err != nil {
		return a, err
	}
	a.Commits, a.Problem = f.commits, f.problem
	if a.Problem != "" {
		return a, nil
	}
	level, why := f.level, f.why
	if c.question.Least > level {
		level, why = c.question.Least, c.question.Because
	}
	if c.question.Newer != "" {
		why = c.question.Newer
	}
	a.Level = level
	a.Version, a.Why = c.tags.next(level, c.question, why)
	if odd := c.tags.odd; len(odd) > 0 && len(odd) <= 3 {
		a.Why += "; not versions: " + strings.Join(odd, ", ")
	}
	return a, nil
}

// first is the answer for a component that was never released.
func (c *change) first(a Answer) Answer {
	a.Level, a.Version = Minor, pre("v0.1.0", c.question.Pre, c.tags.all)
	a.Why = "never released: initial development begins at 0.1.0 (semver.org)"
	if len(c.tags.odd) > 0 {
		a.Why += "; not versions: " + report.Few(c.tags.odd, ", ")
		if slices.ContainsFunc(c.tags.odd, func(tag string) bool { return semver.IsValid("v" + tag) }) {
			a.Why += "; if its tags have no v, set tag: \"{version}\" for it in stack.components"
		}
	}
	return a
}

// facts are what is known of the commits since a tag.
type facts struct {
	commits int
	level   Level
	why     string
	problem string
}

// since reads commits, trees and labels from a version's tag to the head.
func (c *change) since(ctx context.Context, name, version string) (facts, error) {
	repo, from := c.question.Component.Repository, c.commitOf(version)
	if from == c.head {
		return facts{why: "nothing since " + version}, nil
	}
	log, err := c.history.Log(ctx, repo, from, c.head)
	if err != nil {
		return facts{}, err
	}
	if len(log) == 0 {
		return facts{why: fmt.Sprintf("%s is behind %s", c.question.Branch, version)}, nil
	}
	before, err := c.history.Files(ctx, repo, from)
	if err != nil {
		return facts{}, err
	}
	now, err := c.history.Files(ctx, repo, c.head)
	if err != nil {
		return facts{}, err
	}
	paths, err := before.Changes(now)
	switch {
	case err != nil:
		return facts{}, err
	case len(paths) == 0:
		return facts{commits: len(log), why: "the files are those of " + version}, nil
	case rootless(log):
		text := fmt.Sprintf("%s and %s have no commit in common: the history was rewritten, and what is new since is not known", version, c.question.Branch)
		return facts{commits: len(log), problem: text}, nil
	}
	log, err = c.new(ctx, repo, from, log)
	if err != nil {
		return facts{}, err
	}
	e := &notes.Component{Name: name, Before: version}
	if err := e.Between(log, before, now); err != nil {
		return facts{}, fmt.Errorf("%s: %w", name, err)
	}
	w := weight{imported: c.question.Imported, entry: e, paths: paths, before: before, now: now}
	if w.labels, err = c.labelled(ctx, repo, log, e); err != nil {
		return facts{}, err
	}
	f := facts{commits: len(log)}
	f.level, f.why, err = w.level()
	f.why += fmt.Sprintf("; %s since %s", report.Plural(len(log), "commit"), version)
	return f, err
}

// rootless says whether the main line of a range goes back to its beginning:
// then the other end is not on it.
func rootless(log []git.Commit) bool {
	byHash := lists.By(log, func(c git.Commit) string { return c.Hash })
	for at, ok := log[0], true; ok; at, ok = byHash[at.Parents[0]] {
		if len(at.Parents) == 0 {
			return true
		}
	}
	return false
}

// new leaves out what the tag has under another hash: picked onto a release
// branch, or written again.
func (c *change) new(ctx context.Context, repo, from string, log []git.Commit) ([]git.Commit, error) {
	beside, err := c.history.Log(ctx, repo, c.head, from)
	if err != nil || len(beside) == 0 {
		return log, err
	}
	type twin struct{ subject, email string }
	have := lists.Set(beside, func(x git.Commit) twin { return twin{x.Subject, x.Email} })
	rest := slices.DeleteFunc(slices.Clone(log), func(x git.Commit) bool { return len(x.Parents) < 2 && have[twin{x.Subject, x.Email}] })
	if len(rest) == 0 {
		return log, nil // the files differ all the same
	}
	return rest, nil
}

// labelled are the labels of the pull requests of an entry.
func (c *change) labelled(ctx context.Context, repo string, log []git.Commit, e *notes.Component) (map[string][]string, error) {
	if c.labels == nil || !slices.ContainsFunc(e.Changes, func(x notes.Change) bool { return x.Pull != "" }) {
		return nil, nil
	}
	var since time.Time // when the oldest was committed: its pull request was merged later
	for _, x := range log {
		at, err := time.Parse(time.RFC3339, x.Date)
		if err != nil {
			return nil, fmt.Errorf("date of commit %.7s: %w", x.Hash, err)
		}
		if since.IsZero() || at.Before(since) {
			since = at
		}
	}
	return c.labels(ctx, repo, since)
}

// tags are the versions of a component's tags.
type tags struct {
	all []string // in any order
	top string   // the highest full one; empty = none
	pre string   // the highest pre-release above top; empty = none
	odd []string // tags that look like versions and are none: "v.0.0.7"
}

// looksLike is a tag that looks like a version.
var looksLike = lazyregexp.New(`^(release-?)?v?\.?[0-9]+(\.[0-9]+)*([.-].*)?$`)

func tagsOf(c *stack.Component, refs map[string]git.Ref) tags {
	var t tags
	for _, tag := range git.Sorted(refs) {
		v, ok := c.VersionOfTag(tag)
		if !ok || !versions.IsVersion(v) || semver.Build(v) != "" {
			if looksLike.MatchString(tag) {
				t.odd = append(t.odd, tag)
			}
			continue
		}
		t.all = append(t.all, v)
		if semver.Prerelease(v) == "" && semver.Compare(v, t.top) > 0 {
			t.top = v
		}
	}
	for _, v := range t.all {
		if semver.Prerelease(v) != "" && semver.Compare(v, t.top) > 0 && semver.Compare(v, t.pre) > 0 {
			t.pre = v
		}
	}
	return t
}

// last is the version that is followed.
func (t tags) last() string {
	return cmp.Or(t.top, t.pre)
}
