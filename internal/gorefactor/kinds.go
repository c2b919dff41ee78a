package gorefactor

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// editDescriptions changes the descriptions in a document at an offset, the definition of a kind that
// is not a word of prose elsewhere: controller-gen writes them from the comments of its types. Of a
// kind that other APIs have too, only those that begin with the name of a type.
func (p *wording) editDescriptions(name string, at int, text string, docs []*occurrence) {
	if p.opt.Off["crd-descriptions"] || len(docs) == 0 || !strings.Contains(text, "kind: CustomResourceDefinition") {
		return
	}
	for _, tg := range p.inOrder {
		if tg.kind.Unique || tg.rule.Surface || !strings.Contains(text, "kind: "+tg.rule.Kind+"\n") || strings.Contains(text, "group: ") && !strings.Contains(text, tg.rule.Group) {
			continue
		}
		fresh := tg.words()
		for _, o := range docs {
			if e := o.entity; ast.IsExported(e.name) {
				fresh[e.name] = e.to(e.name)
			}
		}
		for _, m := range describes.Get().FindAllStringSubmatchIndex(text, -1) {
			value := text[m[1]:scalarEnd(text, m[2])]
			first, _, _ := strings.Cut(strings.TrimLeft(value, "|>-+ \n'\""), " ")
			if tg.alone || fresh[first] != "" {
				p.editNames(name, at+m[1], value, fresh)
			}
		}
	}
}

var describes = lazyregexp.New(`(?m)^[ -]*(description: )`)

// scalarEnd is where the value of a key of YAML ends: its line, and those with more indentation.
func scalarEnd(text string, at int) int {
	indent := at - strings.LastIndexByte(text[:at], '\n') - 1
	next := regexp.MustCompile(fmt.Sprintf(`\n {0,%d}[^ \n]`, min(indent, 1000))).FindStringIndex(text[at:])
	if next == nil {
		return len(text)
	}
	return at + next[0]
}

// editSpans changes the kinds of one word that are code in a document: `Widget`, `Widget.status`, except in headings,
// which have links. Of a kind that every cluster or another API has too, only what is called a custom resource.
func (p *wording) editSpans(name, text string) {
	for _, tg := range p.inOrder {
		if tg.unique || tg.rule.Surface || p.opt.Off["code-spans"] || !strings.HasSuffix(name, ".md") {
			continue
		}
		span := regexp.MustCompile("`(" + tg.rule.Kind + ")(?:s|\\.[^ \n`]*)?`((?i) custom resource)?")
		for _, m := range span.FindAllStringSubmatchIndex(text, -1) {
			if heading := text[strings.LastIndexByte(text[:m[0]], '\n')+1] == '#'; !heading && (tg.alone && !tg.project || m[4] >= 0) {
				p.edit(name, m[2], m[3], tg.rule.Kind, tg.rule.ToKind)
			}
		}
	}
}

// scaffolded is what kubebuilder names after a kind, its files too, and writes about it.
// Source: https://github.com/kubernetes-sigs/kubebuilder, pkg/plugins/.../templates
var scaffolded = []string{
	"KIND_editor_role.yaml", "KIND_viewer_role.yaml", "KIND_admin_role.yaml", "webhook_in_PLURAL.yaml", "cainjection_in_PLURAL.yaml", "KIND_webhook.go", "KIND_conversion.go",
	"KIND-editor-role", "KIND-viewer-role", "KIND-admin-role", "end users to edit PLURAL", "end users to view PLURAL",
	"Schema for the PLURAL API", "NAME is the Schema for the PLURAL API", "NAMESpec defines the desired state of NAME", "NAMEStatus defines the observed state of NAME",
	"resource:path=PLURAL", "singular=KIND", "mKIND.kb.io", "vKIND.kb.io", "KIND-resource", "KIND-sample",
}

