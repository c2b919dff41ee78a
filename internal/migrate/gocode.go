package migrate

import (
	"bytes"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Some of what Go code says is asked for only when the whole tree is known: who
// calls the generated clients that are in it, who imports the packages that its
// go.mod pins, what is said of the types of its API, which keys are made of its
// groups. The Go files are read a second time for that, once for all questions.

// goCode is what a migration knows of the Go files of a tree.
type goCode struct {
	m     *Migration
	types *goReader // nil = nothing is asked of types
	keys  *goKeys
	bare  *bareNames        // nil = no kind gets another name
	picks *versionSelectors // nil = no version does

	mu        sync.Mutex
	sources   []goSource
	others    []string       // the files of source in other languages
	hooks     bool           // the tree has the path of a webhook
	slugs     *source.Finder // the groups that change, as the path of a webhook spells them
	questions []goQuestion
}

// A goSource is a Go file of the tree.
type goSource struct {
	name    string
	imports importSet
	asked   bool // it was read again
}

// names are those of all Go files, never nil.
func (c *goCode) names() []string {
	list := make([]string, len(c.sources))
	for i, s := range c.sources {
		list[i] = s.name
	}
	return list
}

// A goQuestion is asked of the Go files that hold one of its needles.
type goQuestion struct {
	needles []string
	read    func(name string, data []byte)
}

func (m *Migration) newGoCode(bare *bareNames, picks *versionSelectors) *goCode {
	c := &goCode{m: m, bare: bare, picks: picks, keys: &goKeys{place: m.placeOf, same: map[goName]goName{}}, slugs: source.NewFinder(m.hookSlugs())}
	if m.goTypes != nil && !m.opts.Dual {
		c.types = &goReader{goRules: m.goTypes, place: m.placeOf, packages: map[string]*goPackage{}, files: map[string][]byte{}, mods: map[string]string{}, imports: map[string]map[string]string{}, modules: m.modules()}
	}
	return c
}

// tell hears of a file of the tree, with its first bytes.
func (c *goCode) tell(name, head []byte) {
	switch {
	case bytes.HasSuffix(name, []byte(".go")):
		imports := importsOf(head)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.sources = append(c.sources, goSource{name: string(name), imports: imports})
	case isOtherSource(name[bytes.LastIndexByte(name, '.')+1:]):
		c.mu.Lock()
		defer c.mu.Unlock()
		c.others = append(c.others, string(name))
	}
}

// isOtherSource says whether an end of a name is that of files that test webhooks and install
// them: the path of one stands there without its group.
func isOtherSource(end []byte) bool {
	switch string(end) {
	case "py", "sh", "bash", "bats", "tf", "ts", "js", "java", "kt", "rs", "rb", "groovy":
		return true
	}
	return false
}

// owns notes what a file of the first walk declares; old says that it holds a name
// that may change. It says whether the file names the path of a webhook that may change.
func (c *goCode) owns(name string, data []byte, old bool) (hook bool) {
	if c.types != nil {
		c.types.owns(name, data)
	}
	if hookVerb.Match(data) {
		c.mu.Lock()
		c.hooks = true
		c.mu.Unlock()
		hook = !c.m.opts.Dual && c.slugs.Match(data)
	}
	if old && !c.m.opts.Dual {
		c.keys.owns(name, data, c.m.old)
	}
	return hook
}

// hookVerb is how the path of a webhook begins.
var hookVerb = source.NewFinder([]string{"/mutate-", "/validate-"})

// ask reads the Go files for all that must be asked of them.
func (c *goCode) ask(w walk, files *foundFiles, moving []rules.Module) error {
	c.askCallers(files)
	if err := c.askOthers(w, files); err != nil {
		return err
	}
	c.askImports(files, moving)
	if c.types != nil && c.types.asks() {
		c.questions = append(c.questions, goQuestion{c.types.needles(), func(name string, data []byte) { readGo(c.types, name, data) }})
	}
	if c.bare != nil {
		c.questions = append(c.questions, c.bare.goQuestion(), c.bare.markers())
	}
	if c.picks != nil && c.picks.sdk.Load() {
		c.questions = append(c.questions, c.picks.markers())
	}
	changes := c.keys.changes(files.list)
	if len(c.questions) == 0 {
		return c.askKeys(w, changes)
	}
	if len(changes) > 0 {
		c.questions = append(c.questions, c.keys.question(changes))
	}
	return c.read(w)
}

// read reads the Go files for all questions at once.
func (c *goCode) read(w walk) error {
	var needles []string
	finders := make([]*source.Finder, len(c.questions))
	for i, q := range c.questions {
		needles, finders[i] = append(needles, q.needles...), source.NewFinder(q.needles)
	}
	return w(search{needles: needles, among: c.names()}, func(name string, data []byte) {
		for i, q := range c.questions {
			if finders[i].Match(data) || finders[i].Match([]byte(name)) {
				q.read(name, data)
			}
		}
	})
}

// askKeys reads the files that may use the names of some changes, where nothing else is
// asked: those of their folders, and those that import one of these. What gives such a
// name another one is asked about in turn.
func (c *goCode) askKeys(w walk, changes map[goName]keyChange) error {
	asked := map[string]bool{}
	for folders := newFolders(maps.Keys(changes)); len(folders.list) > 0; {
		among := []string{}
		for i := range c.sources {
			if s := &c.sources[i]; !s.asked && (folders.mayImport(s.imports) || folders.hold(c.m, s.name)) {
				among, s.asked = append(among, s.name), true
			}
		}
		for _, folder := range folders.list {
			asked[folder] = true
		}
		q := c.keys.question(changes)
		if err := w(search{needles: q.needles, among: among}, q.read); err != nil {
			return err
		}
		others := slices.DeleteFunc(slices.Collect(maps.Keys(c.keys.same)), func(is goName) bool {
			_, ok := changes[c.keys.stem(changes, is)]
			return !ok || asked[is.dir]
		})
		folders = newFolders(slices.Values(others))
	}
	return nil
}

// goFolders are folders whose paths count from the tops of their work trees.
type goFolders struct {
	list   []string            // sorted
	byBase map[string][]string // by their last elements
	bits   []importBits        // of these
}

// newFolders are the folders of names.
func newFolders(names iter.Seq[goName]) *goFolders {
	f := &goFolders{byBase: map[string][]string{}}
	for name := range names {
		f.list = append(f.list, name.dir)
	}
	slices.Sort(f.list)
	f.list = slices.Compact(f.list)
	for _, folder := range f.list {
		base := path.Base(folder)
		if f.byBase[base] == nil {
			f.bits = append(f.bits, importBitsOf([]byte(base)))
		}
		f.byBase[base] = append(f.byBase[base], folder)
	}
	return f
}

// mayImport says whether a file that imports a set may import one of the folders.
func (f *goFolders) mayImport(set importSet) bool { return slices.ContainsFunc(f.bits, set.has) }

// hold says whether a file is of one of the folders.
func (f *goFolders) hold(m *Migration, name string) bool {
	dir := path.Dir(name)
	near := f.byBase[path.Base(dir)]
	if dir == "." || f.byBase["."] != nil { // the name may begin below or above the top
		near = f.list
	}
	return slices.ContainsFunc(near, func(folder string) bool {
		// One path is the end of the other: most files need no look at the disk.
		return (folder == "." || dir == "." || endsWith(dir, folder) || endsWith(folder, dir)) && path.Dir(m.placeOf(name)) == folder
	})
}

// endsWith says whether a path ends with the elements of another one.
func endsWith(name, end string) bool {
	return strings.HasSuffix(name, end) && (len(name) == len(end) || name[len(name)-len(end)-1] == '/')
}

// askCallers adds the files that use a generated client of the tree, or name the path
// of a webhook, and no group.
func (c *goCode) askCallers(files *foundFiles) {
	var needles []string
	if c.m.hasClients(files.list) {
		needles = c.m.clientNeedles()
	}
	if c.hooks && !c.m.opts.Dual {
		needles = append(needles, c.m.hookSlugs()...)
	}
	if len(needles) == 0 {
		return
	}
	known := map[string]bool{}
	for _, f := range files.list {
		known[f.Path] = true
	}
	c.questions = append(c.questions, goQuestion{needles, func(name string, data []byte) {
		if !known[name] {
			files.add(c.m.File(name, data))
		}
	}})
}

// askOthers adds the files of other languages that name the path of a webhook, and no group.
func (c *goCode) askOthers(w walk, files *foundFiles) error {
	if !c.hooks || c.m.opts.Dual || len(c.others) == 0 {
		return nil
	}
	known := map[string]bool{}
	for _, f := range files.list {
		known[f.Path] = true
	}
	return w(search{needles: c.m.hookSlugs(), among: c.others}, func(name string, data []byte) {
		if !known[name] {
			files.add(c.m.File(name, data))
		}
	})
}

// askImports tells of the imports of packages that move.
func (c *goCode) askImports(files *foundFiles, moving []rules.Module) {
	if len(moving) == 0 {
		return
	}
	var needles []string
	for _, x := range moving {
		needles = append(needles, x.From)
	}
	c.questions = append(c.questions, goQuestion{needles, func(name string, data []byte) {
		if found := imports(name, data, moving); len(found) > 0 {
			files.mu.Lock()
			defer files.mu.Unlock()
			files.list = c.m.tell(files.list, name, data, found)
		}
	}})
}

// foundFiles are the files of a plan, while several workers find them.
type foundFiles struct {
	mu   sync.Mutex
	list []*File
}

// add adds a file; nil is none.
func (x *foundFiles) add(f *File) {
	if f != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.list = append(x.list, f)
	}
}
