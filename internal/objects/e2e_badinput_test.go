//go:build e2e

package objects_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/testing/kfptest"
)

// badRows: an unreadable row among 10,000, and a spec that the column cut off,
// are refused with their place; the rest is planned.
func badRows(t *testing.T, k *kube, d *database) {
	const n = 10_000
	ir, err := os.ReadFile("testdata/ir/plain.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var sql strings.Builder
	sql.WriteString("DROP TABLE pipeline_versions, pipeline_tags, pipelines;\n")
	schema, err := os.ReadFile("testdata/kfp.sql")
	if err != nil {
		t.Fatal(err)
	}
	_, tables, _ := strings.Cut(string(schema), "USE mlpipeline;")
	sql.WriteString(tables)
	sql.WriteString("INSERT INTO pipelines VALUES ('p', 1, 'p', 'P', '', '');\nSET @ir = x'" + fmt.Sprintf("%x", ir) + "';\n")
	for i := range n {
		fmt.Fprintf(&sql, "INSERT INTO pipeline_versions VALUES ('v%d', %d, 'v%d', '', 'p', NULL, NULL, @ir, '');\n", i, i, i)
	}
	sql.WriteString("UPDATE pipeline_versions SET PipelineSpec = '{[: no pipeline' WHERE UUID = 'v4711';\n")
	// An older column takes 65,535 bytes: the server's mode decides whether more is an error or cut off.
	long := strings.Replace(string(ir), "date", strings.Repeat("date;", 20_000), 1)
	sql.WriteString("UPDATE pipeline_versions SET PipelineSpec = LEFT(x'" + fmt.Sprintf("%x", long) + "', 65535) WHERE UUID = 'v9000';\n")
	d.sql(t, sql.String())
	out := k.last(t, fmt.Sprintf("%d to create, 2 refused", n-1), 1, "pipelines", "plan", "--from", d.url, "--to", "bad-rows", "--shared-namespace", "kubeflow", "--ledger", "bad.jsonl")
	for _, want := range []string{"/mlpipeline/pipeline_versions/v4711: error: version p v4711: refused: ", "/mlpipeline/pipeline_versions/v9000: error: ", "cut off"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said", want)
		}
	}
}

// faults of a server of pipelines: each ends in exit 2 with the address, and
// no token in it.
func faults(t *testing.T, k *kube) {
	var many []kfptest.Pipeline
	for i := range 450 {
		many = append(many, kfptest.Pipeline{ID: fmt.Sprint("p", i), Name: fmt.Sprint("p", i)})
	}
	for name, tt := range map[string]struct {
		faults kfptest.Faults
		want   string
	}{
		"401":            {kfptest.Faults{Token: "other"}, "401 Unauthorized"},
		"repeated token": {kfptest.Faults{RepeatToken: true}, "repeats the page token"},
		"truncated JSON": {kfptest.Faults{Truncate: true}, "is not JSON"},
	} {
		url := (&kfptest.Server{Pipelines: many, Faults: tt.faults}).Start(t)
		said := k.fail(t, []string{"CFCTL_IMPORT_TOKEN=hush"}, "pipelines", "apply", "--from", url, "--to", "faults", "--shared-namespace", "kubeflow", "--ledger", name+".jsonl")
		if !strings.Contains(said, tt.want) || !strings.Contains(said, url) || strings.Contains(said, "hush") {
			t.Errorf("%s: %s", name, said)
		}
	}
	// The API server itself.
	for text, want := range map[string]string{`"token":"tok"`: "401 Unauthorized", k.url: "refuses the connection"} {
		config, err := os.ReadFile(k.config)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(config), text, map[string]string{k.url: "https://127.0.0.1:1"}[text], 1)
		if want == "401 Unauthorized" {
			changed = strings.Replace(string(config), text, `"token":"wrong"`, 1)
		}
		write(t, filepath.Join(k.dir, "bad-kubeconfig"), changed)
		said := k.fail(t, nil, "resources", "plan", "--from", "cluster", "--kubeconfig", "bad-kubeconfig", "--ledger", "k.jsonl")
		if !strings.Contains(said, want) || !strings.Contains(said, "https://127.0.0.1:") {
			t.Errorf("%s", said)
		}
	}
	// The six files that no server takes, one by one.
	dir := filepath.Join(os.Getenv("CFCTL_IR_DIR"), "../invalid")
	files, err := os.ReadDir(dir)
	if os.Getenv("CFCTL_IR_DIR") == "" || err != nil {
		t.Log("without the invalid files beside CFCTL_IR_DIR")
		return
	}
	for _, f := range files {
		out, code := k.run(t, "pipelines", "plan", "--from", filepath.Join(dir, f.Name()), "--to", "invalid", "--shared-namespace", "kubeflow", "--ledger", "i.jsonl")
		if code != 1 || !strings.Contains(out, ": refused: ") || !strings.Contains(out, f.Name()) {
			t.Errorf("%s: exit %d: %s", f.Name(), code, out)
		}
		t.Log(strings.Split(out, "\n")[1])
	}
}

