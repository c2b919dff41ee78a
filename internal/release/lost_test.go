package release

import (
	"context"
	"os"
	"strings"
	"testing"
)

func TestJournalLost(t *testing.T) {
	t.Parallel()
	w := newFullWorld(t)
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
			if strings.HasPrefix(s.Name, "announce:slack") && try == 0 && len(w.chat.texts()) == 0 {
				// A person looks at the channel, and says that nothing is there.
				if err := Approve(context.Background(), train, env, s.Name, "rita", false); err != nil {
					t.Fatal(err)
				}
			}
			pick := Choices{Until: s.Name, Who: "rita"}
			if !train.reaches(s.Name, "tag:operator") {
				pick.Yes = yes.Yes
			}
			r, err := Run(context.Background(), train, env, pick)
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
	if got, want := w.state(), undisturbedFull.of(t, newFullWorld); got != want {
		t.Errorf("another world:\n%s\nwant:\n%s", got, want)
	}
}

// reaches says whether step comes before another.
func (t *Train) reaches(step, other string) bool {
	at := map[string]int{}
	for i, s := range t.Steps() {
		at[s.Name] = i
	}
	return at[step] < at[other]
}

// Without its journal a release is not made again with other versions, and a
// message that may have been posted is asked about.
func TestLostJournalAsksAboutSlack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	arrive(t, w, sprint(w), journal)
	os.Remove(journal)
	env, q := w.env(journal)
	saw := &requests{}
	saw.watch(q)
	for version, says := range map[string]string{"v1.2.0": "there is no v1.2.0 of orchard/picker", "v1.0.0": "is not of these versions"} {
		other := w.train("v0.2.0")
		other.Versions["picker"] = version
		r, err := Run(context.Background(), other, env, Choices{})
		if err != nil || len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Message, says) || len(saw.effects) > 0 {
			t.Errorf("picker %s: %+v %v %q", version, r, err, saw.effects)
		}
	}
	r, err := Run(context.Background(), w.train("v0.2.0"), env, Choices{})
	if err != nil {
		t.Fatal(err)
	}
	if o := r.Of("announce:slack"); o.State != Conflict || !strings.Contains(o.Who, "--done") {
		t.Errorf("announce:slack is %s: %s", o.State, o.Text)
	}
	if n := len(w.chat.texts()); n != 1 {
		t.Errorf("%d messages", n)
	}
	if err := Approve(context.Background(), w.train("v0.2.0"), env, "announce:slack", "rita", true); err != nil {
		t.Fatal(err)
	}
	env.Journal.Close()
	if r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{}); !r.Complete() {
		t.Error("not complete after the assertion")
	}
}
