package migrate

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// tellTypes adds what is to be done about the Go types of the API to files.
func (m *Migration) tellTypes(files []*File, r *goReader, x *faults) []*File {
	if r == nil || !r.asks() {
		return files
	}
	sites := map[string][]edit.Outcome{}
	add := func(file string, s edit.Outcome) {
		if !slices.ContainsFunc(sites[file], func(x edit.Outcome) bool { return x.Span == s.Span && x.Reason == s.Reason && x.Role == s.Role }) {
			sites[file] = append(sites[file], s)
		}
	}
	renames := map[string]string{} // import path and type, to the command that renames it
	for _, dir := range slices.Sorted(maps.Keys(r.packages)) {
		p := r.packages[dir]
		for _, group := range slices.Sorted(maps.Keys(r.groupsOf(dir, p))) {
			x.try(m, p.first(dir), nil, func() {
				for _, k := range r.kinds[group] {
					r.tellType(dir, p, k, renames, add)
				}
				m.tellVersion(r, dir, p, group, add)
			})
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(r.packages)) {
		p := r.packages[dir]
		x.try(m, p.first(dir), nil, func() { r.tellUses(p, renames, add) })
	}
	for _, dir := range slices.Sorted(maps.Keys(r.packages)) {
		p := r.packages[dir]
		x.try(m, p.first(dir), nil, func() {
			for _, g := range p.built {
				if !r.isPackages(dir, g) {
					r.tellBuilt(dir, g, overwrites(files), add)
				}
			}
			r.tellBeside(dir, p.beside, overwrites(files), add)
		})
	}
	for _, name := range slices.Sorted(maps.Keys(sites)) {
		data := r.files[name]
		x.try(m, name, data, func() {
			if !m.stays(m.placeOf(name), data) {
				files = m.tell(files, name, data, withoutChanged(files, name, leaveVersions(files, name, sites[name])))
				m.proveAgain(files, name, data)
			}
		})
	}
	return files
}

// asks says whether a tree has a group of the rules in Go code.
func (r *goReader) asks() bool {
	return r.named || slices.ContainsFunc(slices.Collect(maps.Values(r.packages)), func(p *goPackage) bool { return len(p.groups) > 0 })
}

// first is a file of a package, or its folder where none is known.
func (p *goPackage) first(dir string) string {
	switch {
	case len(p.said) > 0:
		return p.said[0].file
	case len(p.types) > 0:
		return p.types[0].file
	case len(p.uses) > 0:
		return p.uses[0].file
	}
	return dir
}

// leaveVersions leaves to a person what would change of the version of a package, and
// gives the rest of what is to be told.
func leaveVersions(files []*File, name string, told []edit.Outcome) []edit.Outcome {
	i := slices.IndexFunc(files, func(f *File) bool { return f.Path == name })
	if i < 0 {
		return told
	}
	f := files[i]
	return slices.DeleteFunc(told, func(o edit.Outcome) bool {
		at := slices.IndexFunc(f.Sites, func(s Site) bool { return s.Action() == Change && o.Start <= s.Start && s.End <= o.End })
		if o.Role != find.RoleVersion || o.Reason != "go-type" || at < 0 {
			return false
		}
		o.Span = source.Span{Start: f.Sites[at].Start, End: f.Sites[at].End}
		f.Sites[at], f.left = f.Sites[at].with(o), true
		return true
	})
}

// withoutChanged leaves out what would be told of places that change.
func withoutChanged(files []*File, name string, sites []edit.Outcome) []edit.Outcome {
	changes := overwrites(files)
	return slices.DeleteFunc(sites, func(s edit.Outcome) bool { return changes(name, s.Span) })
}

// overwrites says of a place of a file whether something is written over it.
func overwrites(files []*File) func(name string, at source.Span) bool {
	return func(name string, at source.Span) bool {
		i := slices.IndexFunc(files, func(f *File) bool { return f.Path == name })
		return i >= 0 && slices.ContainsFunc(files[i].Sites, func(x Site) bool { return x.Action() == Change && x.Start < at.End && at.Start < x.End })
	}
}

// proveAgain proves a file to which changes were added.
func (m *Migration) proveAgain(files []*File, name string, data []byte) {
	i := slices.IndexFunc(files, func(f *File) bool { return f.Path == name })
	if i < 0 || !slices.ContainsFunc(files[i].Sites, func(s Site) bool { return s.Action() == Change }) {
		return
	}
	f := files[i]
	f.format = find.FormatOf(name, data)
	if err := f.prove(data); err != nil {
		f.fail(err)
	}
}

// tellType tells of a type that has the old name of its kind: once for the
// package. Markers that name its resource follow the kind.
func (r *goReader) tellType(dir string, p *goPackage, k renamedKind, renames map[string]string, add func(string, edit.Outcome)) {
	var commands []string
	var first *goType
	for i := range p.types {
		t := &p.types[i]
		for _, at := range t.markers {
			if t.name == k.kind || t.name == k.fresh {
				r.markers(t.file, at, k, add)
			}
		}
		if t.name != k.kind && t.name != k.kind+"List" {
			continue
		}
		if first == nil || t.name == k.kind {
			first = t
		}
		commands = append(commands, report.Shell("gopls", "rename", "-w", edit.Operand(t.file)+":"+t.pos, k.fresh+strings.TrimPrefix(t.name, k.kind)))
	}
	if first == nil {
		return
	}
	run := strings.Join(commands, " && ")
	for _, name := range []string{k.kind, k.kind + "List"} {
		renames[r.importPath(dir)+" "+name] = run
	}
	o := edit.Outcome{Span: first.at, Role: find.RoleKind, Rule: k.rule.ID, Ruleset: k.rule.Set, Old: first.name, New: k.fresh}
	add(first.file, o.LeaveTo("go-type", "the Go type of a kind that becomes "+k.fresh+", with its list, its registration and its uses", ".", run))
}

// markers rewrites the path and the singular in a marker of a type.
func (r *goReader) markers(file string, at source.Span, k renamedKind, add func(string, edit.Outcome)) {
	data := r.files[file]
	line := at.Of(data)
	for _, arg := range []struct{ name, old, fresh string }{
		{"path", k.rule.From.Plural, k.rule.To.Plural}, {"singular", strings.ToLower(k.kind), strings.ToLower(k.fresh)},
	} {
		span, ok := edit.Argument(line, arg.name)
		if !ok || arg.fresh == "" {
			continue
		}
		is := string(span.Of(line))
		if is != arg.old && !(arg.name == "path" && slices.Contains(rules.Plurals(k.kind), is)) {
			continue
		}
		place := source.Span{Start: at.Start + span.Start, End: at.Start + span.End}
		e, err := text.Whole(data).Edit(place, is, arg.fresh)
		if err == nil {
			add(file, edit.Outcome{Span: place, Role: find.RoleMarker, Rule: k.rule.ID, Ruleset: k.rule.Set, Old: is, New: arg.fresh}.Write(e))
		}
	}
}

// tellUses tells once for each package of the types of others that it uses.
func (r *goReader) tellUses(p *goPackage, renames map[string]string, add func(string, edit.Outcome)) {
	told := map[string]bool{}
	slices.SortFunc(p.uses, func(a, b goUse) int {
		if n := strings.Compare(a.file, b.file); n != 0 {
			return n
		}
		return a.at.Start - b.at.Start
	})
	for _, u := range p.uses {
		run := renames[u.imported+" "+u.name]
		if run == "" || told[run] {
			continue
		}
		told[run] = true
		add(u.file, edit.Outcome{Span: u.at, Role: find.RoleKind, Old: u.name}.LeaveTo("go-type", "a Go type of "+u.imported+" whose kind becomes another one; renaming the type renames its uses", ".", run))
	}
}

// tellVersion tells of a package that is a version which becomes another one,
// until a package of that version is there.
func (m *Migration) tellVersion(r *goReader, dir string, p *goPackage, group string, add func(string, edit.Outcome)) {
	for _, s := range p.said {
		version, file, at := r.versionOf(dir, s)
		if version == "" || version != r.folder(dir) && !declares.Match(r.files[s.file]) || r.groupNamed(dir, s.file, s.group) != group {
			continue
		}
		ver, ok := m.versionOf(group, version)
		if !ok || r.hasVersion(group, ver.To.Version) || r.hasVersion(ver.To.Group, ver.To.Version) {
			continue
		}
		hint := "make a package of " + ver.To.Version + ", serve both versions, and run cfctl again"
		if r.folder(dir) == version {
			hint = "copy " + dir + " to " + path.Join(dir, "..", ver.To.Version) + " with package " + ver.To.Version + ", serve both versions, and run cfctl again"
		}
		o := edit.Outcome{Span: at, Role: find.RoleVersion, Rule: ver.Rule.ID, Ruleset: ver.Rule.Set, Old: version, New: ver.To.Version}
		add(file, o.Leave("go-type", "this package is "+group+"/"+version+", which becomes "+ver.To.Version+"; the tree has no package of that", hint))
		return
	}
}

// versionOf is what a version of a group becomes for one of its kinds at least, before the group
// is renamed or afterwards: a package is a version, and only a person can make another one of it.
func (m *Migration) versionOf(group, version string) (rules.Answer, bool) {
	for _, x := range m.rules.RulesOf(group) {
		ver := m.rules.Ask(rules.GVK{Group: group, Version: version, Kind: x.From.Kind})
		if ver.Outcome == rules.Moves && ver.To.Version != version {
			return ver, true
		}
	}
	for _, from := range m.rules.Groups() {
		for _, x := range m.rules.RulesOf(from) {
			if x.From.Group != group && x.To.Group == group && x.From.Version == version && x.To.Version != version && !x.Gone() {
				return rules.Answer{Rule: x, Outcome: rules.Moves, To: x.To}, true
			}
		}
	}
	return rules.Answer{}, false
}

// hasVersion says whether a package of the tree is a version of a group.
func (r *goReader) hasVersion(group, version string) bool {
	for dir, p := range r.packages {
		for _, s := range p.said {
			if v, _, _ := r.versionOf(dir, s); v == version && r.groupNamed(dir, s.file, s.group) == group {
				return true
			}
		}
	}
	return false
}
