package find

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// Wanted is what is looked for. It says nothing of what becomes of it.
type Wanted struct {
	Known   []rules.GVK  // groups, with the versions, kinds and resources that are known of them
	Groups  []string     // further groups
	Keys    []string     // label, annotation and finalizer keys: an exact one, or a prefix with its slash
	Kinds   []string     // kinds that are known, whatever their group
	Remade  []string     // groups of which generated code is made anew, from other types
	Plain   []string     // groups of which a generated client follows from the name alone
	Clients []ClientName // generated clients
}

// A ClientName is how client-gen, informer-gen and lister-gen spell a group in
// identifiers: the first label of the group in title case.
// Source: k8s.io/code-generator, cmd/client-gen/types/helpers.go.
type ClientName struct{ Group, Name string }

// Names is what is looked for, made ready to be found. Nothing in it is written
// once it is made, so that it is safe for concurrent use.
type Names struct {
	names     map[string]bool              // every group, and the domain of every key that moves
	domains   map[string]bool              // of these, the domains of prefixes that are nothing else
	longest   []string                     // names, the longest first
	plurals   map[string]map[string]bool   // group → resource names of its kinds
	singulars map[string]map[string]string // group → kind in lower case → kind
	versions  map[string]map[string]bool   // group → its versions
	kinds     map[string]bool
	remade    map[string]bool // groups of which generated code is made anew
	plain     map[string]bool
	clients   []ClientName
	typed     []typedClient
	models    []model
	seek      needles
}

// NewNames makes names ready.
func NewNames(w Wanted) *Names {
	n := &Names{
		names: map[string]bool{}, domains: map[string]bool{}, plurals: map[string]map[string]bool{}, singulars: map[string]map[string]string{},
		versions: map[string]map[string]bool{}, kinds: set(w.Kinds), remade: set(w.Remade), plain: set(w.Plain), clients: w.Clients,
	}
	n.typed, n.models = typedClients(w.Known), modelsOf(w.Known)
	exact := map[string]bool{}
	for _, k := range w.Keys {
		domain, _, _ := strings.Cut(k, "/")
		n.names[domain] = true
		n.domains[domain] = n.domains[domain] || strings.HasSuffix(k, "/")
		exact[k] = exact[k] || !strings.HasSuffix(k, "/")
	}
	for _, group := range w.Groups {
		n.names[group] = true
	}
	for _, g := range w.Known {
		exact[g.Group] = true
		n.know(g)
	}
	maps.DeleteFunc(n.domains, func(name string, _ bool) bool { return exact[name] })
	n.longest = slices.SortedFunc(maps.Keys(n.names), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	n.seek = newNeedles(n.longest)
	return n
}

func set(list []string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, x := range list {
		m[x] = true
	}
	return m
}

// know takes over what is known of a group.
func (n *Names) know(g rules.GVK) {
	if !n.names[g.Group] || n.plurals[g.Group] == nil {
		n.names[g.Group] = true
		n.plurals[g.Group], n.singulars[g.Group], n.versions[g.Group] = map[string]bool{}, map[string]string{}, map[string]bool{}
	}
	if g.Version != "" {
		n.versions[g.Group][g.Version] = true
	}
	if low := strings.ToLower(g.Kind); low != "" && n.singulars[g.Group][low] == "" {
		n.singulars[g.Group][low] = g.Kind
	}
	if g.Plural != "" {
		n.plurals[g.Group][g.Plural] = true
		return
	}
	for _, p := range rules.Plurals(g.Kind) {
		if g.Kind != "" && p != strings.ToLower(g.Kind) {
			n.plurals[g.Group][p] = true
		}
	}
}

// knows says whether plural is a known resource of the group.
func (n *Names) knows(group, plural string) bool { return n.plurals[group][plural] }

// Has says whether a name is looked for.
func (n *Names) Has(name string) bool { return n.names[name] }

// Singular says whether name is the singular of a kind of the group.
func (n *Names) Singular(group, name string) (kind string, ok bool) {
	kind, ok = n.singulars[group][name]
	return kind, ok
}

// saysKind says whether a value is a kind of a group where its key says that it is one:
// kinds need not begin with a capital. One that spells a kind which is known in small
// letters is a word for that.
func (n *Names) saysKind(group, value string) bool {
	_, singular := n.Singular(group, value)
	return rules.KindName.MatchString(value) || rules.ServedKind.MatchString(value) && (!singular || n.kinds[value])
}

// Longest are the names that are looked for, the longest first.
func (n *Names) Longest() []string { return n.longest }

// Needles are the byte strings of which every name holds one.
func (n *Names) Needles() []string {
	list := make([]string, len(n.seek.list))
	for i, x := range n.seek.list {
		list[i] = string(x)
	}
	return list
}

// namedVersion says whether the version of a name is a known one of its group,
// or none of them is known.
func (n *Names) namedVersion(g rules.GVK) bool {
	known := n.versions[g.Group]
	return len(known) == 0 || known[g.Version]
}

// namesGroup says whether a token is more than a word: a group with a dot, or
// one without beside a version that is known.
func (n *Names) namesGroup(t Token) bool {
	return strings.Contains(t.Known.Group, ".") || t.Ver.Len() > 0 && n.namedVersion(t.Known)
}
