package gorefactor

import (
	"bytes"
	"cmp"
	"context"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// largest is the size from which a text is taken for data.
const largest = 16 << 20

// editTexts changes the comments and strings of Go files, and other texts.
func (p *texts) editTexts(ctx context.Context) error {
	docs := p.docNames()
	p.fresh = p.familyNames()
	said := map[string]string{}
	for name, to := range p.fresh {
		if _, kinds := p.set.Rename(name); kinds != nil && ast.IsExported(name) {
			said[name], said["#"+strings.ToLower(name)] = to, "#"+strings.ToLower(to)
		}
	}
	p.movedBase = map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(p.plan.Moves)) {
		base, to := path.Base(name), path.Base(p.plan.Moves[name])
		if p.movedBase[base] = true; path.Ext(name) == ".go" && base != to {
			p.tokens[base] = to
		}
	}
	var objects, others, code, tests []string
	for _, name := range p.t.Paths {
		if p.plan.Moves[name] == "" && path.Ext(name) == ".go" {
			delete(p.tokens, path.Base(name)) // of another file that moves
		}
		switch {
		case strings.HasSuffix(name, "_test.go"):
			tests = append(tests, name)
		case path.Ext(name) == ".go":
			code = append(code, name)
		case contextOf(name) == kindwords.YAMLValue:
			objects = append(objects, name)
		default:
			others = append(others, name)
		}
	}
	for i, name := range slices.Concat(objects, objects, others, code, tests) { // what manifests and programs keep, the others keep
		if err := ctx.Err(); err != nil {
			return err
		}
		if vendored(name) || p.opt.History(name) || slices.Contains(locks, path.Base(name)) || path.Ext(name) == ".svg" || len(p.targets)+len(p.steps) == 0 && path.Ext(name) != ".go" {
			continue
		}
		text, err := p.t.read(name)
		if err != nil {
			return err
		}
		if len(text) > largest || bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 || !p.needed(name, text) || p.opt.Own != nil && p.opt.Own(name, text) {
			continue
		}
		if i < len(objects) {
			for _, m := range releasedImage.FindAllSubmatch(text, -1) {
				p.kept[string(m[1])] = true
				if name := string(m[2]); m[3] != nil && strings.ContainsAny(name, "-_") && len(p.set.Find("-"+name, kindwords.Prose)) > 0 {
					p.kept[name] = true
				}
			}
			continue
		}
		if f := p.t.files[name]; f != nil {
			if f.Full && !strings.HasPrefix(f.by, "protoc") {
				p.editGo(f, text, docs)
			}
			continue
		}
		p.editText(name, string(text), said)
		at := 0
		for doc := range strings.SplitAfterSeq(string(text), "\n---") {
			p.editDescriptions(name, at, doc, docs)
			at += len(doc)
		}
		p.editSpans(name, string(text))
	}
	return nil
}

// locks are files that package managers write.
var locks = []string{"go.sum", "go.mod", "go.work.sum", "package-lock.json", "yarn.lock", "Gopkg.lock", "glide.lock"}

// hasNeedle looks for a lower-case word in any case.
func hasNeedle(text []byte, needles []string) bool {
	low := string(bytes.ToLower(text))
	return slices.ContainsFunc(needles, func(n string) bool { return strings.Contains(low, n) })
}

// Needed says which bodies a plan for rules needs: those of files that have a
// word of a kind, a version that changes, an abbreviation, or a client of a group.
func Needed(rules []Rule) func(name string, data []byte) bool {
	var needles []string
	for _, r := range rules {
		needles = append(needles, r.needles()...)
	}
	return func(_ string, data []byte) bool { return hasNeedle(data, needles) }
}

// needles are the lower-case words of which a text has one that the rule changes.
func (r Rule) needles() (list []string) {
	if r.renames() {
		list = kindwords.NewSet(&kindwords.Kind{Old: r.Kind, New: r.ToKind, Alias: r.Alias}).Needles()
	}
	if r.steps() {
		list = append(list, r.Version)
	}
	if r.Regroups() {
		list = append(list, label(r.Group)+"v", label(r.Group)+"()")
	}
	return list
}

