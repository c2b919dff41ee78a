package migrate

import (
	"go/ast"
	gotoken "go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A kind or a resource may be said by a constant of another file or package, and handed
// over to a function that puts it together with the group. Which constants and functions
// a tree has is known when all of it is read.

// A goWord is a constant or variable of a package that is a kind or a resource of the
// rules.
type goWord struct {
	name, file string
	at         source.Span
	role       find.Role
}

// words are the constants of the file outside of functions that are a kind or a resource.
func (b *goBuilder) words() map[string]goWord {
	list := map[string]goWord{}
	b.eachValue(func(of string, value ast.Expr) {
		if name, role := b.stepName(value); role != "" && role != find.RoleVersion {
			list[of] = goWord{name, b.name, b.span(value), role}
		}
	})
	return list
}

// takers are the functions of the file that are given a kind or a resource and no group
// with it, each with the places of these among its arguments; a method begins with a dot.
func (b *goBuilder) takers() map[string][]int {
	list := map[string][]int{}
	for _, decl := range b.Decls {
		fun, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		called := fun.Name.Name
		if fun.Recv != nil {
			called = "." + called
		}
		var names []string
		for _, field := range fun.Type.Params.List {
			for _, name := range field.Names {
				names = append(names, name.Name)
			}
		}
		if slices.ContainsFunc(names, ofGroup.MatchString) {
			continue
		}
		for at, name := range names {
			if kindConstant.MatchString(name) {
				list[called] = append(list[called], at)
			}
		}
	}
	return list
}

// texts are the strings in a part of the source that hold a group of the rules, without
// one part of it and without the bodies of functions.
func (s *goSight) texts(in, without ast.Node) []goText {
	var list []goText
	ast.Inspect(in, func(n ast.Node) bool {
		if _, body := n.(*ast.FuncLit); body || n == without {
			return false
		}
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == gotoken.STRING {
			for _, group := range s.sorted {
				if holdsGroup(lit.Value, group) {
					list = append(list, goText{group, s.span(lit)})
				}
			}
		}
		return true
	})
	return list
}

// holdsGroup says whether a text holds a group that is no part of a longer name.
func holdsGroup(value, group string) bool {
	for at := 0; ; {
		n := strings.Index(value[at:], group)
		if n < 0 {
			return false
		}
		at += n + len(group)
		before, behind := value[:at-len(group)], value[at:]
		if !strings.HasSuffix(before, ".") && (before == "" || !isWordByte(before[len(before)-1])) && (behind == "" || behind[0] != '.' && !isWordByte(behind[0])) {
			return true
		}
	}
}

func isWordByte(c byte) bool { return c == '-' || text.IsIdent(c) }

// A goAlias is a constant or variable of a package that is another name.
type goAlias struct {
	name []string // cut at its dots
	file string
}

// aliases are the constants and variables of the file outside of functions that are other
// names, where both speak of a group.
func (b *goBuilder) aliases() map[string]goAlias {
	list := map[string]goAlias{}
	b.eachValue(func(of string, value ast.Expr) {
		if is := chain(value); is != nil && ofAlias.MatchString(of) && ofAlias.MatchString(is[len(is)-1]) {
			list[of] = goAlias{is, b.name}
		}
	})
	return list
}

// ofAlias is a name that speaks of a group.
var ofAlias = lazyregexp.New(`(?i)group|gv|apiversion`)

// mayBeWord says whether a name may be that of a constant for a kind or a resource: it
// says so, or has a kind of the rules in it.
func (r *goRules) mayBeWord(name string) bool {
	return slices.ContainsFunc(r.marks, func(mark string) bool { return strings.Contains(name, mark) })
}

// wordMarks are what the name of such a constant has in it.
func (r *goRules) wordMarks() []string {
	marks := []string{"Kind", "Plural", "Resource"}
	for _, group := range r.sorted {
		for _, s := range r.steps[group] {
			if s.from.Kind != "" && !slices.Contains(marks, s.from.Kind) {
				marks = append(marks, s.from.Kind)
			}
		}
	}
	return marks
}

// noteWord notes a name that may be a constant of another file or package.
func (s *goSight) noteWord(word []string, n ast.Node) {
	if !s.mayBeWord(word[len(word)-1]) {
		return
	}
	if around := s.around(); len(around) > 0 {
		s.list = append(s.list, goBeside{word: word, file: s.name, used: s.set.Position(n.Pos()).Line, around: around})
	}
}

// said is what a name of a file says: that of a string, or of the constant that it is.
// It says false for a name that is none.
func (r *goReader) said(dir string, b goBeside) (goWord, bool) {
	if b.word == nil {
		return goWord{b.name, b.file, b.at, b.role}, true
	}
	name := b.word[0]
	if len(b.word) > 1 {
		dir, name = r.packageAt(r.imports[b.file][b.word[0]]), b.word[1]
	}
	if p := r.packages[dir]; p != nil && p.words[name].file != "" {
		return p.words[name], true
	}
	return goWord{}, false
}

// takes says whether a function of the tree, as a file names it, is given a kind or a
// resource at a place among its arguments.
func (r *goReader) takes(dir, file string, fun []string, arg int) bool {
	called := fun[len(fun)-1]
	switch where := r.imports[file][fun[0]]; {
	case where != "":
		dir = r.packageAt(where)
	case len(fun) > 1:
		called = "." + called
	}
	p := r.packages[dir]
	return p != nil && slices.Contains(p.takers[called], arg)
}

// versionOf is the version that a GroupVersion of a file says, with the place where it is
// said, if that is a constant of a file that was read; a version that is not known is
// that of the folder, if it is one.
func (r *goReader) versionOf(dir string, s saidVersion) (version, file string, at source.Span) {
	if text, err := strconv.Unquote(s.version); err == nil {
		return text, s.file, s.at
	}
	in, name := dir, s.version
	if alias, rest, qualified := strings.Cut(s.version, "."); qualified {
		in, name = r.packageAt(r.imports[s.file][alias]), rest
	}
	if p := r.packages[in]; p != nil && p.versions[name].file != "" {
		return p.versions[name].version, p.versions[name].file, p.versions[name].at
	}
	if base := r.folder(dir); rules.APIVersion.MatchString(base) {
		return base, s.file, s.at
	}
	return "", s.file, s.at
}

// outside is the group of which a package that is not in the tree has a kind or resource:
// one of a module that the ruleset of the group moves, or one whose path says the group,
// as a whole or by its first label, and a version; "" for any other package.
func (r *goReader) outside(where string, said goWord) string {
	for _, group := range r.sorted {
		s, ok := r.stepOf(group, said)
		if !ok {
			continue
		}
		if slices.ContainsFunc(r.modules, func(x rules.Module) bool {
			return x.Set == s.rule.Set && (below(where, x.From) || below(where, x.To))
		}) {
			return group
		}
		label, _, _ := strings.Cut(group, ".")
		if !find.IsBuiltInKind(s.from.Kind) && rules.APIVersion.MatchString(path.Base(where)) && slices.ContainsFunc(strings.Split(path.Dir(where), "/"), func(part string) bool { return part == group || part == label }) {
			return group
		}
	}
	return ""
}

// below says whether a path is another one, or below it.
func below(where, top string) bool {
	return top != "" && (where == top || strings.HasPrefix(where, top+"/"))
}

// kindConstant is the name of a constant, a variable or an argument that is a kind or a
// resource.
var kindConstant = lazyregexp.New(`(Kinds?|Plurals?|Resource|ResourceName|Resources|PluralName|KindName)$|^(kind|plural|resource)[A-Z]|Kind[A-Z]|^(kind|plural|resource)s?$`)
