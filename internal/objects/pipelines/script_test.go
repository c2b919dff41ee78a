package pipelines

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/testing/kfptest"
)

var spec = map[string]any{"schemaVersion": "2.1.0", "pipelineInfo": map[string]any{"name": "p"}, "root": map[string]any{"dag": map[string]any{}}}

// pipe is a pipeline with versions of these names, an hour apart.
func pipe(name string, versions ...string) kfptest.Pipeline {
	made := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := kfptest.Pipeline{ID: "id-" + name, Name: name, DisplayName: name, Created: made}
	for i, v := range versions {
		p.Versions = append(p.Versions, kfptest.Version{ID: "id-" + name + "/" + v, Name: v, DisplayName: v, Created: made.Add(time.Duration(i) * time.Hour), Spec: spec})
	}
	return p
}

// importAll plans, or applies to a folder, everything that a server has.
func importAll(t *testing.T, s *kfptest.Server, dir string, namespaces ...string) (*objects.Result, []*objects.Item, error) {
	t.Helper()
	noWait := func(context.Context, time.Duration) error { return nil }
	r, err := Dial(s.Start(t), "", "", namespaces, noWait)
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := objects.OpenLedger(filepath.Join(dir, "ledger.jsonl"), "pipelines", true, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer ledger.Close()
	k := &recorder{Kind: &Kind{Store: r, Shared: "kubeflow", ledger: ledger}}
	run := &objects.Run{Kind: k, Target: &objects.Dir{Root: filepath.Join(dir, "out")}, Ledger: ledger, Sleep: noWait}
	res, err := run.Apply(context.Background())
	return res, k.items, err
}

// A recorder keeps the items of a kind.
type recorder struct {
	*Kind
	items []*objects.Item
}

func (r *recorder) Items(ctx context.Context, emit func(*objects.Item) error) error {
	return r.Kind.Items(ctx, func(it *objects.Item) error {
		r.items = append(r.items, it)
		return emit(it)
	})
}

// namesOf are the references of the wanted objects, in their order; a refusal
// is its reason.
func namesOf(items []*objects.Item) []string {
	var list []string
	for _, it := range items {
		if it.Refused != nil {
			list = append(list, it.Refused.Reason)
			continue
		}
		list = append(list, objects.RefOf(it.Want).String())
	}
	return list
}

func find(t *testing.T, items []*objects.Item, origin string) objects.Object {
	t.Helper()
	i := slices.IndexFunc(items, func(it *objects.Item) bool { return it.Origin.ID == origin })
	if i < 0 || items[i].Want == nil {
		t.Fatalf("%s is not imported", origin)
	}
	return items[i].Want
}

// TestFaultsOfTheScript has one case for each line of the table in
// docs/import.md: what the official migration script does wrong.
func TestFaultsOfTheScript(t *testing.T) {
	tests := []struct {
		name   string
		server *kfptest.Server
		want   []string // references or reasons, in order
	}{
		{
			"one name for all versions", &kfptest.Server{Pipelines: []kfptest.Pipeline{pipe("a", "a", "v2"), pipe("b", "b", "v2")}},
			[]string{"Pipeline kubeflow/a", "Pipeline kubeflow/b", "PipelineVersion kubeflow/a", "PipelineVersion kubeflow/b", "PipelineVersion kubeflow/a-v2", "PipelineVersion kubeflow/b-v2"},
		},
		{
			"names that become equal", &kfptest.Server{Pipelines: []kfptest.Pipeline{pipe("My Pipeline"), pipe("my_pipeline")}},
			[]string{"Pipeline kubeflow/my-pipeline-41a6d0e4", "Pipeline kubeflow/my-pipeline-2c84f4ad"},
		},
		{"a Japanese name", &kfptest.Server{Pipelines: []kfptest.Pipeline{pipe("データ")}}, []string{"Pipeline kubeflow/x-13cd750a"}},
		{
			"the hyphen in between", &kfptest.Server{Pipelines: []kfptest.Pipeline{pipe("foo", "bar-baz"), pipe("foo-bar", "baz")}},
			[]string{"Pipeline kubeflow/foo", "Pipeline kubeflow/foo-bar", "PipelineVersion kubeflow/foo-bar-baz-a3170162", "PipelineVersion kubeflow/foo-bar-baz-e556d9bc"},
		},
		{
			"an unreadable version", &kfptest.Server{Pipelines: []kfptest.Pipeline{{ID: "p", Name: "p", Versions: []kfptest.Version{
				{ID: "bad", Error: &kfptest.Status{Code: 13, Message: "Failed to convert"}}, {ID: "empty", Name: "empty", Created: time.Unix(1, 0)}, {ID: "text", Name: "text", Spec: "no pipeline", Created: time.Unix(2, 0)},
			}}}},
			[]string{"Pipeline kubeflow/p", "server-error", "empty-spec", "unparsable"},
		},
		{
			"a v1 workflow", &kfptest.Server{Pipelines: []kfptest.Pipeline{{ID: "p", Name: "p", Versions: []kfptest.Version{
				{ID: "v", Name: "v", Spec: map[string]any{"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow"}, Created: time.Unix(1, 0)},
			}}}},
			[]string{"Pipeline kubeflow/p", "v1-workflow"},
		},
		{
			"the order of creation", &kfptest.Server{Pipelines: []kfptest.Pipeline{pipe("a", "3", "1", "2"), pipe("b", "9")}},
			[]string{"Pipeline kubeflow/a", "Pipeline kubeflow/b", "PipelineVersion kubeflow/a-3", "PipelineVersion kubeflow/a-1", "PipelineVersion kubeflow/a-2", "PipelineVersion kubeflow/b-9"},
		},
		{
			"page tokens with + / = and &", &kfptest.Server{Faults: kfptest.Faults{EscapeToken: true}, Pipelines: []kfptest.Pipeline{pipe("many", numbered(450)...)}},
			nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, items, err := importAll(t, tt.server, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if got := namesOf(items); tt.want != nil && !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s", strings.Join(got, "\n"))
			}
			total := 0
			for _, p := range tt.server.Pipelines {
				total += 1 + len(p.Versions)
			}
			if n := res.Counts[objects.StatusCreated] + res.Counts[objects.StatusRefused]; n != total {
				t.Errorf("%d of %d objects: %s", n, total, res.Summary())
			}
		})
	}
	t.Run("descriptions and tags", scriptTexts)
	t.Run("shared pipelines", scriptShared)
	t.Run("platform specs", scriptPlatform)
	t.Run("a dead server", func(t *testing.T) { TestDeadServer(t) })
	t.Run("a second run", scriptTwice)
}