// scaffold notes what is named so after kinds of one word, which are no words of prose elsewhere.
func (p *wording) scaffold() {
	for _, tg := range p.inOrder {
		if tg.kind.Unique || tg.rule.Surface || p.opt.Off["scaffold"] {
			continue
		}
		forms := slices.Clone(scaffolded)
		for _, a := range tg.owners { // samples
			forms = append(forms, label(a.Group)+"_"+a.Version+"_KIND.yaml", a.Group+"_"+a.Version+"_KIND.yaml")
		}
		for _, many := range []string{kindwords.PluralOf("", tg.rule.Kind), tg.rule.Plural} {
			old := strings.NewReplacer("KIND", strings.ToLower(tg.rule.Kind), "PLURAL", many, "NAME", tg.rule.Kind)
			fresh := strings.NewReplacer("KIND", strings.ToLower(tg.rule.ToKind), "PLURAL", tg.rule.ToPlural, "NAME", tg.rule.ToKind)
			for _, form := range forms {
				p.tokens[old.Replace(form)] = fresh.Replace(form)
			}
		}
	}
}

// editTokens changes what scaffold noted, where nothing is around it.
func (p *wording) editTokens(name string, at int, text string) {
	if strings.Contains(text, "kind: CustomResourceDefinition") && strings.Contains(text, "group: ") && !slices.ContainsFunc(p.inOrder, func(tg *target) bool { return strings.Contains(text, tg.rule.Group) }) {
		return // it is of another group
	}
	data := []byte(text)
	for old, fresh := range p.tokens {
		for start := range source.All(data, old) {
			end := start + len(old)
			if (start == 0 || !nameByte(text[start-1])) && (end == len(text) || !nameByte(text[end]) || text[end] == '.' && !wordAt(text, end+1)) {
				p.edit(name, at+start, at+end, old, fresh)
			}
		}
	}
}

// editLiterals changes the literals of a call or a composite literal that are a kind or a
// resource, where a name of the package of its API is next to it: v1.GroupVersion.WithKind("Widget"),
// TypeMeta{APIVersion: v1.GroupVersion.String(), Kind: "Widget"}. The value of controller or
// webhook in a log is a kind, too: log.Error(err, "unable to create", "controller", "Widget").
func (p *texts) editLiterals(f *File, n ast.Node) {
	list, what, near := []ast.Expr{}, "", map[*types.Package]bool(nil)
	switch n := n.(type) {
	case *ast.CallExpr:
		list, what = n.Args, calledName(n.Fun)
	case *ast.CompositeLit:
		list = n.Elts
	case *ast.ValueSpec: // WidgetKind = "Widget"
		list, what, near = n.Values, n.Names[0].Name, map[*types.Package]bool{f.Package.Types: true}
	}
	for i, e := range list {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e, what = kv.Value, calledName(kv.Key)+p.t.text(kv.Key)
		}
		lit, ok := e.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		old, kinds, resources := lit.Value[1:len(lit.Value)-1], strings.HasSuffix(strings.ToLower(what), "kind") || strings.HasPrefix(what, "Kind"), strings.HasSuffix(strings.ToLower(what), "resource")
		for _, tg := range p.inOrder {
			from, to := tg.rule.Kind, tg.rule.ToKind
			logged := i > 0 && tg.alone && !p.opt.Off["log-kinds"] && slices.Contains([]string{"controller", "webhook"}, p.t.text(list[i-1]))
			switch {
			case kinds && old == from+"List" && !slices.Contains(tg.kind.Longer, old):
				from, to = from+"List", to+"List"
			case resources && old == tg.rule.Plural:
				from, to = tg.rule.Plural, tg.rule.ToPlural
			case !kinds && !logged || old != from:
				continue
			}
			if near == nil {
				near = p.named(n)
			}
			if logged || slices.ContainsFunc(tg.owners, func(a *API) bool { return near[a.Package.Types] }) {
				p.edit(f.Path, p.at(lit.Pos())+1, p.at(lit.End())-1, from, to)
			}
		}
	}
}

// named are the packages that an expression names, but not in its functions and composite literals.
func (p *texts) named(root ast.Node) map[*types.Package]bool {
	near := map[*types.Package]bool{}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit, *ast.FuncLit:
			return n == root
		case *ast.Ident:
			if obj := p.t.Info.Uses[n]; obj != nil && obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
				near[obj.Pkg()] = true
			}
		}
		return true
	})
	return near
}
