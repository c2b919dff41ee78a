package olm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A walker visits the kustomizations that a root reaches, and takes every file
// that they name. Each name becomes one that can only be a path below the
// root: kustomize, which would run git or ask a web server for what looks like
// an address, is left with nothing to resolve.
type walker struct {
	ctx     context.Context
	project *project
	remotes Remotes
	layers  *layers
	files   *taken
	size    int            // of the files that were taken
	seen    map[string]int // by folder: how many kustomizations it is built of; 0 = it is being visited
	empty   map[string]bool

	visited []*kustomization
	notes   []string
}

// A kustomization is one file that was visited.
type kustomization struct {
	dir  string // absolute, without links
	path string // absolute, of the file
	data []byte // as it is there
	doc  types.Kustomization
}

const (
	maxBuilt   = 10_000             // kustomizations that a root is built of, each as often as it is used
	maxServed  = 4 * source.MaxFile // bytes of all files together
	maxAliased = 1_000_000          // YAML nodes of a file with its aliases written out
)

func newWalker(ctx context.Context, p *project, remotes Remotes) *walker {
	return &walker{
		ctx: ctx, project: p, remotes: remotes, layers: &layers{base: p.tree},
		files: newTaken(), seen: map[string]int{}, empty: map[string]bool{},
	}
}

// start visits the root and returns where it really is.
func (w *walker) start(root string) (string, error) {
	dir, err := w.layers.resolve("/" + root)
	if err != nil {
		return "", &source.Error{Path: root, Err: err}
	}
	return dir, w.walk(dir)
}

// fileNames are the names that kustomize looks for, in its order.
var fileNames = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// walk visits the kustomization in a folder and all that it refers to.
func (w *walker) walk(dir string) error {
	if _, ok := w.seen[dir]; ok {
		return nil // a circle is kustomize's to report
	}
	w.seen[dir] = 0
	k, err := w.read(dir)
	if err != nil {
		return err
	}
	w.visited = append(w.visited, k)
	if k.doc.CheckEmpty() != nil {
		w.empty[dir] = true
		w.notes = append(w.notes, strings.TrimPrefix(k.path, "/")+" says nothing; left out")
	}
	built := 1
	err = eachText(&k.doc, func(field, text string) (string, error) {
		to, target, err := w.follow(k, field, text)
		if err != nil {
			return "", k.placed(text, err)
		}
		built += w.seen[target]
		return to, nil
	})
	if err == nil && built > maxBuilt {
		err = &source.Error{Path: shown(k.path), Err: fmt.Errorf("it is built of %d kustomizations, counted as often as they are used, and the limit is %d", built, maxBuilt)}
	}
	w.seen[dir] = built
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

// shown is an absolute path for display.
func shown(name string) string {
	if rest, ok := strings.CutPrefix(name, remoteRoot); ok {
		_, inner, _ := strings.Cut(rest, "/")
		return "remote " + inner
	}
	if name == "/" {
		return "."
	}
	return strings.TrimPrefix(name, "/")
}

// read finds and decodes the kustomization file of a folder, as strictly as
// kustomize does.
func (w *walker) read(dir string) (*kustomization, error) {
	if is, err := w.layers.isDir(dir); err != nil || !is {
		return nil, &source.Error{Path: shown(dir), Err: errors.New("no such folder"), Hint: "name the kustomize root with --kustomize"}
	}
	var found *kustomization
	for _, name := range fileNames {
		file := path.Join(dir, name)
		data, err := w.load(file, dir)
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
	return found, nil
}

// load reads a file that kustomize is to have. As in kustomize it must lie in
// or below the folder of the kustomization that names it; what is not there is
// an fs.ErrNotExist.
func (w *walker) load(name, dir string) ([]byte, error) {
	is, err := w.layers.isDir(name)
	switch {
	case err != nil:
		return nil, cause(err)
	case is:
		return nil, errors.New("is a folder")
	}
	at, err := w.layers.resolve(name)
	if err != nil {
		return nil, err
	}
	if dir != "/" && !strings.HasPrefix(at, dir+"/") {
		return nil, fmt.Errorf("leads to %s, which is not in or below %s", shown(at), shown(dir))
	}
	data, err := w.layers.read(name)
	if err != nil {
		return nil, cause(err)
	}
	if w.size += len(data); w.size > maxServed {
		return nil, fmt.Errorf("the files of the build are larger than %d MiB together", maxServed>>20)
	}
	return data, nil
}

// cause takes the operation and the path off an error of a file system.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// take adds a file to those that kustomize has.
func (w *walker) take(name, dir string) ([]byte, error) {
	data, err := w.load(name, dir)
	if err != nil {
		return nil, err
	}
	if err := CheckAliases(data); err != nil {
		return nil, fmt.Errorf("%s: %w", shown(name), err)
	}
	w.files.add(name, data)
	return data, nil
}

// CheckAliases refuses YAML that is more than maxAliased nodes with every alias
// written out. What does not parse is for its reader.
func CheckAliases(data []byte) error {
	if !bytes.ContainsRune(data, '&') || !bytes.ContainsRune(data, '*') {
		return nil
	}
	total := 0
	dec := kyaml.NewDecoder(bytes.NewReader(data))
	for total <= maxAliased {
		var doc kyaml.Node
		if dec.Decode(&doc) != nil {
			return nil //nolint:nilerr // for its reader
		}
		total += sizeOf(&doc, map[*kyaml.Node]int{})
	}
	return fmt.Errorf("its aliases expand to more than %d nodes", maxAliased)
}

func sizeOf(n *kyaml.Node, known map[*kyaml.Node]int) int {
	if n.Kind == kyaml.AliasNode {
		n = n.Alias
	}
	if size, ok := known[n]; ok {
		return size
	}
	known[n] = 1 // an alias of what it is in
	size := 1
	for _, c := range n.Content {
		size = min(size+sizeOf(c, known), maxAliased+1)
	}
	known[n] = size
	return size
}

// follow does with a text of a kustomization what its field says, and returns
// what is there from now on (empty = nothing), and the folder that it
// leads to, if it is one.
func (w *walker) follow(k *kustomization, field, text string) (to, target string, err error) {
	if err := CheckAliases([]byte(text)); err != nil { // a patch or a configuration that is in the field itself
		return "", "", fmt.Errorf("%s: %w", field, err)
	}
	switch roleOf(field) {
	case roleTree:
		return w.followTree(k, text)
	case rolePlugin:
		to, err = w.followPlugin(k, text)
	case roleFile:
		to, _, err = w.followFile(k, text)
	case roleNamed:
		key, file, ok := strings.Cut(text, "=")
		if !ok {
			key, file = "", text
		}
		if to, _, err = w.followFile(k, file); ok {
			to = key + "=" + to
		}
	case rolePatch:
		if to = text; !isObject(text) {
			to, _, err = w.followFile(k, text)
		}
	case roleRefused:
		name, _, _ := strings.Cut(field, ".")
		err = fmt.Errorf("%s: charts are not inflated, since helm would be run for it", strings.TrimSuffix(name, "[]"))
	default:
		to = text
	}
	return to, "", err
}

// followFile takes a file that a kustomization names.
func (w *walker) followFile(k *kustomization, ref string) (string, []byte, error) {
	if isURL(ref) {
		return "", nil, &source.Error{Err: fmt.Errorf("%s is not fetched: only git repositories are, as resources", ref), Hint: "keep a copy of it next to the kustomization"}
	}
	name, err := join(k.dir, ref)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", ref, err)
	}
	data, err := w.take(name, k.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("%s is not there", ref)
	}
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", ref, err)
	}
	return relative(k.dir, name), data, nil
}

