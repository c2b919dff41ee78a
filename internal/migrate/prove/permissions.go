package prove

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// A tuple is one permission of a rule, or one thing that a webhook or an
// admission policy is asked about.
type tuple struct {
	group, version, resource string // a resource, or a kind where kinds are named
	verb, name               string
	rest                     string // everything else that the rule says
	kinds                    bool   // the resource is a kind
}

func (t tuple) String() string {
	text := fmt.Sprintf("%s %s.%s", t.verb, t.resource, t.group)
	if t.name != "" {
		text += " " + t.name
	}
	return text
}

// isPermissions says whether a list is one of rules that name API groups.
func isPermissions(n *yaml.Node) bool {
	return slices.ContainsFunc(n.Content, func(item *yaml.Node) bool {
		list := value(item, "apiGroups")
		return list != nil && list.Kind == yaml.SequenceNode
	})
}

// permissions compares two lists of rules by what they permit: each tuple
// before is there after, as it was or as what it becomes, and there is no
// other one after. Rules that name no groups are compared in their order.
func (c *check) permissions(a, b *yaml.Node) error {
	a, b = mergedItems(a), mergedItems(b)
	old, moved := changed(a.Content, b.Content)
	before, others := c.tuples(old)
	after, fresh := c.tuples(moved)
	if len(others) != len(fresh) {
		return differ("%d rules without groups would become %d", len(others), len(fresh))
	}
	if err := c.list(others, fresh); err != nil {
		return err
	}
	if err := onceEach(a, b, max(1, len(old))); err != nil {
		return err
	}
	all, _ := c.tuples(b.Content)
	if c.file.Dual { // a rule that stays has a copy, perhaps
		before, _ = c.tuples(a.Content)
		after = all
	}
	return c.permit(before, after, all)
}

// changed are the items of two lists of rules without those that are in both: a
// rule that stays as it is permits what it did, whatever becomes of the others.
func changed(a, b []*yaml.Node) (before, after []*yaml.Node) {
	there := map[string]int{}
	for _, y := range b {
		if value(y, "apiGroups") != nil {
			there[text(y)]++
		}
	}
	same := map[string]int{}
	for _, x := range a {
		if form := text(x); there[form] > 0 {
			there[form]--
			same[form]++
		} else {
			before = append(before, x)
		}
	}
	for _, y := range b {
		if form := text(y); same[form] > 0 {
			same[form]--
		} else {
			after = append(after, y)
		}
	}
	return before, after
}

// text is a value in one form, however it is spelled.
func text(n *yaml.Node) string {
	var b strings.Builder
	flat(&b, n)
	return b.String()
}

// onceEach says whether no rule after, and no list in one, says anything twice
// that was said once before.
//
// Of as many rules as have changed parts may have become the same; one may be a copy.
func onceEach(a, b *yaml.Node, changed int) error {
	if len(b.Content) > len(a.Content) {
		if err := moreThan(changed, a.Content, b.Content); err != nil {
			return err
		}
	}
	if err := saysTwice(b); err != nil && saysTwice(a) == nil { // it did not do so before
		return err
	}
	return nil
}

// saysTwice says whether a list in a rule has an item twice.
func saysTwice(rules *yaml.Node) error {
	for _, item := range rules.Content {
		for _, key := range product {
			if list := value(item, key); list != nil {
				if err := twice(nil, list.Content); err != nil {
					return under(key, err)
				}
			}
		}
	}
	return nil
}

// permit compares two sets of tuples: of what has changed, and all that there is after.
func (c *check) permit(before, after, all map[tuple]bool) error {
	from := map[tuple][]tuple{} // what each tuple after may come from
	open := map[tuple]bool{}    // tuples of rules that do not name all of their resources, and what they become
	for _, t := range sorted(before) {
		images := c.tupleImages(t)
		if !after[t] && !c.file.Dual && c.isCrossed(t, before, all) {
			continue
		}
		if !after[t] && (c.file.Dual || !slices.ContainsFunc(images, func(n tuple) bool { return all[n] })) {
			return differ("the permission to %s would be lost", t)
		}
		for _, n := range append(images, t) {
			from[n] = append(from[n], t)
			from[n.ofAnyVersion()] = append(from[n.ofAnyVersion()], t)
			if t.open() {
				open[n.without()] = true
			}
		}
	}
	for _, n := range sorted(after) {
		if before[n] || open[n.without()] {
			continue // there before, or in a rule that grants a product with what cannot be told apart
		}
		if n.version != "" && len(from[n.ofAnyVersion()]) > 0 {
			continue // a rule for several versions is called for all of its groups
		}
		if len(from[n]) == 0 {
			return differ("the permission to %s would come from nowhere", n)
		}
		if !c.file.Dual && !slices.ContainsFunc(from[n], func(t tuple) bool { return !after[t] }) {
			return differ("the permission to %s would be given beside the old one", n)
		}
	}
	return nil
}

// isCrossed says whether a tuple is none of its own: while both groups were served, a rule named
// the versions of both, and so that of the one group for the other.
func (c *check) isCrossed(t tuple, before, all map[tuple]bool) bool {
	if t.version == "" || len(c.tupleImages(t)) > 0 {
		return false
	}
	return slices.ContainsFunc(sorted(before), func(old tuple) bool {
		return slices.ContainsFunc(c.tupleImages(old), func(fresh tuple) bool {
			of, to := old, fresh
			of.version, to.version = fresh.version, old.version
			return old.group != fresh.group && old.version != fresh.version && before[fresh] && all[fresh] && (t == of || t == to)
		})
	})
}