func numbered(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("v%03d", i)
	}
	return list
}

func scriptTexts(t *testing.T) {
	p := pipe("p", "v")
	p.Description, p.Tags, p.DisplayName = "about 日本", map[string]string{"team": "ml"}, "The Pipeline"
	p.Versions[0].Description, p.Versions[0].Tags, p.Versions[0].CodeURL = "first", map[string]string{"stage": "prod"}, "https://git.example/x"
	_, items, err := importAll(t, &kfptest.Server{Pipelines: []kfptest.Pipeline{p}}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for origin, want := range map[string]map[string]string{
		"id-p":   {"description": "about 日本", "displayName": "The Pipeline"},
		"id-p/v": {"description": "first", "displayName": "v", "codeSourceURL": "https://git.example/x", "pipelineName": "p", "versionName": "v"},
	} {
		for field, value := range want {
			if got := objects.Text(find(t, items, origin), "spec", field); got != value {
				t.Errorf("%s: %s is %q", origin, field, got)
			}
		}
	}
	if objects.Text(find(t, items, "id-p"), "spec", "tags", "team") != "ml" || objects.Text(find(t, items, "id-p/v"), "spec", "tags", "stage") != "prod" {
		t.Error("the tags are lost")
	}
}

// scriptShared reads the pipelines of all namespaces, and those of none.
func scriptShared(t *testing.T) {
	s := &kfptest.Server{MultiUser: true}
	for _, ns := range []string{"", "team-a", "team-b", "unasked"} {
		p := pipe("p", "v")
		p.ID, p.Namespace, p.Versions[0].ID = "p@"+ns, ns, "v@"+ns
		s.Pipelines = append(s.Pipelines, p)
	}
	_, items, err := importAll(t, s, t.TempDir(), "team-a", "team-b")
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"p@": "kubeflow", "p@team-a": "team-a", "v@team-b": "team-b", "v@": "kubeflow"} {
		if got := objects.RefOf(find(t, items, id)).Namespace; got != want {
			t.Errorf("%s went to %s", id, got)
		}
	}
	if len(items) != 6 {
		t.Errorf("%d items", len(items))
	}
}

