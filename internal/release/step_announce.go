package release

import (
	"context"
	"errors"
	"strings"

	"github.com/project-codeflare/cfctl/internal/release/mail"
	"github.com/project-codeflare/cfctl/internal/train"
)

// The steps that announce.
const (
	slackStep = "announce:slack"
	mailStep  = "announce:mail"
)

// url is where to read about the release.
func (t *Train) url(v *View) string {
	if url := string(t.made().release.url.In(v)); url != "" {
		return url
	}
	return treeURL(t, t.root())
}

// announcement is the text that is sent.
func (t *Train) announcement(v *View) string {
	return t.fill(t.recipe.Announce.Text, "{url}", t.url(v), "{matrix}", "  "+strings.Join(t.pins(), "\n  "))
}

// A sending is a step that sends a message, which no one can be asked for: the journal is all there is. Where it
// leaves open whether the message was sent, a maintainer is asked.
type sending struct {
	train *Train
	*Step
	check  string // what a maintainer looks at, to know whether it is there
	again  bool   // the receiver drops a second one: what a journal that is locked leaves open is sent again
	detail func(v *View) string
}

func (s *sending) ask(text string) observation {
	return conflict(whyUnsure, "%s", text).
		By("you: check " + s.check + ", then cfctl release approve " + s.train.Version + " " + s.Name + " (sends it), or with --done (it is there)")
}

// observe: what was sent before an abort was sent; who approved then, did not now.
func (s *sending) observe(_ context.Context, v *View) (observation, error) {
	last, approval := v.Past.Last(s.Name, recIntent, recEffect, recDone, recAssert, recFailed), v.Journal.Last(s.Name, recApprove)
	open := last != nil && (last.Kind == recIntent || last.Kind == recFailed && last.Facts["unsure"] != "")
	switch {
	case approval != nil && (last == nil || approval.Seq > last.Seq):
	case last == nil && !v.Planning() && !covered(v.Past, s.Behind()):
		return s.ask("the journal does not go back far enough to know whether it was sent"), nil
	case open && !s.again:
		return s.ask("it is not known whether the message was sent"), nil
	case v.Past.Last(s.Name, recEffect, recDone, recAssert) != nil:
		return done("sent"), nil
	case open && v.shared && last.Kind == recIntent && last.Seq <= v.Opened:
		return s.ask("it is not known whether the message was sent: another driver was about to"), nil
	}
	o := missing("send the announcement")
	o.Detail = s.detail(v)
	return o, nil
}

// stepSlack posts to the webhook: ADR-0003, step 7.
func stepSlack(t *Train, needs []*Step) *Step {
	if !t.recipe.Announce.Slack {
		return nil
	}
	s := &sending{train: t, check: "the channel", detail: t.announcement}
	s.Step = &Step{Name: slackStep, Title: "announce in Slack", Needs: needs, Doubt: true, Group: slackStep, Observe: s.observe}
	s.Act = func(ctx context.Context, h *Writer, seen observation) error {
		if h.chat == nil {
			return errors.New("no Slack webhook: CFCTL_SLACK_WEBHOOK is not set")
		}
		return h.chat.Post(ctx, seen.Detail)
	}
	return s.Step
}

// covered says whether the journal was there when one of the steps was not
// done yet: then nothing that comes after them can have happened before it.
func covered(rs train.Records, steps map[string]bool) bool {
	for s := range steps {
		if rs.Last(s, recEffect, recWait, recIntent) != nil {
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
	a := t.recipe.Announce
	if a.SMTP == "" {
		return nil
	}
	message := func(v *View) mail.Message {
		_, domain, _ := strings.Cut(strings.TrimSuffix(a.From, ">"), "@")
		id := "cfctl." + strings.ToLower(strings.Join(strings.Fields(t.stack.Name), "-")) + "." + t.Version + "@" + domain
		return mail.Message{ID: id, From: a.From, To: a.To, Subject: t.fill(a.Subject), Text: t.announcement(v)}
	}
	s := &sending{train: t, check: "what " + a.To + " has got", again: true}
	s.detail = func(v *View) string {
		m := message(v)
		return "Message-ID: <" + m.ID + ">\nTo: " + m.To + "\nSubject: " + m.Subject + "\n\n" + m.Text
	}
	s.Step = &Step{Name: mailStep, Title: "announce by mail to " + a.To, Needs: needs, Doubt: true, Group: mailStep, Target: a.To, Observe: s.observe}
	s.Act = func(ctx context.Context, h *Writer, _ observation) error {
		if h.mail == nil {
			return errors.New("no mail server is configured")
		}
		return h.mail.Send(ctx, message(h.View))
	}
	return s.Step
}
