package migrate

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// tellBeside tells of the names that stand beside a group of the rules, each once: where
// a string stands, or the constant is defined that is one.
func (r *goReader) tellBeside(dir string, list []goBeside, changes func(string, source.Span) bool, add func(string, edit.Outcome)) {
	for _, b := range list {
		said, ok := r.said(dir, b)
		if !ok {
			continue
		}
		group, loose := r.groupBeside(dir, b, said, changes)
		s, ok := r.stepOf(group, said)
		if said.role == find.RoleVersion {
			s, ok = versionStep(r.steps[group], said.name, r.kindsAround(said.file, group, said.at))
		}
		if !ok || loose && (said.role == find.RoleVersion || find.IsBuiltInKind(s.from.Kind)) || changes(said.file, said.at) {
			continue
		}
		is, to := s.renames(said)
		why := "it is put together with the group " + group + ", where it becomes " + s.says(said.role, to)
		if b.word != nil {
			why = b.file + ":" + strconv.Itoa(b.used) + " puts it together with the group " + group + ", where it becomes " + s.says(said.role, to)
		}
		o := edit.Outcome{Span: said.at, Role: said.role, Rule: s.rule.ID, Ruleset: s.rule.Set, Old: is, New: to}
		add(said.file, o.Leave("go-built", why, "write "+to+" here"))
	}
}

// says is what a name becomes, with the kind for which a version does.
func (s goStep) says(role find.Role, to string) string {
	if role == find.RoleVersion && s.from.Kind != "" {
		return to + " for " + s.from.Kind
	}
	return to
}

// kindsAround are the kinds and resources of a group that stand in quotes in the innermost
// brackets around a place of a Go file, and the kind that a field there says.
func (r *goReader) kindsAround(file, group string, at source.Span) []string {
	data := r.files[file]
	in, own := bracketsAround(data, at)
	var list []string
	for _, m := range quotedWord.FindAllSubmatch(in.Of(data), -1) {
		if word := string(m[1]); slices.ContainsFunc(r.steps[group], func(s goStep) bool { return s.isNamed([]string{word}) }) {
			list = append(list, word)
		}
	}
	if m := kindField.FindSubmatch(own); m != nil {
		list = append(list, string(m[1]))
	}
	return list
}

var (
	quotedWord = lazyregexp.New("[\"`]([A-Za-z][A-Za-z0-9]*)[\"`]")
	kindField  = lazyregexp.New("\\b[kK]ind\"?\\s*:\\s*\"([A-Z][A-Za-z0-9]*)\"")
)