func scriptPlatform(t *testing.T) {
	p := pipe("p", "v")
	platform := map[string]any{"platforms": map[string]any{"kubernetes": map[string]any{"deploymentSpec": map[string]any{}}}}
	p.Versions[0].Spec = map[string]any{"pipeline_spec": spec, "platform_spec": platform}
	_, items, err := importAll(t, &kfptest.Server{Pipelines: []kfptest.Pipeline{p}}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stored := find(t, items, "id-p/v")
	if objects.Digest(objects.At(stored, "spec", "platformSpec")) != objects.Digest(platform) || objects.Digest(objects.At(stored, "spec", "pipelineSpec")) != objects.Digest(spec) {
		t.Errorf("got %v", stored["spec"])
	}
}

func scriptTwice(t *testing.T) {
	s, dir := &kfptest.Server{Pipelines: []kfptest.Pipeline{pipe("My Pipeline", "1", "2")}}, t.TempDir()
	for _, want := range []string{"3 created", "3 same"} {
		res, _, err := importAll(t, s, dir)
		if err != nil || res.Summary() != want {
			t.Errorf("got %s (%v), want %s", res.Summary(), err, want)
		}
	}
	// Two pipelines of names that become equal: what was there keeps its name.
	s.Pipelines = append(s.Pipelines, pipe("my_pipeline", "1"))
	res, items, err := importAll(t, s, dir)
	if err != nil || res.Summary() != "2 created, 3 same" || objects.RefOf(items[0].Want).Name != "my-pipeline" {
		t.Errorf("got %s (%v)", res.Summary(), err)
	}
}

// TestFaultsInTheMiddle: what goes wrong after the first page.
func TestFaultsInTheMiddle(t *testing.T) {
	many := make([]kfptest.Pipeline, 450)
	for i := range many {
		many[i] = pipe(fmt.Sprintf("p%03d", i))
	}
	tests := []struct {
		faults kfptest.Faults
		want   string
	}{
		{kfptest.Faults{Once500: true}, ""},
		{kfptest.Faults{RepeatToken: true}, "repeats the page token"},
		{kfptest.Faults{Truncate: true}, "not JSON"},
		{kfptest.Faults{Token: "secret"}, "401 Unauthorized: Request header error"},
	}
	for _, tt := range tests {
		res, _, err := importAll(t, &kfptest.Server{Faults: tt.faults, Pipelines: many}, t.TempDir())
		switch {
		case tt.want == "" && (err != nil || res.Counts[objects.StatusCreated] != len(many)):
			t.Errorf("%+v: %v", tt.faults, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%+v: %v", tt.faults, err)
		}
	}
}

// TestTooLarge: a version that etcd would not take is refused, and the one
// before it stays the latest.
func TestTooLarge(t *testing.T) {
	p := pipe("p", "1", "2", "3")
	large := map[string]any{"schemaVersion": "2.1.0", "pipelineInfo": map[string]any{"name": "p", "description": strings.Repeat("x", objects.MaxObject)}, "root": map[string]any{}}
	p.Versions[2].Spec = large
	res, items, err := importAll(t, &kfptest.Server{Pipelines: []kfptest.Pipeline{p}}, t.TempDir())
	if err != nil || res.Summary() != "3 created, 1 refused" {
		t.Errorf("got %s (%v)", res.Summary(), err)
	}
	if last := items[len(items)-1]; last.Origin.ID != "id-p/2" || last.Phase != 2 {
		t.Errorf("the latest is %s in phase %d", last.Origin.ID, last.Phase)
	}
	for _, o := range res.Outcomes {
		if o.Status == objects.StatusRefused && (o.Reason != "too-large" || !strings.HasSuffix(o.Origin.Path, "/versions/id-p%2F3")) {
			t.Errorf("%s: refused as %s", o.Origin.Path, o.Reason)
		}
	}
}
