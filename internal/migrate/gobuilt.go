package migrate

import (
	"bytes"
	"go/ast"
	gotoken "go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A GroupVersionKind and its kin that Go code puts together of names: the group
// is a constant, of the file, the package or another one, or stands in a
// variable. What moves with the group there is written far from it, so that it
// is for a person, at each place, until it is done.
// Source: k8s.io/apimachinery, runtime/schema and api/meta.

// A goBuilt is an API as code names it, each part as it is spelled: a literal in
// quotes or a name; empty = not said.
type goBuilt struct {
	parts map[find.Role]goPart
	file  string
}

// A goPart is a part of an API with its place.
type goPart struct {
	spelled string
	at      source.Span
	added   bool // by a call
	told    bool // by what the call is made on
}

// isLiteral says whether a part is written where it stands.
func (p goPart) isLiteral() bool {
	_, err := strconv.Unquote(p.spelled)
	return err == nil
}

// roleGroup is the key of the group among the parts; it is no role of a site.
const roleGroup find.Role = "group"

// builtTypes are the types of schema, with the fields of their literals in order.
var builtTypes = map[string][]find.Role{
	"GroupVersion":         {roleGroup, find.RoleVersion},
	"GroupVersionKind":     {roleGroup, find.RoleVersion, find.RoleKind},
	"GroupVersionResource": {roleGroup, find.RoleVersion, find.RoleResource},
	"GroupKind":            {roleGroup, find.RoleKind},
	"GroupResource":        {roleGroup, find.RoleResource},
}

// builtCalls are the methods that make more of one, with what they add. Those of
// api/meta take it as their first argument.
var builtCalls = map[string]find.Role{"WithVersion": find.RoleVersion, "WithKind": find.RoleKind, "WithResource": find.RoleResource}

// parsed are the functions that read one of a string, KIND.GROUP or RESOURCE.GROUP.
var parsed = map[string]find.Role{"ParseGroupKind": find.RoleKind, "ParseGroupResource": find.RoleResource}

var fieldRoles = map[string]find.Role{"Group": roleGroup, "Version": find.RoleVersion, "Kind": find.RoleKind, "Resource": find.RoleResource}

// A goVersion is a constant or variable that is a version, with its place.
type goVersion struct {
	version, file string
	at            source.Span
}

// A goBuilder reads what one file puts together.
type goBuilder struct {
	*goFile
	vars    map[string]goBuilt // of the file
	list    []goBuilt
	version map[string]goVersion // constants of the file
}

// built reads all that a file puts together.
func (b *goBuilder) built() []goBuilt {
	b.assigned()
	ast.Inspect(b.File, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			list := b.joined(e)
			if g, ok := b.of(e); ok && !isName(e) {
				list = append(list, g)
			}
			for _, g := range list {
				g.file = b.name
				b.list = append(b.list, g)
			}
		}
		return true
	})
	return b.list
}

// assigned notes what the names of a file stand for.
func (b *goBuilder) assigned() {
	ast.Inspect(b.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					b.assign(name, n.Values[i])
				}
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
					b.assign(name, n.Rhs[i])
				}
			}
		}
		return true
	})
}

func isName(e ast.Expr) bool { _, ok := e.(*ast.Ident); return ok }

// assign notes what a name stands for.
func (b *goBuilder) assign(name *ast.Ident, value ast.Expr) {
	if g, ok := b.of(value); ok {
		b.vars[name.Name] = g
	}
	if lit, ok := value.(*ast.BasicLit); ok && lit.Kind == gotoken.STRING {
		if text, err := strconv.Unquote(lit.Value); err == nil && rules.APIVersion.MatchString(text) {
			b.version[name.Name] = goVersion{text, b.name, b.span(lit)}
		}
	}
}

// of reads an expression that is an API, or makes one.
func (b *goBuilder) of(e ast.Expr) (goBuilt, bool) {
	switch e := e.(type) {
	case *ast.Ident:
		g, ok := b.vars[e.Name]
		return g, ok
	case *ast.CompositeLit:
		return b.literal(e)
	case *ast.CallExpr:
		return b.call(e)
	}
	return goBuilt{}, false
}

