package project

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

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// ciVariables are set, and not empty, in the jobs of CI systems: CI by most of
// them; the others set one of their own alone.
var ciVariables = []string{"CI", "GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL", "PROW_JOB_ID", "TF_BUILD"}

// InCI says whether this is a job of a CI system, whose machine is gone after it.
func (u *User) InCI() bool {
	return slices.ContainsFunc(ciVariables, func(name string) bool { return u.Env[name] != "" && u.Env[name] != "false" })
}

// Name names who runs cfctl, for the journal.
func (u *User) Name() string {
	own := "unknown"
	if here, err := user.Current(); err == nil {
		own = here.Username
	}
	return cmp.Or(u.Env["GITHUB_ACTOR"], u.Env["USER"], own)
}

// settle decides where the journal is, where no one has: a file is gone with the
// machine of a CI job.
func (o *Options) settle(u *User) {
	if o.State != "auto" && o.State != "" {
		return
	}
	o.State, o.settled = "file", true
	if u.InCI() {
		o.State = "git"
	}
}

// Journals are those of the releases of the stack.
func (s *Session) Journals() *ports.Journals {
	return &ports.Journals{Remotes: s.Remotes, Repo: s.View.Stack.RootComponent().Repository, Home: s.home(),
		OnRefs: s.Options.State == "git", Offline: s.Options.Offline, Key: s.View.User.JournalKey}
}

// Aborted says whether a release was aborted, by its journal.
func (s *Session) Aborted(ctx context.Context, version string) (bool, error) {
	rs, err := s.Journals().Any(ctx, version)
	return rs.Aborted() != nil, err
}

// follow has a command take the journal on the ref, where there is one and none in a
// file: one that only looks, and one that writes what a user has decided, unless
// that user said where.
func (o *Options) follow(ctx context.Context, s *Session) error {
	if !o.Reads && !(o.Notes && o.settled) || o.Offline || o.State != "file" {
		return nil
	}
	if rs, err := s.Journals().Read(ctx, s.Version); err != nil || len(rs) > 0 {
		return err
	}
	if there, err := s.Journals().OnRef(ctx, s.Version); err == nil && there { // an error is reported where the journal is needed
		s.View.User.Note("the journal of release %s is on a ref of %s, and %s there", s.Version, s.View.Stack.RootComponent().Repository, map[bool]string{true: "read", false: "written"}[o.Reads])
		o.State = "git"
	}
	return nil
}

// OpenJournal opens the journal for writing. A second driver waits here.
func (s *Session) OpenJournal(ctx context.Context) error {
	j, err := s.Journals().Open(ctx, &s.Env.Env, s.Version, func(holder string) {
		s.View.User.Note("another cfctl drives release %s (%s): waiting until it ends; Ctrl-C leaves", s.Version, holder)
	})
	if errors.Is(err, ports.ErrOnRef) {
		err = drivenOnRef(s)
	}
	if err != nil {
		return err
	}
	s.Env.Journal = j
	s.close = append(s.close, j.Close)
	return nil
}

// ReadJournal reads the journal for a command that writes nothing.
func (s *Session) ReadJournal(ctx context.Context) error {
	rs, err := s.Journals().Read(ctx, s.Version)
	s.Env.Journal = train.ReadOnly(rs)
	return err
}

// Records reads the journal of a release, wherever it is kept; one in a file
// without any request.
func (o *Options) Records(ctx context.Context, u *User, version string) (train.Records, error) {
	o.settle(u)
	o.Reads = true
	if o.State == "git" {
		s, err := o.Open(ctx, u, version)
		if err != nil {
			return nil, err
		}
		defer s.Done()
		return s.Journals().Read(ctx, s.Version)
	}
	v, err := o.Target.Open(ctx, u)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	return (&Session{View: v, Options: o}).Journals().File(version)
}

// Status is the status of a release, by its journal; with refresh, by its servers too.
func (o *Options) Status(ctx context.Context, u *User, version string, refresh bool) (*train.Status, error) {
	if refresh {
		o.settle(u)
		o.Reads = true
		s, err := o.Open(ctx, u, version)
		if err != nil {
			return nil, err
		}
		defer s.Done()
		if err := s.ReadJournal(ctx); err != nil {
			return nil, err
		}
		return release.On(s.Train, s.Env).Refresh(ctx, &s.Env.Env)
	}
	rs, err := o.Records(ctx, u, version)
	if err != nil {
		return nil, err
	}
	st, ok := train.ReadStatus(release.Command, version, rs)
	if !ok {
		return nil, source.Hinted(fmt.Errorf("release %s has no journal here", version),
			o.Carry(u, "cfctl release status "+version+" --refresh reads the forge and the registries\ncfctl release run "+version+" starts it, or resumes it"))
	}
	return st, nil
}

// JournalKey is the user's key, which seals the journals in files: of
// $CFCTL_JOURNAL_KEY, for CI jobs that hand a journal on, else of the file
// journal.key next to the user's own configuration. With fresh it is made when
// there is none; without, none is empty, and fits no journal.
func (u *User) JournalKey(fresh bool) ([]byte, error) {
	if key := u.Env["CFCTL_JOURNAL_KEY"]; key != "" {
		return []byte(key), nil
	}
	own := config.UserFile(u.Env)
	if own == "" {
		if !fresh {
			return []byte{}, nil
		}
		return nil, source.Hinted(errors.New("there is no folder for the key that seals the journal"),
			"set CFCTL_JOURNAL_KEY to a secret, or keep the journal on a ref: --state git")
	}
	return train.Key(filepath.Dir(own), fresh)
}

