package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
)

// ciVariables are set, and not empty, in the jobs of CI systems: CI by most of
// them; the others set one of their own alone.
var ciVariables = []string{"CI", "GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL", "PROW_JOB_ID", "TF_BUILD"}

// inCI says whether this is a job of a CI system, whose machine is gone after it.
func (t *terminal) inCI() bool {
	return slices.ContainsFunc(ciVariables, func(name string) bool { return t.env[name] != "" && t.env[name] != "false" })
}

// settle decides where the journal is, where no one has: a file is gone with the
// machine of a CI job.
func (o *trainOptions) settle(t *terminal) {
	if o.state != "auto" && o.state != "" {
		return
	}
	o.state, o.settled = "file", true
	if t.inCI() {
		o.state = "git"
	}
}

// A failure is what makes the exit code of a run 1: that something is waited for,
// or only what people of the project must do. A release that waits for others is no
// failed job, and on a terminal not done.
type failure string

const (
	failOnWaiting failure = "waiting"
	failOnStopped failure = "stopped"
)

// of is the failure that was asked for, or the one of where it runs.
func (f failure) of(t *terminal) failure {
	switch {
	case f != "auto" && f != "":
		return f
	case t.inCI():
		return failOnStopped
	}
	return failOnWaiting
}

// drivenOnRef is the error of a command that would drive a release with a journal in
// a file, when it is on a ref.
func drivenOnRef(s *session) error {
	o := *s.options
	o.state = "git"
	on := *s
	on.options = &o
	if len(o.words) > 0 {
		on.begins = o.words
	}
	return hinted{errorf("release %s is driven with the journal on a ref of %s, and not with one in a file", s.version, s.view.stack.RootComponent().Repository), on.again()}
}

// journalKey is the user's key, which seals the journals in files: of
// $CFCTL_JOURNAL_KEY, for CI jobs that hand a journal on, else of the file
// journal.key next to the user's own configuration. With fresh it is made when
// there is none; without, none is empty, and fits no journal.
func journalKey(t *terminal, fresh bool) ([]byte, error) {
	if key := t.env["CFCTL_JOURNAL_KEY"]; key != "" {
		return []byte(key), nil
	}
	user := config.UserFile(t.env)
	if user == "" {
		if !fresh {
			return []byte{}, nil
		}
		return nil, hinted{errors.New("there is no folder for the key that seals the journal"),
			"set CFCTL_JOURNAL_KEY to a secret, or keep the journal on a ref: --state git"}
	}
	return train.Key(filepath.Dir(user), fresh)
}

// declaredWord represents the newest release that matrix.releases declares.
const declaredWord = "declared"

// versionOrDeclared takes a version, or the word for the declared one.
func versionOrDeclared(use string) cobra.PositionalArgs {
	check := oneVersion(use)
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && args[0] == declaredWord {
			return nil
		}
		return check(cmd, args)
	}
}

// declared is the version that an argument represents. Empty: the newest declared
// release was made before, and cfctl did not begin it: a release that is tagged
// and has no journal is not made again by a word.
func (o *trainOptions) declared(ctx context.Context, t *terminal, arg string) (string, error) {
	if arg != declaredWord {
		return arg, nil
	}
	s, err := o.connect(ctx, t, "")
	if err != nil {
		return "", err
	}
	defer s.done()
	for _, r := range s.view.config.Releases {
		if semver.IsValid(r.Version) && semver.Compare(r.Version, s.version) > 0 {
			s.version = r.Version
		}
	}
	if s.version == "" {
		return "", hinted{errorf("matrix.releases of %s declares no release", config.Name), "cfctl release propose --write"}
	}
	rs, err := s.journals().Read(ctx, s.version)
	if err != nil {
		return "", err
	}
	if r := rs.Aborted(); r != nil {
		return "", decision{hinted{errorf("release %s was aborted by %s on %s", s.version, r.Who, r.Time.UTC().Format(time.DateOnly)),
			s.again() + " begins it again; or declare the next version: cfctl release propose --write"}}
	}
	if len(rs) > 0 {
		return s.version, nil
	}
	root := s.view.stack.RootComponent()
	heads, err := s.remotes.Heads(ctx, root.Repository)
	if err != nil {
		return "", err
	}
	if _, tagged := heads.Tags[root.TagOf(s.version)]; tagged {
		t.note("nothing to release: %s is tagged, and no newer one is declared", s.version)
		return "", nil
	}
	return s.version, nil
}

