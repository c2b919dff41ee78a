package prove

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A grant is a rule of permissions, of a webhook or of a policy: it is about
// every pair of its groups and resources.
type grant struct {
	groups, resources, versions []string
	rest                        string // its verbs and everything else
	pos                         source.Position
}

// isGrant says whether a mapping is one.
func isGrant(n *node) bool {
	return n.shape == mapping && groupsOf(n) != nil && n.child("resources") != nil
}

func groupsOf(n *node) *node {
	if g := n.child("apiGroups"); g != nil {
		return g
	}
	return n.child("groups")
}

func isOther(key string) bool { return !isList(key) }

func grantOf(n *node) grant {
	g := grant{pos: n.pos}
	var b bytes.Buffer
	if !isGrant(n) {
		n.write(&b)
		g.rest = b.String()
		return g
	}
	for i, k := range n.keys {
		switch strings.ToLower(k.value) {
		case "groups", "apigroups":
			g.groups = n.items[i].texts()
		case "resources":
			g.resources = n.items[i].texts()
		case "versions", "apiversions":
			g.versions = n.items[i].texts()
		default:
			k.write(&b)
			n.items[i].write(&b)
			continue
		}
		fmt.Fprintf(&b, "%s %d ", k.value, n.items[i].shape)
	}
	g.rest = b.String()
	return g
}

// grants checks two lists of rules of permissions.
func (f *proof) grants(b, a *node, depth int) error {
	before, after := make([]grant, len(b.items)), make([]grant, len(a.items))
	for i, n := range b.items {
		before[i] = grantOf(n)
	}
	for i, n := range a.items {
		after[i] = grantOf(n)
	}
	if len(before) != len(after) {
		f.sameRules(b, a, before, after, depth)
		f.moves, f.split = true, f.split || len(before) < len(after) && !f.opts.Dual
	} else { // names may also change in the other fields
		for i, n := range b.items {
			if before[i].rest == after[i].rest {
				continue
			}
			if err := f.other(n, a.items[i], depth); err != nil {
				return err
			}
			after[i].rest = before[i].rest
		}
	}
	return f.permissions(before, after, b.pos)
}

// other checks the fields of a rule of permissions but for its lists.
func (f *proof) other(b, a *node, depth int) error {
	if !isGrant(b) {
		return f.value("", b, a, depth)
	}
	if a.shape != mapping {
		return f.fault(b.pos, "the rule of permissions is no mapping after")
	}
	return f.fields(b, a, depth, isOther)
}

// A permission is one group and resource of a rule of permissions.
type permission struct {
	group, version, resource string
	rest                     uint64
}

func (p permission) String() string {
	s := fmt.Sprintf("%q in group %q", p.resource, p.group)
	if p.version != "" {
		s += " " + p.version
	}
	return s
}

// A grantSet is what rules of permissions allow together.
type grantSet struct {
	same  map[string]map[uint64]bool // group that no rule names → what it is listed with
	moved map[permission]int         // of groups of the rules → index of the rule of permissions
	order []permission               // of moved
	full  bool                       // there are more pairs than are compared
}

// maxPairs bounds the pairs of one list of rules of permissions.
const maxPairs = 1 << 20

func (f *proof) grantSetOf(list []grant) grantSet {
	s := grantSet{same: map[string]map[uint64]bool{}, moved: map[permission]int{}}
	for i, g := range list {
		rest := sum(g.rest)
		whole := sum(g.rest, sorted(g.resources), sorted(g.versions))
		if len(g.groups) == 0 {
			g.groups = []string{"none"}
		}
		for _, x := range g.groups {
			switch {
			case f.names.from[x] || f.names.to[x]:
				s.add(g, i, x, rest)
			case s.same[x] == nil:
				s.same[x] = map[uint64]bool{whole: true}
			default:
				s.same[x][whole] = true
			}
		}
	}
	return s
}

// add takes in the pairs of one group.
func (s *grantSet) add(g grant, i int, group string, rest uint64) {
	versions := g.versions
	if len(versions) == 0 {
		versions = []string{""}
	}
	for _, r := range g.resources {
		for _, v := range versions {
			if s.full = s.full || len(s.moved) > maxPairs; s.full {
				return
			}
			p := permission{group, v, r, rest}
			if _, ok := s.moved[p]; !ok {
				s.moved[p] = i
				s.order = append(s.order, p)
			}
		}
	}
}

func sum(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		h.Write([]byte(p))
	}
	return h.Sum64()
}

func sorted(list []string) string {
	list = slices.Clone(list)
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "\n")
}

// permissions checks that what is allowed after is what the rules make of what
// was allowed before.
func (f *proof) permissions(before, after []grant, at source.Position) error {
	b, a := f.grantSetOf(before), f.grantSetOf(after)
	if b.full || a.full {
		return f.fault(at, "the list allows too many pairs of groups and resources to compare them")
	}
	for _, g := range slices.Sorted(maps.Keys(b.same)) {
		if !maps.Equal(b.same[g], a.same[g]) && !f.samePairs(g, before, after) {
			return f.fault(at, "the permissions on group %q change, and no rule names it", g)
		}
	}
	for _, g := range slices.Sorted(maps.Keys(a.same)) {
		if b.same[g] == nil {
			return f.fault(at, "permissions on group %q are added, and no rule names it", g)
		}
	}
	if err := f.lost(before, b, a); err != nil {
		return err
	}
	return f.widened(before, b, a, at)
}

