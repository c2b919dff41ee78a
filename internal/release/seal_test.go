package release

import (
	"context"
	"errors"
	"testing"

	"github.com/project-codeflare/cfctl/internal/release/steps"
)

// keyed is the actual state's environment with a user's key.
func (w *world) keyed(journal, key string) *Env {
	env, _ := w.env(journal)
	env.Key = []byte(key)
	return env
}

// A journal decides for who wrote it alone: one that came with the tree, whose
// chain anyone can make, is refused by whatever would obey it, and nothing is
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
		written(t, env, Record{Kind: recBegin, Who: "the boss"},
			Record{Kind: steps.RecIntent, Step: "tag:picker", Facts: map[string]string{"commit": evil}},
			Record{Kind: steps.RecApprove, Step: "approve:publish", Who: "the boss"})
	}
	forge(nil)
	before := w.witness()
	train, ctx := w.train("v0.2.0"), context.Background()
	for name, obey := range map[string]func(*Env) error{
		"run":     func(env *Env) error { _, err := On(train, env).Run(ctx, &env.Env, Choices{}); return err },
		"plan":    func(env *Env) error { _, err := On(train, env).Plan(ctx, &env.Env); return err },
		"verify":  func(env *Env) error { _, err := On(train, env).Verify(ctx, &env.Env); return err },
		"abort":   func(env *Env) error { _, err := On(train, env).Abort(ctx, &env.Env, "rita"); return err },
		"approve": func(env *Env) error { return On(train, env).Approve(ctx, &env.Env, "approve:publish", "rita", false) },
		"skip": func(env *Env) error {
			_, err := On(train, env).Skip(ctx, &env.Env, "catalog", "so", "rita")
			return err
		},
		"status": func(env *Env) error { _, err := On(train, env).Refresh(ctx, &env.Env); return err },
	} {
		for _, key := range []string{"rita's", ""} {
			env := w.keyed(journal, key)
			if err := obey(env); !errors.Is(err, ErrUnsealed) {
				t.Errorf("%s obeys a journal that came with the tree: %v", name, err)
			}
			env.Journal.Close()
		}
	}
	if after := w.witness(); after != before {
		t.Errorf("the world was changed:\n%s", after)
	}
}
