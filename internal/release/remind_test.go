package release

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
)

// Two drivers with the journal on a ref see at the same time that reminders are due:
// each step is reminded of once, and once more a day later.
func TestTwoDriversRemindOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	drive := func(drivers int) {
		t.Helper()
		var group sync.WaitGroup
		for range drivers {
			dir := t.TempDir()
			env, q := w.env(filepath.Join(dir, "unused.jsonl"))
			remotes := &ports.Remotes{Base: w.git, Cache: &git.Cache{Dir: filepath.Join(dir, "journals")}, Queue: q}
			t.Cleanup(func() { remotes.Close() })
			j, err := (&ports.Journals{Remotes: remotes, Repo: "orchard/operator", OnRefs: true}).Open(context.Background(), &env.Env, "v0.2.0", nil)
			if err != nil {
				t.Fatal(err)
			}
			env.Journal = j
			train := w.train("v0.2.0")
			train.recipe.Announce.Remind = true
			group.Go(func() {
				_, _ = train.On(env).Run(context.Background(), &env.Env, Choices{}) // the slower one loses its journal
			})
		}
		group.Wait()
	}
	reminders := func() (n int) {
		seen := map[string]bool{}
		for _, text := range w.chat.texts() {
			if seen[text] {
				t.Errorf("it was sent twice: %s", text)
			}
			if seen[text] = true; strings.Contains(text, "has been waiting for") {
				n++
			}
		}
		return n
	}
	drive(1)
	if n := reminders(); n != 0 {
		t.Fatalf("%d reminders at once", n)
	}
	w.clock.Pass(25 * time.Hour)
	drive(2)
	first := reminders()
	if drive(2); first == 0 || reminders() != first {
		t.Errorf("%d reminders, then %d", first, reminders())
	}
	w.clock.Pass(25 * time.Hour)
	if drive(2); reminders() != 2*first {
		t.Errorf("%d reminders on the second day, %d on the first", reminders(), first)
	}
}
