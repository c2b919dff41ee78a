package release

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// keyed is the world's environment with a person's key.
func (w *world) keyed(journal, key string) *Env {
	env, _ := w.env(journal)
	env.Key = []byte(key)
	return env
}

// A journal decides for who wrote it alone: one that came with the tree, whose
// chain anybody can make, is refused by whatever would obey it, and nothing is
// changed.
func TestForgedJournalDecidesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	evil := w.somebody("orchard/picker", "main", "refs/pull/7/head", "EVIL", holding("evil\n"))
	forge := func(key []byte) {
		env, _ := w.env(journal)
		defer env.Journal.Close()
		env.Key = key
		d, err := newDriver(w.train("v0.2.0"), env, Choices{Who: "the boss"})
		for _, r := range []Record{
			{Kind: recIntent, Step: "tag:picker", Facts: map[string]string{"commit": evil}},
			{Kind: recApprove, Step: "approve:publish", Who: "the boss"},
		} {
			if err == nil {
				err = d.record(context.Background(), r)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	forge(nil)
	before := w.witness()
	train, ctx := w.train("v0.2.0"), context.Background()
	for name, obey := range map[string]func(*Env) error{
		"run":     func(env *Env) error { _, err := Run(ctx, train, env, Choices{}); return err },
		"plan":    func(env *Env) error { _, err := Plan(ctx, train, env); return err },
		"verify":  func(env *Env) error { _, err := Verify(ctx, train, env); return err },
		"abort":   func(env *Env) error { _, err := Abort(ctx, train, env, "rita"); return err },
		"approve": func(env *Env) error { return Approve(ctx, train, env, "approve:publish", "rita", false) },
		"skip":    func(env *Env) error { _, err := Skip(ctx, train, env, "catalog", "so", "rita"); return err },
		"status":  func(env *Env) error { _, err := Refresh(ctx, train, env); return err },
	} {
		for _, key := range []string{"rita's", ""} {
			env := w.keyed(journal, key)
			if err := obey(env); !errors.Is(err, errUnsealed) {
				t.Errorf("%s obeys a journal that came with the tree: %v", name, err)
			}
			env.Journal.Close()
		}
	}
	if after := w.witness(); after != before {
		t.Errorf("the world was changed:\n%s", after)
	}
}

// The seal of a record holds for what it says, where it stands and which
// version it is about.
func TestSealHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	env := w.keyed(journal, "rita's")
	train := w.train("v0.2.0")
	d, err := newDriver(train, env, Choices{Who: "rita"})
	for _, text := range []string{"one", "tw\xffo", "three"} {
		if err == nil {
			err = d.record(context.Background(), Record{Kind: recWait, Step: "x", Text: text, Facts: map[string]string{}})
		}
	}
	env.Journal.Close()
	if err != nil {
		t.Fatal(err)
	}
	rs := mustRead(t, journal)
	key := []byte("rita's")
	if err := CheckSeals(rs, key, "v0.2.0"); err != nil || len(rs) != 4 {
		t.Fatalf("one's own journal: %v", err)
	}
	for what, change := range map[string]func(Records) Records{
		"a text that was changed": func(rs Records) Records { rs[2].Text = "other"; return rs },
		"a record that was taken out": func(rs Records) Records {
			return slices.Delete(rs, 1, 2)
		},
		"records in another order": func(rs Records) Records { rs[2], rs[3] = rs[3], rs[2]; return rs },
	} {
		if err := CheckSeals(change(slices.Clone(rs)), key, "v0.2.0"); !errors.Is(err, errUnsealed) || !strings.Contains(err.Error(), "its record") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if CheckSeals(rs, key, "v0.3.0") == nil || CheckSeals(rs, []byte("otto's"), "v0.2.0") == nil || CheckSeals(rs, []byte{}, "v0.2.0") == nil {
		t.Error("the seal holds for another version or key")
	}
}
