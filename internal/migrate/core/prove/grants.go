package prove

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A grant is a rule of permissions, of a webhook or of a policy: it is about
// every one of its groups with every version and resource.
type grant struct {
	groups, versions, resources []string
	of                          int // the first rule before that has the same verbs and other fields
	pos                         source.Position
}

// isGrant says whether a mapping is one.
func isGrant(n *node) bool {
	return n.Kind == yaml.MappingNode && (child(n, "apiGroups") != nil || child(n, "groups") != nil) && child(n, "resources") != nil
}

// grantOf reads a rule, and what it has but for its lists. What is no rule has that alone.
func grantOf(n *node) (g grant, rest string) {
	g = grant{groups: []string{"none"}, versions: []string{""}, resources: []string{""}, pos: at(n)}
	if !isGrant(n) {
		return g, written(n)
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		list := texts(v)
		switch lower := strings.ToLower(key.Value); {
		case !isList(lower):
			rest += written(key, sorted(v))
			continue
		case len(list) == 0:
		case lower == "resources":
			g.resources = list
		case strings.HasSuffix(lower, "groups"):
			g.groups = list
		default:
			g.versions = list
		}
		rest += fmt.Sprintf("%s %d ", key.Value, v.Kind)
	}
	return g, rest
}

// sorted is a list of texts in one order: that of verbs says nothing.
func sorted(n *node) *node {
	if n.Kind != yaml.SequenceNode || slices.ContainsFunc(n.Content, notScalar) {
		return n
	}
	x := *n
	x.Content = slices.SortedFunc(slices.Values(n.Content), func(a, b *node) int { return strings.Compare(a.Value, b.Value) })
	return &x
}

// Same says whether two texts of YAML say the same: their values and comments are equal, and
// what their lists of permissions allow, in whatever order and number of rules.
func Same(before, after []byte) bool {
	none, _ := rules.Compile(nil) // nothing of it may fail
	f := &proof{lexicon: lexicon{New(none, Options{}), map[rules.GVK][]rules.GVK{}}}
	b, a := string(before), string(after)
	was, err := decodeYAML(b)
	is, notRead := decodeYAML(a)
	return err == nil && notRead == nil && f.documents(was, is, 0) == nil && f.comments(strings.Split(b, "\n"), strings.Split(a, "\n"), source.Position{}) == nil
}

// A grantProof is the check of rules of permissions.
type grantProof struct {
	*proof
	depth int // of documents in strings
}

// lists checks that what two lists of rules permit is what the rules make of it. Names may
// change in their other fields, too.
func (f *grantProof) lists(b, a *node) error {
	var before, after []grant
	sorts := map[string]int{}
	for i, n := range b.Content {
		g, rest := grantOf(n)
		if _, ok := sorts[rest]; !ok {
			sorts[rest] = i
		}
		g.of = sorts[rest]
		before = append(before, g)
	}
	for k, n := range a.Content {
		g, rest := grantOf(n)
		of, ok := sorts[rest]
		if !ok {
			i, err := f.ruleOf(b, n, k)
			if err != nil {
				return err
			}
			of = before[i].of
		}
		g.of = of
		after = append(after, g)
	}
	f.moves = f.moves || len(before) != len(after)
	return f.permissions(before, after, at(b))
}

// ruleOf is the index of the rule before whose other fields are those of a rule after, at or
// near its index.
func (f *grantProof) ruleOf(b, a *node, at int) (int, error) {
	err := f.fault(source.Position{Line: a.Line, Column: a.Column}, "the rule of permissions is not in the list before")
	for d := range near {
		for _, i := range []int{at + d, at - d} {
			if i < 0 || i >= len(b.Content) {
				continue
			}
			fault := f.other(b.Content[i], a)
			if fault == nil {
				return i, nil
			}
			if d == 0 {
				err = fault
			}
		}
	}
	return 0, err
}

// other checks the fields of a rule of permissions but for its lists.
func (f *grantProof) other(b, a *node) error {
	if !isGrant(b) || a.Kind != yaml.MappingNode {
		return f.value("", b, a, f.depth)
	}
	return f.fields(b, a, f.depth, func(key string) bool { return !isList(key) })
}

// A permission is one group, version and resource of a rule.
type permission struct {
	group, version, resource string
	of                       int
}

func (p permission) String() string {
	return strings.TrimSpace(fmt.Sprintf("%q in group %q %s", p.resource, p.group, p.version))
}

// maxPermissions bounds what is compared of one list of rules.
const maxPermissions = 1 << 20

// permissionsOf are those of rules, each with the index of its rule, and in their order; nil: they
// are too many.
func permissionsOf(list ...grant) (all map[permission]int, order []permission) {
	all = map[permission]int{}
	n := 0
	for i, g := range list {
		if n += len(g.groups) * len(g.resources) * len(g.versions); n > maxPermissions {
			return nil, nil
		}
		for _, group := range g.groups {
			for _, r := range g.resources {
				for _, v := range g.versions {
					p := permission{group, v, r, g.of}
					if _, ok := all[p]; !ok {
						all[p], order = i, append(order, p)
					}
				}
			}
		}
	}
	return all, order
}

