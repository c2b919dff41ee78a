//go:build e2e

package objects_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A kube is a real API server with its etcd, and cfctl next to it.
type kube struct {
	dir, url, config string
	cfctl            string
	client           *http.Client
}

func free(t *testing.T) int {
	t.Helper()
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		port := l.Addr().(*net.TCPAddr).Port
		if _, given := ports.LoadOrStore(port, true); !given {
			return port
		}
	}
}

// ports are those that free has given: no process may listen yet.
var ports sync.Map

// start runs a server until the test ends.
func start(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	log, err := os.Create(filepath.Join(dir, filepath.Base(name)+".log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// buildCfctl builds cfctl into a folder.
func buildCfctl(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "cfctl")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/cfctl").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	return path
}

// newKube starts an API server and builds cfctl.
func newKube(t *testing.T) *kube {
	t.Helper()
	binary, _ := filepath.Abs("../../.cache/e2e/kas/kube-apiserver")
	if _, err := os.Stat(binary); err != nil {
		t.Fatalf("%v: .ci/e2e/kube-apiserver.sh install", err)
	}
	dir := t.TempDir()
	k := &kube{dir: dir, config: filepath.Join(dir, "kubeconfig"), cfctl: buildCfctl(t, dir)}
	if out, err := exec.Command("openssl", "genrsa", "-out", filepath.Join(dir, "sa.key"), "2048").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	write(t, filepath.Join(dir, "tokens.csv"), "tok,admin,1,system:masters\n")
	write(t, filepath.Join(dir, "audit.yaml"), "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n")
	etcd, peer, port := free(t), free(t), free(t)
	etcdURL, peerURL := fmt.Sprintf("http://127.0.0.1:%d", etcd), fmt.Sprintf("http://127.0.0.1:%d", peer)
	start(t, dir, "etcd", "--data-dir", "etcd", "--listen-client-urls", etcdURL, "--advertise-client-urls", etcdURL,
		"--listen-peer-urls", peerURL, "--initial-advertise-peer-urls", peerURL, "--initial-cluster", "default="+peerURL)
	start(t, dir, binary, "--etcd-servers="+etcdURL, "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port), "--cert-dir=certs", "--token-auth-file=tokens.csv", "--authorization-mode=AlwaysAllow",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-signing-key-file=sa.key",
		"--service-account-key-file=sa.key", "--service-cluster-ip-range=10.0.0.0/24", "--disable-admission-plugins=ServiceAccount",
		"--storage-media-type=application/json", "--audit-policy-file=audit.yaml", "--audit-log-path=audit.log")
	k.url = fmt.Sprintf("https://127.0.0.1:%d", port)
	k.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, MaxIdleConnsPerHost: 16}}
	write(t, k.config, `{"apiVersion":"v1","kind":"Config","current-context":"e2e","clusters":[{"name":"e2e","cluster":{"server":"`+k.url+`","insecure-skip-tls-verify":true}}],"users":[{"name":"admin","user":{"token":"tok"}}],"contexts":[{"name":"e2e","context":{"cluster":"e2e","user":"admin"}}]}`)
	for range 2400 { // a busy machine may take minutes
		if status, body := k.do("GET", "/readyz", ""); status == 200 && body == "ok" {
			return k
		}
		time.Sleep(500 * time.Millisecond)
	}
	t.Fatal("the API server is not ready")
	return nil
}

func (k *kube) do(method, path, body string) (int, string) {
	kind := "application/json"
	if method == http.MethodPatch {
		kind = "application/merge-patch+json"
	}
	return k.send(method, path, kind, body)
}

