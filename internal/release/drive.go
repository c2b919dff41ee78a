// Package release drives the release of a stack of components as a train of
// steps (ADR PCF-ADR-0003) that can be stopped at any moment and run again.
//
// The flow: a Train is a version with the Stack and the Recipe it is made by;
// steps/steps.go lists its Steps. Every step first observes the actual state (done,
// missing, waiting, conflict) and acts only on what is missing; then it is
// observed again, which proves it. The actual state is the state; the Journal is the
// evidence. Observing gets a View, which can only read; acting gets a Writer.
// Plan observes every step; Run also acts; Status reads the journal alone.
package release

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/release/mail"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// An Env is the environment that a train runs in: its ports and its clock.
type Env struct {
	train.Env
	Git    ports.GitPort
	Forge  forge.Forge
	Images registry.Port
	Mail   mail.Mailer // nil = no mail server is configured
	Chat   mail.Chat   // nil = no webhook is configured

	Offline bool // forge and registries are not asked: nothing is on them

	// Journals reads the journal of another release of the stack; none where there is
	// none. nil: not known.
	Journals func(ctx context.Context, version string) (train.Records, error)
}

// evidence are the facts that prove effects.
var evidence = []train.Evidence{
	{Key: "commit", Of: "commit of ", Rule: report.Rule{ID: "tag-moved", Doc: "a tag or merge is at another commit than it was released at"}},
	{Key: "object", Rule: report.Rule{ID: "tag-replaced", Doc: "a tag is another object than the one that was pushed"}},
	{Key: "digest", Of: "digest of ", Rule: report.Rule{ID: "image-retagged", Doc: "an image tag has another digest than it was released with"}},
	{Key: "notes", Rule: report.Rule{ID: "notes-edited", Doc: "the notes are not the ones that were published"}},
	{Key: "name", Rule: report.Rule{ID: "title-edited", Doc: "the release has another title"}},
}

// Command is the command that people drive a release with.
const Command = "cfctl release"

// On is the train in a world, which drives it.
func On(t *steps.Train, env *Env) *train.Train[*steps.View, *steps.Writer] {
	r := &train.Train[*steps.View, *steps.Writer]{Command: Command, Version: t.Version, Title: t.Title(), Pins: t.Pins(), Steps: t.Steps(), Tool: t.Tool, World: worldOf(t, env)}
	if t.Hotfix != nil {
		r.Order, _ = json.Marshal(t.Hotfix) // two strings
	}
	return r
}

func worldOf(t *steps.Train, env *Env) train.World[*steps.View, *steps.Writer] {
	view := func(v *train.View) *steps.View {
		mute := t.Recipe.Announce.Slack && env.Chat == nil || t.Recipe.Announce.SMTP != "" && env.Mail == nil
		return &steps.View{View: v, Train: t, Git: env.Git, Forge: env.Forge, Images: env.Images, Mute: mute, Shared: ports.Shared(env.Journal), Offline: env.Offline, Journals: env.Journals}
	}
	return train.World[*steps.View, *steps.Writer]{
		View: view,
		Writer: func(v *train.View, d *train.Attempt) *steps.Writer {
			return &steps.Writer{View: view(v), Attempt: d, Git: env.Git, Forge: env.Forge, Images: env.Images, Mail: env.Mail, Chat: env.Chat}
		},
		Recorder:  func(v *train.View) (*steps.Writer, func() []wire.Effect) { return recording(view(v)) },
		Untouched: steps.Untouched, Preflight: lookAhead, Begun: lookFor(begun), Again: lookFor(again), Stops: steps.Stops, Warm: warm, Audit: audit, Terms: func() map[string]string { return terms(t) }, Evidence: evidence,
	}
}

// terms are what an approval is given to next to the steps: the versions, and
// what is announced.
func terms(t *steps.Train) map[string]string {
	items := map[string]string{"announcement": steps.Hash(t.Fill(t.Recipe.Announce.Text))[:12]}
	for _, pin := range t.Pins() {
		name, version, _ := strings.Cut(pin, " ")
		items["version of "+name] = version
	}
	return items
}

// warm asks all repositories for their refs at the same time.
func warm(ctx context.Context, v *steps.View) {
	slots := make(chan struct{}, 16)
	var group sync.WaitGroup
	for _, c := range v.Train.Released() {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			_, _ = v.Heads(ctx, c.Repository) // the step that needs it gets the same error
		})
	}
	group.Wait()
}

// VerifyRules lists what Verify finds.
func VerifyRules() []report.Rule {
	rules := slices.Concat(train.Rules(), auditRules)
	for _, e := range evidence {
		e.Rule.Severity = report.Error
		rules = append(rules, e.Rule)
	}
	return rules
}

// HotfixOf is the hotfix that a journal was begun with; nil = none.
func HotfixOf(begin *train.Record) (*steps.Hotfix, error) {
	if begin == nil || len(begin.Order) == 0 {
		return nil, nil //nolint:nilnil // the release of a sprint
	}
	h := &steps.Hotfix{}
	return h, json.Unmarshal(begin.Order, h)
}
