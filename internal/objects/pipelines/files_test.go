package pipelines

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/project-codeflare/cfctl/internal/objects"
)

// TestFiles: each file of a folder is a version, or is refused with its reason and place.
func TestFiles(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		x := "*" + string(c-1)
		bomb += string(c) + ": &" + string(c) + " [" + x + "," + x + "," + x + "," + x + "," + x + "," + x + "," + x + "," + x + "," + x + "]\n"
	}
	tests := map[string]struct{ text, want string }{
		"plain.yaml":     {ir, ""},
		"empty.yaml":     {"", "empty-spec"},
		"comments.yaml":  {"# nothing\n", "empty-spec"},
		"broken.yaml":    {"root: [\n", "unparsable"},
		"list.yaml":      {"- x\n", "unparsable"},
		"two.yaml":       {ir + "\n---\n" + ir, "unparsable"},
		"bomb.yaml":      {bomb, "alias-bomb"},
		"packed.yaml":    {"PK\x03\x04", "no-package"},
		"binary.yaml":    {"\x89PNG\r\n\x1a\n\x00\x00", "no-package"},
		"unknown.yaml":   {ir[:len(ir)-1] + `,"more":1}`, "unknown-field"},
		"workflow.yaml":  {"apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n", "v1-workflow"},
		"manifest.yaml":  {"apiVersion: v1\nkind: ConfigMap\n", "no-ir"},
		"component.yaml": {`{"schemaVersion":"2.1.0","pipelineInfo":{"name":"p"},"root":{"dag":{"tasks":{"a":{"componentRef":{"name":"gone"}}}}}}`, "no-component"},
	}
	dir := t.TempDir()
	for name, tt := range tests {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	k := &Kind{Store: &Files{Root: dir}, Shared: "kubeflow"}
	err := k.Items(context.Background(), func(it *objects.Item) error {
		if it.Origin.Kind != "version" {
			if name := filepath.Base(it.Origin.Path); tests[name].want != "" {
				t.Errorf("%s: a pipeline without a version", name)
			}
			return nil
		}
		seen++
		got := ""
		if it.Refused != nil {
			got = it.Refused.Reason
		}
		name := filepath.Base(it.Origin.Path)
		if want, known := tests[name]; !known || got != want.want {
			t.Errorf("%s: refused as %q, want %q", name, got, want.want)
		}
		return nil
	})
	if err != nil || seen != len(tests) {
		t.Errorf("%d of %d files: %v", seen, len(tests), err)
	}
}

// TestBooleans: plain yes and on are text, as the server reads them.
func TestBooleans(t *testing.T) {
	spec, _, err := parse([]byte("pipelineInfo: {name: p, description: yes}\nroot: {dag: {}}\nschemaVersion: 2.1.0\ncomponents: {y: {on: off, n: true}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := objects.Object{
		"pipelineInfo": objects.Object{"name": "p", "description": "yes"}, "root": objects.Object{"dag": objects.Object{}}, "schemaVersion": "2.1.0",
		"components": objects.Object{"y": objects.Object{"on": "off", "n": true}},
	}
	if objects.Digest(spec) != objects.Digest(want) {
		t.Errorf("got %v", spec)
	}
}