// ofAnyVersion is a tuple of a webhook whatever the version.
func (t tuple) ofAnyVersion() tuple {
	t.version = "*"
	return t
}

func sorted(set map[tuple]bool) []tuple {
	return slices.SortedFunc(maps.Keys(set), func(a, b tuple) int {
		return strings.Compare(fmt.Sprintf("%q", a), fmt.Sprintf("%q", b))
	})
}

// without is a tuple without its resource.
func (t tuple) without() tuple {
	t.resource = ""
	return t
}

// open says whether a tuple is about resources that it does not name, some of
// which may stay.
func (t tuple) open() bool {
	if t.kinds {
		return strings.Contains(t.resource, "*")
	}
	plural, _, _ := strings.Cut(t.resource, "/")
	return !resourceName.MatchString(plural)
}

// tuples are what a list of rules permits, and its items that name no groups.
func (c *check) tuples(items []*yaml.Node) (map[tuple]bool, []*yaml.Node) {
	set := map[tuple]bool{}
	var others []*yaml.Node
	for _, item := range items {
		groups := value(item, "apiGroups")
		if groups == nil || groups.Kind != yaml.SequenceNode {
			others = append(others, item)
			continue
		}
		t := tuple{rest: rest(item), kinds: resourcesOf(item) == "kinds"}
		for _, t.group = range scalars(groups) {
			for _, t.version = range scalars(value(item, "apiVersions")) {
				for _, t.resource = range scalars(value(item, resourcesOf(item))) {
					for _, t.verb = range scalars(value(item, "verbs")) {
						for _, t.name = range scalars(value(item, "resourceNames")) {
							set[t] = true
						}
					}
				}
			}
		}
	}
	return set, others
}

// resourcesOf is the key of what a rule names beside groups: kinds, in policies
// that name no resources.
func resourcesOf(item *yaml.Node) string {
	if value(item, "resources") == nil && value(item, "kinds") != nil {
		return "kinds"
	}
	return "resources"
}

// scalars are the items of a list; one empty one where there is no list.
func scalars(n *yaml.Node) []string {
	if n == nil || n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return []string{""}
	}
	var list []string
	for _, item := range n.Content {
		list = append(list, item.Value)
	}
	return list
}

// product are the keys of a rule whose lists multiply.
var product = []string{"apiGroups", "apiVersions", "resources", "verbs", "resourceNames"}

// rest is what else a rule says.
func rest(item *yaml.Node) string {
	var b strings.Builder
	for i := 0; i+1 < len(item.Content); i += 2 {
		if !slices.Contains(product, item.Content[i].Value) && item.Content[i].Value != resourcesOf(item) {
			b.WriteString(item.Content[i].Value + ":")
			flat(&b, item.Content[i+1])
		}
	}
	return b.String()
}

// flat writes a value in one form, however it is spelled.
func flat(b *strings.Builder, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode || n.Kind == yaml.AliasNode {
		fmt.Fprintf(b, "%s%q", n.ShortTag(), n.Value)
		return
	}
	b.WriteString("(")
	for _, x := range n.Content {
		flat(b, x)
		b.WriteString(" ")
	}
	b.WriteString(")")
}

var resourceName = lazyregexp.New(`^[a-z][a-z0-9-]*$`)

// tupleImages are the tuples that one may become.
func (c *check) tupleImages(t tuple) []tuple {
	plural, sub, _ := strings.Cut(t.resource, "/")
	site := GVK{Group: t.group, Version: strings.Trim(t.version, "*"), Plural: plural}
	if t.kinds {
		site.Kind, site.Plural = strings.Trim(plural, "*"), ""
	} else if !resourceName.MatchString(plural) {
		site.Plural = "" // a wildcard, or what a template fills in
	}
	var list []tuple
	for _, to := range c.rules.images(site) {
		n := t
		n.group = to.Group
		if site.Version != "" {
			n.version = to.Version
		}
		if site.Kind != "" {
			n.resource = to.Kind
		}
		if site.Plural != "" {
			n.resource = to.Plural
			if sub != "" {
				n.resource += "/" + sub
			}
		}
		list = append(list, n)
	}
	return append(list, c.namedImages(t)...)
}

// namedImages are the tuples that one about a single CRD or APIService may become. The name
// of the one is plural.group, that of the other version.group, and moves as both do.
// Source: k8s.io/apiextensions-apiserver, pkg/apis/apiextensions/validation;
// k8s.io/kube-aggregator, pkg/apis/apiregistration/validation.
func (c *check) namedImages(t tuple) []tuple {
	resource, _, _ := strings.Cut(t.resource, "/")
	first, group, ok := strings.Cut(t.name, ".")
	if t.kinds || !ok || !resourceName.MatchString(first) {
		return nil
	}
	var list []tuple
	switch {
	case t.group == "apiextensions.k8s.io" && resource == "customresourcedefinitions":
		for _, to := range c.rules.images(GVK{Group: group, Plural: first}) {
			t.name = to.Plural + "." + to.Group
			list = append(list, t)
		}
	case t.group == "apiregistration.k8s.io" && resource == "apiservices":
		for _, to := range c.rules.images(GVK{Group: group, Version: first}) {
			t.name = to.Version + "." + to.Group
			list = append(list, t)
		}
	}
	return list
}
