package main

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/forge/gitea"
	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/olm"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// releaseCommands are the subcommands of `cfctl release`, in the order of its
// help text.
var releaseCommands = []func(*terminal) *cobra.Command{
	newReleasePropose,
	newReleasePlan,
	newReleaseRun,
	newReleaseStatus,
	newReleaseWhy,
	newReleaseApprove,
	newReleaseSkip,
	newReleaseAbort,
	newReleaseHotfix,
	newReleaseVerify,
	newReleaseBump,
	newReleaseNotes,
	newReleaseBundle,
	newReleaseImages,
	newReleaseAudit,
	newReleaseSchedule,
}

func newRelease(t *terminal) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "release",
		Short: "release a stack of components, step by step",
		Long: `Release a stack of components. Each command is also useful alone.

A command that writes, tags or pushes says so in its help.`,
	}
	for _, build := range releaseCommands {
		cmd.AddCommand(build(t))
	}
	return family(cmd)
}

// trainOptions are what the commands of the train have in common.
type trainOptions struct {
	target
	pins     []string
	state    string
	failOn   failure
	distance time.Duration
	poll     time.Duration
	settled  bool     // where the journal is was decided by cfctl: no one said it
	reads    bool     // the command only looks: at the journal that is there, wherever it is kept
	notes    bool     // the command writes what a user has decided into the journal that is there, wherever it is kept, and does nothing
	words    []string // that the command is called with, for its hints; none = release run
	past     bool     // the command looks at what was released: components may be gone since
	offline  bool     // plan: clones instead of the forge
	clones   string   // where they are; empty = next to the work tree
}

func (o *trainOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.dir, "repo", ".", "work tree with the configuration and the journal")
	f.StringSliceVar(&o.pins, "component", nil, "version of a component, NAME=VERSION, in addition to those of the matrix")
	choiceFlag(cmd, &o.state, "state", "", "auto", []string{"auto", "file", "git"}, "--state", "where the journal is: .cfctl/releases, or a ref of the root (default in a CI job); ")
	bind(f, "state", "release.state")
}

// again is the run of the same release that finds what this command found: with
// the flags that say where it is and which versions it has, as they were given.
func (s *session) again() string {
	o, words := s.options, []string{"cfctl", "release", "run", s.version}
	if s.begins != nil {
		words = append([]string{"cfctl", "release"}, s.begins...)
	}
	words = append(words, o.where(s.view.term)...)
	return report.Shell(words...)
}

// where are the flags that say where a release is and which versions it has, as
// they were given: a command in a text finds the same release with them.
func (o *trainOptions) where(t *terminal) (words []string) {
	if o.dir != "." {
		words = append(words, "--repo", o.dir)
	}
	if o.ref != "" {
		words = append(words, "--ref", o.ref)
	}
	for _, p := range o.pins {
		words = append(words, "--component", p)
	}
	if o.state == "git" {
		words = append(words, "--state", o.state)
	}
	if t.trustConfig {
		words = append(words, "--trust-config")
	}
	return words
}

// ownCommand is a command in a text that takes the flags of where.
var ownCommand = lazyregexp.New(`\bcfctl release (run|approve|abort|skip|status|verify|why|plan)\b`)

// carry gives the commands in a text the flags that were given.
func (o *trainOptions) carry(t *terminal, text string) string {
	words := o.where(t)
	if len(words) == 0 {
		return text
	}
	return ownCommand.ReplaceAllStringFunc(text, func(command string) string { return command + " " + report.Shell(words...) })
}

// servers adds the flags of commands that talk to servers.
func (o *trainOptions) servers(cmd *cobra.Command) {
	f := cmd.Flags()
	f.DurationVar(&o.distance, "distance", time.Second, "time between two mutating requests to one server")
	f.DurationVar(&o.poll, "poll", time.Minute, "time between two polls while waiting")
	bind(f, "distance", "release.distance")
	bind(f, "poll", "release.poll")
}

// A session is a release that was opened: what is released, where, and the journal.
type session struct {
	train   *release.Train
	env     *release.Env
	queue   *wire.Queue
	remotes *release.Remotes
	recipe  *release.Recipe
	view    *view
	version string
	begins  []string      // what begins the release, where run does not: hotfix COMPONENT VERSION --run
	options *trainOptions // what it was opened with
	close   []func() error
}

func (s *session) done() {
	for _, f := range s.close {
		_ = f() // what was written is durable already
	}
}

// open reads the configuration and connects to the servers; the journal is
// opened by openJournal or readJournal.
func (o *trainOptions) open(ctx context.Context, t *terminal, version string) (*session, error) {
	s, err := o.connect(ctx, t, version)
	if err != nil {
		return nil, err
	}
	if err := o.follow(ctx, t, s); err != nil {
		s.done()
		return nil, err
	}
	versions, hotfix, err := o.versions(ctx, t, s)
	if errors.Is(err, errUndeclared) && o.state == "file" && !o.reads {
		if there, rerr := s.journals().OnRef(ctx, version); rerr == nil && there {
			err = drivenOnRef(s) // the versions of a hotfix are in its journal alone
		}
	}
	if err == nil {
		s.train, err = release.Compile(s.view.stack, s.recipe, version, versions, hotfix)
	}
	if err != nil {
		s.done()
		return nil, err
	}
	s.arm()
	return s, nil
}

