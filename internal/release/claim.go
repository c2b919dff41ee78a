package release

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A claim is a ref of the root's repository that a driver makes before it posts or
// sends what cannot be asked for afterwards: a ref is made once, so that of two
// drivers with two journals one announces. The steps of a train share it.
type claim struct {
	train *Train
	mu    sync.Mutex // who makes it
}

func (c *claim) ref() string { return "refs/cfctl/announced/" + c.train.Version }

func (c *claim) repo() string { return c.train.root().Repository }

// heeds says that another driver has begun to announce, for a step whose message
// may not be out by the journal at hand (last) and that no one has approved since
// (again); empty = no one has.
func (c *claim) heeds(ctx context.Context, v *View, last, again *train.Record) (string, error) {
	if last != nil && last.Kind != recIntent && last.Kind != recFailed || again != nil && (last == nil || again.Seq > last.Seq) {
		return "", nil
	}
	who, err := c.others(ctx, v)
	if who != "" {
		who = "another driver, or this one with another journal, has begun to announce " + c.train.Version + " (" + who + ")"
	}
	return who, err
}

// others tells of a claim that was not made with this journal; empty = there is
// none. A plan does not ask.
func (c *claim) others(ctx context.Context, v *View) (string, error) {
	if v.Planning() {
		return "", nil
	}
	have, err := recall(v, "claim", func() (string, error) { return v.git.Ref(ctx, c.repo(), c.ref()) })
	if err != nil || have == "" {
		return "", err
	}
	if mine, err := c.commit(ctx, v); err != nil || mine == have {
		return "", err
	}
	return fmt.Sprintf("%s of %s is at %.7s", c.ref(), c.repo(), have), nil
}

// commit is what the ref is set to: a commit that depends on the first record of
// the journal that says what is about to be announced. A copy of the journal that
// was made before, and one whose end is lost, have another, or none.
func (c *claim) commit(ctx context.Context, v *View) (string, error) {
	base := string(c.train.tagged(c.train.root(), v))
	i := slices.IndexFunc(v.Past, func(r train.Record) bool {
		return r.Kind == recIntent && (r.Step == slackStep || r.Step == mailStep)
	})
	if base == "" || i < 0 {
		return "", nil
	}
	made, err := v.git.Commit(ctx, c.repo(), base, NewCommit{message: "Announce " + c.train.Title() + "\n\njournal " + v.Past[i].Hash})
	return made.commit, err
}

// first is the step that a plan tells to make it.
func (c *claim) first() string {
	if c.train.recipe.Announce.Slack {
		return slackStep
	}
	return mailStep
}

// make sets the ref where it is not there, or where a maintainer has approved the
// step after a look. A user who is quicker is seen by the next look.
func (c *claim) make(ctx context.Context, h *Writer, step string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h.Planning() { // there is nothing yet that it would be set to
		if step != c.first() {
			return nil
		}
		return h.git.Push(ctx, c.repo(), "", git.Update{Ref: c.ref()})
	}
	have, err := h.View.git.Ref(ctx, c.repo(), c.ref())
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
	err = h.git.Push(ctx, c.repo(), "", git.Update{Ref: c.ref(), Old: have, New: mine})
	if errors.Is(err, git.ErrMoved) {
		return &wire.TransitError{Err: err}
	}
	return err
}
