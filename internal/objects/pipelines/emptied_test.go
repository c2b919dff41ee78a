package pipelines

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/objects"
)

// fixed is a store of one pipeline with one version.
type fixed struct{ Pipeline }

func (f fixed) Pipelines(_ context.Context, each func(*Pipeline) error) error {
	return each(&f.Pipeline)
}

func (f fixed) Spec(context.Context, *Pipeline, *Version) ([]byte, error) {
	return []byte(`{"schemaVersion":"2.1.0","pipelineInfo":{"name":"p"},"root":{}}`), nil
}

func described(pipeline, version string, tags map[string]string) fixed {
	return fixed{Pipeline{
		id: "p1", name: "p", namespace: "n", describes: pipeline, tags: tags,
		versions: []*Version{{id: "v1", name: "v", describes: version, codeURL: "https://example.org/code"}},
	}}
}

// TestEmptiedFields: a field that was emptied in the source since the import is
// drift, with its name.
func TestEmptiedFields(t *testing.T) {
	dir := t.TempDir()
	ledger, err := objects.OpenLedger(filepath.Join(dir, "ledger.jsonl"), "pipelines", true, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer ledger.Close()
	run := func(s Store) *objects.Run {
		return &objects.Run{Kind: &Kind{Store: s}, Target: &objects.Dir{Root: filepath.Join(dir, "out")}, Ledger: ledger}
	}
	if _, err := run(described("text", "text", map[string]string{"a": "b"})).Apply(context.Background()); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		store fixed
		want  []string
	}{
		"nothing":     {described("text", "text", map[string]string{"a": "b"}), nil},
		"description": {described("", "text", map[string]string{"a": "b"}), []string{"source spec.description"}},
		"of both":     {described("", "", map[string]string{"a": "b"}), []string{"source spec.description", "source spec.description"}},
		"tags":        {described("text", "text", nil), []string{"source spec.tags.a"}},
	} {
		d, err := run(tt.store).Drift(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range d.Lines {
			got = append(got, l.Fields...)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %s: %q", name, d.Summary(), got)
		}
	}
}
