package migrate

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Go modules that belong to a migration are updated by hand: cfctl lists the
// pins of go.mod and the imports of packages that move, each with its command.
// Source: https://go.dev/ref/mod#go-mod-file

// modName is the file of the pins.
const modName = "go.mod"

// wantedVersion is the version that the command of a module asks for, "" when
// it names none.
func wantedVersion(x rules.Module) string {
	_, v, _ := strings.Cut(x.Run, "@")
	v, _, _ = strings.Cut(v, " ")
	return semver.Canonical(v)
}

// modules are those of all rulesets.
func (x *reading) modules() []rules.Module {
	var list []rules.Module
	for _, set := range x.opts.Rulesets {
		for _, x := range set.Modules {
			if x.Set = set.Name; x.To == x.From {
				x.To = "" // only the version changes
			}
			list = append(list, x)
		}
	}
	return list
}

// pins finds the requirements of a go.mod in a folder that must be updated by hand, and
// the packages whose imports go with them. What is required indirectly is updated by what requires it.
func (x *reading) pins(dir string, data []byte) (sites []Site, moving []rules.Module) {
	mod, err := modfile.ParseLax(modName, data, nil)
	if err != nil {
		return nil, nil // the Go command says what is wrong
	}
	for _, r := range mod.Require {
		for _, x := range x.modules() {
			if x.From != r.Mod.Path && !strings.HasPrefix(x.From, r.Mod.Path+"/") {
				continue
			}
			if x.To != "" {
				moving = append(moving, x)
			}
			want := wantedVersion(x)
			if r.Indirect || x.From != r.Mod.Path || want != "" && semver.Compare(r.Mod.Version, want) >= 0 {
				continue
			}
			why := "this version has the old API"
			if x.To != "" {
				why = "its packages are in " + x.To + " now"
			}
			at := r.Syntax.Start.Byte
			sites = append(sites, ofModule(source.Span{Start: at, End: at}, r.Mod.Path+" "+r.Mod.Version, x.Set, why, x.Run).To(dir))
		}
	}
	return sites, moving
}

// ofModule is the site of a module or package that is updated by hand.
func ofModule(at source.Span, old, set, why, hint string) Site {
	s := core.At(at, roleImport, old).As(judge.Because(judge.Module, why).Hinted(hint))
	s.Rule.Set = set
	return s
}

// imports finds the imports of a Go file that move.
func imports(name string, data []byte, moving []rules.Module) []Site {
	var sites []Site
	for _, imported := range core.GoImports(data) {
		var best rules.Module // the longest path
		for _, x := range moving {
			if (imported.Path == x.From || strings.HasPrefix(imported.Path, x.From+"/")) && len(x.From) > len(best.From) {
				best = x
			}
		}
		if best.From == "" {
			continue
		}
		fresh := best.To + strings.TrimPrefix(imported.Path, best.From)
		sites = append(sites, ofModule(imported.Span, imported.Path, best.Set, "the package is "+fresh+" now", replaceImport(imported.Path, fresh, name)).To("."))
	}
	return sites
}

// An otherPackage is a package of another module with a kind of the rules that a file
// with the old group uses, or the package of a version that a rule replaces.
type otherPackage struct{ file, path, kind, version string }

// otherPackages finds the packages of other modules that are named like a version and
// from which a Go file takes a kind that leaves a group, which the file names as it was or
// as it is now, and those that are named like a group and a version for which the rules have
// another one. A file that defines a group has an entry without a path.
func (x *reading) otherPackages(name string, data []byte) (list []otherPackage) {
	var stepped, moved []string // groups
	for _, g := range x.rules.Groups() {
		if bytes.Contains(data, []byte("/"+g+"/")) {
			stepped = append(stepped, g)
		}
		if x.concord == nil || len(x.rules.RulesOf(g).Kinds()) == 0 {
			continue
		}
		either := append([]string{g}, x.concord.pairs[g]...)
		switch {
		case slices.ContainsFunc(either, func(n string) bool { return definesGroup(data, n) }):
			return []otherPackage{{file: name}}
		case slices.ContainsFunc(either, func(n string) bool { return bytes.Contains(data, []byte(n)) }):
			moved = append(moved, g)
		}
	}
	if len(stepped)+len(moved) == 0 {
		return nil
	}
	for _, imported := range core.GoImports(data) {
		dir, version := path.Split(imported.Path)
		for _, group := range stepped {
			if a := x.rules.Ask(rules.GVK{Group: group, Version: version}); strings.HasSuffix(dir, "/"+group+"/") && a.Outcome == rules.Moves && a.To.Version != "" && a.To.Version != version {
				list = append(list, otherPackage{file: name, path: imported.Path, version: a.To.Version})
			}
		}
		if !names.IsVersion(version) {
			continue
		}
		for _, group := range moved {
			for _, kind := range x.rules.RulesOf(group).Kinds() {
				a := x.rules.Ask(rules.GVK{Group: group, Version: version, Kind: kind})
				if a.Outcome != rules.Moves || a.To.Group == group || a.To.Version != "" && a.To.Version != version {
					continue // a new version is another package
				}
				if _, rest, ok := bytes.Cut(data, []byte(imported.Name+"."+kind)); ok && (len(rest) == 0 || !text.IsWordByte(rest[0])) {
					list = append(list, otherPackage{file: name, path: imported.Path, kind: kind})
				}
			}
		}
	}
	return list
}

