package release

import (
	"context"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A component whose Go module is in a folder gets the tag at which Go looks for it, too:
// also when only one of the two is there, and neither where that one is at another commit.
func TestNestedModuleIsTagged(t *testing.T) {
	w := newWorld(t)
	bare := w.bare("orchard/picker")
	train := func() *steps.Train {
		train := w.train("v0.2.0")
		c, _ := train.Stack.Component("picker")
		c.Module = stack.Module{Path: "github.com/orchard/picker/api", Tag: "api/v{version}"}
		return train
	}
	for _, gone := range []string{"", "api/v1.1.0", "v1.1.0"} {
		if gone != "" {
			w.run(bare, "git", "tag", "-d", gone)
		}
		r, _ := once(t, w, train(), journalIn(t), Choices{Until: "tag:picker"})
		if s := r.Of("tag:picker"); s.State != Done {
			t.Fatalf("without %q: %+v", gone, s.Observation)
		}
		if own, module := w.run(bare, "git", "rev-parse", "v1.1.0^{}"), w.run(bare, "git", "rev-parse", "api/v1.1.0^{}"); own != module {
			t.Errorf("without %q: v1.1.0 is at %s, api/v1.1.0 at %s", gone, own, module)
		}
	}

	w.run(bare, "git", "tag", "-d", "v1.1.0", "api/v1.1.0")
	w.run(bare, "git", "tag", "api/v1.1.0", "main")
	w.commit("orchard/picker", "more.txt", "more\n")
	env, _ := w.env(journalIn(t))
	defer env.Journal.Close()
	r, err := On(train(), env).Run(context.Background(), &env.Env, Choices{Until: "tag:picker"})
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Of("tag:picker"); s.State != Unmanaged || !strings.HasPrefix(s.Text, "api/v1.1.0 of orchard/picker is at ") {
		t.Errorf("%+v", s.Observation)
	}
	if tags := w.run(bare, "git", "tag", "--list", "v1.1.0"); tags != "" {
		t.Error("the component was tagged")
	}
}
