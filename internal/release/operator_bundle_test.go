package release

import (
	"context"
	"io/fs"
	"reflect"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// TestBundleFolderLosesWhatIsMadeNoMore drops a CRD and a Service from a tree
// that keeps its bundle: their manifests go with the release, and what a maintainer
// put next to them stays.
func TestBundleFolderLosesWhatIsMadeNoMore(t *testing.T) {
	train := &steps.Train{Stack: stack.Default(), Version: "v1.2.0"}
	train.Bundle = func(_ context.Context, tree fs.FS, _ steps.BundleRequest) (map[string][]byte, error) {
		made := map[string][]byte{"manifests/csv.yaml": []byte("new\n"), "manifests/same.yaml": []byte("same\n")}
		if data, err := fs.ReadFile(tree, "Makefile"); err != nil || string(data) == "old\n" {
			made["manifests/dropped_v1_service.yaml"] = []byte("kind: Service\n")
		}
		return made, nil
	}
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"Makefile": "old\n", "bundle/manifests/csv.yaml": "old\n", "bundle/manifests/same.yaml": "same\n",
		"bundle/manifests/dropped_v1_service.yaml": "kind: Service\n",
		"bundle/manifests/example.com_fans.yaml":   "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n",
		"bundle/manifests/by-hand.yaml":            "kind: ConsoleLink\n",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	changes, err := train.WithBundle(t.Context(), ports.Snapshot{Files: files}, []git.Change{{Path: "Makefile", Data: []byte("new\n")}}, "")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range changes {
		got[c.Path] = string(c.Data)
		if c.Delete {
			got[c.Path] = "(gone)"
		}
	}
	want := map[string]string{
		"Makefile": "new\n", "bundle/manifests/csv.yaml": "new\n",
		"bundle/manifests/dropped_v1_service.yaml": "(gone)", "bundle/manifests/example.com_fans.yaml": "(gone)",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("changes %v, want %v", got, want)
	}
}
