package olm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A walker visits the kustomizations that a root reaches. What each is built of
// becomes a path that begins with a dot, and a URL anywhere else is refused:
// kustomize, which would run git or ask a web server for what looks like an
// address, is left with nothing to resolve.
type walker struct {
	project *project
	fetched func(url, ref string) (fs.FS, string, error) // a remote repository; nil = remote references are switched off
	tree    *tree
	seen    map[string]int // by folder: how many kustomizations it is built of; 0 = it is being visited
	empty   map[string]bool

	visited []*kustomization
	notes   []string
}

// A kustomization is one file that was visited.
type kustomization struct {
	dir  string // absolute
	path string // absolute, of the file
	data []byte // as it is there
	doc  types.Kustomization
}

const maxBuilt = 10_000 // kustomizations that a root is built of, each as often as it is used

func newWalker(ctx context.Context, p *project, remotes Remotes) *walker {
	w := &walker{project: p, tree: newTree(p.tree, ctx.Err), seen: map[string]int{}, empty: map[string]bool{}}
	if remotes != nil {
		w.fetched = func(url, ref string) (fs.FS, string, error) { return remotes(ctx, url, ref) }
	}
	return w
}

// fileNames are the names that kustomize looks for, in its order.
var fileNames = konfig.RecognizedKustomizationFileNames()

func isKustomization(name string) bool { return slices.Contains(fileNames, path.Base(name)) }

// walk visits the kustomization in a folder and all that it is built of. An
// entry that became empty goes.
func (w *walker) walk(dir string) error {
	if _, ok := w.seen[dir]; ok {
		return nil // a circle is kustomize's to report
	}
	w.seen[dir] = 0
	k, err := w.read(dir)
	if err != nil {
		return err
	}
	if k.doc.CheckEmpty() != nil {
		w.empty[dir] = true
		w.notes = append(w.notes, shown(k.path)+" says nothing; left out")
	}
	built := 1
	for _, field := range []struct {
		list   *[]string
		follow func(entry string, k *kustomization) (to, target string, err error)
	}{
		{&k.doc.Resources, w.followTree}, {&k.doc.Components, w.followTree},
		{&k.doc.Generators, w.followPlugin}, {&k.doc.Transformers, w.followPlugin}, {&k.doc.Validators, w.followPlugin},
	} {
		var kept []string
		for _, entry := range *field.list {
			to, target, err := field.follow(entry, k)
			if err != nil {
				return k.placed(entry, err)
			}
			if to != "" {
				kept = append(kept, to)
			}
			built += w.seen[target]
		}
		*field.list = kept
	}
	if built > maxBuilt {
		return &source.Error{Path: shown(k.path), Err: fmt.Errorf("it is built of %d kustomizations, counted as often as they are used, and the limit is %d", built, maxBuilt)}
	}
	w.seen[dir] = built
	if err := k.scanRest(); err != nil {
		return err
	}
	return w.serve(k)
}

// serve gives kustomize a kustomization in its new words, once all that it
// names was checked.
func (w *walker) serve(k *kustomization) error {
	data, err := yaml.Marshal(k.doc)
	w.tree.files[k.path] = data
	return err
}

// placed gives an error the place of a text in the kustomization, unless it
// has one of its own.
func (k *kustomization) placed(text string, err error) error {
	var has *source.Error
	if errors.As(err, &has) && has.Path != "" {
		return err
	}
	e := &source.Error{Path: shown(k.path), Err: err}
	if i := bytes.Index(k.data, []byte(text)); i >= 0 {
		e.Pos = source.PositionAt(k.data, i)
	}
	if has != nil {
		e.Err, e.Hint = has.Err, has.Hint
	}
	return e
}

// read finds and decodes the kustomization file of a folder, as strictly as
// kustomize does.
func (w *walker) read(dir string) (*kustomization, error) {
	if is, err := w.tree.isDir(dir); err != nil || !is {
		return nil, &source.Error{Path: shown(dir), Err: errors.New("no such folder"), Hint: "name the kustomize root with --kustomize"}
	}
	var found *kustomization
	for _, name := range fileNames {
		file := path.Join(dir, name)
		data, err := w.tree.load(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, &source.Error{Path: shown(file), Err: err}
		}
		if found != nil {
			return nil, &source.Error{Path: shown(file), Err: fmt.Errorf("a second kustomization next to %s", path.Base(found.path))}
		}
		found = &kustomization{dir: dir, path: file, data: data}
	}
	if found == nil {
		return nil, &source.Error{Path: shown(dir), Err: errors.New("no kustomization.yaml here")}
	}
	if err := found.doc.Unmarshal(found.data); err != nil {
		return nil, &source.Error{Path: shown(found.path), Err: plain(err)}
	}
	found.doc.FixKustomization() // as kustomize does: fields of older versions become those of today
	w.visited = append(w.visited, found)
	return found, nil
}

// followTree visits what a kustomization is built of: a folder, a file, or a
// remote repository, which is mounted. It returns the entry as kustomize is to
// have it (empty = nothing), and the folder that it leads to, if it is one.
func (w *walker) followTree(ref string, k *kustomization) (to, target string, err error) {
	name, err := join(k.dir, ref)
	if err == nil {
		is, derr := w.tree.isDir(name)
		switch {
		case derr == nil && is:
			return w.followDir(k, name)
		case derr == nil:
			return relative(k.dir, name), "", nil
		case !errors.Is(derr, fs.ErrNotExist) && !errors.Is(derr, fs.ErrInvalid):
			return "", "", fmt.Errorf("%s: %w", ref, derr)
		}
	}
	r, ok := parseRemote(ref)
	switch {
	case !ok && err != nil:
		return "", "", fmt.Errorf("%s: %w", ref, err)
	case !ok && isURL(ref):
		return "", "", notFetched(ref)
	case !ok:
		return "", "", fmt.Errorf("%s is no file or folder here, and no git repository on the web", ref)
	}
	if target, err = w.fetch(ref, w.project.pinned(r)); err != nil {
		return "", "", err
	}
	return w.followDir(k, target)
}

