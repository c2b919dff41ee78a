package migrate

import (
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"

	"github.com/project-codeflare/cfctl/internal/source"
)

// tellBeside tells of the names that stand beside a group of the rules, each once.
func (r *goReader) tellBeside(dir string, list []goBeside, changes func(string, source.Span) bool, add func(string, edit.Outcome)) {
	for _, b := range list {
		group, loose := r.groupBeside(dir, b)
		base, _, _ := strings.Cut(b.name, "/")
		for _, s := range r.steps[group] {
			is, to := s.from.Kind, s.to.Kind
			switch {
			case b.role == find.RoleResource:
				is, to = s.from.Plural, s.to.Plural
			case base == is+"List" && to != is:
				is, to = base, to+"List"
			}
			if is != base || to == "" || to == is || loose && find.IsBuiltInKind(s.from.Kind) {
				continue
			}
			if !changes(b.file, b.at) {
				o := edit.Outcome{Span: b.at, Role: b.role, Rule: s.rule.ID, Ruleset: s.rule.Set, Old: base, New: to}
				add(b.file, o.Leave("go-built", "it is put together with the group "+group+", where it becomes "+to, "write "+to+" here"))
			}
			break
		}
	}
}

// groupBeside is the group of the rules that stands nearest to a name, "" for none; it
// says too whether it is only one of an import.
func (r *goReader) groupBeside(dir string, b goBeside) (group string, loose bool) {
	for _, l := range b.around {
		for _, typ := range l.types {
			if group := r.groupOfType(dir, b, typ); group != "" {
				return group, false
			}
		}
		for _, name := range l.names {
			if group := r.groupOfName(dir, b.file, name); r.steps[group] != nil {
				return group, l.loose
			}
		}
		if l.own {
			return "", false
		}
	}
	return "", false
}

// groupOfName is the group that a dotted name in a file is or has, "" where that is
// not known; that of no name is the one that the package declares.
func (r *goReader) groupOfName(dir, file string, name []string) string {
	if len(name) > 1 {
		if where := r.imports[file][name[0]]; where != "" {
			dir, name = r.packageAt(where), name[1:]
		}
	}
	p := r.packages[dir]
	switch {
	case p == nil:
		return ""
	case len(name) == 0, slices.Contains([]string{"", "Kind", "Resource", "SchemeBuilder"}, name[0]):
		return p.only()
	case p.groups[name[0]] != "":
		return p.groups[name[0]]
	case p.strings[name[0]] != "":
		return p.strings[name[0]]
	case p.apis[name[0]] != "":
		return r.group(dir, p.apis[name[0]])
	}
	return ""
}

// groupOfType is the group of a Go type of the tree whose kind a name says, or its
// resource; "" for any other.
func (r *goReader) groupOfType(dir string, b goBeside, typ []string) string {
	in, name := dir, typ[len(typ)-1]
	if len(typ) > 1 {
		in = r.packageAt(r.imports[b.file][typ[0]])
	}
	p := r.packages[in]
	if p == nil || !slices.ContainsFunc(p.types, func(t goType) bool { return t.name == name }) {
		return ""
	}
	group := p.only()
	if slices.ContainsFunc(r.steps[group], func(s goStep) bool {
		return s.from.Kind == name && (b.name == name || strings.HasPrefix(b.name, s.from.Plural))
	}) {
		return group
	}
	return ""
}

// only is the one group that a package declares, "" where there are several.
func (p *goPackage) only() string {
	group := ""
	for _, is := range p.groups {
		if group != "" && group != is {
			return ""
		}
		group = is
	}
	return group
}

// packageAt is the folder of the package that is imported by a path, "" for one that is
// not in the tree.
func (r *goReader) packageAt(where string) string {
	if r.at == nil {
		r.at = map[string]string{}
	}
	if dir, known := r.at[where]; known {
		return dir
	}
	for _, dir := range slices.Sorted(maps.Keys(r.packages)) {
		if is := r.importPath(dir); is == where || is == "" && strings.HasSuffix(where, "/"+dir) {
			r.at[where] = dir
			return dir
		}
	}
	r.at[where] = ""
	return ""
}