// tellOthers reports the modules in go.mod whose packages have kinds that the rules
// move: they may still register the old group.
func (x *reading) tellOthers() {
	uses := x.others
	if slices.ContainsFunc(uses, func(u otherPackage) bool { return u.path == "" }) {
		return // the tree has the API itself
	}
	slices.SortFunc(uses, func(a, b otherPackage) int { return cmp.Compare(a.file+a.path+a.kind, b.file+b.path+b.kind) })
	own := map[string]bool{}
	for _, data := range x.mods {
		own[modfile.ModulePath(data)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(x.mods)) {
		mod, err := modfile.Parse(modName, x.mods[name], nil) // the lax one leaves out what is replaced
		if err != nil {
			continue
		}
		var sites []Site
		for _, r := range mod.Require {
			i := slices.IndexFunc(uses, func(u otherPackage) bool { return strings.HasPrefix(u.path, r.Mod.Path+"/") })
			replaced := slices.ContainsFunc(mod.Replace, func(o *modfile.Replace) bool { return o.Old.Path == r.Mod.Path && o.New.Version == "" })
			known := slices.ContainsFunc(x.modules(), func(known rules.Module) bool { return known.From == r.Mod.Path || known.To == r.Mod.Path })
			if i < 0 || own[r.Mod.Path] || replaced || known {
				continue
			}
			at := r.Syntax.Start.Byte
			why := uses[i].file + " takes " + uses[i].kind + " from " + uses[i].path + ", which this version may register under the old group"
			hint := "update the module to a version with the new group, and list it under modules: in the ruleset"
			if u := uses[i]; u.version != "" {
				why, hint = u.file+" imports "+u.path+", the package of the old version", "import the package of "+u.version+"; update the module first where it has none"
				var more []string
				for _, other := range uses {
					if rest, ok := strings.CutPrefix(other.path, r.Mod.Path+"/"); ok && other.version != "" && other.path != u.path {
						more = append(more, rest)
					}
				}
				if len(more) > 0 {
					why += "; others import " + strings.Join(distinct(more), ", ")
				}
			}
			sites = append(sites, ofModule(source.Span{Start: at, End: at}, r.Mod.Path+" "+r.Mod.Version, "", why, hint))
		}
		x.tell(name, x.mods[name], sites)
	}
}

// tellModules adds what the go.mod files of a tree pin, and the imports of packages that
// move with them.
func (x *reading) tellModules(w walk) error {
	var moving []rules.Module
	for _, name := range slices.Sorted(maps.Keys(x.mods)) {
		sites, more := x.pins(path.Dir(name), x.mods[name])
		x.tell(name, x.mods[name], sites)
		moving = append(moving, more...)
	}
	if len(moving) == 0 {
		return nil
	}
	s := search{among: x.sources.all}
	for _, m := range moving {
		s.needles = append(s.needles, m.From)
	}
	return w(s, func(name string, data []byte) { x.tell(name, data, imports(name, data, moving)) })
}

// tell adds sites that need review to a file, which may be among the files already.
func (x *reading) tell(name string, data []byte, told []Site) {
	own := x.newFile(name, data)
	if len(told) == 0 || own.unchosen {
		return
	}
	told, marks := x.acknowledge(data, x.placeOf(name), told)
	sites := positioned(data, told)
	x.mu.Lock()
	defer x.mu.Unlock()
	f := x.files[name]
	switch {
	case f == nil:
		x.files[name], own.Sites = own, sites
		return
	case f.Skip != nil || f.unchosen:
		return
	}
	f.Sites = slices.DeleteFunc(f.Sites, func(s Site) bool { // an import is told of once
		return s.Role() == roleImport && slices.ContainsFunc(sites, func(o Site) bool { return o.Start <= s.Start && s.End <= o.End })
	})
	f.Sites = append(f.Sites, sites...)
	f.unused = slices.DeleteFunc(slices.Clone(f.unused), func(s Site) bool { return slices.Contains(marks, s.Span) }) // it keeps something after all
	slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
}
