package release

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// tracking is a world with a release tracker, and the step that comments on it.
func tracking(t *testing.T, entry string) (f *fakeForge, observe func() observation, act func() error) {
	t.Helper()
	w := newWorld(t)
	f = w.forge.(*fakeForge)
	f.Issues = []map[string]any{
		{"number": 9, "title": "Release Tracker of a change", "state": "open", "pull_request": map[string]any{"url": "x"}},
		{"number": 7, "title": "[Release Tracker] - Garden 3.0", "state": "open", "body": "### Component List\r\n\r\n- [ ] orchard\r\n- [x] fruit-picker\r\n", "html_url": "https://forge.invalid/7"},
		{"number": 3, "title": "[Release Tracker] - Garden 2.9", "state": "open", "body": "- [x] orchard"},
	}
	config := strings.Replace(string(w.config()), "\nrelease:\n", "\nrelease:\n  tracker: {repository: garden/community, title: release tracker, components: ["+entry+"]}\n", 1)
	train, err := w.read([]byte(config), "v0.2.0")
	if err != nil {
		t.Fatal(err)
	}
	train.recipe.Forge.Git = "https://forge.example"
	env, _ := w.env(journalIn(t))
	var step *Step
	for _, s := range train.Steps() {
		if s.Name == trackerStep {
			step = s
		}
	}
	if step == nil {
		t.Fatal("there is no such step")
	}
	var seen observation
	observe = func() observation {
		t.Helper()
		if seen, err = step.Observe(context.Background(), newView(train, env)); err != nil {
			t.Fatal(err)
		}
		return seen
	}
	act = func() error {
		_, err := actAndLook(train, env, step, seen)
		return err
	}
	return f, observe, act
}

const bothTracked = "{component: operator, name: orchard}, {component: picker, name: fruit-picker, branch: release-1.1}"

// The tracker gets one comment in the form that its automation reads, and never
// a second one.
func TestTrackerComment(t *testing.T) {
	f, observe, act := tracking(t, bothTracked)
	o := observe()
	const want = "#Release#\n- orchard|https://forge.example/orchard/operator/tree/v0.2.0|https://forge.example/orchard/operator/releases/tag/v0.2.0\n" +
		"- fruit-picker|https://forge.example/orchard/picker/tree/release-1.1|https://forge.example/orchard/picker/releases/tag/v1.1.0"
	if o.State != Missing || o.Detail != want {
		t.Fatalf("%+v\nwant\n%s", o, want)
	}
	if err := act(); err != nil {
		t.Fatal(err)
	}
	if o := observe(); o.State != Done || len(f.Comments) != 1 || f.Comments[0]["body"] != want {
		t.Errorf("%s: %s, comments %v", o.State, o.Text, f.Comments)
	}
	f.Comments = []map[string]any{{"body": strings.Join(strings.Split(want, "\n")[:2], "\n")}}
	if o := observe(); o.State != Missing || strings.Contains(o.Detail, "orchard|") || !strings.Contains(o.Detail, "fruit-picker|") {
		t.Errorf("one of two is there: %s: %s", o.State, o.Detail)
	}
	f.Issues[1]["state"] = "closed"
	if o := observe(); o.State != Conflict || o.Who == "" {
		t.Errorf("a closed one: %s: %s", o.State, o.Text)
	}
}

// What is there is read in every spelling that people use: done where it is
// ours, unmanaged where it is not, of any author.
func TestTrackerIsRead(t *testing.T) {
	const addresses = "https://forge.example/orchard/operator/tree/v0.2.0 | https://forge.example/orchard/operator/releases/tag/v0.2.0"
	f, observe, _ := tracking(t, "{component: operator, name: orchard}")
	for _, c := range []struct {
		name  string
		body  string
		state State
		says  string
	}{
		{"as the template", "Hello\r\n#Release#\r\n- orchard|" + strings.ReplaceAll(addresses, " ", ""), Done, "has it"},
		{"with blanks, without a bullet", "#Release#\n\n ORCHARD | " + addresses + "\n", Done, "has it"},
		{"one address for branch and tag", "#Release#\n- orchard|https://forge.example/orchard/operator/releases/tag/v0.2.0", Done, "has it"},
		{"another branch", "#Release#\n- orchard|https://forge.example/orchard/operator/tree/main|https://forge.example/orchard/operator/releases/tag/v0.2.0", Unmanaged, "another entry"},
		{"another tag", "#Release#\n- orchard|https://forge.example/orchard/operator/releases/tag/v0.1.0", Unmanaged, "another entry of orchard, by otto"},
		{"no release comment", "orchard | " + addresses, Missing, "comment on garden/community#7"},
		{"another component", "#Release#\n- apple|https://forge.example/a/b/releases/tag/v1.0.0", Missing, "comment on"},
	} {
		f.Comments = []map[string]any{{"body": c.body, "user": map[string]any{"login": "otto"}}}
		if o := observe(); o.State != c.state || !strings.Contains(o.Text, c.says) {
			t.Errorf("%s: %s: %s", c.name, o.State, o.Text)
		}
	}
}

// A tracker that is not there is waited for; one that is closed, or does not
// know the component, needs a maintainer; a server that fails is no answer.
func TestTrackerNeedsSomebody(t *testing.T) {
	f, observe, _ := tracking(t, "{component: operator, name: orchards}")
	if o := observe(); o.State != Conflict || !strings.Contains(o.Who, `did you mean "orchard"?`) {
		t.Errorf("%s: %s (%s)", o.State, o.Text, o.Who)
	}
	f.Issues[1]["body"] = "no list"
	if o := observe(); o.State != Missing {
		t.Errorf("%s: %s", o.State, o.Text)
	}
	f.Issues = f.Issues[:1]
	if o := observe(); o.State != Waiting || o.Who == "" {
		t.Errorf("%s: %s", o.State, o.Text)
	}
	f, observe, act := tracking(t, "{component: operator, name: orchard}")
	observe()
	f.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			reply(w, 403, map[string]any{"message": "locked"})
		}
		return r.Method == http.MethodPost
	}
	if err := act(); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("%v", err)
	}
}