// joined reads the versions that are put together with the name of a group without a
// type: NAME + "/v1", Sprintf("%s/v1", NAME).
func (b *goBuilder) joined(e ast.Expr) []goBuilt {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		group := e.X
		if sum, ok := group.(*ast.BinaryExpr); ok && sum.Op == gotoken.ADD {
			group = sum.Y // "/apis/" + NAME
		}
		if version, ok := versionIn(e.Y, "/"); ok && e.Op == gotoken.ADD && isGroupName(group) {
			return []goBuilt{b.with(group, find.RoleVersion, version, e.Y)}
		}
	case *ast.CallExpr:
		i := slices.IndexFunc(e.Args, isGroupName)
		if i < 0 {
			return nil
		}
		var list []goBuilt
		for _, arg := range e.Args {
			if version, ok := versionIn(arg, "%s/"); ok {
				list = append(list, b.with(e.Args[i], find.RoleVersion, version, arg))
			}
		}
		return list
	}
	return nil
}

// with is an API of a group and a part beside it.
func (b *goBuilder) with(group ast.Expr, role find.Role, name string, at ast.Expr) goBuilt {
	return goBuilt{parts: map[find.Role]goPart{roleGroup: b.part(group), role: {spelled: strconv.Quote(name), at: b.span(at)}}}
}

// isGroupName says whether an expression has a name that speaks of a group.
func isGroupName(e ast.Expr) bool {
	if _, ok := e.(*ast.BinaryExpr); ok {
		return false
	}
	name := strings.ToLower(lastName(e))
	return strings.HasSuffix(name, "group") || strings.HasSuffix(name, "groupname")
}

// versionIn is the version in a string that begins in a way.
func versionIn(e ast.Expr, begin string) (string, bool) {
	text, ok := stringOf(e)
	version, found := strings.CutPrefix(text, begin)
	return version, ok && found && rules.APIVersion.MatchString(version)
}

// stepName is a kind, its list or a resource of the rules that a string is, with or
// without a subresource or the dot before its group, or that a path names; no role for
// any other.
func (b *goBuilder) stepName(e ast.Expr) (string, find.Role) {
	text, ok := stringOf(e)
	if !ok || text == "" {
		return "", ""
	}
	name, _, _ := strings.Cut(text, "/")
	if first, rest, dotted := strings.Cut(text, "."); dotted && (rest == "" || rest == "%s" || rest == "%v") {
		name = first
	}
	path := strings.Split(text, "/")
	isPath := len(path) > 1 && (path[0] == "" || path[0] == "%s" || path[0] == "%v")
	for _, group := range b.sorted {
		for _, s := range b.steps[group] {
			switch {
			case s.from.Plural != "" && (s.from.Plural == name || isPath && slices.Contains(path[1:], s.from.Plural)):
				return s.from.Plural, find.RoleResource
			case s.from.Version == text && text != "":
				return text, find.RoleVersion
			case s.from.Kind == "":
			case saysKind(text, s.from.Kind):
				return s.from.Kind, find.RoleKind
			case s.from.Kind == name && !strings.Contains(text, "/"):
				return name, find.RoleKind
			case s.from.Kind+"List" == text:
				return text, find.RoleKind
			}
		}
	}
	return "", ""
}

// saysKind says whether a text of a manifest says a kind.
func saysKind(text, kind string) bool {
	for at := 0; ; {
		n := strings.Index(text[at:], kind)
		if n < 0 {
			return false
		}
		before, behind := text[at:at+n], text[at+n+len(kind):]
		at += n + len(kind)
		if kindBefore.MatchString(before) && (behind == "" || strings.IndexByte("\n\"', }", behind[0]) >= 0) {
			return true
		}
	}
}

var kindBefore = lazyregexp.New(`\bkind["']?: ?["']?$`)

// apis are the variables of the file outside of functions that are an API, with how
// its group is spelled.
func (b *goBuilder) apis() map[string]string {
	list := map[string]string{}
	b.eachValue(func(of string, value ast.Expr) {
		if g, ok := b.of(value); ok {
			list[of] = g.parts[roleGroup].spelled
		}
		for _, g := range b.joined(value) {
			list[of] = g.parts[roleGroup].spelled
		}
		if group := madeOf(value); group != nil {
			list[of] = b.part(group).spelled
		}
	})
	return list
}

