package migrate

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A constant, a variable or a value of a chart that is a group moves where it is
// defined. Where the rules rename kinds of the group or change its versions, those that
// stand beside its uses, in any file of the tree, are for a person, until they are done.
// Go has its own reader.

// groupConstants are what a tree defines of them, while several workers find it.
type groupConstants struct {
	m     *Migration
	steps map[string][]goStep // those that change more than a group, by old and new groups
	moved []string            // groups that become others

	mu      sync.Mutex
	told    [][]byte // the names of all files, each with a NUL, in blocks that do not grow
	names   []string // of those that may use one: see files
	defined []definedConstant
}

// A definedConstant is a constant with its group and its file.
type definedConstant struct {
	find.Constant
	group, file string
	place       string // of the file in its work tree
	format      string
	left        bool // it is for a person itself
}

// newGroupConstants is nil where nothing changes that a constant may say, and while both
// groups are served.
func (m *Migration) newGroupConstants() *groupConstants {
	if m.opts.Dual {
		return nil
	}
	c := &groupConstants{m: m}
	if m.goTypes != nil {
		c.steps = m.goTypes.steps
	}
	for _, group := range m.rules.Groups() {
		if strings.Contains(group, ".") && slices.ContainsFunc(m.rules.RulesOf(group), func(r rules.Rule) bool { return r.To.Group != "" && r.To.Group != group }) {
			c.moved = append(c.moved, group)
		}
	}
	if len(c.steps) == 0 && len(c.moved) == 0 {
		return nil
	}
	return c
}

// without are the formats whose files use no such constants, or are read otherwise.
var without = []string{"go", "markdown", "notebook", "json", "text"}

