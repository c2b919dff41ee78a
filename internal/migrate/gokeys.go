package migrate

import (
	"bytes"
	"go/ast"
	gotoken "go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Keys of labels and annotations, and finalizers, stay on objects of clusters.
// Where Go code makes them of the constant of a group, Group + "/finalizer", they
// would move with it unseen: the constant is for a person. So is one of which code
// makes a longer domain, which is no name of a resource: "internal." + Group of KServe,
// "compatibility." + Group of Karpenter.

// A goName is a constant or variable of a folder, or a field of it.
type goName struct {
	dir  string // as it is imported, for one of another package
	name string // NAME, or NAME.Group
}

// A goGroup is where a name gets its group as a string.
type goGroup struct {
	goName
	file string
	at   source.Span
}

// A goJoin is a key that is put together with a name.
type goJoin struct {
	with   goName
	before string // what stands before the name, with its dot; "" = nothing
	key    string // what follows the name, with its slash or dot; "" = known when it runs
	at     string // path:line:column
}

// goKeys are what the Go files of a tree say of keys.
type goKeys struct {
	mu     sync.Mutex
	place  func(name string) string // of a file in its work tree
	groups []goGroup
	same   map[goName]goName // names that are another one
	joins  []goJoin
}

// joinsKey is a name with something behind it that may make a key, or one that is
// another one.
var joinsKey = lazyregexp.New("(?m)\\w\\s*\\+\\s*[\"`][/.]|[\"`][a-z0-9.-]*%[sv][/.]|\\.%[sv][\"`]|\\.[\"`]\\s*\\+|=\\s*(\\w+\\.)*\\w+\\s*(//.*)?$|Group:\\s*[\\w.]+[,}]")

// keyMarks are what a line holds that joinsKey may match, beside the names.
var keyMarks = []string{`"/`, "`/", `%s/`, `%v/`, `Group:`}

// mayJoin says whether lines of a Go file with one of the marks, each with the one
// before it, are of joinsKey: no others are looked at.
func mayJoin(data []byte, marks []string) bool {
	return slices.ContainsFunc(marks, func(mark string) bool {
		for at := 0; ; {
			n := bytes.Index(data[at:], []byte(mark))
			if n < 0 {
				return false
			}
			start := text.LineStart(data, at+n)
			end, next := text.LineEnd(data, at+n, len(data))
			if joinsKey.Match(data[text.LineStart(data, max(start-1, 0)):end]) {
				return true
			}
			at = next
		}
	})
}

// eachValue tells the names of a file outside of functions, and their fields Group,
// with what they get.
func (f *goFile) eachValue(tell func(of string, value ast.Expr)) {
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != gotoken.CONST && gen.Tok != gotoken.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			v := spec.(*ast.ValueSpec)
			for i, value := range v.Values {
				if i >= len(v.Names) {
					break
				}
				tell(v.Names[i].Name, value)
				if lit, ok := value.(*ast.CompositeLit); ok {
					for _, e := range lit.Elts {
						if kv, ok := e.(*ast.KeyValueExpr); ok && isNamed(kv.Key, "Group") {
							tell(v.Names[i].Name+".Group", kv.Value)
						}
					}
				}
			}
		}
	}
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// read notes the keys that a file puts together, and its names that are others.
func (k *goKeys) read(name string, data []byte) {
	f := parseKeys(name, data)
	if f == nil {
		return
	}
	in := keyFile{f, path.Dir(k.place(name)), f.imports()}
	f.eachValue(func(of string, value ast.Expr) {
		if target, ok := in.nameOf(value); ok {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.same[goName{in.dir, of}] = target
		}
	})
	var inner map[ast.Node]bool // sums that are the left part of another one
	ast.Inspect(f.File, func(n ast.Node) bool {
		var join goJoin
		ok := false
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if inner[n] {
				return true
			}
			terms := sum(n, func(left ast.Node) {
				if inner == nil {
					inner = map[ast.Node]bool{}
				}
				inner[left] = true
			})
			join, ok = in.joined(terms)
		case *ast.CallExpr:
			join, ok = in.printed(n)
		}
		if ok {
			at := f.set.Position(n.Pos())
			join.at = name + ":" + strconv.Itoa(at.Line) + ":" + strconv.Itoa(at.Column)
			k.mu.Lock()
			k.joins = append(k.joins, join)
			k.mu.Unlock()
		}
		return true
	})
}

// sum are the terms of a sum, in order; it tells the sums within.
func sum(e ast.Expr, within func(ast.Node)) []ast.Expr {
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != gotoken.ADD {
		return []ast.Expr{e}
	}
	within(b)
	return append(sum(b.X, within), sum(b.Y, within)...)
}

// A keyFile is a file in which names are used.
type keyFile struct {
	*goFile
	dir      string
	imported map[string]string
}