// madeOf is the name of a group with which a value is made, with a version behind: GROUP +
// "/" + VERSION, Sprintf("%s/%s", GROUP, VERSION); nil for any other value.
func madeOf(value ast.Expr) ast.Expr {
	var group ast.Expr
	if terms := sum(value, func(ast.Node) {}); len(terms) == 3 {
		if slash, _ := stringOf(terms[1]); slash == "/" {
			group = terms[0]
		}
	}
	if call, ok := value.(*ast.CallExpr); ok && len(call.Args) == 3 {
		if format, _ := stringOf(call.Args[0]); format == "%s/%s" {
			group = call.Args[1]
		}
	}
	if group == nil || !isGroupName(group) {
		return nil
	}
	return group
}

func (b *goBuilder) part(e ast.Expr) goPart {
	at := b.span(e)
	return goPart{spelled: string(at.Of(b.data)), at: at}
}

func (b *goBuilder) literal(n *ast.CompositeLit) (goBuilt, bool) {
	if n.Type == nil {
		return goBuilt{}, false
	}
	typ := string(b.span(n.Type).Of(b.data))
	roles, ok := builtTypes[typ[strings.LastIndexByte(typ, '.')+1:]]
	g := goBuilt{parts: map[find.Role]goPart{}}
	for i, e := range n.Elts {
		kv, keyed := e.(*ast.KeyValueExpr)
		switch {
		case keyed:
			if role := fieldRoles[string(b.span(kv.Key).Of(b.data))]; role != "" {
				g.parts[role] = b.part(kv.Value)
			}
		case i < len(roles):
			g.parts[roles[i]] = b.part(e)
		}
	}
	return g, ok && g.parts[roleGroup].spelled != ""
}

// call reads ParseGroupKind(s), x.WithVersion(v) and its kin, and RESTMapping(x, v).
func (b *goBuilder) call(n *ast.CallExpr) (goBuilt, bool) {
	fun, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || len(n.Args) == 0 {
		return goBuilt{}, false
	}
	if role := parsed[fun.Sel.Name]; role != "" {
		text, err := strconv.Unquote(b.part(n.Args[0]).spelled)
		name, group, ok := strings.Cut(text, ".")
		return goBuilt{parts: map[find.Role]goPart{roleGroup: {spelled: strconv.Quote(group)}, role: {spelled: strconv.Quote(name)}}}, err == nil && ok
	}
	on, arg, role := fun.X, n.Args[0], builtCalls[fun.Sel.Name]
	if strings.HasPrefix(fun.Sel.Name, "RESTMapping") && len(n.Args) == 2 {
		on, arg, role = n.Args[0], n.Args[1], find.RoleVersion
	}
	if role == "" {
		return goBuilt{}, false
	}
	g, ok := b.of(on)
	if !ok {
		return goBuilt{}, false
	}
	part := b.part(arg)
	part.added = true
	more := goBuilt{parts: map[find.Role]goPart{role: part}}
	for r, p := range g.parts {
		if p.told = true; r != role {
			more.parts[r] = p
		}
	}
	return more, true
}

// A goStep is what becomes of a version of a group, under the group's old name
// or its new one.
type goStep struct {
	from, to rules.GVK
	rule     rules.Rule
}

// declares is a file that registers the types of an API: its GroupVersion is
// that of the package, of which tellVersion tells.
var declares = lazyregexp.New(`SchemeBuilder|[aA]ddKnownTypes|scheme\.Builder|\+groupName=`)

// isPackages says whether it is the group and version of the package itself.
func (r *goReader) isPackages(dir string, g goBuilt) bool {
	return g.parts[find.RoleKind].spelled+g.parts[find.RoleResource].spelled == "" &&
		(r.word(dir, g, find.RoleVersion) == r.folder(dir) || declares.Match(r.files[g.file]))
}

