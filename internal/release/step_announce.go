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

// stepSlack posts to the webhook: ADR-0003, step 7. A webhook cannot be asked
// what it has, so the journal is all there is: where it leaves open whether
// the message was posted, a maintainer is asked.
func stepSlack(t *Train, needs []*Step) *Step {
	if !t.recipe.Announce.Slack {
		return nil
	}
	s := &Step{Name: slackStep, Title: "announce in Slack", Needs: needs, Doubt: true, Group: slackStep}
	ask := func(text string) observation {
		return conflict(whyUnsure, "%s", text).
			By("you: check the channel, then cfctl release approve " + t.Version + " " + s.Name + " (posts it), or with --done (it is there)")
	}
	s.Observe = func(ctx context.Context, v *View) (observation, error) {
		o := missing("post the announcement")
		o.Detail = t.announcement(v)
		// What was posted before an abort was posted; who approved then, did not now.
		last, again := v.Past.Last(s.Name, recIntent, recEffect, recDone, recAssert, recFailed), v.Journal.Last(s.Name, recApprove)
		switch {
		case again != nil && (last == nil || again.Seq > last.Seq):
			return o, nil
		case last == nil && !v.Planning() && !covered(v.Past, s.Behind()):
			return ask("the journal does not go back far enough to know whether it was posted"), nil
		case last == nil || last.Kind == recFailed && last.Facts["unsure"] == "":
			return o, nil
		case last.Kind == recIntent || last.Kind == recFailed:
			return ask("it is not known whether the message was posted"), nil
		}
		return done("posted"), nil
	}
	s.Act = func(ctx context.Context, h *Writer, seen observation) error {
		if h.chat == nil {
			return errors.New("no Slack webhook: CFCTL_SLACK_WEBHOOK is not set")
		}
		return h.chat.Post(ctx, seen.Detail)
	}
	return s
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
// identifier is the same message). What is left open in a journal that is locked is
// sent again; with one on a ref, another driver may be about to send it, and a
// person is asked.
func stepMail(t *Train, needs []*Step) *Step {
	a := t.recipe.Announce
	if a.SMTP == "" {
		return nil
	}
	s := &Step{Name: mailStep, Title: "announce by mail to " + a.To, Needs: needs, Doubt: true, Group: mailStep, Target: a.To}
	message := func(v *View) mail.Message {
		_, domain, _ := strings.Cut(strings.TrimSuffix(a.From, ">"), "@")
		id := "cfctl." + strings.ToLower(strings.Join(strings.Fields(t.stack.Name), "-")) + "." + t.Version + "@" + domain
		return mail.Message{ID: id, From: a.From, To: a.To, Subject: t.fill(a.Subject), Text: t.announcement(v)}
	}
	s.Observe = func(ctx context.Context, v *View) (observation, error) {
		last, again := v.Past.Last(s.Name, recIntent, recEffect, recDone, recAssert, recFailed), v.Journal.Last(s.Name, recApprove)
		if v.Past.Last(s.Name, recEffect, recDone, recAssert) != nil && (again == nil || again.Seq < last.Seq) {
			return done("sent"), nil
		}
		ask := func(text string) (observation, error) {
			return conflict(whyUnsure, "%s", text).
				By("you, after checking what " + a.To + " has got: cfctl release approve " + t.Version + " " + s.Name + " (sends it), or with --done (it is there)"), nil
		}
		approved := again != nil && (last == nil || again.Seq > last.Seq)
		switch {
		case last == nil && !approved && !v.Planning() && !covered(v.Past, s.Behind()):
			return ask("the journal does not go back far enough to know whether it was sent")
		case v.shared && last != nil && last.Kind == recIntent && last.Seq <= v.Opened && !approved:
			return ask("it is not known whether the mail was sent: another driver was about to")
		}
		m := message(v)
		o := missing("send " + m.Subject)
		o.Detail = "Message-ID: <" + m.ID + ">\nTo: " + m.To + "\nSubject: " + m.Subject + "\n\n" + m.Text
		return o, nil
	}
	s.Act = func(ctx context.Context, h *Writer, _ observation) error {
		if h.mail == nil {
			return errors.New("no mail server is configured")
		}
		return h.mail.Send(ctx, message(h.View))
	}
	return s
}
