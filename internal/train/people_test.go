package train

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What is there and is not what the step would make is unmanaged: nothing is
// done, until a maintainer takes it as it is; that holds for this very thing.
func TestUnmanaged(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	s.person("two", "other")
	r := s.run(t, path, Choices{})
	if o := r.Of("two"); states(r) != "done unmanaged blocked blocked blocked" || !strings.Contains(o.Who, "toys approve v1.0.0 two --done") || s.written() != "one=1" {
		t.Fatalf("%s: %s %s: %s", states(r), o.Text, o.Who, s.written())
	}
	env := s.env(t, path)
	err := toys(s).Approve(context.Background(), env, "two", "rita", true)
	if also := toys(s).Approve(context.Background(), env, "one", "rita", true); err != nil || also == nil {
		t.Fatal(err, also)
	}
	env.Journal.Close()
	if o := s.run(t, path, Choices{}).Of("two"); o.State != Done || !strings.Contains(o.Text, "accepted by rita") {
		t.Errorf("%s: %s", o.State, o.Text)
	}
	s.person("two", "a third")
	if o := s.run(t, path, Choices{}).Of("two"); o.State != Unmanaged {
		t.Errorf("another one is taken too: %s: %s", o.State, o.Text)
	}
}

// What was published and is gone is made again only when a maintainer says so.
func TestTakenBack(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	s.person("three", "3")
	s.run(t, path, Choices{Yes: []string{"approve:four"}, Who: "rita"})
	s.person("four", "")
	if o := s.run(t, path, Choices{}).Of("four"); o.State != Conflict || !strings.Contains(o.Text, "was withdrawn since") {
		t.Fatalf("%s: %s", o.State, o.Text)
	}
	env := s.env(t, path)
	if err := toys(s).Approve(context.Background(), env, "four", "rita", false); err != nil {
		t.Fatal(err)
	}
	env.Journal.Close()
	if r := s.run(t, path, Choices{}); !r.Complete() {
		t.Error(states(r))
	}
	env = s.env(t, path)
	if err := toys(s).Approve(context.Background(), env, "four", "rita", false); err == nil || !strings.Contains(err.Error(), "it was not withdrawn") {
		t.Errorf("a step that is done is approved beforehand: %v", err)
	}
}

// An approval is of one plan: another version, step or commit asks again; what
// was not known when it was given is no change.
func TestApprovalIsOfOnePlan(t *testing.T) {
	for says, change := range map[string]func(*shelf, *Train[*eye, *hand]){
		"": func(*shelf, *Train[*eye, *hand]) {},
		"version of one was v1.0.0": func(_ *shelf, tr *Train[*eye, *hand]) {
			tr.World.Terms = func() map[string]string { return map[string]string{"version of one": "v2"} }
		},
		"step five is new":               func(_ *shelf, tr *Train[*eye, *hand]) { tr.Steps = append(tr.Steps, maker("five", "5", tr.Steps[2])) },
		"digest of three was 3, is else": func(s *shelf, _ *Train[*eye, *hand]) { s.person("three", "else") },
	} {
		s, path := newShelf(), journalIn(t)
		s.person("three", "3")
		s.run(t, path, Choices{})
		env := s.env(t, path)
		if err := toys(s).Approve(context.Background(), env, "approve:four", "rita", false); err != nil {
			t.Fatal(err)
		}
		tr := toys(s)
		change(s, tr)
		r, err := tr.Run(context.Background(), env, Choices{})
		if err != nil {
			t.Fatal(err)
		}
		o := r.Of("approve:four")
		if asked := strings.Contains(o.Text, "rita approved another plan ("+says); (o.State == Done) != (says == "") || asked != (says != "") {
			t.Errorf("%q: %s: %s", says, o.State, o.Text)
		}
	}
}