// tell hears of a file of the tree.
func (c *groupConstants) tell(name []byte) {
	if c == nil || len(c.steps) == 0 && bytes.HasSuffix(name, []byte("ml")) && !bytes.Contains(name, []byte("templates/")) {
		return // YAML has kinds beside constants, and keys that are made of them in charts alone
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	last := len(c.told) - 1
	if last < 0 || len(c.told[last])+len(name) >= cap(c.told[last]) {
		c.told = append(c.told, make([]byte, 0, max(toldBlock, len(name)+1)))
		last++
	}
	c.told[last] = append(append(c.told[last], name...), 0)
}

// toldBlock is the size of a block of names.
const toldBlock = 64 << 10

// files are the files that may use a constant, never nil. They are sorted out when they
// are asked for, which in most trees is never.
func (c *groupConstants) files() []string {
	if c.names == nil {
		c.names = []string{}
		for name := range bytes.SplitSeq(slices.Concat(c.told...), []byte{0}) {
			if len(name) > 0 && !slices.Contains(without, find.FormatOf(string(name), nil).Name) {
				c.names = append(c.names, string(name))
			}
		}
	}
	return c.names
}

// derived are the names of a file that are made of others.
var derived = find.Derived

// owns notes the constants that a file of the first walk defines.
func (c *groupConstants) owns(name string, data []byte) {
	if c == nil {
		return
	}
	format := find.FormatOf(name, data).Name
	if slices.Contains(without, format) {
		return
	}
	groups := slices.AppendSeq(slices.Clone(c.moved), maps.Keys(c.steps))
	slices.Sort(groups)
	for _, group := range slices.Compact(groups) {
		own := find.Constants(name, data, group)
		if len(own) == 0 {
			continue // nothing is made of a name that is not there
		}
		at := map[string]source.Span{}
		for _, x := range own {
			at[x.Name] = x.At
		}
		made := derived(data, func(name string) bool { return at[name].Len() > 0 })
		for _, fresh := range slices.Sorted(maps.Keys(made)) {
			own = append(own, find.Constant{Name: fresh, At: at[made[fresh]]})
		}
		for _, x := range own {
			c.mu.Lock()
			c.defined = append(c.defined, definedConstant{Constant: x, group: group, file: name, place: c.m.placeOf(name), format: format})
			c.mu.Unlock()
		}
	}
}

// ask looks at the files that hold a kind or resource which is renamed, and tells of
// those that stand beside a constant.
func (c *groupConstants) ask(w walk, files []*File, x *faults) ([]*File, error) {
	if c == nil {
		return files, nil
	}
	slices.SortFunc(c.defined, func(a, b definedConstant) int {
		return strings.Compare(a.file+"\x00"+a.Name+"\x00"+a.group, b.file+"\x00"+b.Name+"\x00"+b.group)
	})
	if err := c.leaveKeys(w, files); err != nil {
		return nil, err
	}
	c.defined = slices.DeleteFunc(c.defined, func(d definedConstant) bool { return len(c.steps[d.group]) == 0 || !c.moves(files, d) })
	for i, d := range c.defined {
		c.defined[i].left = leftIn(files, d)
	}
	if len(c.defined) == 0 {
		return files, nil
	}
	var mu sync.Mutex
	told, contents := map[string][]edit.Outcome{}, map[string][]byte{}
	err := w(search{needles: c.needles(), among: c.files()}, func(name string, data []byte) {
		if list := c.beside(name, data); len(list) > 0 {
			mu.Lock()
			defer mu.Unlock()
			told[name], contents[name] = list, bytes.Clone(data)
		}
	})
	for _, name := range slices.Sorted(maps.Keys(told)) {
		x.try(c.m, name, contents[name], func() { files = c.m.tell(files, name, contents[name], notSited(files, name, told[name])) })
	}
	return files, err
}

// moves says whether a constant has the new group of the rules, or will have it.
func (c *groupConstants) moves(files []*File, d definedConstant) bool {
	if !slices.ContainsFunc(c.steps[d.group], func(s goStep) bool { return s.from.Group == d.group && s.to.Group != d.group }) {
		return true
	}
	return overwrites(files)(d.file, d.At)
}

// leftIn says whether the group of a constant is for a person where it stands.
func leftIn(files []*File, d definedConstant) bool {
	i := slices.IndexFunc(files, func(f *File) bool { return f.Path == d.file })
	return i >= 0 && slices.ContainsFunc(files[i].Sites, func(s Site) bool { return s.Action() == Person && s.Start < d.At.End && d.At.Start < s.End })
}

// notSited leaves out what would be told of places that something is said of already.
func notSited(files []*File, name string, list []edit.Outcome) []edit.Outcome {
	i := slices.IndexFunc(files, func(f *File) bool { return f.Path == name })
	if i < 0 {
		return list
	}
	return slices.DeleteFunc(list, func(o edit.Outcome) bool {
		return slices.ContainsFunc(files[i].Sites, func(s Site) bool { return s.Start < o.End && o.Start < s.End })
	})
}

// needles are the kinds, resources and versions that become others.
func (c *groupConstants) needles() []string {
	var list []string
	for _, group := range slices.Sorted(maps.Keys(c.steps)) {
		for _, s := range c.steps[group] {
			for _, name := range []string{s.from.Kind, s.from.Plural, s.from.Version} {
				if name != "" && name != s.to.Kind && name != s.to.Plural && name != s.to.Version && !slices.Contains(list, name) {
					list = append(list, name)
				}
			}
		}
	}
	return list
}

// becomes says what a kind, its list or its singular, or a resource of a group becomes; of a
// version see versionOf.
// A name that some kind has in the group after the rules is not asked about.
func (c *groupConstants) becomes(group string, role find.Role, name string, beside []string) (string, rules.Rule, bool) {
	if role == find.RoleVersion {
		return c.versionOf(group, name, beside)
	}
	for _, s := range c.steps[group] {
		for _, x := range []struct {
			role   find.Role
			is, to string
		}{
			{find.RoleResource, s.from.Plural, s.to.Plural},
			{find.RoleKind, s.from.Kind, s.to.Kind},
			{find.RoleKind, s.from.Kind + "List", s.to.Kind + "List"},
			{find.RoleKind, strings.ToLower(s.from.Kind), strings.ToLower(s.to.Kind)},
		} {
			taken := func(other goStep) bool { return other.to.Kind == name || other.to.Plural == name }
			if x.role == role && x.is == name && x.to != "" && x.to != x.is && !slices.ContainsFunc(c.steps[group], taken) {
				return x.to, s.rule, true
			}
		}
	}
	return "", rules.Rule{}, false
}

// versionOf says what a version of a group becomes beside names that may be kinds or resources.
func (c *groupConstants) versionOf(group, version string, beside []string) (string, rules.Rule, bool) {
	s, ok := versionStep(c.steps[group], version, beside)
	return s.to.Version, s.rule, ok
}

// versionStep is the step that gives a version another name beside names that may be kinds or
// resources: that for one of them; where none of them is known, that for the first kind for which
// it changes. A version that some rule gives is not asked about.
func versionStep(steps []goStep, version string, beside []string) (goStep, bool) {
	var first *goStep
	known := false
	for i, s := range steps {
		if s.to.Version == version && s.from.Version != version {
			return goStep{}, false
		}
		own := s.isNamed(beside)
		known = known || own
		if s.from.Version != version || s.to.Version == "" || s.to.Version == version {
			continue
		}
		if own {
			return s, true
		}
		if first == nil || first.from.Kind != "" && s.from.Kind == "" {
			first = &steps[i]
		}
	}
	if first == nil || first.from.Kind != "" && (known || slices.ContainsFunc(beside, rules.KindName.MatchString)) {
		return goStep{}, false
	}
	return *first, true
}

// isNamed says whether one of several names is a kind or the resource of a step, before it or
// behind it.
func (s goStep) isNamed(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return name != "" && slices.Contains([]string{s.from.Kind, s.to.Kind, s.from.Plural, s.to.Plural}, name)
	})
}