// nameOf is the name that an expression is: NAME, NAME.Group, or one of these of
// another package.
func (f keyFile) nameOf(e ast.Expr) (goName, bool) {
	switch e := e.(type) {
	case *ast.Ident:
		return goName{f.dir, e.Name}, true
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			if where := f.imported[x.Name]; where != "" {
				return goName{where, e.Sel.Name}, true
			}
			return goName{f.dir, x.Name + "." + e.Sel.Name}, e.Sel.Name == "Group"
		}
		if of, ok := f.nameOf(e.X); ok && e.Sel.Name == "Group" {
			return goName{of.dir, of.name + ".Group"}, true
		}
	}
	return goName{}, false
}

// longer reads "x." + NAME, and NAME + ".x".
func (f keyFile) longer(terms []ast.Expr) (goJoin, bool) {
	for i, term := range terms {
		with, ok := f.nameOf(term)
		if !ok {
			continue
		}
		j := goJoin{with: with}
		if i > 0 {
			j.before, _ = stringOf(terms[i-1])
		}
		if i+1 < len(terms) {
			j.key, _ = stringOf(terms[i+1])
		}
		if j.isDomain() {
			return j, true
		}
	}
	return goJoin{}, false
}

// isDomain says whether what stands around a group makes a longer domain of it, and no
// name of a resource: PLURAL.GROUP.
func (j goJoin) isDomain() bool {
	return labelBefore.MatchString(j.before) && !strings.HasSuffix(j.before, "s.") || labelBehind.MatchString(j.key)
}