// samePairs compares what is allowed of one group pair by pair: the same may be
// written in more rules.
func (f *proof) samePairs(group string, before, after []grant) bool {
	pairs := func(list []grant) map[permission]int {
		s := grantSet{moved: map[permission]int{}}
		for i, g := range list {
			if slices.Contains(g.groups, group) {
				s.add(g, i, group, sum(g.rest))
			}
		}
		return s.moved
	}
	b, a := pairs(before), pairs(after)
	return len(b) > 0 && len(b) == len(a) && maps.EqualFunc(b, a, func(int, int) bool { return true })
}

// lost finds a permission that is gone.
func (f *proof) lost(list []grant, before, after grantSet) error {
	for _, p := range before.order {
		i := before.moved[p]
		if _, ok := after.moved[p]; ok || !f.opts.Dual && (f.arrives(p, after) || f.elsewhere(p, list[i])) {
			continue
		}
		return f.fault(list[i].pos, "the permission on %s is lost", p)
	}
	return nil
}

// arrives says whether what the rules make of a permission is allowed after.
func (f *proof) arrives(p permission, after grantSet) bool {
	all := f.imagesOf(p)
	has := func(p permission) bool { _, ok := after.moved[p]; return ok }
	if p.resource == "*" {
		return len(all) > 0 && !slices.ContainsFunc(all, func(p permission) bool { return !has(p) })
	}
	return slices.ContainsFunc(all, has)
}

// imagesOf are what the rules make of a permission.
func (f *proof) imagesOf(p permission) []permission {
	name, _, _ := strings.Cut(p.resource, "/")
	site := rules.GVK{Group: p.group, Version: versionOnly(p.version)}
	if name != "*" && name != "" && !strings.ContainsAny(name, "{$%") {
		site.Plural = name
		if !f.names.from[p.group] || f.table.KindNamed(p.group, name) == "" && !f.table.Whole(p.group) {
			return nil
		}
	}
	var list []permission
	for _, to := range f.images(site) {
		x := permission{to.Group, p.version, p.resource, p.rest}
		if to.Version != "" {
			x.version = to.Version
		}
		if to.Plural != "" {
			x.resource = to.Plural + p.resource[len(name):]
		}
		list = append(list, x)
	}
	return list
}

// elsewhere says whether a resource is one that the rules do not know, and may
// be of another group of the same list.
func (f *proof) elsewhere(p permission, g grant) bool {
	name, _, _ := strings.Cut(p.resource, "/")
	if name == "*" || f.table.KindNamed(p.group, name) != "" {
		return false
	}
	return slices.ContainsFunc(g.groups, func(x string) bool { return x != p.group })
}

// widened finds a permission that no rule makes.
func (f *proof) widened(list []grant, before, after grantSet, at source.Position) error {
	made := map[permission]bool{}
	for _, p := range before.order {
		for _, x := range f.imagesOf(p) {
			made[x] = true
		}
	}
	for _, g := range list {
		f.alsoMade(g, made)
	}
	for _, p := range after.order {
		if _, ok := before.moved[p]; !ok && !made[p] {
			return f.fault(at, "the permission on %s is new, and no rule makes it", p)
		}
	}
	return nil
}

// alsoMade adds the pairs that one list of groups and resources makes beside
// the intended ones: the new group with the other resources.
func (f *proof) alsoMade(g grant, made map[permission]bool) {
	seen := map[string]bool{}
	for _, x := range g.groups {
		if !f.names.from[x] || seen[x] {
			continue
		}
		seen[x] = true
		if f.opts.Dual { // the old group with the new versions of the list
			s := grantSet{moved: map[permission]int{}}
			s.add(g, 0, x, sum(g.rest))
			for _, p := range s.order {
				for _, v := range f.names.versionsFrom(p.version) {
					made[permission{x, v, p.resource, p.rest}] = true
				}
			}
		}
		for _, to := range f.targets(x, g) {
			s := grantSet{moved: map[permission]int{}}
			s.add(g, 0, to, sum(g.rest))
			for _, p := range s.order {
				made[p] = true
				p.resource = f.renamed(x, p.resource)
				made[p] = true
				for _, v := range f.names.versionsFrom(p.version) {
					p.version = v
					made[p] = true
				}
			}
		}
	}
}

// renamed is the new name of a resource, or the old one.
func (f *proof) renamed(group, resource string) string {
	for _, p := range f.imagesOf(permission{group: group, resource: resource}) {
		return p.resource
	}
	return resource
}

// targets are the groups that the resources of a rule of permissions move to.
func (f *proof) targets(group string, g grant) []string {
	var list []string
	for _, r := range g.resources {
		for _, p := range f.imagesOf(permission{group: group, resource: r}) {
			if !slices.Contains(list, p.group) {
				list = append(list, p.group)
			}
		}
	}
	return list
}
