package release

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/release/why"
)

func TestJournalLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	train := w.train("v0.2.0")
	for _, s := range train.Steps() {
		if s.Approval() {
			continue
		}
		for try := 0; ; try++ {
			if try == 5 {
				t.Fatalf("%s is never done", s.Name)
			}
			os.Remove(journal)
			env, _ := w.env(journal)
			if s.Name == steps.SlackStep && len(w.chat.texts()) == 0 || s.Name == steps.MailStep && len(w.mail.ids()) == 0 {
				// A maintainer looks at the channel and the list, and says that nothing is there.
				if err := On(train, env).Approve(context.Background(), &env.Env, s.Name, "rita", false); err != nil {
					t.Fatal(err)
				}
			}
			pick := Choices{Until: s.Name, Who: "rita"}
			if !reaches(train, s.Name, "tag:operator") {
				pick.Yes = yes.Yes
			}
			r, err := On(train, env).Run(context.Background(), &env.Env, pick)
			env.Journal.Close()
			if err != nil || r.Trouble() != nil {
				t.Fatal(err, r.Trouble())
			}
			if r.Of(s.Name).State == Done {
				break
			}
			w.play()
		}
	}
	w.play()
	if got, want := w.state(), undisturbed.of(t, newWorld); got != want {
		t.Errorf("another world:\n%s\nwant:\n%s", got, want)
	}
}

// reaches says whether step comes before another.
func reaches(t *steps.Train, step, other string) bool {
	at := map[string]int{}
	for i, s := range t.Steps() {
		at[s.Name] = i
	}
	return at[step] < at[other]
}

// Without its journal a release is not made again with other versions, and what may
// have been announced is asked about.
func TestLostJournalAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	arrive(t, w, sprint(w), journal)
	// Nor do the notes become others with a hotfix that came later.
	operator := w.bare("orchard/operator")
	fixed := w.somebody("orchard/operator", "v0.1.0", "", "README.md", func(s string) string { return strings.ReplaceAll(s, "v0.1.0", "v0.1.1") })
	hotfix := w.run(operator, "env", "GIT_COMMITTER_DATE=2027-01-01T00:00:00Z", "git", "commit-tree", fixed+"^{tree}", "-p", "v0.1.0", "-m", "Fix it")
	w.run(operator, "git", "tag", "v0.1.1", hotfix)
	os.Remove(journal)
	env, q := w.env(journal)
	saw := &requests{}
	saw.watch(q)
	for version, says := range map[string]string{"v1.2.0": "there is no v1.2.0 of orchard/picker", "v1.0.0": "is not of these versions"} {
		other := w.train("v0.2.0")
		other.Versions["picker"] = version
		r, err := On(other, env).Run(context.Background(), &env.Env, Choices{})
		if err != nil || len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Message, says) || len(saw.effects) > 0 {
			t.Errorf("picker %s: %+v %v %q", version, r, err, saw.effects)
		}
	}
	r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, Choices{})
	if err != nil {
		t.Fatal(err)
	}
	if o := r.Of("announce:slack"); o.State != Conflict || !strings.Contains(o.Who, "--done") {
		t.Errorf("announce:slack is %s: %s", o.State, o.Text)
	}
	if o := r.Of(steps.ReleaseStep); o.State != Done {
		t.Errorf("release is %s: %s", o.State, o.Text)
	}
	if o := r.Of(steps.MailStep); o.Reason != why.Unsure || !strings.Contains(o.Who, "--done") {
		t.Errorf("announce:mail is %s: %s", o.State, o.Text)
	}
	if n, m := len(w.chat.texts()), len(w.mail.got); n != 1 || m != 1 {
		t.Errorf("%d messages, %d mails", n, m)
	}
	for _, step := range []string{steps.SlackStep, steps.MailStep} {
		if err := On(w.train("v0.2.0"), env).Approve(context.Background(), &env.Env, step, "rita", true); err != nil {
			t.Fatal(err)
		}
	}
	env.Journal.Close()
	if r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{}); !r.Complete() {
		t.Error("not complete after the assertion")
	}
}