var (
	labelBefore = lazyregexp.New(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?\.$`)
	labelBehind = lazyregexp.New(`^\.[a-z][a-z0-9-]*`)
)

// joined reads NAME + "/key".
func (f keyFile) joined(terms []ast.Expr) (goJoin, bool) {
	if join, ok := f.longer(terms); ok {
		return join, true
	}
	for i := 0; i+1 < len(terms); i++ {
		rest, ok := stringOf(terms[i+1])
		if !ok || !strings.HasPrefix(rest, "/") {
			continue
		}
		if i > 0 {
			if before, ok := stringOf(terms[i-1]); ok && strings.HasSuffix(before, "/") {
				return goJoin{}, false // a path
			}
		}
		with, ok := f.nameOf(terms[i])
		if !ok {
			continue
		}
		return keyJoin(with, rest, terms[i+2:])
	}
	return goJoin{}, false
}

// printed reads Sprintf("%s/key", NAME).
func (f keyFile) printed(n *ast.CallExpr) (goJoin, bool) {
	fun, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || fun.Sel.Name != "Sprintf" || len(n.Args) < 2 {
		return goJoin{}, false
	}
	format, _ := stringOf(n.Args[0])
	at := strings.IndexByte(format, '%')
	with, ok := f.nameOf(n.Args[1])
	if !ok || at < 0 || len(format) < at+2 || format[at+1] != 's' && format[at+1] != 'v' {
		return goJoin{}, false
	}
	if join := (goJoin{with: with, before: format[:at], key: format[at+2:]}); join.isDomain() {
		return join, true
	}
	if at > 0 || len(format) < 3 || format[2] != '/' {
		return goJoin{}, false
	}
	rest, _, filled := strings.Cut(format[len("%s"):], "%")
	if !filled {
		return keyJoin(with, rest, nil)
	}
	return keyJoin(with, rest, n.Args[2:])
}

// otherPart is a name for what follows a group and is no part of a key.
var otherPart = lazyregexp.New(`(?i)(^v|vers?|version|kind|resource|plural|gvk|gvr)s?(\(\))?$`)

// keyJoin is the key of a name and what follows it. It says false for a version,
// which makes an apiVersion.
func keyJoin(with goName, rest string, more []ast.Expr) (goJoin, bool) {
	first, _, _ := strings.Cut(rest[1:], "/")
	switch {
	case first == "" && len(more) == 0, rules.APIVersion.MatchString(first), strings.ContainsAny(rest, " \t\n"):
		return goJoin{}, false
	case first == "" && (otherPart.MatchString(lastName(more[0])) || isVersion(more[0])):
		return goJoin{}, false
	case len(more) > 0:
		return goJoin{with: with}, true
	}
	return goJoin{with: with, key: rest}, true
}

func isVersion(e ast.Expr) bool {
	text, ok := stringOf(e)
	return ok && rules.APIVersion.MatchString(text)
}

// lastName is the last name of an expression, "" for one without.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.CallExpr:
		return lastName(e.Fun)
	}
	return ""
}

func stringOf(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != gotoken.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// A keyChange is where a name gets a group that would change.
type keyChange struct {
	file *File
	site int
}

// question asks for what makes a key of one of the names, or gives one of them
// another name.
func (k *goKeys) question(changes map[goName]keyChange) goQuestion {
	names := map[string]bool{}
	for is := range changes {
		names[strings.TrimSuffix(is.name, ".Group")] = true
	}
	marks := slices.AppendSeq(slices.Clone(keyMarks), maps.Keys(names))
	needles := slices.AppendSeq([]string{`+ "/`, `+"/`, `"%s/`, `"%v/`}, maps.Keys(names))
	return goQuestion{needles, func(name string, data []byte) {
		if len(marks) > manyMarks || mayJoin(data, marks) {
			k.read(name, data)
		}
	}}
}

// manyMarks are more than are looked for one by one: it is as much work to read the files.
const manyMarks = 200

// leaveKeys leaves to a person the groups of which Go code makes keys.
func (m *Migration) leaveKeys(files []*File, k *goKeys) {
	changes := k.changes(files)
	if len(changes) == 0 {
		return
	}
	slices.SortFunc(k.joins, func(a, b goJoin) int { return strings.Compare(a.at, b.at) })
	for _, join := range k.joins {
		if c, ok := changes[k.stem(changes, join.with)]; ok {
			if m.leaveKey(c, join) {
				leaveMarkers(files, c)
			}
		}
	}
}

// changes are the names that get a group which would change.
func (k *goKeys) changes(files []*File) map[goName]keyChange {
	byName := map[string]*File{}
	for _, f := range files {
		if strings.HasSuffix(f.Path, ".go") {
			byName[f.Path] = f
		}
	}
	changes, starts := map[goName]keyChange{}, map[*File]map[int]int{}
	for _, g := range k.groups {
		f := byName[g.file]
		if f == nil {
			continue
		}
		if starts[f] == nil {
			starts[f] = f.starts()
		}
		for at := g.at.Start; at < g.at.End; at++ {
			if j, ok := starts[f][at]; ok && f.Sites[j].End <= g.at.End {
				changes[g.goName] = keyChange{f, j}
				break
			}
		}
	}
	return changes
}

// starts are the sites of a file that change, by where they start.
func (f *File) starts() map[int]int {
	list := map[int]int{}
	for j, s := range f.Sites {
		if s.Action() == Change {
			list[s.Start] = j
		}
	}
	return list
}

// stem is the name of changes that a name is in the end; any other one, where it
// is none of them.
func (k *goKeys) stem(changes map[goName]keyChange, is goName) goName {
	is, known := named(changes, is)
	for range len(k.same) {
		alias, ok := named(k.same, is)
		if known || !ok {
			break
		}
		is, known = named(changes, k.same[alias])
	}
	return is
}

// leaveMarkers leaves the markers to a person that say the group of the package of a
// constant which a person moves: its types are generated and registered together.
func leaveMarkers(files []*File, c keyChange) {
	constant := c.file.Sites[c.site]
	for _, f := range files {
		if path.Dir(f.Path) != path.Dir(c.file.Path) {
			continue
		}
		for i, s := range f.Sites {
			if s.Action() != Change || s.Role != find.RoleMarker || s.Old != constant.Old {
				continue
			}
			o := s.Outcome
			o.New = ""
			f.Sites[i] = s.with(o.Leave("go-key", "it moves with the constant of the group of this package", constant.Hint))
			f.left = true
			for j, x := range f.Sites { // the path of a webhook, its resources
				if x.Action() == Change && x.Pos.Line == s.Pos.Line {
					f.Sites[j] = x.with(x.Keep("go-key", "it moves with the group of its marker"))
				}
			}
		}
	}
}

// named is the name of a list that another one means: itself, or that of the folder
// which it imports. It says false, with the name as it is, where there is none.
func named[T any](list map[goName]T, is goName) (goName, bool) {
	if _, ok := list[is]; ok {
		return is, true
	}
	best, found := is, false
	for x := range list {
		if x.name == is.name && strings.HasSuffix(is.dir, "/"+x.dir) && (!found || len(x.dir) > len(best.dir)) {
			best, found = x, true
		}
	}
	return best, found
}

// shown is what follows the group in a key.
func (j goJoin) shown() string {
	if j.key == "" {
		return "/…"
	}
	return j.key
}

// movesKey says whether what a group and what stands before and behind it make is no
// key, since it is a kind or resource of the rules, or one that the rules move.
func (m *Migration) movesKey(before, group, rest string) bool {
	name := strings.TrimPrefix(rest, "/")
	if before == "" && rest != "" && slices.ContainsFunc(m.rules.RulesOf(group), func(r rules.Rule) bool {
		return name == r.From.Kind || name == r.From.Plural && name != ""
	}) {
		return true
	}
	return slices.ContainsFunc(m.rules.Keys(), func(key rules.KeyRule) bool {
		if strings.HasSuffix(key.From, "/") {
			return strings.HasPrefix(before+group+rest+"/", key.From)
		}
		return rest != "" && before+group+rest == key.From
	})
}