// docNames are where the types and functions of kinds are declared whose words are not changed in
// prose, in the order of their positions: their doc comments change.
func (p *texts) docNames() (docs []*occurrence) {
	for _, e := range p.order {
		if !e.renamed || len(e.words) == 0 || e.words[0].Unique || len(p.targets[e.words[0]].words()) == 0 && (e.name == e.words[0].Old || len(kindwords.Split(strings.TrimSuffix(e.name, "s"))) == 1) {
			continue
		}
		docs = append(docs, slices.DeleteFunc(slices.Clone(e.uses), func(o *occurrence) bool { return !o.decl })...)
	}
	slices.SortFunc(docs, func(a, b *occurrence) int { return cmp.Compare(a.id.Pos(), b.id.Pos()) })
	return docs
}

// editGo changes the comments and strings of a Go file.
func (p *texts) editGo(f *File, text []byte, docs []*occurrence) {
	skip, fresh := p.strings(f), p.freshNames(f, docs)
	said := maps.Clone(fresh)
	maps.DeleteFunc(said, func(name, _ string) bool { return !ast.IsExported(name) })
	file := token.NewFileSet().AddFile(f.Path, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	whole, c := string(text), bytes.Contains(text, []byte(`import "C"`))
	own, told := p.ownStep(f)
	prose, literal := kindwords.Prose, kindwords.Literal
	if p.about[f] != nil {
		prose, literal = kindwords.Program, kindwords.Program
	}
	kept := map[string]bool{} // functions and fields with the name of a kind: a comment that begins with one is about it
	for n := range ast.Preorder(f.AST) {
		if id, ok := n.(*ast.Ident); ok && p.t.Info.Defs[id] != nil && p.entityOf(p.t.Info.Defs[id]) == nil {
			kept[id.Name] = true
		}
	}
	for pos, tok, lit := s.Scan(); tok != token.EOF; pos, tok, lit = s.Scan() {
		at := file.Offset(pos)
		switch {
		case tok == token.COMMENT && !strings.Contains(lit, "Copyright") && !(c && preamble.Match(text[at+len(lit):])):
			lit = string(text[at : at+len(lit)])
			if words := strings.SplitN(lit, " ", 3); len(words) == 3 && kept[words[1]] {
				at, lit = at+len(lit)-len(words[2]), words[2]
			}
			p.editTokens(f.Path, at, lit)
			p.editWords(f.Path, whole, at, lit, prose)
			p.editNames(f.Path, at, valueMarker.ReplaceAllString(lit, ""), fresh)
			about := told
			if said := versionsIn.Get().FindAllString(lit, -1); len(slices.Compact(said)) > 1 && !strings.HasPrefix(strings.TrimLeft(lit, "/ "), "+") { // an upgrade, or what converts
				about = nil
			}
			p.editVersions(f.Path, whole, source.Span{Start: at, End: at + len(lit)}, about)
		case tok == token.STRING && !skip[at]:
			p.editWords(f.Path, whole, at, lit, literal)
			p.editVersions(f.Path, whole, source.Span{Start: at, End: at + len(lit)}, own)
			p.editTokens(f.Path, at, lit)
			if _, constant := skip[at]; !constant && sentence.MatchString(lit) && !strings.Contains(lit, "ind: ") && !p.kept[lit] { // of an object
				n := len(p.plan.Edits[f.Path])
				p.editNames(f.Path, at, lit, said)
				p.kept[lit] = n == len(p.plan.Edits[f.Path]) // a test may have it, too
			}
		}
	}
}

// sentence is a string of several words for people, valueMarker a marker with values of a field, preamble what follows code of C.
var sentence, valueMarker, preamble = lazyregexp.New(`^"[^\\{]* [^\\{]*(\\n)?"$`), lazyregexp.New(`^//\s*\+(?:kubebuilder:(?:validation:(?:items:)?(?:Enum|Pattern|XValidation)|default|example)|default|enum)\b.*`), lazyregexp.New(`^(?:\s*//.*)*\s*import "C"`)

// storedKey is the name of a constant, field or function for what stored objects have, as a
// finalizer or a field owner: an object that has the old one would not be recognized.
var storedKey = lazyregexp.New(`(?i)^[^.]*(finalizer|annotation|label|fieldowner|fieldmanager|leaderelectionid|lease)(key|name|prefix)?$`)

// strings are the offsets of strings that other parts decide about: import
// paths and struct tags; those of constants are false. Kinds next to names of an API change here.
func (p *texts) strings(f *File) map[int]bool {
	skip := map[int]bool{}
	hold := func(name string, values ...ast.Expr) {
		for _, v := range values {
			for n := range ast.Preorder(v) {
				if lit, ok := n.(*ast.BasicLit); ok && storedKey.MatchString(name) && !strings.Contains(lit.Value, " ") {
					skip[p.at(lit.Pos())] = true
				}
			}
		}
	}
	for n := range ast.Preorder(f.AST) {
		p.editLiterals(f, n)
		switch n := n.(type) {
		case *ast.ImportSpec:
			skip[p.at(n.Path.Pos())] = true
		case *ast.Field:
			if n.Tag != nil && !strings.HasPrefix(n.Tag.Value, "`env") {
				skip[p.at(n.Tag.Pos())] = true
			}
		case *ast.GenDecl:
			for x := range ast.Preorder(n) {
				if lit, ok := x.(*ast.BasicLit); ok && n.Tok == token.CONST { // a phase, a reason
					skip[p.at(lit.Pos())] = false
				}
			}
		case *ast.ValueSpec:
			for i, v := range n.Values {
				hold(n.Names[i].Name, v)
				skip[p.at(v.Pos())] = skip[p.at(v.Pos())] || p.gates[p.t.Info.Defs[n.Names[i]]] != ""
			}
		case *ast.AssignStmt:
			for i, v := range n.Rhs {
				hold(calledName(n.Lhs[i]), v)
			}
		case *ast.KeyValueExpr:
			hold(types.ExprString(n.Key), n.Value) // the constant of another package is the key of a map
		case *ast.CompositeLit:
			for _, e := range n.Elts { // the parts of the name of a metric
				if kv, ok := e.(*ast.KeyValueExpr); ok && strings.HasSuffix(calledName(n.Type), "Opts") && calledName(kv.Key) != "Help" {
					skip[p.at(kv.Value.Pos())] = true
				}
			}
		case *ast.CallExpr:
			if e := flagName(n); e != nil {
				skip[p.at(e.Pos())] = true
			}
			hold(calledName(n.Fun), n.Args...)
		}
	}
	return skip
}

// ownStep is the step that moves a file's package. The comments of a file that imports such a package, and
// nothing else that has its version, are about that one too.
func (p *texts) ownStep(f *File) (own, said *step) {
	for _, s := range p.steps {
		if s.pkgs[strings.TrimSuffix(f.Package.Path, "_test")] != "" || strings.HasPrefix(f.Package.Path, s.api.Package.Path+"/") {
			return s, s
		}
		imports, other := false, f.AST.Name.Name == s.rule.Version || !strings.ContainsAny(s.rule.Version, "ab")
		for _, spec := range f.AST.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			imports, other = imports || s.pkgs[name] != "", other || s.pkgs[name] == "" && path.Base(name) == s.rule.Version
		}
		if imports && !other {
			said = s
		}
	}
	return nil, said
}

