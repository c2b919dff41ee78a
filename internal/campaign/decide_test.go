package campaign

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/forge"
)

// TestDecisions has a row for everything that can be seen of a repository.
func TestDecisions(t *testing.T) {
	r := &Result{Commit: "new", Digest: "d"}
	rec := func(stage Stage, pushed ...string) *Record { return &Record{Stage: stage, Pushed: pushed, Digest: "d"} }
	pull := func(state, head string) []forge.Pull {
		return []forge.Pull{{Number: 7, Open: state == "open", Merged: state == "merged", Head: head}}
	}
	for _, c := range []struct {
		name string
		v    view
		want act
	}{
		{"nothing is there", view{}, act{Opening, true, true, forge.Pull{}}},
		{"killed after the push", view{record: rec(Opening, "new"), head: "new"}, act{Opening, false, true, forge.Pull{}}},
		{"killed before the push", view{record: rec(Opening, "new")}, act{Opening, true, true, forge.Pull{}}},
		{"killed before a second push", view{record: rec(Opening, "old", "new"), head: "old", pulls: pull("open", "old"), conflicts: true}, act{Opening, true, false, pull("open", "old")[0]}},
		{"a branch of that name is somebody's", view{head: "x"}, act{Edited, false, false, forge.Pull{}}},
		{"open, as it was made", view{record: rec(Opened, "new"), head: "new", pulls: pull("open", "new")}, act{Opened, false, false, pull("open", "new")[0]}},
		{"open, of an older base", view{record: rec(Opened, "old"), head: "old", pulls: pull("open", "old")}, act{Opened, false, false, pull("open", "old")[0]}},
		{"open, by somebody else", view{head: "x", pulls: pull("open", "x")}, act{Edited, false, false, pull("open", "x")[0]}},
		{"somebody pushed onto it", view{record: rec(Opened, "new"), head: "x", pulls: pull("open", "new"), conflicts: true}, act{Edited, false, false, pull("open", "new")[0]}},
		{"closed", view{record: rec(Opened, "new"), head: "new", pulls: pull("closed", "new")}, act{Declined, false, false, pull("closed", "new")[0]}},
		{"closed by who knows", view{pulls: pull("closed", "y")}, act{Declined, false, false, pull("closed", "y")[0]}},
		{"merged", view{record: rec(Opened, "new"), pulls: pull("merged", "new")}, act{Merged, false, false, pull("merged", "new")[0]}},
		{"removed", view{record: &Record{Stage: Opened, Pushed: []string{"new"}, Digest: "d", Number: 7}}, act{Declined, false, false, forge.Pull{}}},
		{"refused, and the base moved", view{record: rec(Blocked, "old")}, act{Opening, true, true, forge.Pull{}}},
		{"pushed, the pull request refused, the branch removed", view{record: rec(Blocked, "new")}, act{Opening, true, true, forge.Pull{}}},
		{"pushed, the pull request refused, and the base moved", view{record: rec(Blocked, "old"), head: "old"}, act{Opening, true, true, forge.Pull{}}},
		{"closed, asked for again", view{record: rec(Declined, "new"), head: "new", pulls: pull("closed", "new"), reopen: true}, act{Opening, false, true, forge.Pull{}}},
		{"edited, asked for again", view{record: rec(Edited, "new"), head: "x", pulls: pull("open", "x"), reopen: true}, act{Edited, false, false, pull("open", "x")[0]}},
		{"other rules", view{record: &Record{Stage: Opened, Pushed: []string{"old"}, Digest: "c"}, head: "old", pulls: pull("open", "old")}, act{Opening, true, false, pull("open", "old")[0]}},
	} {
		c.v.result = r
		if got := decide(c.v); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
