package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/train"
)

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
		return "", hinted{errorf("matrix.releases of %s declares no release", configName), "cfctl release propose --write"}
	}
	rs, err := o.records(ctx, t, s)
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

// underWay are the other releases that have begun, and are neither complete nor
// aborted, lowest first.
func (o *trainOptions) underWay(ctx context.Context, t *terminal) (list []string, err error) {
	s, err := o.connect(ctx, t, "")
	if err != nil {
		return nil, err
	}
	defer s.done()
	var versions []string
	if o.state == "git" {
		if versions, err = release.VersionsOnRefs(ctx, s.remotes, s.view.stack.RootComponent().Repository); err != nil {
			return nil, err
		}
	} else if versions, err = train.Journals(o.home(s)); err != nil {
		return nil, err
	}
	semver.Sort(versions)
	for _, version := range versions {
		s.version = version
		rs, err := o.records(ctx, t, s)
		if err != nil {
			return nil, err
		}
		if len(rs) > 0 && rs.Aborted() == nil && rs.Epoch().Last("", train.KindEnd) == nil {
			list = append(list, version)
		}
	}
	return list, nil
}

// runAll runs the declared release, and all others that are under way. One that does
// not go on keeps none of the others back.
func runAll(cmd *cobra.Command, t *terminal, o *trainOptions, arg string, pick train.Choices) error {
	ctx := cmd.Context()
	if arg != declaredWord {
		return usage("--all goes with declared")
	}
	versions, err := o.underWay(ctx, t)
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
