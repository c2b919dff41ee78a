package migrate

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A folder, a document or a Go package that is named after a version is about that
// version of one group. Of which, the Go packages of the tree say: those of the versions
// of the rules are read where a file that may be about one has a name of the rules, and
// such files are looked at once more.

// goHomes are the files of a tree that may be about a version, while several workers find
// them.
type goHomes struct {
	m        *Migration
	versions []string       // that rules start from
	named    *source.Finder // of these
	mu       sync.Mutex
	asked    map[string]bool // by path: whether the file is a Go package of a version
}

// newHomes is nil where what the rules answer depends on no version.
func (m *Migration) newHomes() *goHomes {
	h := &goHomes{m: m, asked: map[string]bool{}}
	for _, group := range m.rules.Groups() {
		list := m.rules.RulesOf(group)
		every := slices.ContainsFunc(list, func(r rules.Rule) bool { return r.From.Version == "" })
		for _, r := range list {
			if v := r.From.Version; v != "" && (!every || r.To.Version != v) && !slices.Contains(h.versions, v) {
				h.versions = append(h.versions, v)
			}
		}
	}
	if len(h.versions) == 0 {
		return nil
	}
	h.named = source.NewFinder(h.versions)
	return h
}

// note notes a file that may have a name of the rules.
func (h *goHomes) note(name string, data []byte, sites bool) {
	if h == nil || !sites {
		return
	}
	isGo := strings.HasSuffix(name, ".go") && find.PackageVersion(data) != ""
	if isGo || h.named.Match([]byte(h.m.placeOf(name))) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.asked[name] = isGo
	}
}

// asks says whether anything depends on the Go packages of the tree.
func (h *goHomes) asks() bool { return h != nil && len(h.asked) > 0 }

// among are those of the Go files of a tree that are of a version, or of the folder above
// one, by their folders.
func (h *goHomes) among(sources []string) []string {
	dirs := map[string]bool{}
	add := func(dir string) { dirs[dir], dirs[path.Dir(dir)] = true, true }
	for _, name := range sources {
		dir := path.Dir(name)
		if dir == "." {
			dir = path.Dir(h.m.placeOf(name))
		}
		if slices.Contains(h.versions, path.Base(dir)) {
			add(path.Dir(name))
		}
	}
	for name, isGo := range h.asked {
		if isGo {
			add(path.Dir(name))
		}
	}
	return slices.DeleteFunc(sources, func(name string) bool { return !dirs[path.Dir(name)] || strings.HasSuffix(name, "_test.go") })
}

// A homeFolder is what the Go files of a folder say of it.
type homeFolder struct {
	root    string            // of its work tree
	dir     string            // from there
	version string            // that its package is called, "" for none
	groups  []string          // that it declares
	named   map[string]string // its constants and variables that may be a group
	by      string            // the one that its group is, with its package; "" = nothing says which
}

// ownVersion is the variable that has the group and version of a package: (1) the group in
// quotes, or (2) what has it.
// Source: sigs.k8s.io/kubebuilder, groupversion_info.go; k8s.io/code-generator, cmd/register-gen.
var ownVersion = lazyregexp.New(`(?m)^\s*(?:var\s+)?(?:Scheme)?GroupVersion\s*=\s*(?:\w+\.)?GroupVersion\{\s*(?:Group:\s*)?(?:"([^"\n]*)"|([\w.]+))`)

// declare notes what a Go file says of its folder, by a marker or the group of its version.
func (f *homeFolder) declare(data []byte) {
	for _, m := range groupMarker.FindAllSubmatch(data, -1) {
		f.groups = append(f.groups, string(m[1]))
	}
	for _, m := range stringConstant.FindAllSubmatch(data, -1) {
		f.named[string(m[1])] = string(bytes.Trim(m[2], `"`))
	}
	if m := ownVersion.FindSubmatch(data); m != nil && len(m[2]) > 0 {
		f.by = string(m[2])
	} else if m != nil {
		f.groups = append(f.groups, string(m[1]))
	}
}

// read reads Go files of a tree, by their folders.
func (h *goHomes) read(w walk, sources []string) (map[string]*homeFolder, error) {
	folders := map[string]*homeFolder{}
	var mu sync.Mutex
	err := w(search{needles: []string{"groupName=", "Group"}, among: h.among(sources)}, func(name string, data []byte) {
		at := homeFolder{root: h.m.rootOf(name), dir: path.Dir(h.m.placeOf(name)), version: find.PackageVersion(data), named: map[string]string{}}
		mu.Lock()
		defer mu.Unlock()
		if folders[path.Dir(name)] == nil {
			folders[path.Dir(name)] = &at
		}
		folders[path.Dir(name)].declare(data)
	})
	return folders, err
}

// groupsIn are the groups that a folder is of, by constants of its own or of the folder above
// it. None where neither says one.
func groupsIn(folders map[string]*homeFolder, at string) []string {
	of, above := folders[at], folders[path.Dir(at)]
	pkg, name, qualified := strings.Cut(of.by, ".")
	is, known := of.named[of.by]
	if qualified && above != nil && pkg == path.Base(above.dir) {
		is, known = above.named[name]
	}
	if known {
		return append(of.groups, is)
	}
	return of.groups
}

// homesOf are what folders say, by the tops of their work trees.
func (m *Migration) homesOf(folders map[string]*homeFolder) map[string]judge.Homes {
	before := map[string][]string{}
	for _, group := range m.rules.Groups() {
		for _, r := range m.rules.RulesOf(group) {
			if to := r.To.Group; to != "" && to != group && r.From.Version != r.To.Version && !slices.Contains(before[to], group) {
				before[to] = append(before[to], group)
			}
		}
	}
	homes := map[string]judge.Homes{}
	for at, of := range folders {
		groups := groupsIn(folders, at)
		if len(groups) == 0 {
			continue
		}
		is, ok := homes[of.root]
		if !ok {
			is = judge.Homes{Groups: map[string][]string{}, Versions: map[string][]string{}, Before: before}
			homes[of.root] = is
		}
		is.Groups[of.dir] = groups
		is.Versions[of.version] = append(is.Versions[of.version], groups...)
	}
	for _, is := range homes {
		for version, groups := range is.Versions {
			is.Versions[version] = slices.Compact(slices.Sorted(slices.Values(groups)))
		}
	}
	return homes
}

// gatherHomes looks again at the files that may be about a version, when it is known of
// which groups the tree has it. The migration is that of the tree alone.
func (m *Migration) gatherHomes(w walk, files *foundFiles, h *goHomes, sources, needles []string) error {
	if !h.asks() {
		return nil
	}
	folders, err := h.read(w, sources)
	if err != nil {
		return err
	}
	if m.homes = m.homesOf(folders); len(m.homes) == 0 {
		return nil
	}
	again := map[string]*File{}
	err = w(search{needles: needles, always: []string{projectName}, among: slices.Sorted(maps.Keys(h.asked))}, func(name string, data []byte) {
		f := m.look(name, data, true)
		files.mu.Lock()
		defer files.mu.Unlock()
		again[name] = f
	})
	files.list = slices.DeleteFunc(files.list, func(f *File) bool { _, ok := again[f.Path]; return ok })
	for _, f := range again {
		files.add(f)
	}
	return err
}
