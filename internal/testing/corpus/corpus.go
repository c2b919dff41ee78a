// Package corpus makes trees of files to measure with, as a platform's
// monorepo has them, of any size and with no one's content: manifests, Helm
// templates, Go, Python and prose, 11 KB on average, few in a directory. Two
// files in a hundred hold API groups of MCAD, one more in a hundred holds what
// only looks like one. The bytes of every file are known before and after the
// migration codeflare-groups, so that a measurement is a proof too.
package corpus

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// A file is one file of a corpus.
type file struct {
	Path          string // slash-separated, below the corpus's directory
	Before, After []byte // of the migration; on loan until the next file
}

// A kind of file: how one of its lines looks, and where groups are in it.
type kind struct {
	ext     string
	filler  func(r *rand.Rand, w *bytes.Buffer)
	sites   []string // texts with %s for the group of AppWrapper, to be renamed
	traps   []string // texts that hold the old name and stay
	between string   // is before and after a site or trap
}

const (
	oldDomain = "ibm.com"
	oldGroup  = "mcad.ibm.com"
	newGroup  = "workload.codeflare.dev"
)

var words = []string{
	"batch", "queue", "train", "notebook", "ledger", "gateway", "metrics", "cluster", "replica", "worker", "the", "controller",
	"when", "quota", "admits", "each", "workload", "v1.24.3", "image", "name", "true", "port", "8080", "spec", "labels", "status",
}

func word(r *rand.Rand) string { return words[r.IntN(len(words))] }

func sentence(prefix string) func(*rand.Rand, *bytes.Buffer) {
	return func(r *rand.Rand, w *bytes.Buffer) {
		w.WriteString(prefix)
		for range 1 + r.IntN(8) {
			w.WriteByte(' ')
			w.WriteString(word(r))
		}
		w.WriteByte('\n')
	}
}

func setting(format string) func(*rand.Rand, *bytes.Buffer) {
	return func(r *rand.Rand, w *bytes.Buffer) { fmt.Fprintf(w, format, word(r), r.IntN(1000), word(r)) }
}

var manifest = kind{
	ext:    "yaml",
	filler: setting("  %s-%d: %s\n"),
	sites: []string{
		"apiVersion: %s/v1beta1\nkind: AppWrapper\nmetadata:\n  name: one\nspec:\n",
		"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: two\nrules:\n- apiGroups: [%s]\n  resources: [appwrappers]\n  verbs: [get]\ndata:\n",
	},
	traps: []string{
		"metadata:\n  labels:\n    appwrapper.mcad.ibm.com: one\nspec:\n",
		"metadata:\n  annotations:\n    appwrapper.mcad.ibm.com/appwrapper-name: one\nspec:\n",
	},
	between: "---\n",
}

var kinds = []kind{
	manifest, manifest, manifest,
	{
		ext:     "tpl.yaml",
		filler:  setting("  %s-%d: {{ .Values.%s | quote }}\n"),
		sites:   []string{"{{- if .Values.queue }}\napiVersion: %s/v1beta1\nkind: AppWrapper\nmetadata:\n  name: {{ .Release.Name }}\n{{- end }}\n"},
		traps:   []string{"metadata:\n  labels:\n    appwrapper.mcad.ibm.com: {{ .Release.Name }}\n"},
		between: "---\n",
	},
	{
		ext:    "go",
		filler: setting("// %s %d %s\n"),
		sites:  []string{"const group = \"%s\"\n", "//+kubebuilder:rbac:groups=%s,resources=appwrappers,verbs=get;list\n"},
		traps:  []string{"const label = \"appwrapper.mcad.ibm.com/name\"\n"},
	},
	{
		ext:    "py",
		filler: setting("%s_%d = \"%s\"\n"),
		sites:  []string{"api = custom.list_cluster_custom_object(group=\"%s\", version=\"v1beta1\", plural=\"appwrappers\")\n"},
		traps:  []string{"LABEL = \"appwrapper.mcad.ibm.com\"\n"},
	},
	{
		ext:     "md",
		filler:  sentence("Of"),
		sites:   []string{"```yaml\napiVersion: %s/v1beta1\nkind: AppWrapper\n```\n", "\n    kubectl get appwrappers.%s\n"},
		traps:   []string{"Ask someone@us.ibm.com, or see https://mcad.ibm.com/v1beta1/x.\n"},
		between: "\n",
	},
}