// withJournal opens a release with its journal for writing, and has run do something
// with it.
func (o *trainOptions) withJournal(ctx context.Context, t *terminal, version string, run func(s *session) error) error {
	s, err := o.open(ctx, t, version)
	if err != nil {
		return err
	}
	defer s.done()
	if err := s.openJournal(ctx); err != nil {
		return err
	}
	return run(s)
}

// arm gives the train its calendar, and what makes its bundle.
func (s *session) arm() {
	s.train.Sprint, s.train.Matrix = s.view.config.Sprint, s.view.config
	s.train.Bundle = release.MakeBundle(olm.GitRemotes{Cache: s.remotes.Cache})
	s.train.Tool = build().Version
	s.env.Journals = s.journals().Any
}

// journals are those of the releases of the stack.
func (s *session) journals() *release.Journals {
	return &release.Journals{Remotes: s.remotes, Repo: s.view.stack.RootComponent().Repository, Home: s.options.home(s),
		OnRefs: s.options.state == "git", Offline: s.options.offline,
		Key: func(fresh bool) ([]byte, error) { return journalKey(s.view.term, fresh) }}
}

// aborted says whether a release was aborted, by its journal.
func (s *session) aborted(ctx context.Context, version string) (bool, error) {
	rs, err := s.journals().Any(ctx, version)
	return rs.Aborted() != nil, err
}

// decided makes an answer of an error that needs a decision.
func decided(err error) error {
	if _, ok := errors.AsType[*release.BranchError](err); ok {
		return decision{err}
	}
	return replan(err)
}

// replan makes an answer of the error about a plan that is not the one that the
// release was begun by.
func replan(err error) error {
	if changed, ok := errors.AsType[*train.PlanChangedError](err); ok {
		return decision{hinted{err, changed.Finding().Hint}}
	}
	return err
}

// connect opens everything but the train itself.
func (o *trainOptions) connect(ctx context.Context, t *terminal, version string) (_ *session, err error) {
	if o.distance < 0 || o.poll < 0 {
		return nil, usage("--distance %s, --poll %s: a time between two requests is not less than 0", o.distance, o.poll)
	}
	o.settle(t)
	v, err := o.openStack(ctx, t)
	if err != nil {
		return nil, err
	}
	s := &session{view: v, version: version, options: o, close: []func() error{func() error { v.close(); return nil }}}
	defer func() {
		if err != nil {
			s.done()
		}
	}()
	if s.recipe, err = v.recipe(); err != nil {
		return nil, err
	}
	token, err := t.token(ctx, s.recipe.Forge)
	if err == nil {
		err = git.Authorize(s.recipe.Forge.Git, token)
	}
	if err != nil {
		return nil, err
	}
	s.queue = &wire.Queue{Now: time.Now, Sleep: wire.Sleep, Distance: o.distance, Patience: 15 * time.Minute, Retries: 3,
		Paused: func(text string) { t.note("  %s", text) }}
	client, err := forgeOf(s.recipe.Forge, token, s.queue)
	if err != nil {
		return nil, err
	}
	cache, err := sources(t)
	if err != nil {
		return nil, err
	}
	s.remotes = &release.Remotes{Base: s.recipe.Forge.Git, Cache: cache, Queue: s.queue}
	s.close = append(s.close, s.remotes.Close, cache.Close)
	s.env = &release.Env{Git: s.remotes, Forge: client, Images: &registry.Images{Transport: s.queue, Stable: s.recipe.Stable},
		Env: train.Env{Now: time.Now, Sleep: wire.Sleep, Poll: o.poll}}
	s.announcers(t)
	if o.offline {
		err = s.leaveForge(ctx, t)
	}
	return s, err
}

// leaveForge takes clones for the repositories, and nothing for what cannot be
// asked without a network.
func (s *session) leaveForge(ctx context.Context, t *terminal) error {
	root := s.view.stack.RootComponent().Repository
	at, err := filepath.Abs(s.options.home(s))
	if err != nil {
		return err
	}
	c := &release.Clones{Dir: s.options.clones, Root: root}
	if s.view.root != "" {
		c.Tree = at
	}
	c.Dir = cmp.Or(c.Dir, filepath.Dir(at))
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return err
	}
	s.remotes.Local = c
	s.env.Forge, s.env.Images = release.OfflineForge{}, &release.OfflineImages{}
	t.note("offline: the clones in %s; what the forge and the registries have is not asked", c.Dir)
	for _, repo := range c.Shallow(ctx, s.view.stack) {
		t.note("the clone of %s is shallow, and has not all of its history: git -C %s fetch --unshallow", repo, report.Shell(c.Of(repo)))
	}
	return nil
}