// webhook is an admission webhook that refuses what is called "denied".
func webhook(w http.ResponseWriter, r *http.Request) {
	var review struct {
		Request struct{ UID, Name string }
	}
	body, _ := io.ReadAll(r.Body)
	json.Unmarshal(body, &review)
	fmt.Fprintf(w, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":%q,"allowed":%t,"status":{"message":"not on my watch"}}}`,
		review.Request.UID, review.Request.Name != "hooked")
}

// refusals of the API server: a policy and a webhook refuse one object each,
// and the rest is created.
func refusals(t *testing.T, k *kube) {
	const policies = "/apis/admissionregistration.k8s.io/v1/"
	server := httptest.NewTLSServer(http.HandlerFunc(webhook))
	t.Cleanup(server.Close)
	ca := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	rule := `[{"apiGroups":["pipelines.kubeflow.org"],"apiVersions":["*"],"operations":["CREATE"],"resources":["*"]}]`
	k.must(t, "POST", policies+"validatingwebhookconfigurations", `{"metadata":{"name":"hook"},"webhooks":[{"name":"hook.example.org","admissionReviewVersions":["v1"],"sideEffects":"None","rules":`+rule+`,"clientConfig":{"url":"`+server.URL+`","caBundle":"`+ca+`"}}]}`)
	k.must(t, "POST", policies+"validatingadmissionpolicies", `{"metadata":{"name":"policy"},"spec":{"matchConstraints":{"resourceRules":`+rule+`},"validations":[{"expression":"object.metadata.name != 'ruled'","message":"not by my rules"}]}}`)
	k.must(t, "POST", policies+"validatingadmissionpolicybindings", `{"metadata":{"name":"policy"},"spec":{"policyName":"policy","validationActions":["Deny"]}}`)
	t.Cleanup(func() {
		k.must(t, "DELETE", policies+"validatingwebhookconfigurations/hook", "")
		k.must(t, "DELETE", policies+"validatingadmissionpolicybindings/policy", "")
	})
	dry := `{"apiVersion":"pipelines.kubeflow.org/v2beta1","kind":"Pipeline","metadata":{"name":"ruled"},"spec":{}}`
	for range 100 { // the policy is in force a little later
		if status, _ := k.do("POST", "/apis/pipelines.kubeflow.org/v2beta1/namespaces/kubeflow/pipelines?dryRun=All", dry); status == 422 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	s := &kfptest.Server{Pipelines: []kfptest.Pipeline{{ID: "1", Name: "good"}, {ID: "2", Name: "hooked"}, {ID: "3", Name: "ruled"}, {ID: "4", Name: "well"}}}
	out := k.last(t, "2 created, 2 failed", 1, "pipelines", "apply", "--from", s.Start(t), "--shared-namespace", "kubeflow", "--ledger", "refusals.jsonl")
	for _, want := range []string{
		"/pipelines/2: error: pipeline hooked: Pipeline kubeflow/hooked was not created: admission webhook \"hook.example.org\" denied the request: not on my watch [webhook-refused]",
		"not by my rules [policy-refused]",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said in\n%s", want, out)
		}
	}
	k.last(t, "2 deleted, 2 gone", 0, "pipelines", "rollback", "--ledger", "refusals.jsonl")
}
