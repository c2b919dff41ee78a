package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/objects"
)

const ir = `{"schemaVersion":"2.1.0","pipelineInfo":{"name":"p"},"root":{"dag":{}}}`

// A server answers with the API's shapes; fault says what is wrong with it.
type server struct {
	fault    string
	lists    int
	versions []string // JSON of the versions of the one pipeline
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.fault == "401" && r.Header.Get("Authorization") != "Bearer right" {
		http.Error(w, `{"message":"no valid user identity"}`, http.StatusUnauthorized)
		return
	}
	token := r.URL.Query().Get("page_token")
	if strings.HasSuffix(r.URL.Path, "/versions") {
		fmt.Fprintf(w, `{"pipeline_versions":[%s]}`, strings.Join(s.versions, ","))
		return
	}
	s.lists++
	switch {
	case s.fault == "503 once" && s.lists == 1:
		http.Error(w, `{"message":"try again"}`, http.StatusServiceUnavailable)
	case s.fault == "truncated":
		fmt.Fprint(w, `{"pipelines":[{"pipeline_id":"1"`)
	case s.fault == "repeated token":
		fmt.Fprint(w, `{"pipelines":[],"next_page_token":"again"}`)
	case s.fault == "fresh tokens":
		fmt.Fprintf(w, `{"pipelines":[],"next_page_token":"t%d"}`, s.lists)
	case strings.HasPrefix(s.fault, "{") || s.fault == "null":
		fmt.Fprint(w, s.fault)
	case s.fault == "escaped token" && token == "":
		fmt.Fprint(w, `{"next_page_token":"+/= &"}`)
	case s.fault == "escaped token" && token != "+/= &":
		http.Error(w, `{"message":"Invalid page token."}`, http.StatusBadRequest)
	default:
		fmt.Fprint(w, `{"pipelines":[{"pipeline_id":"1","name":"p","display_name":"P","created_at":"2026-01-01T00:00:00Z"}]}`)
	}
}

func version(id, name, spec string, second int) string {
	return fmt.Sprintf(`{"pipeline_version_id":%q,"name":%q,"created_at":"2026-01-01T00:00:%02dZ","pipeline_spec":%s}`, id, name, second, spec)
}

func items(t *testing.T, s *server, token string) ([]*objects.Item, error) {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	r, err := Dial(web.URL, token, "", nil, func(context.Context, time.Duration) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	var list []*objects.Item
	k := &Kind{Store: r, Shared: "kubeflow"}
	err = k.Items(context.Background(), func(it *objects.Item) error {
		list = append(list, it)
		return nil
	})
	return list, err
}

func TestFaultsOfTheServer(t *testing.T) {
	tests := []struct{ fault, token, want string }{
		{"401", "wrong", "401 Unauthorized: no valid user identity"},
		{"401", "right", ""},
		{"503 once", "", ""},
		{"truncated", "", "not JSON"},
		{"repeated token", "", `repeats the page token "again"`},
		{"fresh tokens", "", "100 pages without an item"},
		{"escaped token", "", ""},
		{"{}", "", ""},
		{"null", "", "no list of pipelines"},
		{"{\"pipelines\":[{\"pipeline_id\":\"1\",\"name\":\"a\xff\"}]}", "", "the answer is not UTF-8"},
		{`{"error":"x","code":7,"message":"no"}`, "", "no list of pipelines"},
		{`{"pipelines":[{"pipelineId":"1"}],"nextPageToken":"t"}`, "", "a pipeline has no pipeline_id"},
	}
	for _, tt := range tests {
		t.Run(tt.fault+tt.token, func(t *testing.T) {
			_, err := items(t, &server{fault: tt.fault, versions: []string{version("v", "v", ir, 1)}}, tt.token)
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v", err)
			case err != nil && tt.token != "" && strings.Contains(err.Error(), tt.token):
				t.Errorf("the token is in %v", err)
			}
		})
	}
}

