package migrate

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// generatedMark is the line that says that a file was written by a program.
// Source: https://go.dev/s/generatedcode
var generatedMark = regexp.MustCompile(`(?m)^(?://|#|<!--|;)\s*Code generated (?:by )?(\S*).*DO NOT EDIT\.?`)

// A clientName is how client-gen, informer-gen and lister-gen spell a group in
// identifiers: the first label of the group in title case, with the version.
// Source: k8s.io/code-generator, cmd/client-gen/types/helpers.go.
type clientName struct {
	group    string // the old group
	old, new string // Mcad, Workload
}

// clientNames are the identifiers that a rename of groups changes.
func clientNames(r *rules.Table, words *lexicon) []clientName {
	var names []clientName
	for _, group := range words.longest {
		v := r.Ask(rules.GVK{Group: group})
		if v.Outcome != rules.Moves || !strings.Contains(group, ".") || !plainRename(r, group) {
			continue
		}
		before, after := title(group), title(v.To.Group)
		if before != after {
			names = append(names, clientName{group, before, after})
		}
	}
	return names
}

// regenerated reports the sites of a generated file whose versions or kinds
// change: its generator makes another one from other Go types.
func (a *analysis) regenerated(v *text.View) bool {
	toks := slices.DeleteFunc(a.tokens(a.seek, v.Data), func(t token) bool { return !a.namesGroup(t) })
	if !slices.ContainsFunc(toks, func(t token) bool {
		return slices.ContainsFunc(a.RulesOf(t.site.Group), func(r rules.Rule) bool {
			return r.Removed != "" || r.To.Version != r.From.Version || r.To.Kind != r.From.Kind
		})
	}) {
		return false
	}
	for _, t := range toks {
		if t.shape == longer || t.shape == email || t.shape == urlHost {
			a.keep(v, t, RoleDomain, domainWhy(t))
			continue
		}
		if ver := a.Ask(t.site); ver.Outcome == rules.NoRule || ver.Outcome == rules.Same || a.isHomeOf(t.site.Version) && ver.To.Group == t.site.Group {
			a.keep(v, t, RoleClient, "a generated file")
			continue
		}
		s := a.add(v, t, RoleClient, Person, "a generated file")
		s.Hint = "move the Go types, then generate it again"
	}
	return true
}

// namesGroup says whether a token is more than a word: a group with a dot, or
// one without beside a version that the rules name.
func (a *analysis) namesGroup(t token) bool {
	return strings.Contains(t.site.Group, ".") || t.ver.Len() > 0 && a.namedVersion(t.site)
}

// plainRename says whether a group only changes its name: every kind goes to
// one group and keeps its version. Then a generated client follows from the
// name alone; else it is made anew from Go types that a person moves.
func plainRename(r *rules.Table, group string) bool {
	list := r.RulesOf(group)
	versions, every := false, false
	for _, x := range list {
		if x.Removed != "" || x.To.Version != x.From.Version || x.To.Kind != x.From.Kind || x.To.Group != list[0].To.Group {
			return false
		}
		versions = versions || x.From.Version != ""
		every = every || x.From.Version == "" && x.From.Kind == ""
	}
	return len(list) > 0 && (every || !versions) // rules for some versions leave the clients of the others
}

// title is the first label of a group as an identifier.
func title(group string) string {
	label, _, _ := strings.Cut(group, ".")
	label = strings.ReplaceAll(label, "-", "")
	if label == "" {
		return ""
	}
	return strings.ToUpper(label[:1]) + label[1:]
}

// golang reads Go source: literals and comments like any language, and the
// identifiers of generated clients.
func (a *analysis) golang(v *text.View) {
	a.pkg = packageVersion(v.Data)
	if isGenerated(v.Data) && a.regenerated(v) {
		return
	}
	if a.isClient(v.Data) && !slices.ContainsFunc(a.tokens(a.seek, v.Data), func(t token) bool { return !plainRename(a.Table, t.site.Group) }) {
		a.generatedClient(v)
	} else {
		a.code(v, text.Languages["go"])
	}
	a.identifiers(v)
}

