package release

import (
	"errors"

	"github.com/project-codeflare/cfctl/internal/stack"
)

// An unfitError says that the branch that a proposal starts from does not let it
// be made: a maintainer has to change something there.
type unfitError struct {
	reason string
	err    error
}

func (e *unfitError) Error() string { return e.err.Error() }
func (e *unfitError) Unwrap() error { return e.err }

// unfit marks an error about what is in a tree, where it is one of those.
func unfit(reason string, err error) error {
	if err == nil || reason == whyPlace && !errors.Is(err, stack.ErrNoMatch) {
		return err
	}
	return &unfitError{reason, err}
}

// stop is the observation of a branch that does not let a proposal be made.
func (e *unfitError) stop(p *proposal, base string) observation {
	o := conflict(e.reason, "%s of %s at %.7s: %v", p.base, p.repo, base, e.err)
	r, _ := reasonOf(e.reason)
	who := "a maintainer of " + p.repo
	if e.reason == whyBundle {
		who = "you"
	}
	o.Who = who + ": " + r.way(p.train.Version, p.step("branch"))
	return o
}
