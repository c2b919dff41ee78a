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
func (t *Train) On(env *Env) *train.Train[*View, *Writer] {
	r := &train.Train[*View, *Writer]{Command: Command, Version: t.Version, Title: t.Title(), Pins: t.pins(), Steps: t.Steps(), Tool: t.Tool, World: t.world(env)}
	if t.hotfix != nil {
		r.Order, _ = json.Marshal(t.hotfix) // two strings
	}
	return r
}

func (t *Train) world(env *Env) train.World[*View, *Writer] {
	view := func(v *train.View) *View {
		mute := t.recipe.Announce.Slack && env.Chat == nil || t.recipe.Announce.SMTP != "" && env.Mail == nil
		return &View{View: v, train: t, git: env.Git, forge: env.Forge, images: env.Images, mute: mute, shared: ports.Shared(env.Journal), offline: env.Offline, journals: env.Journals}
	}
	return train.World[*View, *Writer]{
		View: view,
		Writer: func(v *train.View, d *train.Attempt) *Writer {
			return &Writer{View: view(v), Attempt: d, git: env.Git, forge: env.Forge, images: env.Images, mail: env.Mail, chat: env.Chat}
		},
		Recorder:  func(v *train.View) (*Writer, func() []wire.Effect) { return recording(view(v)) },
		Untouched: untouched, Preflight: lookAhead, Begun: lookFor(begun), Again: lookFor(again), Stops: stops, Warm: warm, Audit: audit, Terms: t.terms, Evidence: evidence,
	}
}

// terms are what an approval is given to next to the steps: the versions, and
// what is announced.
func (t *Train) terms() map[string]string {
	items := map[string]string{"announcement": hash(t.fill(t.recipe.Announce.Text))[:12]}
	for _, pin := range t.pins() {
		name, version, _ := strings.Cut(pin, " ")
		items["version of "+name] = version
	}
	return items
}

// untouched says whether nothing of this release is to be seen: no merged PR to
// the root, nor a tag that needed none.
func untouched(ctx context.Context, v *View) (bool, error) {
	h, err := v.heads(ctx, v.train.root().Repository)
	if err != nil {
		return false, err
	}
	merged, err := v.rootMerged(ctx, h)
	return !merged, err
}

// warm asks all repositories for their refs at the same time.
func warm(ctx context.Context, v *View) {
	slots := make(chan struct{}, 16)
	var group sync.WaitGroup
	for _, c := range v.train.released() {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			_, _ = v.heads(ctx, c.Repository) // the step that needs it gets the same error
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
func HotfixOf(begin *train.Record) (*Hotfix, error) {
	if begin == nil || len(begin.Order) == 0 {
		return nil, nil //nolint:nilnil // the release of a sprint
	}
	h := &Hotfix{}
	return h, json.Unmarshal(begin.Order, h)
}