// An abort undoes what is ours, lists what stays, and ends the epoch: what
// was approved and skipped before is void.
func TestAbort(t *testing.T) {
	for _, two := range []string{"2", "other"} {
		s, path := newShelf(), journalIn(t)
		s.run(t, path, Choices{})
		env := s.env(t, path)
		names, err := toys(s).Skip(context.Background(), env, "three", "so", "rita")
		if err != nil || !slices.Equal(names, []string{"three"}) {
			t.Fatal(names, err)
		}
		if err := toys(s).Approve(context.Background(), env, "approve:four", "rita", false); err != nil {
			t.Fatal(err)
		}
		s.person("two", two)
		a, err := toys(s).Abort(context.Background(), env, "rita")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(a.Undone, len(a.Stays)), map[string]string{"2": "[took two] 1", "other": "[] 2"}[two]; got != want {
			t.Errorf("%s: %s, want %s (%v)", two, got, want, a.Stays)
		}
		if st, _ := ReadStatus("toys", "v1.0.0", env.Journal.Records()); st.State != "aborted" {
			t.Errorf("it is %s", st.State)
		}
		env.Journal.Close()
		s.person("two", "2")
		if got := states(s.run(t, path, Choices{})); got != "done done waiting blocked blocked" {
			t.Errorf("after the abort: %s", got)
		}
		s.person("three", "3")
		if got := states(s.run(t, path, Choices{})); got != "done done done waiting blocked" {
			t.Errorf("the approval of before counts: %s", got)
		}
	}
}

// What was released stays what it was first seen as, however often the release is
// run again: what a user changes afterwards is found for as long as it is so,
// told by each run, and nothing is found when it was put back. A maintainer may take
// it as it is.
func TestEvidenceIsTheFirst(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	s.person("three", "3")
	s.run(t, path, Choices{Yes: []string{"approve:four"}, Who: "rita"})
	found := func(want string) {
		t.Helper()
		r := s.run(t, path, Choices{})
		env := s.env(t, path)
		defer env.Journal.Close()
		fs, err := toys(s).Verify(context.Background(), env)
		got := ""
		for _, f := range fs {
			got += f.Rule + " " + f.Expected + ">" + f.Actual
		}
		if err != nil || got != want || !r.Complete() || strings.Contains(r.Of("three").Text, "retagged") != (want != "") {
			t.Errorf("found %q, want %q (%v); the run says %q", got, want, err, r.Of("three").Text)
		}
	}
	found("")
	for range 2 { // the next look must not make the one before good
		s.person("three", "evil")
		found("retagged 3>evil")
		s.person("three", "worse")
		found("retagged 3>worse")
	}
	s.person("three", "3")
	found("")
	s.person("three", "right")
	env := s.env(t, path)
	if err := toys(s).Approve(context.Background(), env, "three", "rita", true); err != nil {
		t.Fatal(err)
	}
	if err := toys(s).Approve(context.Background(), env, "three", "rita", true); err == nil {
		t.Error("what is as it was released is taken as it is")
	}
	env.Journal.Close()
	found("")
	s.person("three", "3")
	found("retagged right>3")
}

// What a release makes anew, as a maintainer has asked, is its evidence then; what it
// puts right is not. What it found nothing to do about proves nothing, and of what
// moves the last look counts.
func TestEvidenceOfRecords(t *testing.T) {
	tr := toys(newShelf())
	done := func(commit string, more ...string) Record {
		return Record{Step: "one", Kind: KindDone, Facts: Pairs(append(more, "commit", commit)...)}
	}
	act := func(more ...string) Record { return Record{Step: "one", Kind: KindIntent, Facts: Pairs(more...)} }
	abort := Record{Kind: KindAbort}
	for want, rs := range map[string]Records{
		"":                   {act()},
		"a":                  {act(), done("a"), done("b"), {Step: "two", Kind: KindIntent}},
		"b, made again":      {done("a"), act(), done("b, made again"), done("c")},
		"a, put right":       {done("a, put right"), act(Righted, "the flag"), done("b")},
		"b, after nothing":   {done("a", Nothing, "a"), done("b, after nothing"), done("c")},
		"b, after an abort":  {done("a"), abort, done("b, after an abort"), done("c")},
		"a, before an abort": {done("a, before an abort"), abort},
		"b, told later":      {done(""), done("b, told later")},
	} {
		got := ""
		if r := tr.released(tr.Steps[0], rs.current()); r != nil {
			got = r.Facts["commit"]
		}
		if got != want {
			t.Errorf("%q is the evidence, want %q", got, want)
		}
	}
	tr.Steps[0].Moving = true
	if r := tr.released(tr.Steps[0], Records{done("a"), done("b")}); r.Facts["commit"] != "b" {
		t.Errorf("of what moves: %v", r.Facts)
	}
}