var packageClause = regexp.MustCompile(`(?m)^package (v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?)\s*(?://.*)?$`)

// packageVersion is the API version that a Go package is named after, or "":
// such a package is that version, and what it says of a group without a
// version is said of it.
func packageVersion(data []byte) string {
	if m := packageClause.FindSubmatch(data); m != nil {
		return string(m[1])
	}
	return ""
}

// isGenerated says whether some generator wrote the file.
func isGenerated(data []byte) bool { return generator(data) != nil }

// generator is the name of the program that wrote a file, nil for a file that
// a person wrote and "" for a program that does not say its name.
func generator(data []byte) []byte {
	head := data[:min(len(data), 4096)]
	if !bytes.Contains(head, []byte("Code generated")) {
		return nil
	}
	m := generatedMark.FindSubmatch(head)
	if m == nil {
		return nil
	}
	return m[1]
}

// isClient says whether the file was written by one of the generators whose
// output follows from the group's name alone.
func (a *analysis) isClient(data []byte) bool {
	switch string(generator(data)) {
	case "client-gen.", "informer-gen.", "lister-gen.", "applyconfiguration-gen.", "client-gen", "informer-gen", "lister-gen", "applyconfiguration-gen":
		return true
	}
	return false
}

// generatedClient rewrites a generated client the way its generator would for
// the new group: names in comments too.
func (a *analysis) generatedClient(v *text.View) {
	for _, t := range a.tokens(a.seek, v.Data) {
		if t.shape == longer || t.shape == email || t.shape == urlHost {
			a.keep(v, t, RoleDomain, domainWhy(t))
			continue
		}
		a.rewrite(v, t, RoleClient, rules.GVK{})
	}
}

// identifiers finds the names that generated clients have for a group. They
// change only when the client itself is in the tree (see Plan).
func (a *analysis) identifiers(v *text.View) {
	for i := range a.clients {
		c := &a.clients[i]
		low := strings.ToLower(c.old[:1]) + c.old[1:]
		for _, pair := range [][2]string{{c.old, c.new}, {low, strings.ToLower(c.new[:1]) + c.new[1:]}} {
			a.identifier(v, c, pair[0], pair[1])
		}
	}
}

// isAccessor says whether a name is that of the method which leads from an
// informer factory to a group: called with a version behind, or declared in
// generated code.
func isAccessor(rest []byte, generated bool) bool {
	return bytes.HasPrefix(rest, []byte("().V")) || generated && bytes.HasPrefix(rest, []byte("()"))
}

var clientTail = regexp.MustCompile(`^(V[0-9]+((alpha|beta|Alpha|Beta)[0-9]+)?(Client|Interface|Informer)?|v[0-9]+((alpha|beta)[0-9]+)?)?\b`)

// identifier records every identifier that begins with a client's name.
func (a *analysis) identifier(v *text.View, c *clientName, old, fresh string) {
	generated := a.isClient(v.Data)
	for at := 0; ; {
		n := bytes.Index(v.Data[at:], []byte(old))
		if n < 0 {
			return
		}
		at += n
		start := at
		at += len(old)
		tail := clientTail.Find(v.Data[at:])
		if len(tail) == 0 && !(old[0] >= 'A' && old[0] <= 'Z' && isAccessor(v.Data[at:], generated)) {
			continue
		}
		head := v.Data[:start]
		fake := bytes.HasSuffix(head, []byte("Fake")) || bytes.HasSuffix(head, []byte("fake")) || bytes.HasSuffix(head, []byte("New"))
		if start > 0 && text.IsIdent(v.Data[start-1]) && !fake {
			continue
		}
		if start > 0 && bytes.IndexByte([]byte("/\"-"), v.Data[start-1]) >= 0 {
			continue // part of a path
		}
		s := Site{
			Span: v.Span(source.Span{Start: start, End: at + len(tail)}), Role: RoleClient, Action: Stay,
			Old: old + string(tail), New: fresh + string(tail), client: c,
		}
		e, err := v.Edit(source.Span{Start: start, End: at}, old, fresh)
		if err != nil {
			continue
		}
		s.edits = []source.Edit{e}
		a.sites = append(a.sites, s)
	}
}