// bracketsAround is what stands in the innermost brackets around a place, as far as it is near,
// and the same without what stands in brackets of its own.
func bracketsAround(data []byte, at source.Span) (in source.Span, own []byte) {
	in = source.Span{Start: max(0, at.Start-4*text.Nearby), End: min(len(data), at.End+4*text.Nearby)}
	var open []int // the brackets that are open where the place begins, and what they hold so far
	for i := in.Start; i < at.Start; i++ {
		switch b := data[i]; {
		case b == '{' || b == '(':
			open = append(open, i+1)
		case (b == '}' || b == ')') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		in.Start = open[len(open)-1]
	}
	depth := 0
	for i := in.Start; i < in.End; i++ {
		switch b := data[i]; {
		case b == '{' || b == '(':
			depth++
		case (b == '}' || b == ')') && depth == 0 && i >= at.End:
			in.End = i
		case b == '}' || b == ')':
			depth--
		case depth == 0:
			own = append(own, b)
		}
	}
	return in, own
}

// stepOf is the step of a group that gives what a name says another name.
func (r *goReader) stepOf(group string, said goWord) (goStep, bool) {
	for _, s := range r.steps[group] {
		if is, to := s.renames(said); to != is {
			return s, true
		}
	}
	return goStep{}, false
}

// renames is what a step makes of a kind, its list or a resource, without a subresource;
// the same twice for a name that it does not change.
func (s goStep) renames(said goWord) (is, to string) {
	base, _, _ := strings.Cut(said.name, "/")
	for _, x := range []struct {
		role   find.Role
		is, to string
	}{
		{find.RoleVersion, s.from.Version, s.to.Version}, {find.RoleResource, s.from.Plural, s.to.Plural}, {find.RoleKind, s.from.Kind, s.to.Kind}, {find.RoleKind, s.from.Kind + "List", s.to.Kind + "List"},
	} {
		if x.role == said.role && x.is == base && x.to != "" && (x.role == find.RoleVersion || s.to.Kind != "") {
			return base, x.to
		}
	}
	return base, base
}

// groupBeside is the group of the rules that stands nearest to a name, "" for none; it
// says too whether it is only one of an import, or of the package. One that is spelled
// out counts where it moves, or has moved: what stays stays with all beside it.
func (r *goReader) groupBeside(dir string, b goBeside, said goWord, changes func(string, source.Span) bool) (group string, loose bool) {
	for _, l := range b.around {
		if l.fun != nil && !r.takes(dir, b.file, l.fun, l.arg) {
			continue
		}
		for _, typ := range l.types {
			if group := r.groupOfType(dir, b, said, typ); group != "" {
				return group, false
			}
		}
		for _, name := range l.names {
			group := r.groupOfName(dir, b.file, name, said)
			if _, is := r.stepOf(group, said); is || !l.loose && r.steps[group] != nil {
				return group, l.loose
			}
		}
		for _, text := range l.texts {
			if s, is := r.stepOf(text.group, said); is && (s.to.Group == text.group || changes(b.file, text.at)) {
				return text.group, false
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
func (r *goReader) groupOfName(dir, file string, name []string, said goWord) string {
	return r.groupFrom(dir, file, name, said, 0)
}

// groupFrom is groupOfName behind some other names.
func (r *goReader) groupFrom(dir, file string, name []string, said goWord, far int) string {
	if len(name) > 1 {
		if where := r.imports[file][name[0]]; where != "" {
			dir, name = r.packageAt(where), name[1:]
			if dir == "" && ofAPI(name) {
				return r.outside(where, said)
			}
		}
	}
	p := r.packages[dir]
	switch {
	case p == nil:
		return ""
	case len(name) == 0, slices.Contains([]string{"", "Kind", "Resource", "SchemeBuilder"}, name[0]):
		return r.only(p)
	case p.groups[name[0]] != "":
		return p.groups[name[0]]
	case p.strings[name[0]] != "":
		return p.strings[name[0]]
	case p.apis[name[0]] != "":
		return r.group(dir, p.apis[name[0]])
	case p.aliases[name[0]].file != "" && far < farthestAlias:
		is := p.aliases[name[0]]
		return r.groupFrom(dir, is.file, slices.Concat(is.name, name[1:]), said, far+1)
	}
	return ""
}

// farthestAlias is how many names that are other names are followed.
const farthestAlias = 4

// ofAPI says whether a name of a package is one that packages of APIs have for their
// group, or is left out.
func ofAPI(name []string) bool {
	return slices.Contains([]string{"", "Kind", "Resource", "SchemeBuilder", "Group", "GroupName", "GroupVersion", "SchemeGroupVersion"}, name[0])
}

// groupOfType is the group of a Go type of the tree whose kind a name says, or its
// resource; "" for any other.
func (r *goReader) groupOfType(dir string, b goBeside, said goWord, typ []string) string {
	in, name := dir, typ[len(typ)-1]
	if len(typ) > 1 {
		in = r.packageAt(r.imports[b.file][typ[0]])
	}
	p := r.packages[in]
	if p == nil || !slices.ContainsFunc(p.types, func(t goType) bool { return t.name == name }) {
		return ""
	}
	group := r.only(p)
	if slices.ContainsFunc(r.steps[group], func(s goStep) bool {
		return s.from.Kind == name && (said.name == name || strings.HasPrefix(said.name, s.from.Plural))
	}) {
		return group
	}
	return ""
}

// only is the one group that a package declares, "" where there are several. One that has
// moved, and what it was in a file that a generator writes, are the new one.
func (r *goReader) only(p *goPackage) string {
	group := ""
	for _, is := range slices.Sorted(maps.Values(p.groups)) {
		switch {
		case group == "" || r.becomes(group, is):
			group = is
		case group != is && !r.becomes(is, group):
			return ""
		}
	}
	return group
}

// becomes says whether a step makes one group of another.
func (r *goReader) becomes(from, to string) bool {
	return slices.ContainsFunc(r.steps[from], func(s goStep) bool { return s.from.Group == from && s.to.Group == to })
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