// send is do with a content type.
func (k *kube) send(method, path, kind, body string) (int, string) {
	req, _ := http.NewRequestWithContext(context.Background(), method, k.url+path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer tok")
	req.Header.Set("Content-Type", kind)
	res, err := k.client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(data)
}

func (k *kube) must(t *testing.T, method, path, body string) string {
	t.Helper()
	status, answer := k.do(method, path, body)
	if status < 200 || status > 299 {
		t.Errorf("%s %s: %d %s", method, path, status, answer)
	}
	return answer
}

func (k *kube) namespace(t *testing.T, name string) {
	k.must(t, "POST", "/api/v1/namespaces", `{"metadata":{"name":"`+name+`"}}`)
}

// crd installs a definition that takes anything, and waits until it is served.
func (k *kube) crd(t *testing.T, group, version, kind, plural string) {
	t.Helper()
	k.must(t, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", fmt.Sprintf(`{"metadata":{"name":"%s.%s"},"spec":{"group":%q,"scope":"Namespaced",
		"names":{"plural":%q,"singular":%q,"kind":%q},"versions":[{"name":%q,"served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`,
		plural, group, group, plural, strings.ToLower(kind), kind, version))
	for range 100 {
		if status, _ := k.do("GET", "/apis/"+group+"/"+version+"/"+plural, ""); status == 200 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s is not served", plural)
}

// run runs cfctl and returns what it printed and its exit code.
func (k *kube) run(t *testing.T, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(k.cfctl, append([]string{"import"}, args...)...)
	cmd.Dir = k.dir
	cmd.Env = append(os.Environ(), "KUBECONFIG="+k.config)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	if cmd.ProcessState.ExitCode() > 1 {
		t.Errorf("cfctl %v: %s", args, errs.String())
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// last asserts the last line and the exit code.
func (k *kube) last(t *testing.T, want string, code int, args ...string) string {
	t.Helper()
	out, got := k.run(t, args...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if lines[len(lines)-1] != want || got != code {
		t.Errorf("cfctl %v: %q (exit %d), want %q (exit %d)", args, lines[len(lines)-1], got, want, code)
	}
	return out
}

// each does something n times, several at once.
func each(n int, do func(int)) {
	slots := make(chan struct{}, 16)
	var group sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		group.Go(func() { do(i); <-slots })
	}
	group.Wait()
}

// TestResources moves 1,000 AppWrappers, killed at every place of a batch of
// writes, before the server sees the write and after it has answered.
func TestResources(t *testing.T) {
	const n = 1000
	k := newKube(t)
	k.crd(t, "mcad.ibm.com", "v1beta1", "AppWrapper", "appwrappers")
	k.namespace(t, "aw")
	each(n, func(i int) {
		k.must(t, "POST", "/apis/mcad.ibm.com/v1beta1/namespaces/aw/appwrappers", fmt.Sprintf(`{"apiVersion":"mcad.ibm.com/v1beta1","kind":"AppWrapper","metadata":{"name":"aw-%d"},"spec":{"priority":%d}}`, i, i))
	})
	// Without its CRD the new kind is refused, object by object.
	out, code := k.run(t, "resources", "plan", "--from", "cluster")
	if code != 1 || strings.Count(out, "[crd-missing]") != n {
		t.Errorf("without a CRD: exit %d, %d refused", code, strings.Count(out, "[crd-missing]"))
	}
	k.crd(t, "workload.codeflare.dev", "v1beta1", "AppWrapper", "appwrappers")
	k.must(t, "POST", "/apis/workload.codeflare.dev/v1beta1/namespaces/aw/appwrappers", `{"apiVersion":"workload.codeflare.dev/v1beta1","kind":"AppWrapper","metadata":{"name":"native"}}`)
	before := k.inventory(t)
	kills := k.killed(t, n/2, "resources", "apply", "--from", "cluster")
	k.run(t, "resources", "rollback")
	if after := k.inventory(t); !maps.Equal(before, after) {
		t.Errorf("a rollback of a part left %d objects, there were %d", len(after), len(before))
	}
	kills += k.killed(t, n, "resources", "apply", "--from", "cluster")
	t.Logf("killed %d times", kills)
	if _, code := k.run(t, "resources", "apply", "--from", "cluster"); code != 0 {
		t.Errorf("apply: exit %d", code)
	}
	for _, verb := range []string{"apply", "verify"} {
		k.last(t, "1000 same", 0, "resources", verb, "--from", "cluster")
	}
	k.last(t, "1000 in-sync", 0, "resources", "drift", "--from", "cluster")
	k.must(t, "PATCH", "/apis/workload.codeflare.dev/v1beta1/namespaces/aw/appwrappers/aw-7", `{"spec":{"priority":-1}}`)
	k.last(t, "1 refused, 999 deleted", 1, "resources", "rollback")
	if left := k.inventory(t); len(left) != 2 || left["aw-7"] == "" || left["native"] != before["native"] {
		t.Errorf("there are %v, want the native one and the one that was changed", left)
	}
}

// inventory is every AppWrapper of the new group with its UID and version.
func (k *kube) inventory(t *testing.T) map[string]string {
	t.Helper()
	var list struct {
		Items []struct {
			Metadata struct{ Name, UID, ResourceVersion string }
		}
	}
	json.Unmarshal([]byte(k.must(t, "GET", "/apis/workload.codeflare.dev/v1beta1/appwrappers", "")), &list)
	all := map[string]string{}
	for _, o := range list.Items {
		all[o.Metadata.Name] = o.Metadata.UID + " " + o.Metadata.ResourceVersion
	}
	if len(all) != len(list.Items) {
		t.Errorf("%d objects have %d names", len(list.Items), len(all))
	}
	return all
}

// killed runs cfctl again and again until it has made n objects in all, and
// sends it SIGKILL at the 1st, 2nd, ... 17th write of a run, in turn before the
// server gets the write and after the server has done it.
func (k *kube) killed(t *testing.T, n int, args ...string) (kills int) {
	t.Helper()
	target, _ := url.Parse(k.url)
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.Transport = k.client.Transport
	forward.ErrorLog = log.New(io.Discard, "", 0)
	var mu sync.Mutex
	var run *exec.Cmd
	writes, at, made := 0, 0, 0
	proxy := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			forward.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		writes++
		dies, after := writes == at, kills%2 == 1
		mu.Unlock()
		if dies && !after {
			run.Process.Kill()
			return
		}
		answer := httptest.NewRecorder()
		forward.ServeHTTP(answer, r)
		mu.Lock()
		if answer.Code == http.StatusCreated {
			made++
		}
		mu.Unlock()
		if dies {
			run.Process.Kill()
			return
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes())
	}))
	proxy.Config.ErrorLog = forward.ErrorLog
	proxy.StartTLS()
	defer proxy.Close()
	config, err := os.ReadFile(k.config)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(k.dir, "proxy-kubeconfig"), strings.Replace(string(config), k.url, proxy.URL, 1))
	for made < n && kills < n {
		mu.Lock()
		writes, at = 0, 1+kills%17
		mu.Unlock()
		run = exec.Command(k.cfctl, append([]string{"import"}, args...)...)
		run.Dir, run.Env = k.dir, append(os.Environ(), "KUBECONFIG="+filepath.Join(k.dir, "proxy-kubeconfig"))
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		if err := run.Wait(); err == nil {
			break // nothing was left to do
		}
		kills++
	}
	return kills
}

const deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"job-%[1]d","labels":{
	"toolforge":"tool","app.kubernetes.io/managed-by":"toolforge-jobs-framework","app.kubernetes.io/created-by":"x",
	"app.kubernetes.io/component":"deployments","app.kubernetes.io/version":"2","jobs.toolforge.org/emails":"none"}},
	"spec":{"replicas":1,"selector":{"matchLabels":{"job":"job-%[1]d"}},"template":{"metadata":{"labels":{"job":"job-%[1]d"}},"spec":{
	"containers":[{"name":"job","image":"registry.example.org/toolforge-python311-sssd-base:latest","command":["/bin/sh","-c","--","sleep %[1]d"]}]}}}}`

// TestJobs: status writes raise no alarm, and every edit is found.
func TestJobs(t *testing.T) {
	const n = 1000
	k := newKube(t)
	k.crd(t, "jobs-api.toolforge.org", "v1", "ContinuousJob", "continuous-jobs")
	k.crd(t, "jobs-api.toolforge.org", "v1", "ScheduledJob", "scheduled-jobs")
	k.namespace(t, "tool-x")
	const path = "/apis/apps/v1/namespaces/tool-x/deployments"
	each(n, func(i int) { k.must(t, "POST", path, fmt.Sprintf(deployment, i)) })
	k.last(t, "1000 created", 0, "jobs", "apply", "--from", "cluster")
	k.last(t, "1000 same", 0, "jobs", "verify", "--from", "cluster")
	each(10*n, func(i int) {
		k.must(t, "PATCH", fmt.Sprintf("%s/job-%d/status", path, i%n), fmt.Sprintf(`{"status":{"observedGeneration":%d}}`, 1+i/n))
	})
	k.last(t, "1000 status-only", 0, "jobs", "drift", "--from", "cluster")
	edits := []struct{ patch, field string }{
		{`{"metadata":{"labels":{"jobs.toolforge.org/emails":"all"}}}`, `source metadata.labels."jobs.toolforge.org/emails"`},
		{`{"metadata":{"labels":{"mine":"yes"}}}`, "source metadata.labels.mine"},
		{`{"spec":{"replicas":3}}`, "source spec.replicas"},
		{`{"metadata":{"annotations":{"mine":"yes"}}}`, "source metadata.annotations"},
		{`{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":7}}}}`, "source spec.template.spec.terminationGracePeriodSeconds"},
	}
	each(n, func(i int) { k.must(t, "PATCH", fmt.Sprintf("%s/job-%d", path, i), edits[i%len(edits)].patch) })
	out := k.last(t, "1000 drifted", 1, "jobs", "drift", "--from", "cluster")
	for _, e := range edits {
		if got := strings.Count(out, ": "+e.field); got != n/len(edits) {
			t.Errorf("%s was found %d times", e.field, got)
		}
	}
	k.audited(t, "jobs-api.toolforge.org")
}

// audited holds that nothing but reading and creating was done to a group.
func (k *kube) audited(t *testing.T, group string) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(k.dir, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for line := range strings.Lines(string(log)) {
		var e struct {
			Verb, UserAgent string
			ObjectRef       struct{ APIGroup string }
		}
		if json.Unmarshal([]byte(line), &e) == nil && e.ObjectRef.APIGroup == group && strings.HasPrefix(e.UserAgent, "cfctl/") {
			seen[e.Verb]++
		}
	}
	for verb := range seen {
		if verb != "get" && verb != "list" && verb != "watch" && verb != "create" {
			t.Errorf("%s: %d times", verb, seen[verb])
		}
	}
	if seen["create"] == 0 {
		t.Error("the audit log shows no creation")
	}
}