// followDir visits a folder. One whose kustomization says nothing is left out:
// it is an error in today's kustomize, and was none in v4.5.4.
func (w *walker) followDir(k *kustomization, dir string) (to, target string, err error) {
	if err := w.walk(dir); err != nil {
		return "", "", err
	}
	if w.empty[dir] {
		return "", dir, nil
	}
	return relative(k.dir, dir), dir, nil
}

// followPlugin takes the configuration of a generator, transformer or
// validator: the configuration itself, or a file. A folder is not built for it.
func (w *walker) followPlugin(text string, k *kustomization) (to, target string, err error) {
	if err := CheckAliases([]byte(text)); err != nil {
		return "", "", err
	}
	to = text
	objects, err := resources([]byte(text))
	if err != nil { // it is no object, but the name of a file
		name, err := join(k.dir, text)
		var data []byte
		if err == nil {
			data, err = w.tree.ReadFile(name)
		}
		if err == nil {
			to = relative(k.dir, name)
			objects, err = resources(data)
		}
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", text, source.Cause(err))
		}
	}
	return to, "", k.scanObjects(objects)
}

// resources reads text as objects, as kustomize does where it decides whether
// an entry is an object itself or the name of one.
func resources(data []byte) (resmap.ResMap, error) {
	return resmap.NewFactory(provider.NewDefaultDepProvider().GetResourceFactory()).NewResMapFromBytes(data)
}

// fetch brings a remote repository and returns the absolute path of its folder.
func (w *walker) fetch(ref string, r remote) (string, error) {
	if err := r.check(); err != nil {
		return "", fmt.Errorf("%s: %w", ref, err)
	}
	if w.fetched == nil {
		return "", &source.Error{Err: fmt.Errorf("%s is a remote reference, and they are switched off", ref), Hint: "without --offline it is fetched, once"}
	}
	tree, note, err := w.fetched(r.url, r.ref)
	if err != nil {
		return "", &source.Error{Err: fmt.Errorf("%s: %w", ref, err), Hint: "git ls-remote " + git.Redact(r.url) + ": does it answer, and have that ref?"}
	}
	if note != "" {
		w.notes = append(w.notes, note)
	}
	return path.Join(w.tree.mount(tree), r.path), nil
}

// pinned is a remote reference as the project's Makefile wants it: where a
// variable holds the same repository and folder, its ref wins over the one in
// the file, which is a placeholder then (kpt setters, sed, kustomize edit).
func (p *project) pinned(r remote) remote {
	for _, name := range slices.Sorted(maps.Keys(p.vars)) {
		if v, ok := parseRemote(p.vars[name]); ok && v.ref != "" && v.url == r.url && v.path == r.path && v.ref != r.ref {
			return v
		}
	}
	return r
}

// scanRest scans what a kustomization says apart from what it is built of.
func (k *kustomization) scanRest() error {
	doc := k.doc
	if len(doc.HelmCharts) > 0 || doc.HelmGlobals != nil {
		return k.placed("helmCharts", errors.New("helmCharts: charts are not inflated, since helm would be run for it"))
	}
	doc.Resources, doc.Components = nil, nil
	doc.Generators, doc.Transformers, doc.Validators = nil, nil, nil
	data, err := yaml.Marshal(doc)
	if err != nil {
		return err
	}
	return k.scan(data)
}

// scan refuses every URL in a document that kustomize could fetch.
func (k *kustomization) scan(data []byte) error {
	var doc map[string]any
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return err
	}
	return k.scanValue(doc)
}

// dataKeys are keys, in lower case, whose values kustomize never opens. A
// field that a newer kustomize has is scanned until it is listed here.
var dataKeys = []string{"annotations", "commonannotations", "literals", "sourcevalue"}

func (k *kustomization) scanValue(value any) error {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if slices.Contains(dataKeys, strings.ToLower(key)) {
				continue
			}
			if err := k.scanValue(v[key]); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range v {
			if err := k.scanValue(item); err != nil {
				return err
			}
		}
	case string:
		if err := CheckAliases([]byte(v)); err != nil { // a patch or a configuration itself
			return k.placed(v, err)
		}
		_, file, _ := strings.Cut(v, "=") // KEY=FILE of a generator
		for _, name := range []string{v, file} {
			if isURL(name) {
				return k.placed(v, notFetched(name))
			}
		}
	}
	return nil
}

// isURL says whether kustomize would ask a web server for a file of that name.
func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

func notFetched(url string) error {
	return &source.Error{Err: fmt.Errorf("%s is not fetched: only git repositories are, as resources", url), Hint: "keep a copy of it next to the kustomization"}
}

// scanObjects scans configurations of generators and transformers.
func (k *kustomization) scanObjects(objects resmap.ResMap) error {
	for _, r := range objects.Resources() {
		data, err := r.AsYAML()
		if err == nil {
			err = k.scan(data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckAliases refuses YAML whose aliases expand to more than the parser takes.
// What does not parse is for its reader.
func CheckAliases(data []byte) error {
	if !bytes.ContainsRune(data, '&') || !bytes.ContainsRune(data, '*') {
		return nil
	}
	dec := kyaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc any
		err := dec.Decode(&doc)
		if err != nil && strings.Contains(err.Error(), "excessive aliasing") {
			return errors.New("its aliases expand to more than is read")
		}
		var wrong *kyaml.TypeError
		if err != nil && !errors.As(err, &wrong) {
			return nil //nolint:nilerr // for its reader
		}
	}
}