// TestVersions: what is wrong with a version is its refusal alone.
func TestVersions(t *testing.T) {
	tests := []struct{ spec, reason string }{
		{ir, ""},
		{`null`, "empty-spec"},
		{`{}`, "empty-spec"},
		{`{"apiVersion":"argoproj.io/v1alpha1","kind":"Workflow"}`, "v1-workflow"},
		{`{"schemaVersion":"2.0.0","pipelineInfo":{"name":"p"},"root":{}}`, "schema-version"},
		{`{"schemaVersion":"2.1.0","pipelineInfo":{},"root":{}}`, "no-name"},
		{`{"schemaVersion":"2.1.0","pipelineInfo":{"name":"p"}}`, "no-root"},
		{`{"schemaVersion":"2.1.0","pipelineInfo":{"name":"p"},"root":{},"more":1}`, "unknown-field"},
		{`{"pipeline_spec":` + ir + `,"platform_spec":{"platforms":{"kubernetes":{}}}}`, ""},
	}
	for _, tt := range tests {
		list, err := items(t, &server{versions: []string{version("1", "one", ir, 1), version("2", "two", tt.spec, 2)}}, "")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, it := range list {
			if it.Refused != nil {
				got = it.Refused.Reason
			}
		}
		// The newest one that can be imported comes last, in a later second.
		if newest := list[len(list)-1]; newest.Refused != nil || newest.Phase != 2 || (newest.Origin.ID == "2") != (tt.reason == "") {
			t.Errorf("%s: the latest is %s in phase %d", tt.spec, newest.Origin.ID, newest.Phase)
		}
		if len(list) != 3 || got != tt.reason {
			t.Errorf("%s: %d items, refused as %q, want %q", tt.spec, len(list), got, tt.reason)
		}
	}
}

// TestWhatTheServerCannotRead: a pipeline of which the server has an error alone, and a
// version without a time, are refused: neither its name nor its place is known.
func TestWhatTheServerCannotRead(t *testing.T) {
	for _, tt := range []struct{ pipelines, version, want string }{
		{`{"pipelines":[{"pipeline_id":"1","error":{"code":13,"message":"no row"}}]}`, version("v", "v", ir, 1), "server-error server-error"},
		{`{"pipelines":[{"pipeline_id":"1","name":"p"}]}`, strings.Replace(version("v", "v", ir, 1), "2026-01-01T", "2026-13-45T", 1), " unreadable"},
	} {
		list, err := items(t, &server{fault: tt.pipelines, versions: []string{tt.version}}, "")
		var got []string
		for _, it := range list {
			reason := ""
			if it.Refused != nil {
				reason = it.Refused.Reason
			}
			got = append(got, reason)
		}
		if strings.Join(got, " ") != tt.want || err != nil {
			t.Errorf("%s: %q, %v", tt.pipelines, got, err)
		}
	}
}

// TestNamesAndOrder: the newest version comes last, in a phase of its own,
// and keeps what the old object said.
func TestNamesAndOrder(t *testing.T) {
	list, err := items(t, &server{versions: []string{version("2", "V 2", ir, 9), version("1", "p", ir, 5)}}, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range list {
		got = append(got, fmt.Sprintf("%d %s", it.Phase, objects.RefOf(it.Want)))
	}
	want := "0 Pipeline kubeflow/p, 1 PipelineVersion kubeflow/p, 2 PipelineVersion kubeflow/p-v-2"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got %s", s)
	}
	newest := list[2].Want
	if objects.Text(newest, "spec", "displayName") != "V 2" || objects.Text(newest, "spec", "versionName") != "v-2" ||
		objects.Text(newest, "metadata", "annotations", originalID) != "2" {
		t.Errorf("got %v", newest)
	}
	var spec any
	if err := json.Unmarshal([]byte(ir), &spec); err != nil {
		t.Fatal(err)
	}
	if objects.Digest(spec) != objects.Digest(objects.At(newest, "spec", "pipelineSpec")) {
		t.Error("the spec changed on its way")
	}
}

func TestDeadServer(t *testing.T) {
	r, err := Dial("http://127.0.0.1:1", "", "", nil, func(context.Context, time.Duration) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	err = (&Kind{Store: r}).Items(context.Background(), func(*objects.Item) error { return errors.New("an item of a dead server") })
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("got %v", err)
	}
}

func TestAuditLatest(t *testing.T) {
	k := &Kind{latest: map[string]string{"p": "v2"}}
	stored := func(id string, second int64) objects.Stored {
		return objects.Stored{Ref: objects.Ref{Kind: "PipelineVersion", Name: id}, Owner: "p", Origin: id, Created: second}
	}
	if f := k.Audit([]objects.Stored{stored("v1", 5), stored("v2", 6)}); len(f) != 0 {
		t.Errorf("got %v", f)
	}
	if f := k.Audit([]objects.Stored{stored("v1", 6), stored("v2", 6)}); len(f) != 1 || !strings.Contains(f[0].Message, "v1 or v2") {
		t.Errorf("got %v", f)
	}
}
