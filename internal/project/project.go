// Package project is a repository with what its configuration declares of a stack:
// a View has the tree, the stack, the matrix and the recipe of releases; a Session
// is a release of it that is connected to its servers.
//
// It prints nothing: the User receives what is to be said.
package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/project-codeflare/cfctl/internal/chain"
	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/matrix/choose"
	"github.com/project-codeflare/cfctl/internal/matrix/survey"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/schedule"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/trust"
)

// A User runs a command: with an environment, secrets, and whom it trusts.
type User struct {
	report.Progress
	Env         map[string]string
	Secrets     trust.Secrets  // printed nowhere, also where a server sends them back
	TrustConfig bool           // --trust-config
	Stack       string         // --stack of the matrix commands; empty = what is declared
	Version     string         // of cfctl
	Configs     config.Reader  // of each .cfctl.yaml that is asked for
	Keep        []migrate.Keep // what the configuration of the tree keeps

	trust *config.Trust // once it was read; see Trusted
}

// Trusted is whom the user trusts, read once.
func (u *User) Trusted() (_ *config.Trust, err error) {
	if u.trust == nil {
		u.trust, err = config.ReadTrust(u.TrustConfig, u.Env)
	}
	return u.trust, err
}

// Token is the token for a forge, which is not printed; an empty one is none.
func (u *User) Token(ctx context.Context, at recipe.Servers) (func() string, error) {
	token, err := trust.Token(ctx, u.Env, trust.Servers{API: at.API, Git: at.Git, Gitea: at.Kind == recipe.KindGitea})
	u.Secrets.Add(token)
	return func() string { return token }, err
}

// Cache is the user's cache of repositories.
func (u *User) Cache() (*git.Cache, error) {
	dir := u.Env["XDG_CACHE_HOME"]
	if !filepath.IsAbs(dir) { // a relative one is none (XDG Base Directory Specification): it could lie in the tree
		home, err := os.UserCacheDir()
		if err != nil {
			return nil, source.Hinted(err, "set XDG_CACHE_HOME")
		}
		dir = home
	}
	return &git.Cache{Dir: filepath.Join(dir, "cfctl", "git")}, nil
}

// A UsageError is a mistake in the call of a command.
type UsageError struct{ error }

func (u UsageError) Unwrap() error { return u.error }