// freshNames are the words that get new spellings in the comments of a file, where the words of a
// kind alone do not decide: exported names of the tree, a kind whose types the file uses, names of
// imports, and methods that are named like a version.
func (p *texts) freshNames(f *File, docs []*occurrence) map[string]string {
	fresh := maps.Clone(p.fresh)
	for _, tg := range p.kindsOf(f) {
		maps.Copy(fresh, tg.words())
	}
	for _, o := range docs { // other packages may have types of the same names
		if e := o.entity; o.file.Package == f.Package && (len(kindwords.Split(e.name)) > 1 || o.file == f && !e.isLocal()) {
			fresh[e.name] = e.to(e.name)
		}
	}
	follow := func(key any, dot string) {
		if e := p.entities[key]; e != nil && e.renamed {
			fresh[e.name+dot] = e.to(e.name)
		}
	}
	for _, spec := range f.AST.Imports {
		if spec.Name != nil {
			follow(spec.Name.Pos(), ".")
			continue
		}
		name, _ := strconv.Unquote(spec.Path.Value)
		follow(packageKey{name}, ".")
	}
	for _, s := range p.steps {
		follow(memberKey{capital(s.rule.Version), f.Package.Path}, "")
	}
	return fresh
}

// kindsOf are the kinds, not unique, whose types a file uses, and no other type of that name.
func (p *texts) kindsOf(f *File) []*target {
	uses, other := map[*target]bool{}, map[string]bool{}
	for n := range ast.Preorder(f.AST) {
		id, ok := n.(*ast.Ident)
		if !ok {
			continue
		}
		obj := cmp.Or(p.t.Info.Uses[id], p.t.Info.Defs[id])
		if obj == nil { // a type of another module
			other[id.Name] = true
		} else if tg := p.seeds[obj.Pos()]; tg != nil {
			uses[tg] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(p.inOrder), func(tg *target) bool {
		return p.opt.Off["file-comments"] || !uses[tg] || tg.kind.Unique || tg.rule.Surface || other[tg.rule.Kind] && !tg.alone
	})
}

// words are the kind and its plural with a capital, where they mean the kind: as initials, VNI or IP,
// and as the name of a project, they have a meaning without it.
func (tg *target) words() map[string]string {
	if tg.project || strings.ToUpper(tg.rule.Kind) == tg.rule.Kind {
		return map[string]string{}
	}
	many := likeKind(capital(kindwords.PluralOf("", tg.rule.Kind)), tg.rule.Kind)
	return map[string]string{tg.rule.Kind: tg.rule.ToKind, many: likeKind(tg.rule.ToPlural, tg.rule.ToKind)}
}

// familyNames are the new spellings of names of several words that mean one thing in the
// tree: of types, functions, constants and variables of packages.
func (p *identifiers) familyNames() map[string]string {
	fresh, other := map[string]string{}, map[string]bool{}
	for _, e := range p.order {
		if len(e.objs) == 0 || e.isLocal() || len(kindwords.Split(strings.TrimSuffix(e.name, "s"))) == 1 {
			continue
		}
		if e.renamed && !(len(e.words) > 0 && p.targets[e.words[0]].rule.Surface) {
			fresh[e.name] = e.to(e.name)
		}
		other[e.name] = other[e.name] || !e.renamed
	}
	maps.DeleteFunc(fresh, func(name, _ string) bool { return other[name] })
	for k := range p.targets { // a kind may be that of another API
		delete(fresh, k.Old)
	}
	return fresh
}

// isLocal says whether an entity is a field, or is declared in a function.
func (e *entity) isLocal() bool {
	return !slices.ContainsFunc(e.objs, func(obj types.Object) bool {
		_, isVar := obj.(*types.Var)
		return obj.Pkg() != nil && (obj.Parent() == obj.Pkg().Scope() || !isVar && obj.Parent() == nil)
	})
}

// editNames changes whole words; those with a dot only where one follows.
func (p *wording) editNames(name string, at int, text string, fresh map[string]string) {
	for start := 0; start < len(text); start++ {
		end := start
		for end < len(text) && kindwords.WordByte(text[end]) {
			end++
		}
		to, ok := fresh[text[start:end]]
		if !ok && end+1 < len(text) && text[end] == '.' && ast.IsExported(text[end+1:]) {
			to, ok = fresh[text[start:end+1]]
		}
		if anchor := text[max(0, start-1):end]; !ok {
			to, ok = strings.TrimPrefix(fresh[anchor], "#"), fresh[anchor] != ""
		}
		if ok && !kindwords.InDomain(text, end) && !p.inName(text, start, end) {
			p.say(name, at, text, start, end, to)
		}
		start = max(start, end)
	}
}

// inName says whether a word is, with the one before or after it, a name that is not changed, as
// that of the project, or whether a version follows it: Bank Vaults, Key Vault, Vault 2.0.
func (p *wording) inName(text string, start, end int) bool {
	_, kinds := p.set.Rename(text[start:end])
	_, before := p.set.Rename(strings.TrimRight(wordBefore.Get().FindString(text[max(0, start-40):start]), " -") + text[start:end])
	_, after := p.set.Rename(text[start:end] + strings.TrimLeft(wordAfter.Get().FindString(text[end:]), " -"))
	return kinds != nil && (before == nil || after == nil || numberAfter.MatchString(text[end:]) || properName.MatchString(text[max(0, start-40):start]))
}

var (
	wordBefore  = lazyregexp.New(`\b[A-Z][a-z]*[ -]$`)
	wordAfter   = lazyregexp.New(`^[ -][A-Z][a-z]*\b`)
	numberAfter = lazyregexp.New(`^ [0-9]+\.[0-9x]`)
	manifest    = lazyregexp.New(`\.(ya?ml|json)(\.\w+)?$`) // also role.yaml.tmpl, role.yaml.golden
	versionsIn  = lazyregexp.New(`\bv[1-9][0-9]*(?:(?:alpha|beta)[0-9]+)?\b`)
	properName  = lazyregexp.New(`[a-z0-9,] [A-Z][a-z]+ ([A-Z][a-z]+ )*$`)
)

// likeKind is a plural with the capitals of its kind, where it begins with the kind.
func likeKind(plural, kind string) string {
	if rest, ok := strings.CutPrefix(strings.ToLower(plural), strings.ToLower(kind)); ok {
		return kind + rest
	}
	return plural
}

// contextOf is what a file that is not Go holds.
func contextOf(name string) kindwords.Context {
	if manifest.MatchString(name) {
		return kindwords.YAMLValue
	}
	return kindwords.Prose
}

// editText changes a text that is not Go.
func (p *wording) editText(name, text string, said map[string]string) {
	in := contextOf(name)
	if path.Ext(name) != ".proto" { // as serialized says
		p.editWords(name, text, 0, text, in)
		p.editTokens(name, 0, text)
		p.editNames(name, 0, text, said)
	}
	p.editVersions(name, text, source.Span{End: len(text)}, nil)
	if in == kindwords.YAMLValue || path.Base(name) == "PROJECT" || strings.HasSuffix(name, ".tpl") {
		p.editDeclared(name, text)
	}
}

// editWords changes the spellings of unique kinds, except on lines that have
// the new name already, and except names with separators in YAML and JSON, and keys of the values of charts.
func (p *wording) editWords(name, whole string, at int, text string, in kindwords.Context) {
	end, both := 0, false // of the line
	for _, e := range p.set.Find(text, in) {
		if e.Start >= end && in != kindwords.Literal {
			line, _, _ := strings.Cut(text[e.Start:], "\n")
			end = e.Start + len(line)
			both = p.set.HasNew(text[strings.LastIndexByte(text[:e.Start], '\n')+1 : end])
		}
		old, word, file := text[e.Start:e.End], strings.TrimRight(wordAround(text, e), "."), p.movedBase[wordAround(text, e)]
		part := e.Lower && !file && !strings.Contains(word, ".")
		metric := part && (e.Start > 0 && text[e.Start-1] == '_' && !strings.HasSuffix(text[:e.Start], "\"controller_") || e.End < len(text) && text[e.End] == '_') // as widget_set_ready_total, which dashboards have
		switch {
		case e.Lower && p.values.Uses(name, whole, at+e.Start, at+e.End):
		case both, p.folders[word], metric, !file && unread.MatchString(word), strings.Contains(old, "-") && strings.HasSuffix(strings.TrimRightFunc(text[:e.Start], nameRune), "(#"), e.Lower && !file && in == kindwords.Literal && strings.Contains(old, "_"), !file && (e.Lower && p.kept[old] || p.isKept(nameAround(text, e)) || p.kept[imageAround(text, e)]):
		case part && in == kindwords.Literal && p.completed(name, at, text, e):
		case e.Review && !file, (in == kindwords.Literal || path.Ext(name) != ".go") && p.isField(nameAround(text, e), old):
			p.kept[nameAround(text, e)] = true
		default:
			p.say(name, at, text, e.Start, e.End, e.New)
		}
	}
}

// say changes a name in prose, and the article before it where that is another one.
func (p *wording) say(name string, at int, text string, start, end int, fresh string) {
	p.edit(name, at+start, at+end, text[start:end], fresh)
	from := max(0, start-len(" an `"))
	if m := articleBefore.Get().FindStringSubmatchIndex(text[from:start]); m != nil && sounded.MatchString(fresh) {
		a := text[from+m[2] : from+m[2]+1]
		p.edit(name, at+from+m[2], at+from+m[3], text[from+m[2]:from+m[3]], a+map[bool]string{true: "n"}[strings.IndexByte("AEIOaeio", fresh[0]) >= 0])
	}
}

// sounded are the names of which the first letters tell the article: not a user, a universe, an hour.
var (
	articleBefore = lazyregexp.New("(?:^|[^\\w.-])([Aa]n?) [\"'`*]?$")
	sounded       = lazyregexp.New(`^(?i:[b-dfgj-np-tv-z]|[ai]|e[^u]|o[^n]|h(?:[^eo]|o[^nu]|e[^i]))[a-z]`)
)

// unread is the end of the name of a file that is no text, and is not moved.
var unread = lazyregexp.New(`\.(png|jpe?g|gif|webp|ico|pdf|zip|tgz|gz)$`)

// releasedImage is an image, with its owner, of which the tag is a version.
var releasedImage = lazyregexp.New(`([A-Za-z0-9_.-]+/([A-Za-z0-9]+[A-Za-z0-9_-]*))(?:(:v?[0-9]+\.[0-9]|@sha256:)|["']?\n *tag: *["']?v?[0-9]+\.[0-9])`)

// joint is a name that a verb or another string completes, with \x00 for its kind.
var joint = lazyregexp.New(`(^["` + "`" + `]|%[a-z])-\x00|\x00-(["` + "`" + `]$|%)`)

// completed says whether a string of a program has a name that is completed at run time,
// "widgetset-%s", which needs review, or one that was made so, as tests have.
func (p *wording) completed(name string, at int, text string, e kindwords.Edit) bool {
	word := wordAround(text, e)
	made := slices.ContainsFunc(p.affixes, func(x string) bool { return word == x || strings.HasPrefix(word, x) && strings.HasSuffix(x, "-") })
	if f := p.t.files[name]; !made && !f.Test && !strings.Contains(text, "/") && joint.MatchString(text[:e.Start]+"\x00"+text[e.End:]) {
		p.affixes = append(p.affixes, word)
		p.review("run-time-name", "", p.t.Fset.File(f.AST.Pos()).Pos(at), 1, "write the new name if no cluster has objects of the old one, or keep it with a comment cfctl:keep REASON",
			"a name is made of it at run time, and running clusters may have such names").Text = word
		made = true
	}
	return made
}
