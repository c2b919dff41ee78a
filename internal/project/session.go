package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/forge/gitea"
	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/olm"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/release/mail"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// Options say which release a command is about, and how it goes about it.
type Options struct {
	Target
	Pins     []string      // --component
	State    string        // --state: auto, file or git
	Distance time.Duration // between two mutating requests to one server
	Poll     time.Duration // between two looks while waiting
	Reads    bool          // the command only looks: at the journal that is there, wherever it is kept
	Notes    bool          // the command writes what a user has decided into the journal that is there, wherever it is kept, and does nothing
	Words    []string      // that the command is called with, for its hints; none = release run
	Past     bool          // the command looks at what was released: components may be gone since
	Offline  bool          // clones instead of the forge
	Clones   string        // where they are; empty = next to the work tree

	settled bool // where the journal is was decided by cfctl: no one said it
}

// where are the flags that say where a release is and which versions it has, as
// they were given: a command in a text finds the same release with them.
func (o *Options) where(u *User) (words []string) {
	if o.Dir != "." {
		words = append(words, "--repo", o.Dir)
	}
	if o.Ref != "" {
		words = append(words, "--ref", o.Ref)
	}
	for _, p := range o.Pins {
		words = append(words, "--component", p)
	}
	if o.State == "git" {
		words = append(words, "--state", o.State)
	}
	if u.TrustConfig {
		words = append(words, "--trust-config")
	}
	return words
}

// ownCommand is a command in a text that takes the flags of where.
var ownCommand = lazyregexp.New(`\bcfctl release (run|approve|abort|skip|status|verify|why|plan)\b`)

// Carry gives the commands in a text the flags that were given.
func (o *Options) Carry(u *User, text string) string {
	words := o.where(u)
	if len(words) == 0 {
		return text
	}
	return ownCommand.Get().ReplaceAllStringFunc(text, func(command string) string { return command + " " + report.Shell(words...) })
}

// A Session is a release that was opened: what is released, where, and the journal.
type Session struct {
	Train   *steps.Train
	Env     *release.Env
	Remotes *ports.Remotes
	Recipe  *recipe.Recipe
	View    *View
	Version string
	Begins  []string // what begins the release, where run does not: hotfix COMPONENT VERSION --run
	Options *Options // what it was opened with

	queue *wire.Queue
	close []func() error
}

// Again is the run of the same release that finds what this command found: with
// the flags that say where it is and which versions it has, as they were given.
func (s *Session) Again() string {
	words := []string{"cfctl", "release", "run", s.Version}
	if s.Begins != nil {
		words = append([]string{"cfctl", "release"}, s.Begins...)
	}
	return report.Shell(append(words, s.Options.where(s.View.User)...)...)
}

// Done lets go of what was opened.
func (s *Session) Done() {
	for _, f := range s.close {
		_ = f() // what was written is durable already
	}
}

// Open reads the configuration and connects to the servers; the journal is
// opened by OpenJournal or ReadJournal.
func (o *Options) Open(ctx context.Context, u *User, version string) (*Session, error) {
	s, err := o.Connect(ctx, u, version)
	if err != nil {
		return nil, err
	}
	if err = o.follow(ctx, s); err == nil {
		err = o.compile(ctx, s)
	}
	if err != nil {
		s.Done()
		return nil, err
	}
	s.Arm()
	return s, nil
}

// compile makes the train of the versions of a release.
func (o *Options) compile(ctx context.Context, s *Session) error {
	versions, hotfix, err := s.Versions(ctx)
	if errors.Is(err, errUndeclared) && o.State == "file" && !o.Reads {
		if there, rerr := s.Journals().OnRef(ctx, s.Version); rerr == nil && there {
			err = drivenOnRef(s) // the versions of a hotfix are in its journal alone
		}
	}
	if err != nil {
		return err
	}
	s.Train, err = steps.Compile(s.View.Stack, s.Recipe, s.Version, versions, hotfix)
	return err
}

// WithJournal opens a release with its journal for writing, and has run do something
// with it.
func (o *Options) WithJournal(ctx context.Context, u *User, version string, run func(s *Session) error) error {
	s, err := o.Open(ctx, u, version)
	if err != nil {
		return err
	}
	defer s.Done()
	if err := s.OpenJournal(ctx); err != nil {
		return err
	}
	return run(s)
}

// Arm gives the train its calendar, and what makes its bundle.
func (s *Session) Arm() {
	s.Train.Sprint, s.Train.Matrix = s.View.Config.Sprint, s.View.Config
	s.Train.Bundle = steps.MakeBundle(olm.GitRemotes{Cache: s.Remotes.Cache}.Tree)
	s.Train.Tool = s.View.User.Version
	s.Env.Journals = s.Journals().Any
}