// beside are the names that stand beside constants in a file.
func (c *groupConstants) beside(name string, data []byte) []edit.Outcome {
	format := find.FormatOf(name, data)
	if slices.Contains(without, format.Name) {
		return nil
	}
	groups := map[string][]string{}
	for _, d := range c.defined {
		if d.left && d.file == name {
			continue // the line about it says the same
		}
		if !slices.Contains(groups[d.Name], d.group) && bytes.Contains(data, []byte(d.Name)) && d.usedBy(c.m.placeOf(name), format, data) {
			groups[d.Name] = append(groups[d.Name], d.group)
		}
	}
	if len(groups) == 0 || c.m.stays(c.m.placeOf(name), data) {
		return nil
	}
	for range 2 { // of names that are made of others
		for fresh, of := range find.Derived(data, func(name string) bool { return groups[name] != nil }) {
			groups[fresh] = groups[of]
		}
	}
	return edit.Constants{Groups: groups, Becomes: c.becomes}.Beside(format, data)
}

// usedBy says whether a file, by its place in its work tree, may use a constant: its own,
// one of a file whose name or folder it names, a value of its chart, a variable of a
// script beside it.
func (d definedConstant) usedBy(name string, format find.Format, data []byte) bool {
	switch {
	case name == d.place:
		return true
	case !d.Shared(), givenOtherwise(data, d.Name):
		return false
	case d.format == "yaml":
		return strings.HasPrefix(name, path.Dir(d.place)+"/") || path.Dir(d.place) == "."
	case d.format == "shell" && (format.Name == "shell" || format.Is(find.Objects)):
		return path.Dir(name) == path.Dir(d.place) || bytes.Contains(data, []byte(path.Base(d.file)))
	}
	stem := strings.TrimSuffix(path.Base(d.file), path.Ext(d.file))
	return d.format == format.Name && (saysWord(data, stem) || wholeFolder.MatchString(stem) && saysWord(data, path.Base(path.Dir(d.place))))
}

// wholeFolder is the name of a file that stands for its folder, or for all below it.
// Source: Python's __init__.py, index.ts of Node's resolution, mod.rs of Rust.
var wholeFolder = lazyregexp.New(`^(__init__|index|mod)$`)

// givenOtherwise says whether a file gives a name a string of its own.
func givenOtherwise(data []byte, name string) bool {
	for at := 0; ; {
		n := bytes.Index(data[at:], []byte(name))
		if n < 0 {
			return false
		}
		at += n + len(name)
		if ownString.Match(data[at:min(len(data), at+text.Nearby)]) && (at == len(name) || !text.IsIdent(data[at-len(name)-1])) {
			return true
		}
	}
}

var ownString = lazyregexp.New(`^(\s*:\s*&?[\w<>\[\]' ]+)?\s*(:=|\?=|=)\s*["'\x60]`)

// saysWord says whether a text has a word.
func saysWord(data []byte, word string) bool {
	for at := 0; word != ""; {
		n := bytes.Index(data[at:], []byte(word))
		if n < 0 {
			return false
		}
		from, to := at+n, at+n+len(word)
		if (from == 0 || !text.IsIdent(data[from-1])) && (to == len(data) || !text.IsIdent(data[to])) {
			return true
		}
		at = to
	}
	return false
}
