package release

import (
	"context"
	"fmt"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/train"
)

// The words of the train, as the steps here use them.
type (
	// A Step looks at a View and acts with a Writer; steps.go lists them.
	Step = train.Step[*View, *Writer]
	// An observation is what a step saw.
	observation = train.Observation
)

// The kinds of records that steps ask for.
const (
	recIntent  = train.KindIntent
	recEffect  = train.KindEffect
	recDone    = train.KindDone
	recWait    = train.KindWait
	recFailed  = train.KindFailed
	recApprove = train.KindApprove
	recAssert  = train.KindAssert
	recSkip    = train.KindSkip
)

// errUnknown is returned by what depends on what an earlier step has not made
// yet. Only a plan meets it.
var errUnknown = train.ErrUnknown

func done(text string, facts ...string) observation { return train.Saw(train.Done, text, facts...) }

func missing(text string) observation { return observation{State: train.Missing, Text: text} }

func waiting(text, who, url string) observation {
	return observation{State: train.Waiting, Text: text, Who: who, URL: url}
}

// unmanaged is the observation of what is not ours; reason is the id of one. facts
// say which it is, for a maintainer who takes it as it is (release approve --done).
func unmanaged(reason, text, who string, facts ...string) observation {
	return observation{State: train.Unmanaged, Reason: reason, Text: text, Who: who, Facts: train.Pairs(facts...)}
}

func conflict(reason, format string, args ...any) observation {
	return observation{State: train.Conflict, Reason: reason, Text: fmt.Sprintf(format, args...)}
}

// A View is the read-only part of the environment. Observe gets no more than this, so
// that planning cannot write, by type.
type View struct {
	*train.View
	train  *Train
	git    GitReader
	forge  forge.Reader
	images registry.Reader

	mute   bool // an announcement is in the recipe, and nothing to make it with
	shared bool // the journal is on a ref: another driver may have read it, and be at work

	journals func(ctx context.Context, version string) (train.Records, error) // of other releases; nil = not known
}

// A Writer is a View that can also write.
type Writer struct {
	*View
	*train.Attempt
	git    GitWriter
	forge  forge.Writer
	images registry.Writer
	mail   Mailer
	chat   Chat
}

// recall answers from the view's memo, or reads once.
func recall[T any](v *View, key string, read func() (T, error)) (T, error) {
	return train.Recall(v.View, key, read)
}
