//go:build e2e

package campaign

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// A cluster is a real API server with its etcd, the real controllers of Jobs and
// CronJobs, and a kubelet of processes: what a cluster is for a campaign, but for
// images, scheduling, isolation and Kueue.
type cluster struct {
	t      *testing.T
	url    string
	client *http.Client
	node   *kubelet
}

// newCluster starts a cluster, whose pods run the program at path for whatever
// image they name. It ends with the test.
func newCluster(t *testing.T, program string) *cluster {
	t.Helper()
	bin, _ := filepath.Abs("../../.cache/e2e/kas")
	for _, name := range []string{"kube-apiserver", "kube-controller-manager"} {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			t.Fatalf("%v: .ci/e2e/kube-apiserver.sh install", err)
		}
	}
	dir := t.TempDir()
	if out, err := exec.Command("openssl", "genrsa", "-out", filepath.Join(dir, "sa.key"), "2048").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	ports := make([]int, 3)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
	}
	etcd, peer := fmt.Sprintf("http://127.0.0.1:%d", ports[0]), fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	c := &cluster{t: t, url: fmt.Sprintf("https://127.0.0.1:%d", ports[2]),
		client: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, MaxIdleConnsPerHost: 16}}}
	config := `{"apiVersion":"v1","kind":"Config","current-context":"e","clusters":[{"name":"e","cluster":{"server":"` + c.url + `","insecure-skip-tls-verify":true}}],` +
		`"users":[{"name":"admin","user":{"token":"tok"}}],"contexts":[{"name":"e","context":{"cluster":"e","user":"admin"}}]}`
	for name, text := range map[string]string{"tokens.csv": "tok,admin,1,system:masters\n", "kubeconfig": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.server(dir, "etcd", "--data-dir", "etcd", "--listen-client-urls", etcd, "--advertise-client-urls", etcd, "--listen-peer-urls", peer,
		"--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	c.server(dir, filepath.Join(bin, "kube-apiserver"), "--etcd-servers="+etcd, "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", ports[2]),
		"--cert-dir=certs", "--token-auth-file=tokens.csv", "--authorization-mode=AlwaysAllow", "--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file=sa.key", "--service-account-key-file=sa.key", "--service-cluster-ip-range=10.0.0.0/24", "--disable-admission-plugins=ServiceAccount")
	c.until("the API server is ready", 4*time.Minute, func() bool {
		status, body := c.do("GET", "/readyz", nil)
		return status == 200 && string(body) == "ok"
	})
	c.server(dir, filepath.Join(bin, "kube-controller-manager"), "--kubeconfig=kubeconfig", "--leader-elect=false", "--secure-port=0",
		"--controllers=job-controller,cronjob-controller,ttl-after-finished-controller,garbage-collector-controller")
	c.node = &kubelet{c: c, program: program, dir: t.TempDir(), pods: map[string]*running{}}
	c.must("POST", "/api/v1/nodes", map[string]any{"metadata": map[string]any{"name": nodeName}})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); c.node.run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return c
}

// server runs a server until the test ends.
func (c *cluster) server(dir, name string, args ...string) {
	c.t.Helper()
	log, err := os.Create(filepath.Join(dir, filepath.Base(name)+".log"))
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = log.Close()
		if data, err := os.ReadFile(log.Name()); err == nil && c.t.Failed() {
			c.t.Logf("%s: ...%s", name, data[max(0, len(data)-2000):])
		}
	})
}

// do sends a request; a body that is no []byte is sent as JSON.
func (c *cluster) do(method, path string, in any) (int, []byte) {
	body, ok := in.([]byte)
	if !ok && in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			panic(err)
		}
	}
	req, err := http.NewRequest(method, c.url+path, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer tok")
	req.Header.Set("Content-Type", map[bool]string{true: "application/merge-patch+json", false: "application/json"}[method == http.MethodPatch])
	res, err := c.client.Do(req)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	return res.StatusCode, data
}

func (c *cluster) must(method, path string, in any) []byte {
	c.t.Helper()
	status, data := c.do(method, path, in)
	if status < 200 || status > 299 {
		c.t.Fatalf("%s %s: %d %s", method, path, status, data)
	}
	return data
}

