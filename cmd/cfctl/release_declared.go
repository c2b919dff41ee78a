package main

import (
	"context"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"
)

// declaredWord stands for the newest release that matrix.releases declares.
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

// declared is the version that an argument stands for. Empty: the newest declared
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
	if err != nil || len(rs) > 0 {
		return s.version, err
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
