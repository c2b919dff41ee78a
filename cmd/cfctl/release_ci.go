package main

import (
	"context"
	"slices"

	"github.com/project-codeflare/cfctl/internal/release"
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

// notOnRef refuses to keep the journal of a release in a file when it is on a
// ref: another user drives the release with that one.
func notOnRef(ctx context.Context, s *session) error {
	there, err := release.OnRef(ctx, s.remotes, s.view.stack.RootComponent().Repository, s.version)
	if err != nil || !there {
		return err
	}
	return drivenOnRef(s)
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