// until waits for a condition.
func (c *cluster) until(what string, most time.Duration, done func() bool) {
	c.t.Helper()
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if done() {
			return
		}
	}
	c.t.Fatalf("it did not come to be: %s", what)
}

// apply makes the objects of manifests, all of batch/v1, and returns their names
// by kind.
func (c *cluster) apply(manifests string) map[string][]string {
	c.t.Helper()
	names := map[string][]string{}
	for _, text := range strings.Split(manifests, "\n---\n") {
		data, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			c.t.Fatal(err)
		}
		var o struct {
			meta.TypeMeta
			Metadata meta.ObjectMeta `json:"metadata"`
		}
		if err := json.Unmarshal(data, &o); err != nil {
			c.t.Fatal(err)
		}
		// Fields that the server does not know are an error.
		c.must("POST", "/apis/batch/v1/namespaces/default/"+strings.ToLower(o.Kind)+"s?fieldValidation=Strict", data)
		names[o.Kind] = append(names[o.Kind], o.Metadata.Name)
	}
	return names
}

// secret makes a secret with a token, or changes it.
func (c *cluster) secret(name, token string) {
	c.t.Helper()
	at, body := "/api/v1/namespaces/default/secrets", map[string]any{"metadata": map[string]any{"name": name}, "stringData": map[string]string{"token": token}}
	if status, _ := c.do("GET", at+"/"+name, nil); status == 200 {
		c.must("PATCH", at+"/"+name, body)
		return
	}
	c.must("POST", at, body)
}

const jobsPath = "/apis/batch/v1/namespaces/default/jobs"

func (c *cluster) job(name string) batch.Job {
	c.t.Helper()
	var j batch.Job
	if err := json.Unmarshal(c.must("GET", jobsPath+"/"+name, nil), &j); err != nil {
		c.t.Fatal(err)
	}
	return j
}

// ended waits until a Job is complete, or has failed, and says which.
func (c *cluster) ended(name string) (batch.Job, batch.JobConditionType) {
	c.t.Helper()
	var j batch.Job
	var how batch.JobConditionType
	c.until(name+" ends", 5*time.Minute, func() bool {
		j = c.job(name)
		for _, cond := range j.Status.Conditions {
			if (cond.Type == batch.JobComplete || cond.Type == batch.JobFailed) && cond.Status == core.ConditionTrue {
				how = cond.Type
			}
		}
		return how != ""
	})
	return j, how
}

// remove removes a Job and its pods.
func (c *cluster) remove(name string) {
	c.t.Helper()
	c.must("DELETE", jobsPath+"/"+name+"?propagationPolicy=Foreground", nil)
	c.until(name+" is gone", time.Minute, func() bool { status, _ := c.do("GET", jobsPath+"/"+name, nil); return status == 404 })
}

// start makes a Job of a CronJob now, as kubectl create job --from does, and
// waits for its end.
func (c *cluster) start(cron, name string) batch.JobConditionType {
	c.t.Helper()
	var j batch.CronJob
	if err := json.Unmarshal(c.must("GET", "/apis/batch/v1/namespaces/default/cronjobs/"+cron, nil), &j); err != nil {
		c.t.Fatal(err)
	}
	c.must("POST", jobsPath, batch.Job{ObjectMeta: meta.ObjectMeta{Name: name}, Spec: j.Spec.JobTemplate.Spec})
	_, how := c.ended(name)
	return how
}

// nodeName is the one node.
const nodeName = "this-machine"

// A kubelet takes the pods that no one has, resolves their environment and their
// volumes, runs the command of the one container of each as a group of processes,
// and reports phase, exit code and what it said last. A volume is a folder: where
// the pod's environment names its mount path, it is given the folder. Secrets are
// written again when they change.
type kubelet struct {
	c       *cluster
	program string
	dir     string

	mu    sync.Mutex
	pods  map[string]*running // by UID
	most  int                 // at a time
	said  []string            // of each container that ended: pod's index, attempt, exit code, last line
	began func(p core.Pod)    // called for each container; may be nil
}