// tellBuilt tells of a part that has its old name beside a group of the rules;
// changes says whether something is written over a place of a file.
func (r *goReader) tellBuilt(dir string, g goBuilt, changes func(string, source.Span) bool, add func(string, edit.Outcome)) {
	group := r.groupOf(dir, g)
	literal := g.parts[roleGroup].isLiteral() // one beside it moves with it
	for _, s := range r.steps[group] {
		is := rules.GVK{Version: r.word(dir, g, find.RoleVersion), Kind: r.word(dir, g, find.RoleKind), Plural: r.word(dir, g, find.RoleResource)}
		if !s.isOf(is) {
			continue
		}
		for _, x := range []struct {
			role      find.Role
			is, to    string
			otherwise bool
		}{
			{find.RoleVersion, is.Version, s.to.Version, s.from.Version != s.to.Version},
			{find.RoleKind, is.Kind, s.to.Kind, s.from.Kind != s.to.Kind},
			{find.RoleResource, is.Plural, s.to.Plural, s.from.Plural != s.to.Plural},
		} {
			if x.is == "" || x.to == "" || !x.otherwise || g.parts[x.role].told || literal && !g.parts[x.role].added && g.parts[x.role].isLiteral() {
				continue
			}
			if v := r.packages[dir].versions[g.parts[x.role].spelled]; v.file != "" && changes(v.file, v.at) {
				continue
			}
			by, to := s, x.to
			if x.role == find.RoleVersion && is.Kind+is.Plural == "" {
				var ok bool
				if by, ok = versionStep(r.steps[group], x.is, r.kindsAround(g.file, group, g.parts[x.role].at)); !ok {
					continue
				}
				to = by.to.Version
			}
			o := edit.Outcome{Span: g.parts[x.role].at, Role: x.role, Rule: by.rule.ID, Ruleset: by.rule.Set, Old: x.is, New: to}
			add(g.file, o.Leave("go-built", "it is put together with the group "+group+", where it becomes "+by.says(x.role, to), "write "+to+" here"))
		}
		return
	}
}

// isOf says whether a step is about an API of which some parts are known.
func (s goStep) isOf(is rules.GVK) bool {
	agrees := func(want, got string) bool { return want == "" || got == "" || want == got }
	return agrees(s.from.Version, is.Version) && agrees(s.from.Kind, is.Kind) && agrees(s.from.Plural, is.Plural) &&
		(s.from.Kind == "" || is.Kind != "" || is.Plural != "" || s.from.Kind == s.to.Kind)
}

// word is a part of an API: a literal, or a constant that is a version.
func (r *goReader) word(dir string, g goBuilt, role find.Role) string {
	spelled := g.parts[role].spelled
	if text, err := strconv.Unquote(spelled); err == nil {
		return text
	}
	return r.packages[dir].versions[spelled].version
}

// groupOf is the group of an API; that of a constant of another package of the
// tree is found by its import.
func (r *goReader) groupOf(dir string, g goBuilt) string {
	return r.groupNamed(dir, g.file, g.parts[roleGroup].spelled)
}

// groupNamed is the group of which a file spells a name.
func (r *goReader) groupNamed(dir, file, spelled string) string {
	if of, ok := strings.CutSuffix(spelled, ".Group"); ok {
		in, name, imported := dir, of, ""
		if alias, rest, qualified := strings.Cut(of, "."); qualified {
			name, imported = rest, r.imports[file][alias]
			for other := range r.packages {
				if imported != "" && r.importPath(other) == imported {
					in = other
				}
			}
		}
		if p := r.packages[in]; p != nil && p.apis[name] != "" && (imported == "" || in != dir) {
			return r.group(in, p.apis[name])
		}
	}
	alias, name, qualified := strings.Cut(spelled, ".")
	if where := r.imports[file][alias]; qualified && where != "" {
		for other, p := range r.packages {
			if group := p.groups[name]; group != "" && r.importPath(other) == where {
				return group
			}
		}
		spelled = path.Base(where) + "." + name
	}
	return r.group(dir, spelled)
}

// addStep notes a rule under both names of its group.
func (g *goRules) addStep(x rules.Rule) {
	s := goStep{x.From, x.To, x}
	for _, group := range slices.Compact([]string{x.From.Group, x.To.Group}) {
		g.steps[group], g.groups[group] = append(g.steps[group], s), true
	}
}

// namesStep says whether a file holds a group of a step.
func (g *goRules) namesStep(data []byte) bool {
	for group := range g.steps {
		if bytes.Contains(data, []byte(group)) {
			return true
		}
	}
	return false
}