// files are the n files of a corpus, the same for the same n.
func files(n int) iter.Seq[file] {
	return func(yield func(file) bool) {
		r := rand.New(rand.NewPCG(7, uint64(n))) //nolint:gosec // the same bytes each time are the point
		var before, after bytes.Buffer
		for i := range n {
			k := &kinds[r.IntN(len(kinds))]
			before.Reset()
			after.Reset()
			k.write(r, &before, &after)
			path := fmt.Sprintf("team-%02d/app-%03d/%s/file-%06d.%s", i%37, r.IntN(max(1, n/60)),
				[]string{"deploy", "charts", "docs", "pkg"}[r.IntN(4)], i, k.ext)
			if !yield(file{path, before.Bytes(), after.Bytes()}) {
				return
			}
		}
	}
}

// write makes one file.
func (k *kind) write(r *rand.Rand, before, after *bytes.Buffer) {
	if k.ext == "go" {
		before.WriteString("package app\n\n")
	}
	size := int(min(60000, 7000*math.Exp(r.NormFloat64()*0.9)))
	var special string
	switch chance := r.IntN(100); {
	case chance < 2:
		special = k.sites[r.IntN(len(k.sites))]
	case chance == 2:
		special = k.traps[r.IntN(len(k.traps))]
	}
	at := r.IntN(size + 1)
	for before.Len() < size && before.Len() < at {
		k.filler(r, before)
	}
	after.Write(before.Bytes())
	if special != "" {
		for w, group := range map[*bytes.Buffer]string{before: oldGroup, after: newGroup} {
			w.WriteString(k.between)
			w.Write(bytes.ReplaceAll([]byte(special), []byte("%s"), []byte(group)))
		}
	}
	rest := before.Len()
	for before.Len() < size {
		k.filler(r, before)
	}
	after.Write(before.Bytes()[rest:])
}

// A Corpus is one that lies on the disk.
type Corpus struct {
	Dir   string
	Files int
	Named map[string][]byte // the files that hold the old domain, renamed or not: path to content
}

// Write puts the n files of a corpus below a directory.
func Write(dir string, n int) (*Corpus, error) {
	c := &Corpus{Dir: dir, Files: n, Named: map[string][]byte{}}
	for f := range files(n) {
		name := c.place(f.Path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // source files
			return nil, err
		}
		if err := os.WriteFile(name, f.Before, 0o644); err != nil { //nolint:gosec // source files
			return nil, err
		}
		if bytes.Contains(f.Before, []byte(oldDomain)) {
			c.Named[f.Path] = bytes.Clone(f.Before)
		}
	}
	return c, nil
}

func (c *Corpus) place(path string) string { return filepath.Join(c.Dir, filepath.FromSlash(path)) }

// Restore puts the named files back, as fresh copies: a coarser tool than
// cfctl may have changed them all.
func (c *Corpus) Restore() error {
	for _, path := range slices.Sorted(maps.Keys(c.Named)) {
		name := c.place(path)
		if err := os.Remove(name); err != nil {
			return err
		}
		if err := os.WriteFile(name, c.Named[path], 0o644); err != nil { //nolint:gosec // source files
			return err
		}
	}
	return nil
}

// Check reads every file and names the first that is not what the migration
// makes of it.
func (c *Corpus) Check() error {
	for f := range files(c.Files) {
		data, err := os.ReadFile(c.place(f.Path))
		if err != nil {
			return err
		}
		if !bytes.Equal(data, f.After) {
			return fmt.Errorf("%s is not as it should be after the migration", f.Path)
		}
	}
	return nil
}
