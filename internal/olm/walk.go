package olm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

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
	ctx     context.Context
	project *project
	remotes Remotes
	tree    *tree
	seen    map[string]int // by folder: how many kustomizations it is built of; 0 = it is being visited
	empty   map[string]bool

	visited []*kustomization
	notes   []string
}

// A kustomization is one file that was visited.
type kustomization struct {
	dir   string // absolute, without links
	path  string // absolute, of the file
	data  []byte // as it is there
	doc   types.Kustomization
	names []string // texts of it, and of what it configures, that may be names of files
}

const maxBuilt = 10_000 // kustomizations that a root is built of, each as often as it is used

func newWalker(ctx context.Context, p *project, remotes Remotes) *walker {
	return &walker{
		ctx: ctx, project: p, remotes: remotes, tree: newTree(ctx, p.tree),
		seen: map[string]int{}, empty: map[string]bool{},
	}
}

// start visits the root and returns where it really is.
func (w *walker) start(root string) (string, error) {
	dir, err := w.tree.resolve("/0/" + root)
	if err != nil {
		return "", &source.Error{Path: root, Err: err}
	}
	return dir, w.walk(dir)
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
	e := &source.Error{Path: shown(k.path), Pos: placeOf(k.data, text), Err: err}
	if has != nil {
		e.Err, e.Hint = has.Err, has.Hint
	}
	return e
}

// placeOf is the position of the first scalar of that value; zero when none is.
func placeOf(data []byte, text string) source.Position {
	var doc kyaml.Node
	if kyaml.Unmarshal(data, &doc) != nil {
		return source.Position{}
	}
	return positionIn(&doc, text)
}

// positionIn is the position of the first scalar of that value below a node.
func positionIn(n *kyaml.Node, text string) source.Position {
	if n.Kind == kyaml.ScalarNode && n.Value == text {
		return source.Position{Line: n.Line, Column: n.Column}
	}
	for _, c := range n.Content {
		if p := positionIn(c, text); p.Line > 0 {
			return p
		}
	}
	return source.Position{}
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
		at, err := w.tree.file(file, dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var data []byte
		if err == nil {
			data, err = w.tree.load(at)
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

// unread is the first file that a kustomization names and kustomize looked for
// in vain; nil when it had all.
func (w *walker) unread() error {
	for _, k := range w.visited {
		for _, text := range k.names {
			name := text
			if !path.IsAbs(text) {
				name = path.Join(k.dir, text)
			}
			if _, folder := w.seen[name]; folder || isKustomization(name) || !w.tree.asked[name] {
				continue
			}
			_, err := join(k.dir, text)
			if err == nil {
				_, err = w.tree.file(name, k.dir)
			}
			if errors.Is(err, fs.ErrNotExist) {
				err = errors.New("is not there")
			}
			if err != nil {
				return k.placed(text, fmt.Errorf("%s: %w", text, err))
			}
		}
	}
	return nil
}

// take reads a file that a kustomization names among its parts.
func (w *walker) take(ref string, k *kustomization) (to string, data []byte, err error) {
	name, err := join(k.dir, ref)
	at := ""
	if err == nil {
		at, err = w.tree.file(name, k.dir)
	}
	if err == nil {
		data, err = w.tree.ReadFile(at)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("%s is not there", ref)
	}
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", ref, cause(err))
	}
	return relative(k.dir, name), data, nil
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
			to, _, err = w.take(ref, k)
			return to, "", err
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
	if dir, err = w.tree.resolve(dir); err != nil {
		return "", "", err
	}
	if err := w.walk(dir); err != nil {
		return "", "", err
	}
	if w.empty[dir] {
		return "", dir, nil
	}
	return relative(k.dir, dir), dir, nil
}

// followPlugin takes the configuration of a generator, transformer or
// validator: the configuration itself, a file, or a folder, which is built to
// see what it configures.
func (w *walker) followPlugin(text string, k *kustomization) (to, target string, err error) {
	if err := CheckAliases([]byte(text)); err != nil {
		return "", "", err
	}
	objects, err := resources([]byte(text))
	if err == nil {
		return text, "", k.scanObjects(objects)
	}
	if to, target, err = w.followTree(text, k); to == "" || err != nil {
		return "", target, err
	}
	if target != "" {
		objects, err = runKustomize(w.ctx, w.tree, target)
	} else if data, rerr := w.tree.ReadFile(path.Join(k.dir, to)); rerr == nil {
		objects, err = resources(data)
	}
	if objects == nil || err != nil {
		return to, target, nil //nolint:nilerr // kustomize says what is wrong with it
	}
	data, err := objects.AsYaml()
	if err == nil {
		err = k.scanObjects(objects)
	}
	return string(data), target, err
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
	if w.remotes == nil {
		return "", &source.Error{Err: fmt.Errorf("%s is a remote reference, and they are switched off", ref), Hint: "without --offline it is fetched, once"}
	}
	tree, note, err := w.remotes.Tree(w.ctx, r.url, r.ref)
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
	for _, v := range p.remotes() {
		if v.url == r.url && v.path == r.path && v.ref != r.ref {
			return v
		}
	}
	return r
}

// remotes are the remote references with a ref that variables of the Makefile
// hold, by the names of the variables.
func (p *project) remotes() []remote {
	if p.pins != nil {
		return p.pins
	}
	p.pins = []remote{}
	for _, name := range slices.Sorted(maps.Keys(p.vars)) {
		if v, ok := parseRemote(p.vars[name]); ok && v.ref != "" {
			p.pins = append(p.pins, v)
		}
	}
	return p.pins
}
