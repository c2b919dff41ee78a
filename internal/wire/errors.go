package wire

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// ErrNotFound is wrapped by errors that say that a server answered, and the
// thing is not there (GitHub answers so too for what the token may not see).
var ErrNotFound = errors.New("not found")

// A RateError says that a server wants more pauses, or longer ones, than the
// queue has Patience for.
type RateError struct {
	Host      string
	Until     time.Time     // zero = the server does not say
	after     time.Duration // that was waited already
	Secondary bool          // it was a write: less content in a time helps, not fewer requests
}

func (e *RateError) Error() string {
	text := e.Host + ": rate limit reached"
	if e.Secondary {
		text = e.Host + ": secondary rate limit reached"
	}
	if !e.Until.IsZero() {
		text += ", again from " + e.Until.UTC().Format(time.RFC3339)
	}
	if e.after > 0 {
		text += fmt.Sprintf(" (after pauses of %v)", e.after.Round(time.Second))
	}
	return text
}

// InTransit says whether an error leaves open if the request arrived, or is
// likely to go away by itself.
func InTransit(err error) bool {
	var u *url.Error
	var t *TransitError
	var r interface{ InTransit() bool } // *git.RemoteError
	if a, ok := errors.AsType[*AnswerError](err); ok {
		return a.Endless || a.err != nil
	}
	return errors.As(err, &u) && !errors.Is(err, context.Canceled) || errors.As(err, &t) || errors.As(err, &r) && r.InTransit()
}

// A TransitError is a request that broke on its way, or that the server failed
// to answer (5xx, a cut connection): whether it had an effect is for the next
// observation to say.
type TransitError struct {
	Err error
}

func (e *TransitError) Error() string { return e.Err.Error() }
func (e *TransitError) Unwrap() error { return e.Err }
