package bundle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/source"
)

// build runs kustomize over the root, with remote references resolved and the
// operator image set, in the order of `kustomize build` (legacy).
func build(ctx context.Context, p *project, o Options) (resmap.ResMap, []string, error) {
	w := &walker{
		ctx: ctx, project: p, remotes: o.Remotes, seen: map[string]bool{}, empty: map[string]bool{},
		layers: &layers{base: p.tree, changed: map[string][]byte{}},
	}
	if err := w.walk("/" + o.Root); err != nil {
		return nil, w.notes, err
	}
	late := false
	if o.Image != "" {
		late = !w.setImage(o.Image)
	}
	objects, err := runKustomize(w.layers, "/"+o.Root)
	if err != nil {
		return nil, w.notes, kustomizeError(o.Root, err)
	}
	if late {
		if err := setDeployed(objects, o.Image); err != nil {
			return nil, w.notes, err
		}
	}
	return objects, w.notes, nil
}

var stderrMu sync.Mutex

// runKustomize builds a root. Kustomize writes its advice about deprecated
// fields straight to os.Stderr; whoever makes a bundle of an old tag cannot
// follow it, so it is kept off the terminal.
func runKustomize(files filesys.FileSystem, root string) (resmap.ResMap, error) {
	stderrMu.Lock()
	defer stderrMu.Unlock()
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		stderr := os.Stderr
		os.Stderr = null
		defer func() {
			os.Stderr = stderr
			_ = null.Close() // nothing that matters was written
		}()
	}
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionLegacy
	return krusty.MakeKustomizer(options).Run(files, root)
}

// kustomizeError gives kustomize's words with paths as the user knows them.
func kustomizeError(root string, err error) error {
	text := strings.ReplaceAll(err.Error(), "'/", "'")
	text = strings.ReplaceAll(text, `"/`, `"`)
	text = strings.ReplaceAll(text, strings.TrimPrefix(remoteRoot, "/"), "remote ")
	return &source.Error{Path: root, Err: errors.New("kustomize: " + text), Hint: "kustomize build " + root}
}

// A walker visits the kustomizations that a root reaches.
type walker struct {
	ctx     context.Context
	project *project
	remotes Remotes
	layers  *layers
	seen    map[string]bool
	empty   map[string]bool // folders whose kustomization says nothing: an error in today's kustomize, not in v4.5.4

	visited []kustomization
	notes   []string
}

// A kustomization is one file that was visited.
type kustomization struct {
	path string // absolute, of the file
	doc  types.Kustomization
}

// fileNames are the names that kustomize looks for, in its order.
var fileNames = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// walk visits the kustomization in a folder and all that it refers to.
func (w *walker) walk(dir string) error {
	if w.seen[dir] {
		return nil
	}
	w.seen[dir] = true
	k, data, err := w.read(dir)
	if err != nil {
		return err
	}
	w.visited = append(w.visited, k)
	if k.doc.CheckEmpty() != nil {
		w.empty[dir] = true
		w.notes = append(w.notes, strings.TrimPrefix(k.path, "/")+" says nothing; left out")
	}
	replaced := map[string]string{}
	for _, list := range [][]string{k.doc.Resources, k.doc.Components, k.doc.Bases} { //nolint:staticcheck // bases is deprecated, and still in use
		for _, ref := range list {
			target, err := w.follow(dir, ref)
			if err != nil {
				return err
			}
			switch {
			case target == "" && w.empty[path.Join(dir, ref)]:
				replaced[ref] = ""
			case target != "":
				replaced[ref] = relative(dir, target)
			}
		}
	}
	if len(replaced) == 0 {
		return nil
	}
	data, err = rewriteRefs(data, replaced)
	w.layers.changed[k.path] = data
	return err
}

// read finds and decodes the kustomization file of a folder.
func (w *walker) read(dir string) (kustomization, []byte, error) {
	shown := strings.TrimPrefix(dir, "/")
	for _, name := range fileNames {
		file := path.Join(dir, name)
		data, err := w.layers.ReadFile(file)
		if err != nil {
			continue
		}
		k := kustomization{path: file}
		if err := yaml.Unmarshal(data, &k.doc); err != nil {
			return k, nil, &source.Error{Path: strings.TrimPrefix(file, "/"), Err: plain(err)}
		}
		return k, data, nil
	}
	if !w.layers.IsDir(dir) {
		return kustomization{}, nil, &source.Error{Path: shown, Err: errors.New("no such folder"), Hint: "name the kustomize root with --kustomize"}
	}
	return kustomization{}, nil, &source.Error{Path: shown, Err: errors.New("no kustomization.yaml here")}
}

// follow visits what an entry of a kustomization refers to. For a remote
// repository it returns where that is mounted now.
func (w *walker) follow(dir, ref string) (string, error) {
	local := path.Join(dir, ref)
	switch {
	case w.layers.IsDir(local):
		return "", w.walk(local)
	case w.layers.Exists(local):
		return "", nil
	}
	r, ok := parseRemote(ref)
	if !ok {
		return "", nil // a file that is not there: kustomize says so, with its place
	}
	r = w.project.pinned(r)
	if w.remotes == nil {
		return "", &source.Error{Path: strings.TrimPrefix(dir, "/"), Err: fmt.Errorf("%s is a remote reference, and they are switched off", ref), Hint: "without --offline it is fetched, once"}
	}
	tree, note, err := w.remotes.Tree(w.ctx, r.url, r.ref)
	if err != nil {
		return "", &source.Error{Path: strings.TrimPrefix(dir, "/"), Err: fmt.Errorf("%s: %w", ref, err), Hint: "git ls-remote " + git.Redact(r.url) + ": does it answer, and have that ref?"}
	}
	if note != "" {
		w.notes = append(w.notes, note)
	}
	target := path.Join(w.layers.mount(tree), r.path)
	return target, w.walk(target)
}

// relative is the path from one absolute folder to another.
func relative(from, to string) string {
	up := strings.Repeat("../", strings.Count(strings.Trim(from, "/"), "/")+1)
	return up + strings.TrimPrefix(to, "/")
}

// rewriteRefs replaces the entries of resources, components and bases; those
// whose replacement is empty go. The
// file is kustomize's copy, not the user's: it is encoded anew.
func rewriteRefs(data []byte, replaced map[string]string) ([]byte, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	for _, key := range []string{"resources", "components", "bases"} {
		list, _ := doc[key].([]any)
		for i, v := range list {
			if to, ok := replaced[fmt.Sprint(v)]; ok {
				list[i] = to
			}
		}
		if list != nil {
			doc[key] = slices.DeleteFunc(list, func(v any) bool { return v == "" })
		}
	}
	return yaml.Marshal(doc)
}

// pinned is a remote reference as the project's Makefile wants it: where a
// variable holds the same repository and folder, its ref wins over the one in
// the file, which is a placeholder then (kpt setters, sed, kustomize edit).
func (p *project) pinned(r remote) remote {
	for name := range p.vars {
		v, ok := parseRemote(p.variable(name))
		if ok && v.url == r.url && v.path == r.path && v.ref != "" && v.ref != r.ref {
			return v
		}
	}
	return r
}
