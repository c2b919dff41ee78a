package gorefactor

import (
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
)

// A client is what generators write about the API of a package whose group gets
// another first label: McadV1beta1(), McadV1beta1Client, Mcad().
// Source: k8s.io/code-generator, groupGoName of client-gen and informer-gen
type client struct {
	api      *API
	from, to string          // the first label of the group, in lower case
	near     map[string]bool // import paths of the packages that programs write about the API
}

// label is the first label of a group.
func label(group string) string {
	first, _, _ := strings.Cut(group, ".")
	return strings.ToLower(first)
}

// Regroups says whether a rule changes what generated clients are named after.
func (r Rule) Regroups() bool {
	return r.ToGroup != "" && label(r.Group) != "" && label(r.Group) != label(r.ToGroup)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// findClientNames resolves the rules that change groups to generated packages.
// Identifiers follow a group only if all kinds of the package get the same one.
func (p finder) findClientNames(rules []Rule) {
	for _, a := range p.apis {
		if a.named {
			p.plan.Clients = append(p.plan.Clients, a.Group)
		}
		to, ok := a.newGroup(rules)
		if !ok || a.Version == "" || a.named || label(to) == label(a.Group) {
			continue
		}
		c := &client{api: a, from: label(a.Group), to: label(to)}
		c.near, _ = p.generatedFrom(a)
		if len(c.near) > 0 && token.IsIdentifier(c.from) && token.IsIdentifier(c.to) {
			p.clients, p.parts = append(p.clients, c), append(p.parts, c)
		}
	}
}

// findClientFiles finds what client-gen, lister-gen and informer-gen write about one kind: widget.go
// and fake_widget.go. All that has its word there is about it, and so is what the folder of its controller
// declares, which gets the new name of a kind of one word.
func (p finder) findClientFiles() {
	for _, tg := range p.inOrder {
		near, all := p.generatedFrom(tg.owners...)
		controls := regexp.MustCompile(`\b(?:controller|reconciler)s?/(` + strings.ToLower(tg.rule.Kind) + `)(?:/|$)`)
		for f := range p.t.each {
			if at := controls.FindStringSubmatchIndex(f.Package.Dir); at != nil && tg.alone && p.importsAny(f.Package, all) {
				p.within[f] = tg
				dir := f.Package.Dir[:at[3]]
				if to := path.Join(path.Dir(dir), strings.ToLower(tg.rule.ToKind)); !tg.unique && !tg.project && !kindwords.Contains(tg.rule.ToKind, tg.rule.Kind) && !p.hasFolder(to) {
					p.dirs[dir], p.tokens[dir] = to, to
				}
			}
			if strings.TrimPrefix(path.Base(f.Path), "fake_") == strings.ToLower(tg.rule.Kind)+".go" && near[f.Package.Path] && !tg.rule.Surface && (tg.project || len(tg.words()) > 0) {
				p.about[f] = tg
			}
		}
	}
}

// rule is the one that changes the group of a kind of an API, nil for none.
func (a *API) rule(rules []Rule, kind string) (best *Rule) {
	for i, r := range rules {
		if r.Group == a.Group && (r.Version == "" || r.Version == a.Version) && (r.Kind == "" || r.Kind == kind) && (best == nil || best.Kind == "") {
			best = &rules[i]
		}
	}
	return best
}

// newGroup is the group that all kinds of an API get.
func (a *API) newGroup(rules []Rule) (string, bool) {
	fresh := ""
	for _, k := range a.Kinds {
		r := a.rule(rules, k)
		if r == nil || fresh != "" && r.toGroup() != fresh {
			return "", false
		}
		fresh = r.toGroup()
	}
	return fresh, fresh != ""
}

// generatedFrom finds the generated packages that import one of some APIs or of these; all are these APIs, too.
func (p finder) generatedFrom(list ...*API) (near map[string]bool, all map[string]string) {
	near, all = map[string]bool{}, map[string]string{}
	for _, a := range list {
		all[a.Package.Path] = "API"
	}
	for grown := true; grown; {
		grown = false
		for _, pkg := range p.t.Packages {
			name := strings.TrimSuffix(pkg.Path, "_test")
			if all[name] == "" && p.importsAny(pkg, all) && pkg.generated() {
				all[name], near[name], grown = "client", true, true
			}
		}
	}
	return near, all
}

// rename replaces the first label of the group in an identifier, where the
// version follows it, or where it is the whole name.
func (c *client) rename(name string) string {
	v, from, to := capital(c.api.Version), capital(c.from), capital(c.to)
	for _, f := range [][2]string{{from + v, to + v}, {c.from + v, c.to + v}, {c.from + c.api.Version, c.to + c.api.Version}} {
		head, tail, ok := strings.Cut(name, f[0])
		if ok && (tail == "" || !isLower(tail[0]) && !isDigit(tail[0])) && (f[0][0] == from[0] || head == "" || head == "fake") {
			return head + f[1] + tail
		}
	}
	if name == from {
		return to
	}
	return name
}

func (c *client) is(name string) bool { return name == capital(c.from) }

// owns says whether an entity with the group in its name is named after it: a declaration of a package near the API,
// or in a generated file an import of one. The group alone is the name of methods, if all its versions follow.
func (c *client) owns(p *decider, e *entity) bool {
	yes := false
	for _, obj := range e.objs {
		if imp, ok := obj.(*types.PkgName); ok {
			at := imp.Imported().Path()
			return e.inGenerated() && p.aliased(imp) && (c.near[at] || at == c.api.Package.Path)
		}
		if c.near[strings.TrimSuffix(obj.Pkg().Path(), "_test")] {
			fn, calls := obj.(*types.Func) // a field is named after something else
			yes = e.name != capital(c.from) || calls && fn.Signature().Recv() != nil && !slices.ContainsFunc(p.apis, func(a *API) bool {
				return a.Group == c.api.Group && !slices.ContainsFunc(p.clients, func(x *client) bool { return x.api == a && x.to == c.to })
			})
		}
	}
	return yes
}