// forgeOf is the client of a forge.
func forgeOf(at release.Servers, token func() string, queue *wire.Queue) (forge.Forge, error) {
	if at.Kind == release.KindGitea {
		return gitea.New(at.API, token(), queue)
	}
	return github.New(at.API, token, queue)
}

// announcers connects what announcements are sent with.
func (s *session) announcers(t *terminal) {
	if a := s.recipe.Announce; a.SMTP != "" {
		s.env.Mail = &release.SMTP{Server: a.SMTP, User: t.env["CFCTL_SMTP_USER"], Password: t.env["CFCTL_SMTP_PASSWORD"], Queue: s.queue}
	}
	if hook := t.env["CFCTL_SLACK_WEBHOOK"]; hook != "" {
		s.env.Chat = &release.Slack{Webhook: hook, Queue: s.queue}
	}
}

// home is the folder that .cfctl lies in.
func (o *trainOptions) home(s *session) string {
	return cmp.Or(s.view.root, ".")
}

// follow has a command take the journal on the ref, where there is one and none in a
// file: one that only looks, and one that writes what a user has decided, unless
// that user said where.
func (o *trainOptions) follow(ctx context.Context, t *terminal, s *session) error {
	if !o.reads && !(o.notes && o.settled) || o.offline || o.state != "file" {
		return nil
	}
	if rs, err := s.journals().Read(ctx, s.version); err != nil || len(rs) > 0 {
		return err
	}
	if there, err := s.journals().OnRef(ctx, s.version); err == nil && there { // what cannot be asked is told by what needs it
		t.note("the journal of release %s is on a ref of %s, and %s there", s.version, s.view.stack.RootComponent().Repository, map[bool]string{true: "read", false: "written"}[o.reads])
		o.state = "git"
	}
	return nil
}

// openJournal opens the journal for writing. A second driver waits here.
func (s *session) openJournal(ctx context.Context) error {
	j, err := s.journals().Open(ctx, s.env, s.version, func(holder string) {
		s.view.term.note("another cfctl drives release %s (%s): waiting until it ends; Ctrl-C leaves", s.version, holder)
	})
	if errors.Is(err, release.ErrOnRef) {
		err = drivenOnRef(s)
	}
	if err != nil {
		return err
	}
	s.env.Journal = j
	s.close = append(s.close, j.Close)
	return nil
}

// readJournal reads the journal for a command that writes nothing.
func (s *session) readJournal(ctx context.Context) error {
	rs, err := s.journals().Read(ctx, s.version)
	s.env.Journal = train.ReadOnly(rs)
	return err
}

// recipe is the release section of the configuration, or the built-in one for
// the built-in stack.
func (v *view) recipe() (*release.Recipe, error) {
	if v.declared != nil && v.declared.Release != nil {
		r := &v.declared.Release.Recipe
		tr, err := v.term.trusted()
		if err == nil {
			err = tr.Check(v.file, v.declared, "release")
		}
		if err != nil {
			return nil, err
		}
		v.given(r)
		return r, r.Complete(config.Name, v.stack)
	}
	if v.custom {
		return nil, hinted{errorf("%s has a section stack and no section release", config.Name), "write the section release: " + docsURL("release")}
	}
	r := release.DefaultRecipe()
	r.Forge = release.Servers{}
	v.given(r)
	return r, r.Forge.Complete(config.Name)
}

// atForge has the repositories of the stack, OWNER/NAME, looked up on the forge that
// is configured (release.forge), with the credential for it.
func (v *view) atForge(ctx context.Context) error {
	r := &release.Recipe{}
	if v.declared != nil && v.declared.Release != nil {
		r.Forge = v.declared.Release.Forge
		tr, err := v.term.trusted()
		if err == nil {
			err = errors.Join(tr.Refuse(v.file, "release.forge.api", r.Forge.API), tr.Refuse(v.file, "release.forge.git", r.Forge.Git))
		}
		if err != nil {
			return err
		}
	}
	v.given(r)
	if err := r.Forge.Complete(config.Name); err != nil {
		return err
	}
	v.stack.SetForge(r.Forge.Git)
	if v.stack.RepositoryURL("owner/name") == stack.RepositoryURL("owner/name") {
		return nil // on GitHub, as git itself is set up for it
	}
	token, err := v.term.token(ctx, r.Forge)
	if err != nil {
		return err
	}
	return git.Authorize(r.Forge.Git, token)
}

// given takes the servers that the environment names.
func (v *view) given(r *release.Recipe) {
	for name, value := range map[string]*string{
		"CFCTL_RELEASE_FORGE_KIND": &r.Forge.Kind, "CFCTL_RELEASE_FORGE_API": &r.Forge.API, "CFCTL_RELEASE_FORGE_GIT": &r.Forge.Git, "CFCTL_RELEASE_ANNOUNCE_SMTP": &r.Announce.SMTP,
	} {
		if given := v.term.env[name]; given != "" {
			*value = given
		}
	}
}