// permissions checks that none is lost, and that no rule widens them.
func (f *grantProof) permissions(before, after []grant, at source.Position) error {
	b, had := permissionsOf(before...)
	a, has := permissionsOf(after...)
	if b == nil || a == nil {
		return f.fault(at, "the list allows too many pairs of groups and resources to compare them")
	}
	twins := map[permission]bool{} // groups that rules get in dual mode, and their resources
	for _, p := range has {
		if _, ok := b[p]; !ok && f.opts.Dual {
			twins[permission{group: p.group, of: p.of}] = true
		}
		twins[permission{group: p.group, resource: p.resource, of: p.of}] = true
	}
	for _, p := range had {
		missing, there := false, false
		for _, to := range f.imagesOf(p) {
			has := twins[permission{group: to.group, resource: to.resource, of: p.of}]
			missing, there = missing || !has && twins[permission{group: to.group, of: p.of}], there || has
		}
		if missing && (p.resource == "*" || !there) { // a resource that the rules do not know has one of several
			return f.fault(before[b[p]].pos, "the twin of the permission on %s is missing", p)
		}
		if _, ok := a[p]; !ok && (f.opts.Dual || !f.arrives(p, a) && !f.elsewhere(p, before[b[p]])) {
			return f.fault(before[b[p]].pos, "the permission on %s is lost", p)
		}
	}
	made := f.made(before)
	for _, p := range has {
		if _, ok := b[p]; !ok && !made[p] {
			return f.fault(at, "the permission on %s is new, and no rule makes it", p)
		}
	}
	return nil
}

// arrives says whether what the rules make of a permission is allowed after.
func (l *lexicon) arrives(p permission, after map[permission]int) bool {
	all := l.imagesOf(p)
	has := func(p permission) bool { _, ok := after[p]; return ok }
	if p.resource == "*" {
		return len(all) > 0 && !slices.ContainsFunc(all, func(p permission) bool { return !has(p) })
	}
	return slices.ContainsFunc(all, has)
}

// imagesOf are what the rules make of a permission.
func (l *lexicon) imagesOf(p permission) []permission {
	name, _, _ := strings.Cut(p.resource, "/")
	sites := []rules.GVK{{Group: p.group, Version: versionOnly(p.version)}}
	if name != "*" && name != "" && !strings.ContainsAny(name, "{$%") {
		of := l.table.RulesOf(p.group)
		named := of.KindNamed(name) != ""
		sites[0].Plural = name
		sites = slices.DeleteFunc(append(l.usual(sites[0]), sites[0]), func(x rules.GVK) bool {
			return !l.names.from[p.group] || x.Kind == "" && !named && !of.Whole() || x.Kind != "" && named
		})
	}
	var list []permission
	for _, site := range sites {
		for _, to := range l.images(site) {
			x := permission{to.Group, cmp.Or(to.Version, p.version), p.resource, p.of}
			if to.Plural != "" {
				x.resource = to.Plural + p.resource[len(name):]
			}
			list = append(list, x)
		}
	}
	return list
}

// elsewhere says whether a resource of a group of the rules is one that they do not know, and
// may be of another group of the same list: of one of Kubernetes, if it is known there.
func (l *lexicon) elsewhere(p permission, g grant) bool {
	name, _, _ := strings.Cut(p.resource, "/")
	return l.isGroup(p.group) && name != "*" && l.table.RulesOf(p.group).KindNamed(name) == "" &&
		slices.ContainsFunc(g.groups, func(x string) bool { return x != p.group && (strings.Contains(x, ".") || rules.OfKubernetes(name)) })
}

// made are the permissions that the rules may make, and those that one list of groups and
// resources makes beside them: the new group with the other resources and versions. In dual
// mode the old group gets the new versions, too.
func (l *lexicon) made(before []grant) map[permission]bool {
	made := map[permission]bool{}
	for _, g := range before {
		for _, x := range g.groups {
			if !l.names.from[x] {
				continue
			}
			own := g
			own.groups = []string{x}
			_, list := permissionsOf(own)
			groups := map[string]bool{x: l.opts.Dual}
			for _, p := range list {
				for _, to := range l.imagesOf(p) {
					made[to], groups[to.group] = true, true
				}
			}
			for to, ok := range groups {
				for _, p := range list {
					resources := append(l.imagesOf(permission{group: x, resource: p.resource}), p)
					if to == x {
						resources = []permission{p}
					}
					for _, r := range resources {
						for _, v := range append(l.names.versionsFrom(p.version), p.version) {
							made[permission{to, v, r.resource, p.of}] = ok || made[permission{to, v, r.resource, p.of}]
						}
					}
				}
			}
		}
	}
	return made
}
