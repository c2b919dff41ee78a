package release

import (
	"context"
	"errors"
	"fmt"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A claim is a ref of the root's repository that a driver makes before it posts
// what cannot be asked for afterwards: a ref is made once, so that of two drivers
// with two journals one posts.
type claim struct{ train *Train }

func (c *claim) ref() string { return "refs/cfctl/announced/" + c.train.Version }

func (c *claim) repo() string { return c.train.root().Repository }

// others tells of a claim that was not made with this journal; empty = there is
// none. A plan does not ask.
func (c *claim) others(ctx context.Context, v *View) (string, error) {
	if v.Planning() {
		return "", nil
	}
	have, err := recall(v, "claim", func() (string, error) { return v.Git.Ref(ctx, c.repo(), c.ref()) })
	if err != nil || have == "" {
		return "", err
	}
	if mine, err := c.commit(ctx, v); err != nil || mine == have {
		return "", err
	}
	return fmt.Sprintf("%s of %s is at %.7s", c.ref(), c.repo(), have), nil
}

// commit is what the ref is set to: a commit that depends on the journal alone,
// which the first record of it names.
func (c *claim) commit(ctx context.Context, v *View) (string, error) {
	base := string(c.train.tagged(c.train.root(), v))
	if base == "" || len(v.Past) == 0 {
		return "", nil
	}
	made, err := v.Git.Commit(ctx, c.repo(), base, NewCommit{Message: "Announce " + c.train.Title() + "\n\njournal " + v.Past[0].Hash})
	return made.Commit, err
}

// make sets the ref where it is not there, or where a person has approved the
// step after a look. Somebody who is quicker is seen by the next look.
func (c *claim) make(ctx context.Context, h *Hands, step string) error {
	if h.Planning() { // there is nothing yet that it would be set to
		return h.Git.Push(ctx, c.repo(), "", git.Update{Ref: c.ref()})
	}
	have, err := h.View.Git.Ref(ctx, c.repo(), c.ref())
	if err != nil {
		return err
	}
	mine, err := c.commit(ctx, h.View)
	switch {
	case err != nil:
		return err
	case mine == "":
		return errors.New("nothing is tagged that could be announced")
	case have == mine:
		return nil
	case have != "" && h.Journal.Last(step, recApprove) == nil:
		return &wire.TransitError{Err: fmt.Errorf("%s is there already", c.ref())}
	}
	err = h.Git.Push(ctx, c.repo(), "", git.Update{Ref: c.ref(), Old: have, New: mine})
	if errors.Is(err, git.ErrMoved) {
		return &wire.TransitError{Err: err}
	}
	return err
}
