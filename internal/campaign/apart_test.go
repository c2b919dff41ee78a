package campaign

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestApart: a program that ends without a result, or does not end, is trouble with its
// repository, which holds for the commit that is there.
func TestApart(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	p := w.plan()
	order := &Order{Plan: p, Repository: p.Repositories[0]}
	for name, tt := range map[string]struct {
		limit   time.Duration
		program []string
		want    string
	}{
		"ends":         {time.Minute, []string{"git", "no-such-command"}, "its evaluation failed: git: 'no-such-command' is not a git command"},
		"no result":    {time.Minute, []string{"git", "version"}, "its evaluation failed: invalid character 'g'"},
		"does not end": {50 * time.Millisecond, []string{"sleep", "60"}, "its evaluation failed: its evaluation did not end"},
	} {
		r, err := Apart(tt.limit, tt.program[0], tt.program[1:]...)(t.Context(), order)
		if err != nil || r.State != Trouble || r.Class != Fault || !strings.HasPrefix(r.Text, tt.want) || r.Base == "" || r.Digest != order.Plan.Digest() {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Apart(time.Minute, "git", "version")(ended, order); err == nil {
		t.Error("what was interrupted has a result")
	}
}