// runAll runs the declared release, and all others that are under way. One that does
// not go on keeps none of the others back.
func runAll(cmd *cobra.Command, t *terminal, o *trainOptions, arg string, pick train.Choices) error {
	ctx := cmd.Context()
	if arg != declaredWord {
		return usage("--all goes with declared")
	}
	s, err := o.connect(ctx, t, "")
	if err != nil {
		return err
	}
	versions, err := s.journals().UnderWay(ctx)
	s.done()
	if err != nil {
		return err
	}
	var worst error
	worse := func(err error) {
		decide := decision{}
		switch {
		case err == nil:
		case errors.Is(err, errPending), errors.As(err, &decide):
			if decide.error != nil {
				explain(t, err, cmd)
			}
			if worst == nil {
				worst = errPending
			}
		default:
			if worst != nil && !errors.Is(worst, errPending) {
				explain(t, worst, cmd)
			}
			worst = err
		}
	}
	newest, err := o.declared(ctx, t, arg)
	worse(err)
	if newest != "" && !slices.Contains(versions, newest) {
		versions = append(versions, newest)
	}
	for _, version := range versions {
		one := *o
		worse(runOne(ctx, t, &one, version, pick))
	}
	return worst
}

func runOne(ctx context.Context, t *terminal, o *trainOptions, version string, pick train.Choices) error {
	return o.withJournal(ctx, t, version, func(s *session) error { return advance(ctx, t, o, s, pick) })
}

// errUndeclared is wrapped by the error of a release whose versions are nowhere.
var errUndeclared = errors.New("the matrix has no such release")

// versions are the versions of a release: of its row of the matrix, else of
// the journal that it was begun with, and what --component says.
func (o *trainOptions) versions(ctx context.Context, t *terminal, s *session) (map[string]string, *release.Hotfix, error) {
	versions := map[string]string{}
	rs, err := s.journals().Read(ctx, s.version)
	if err != nil {
		return nil, nil, err
	}
	row, ok := s.view.config.Release(s.version)
	if !ok && len(rs) == 0 {
		// of a table or tag of the tree, or a published one of the built-in stack
		known, _ := s.view.known().All(ctx)
		for i := range known {
			if known[i].Version == s.version {
				row, ok = &known[i], true
			}
		}
	}
	if ok {
		for _, p := range row.Components {
			if p.Version != "" { // a range is of what others release
				versions[p.Name] = p.Version
			}
		}
	}
	var hotfix *release.Hotfix
	if begin := rs.Last("", "begin"); begin != nil {
		if hotfix, err = release.HotfixOf(begin); err != nil {
			return nil, nil, err
		}
		for _, p := range begin.Pins {
			name, v, _ := strings.Cut(p, " ")
			versions[name] = cmp.Or(versions[name], v)
		}
	}
	given, err := o.given(s)
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(versions, given)
	if o.past {
		for _, name := range slices.Sorted(maps.Keys(versions)) {
			if _, ok := s.view.stack.Component(name); !ok {
				delete(versions, name)
				retired := &release.RetiredError{Component: name}
				t.note("%s of release %s is not in the stack any more, and what was released of it is not verified", name, s.version)
				t.note("hint: %s", retired.Hint())
			}
		}
	}
	if len(versions) == 0 {
		return nil, nil, hinted{fmt.Errorf("release %s: %w", s.version, errUndeclared),
			"declare it under matrix.releases in " + config.Name + ", or name the versions: --component NAME=VERSION"}
	}
	return versions, hotfix, nil
}

// me names who runs cfctl, for the journal.
func me(t *terminal) string {
	if u, err := user.Current(); err == nil {
		return cmp.Or(t.env["GITHUB_ACTOR"], t.env["USER"], u.Username)
	}
	return cmp.Or(t.env["GITHUB_ACTOR"], t.env["USER"], "unknown")
}

// oneVersion takes the version argument. It is checked first of all: it
// becomes part of tags, branches and file names.
func oneVersion(use string) cobra.PositionalArgs { return versionArguments(1, use+" takes a version") }

// versionAndStep takes a version and a step.
func versionAndStep(use string) cobra.PositionalArgs {
	return versionArguments(2, use+" takes a version and a step")
}

func versionArguments(n int, want string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("%s", want)
		}
		return versionArgument(args[0])
	}
}

func versionArgument(v string) error {
	if !stack.IsVersion(v) || strings.Contains(v, "+") {
		return usage("%q is not a version of the form vMAJOR.MINOR.PATCH", v)
	}
	return nil
}
