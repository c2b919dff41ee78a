package steps

import (
	"context"
	"errors"
	"strings"

	"github.com/project-codeflare/cfctl/internal/release/mail"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/train"
)

// The steps that announce.
const (
	SlackStep = "announce:slack"
	MailStep  = "announce:mail"
)

// url is where to read about the release.
func (t *Train) url(v *View) string {
	if url := string(t.Made().release.url.In(v)); url != "" {
		return url
	}
	return tagger{t, t.Root()}.treeURL()
}

// announcement is the text that is sent.
func (t *Train) announcement(v *View) string {
	return t.Fill(t.Recipe.Announce.Text, "{url}", t.url(v), "{matrix}", "  "+strings.Join(t.Pins(), "\n  "))
}

// A sending is a step that sends a message, which no one can be asked for: the journal is all there is. Where it
// leaves open whether the message was sent, a maintainer is asked.
type sending struct {
	train *Train
	*Step
	check  string // what a maintainer looks at, to know whether it is there
	again  bool   // the receiver drops a second one: what a killed run of a journal that is locked leaves open is sent again
	detail func(v *View) string
}

func (s *sending) ask(text string) Observation {
	return conflict(why.Unsure, "%s", text).
		By("you: check " + s.check + ", then cfctl release approve " + s.train.Version + " " + s.Name + " (sends it), or with --done (it is there)")
}

// observe: what was sent before an abort was sent; who approved then, did not now.
func (s *sending) observe(_ context.Context, v *View) (Observation, error) {
	last, approval := v.Past.Last(s.Name, RecIntent, RecEffect, RecDone, RecAssert, recFailed), v.Journal.Last(s.Name, RecApprove)
	intent, unsure := last != nil && last.Kind == RecIntent, last != nil && last.Kind == recFailed && last.Facts["unsure"] != ""
	switch {
	case approval != nil && (last == nil || approval.Seq > last.Seq):
	case last == nil && !v.Planning() && !covered(v.Past, s.Behind()):
		return s.ask("the journal does not go back far enough to know whether it was sent"), nil
	case unsure || intent && !s.again:
		return s.ask("it is not known whether the message was sent"), nil
	case v.Past.Last(s.Name, RecEffect, RecDone, RecAssert) != nil:
		return Done("sent"), nil
	case intent && v.Shared && last.Seq <= v.Opened:
		return s.ask("it is not known whether the message was sent: another driver was about to"), nil
	}
	o := missing("send the announcement")
	o.Detail = s.detail(v)
	return o, nil
}

// stepSlack posts to the webhook: ADR-0003, step 7.
func stepSlack(t *Train, needs []*Step) *Step {
	if !t.Recipe.Announce.Slack {
		return nil
	}
	s := &sending{train: t, check: "the channel", detail: t.announcement}
	s.Step = &Step{Name: SlackStep, Title: "announce in Slack", Needs: needs, Doubt: true, Group: SlackStep, Observe: s.observe}
	s.Act = func(ctx context.Context, h *Writer, seen Observation) error {
		if h.Chat == nil {
			return errors.New("no Slack webhook: CFCTL_SLACK_WEBHOOK is not set")
		}
		return h.Chat.Post(ctx, seen.Detail)
	}
	return s.Step
}

// covered says whether the journal was there when one of the steps was not
// done yet: then nothing that comes after them can have happened before it.
func covered(rs train.Records, steps map[string]bool) bool {
	for s := range steps {
		if rs.Last(s, RecEffect, RecWait, RecIntent) != nil {
			return true
		}
	}
	return false
}

// stepMail sends the mail. Its Message-ID is a function of the release, so
// that servers and lists drop a second one (RFC 5322, 3.6.4: the same
// identifier is the same message). With a journal on a ref, another driver may be
// about to send it.
func stepMail(t *Train, needs []*Step) *Step {
	a := t.Recipe.Announce
	if a.SMTP == "" {
		return nil
	}
	message := func(v *View) mail.Message {
		_, domain, _ := strings.Cut(strings.TrimSuffix(a.From, ">"), "@")
		id := "cfctl." + strings.ToLower(strings.Join(strings.Fields(t.Stack.Name), "-")) + "." + t.Version + "@" + domain
		return mail.Message{ID: id, From: a.From, To: a.To, Subject: t.Fill(a.Subject), Text: t.announcement(v)}
	}
	s := &sending{train: t, check: "what " + a.To + " has got", again: true}
	s.detail = func(v *View) string {
		m := message(v)
		return "Message-ID: <" + m.ID + ">\nTo: " + m.To + "\nSubject: " + m.Subject + "\n\n" + m.Text
	}
	s.Step = &Step{Name: MailStep, Title: "announce by mail to " + a.To, Needs: needs, Doubt: true, Group: MailStep, Target: a.To, Observe: s.observe}
	s.Act = func(ctx context.Context, h *Writer, _ Observation) error {
		if h.Mail == nil {
			return errors.New("no mail server is configured")
		}
		return h.Mail.Send(ctx, message(h.View))
	}
	return s.Step
}
