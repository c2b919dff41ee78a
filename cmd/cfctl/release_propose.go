package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/propose"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

type proposeOptions struct {
	trainOptions
	request   propose.Request
	output    string
	write, pr bool
}

func newReleasePropose(t *terminal) *cobra.Command {
	o := &proposeOptions{}
	cmd := command(t, o, "propose", "work out the next version of each component", runPropose)
	f := cmd.Flags()
	f.StringVar(&o.Dir, "repo", ".", "work tree of the stack's root")
	f.StringSliceVar(&o.Pins, "component", nil, "set the version of a component, NAME=VERSION, instead of deriving it")
	f.StringSliceVar(&o.request.Only, "only", nil, "components that may move; the others are not changed")
	f.StringVar(&o.request.Pre, "pre", "", "propose a pre-release with this name: rc for v1.2.0-rc.1")
	f.BoolVarP(&o.write, "write", "w", false, "write the row into "+config.Name)
	f.BoolVar(&o.pr, "pr", false, "open a pull request with the row")
	f.BoolVar(&o.Offline, "offline", false, "read clones instead of servers; labels of pull requests are not known then")
	f.StringVar(&o.Clones, "clones", "", "folder of the clones, with --offline (default: the one that this repository is in)")
	f.DurationVar(&o.Distance, "distance", time.Second, "time between two mutating requests to one server")
	bind(f, "distance", "release.distance")
	outputFlag(cmd, &o.output, "text", "text", "json", "version")
	return cmd
}

// preName is what may be before the number of a pre-release.
var preName = lazyregexp.New(`^[A-Za-z][0-9A-Za-z-]*$`)

// check refuses what no answer can be given to.
func (o *proposeOptions) check() error {
	switch {
	case o.request.Pre != "" && !preName.MatchString(o.request.Pre):
		return usage("--pre %q is not a word", o.request.Pre)
	case o.write && o.pr:
		return usage("--write and --pr cannot be combined")
	case o.Offline && o.pr:
		return usage("--pr needs the forge: it cannot be combined with --offline")
	case o.Clones != "" && !o.Offline:
		return usage("--clones is for --offline")
	}
	return nil
}

func runPropose(ctx context.Context, t *terminal, o *proposeOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	s, err := o.Connect(ctx, &t.User, "")
	if err != nil {
		return err
	}
	defer s.Done()
	if o.request.Given, err = s.Given(); err != nil {
		return err
	}
	for i, name := range o.request.Only {
		c, err := s.View.Stack.Lookup(name)
		if err != nil {
			return err
		}
		o.request.Only[i] = c.Name
	}
	t.status("reading the components' repositories")
	p := release.Proposer{Stack: s.View.Stack, Recipe: s.Recipe, Matrix: s.View.Config, Git: s.Remotes, Forge: s.Env.Forge, Unwanted: s.Aborted}
	plan, err := p.Propose(ctx, o.request)
	t.clearLive()
	if err != nil {
		return remoteHint(project.Decided(err), "read clones next to this one: --offline")
	}
	if err := showProposal(t, o.output, s, plan); err != nil {
		return err
	}
	if len(plan.Problems()) > 0 {
		m := plan.Problems()[0]
		if m.Fix != "" {
			t.note("hint: %s", m.Fix)
		} else {
			t.note("hint: say the version: %s --component %s=vX.Y.Z", t.command(), m.Name)
		}
		return errPending
	}
	if !plan.Release {
		return nil
	}
	return o.declare(ctx, t, s, plan)
}