// Connect opens everything but the train itself.
func (o *Options) Connect(ctx context.Context, u *User, version string) (_ *Session, err error) {
	if o.Distance < 0 || o.Poll < 0 {
		return nil, Usage("--distance %s, --poll %s: a time between two requests is not less than 0", o.Distance, o.Poll)
	}
	o.settle(u)
	v, err := o.OpenStack(ctx, u)
	if err != nil {
		return nil, err
	}
	s := &Session{View: v, Version: version, Options: o, close: []func() error{func() error { v.Close(); return nil }}}
	defer func() {
		if err != nil {
			s.Done()
		}
	}()
	if s.Recipe, err = v.Recipe(); err != nil {
		return nil, err
	}
	token, err := u.Token(ctx, s.Recipe.Forge)
	if err == nil {
		err = git.Authorize(s.Recipe.Forge.Git, token)
	}
	if err != nil {
		return nil, err
	}
	s.queue = &wire.Queue{Now: time.Now, Sleep: wire.Sleep, Distance: o.Distance, Patience: 15 * time.Minute, Retries: 3,
		Paused: func(text string) { u.Note("  %s", text) }}
	client, err := forgeOf(s.Recipe.Forge, token, s.queue)
	if err != nil {
		return nil, err
	}
	cache, err := u.Cache()
	if err != nil {
		return nil, err
	}
	s.Remotes = &ports.Remotes{Base: s.Recipe.Forge.Git, Cache: cache, Queue: s.queue}
	s.close = append(s.close, s.Remotes.Close, cache.Close)
	s.Env = &release.Env{Git: s.Remotes, Forge: client, Images: &registry.Images{Transport: s.queue, Stable: s.Recipe.Stable},
		Env: train.Env{Now: time.Now, Sleep: wire.Sleep, Poll: o.Poll, Hide: s.View.User.Secrets.Redact}}
	s.announcers()
	if o.Offline {
		err = s.leaveForge(ctx)
	}
	return s, err
}

// leaveForge takes clones for the repositories, and nothing for what cannot be
// asked without a network.
func (s *Session) leaveForge(ctx context.Context) error {
	u, root := s.View.User, s.View.Stack.RootComponent().Repository
	at, err := filepath.Abs(s.home())
	if err != nil {
		return err
	}
	c := &ports.Clones{Dir: s.Options.Clones, Root: root}
	if s.View.Root != "" {
		c.Tree = at
	}
	c.Dir = cmp.Or(c.Dir, filepath.Dir(at))
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return err
	}
	s.Remotes.Local = c
	s.queue.Base, s.Env.Offline = ports.Offline{}, true
	u.Note("offline: the clones in %s; what the forge and the registries have is not asked", c.Dir)
	for _, repo := range c.Shallow(ctx, s.View.Stack) {
		u.Note("the clone of %s is shallow, and has not all of its history: git -C %s fetch --unshallow", repo, report.Shell(c.Of(repo)))
	}
	return nil
}

// forgeOf is the client of a forge.
func forgeOf(at recipe.Servers, token func() string, queue *wire.Queue) (forge.Forge, error) {
	if at.Kind == recipe.KindGitea {
		return gitea.New(at.API, token(), queue)
	}
	return github.New(at.API, token, queue)
}

// announcers connects what announcements are sent with.
func (s *Session) announcers() {
	env := s.View.User.Env
	if a := s.Recipe.Announce; a.SMTP != "" {
		s.Env.Mail = &mail.SMTP{Server: a.SMTP, User: env["CFCTL_SMTP_USER"], Password: env["CFCTL_SMTP_PASSWORD"], Queue: s.queue}
	}
	if hook := env["CFCTL_SLACK_WEBHOOK"]; hook != "" {
		s.Env.Chat = &mail.Slack{Webhook: hook, Queue: s.queue}
	}
}

// home is the folder that .cfctl lies in.
func (s *Session) home() string { return cmp.Or(s.View.Root, ".") }

// A Decision is an error that is an answer: a maintainer has to decide before the command
// can go on. It exits as a gate does that has found something.
type Decision struct{ error }

func (d Decision) Unwrap() error { return d.error }

// Decided makes an answer of an error that needs a decision.
func Decided(err error) error {
	if _, ok := errors.AsType[*recipe.BranchError](err); ok {
		return Decision{err}
	}
	return Replan(err)
}

// Replan makes an answer of the error about a plan that is not the one that the
// release was begun by.
func Replan(err error) error {
	if changed, ok := errors.AsType[*train.PlanChangedError](err); ok {
		return Decision{source.Hinted(err, changed.Finding().Hint)}
	}
	return err
}

// Hotfix makes the train of a fix of one component, for a session that is connected, of
// the versions of the release that is fixed; begin are the words that begin it so.
func (s *Session) Hotfix(ctx context.Context, component, of, branch string, begin func(version string) []string) error {
	versions, _, err := s.Versions(ctx)
	if err != nil {
		return err
	}
	s.Train, err = steps.NewHotfix(ctx, s.View.Stack, s.Recipe, s.Remotes, component, of, branch, versions)
	if later, ok := errors.AsType[*steps.LaterError](err); ok {
		s.Begins = begin(later.Newest)
		return source.Hinted(err, s.Again())
	}
	if err != nil {
		return err
	}
	s.Version = s.Train.Version
	s.Arm()
	return nil
}

// drivenOnRef is the error of a command that would drive a release with a journal in
// a file, when it is on a ref.
func drivenOnRef(s *Session) error {
	o := *s.Options
	o.State = "git"
	on := *s
	on.Options = &o
	if len(o.Words) > 0 {
		on.Begins = o.Words
	}
	return source.Hinted(fmt.Errorf("release %s is driven with the journal on a ref of %s, and not with one in a file", s.Version, s.View.Stack.RootComponent().Repository), on.Again())
}
