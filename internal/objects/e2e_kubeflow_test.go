//go:build e2e

package objects_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// An ir is a compiled pipeline.
type ir struct {
	name     string
	text     []byte
	spec     any // its documents, by a reader that is not cfctl's
	platform any
}

// irFiles are the compiled pipelines of CFCTL_IR_DIR, and three of our own.
func irFiles(t *testing.T) []ir {
	t.Helper()
	var files []ir
	for _, dir := range []string{"testdata/ir", os.Getenv("CFCTL_IR_DIR")} {
		if dir == "" {
			continue
		}
		err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(p) != ".yaml" {
				return err
			}
			text, err := os.ReadFile(p)
			files = append(files, readIR(t, strings.TrimSuffix(filepath.Base(p), ".yaml"), text))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func readIR(t *testing.T, name string, text []byte) ir {
	t.Helper()
	f := ir{name: name, text: text}
	docs := strings.Split(string(text), "\n---\n")
	unmarshal(t, docs[0], &f.spec)
	if len(docs) > 1 {
		unmarshal(t, docs[1], &f.platform)
	}
	return f
}

// unmarshal reads YAML as the server of Kubeflow does, into what its JSON
// would be.
func unmarshal(t *testing.T, text string, into *any) {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// kubeflowCRDs installs the definitions: the published ones of CFCTL_MIRRORS,
// else ours.
func (k *kube) kubeflowCRDs(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile("testdata/kubeflow-crds.yaml")
	if err != nil {
		t.Fatal(err)
	}
	docs := strings.Split(string(text), "\n---\n")
	if mirrors := os.Getenv("CFCTL_MIRRORS"); mirrors != "" {
		docs = nil
		for _, f := range []string{"crds/pipelines.kubeflow.org_pipelines.yaml", "crds/pipelines.kubeflow.org_pipelineversions.yaml", "pipeline/cluster-scoped/scheduled-workflow-crd.yaml"} {
			out, err := exec.Command("git", "-C", filepath.Join(mirrors, "kubeflow+pipelines/repo"), "show", "HEAD:manifests/kustomize/base/"+f).Output()
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, string(out))
		}
	}
	for _, doc := range docs {
		var crd any
		unmarshal(t, doc, &crd)
		data, _ := json.Marshal(crd)
		k.must(t, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", string(data))
	}
	for range 100 {
		one, _ := k.do("GET", "/apis/pipelines.kubeflow.org/v2beta1/pipelineversions", "")
		two, _ := k.do("GET", "/apis/pipelines.kubeflow.org/v2beta1/pipelines", "")
		three, _ := k.do("GET", "/apis/kubeflow.org/v1beta1/scheduledworkflows", "")
		if one == 200 && two == 200 && three == 200 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the kinds of Kubeflow are not served")
}

// A stored object of Kubeflow, as the API server has it.
type stored struct {
	Metadata struct {
		Name, Namespace, UID string
		CreationTimestamp    time.Time
		Annotations          map[string]string
		OwnerReferences      []struct{ UID string }
	}
	Spec struct {
		PipelineName, DisplayName, Description string
		Tags                                   map[string]string
		PipelineSpec, PlatformSpec             any
	}
}

func (s stored) id() string { return s.Metadata.Annotations["pipelines.kubeflow.org/original-id"] }

func (k *kube) stored(t *testing.T, plural string) []stored {
	t.Helper()
	var list struct{ Items []stored }
	if err := json.Unmarshal([]byte(k.must(t, http.MethodGet, "/apis/pipelines.kubeflow.org/v2beta1/"+plural, "")), &list); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// roundTrip holds that every stored spec is what its old id says, and that the
// version with the latest second of every pipeline is the one that was.
func (k *kube) roundTrip(t *testing.T, specs map[string]ir, latest map[string]string) {
	t.Helper()
	tops := map[string][]stored{} // by the pipeline's old id
	pipelines := map[string]string{}
	for _, p := range k.stored(t, "pipelines") {
		pipelines[p.Metadata.UID] = p.id()
	}
	seen := 0
	for _, v := range k.stored(t, "pipelineversions") {
		want, known := specs[v.id()]
		if !known {
			t.Errorf("%s has the old id %s", v.Metadata.Name, v.id())
			continue
		}
		seen++
		if !reflect.DeepEqual(v.Spec.PipelineSpec, want.spec) || !reflect.DeepEqual(v.Spec.PlatformSpec, want.platform) {
			t.Errorf("%s (%s) changed on its way", v.Metadata.Name, want.name)
		}
		owner := pipelines[v.Metadata.OwnerReferences[0].UID]
		if top := tops[owner]; len(top) == 0 || v.Metadata.CreationTimestamp.After(top[0].Metadata.CreationTimestamp) {
			tops[owner] = []stored{v}
		} else if v.Metadata.CreationTimestamp.Equal(top[0].Metadata.CreationTimestamp) {
			tops[owner] = append(top, v)
		}
	}
	if seen != len(specs) {
		t.Errorf("%d of %d versions are there", seen, len(specs))
	}
	for pipeline, want := range latest {
		if top := tops[pipeline]; len(top) != 1 || top[0].id() != want {
			t.Errorf("the latest version of %s is %v, want %s", pipeline, top, want)
		}
	}
}

// fail runs cfctl where it must exit 2, and returns what it said.
func (k *kube) fail(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(k.cfctl, append([]string{"import"}, args...)...)
	cmd.Dir, cmd.Env = k.dir, append(append(os.Environ(), "KUBECONFIG="+k.config), env...)
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 2 {
		t.Errorf("cfctl %v: exit %d: %s", args, code, out)
	}
	return string(out)
}
