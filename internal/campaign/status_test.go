package campaign

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestStatusSaysWhatIsLeft has a repository in every state; text of untrusted author is
// no markup on the page.
func TestStatusSaysWhatIsLeft(t *testing.T) {
	p := &Plan{ID: "groups", Title: "Move <i>", LeftOut: []LeftOut{{"acme/fork", "a fork"}}, Commit: "0123456789abcdef"}
	d := p.Digest()
	results, records, pulls := map[string]*Result{}, map[string]*Record{}, map[string]*followed{}
	add := func(name string, r *Result, rec *Record, f *followed) {
		key := "k" + name
		p.Repositories = append(p.Repositories, Repository{Key: key, Name: "acme/" + name, ID: 1})
		if r != nil {
			r.Digest = d
			results[key] = r
		}
		if rec != nil {
			rec.Name, rec.Node, rec.URL = "acme/"+name, "N", "https://forge.invalid/1"
			records[key] = rec
		}
		if f != nil {
			f.Node = "N"
			pulls[key] = f
		}
	}
	changed := func() *Result {
		return &Result{State: Changed, Proven: 3, Review: 1, ToReview: []string{"<script>x"}, Owners: []string{"@acme/team"}}
	}
	add("waiting", nil, nil, nil)
	add("trouble", &Result{State: Trouble, Class: Network, Text: "no answer"}, nil, nil)
	add("ready", changed(), nil, nil)
	add("review", &Result{State: Nothing, Review: 2}, nil, nil)
	add("nothing", &Result{State: Nothing, Base: "b"}, nil, nil)
	add("empty", &Result{State: Nothing}, nil, nil)
	for _, s := range []Stage{Stale, Blocked, Opening, Opened, Merged, Declined, Edited, Away, Withdrawing, Withdrawn} {
		add(string(s), changed(), &Record{Stage: s}, nil)
	}
	add("red", changed(), &Record{Stage: Opened}, &followed{Stage: Opened, Checks: "failure"})
	add("conflicting", changed(), &Record{Stage: Opened}, &followed{Stage: Opened, Conflicts: true})
	add("not-opened", changed(), nil, nil)
	p.Repositories[len(p.Repositories)-1].ID = 0 // known by its URL alone
	add("other-pull", changed(), &Record{Stage: Opened}, &followed{Stage: Merged})
	pulls["kother-pull"].Node = "of an older one"
	st := p.count(results, records, pulls, time.Unix(0, 0))
	for _, s := range Stages {
		want := 1
		if s.ID == "open" {
			want = 2
		}
		if st.Counts[s.ID] != want {
			t.Errorf("%s: %d", s.ID, st.Counts[s.ID])
		}
	}
	for _, r := range st.Rows {
		if name := strings.TrimPrefix(r.Name, "acme/"); name != r.State && name != "other-pull" && name != "fork" {
			t.Errorf("%s is %s", name, r.State)
		}
	}
	page := st.Page()
	if strings.Contains(string(page), "<script>") || strings.Contains(string(page), "<i>") || !strings.Contains(string(page), "7 of 20") || !strings.Contains(string(page), "@acme/team") {
		t.Errorf("%s", page)
	}
	if !st.Left || (&Plan{}).count(nil, nil, nil, time.Unix(0, 0)).Left {
		t.Error("left")
	}
}

// TestShardOfEngine reads the variables of each engine.
func TestShardOfEngine(t *testing.T) {
	for text, want := range map[string]string{
		"": "0/1", "of=4": "error", "of=4 JOB_COMPLETION_INDEX=3": "3/4", "JOB_COMPLETION_INDEX=3": "error", "of=4 JOB_COMPLETION_INDEX=x": "error",
		"CI_NODE_INDEX=1 CI_NODE_TOTAL=2": "0/2", "of=3 CI_NODE_INDEX=1 CI_NODE_TOTAL=2": "error",
		"BUILDKITE_PARALLEL_JOB=1 BUILDKITE_PARALLEL_JOB_COUNT=2": "1/2", "AWS_BATCH_JOB_ARRAY_INDEX=5 AWS_BATCH_JOB_ARRAY_SIZE=9": "5/9",
		"SLURM_ARRAY_TASK_ID=11 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=10": "1/2", "of=2 SLURM_ARRAY_TASK_ID=1": "1/2",
	} {
		env, of := map[string]string{}, 0
		for f := range strings.FieldsSeq(text) {
			k, v, _ := strings.Cut(f, "=")
			if k == "of" {
				of = int(v[0] - '0')
			} else {
				env[k] = v
			}
		}
		i, n, err := ShardOf(env, of)
		got := fmt.Sprintf("%d/%d", i, n)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %s (%v), want %s", text, got, err, want)
		}
	}
}

// TestStatusOfAURLIsLeft has a change in a repository that no one opens.
func TestStatusOfAURLIsLeft(t *testing.T) {
	p := &Plan{ID: "groups"}
	p.Repositories = []Repository{{Key: "u1", Name: "https://git.example.com/a.git", URL: "https://git.example.com/a.git"}}
	results := map[string]*Result{"u1": {Key: "u1", Digest: p.Digest(), State: Changed}}
	if st := p.count(results, nil, nil, time.Unix(0, 0)); !st.Left || st.Rows[0].State != "not-opened" {
		t.Errorf("%+v", st)
	}
	if (&Plan{}).Known() == nil {
		t.Error("a plan of nothing")
	}
}