// A running is a container that was started.
type running struct {
	pod    core.Pod
	cmd    *exec.Cmd
	folder map[string]string // of volumes, by mount path
	output bytes.Buffer
	ended  atomic.Bool
}

const podsPath = "/api/v1/namespaces/default/pods"

// run is the kubelet's loop.
func (k *kubelet) run(ctx context.Context) {
	for ctx.Err() == nil {
		var list core.PodList
		if status, data := k.c.do("GET", podsPath, nil); status == 200 && json.Unmarshal(data, &list) == nil {
			for _, p := range list.Items {
				k.see(p)
			}
			k.gone(list.Items)
		}
		time.Sleep(150 * time.Millisecond)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range k.pods {
		r.signal(syscall.SIGKILL)
	}
}

// see does what is to be done for one pod.
func (k *kubelet) see(p core.Pod) {
	k.mu.Lock()
	r := k.pods[string(p.UID)]
	k.mu.Unlock()
	switch {
	case r == nil && p.DeletionTimestamp == nil && p.Status.Phase == core.PodPending:
		k.begin(p)
	case r != nil && p.DeletionTimestamp != nil && !r.over():
		r.signal(syscall.SIGTERM)
	case p.DeletionTimestamp != nil && (r == nil || r.over()):
		k.c.do("DELETE", podsPath+"/"+p.Name+"?gracePeriodSeconds=0", nil)
	case r != nil:
		k.mount(r) // secrets may have changed
	}
}

// gone forgets containers whose pods are no longer there.
func (k *kubelet) gone(list []core.Pod) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for uid, r := range k.pods {
		if !slices.ContainsFunc(list, func(p core.Pod) bool { return string(p.UID) == uid }) {
			r.signal(syscall.SIGKILL)
			delete(k.pods, uid)
		}
	}
}

// begin binds a pod and starts its container.
func (k *kubelet) begin(p core.Pod) {
	k.c.do("POST", podsPath+"/"+p.Name+"/binding", map[string]any{"apiVersion": "v1", "kind": "Binding", "metadata": map[string]any{"name": p.Name}, "target": map[string]any{"kind": "Node", "name": nodeName}})
	r := &running{pod: p, folder: map[string]string{}}
	if err := k.mount(r); err != nil {
		k.report(p, core.PodPending, core.ContainerState{Waiting: &core.ContainerStateWaiting{Reason: "CreateContainerConfigError", Message: err.Error()}})
		return // tried again
	}
	spec := p.Spec.Containers[0]
	r.cmd = exec.Command(k.program, spec.Args...)
	r.cmd.Env = append(k.environment(r), "PATH="+os.Getenv("PATH"), "TMPDIR="+r.folder["/tmp"])
	r.cmd.Dir = r.folder["/tmp"]
	r.cmd.Stdout, r.cmd.Stderr = &r.output, &r.output
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r.cmd.WaitDelay = 2 * time.Second
	if err := r.cmd.Start(); err != nil {
		k.c.t.Error(err)
		return
	}
	k.mu.Lock()
	k.pods[string(p.UID)] = r
	n := 0
	for _, r := range k.pods {
		if !r.ended.Load() {
			n++
		}
	}
	k.most = max(k.most, n)
	began := k.began
	k.mu.Unlock()
	k.report(p, core.PodRunning, core.ContainerState{Running: &core.ContainerStateRunning{StartedAt: meta.Now()}})
	if began != nil {
		began(p)
	}
	go k.wait(r)
}

// wait reports the end of a container.
func (k *kubelet) wait(r *running) {
	err := r.cmd.Wait()
	code := r.cmd.ProcessState.ExitCode()
	if status, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = 128 + int(status.Signal())
	}
	phase, reason := core.PodSucceeded, "Completed"
	if err != nil {
		phase, reason = core.PodFailed, "Error"
	}
	lines := strings.Split(strings.TrimSpace(r.output.String()), "\n")
	last := lines[len(lines)-1]
	k.mu.Lock()
	r.ended.Store(true)
	k.said = append(k.said, fmt.Sprintf("%s: exit %d: %s", indexOf(r.pod), code, last))
	k.mu.Unlock()
	k.report(r.pod, phase, core.ContainerState{Terminated: &core.ContainerStateTerminated{ExitCode: int32(code), Reason: reason, Message: last, StartedAt: meta.Now(), FinishedAt: meta.Now()}})
}

