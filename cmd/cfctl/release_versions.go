package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/user"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// errUndeclared is wrapped by the error of a release whose versions are nowhere.
var errUndeclared = errors.New("the matrix has no such release")

// versions are the versions of a release: of its row of the matrix, else of
// the journal that it was begun with, and what --component says.
func (o *trainOptions) versions(ctx context.Context, t *terminal, s *session) (map[string]string, *release.Hotfix, error) {
	versions := map[string]string{}
	rs, err := o.records(ctx, t, s)
	if err != nil {
		return nil, nil, err
	}
	row, ok := s.view.config.Release(s.version)
	if !ok && len(rs) == 0 {
		row, ok = s.view.knownRelease(ctx, s.version)
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
			"declare it under matrix.releases in " + configName + ", or name the versions: --component NAME=VERSION"}
	}
	return versions, hotfix, nil
}

// knownRelease is a release that matrix show knows and the configuration does not
// declare: of a table or tag of the tree, or a published one of the built-in stack.
func (v *view) knownRelease(ctx context.Context, version string) (*matrix.Release, bool) {
	releases, err := v.releases(ctx)
	if err != nil {
		return nil, false
	}
	i := slices.IndexFunc(releases, func(r matrix.Release) bool { return r.Version == version })
	if i < 0 {
		return nil, false
	}
	return &releases[i], true
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
func oneVersion(use string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("%s takes a version", use)
		}
		return versionArgument(args[0])
	}
}

// versionAndStep takes a version and a step.
func versionAndStep(use string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 2 {
			return usage("%s takes a version and a step", use)
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