// Usage makes the error of a mistake in the call.
func Usage(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// UsageOf has an error be one of the call.
func UsageOf(err error) error { return UsageError{err} }

// A Target is what a command looks at: a work tree, or a ref of a repository.
type Target struct {
	Dir, Ref string // --repo, --ref
}

// A View is an opened target with what is declared for it.
type View struct {
	Repo *git.Repo // nil = the folder is in no repository

	Root   string // top of the work tree; empty = a commit is checked
	Tree   fs.FS
	Tag    string // the tag that was asked for; empty = something else
	Stack  *stack.Stack
	Config *matrix.Config
	Custom bool // the stack is not the built-in one
	Meant  bool // the stack is declared, asked for, or the one of this repository

	Declared *config.Config // the configuration that was found; nil = none
	File     config.File    // where it is
	User     *User

	files *source.Root // that Tree is read through; nil = a commit is checked
	cache *git.Cache   // of components; nil = not asked for yet
}

// Close lets go of what was opened. Only reading was done.
func (v *View) Close() {
	if v.cache != nil {
		_ = v.cache.Close()
	}
	if v.files != nil {
		_ = v.files.Close()
	}
	if v.Repo != nil {
		_ = v.Repo.Close()
	}
}

// NeedsWorkTree refuses a bare repository for a command that writes files.
func (v *View) NeedsWorkTree(dir, command string) error {
	if v.Root == "" {
		return Usage("%s is a bare repository: %s needs a work tree", dir, command)
	}
	return nil
}

// Known knows the releases of the stack.
func (v *View) Known() *survey.Known {
	return &survey.Known{Stack: v.Stack, Config: v.Config, Tree: v.Tree, Repo: v.Repo, Tag: v.Tag, Builtin: !v.Custom}
}

// Results are the recorded results of tests; none is an error.
func (v *View) Results() (*choose.Results, error) {
	results, err := choose.ReadResults(v.Stack, v.Config, v.Tree)
	if err == nil && len(results.List) == 0 {
		err = source.Hinted(fmt.Errorf("%s has no results", v.Config.ResultsPath()), "cfctl matrix record, after the tests of a combination")
	}
	return results, err
}

// Freezes are the declared ones, in which no release may begin.
func (v *View) Freezes() []schedule.Window {
	if v.Declared == nil || v.Declared.Release == nil {
		return nil
	}
	return v.Declared.Release.Freeze
}

// Past is the history that checks may look back at.
func (v *View) Past() matrix.Past {
	if v.Repo == nil {
		return nil
	}
	return matrix.RepoPast{Repo: v.Repo}
}

// Open finds the repository, the tree and the declaration.
func (o *Target) Open(ctx context.Context, u *User) (*View, error) {
	v := &View{User: u}
	repo, err := git.Open(ctx, o.Dir)
	switch {
	case err == nil:
		v.Repo = repo
	case !errors.Is(err, git.ErrNotFound) || o.Ref != "":
		return nil, err
	}
	if err = o.openTree(ctx, v); err == nil {
		err = v.declare(o.Dir)
	}
	if err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// OpenStack is Open for commands that say something of a stack: it must be
// declared, asked for, or that of this repository.
func (o *Target) OpenStack(ctx context.Context, u *User) (*View, error) {
	v, err := o.Open(ctx, u)
	if err == nil && !v.Meant {
		v.Close()
		return nil, source.Hinted(errors.New("no stack is declared here (section stack of .cfctl.yaml)"), "cfctl init declares one from a table in README.md with the columns Component and Version: "+report.DocsURL("first-stack"))
	}
	return v, err
}

// codeflareStack is the name of the built-in stack.
const codeflareStack = "codeflare"

func (o *Target) openTree(ctx context.Context, v *View) error {
	ref := strings.TrimPrefix(o.Ref, "refs/tags/")
	switch {
	case v.Repo == nil:
		return v.openFolder(o.Dir)
	case ref == "" && !v.Repo.Bare:
		return v.openFolder(v.Repo.Dir)
	case ref == "":
		ref = "HEAD"
	}
	tree, err := v.Repo.Tree(ctx, ref)
	if err != nil {
		return source.Hinted(err, "git -C "+o.Dir+" tag --list")
	}
	v.Tree = tree
	if is, err := v.Repo.IsTag(ctx, ref); err != nil {
		return err
	} else if is {
		v.Tag = ref
	}
	return nil
}

// openFolder looks at the files of a folder, as they lie there.
func (v *View) openFolder(dir string) (err error) {
	if v.files, err = source.OpenRoot(dir); err != nil {
		return err
	}
	v.Root, v.Tree = dir, v.files.FS()
	return nil
}

// declare takes the stack and the matrix from the tree's own configuration,
// else from the current folder's, else the built-in ones.
func (v *View) declare(dir string) error {
	v.Stack, v.Config = stack.Default(), matrix.Default()
	if name := v.User.Stack; name != "" {
		if name != codeflareStack {
			return Usage("unknown stack %q (known: %s)", name, codeflareStack)
		}
		v.Meant = true
		return nil
	}
	v.Meant = v.Stack.IsOf(v.Tree)
	file, err := v.configFile(dir)
	if err != nil || len(file.Data) == 0 {
		return err
	}
	c, err := file.Decode()
	if err != nil {
		return err
	}
	tr, err := v.User.Trusted()
	if err != nil {
		return err
	}
	if err := tr.Check(file, c, "stack", "matrix"); err != nil {
		return err
	}
	v.Declared, v.File = c, file
	v.Meant = v.Meant || c.Stack != nil
	if c.Stack != nil {
		v.Stack, v.Config, v.Custom = c.Stack, &matrix.Config{}, true
		if err := v.Stack.Complete(file.Path); err != nil {
			return err
		}
	}
	if c.Matrix != nil {
		v.Config = &c.Matrix.Config
	}
	return v.Config.Complete(file.Path, v.Stack)
}

// configFile is the tree's own configuration, else the current folder's; dir
// is the folder that was asked for. None has no data.
func (v *View) configFile(dir string) (config.File, error) {
	file, err := v.User.Configs.Read(v.Root, config.Name, func() ([]byte, error) { return fs.ReadFile(v.Tree, config.Name) })
	if errors.Is(err, fs.ErrNotExist) {
		return v.User.Configs.Find()
	}
	if file.Dir, file.Past = dir, v.files == nil; v.Repo != nil {
		file.Dir = v.Repo.Dir
	}
	return file, err
}

// Sources reads the repositories of components, on the forge that is configured.
func (v *View) Sources(ctx context.Context) (*git.Cache, error) {
	if err := v.AtForge(ctx); err != nil {
		return nil, err
	}
	var err error
	v.cache, err = v.User.Cache()
	return v.cache, err
}

// Component is the component of the stack that the repository is of.
func (v *View) Component(ctx context.Context) (*stack.Component, error) {
	remote := ""
	if v.Repo != nil {
		var err error
		if remote, err = v.Repo.RemoteURL(ctx); err != nil {
			return nil, err
		}
	}
	c, err := chain.ComponentOf(v.Stack, v.Tree, remote)
	if err != nil {
		return nil, source.Hinted(err, "declare its module.path or repository in stack.components, or run it in the repository of a component")
	}
	return c, nil
}

// Recipe is the release section of the configuration, or the built-in one for
// the built-in stack.
func (v *View) Recipe() (*recipe.Recipe, error) {
	if v.Declared != nil && v.Declared.Release != nil {
		r := &v.Declared.Release.Recipe
		tr, err := v.User.Trusted()
		if err == nil {
			err = tr.Check(v.File, v.Declared, "release")
		}
		if err != nil {
			return nil, err
		}
		v.User.given(r)
		return r, steps.Complete(r, config.Name, v.Stack)
	}
	if v.Custom {
		return nil, source.Hinted(fmt.Errorf("%s has a section stack and no section release", config.Name), fmt.Sprintf("add release: {components: [{name: %s}]}, with the others that are released: %s", v.Stack.Root, report.DocsURL("release")))
	}
	r := recipe.Default()
	r.Forge = recipe.Servers{}
	v.User.given(r)
	return r, r.Forge.Complete(config.Name)
}

// AtForge has the repositories of the stack, OWNER/NAME, looked up on the forge that
// is configured (release.forge), with the credential for it.
func (v *View) AtForge(ctx context.Context) error {
	r := &recipe.Recipe{}
	if v.Declared != nil && v.Declared.Release != nil {
		r.Forge = v.Declared.Release.Forge
		tr, err := v.User.Trusted()
		if err == nil {
			err = errors.Join(tr.Refuse(v.File, "release.forge.api", r.Forge.API), tr.Refuse(v.File, "release.forge.git", r.Forge.Git))
		}
		if err != nil {
			return err
		}
	}
	v.User.given(r)
	if err := r.Forge.Complete(config.Name); err != nil {
		return err
	}
	v.Stack.SetForge(r.Forge.Git)
	if v.Stack.RepositoryURL("owner/name") == stack.RepositoryURL("owner/name") {
		return nil // on GitHub, as git itself is set up for it
	}
	return v.User.authorize(ctx, r.Forge)
}

// authorize lets git have the token for a forge.
func (u *User) authorize(ctx context.Context, at recipe.Servers) error {
	token, err := u.Token(ctx, at)
	if err != nil {
		return err
	}
	return git.Authorize(at.Git, token)
}

// given takes the servers that the environment names.
func (u *User) given(r *recipe.Recipe) {
	for name, value := range map[string]*string{
		"CFCTL_RELEASE_FORGE_KIND": &r.Forge.Kind, "CFCTL_RELEASE_FORGE_API": &r.Forge.API, "CFCTL_RELEASE_FORGE_GIT": &r.Forge.Git, "CFCTL_RELEASE_ANNOUNCE_SMTP": &r.Announce.SMTP,
	} {
		if given := u.Env[name]; given != "" {
			*value = given
		}
	}
}