// indexOf is the index of a pod of an Indexed Job, or the name of what made it.
func indexOf(p core.Pod) string {
	if i, ok := p.Annotations["batch.kubernetes.io/job-completion-index"]; ok {
		return i
	}
	return p.Labels["batch.kubernetes.io/job-name"]
}

func (k *kubelet) report(p core.Pod, phase core.PodPhase, state core.ContainerState) {
	spec := p.Spec.Containers[0]
	status := map[string]any{"status": map[string]any{"phase": phase,
		"containerStatuses": []core.ContainerStatus{{Name: spec.Name, Image: spec.Image, ImageID: spec.Image, State: state, Ready: phase == core.PodRunning, RestartCount: 0}}}}
	for range 5 {
		if code, _ := k.c.do("PATCH", podsPath+"/"+p.Name+"/status", status); code == 200 || code == 404 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// mount makes the folders of a pod's volumes, and writes the secrets in them.
func (k *kubelet) mount(r *running) error {
	for _, m := range r.pod.Spec.Containers[0].VolumeMounts {
		dir := filepath.Join(k.dir, string(r.pod.UID), m.Name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		r.folder[m.MountPath] = dir
		for _, v := range r.pod.Spec.Volumes {
			if v.Name != m.Name || v.Secret == nil {
				continue
			}
			data, err := k.secret(v.Secret.SecretName)
			if err != nil {
				return err
			}
			for key, value := range data {
				if old, err := os.ReadFile(filepath.Join(dir, key)); err == nil && bytes.Equal(old, value) {
					continue
				}
				next := filepath.Join(dir, ".."+key)
				if err := os.WriteFile(next, value, 0o644); err != nil {
					return err
				}
				if err := os.Rename(next, filepath.Join(dir, key)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (k *kubelet) secret(name string) (map[string][]byte, error) {
	var s core.Secret
	status, data := k.c.do("GET", "/api/v1/namespaces/default/secrets/"+name, nil)
	if status != 200 {
		return nil, fmt.Errorf("secret %s: %d", name, status)
	}
	return s.Data, json.Unmarshal(data, &s)
}

// environment is that of a pod's container, with folders for mount paths.
func (k *kubelet) environment(r *running) []string {
	var env []string
	for _, e := range r.pod.Spec.Containers[0].Env {
		value := e.Value
		if e.ValueFrom != nil && e.ValueFrom.FieldRef != nil {
			key := strings.TrimSuffix(strings.TrimPrefix(e.ValueFrom.FieldRef.FieldPath, "metadata.annotations['"), "']")
			if v, ok := r.pod.Labels[strings.TrimSuffix(strings.TrimPrefix(e.ValueFrom.FieldRef.FieldPath, "metadata.labels['"), "']")]; ok {
				value = v
			} else {
				value = r.pod.Annotations[key]
			}
		}
		for path, dir := range r.folder {
			if value == path || strings.HasPrefix(value, path+"/") {
				value = dir + strings.TrimPrefix(value, path)
				break
			}
		}
		env = append(env, e.Name+"="+value)
	}
	return env
}

func (r *running) signal(s syscall.Signal) {
	if r.cmd != nil && r.cmd.Process != nil && !r.ended.Load() {
		_ = syscall.Kill(-r.cmd.Process.Pid, s)
	}
}

func (r *running) over() bool { return r.ended.Load() }

// kill ends the container of an index with a signal.
func (k *kubelet) kill(index int, s syscall.Signal) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range k.pods {
		if indexOf(r.pod) == strconv.Itoa(index) && !r.ended.Load() {
			r.signal(s)
			return true
		}
	}
	return false
}

// told is what containers said at their end, of one index or Job.
func (k *kubelet) told(index string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var list []string
	for _, s := range k.said {
		if text, ok := strings.CutPrefix(s, index+": "); ok {
			list = append(list, text)
		}
	}
	return list
}