func showProposal(t *terminal, output string, s *project.Session, plan *propose.Plan) error {
	switch output {
	case "json":
		return report.WriteJSON(t.out, plan)
	case "version":
		if plan.Release && len(plan.Problems()) == 0 {
			report.Fprintf(t.out, "%s\n", plan.Version)
		}
		return nil
	}
	head := strings.TrimSpace(s.View.Stack.Name + " " + plan.Version)
	if plan.Before != "" {
		head += ", after " + plan.Before
	}
	switch {
	case !plan.Release && len(plan.Problems()) > 0:
		head = strings.TrimSpace(s.View.Stack.Name) + ": the version after " + cmp.Or(plan.Before, "none") + " is not known"
	case !plan.Release:
		head = strings.TrimSpace(s.View.Stack.Name) + ": nothing to release after " + plan.Before
	}
	report.Fprintf(t.out, "%s\n\n", head)
	for _, line := range plan.Lines() {
		report.Fprintf(t.out, "  %s\n", line)
	}
	return nil
}

// declare shows, writes or proposes the row of the release.
func (o *proposeOptions) declare(ctx context.Context, t *terminal, s *project.Session, plan *propose.Plan) error {
	row, _ := s.View.Config.NewRow(s.View.Stack, plan.Version, plan.Versions())
	if o.pr {
		return o.openPull(ctx, t, s, plan, row)
	}
	data, err := fs.ReadFile(s.View.Tree, config.Name)
	if errors.Is(err, fs.ErrNotExist) {
		if !o.write {
			t.note("next: %s", next(s, o, plan))
			return nil
		}
		return hinted{errorf("%s has no %s to declare it in", o.Dir, config.Name), "cfctl matrix history >> " + config.Name}
	}
	if err != nil {
		return err
	}
	edit, ok, err := matrix.AddRow(config.Name, data, row)
	if err != nil {
		return declaredHint(err, plan.Version)
	}
	edits := map[string][]source.Edit{config.Name: {edit}}
	switch {
	case !ok:
		t.note("%s declares %s already", config.Name, plan.Version)
		t.note("next: %s", next(s, o, plan))
	case o.write:
		if err := s.View.Write(ctx, edits); err != nil {
			return err
		}
		t.note("next: %s", next(s, o, plan))
	case o.output == "text":
		report.Fprintf(t.out, "\n")
		if err := t.showEdits(s.View, edits); err != nil {
			return err
		}
		t.note("next: %s --write, or --pr", t.command())
	}
	return nil
}

func declaredHint(err error, version string) error {
	if errors.Is(err, matrix.ErrDeclared) {
		return hinted{err, "take that row out, or release what it says: cfctl release plan " + version}
	}
	return err
}

// next is the command that releases a plan.
func next(s *project.Session, o *proposeOptions, plan *propose.Plan) string {
	s.Version = plan.Version
	s.Options = &project.Options{Target: o.Target, State: "file"}
	return s.Again()
}

// openPull opens the pull request.
func (o *proposeOptions) openPull(ctx context.Context, t *terminal, s *project.Session, plan *propose.Plan, row matrix.Release) error {
	root := s.View.Stack.RootComponent()
	title := strings.TrimSpace("Declare " + s.View.Stack.Name + " " + plan.Version)
	pull := release.RowOf(s.Recipe, root.Repository, title, release.RowBody(plan.Version, plan.Lines()), s.Recipe.BranchOf(root.Name, plan.Version), row)
	r, err := pull.Open(ctx, s.Remotes, s.Env.Forge)
	if errors.Is(err, fs.ErrNotExist) {
		return hinted{errorf("%s of %s has no %s to declare it in", pull.Base, pull.Repo, config.Name), "cfctl matrix history >> " + config.Name}
	}
	if err != nil {
		return declaredHint(project.Decided(err), plan.Version)
	}
	switch {
	case r.Declared:
		t.note("%s of %s declares %s already", pull.Base, pull.Repo, plan.Version)
		t.note("next: %s", next(s, o, plan))
	case !r.Pull.Open:
		t.note("PR #%d was closed without being merged: %s", r.Pull.Number, r.Pull.URL)
		t.note("hint: reopen it; or propose another version: %s --component %s=VERSION", t.command(), root.Name)
		return errPending
	case r.Fresh:
		t.note("PR #%d declares %s: %s", r.Pull.Number, plan.Version, r.Pull.URL)
	default:
		t.note("PR #%d is open: %s", r.Pull.Number, r.Pull.URL)
	}
	return nil
}