// DeclaredWord represents the newest release that matrix.releases declares.
const DeclaredWord = "declared"

// Declared is the version that an argument represents. Empty: the newest declared
// release was made before, and cfctl did not begin it: a release that is tagged
// and has no journal is not made again by a word.
func (o *Options) Declared(ctx context.Context, u *User, arg string) (string, error) {
	if arg != DeclaredWord {
		return arg, nil
	}
	s, err := o.Connect(ctx, u, "")
	if err != nil {
		return "", err
	}
	defer s.Done()
	for _, r := range s.View.Config.Releases {
		if semver.IsValid(r.Version) && semver.Compare(r.Version, s.Version) > 0 {
			s.Version = r.Version
		}
	}
	if s.Version == "" {
		return "", source.Hinted(fmt.Errorf("matrix.releases of %s declares no release", config.Name), "cfctl release propose --write")
	}
	rs, err := s.Journals().Read(ctx, s.Version)
	if err != nil {
		return "", err
	}
	if r := rs.Aborted(); r != nil {
		return "", Decision{source.Hinted(fmt.Errorf("release %s was aborted by %s on %s", s.Version, r.Who, r.Time.UTC().Format(time.DateOnly)),
			s.Again()+" begins it again; or declare the next version: cfctl release propose --write")}
	}
	if len(rs) > 0 {
		return s.Version, nil
	}
	root := s.View.Stack.RootComponent()
	heads, err := s.Remotes.Heads(ctx, root.Repository)
	if err != nil {
		return "", err
	}
	if _, tagged := heads.Tags[root.TagOf(s.Version)]; tagged {
		u.Note("nothing to release: %s is tagged, and no newer one is declared", s.Version)
		return "", nil
	}
	return s.Version, nil
}

// UnderWay are the releases that were begun and did not end, lowest first.
func (o *Options) UnderWay(ctx context.Context, u *User) ([]string, error) {
	s, err := o.Connect(ctx, u, "")
	if err != nil {
		return nil, err
	}
	defer s.Done()
	return s.Journals().UnderWay(ctx)
}

// errUndeclared is wrapped by the error of a release whose versions are nowhere.
var errUndeclared = errors.New("the matrix has no such release")

// row is what the matrix says of a release that has not begun: as it is declared, else by
// a table or tag of the tree, or as a published one of the built-in stack; nil = nothing.
func (s *Session) row(ctx context.Context, begun bool) *matrix.Release {
	if row, ok := s.View.Config.Release(s.Version); ok || begun {
		return row
	}
	known, _ := s.View.Known().All(ctx)
	for i := range known {
		if known[i].Version == s.Version {
			return &known[i]
		}
	}
	return nil
}

// Versions are the versions of a release: of its row of the matrix, else of
// the journal that it was begun with, and what --component says.
func (s *Session) Versions(ctx context.Context) (map[string]string, *steps.Hotfix, error) {
	versions := map[string]string{}
	rs, err := s.Journals().Read(ctx, s.Version)
	if err != nil {
		return nil, nil, err
	}
	if row := s.row(ctx, len(rs) > 0); row != nil {
		for _, p := range row.Components {
			if p.Version != "" { // a range is of what others release
				versions[p.Name] = p.Version
			}
		}
	}
	var hotfix *steps.Hotfix
	if begin := rs.Last("", "begin"); begin != nil {
		if hotfix, err = release.HotfixOf(begin); err != nil {
			return nil, nil, err
		}
		for _, p := range begin.Pins {
			name, v, _ := strings.Cut(p, " ")
			versions[name] = cmp.Or(versions[name], v)
		}
	}
	given, err := s.Given()
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(versions, given)
	if s.Options.Past {
		s.dropRetired(versions)
	}
	if len(versions) == 0 {
		return nil, nil, source.Hinted(fmt.Errorf("release %s: %w", s.Version, errUndeclared),
			"declare it: cfctl matrix add VERSION, or cfctl release propose --write; or name the versions: --component NAME=VERSION")
	}
	return versions, hotfix, nil
}

// dropRetired leaves out the versions of components that the stack does not have any more.
func (s *Session) dropRetired(versions map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		if _, ok := s.View.Stack.Component(name); !ok {
			delete(versions, name)
			s.View.User.Note("%s of release %s is not in the stack any more, and what was released of it is not verified", name, s.Version)
			s.View.User.Note("hint: %s", (&steps.RetiredError{Component: name}).Hint())
		}
	}
}

// Given are the versions of --component.
func (s *Session) Given() (map[string]string, error) {
	versions := map[string]string{}
	for _, p := range s.Options.Pins {
		name, v, ok := strings.Cut(p, "=")
		if !ok {
			return nil, Usage("--component %q is not NAME=VERSION", p)
		}
		c, err := s.View.Stack.Lookup(name)
		if err != nil {
			return nil, err
		}
		if err := CheckVersion(v); err != nil {
			return nil, err
		}
		versions[c.Name] = v
	}
	return versions, nil
}

// CheckVersion refuses what is no version of a release: it becomes part of tags, branches
// and file names.
func CheckVersion(v string) error {
	if versions.IsVersion("v" + v) {
		return Usage("%q has no v in front of it: write v%s; stack.components[].tag says how the tag is spelled", v, v)
	}
	if !versions.IsVersion(v) || strings.Contains(v, "+") {
		return Usage("%q is not a version of the form vMAJOR.MINOR.PATCH", v)
	}
	return nil
}

// Since is when a step began to wait, in this run or an earlier one.
func (s *Session) Since(step string) time.Time {
	if at := s.Env.Journal.Records().Epoch().Since(step); !at.IsZero() {
		return at
	}
	return time.Now()
}