// followTree visits what a resource is: a folder, a file, or a remote
// repository, which is mounted.
func (w *walker) followTree(k *kustomization, ref string) (to, target string, err error) {
	name, err := join(k.dir, ref)
	if err == nil {
		is, derr := w.layers.isDir(name)
		switch {
		case derr == nil && is:
			return w.followDir(k, name)
		case derr == nil:
			to, _, err = w.followFile(k, ref)
			return to, "", err
		case !errors.Is(derr, fs.ErrNotExist) && !errors.Is(derr, fs.ErrInvalid):
			return "", "", fmt.Errorf("%s: %w", ref, cause(derr))
		}
	}
	r, ok := parseRemote(ref)
	switch {
	case !ok && err != nil:
		return "", "", fmt.Errorf("%s: %w", ref, err)
	case !ok && isURL(ref):
		return w.refuseURL(ref)
	case !ok:
		return "", "", fmt.Errorf("%s is no file or folder here, and no git repository on the web", ref)
	}
	if target, err = w.fetch(ref, w.project.pinned(r)); err != nil {
		return "", "", err
	}
	return w.followDir(k, target)
}

func (w *walker) refuseURL(ref string) (to, target string, err error) {
	_, _, err = w.followFile(nil, ref)
	return "", "", err
}

// followDir visits a folder. One whose kustomization says nothing is left out:
// it is an error in today's kustomize, and was none in v4.5.4.
func (w *walker) followDir(k *kustomization, dir string) (to, target string, err error) {
	if dir, err = w.layers.resolve(dir); err != nil {
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
	return path.Join(w.layers.mount(tree), r.path), nil
}

// relative is the path from one absolute folder to what lies elsewhere in the
// same file system. It begins with a dot, so that it can be no address.
func relative(from, to string) string {
	a, b := strings.Split(strings.Trim(from, "/"), "/"), strings.Split(strings.Trim(to, "/"), "/")
	if from == "/" {
		a = nil
	}
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	up := cmp.Or(strings.Repeat("../", len(a)-same), "./")
	return up + strings.Join(b[same:], "/")
}

// serve writes the kustomizations that were visited in their new words, and
// returns all that kustomize has.
func (w *walker) serve() (*taken, error) {
	for _, k := range w.visited {
		data, err := yaml.Marshal(k.doc)
		if err != nil {
			return nil, &source.Error{Path: shown(k.path), Err: err}
		}
		w.files.add(k.path, data)
	}
	return w.files, nil
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
