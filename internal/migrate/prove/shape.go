package prove

import (
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// A leaf is a value without values in it, with the way to it from an object.
type leaf struct {
	path []string // keys, and "[n]" for items
	node *yaml.Node
}

func (l leaf) key() string { return strings.Join(l.path, "\x00") }

// leaves are the leaves of a value.
func leaves(n *yaml.Node, path []string) []leaf {
	if len(n.Content) == 0 || n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode {
		return []leaf{{slices.Clone(path), n}}
	}
	var list []leaf
	if n.Kind == yaml.SequenceNode {
		for i, x := range n.Content {
			list = append(list, leaves(x, append(path, "["+strconv.Itoa(i)+"]"))...)
		}
		return list
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		list = append(list, leaves(n.Content[i+1], append(path, n.Content[i].Value))...)
	}
	return list
}

// An owner is an object whose shape may change, and where it stands.
type owner struct {
	path  []string
	node  *yaml.Node
	steps []Step
}

// conversions are the steps that may be done to an object, in their order.
func (c *check) conversions(n *yaml.Node) []Step {
	av, kind := entry(n, "apiVersion"), entry(n, "kind")
	if av == nil || kind == nil {
		return nil
	}
	at := split(av.Value)
	at.Kind = kind.Value
	var steps [][]Step
	for _, g := range append([]GVK{at}, c.rules.images(at)...) {
		for _, conv := range c.rules.converts {
			if split(conv.From) == (GVK{Group: g.Group, Version: g.Version}) && conv.Kind == g.Kind {
				steps = append(steps, conv.Steps)
			}
		}
	}
	if len(steps) == 1 {
		return steps[0]
	}
	return slices.Concat(steps...)
}

// owners are the objects in a value whose shape may change, the innermost first.
func (c *check) owners(n *yaml.Node, path []string) []owner {
	var list []owner
	if n.Kind == yaml.SequenceNode {
		for i, x := range n.Content {
			list = append(list, c.owners(x, append(path, "["+strconv.Itoa(i)+"]"))...)
		}
		return list
	}
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		list = append(list, c.owners(n.Content[i+1], append(path, n.Content[i].Value))...)
	}
	if steps := c.conversions(n); len(steps) > 0 {
		list = append(list, owner{slices.Clone(path), n, steps})
	}
	return list
}

// A place is where a leaf may be after some of the steps.
type place struct {
	path   []string // "[*]" is any item
	value  string   // with mapped
	mapped bool
	copied bool // the leaf may be elsewhere as well
	quoted bool // it may be a string now
	left   bool // a step that asks for nothing leads on from here
}

// A fate is what may become of a leaf.
type fate struct {
	leaf   leaf
	places []place // the last are those that most steps lead to
	drops  bool
}

// fate follows a leaf through the steps of the objects around it. Each step
// may have been done or not: what it asks for is not looked at.
func fateOf(l leaf, owners []owner) fate {
	f := fate{leaf: l, places: []place{{path: l.path}}}
	for _, o := range owners {
		if len(o.path) > len(l.path) || !slices.Equal(o.path, l.path[:len(o.path)]) {
			continue
		}
		for _, s := range o.steps {
			f.step(s, len(o.path))
		}
	}
	return f
}

// choices is how many answers there are to where a leaf is.
func (f *fate) choices() int {
	if f.drops {
		return len(f.places) + 1000
	}
	return len(f.places)
}

// step adds the places to which one step leads. The path of the object has n keys.
func (f *fate) step(s Step, n int) {
	for i, p := range f.places {
		wild, rest, ok := match(s.Path, p.path, n)
		if !ok || s.Verb == "drop" && p.left {
			continue
		}
		next, leads := f.led(s, p, n, wild, rest)
		if !leads {
			continue
		}
		f.places[i].left = p.left || s.Always && s.Verb != "copy"
		next.left = false
		if !slices.ContainsFunc(f.places, func(x place) bool { return slices.Equal(x.path, next.path) && x.mapped == next.mapped }) {
			f.places = append(f.places, next)
		}
	}
}

// led is where a step leads from a place; false for a step that leaves the value
// where it is, or may take it away.
func (f *fate) led(s Step, p place, n int, wild, rest []string) (next place, ok bool) {
	head := p.path[:len(p.path)-len(rest)]
	switch s.Verb {
	case "drop":
		f.drops = true
		return p, false
	case "rename":
		p.path = slices.Concat(head[:len(head)-1], []string{s.Key}, rest)
	case "wrap":
		p.path = slices.Concat(head, []string{strings.Replace(s.Key, "[*]", "[0]", 1)}, rest)
	case "map-values":
		to, known := s.Values[f.leaf.node.Value]
		if f.drops = f.drops || known && to == ""; to == "" || len(rest) > 0 {
			return p, false
		}
		p.value, p.mapped = to, true
	case "move", "copy":
		to := fill(s.To, wild)
		p.path = slices.Concat(p.path[:n], to, rest)
		p.copied = p.copied || s.Verb == "copy" || slices.Contains(to, "[*]")
		p.quoted = p.quoted || s.Quote
	default:
		return p, false
	}
	return p, true
}

// match says whether a path, behind its first n keys, begins as a pattern
// says: the items that its wildcards took, and what follows.
func match(pattern, path []string, n int) (wild, rest []string, ok bool) {
	if len(path) < n+len(pattern) {
		return nil, nil, false
	}
	for i, k := range pattern {
		switch at := path[n+i]; {
		case k == "[*]" && strings.HasPrefix(at, "["):
			wild = append(wild, at)
		case k != at:
			return nil, nil, false
		}
	}
	return wild, path[n+len(pattern):], true
}

// fill puts items in place of wildcards.
func fill(path, wild []string) []string {
	out := slices.Clone(path)
	for i, k := range out {
		if k == "[*]" && len(wild) > 0 {
			out[i], wild = wild[0], wild[1:]
		}
	}
	return out
}

// shape compares an object before and after a change of its shape: each value
// before is after where the steps lead, or may be dropped, and none is there
// that does not come from one, or from a step that writes it.
func (c *check) shape(a, b *yaml.Node, _ []Step) error {
	owners := c.owners(a, nil)
	if key := keyTwice(b, nil); key != nil && keyTwice(a, nil) == nil {
		return under(strings.Join(key, "."), differ("it would be there twice"))
	}
	after := map[string]leaf{}
	for _, l := range leaves(b, nil) {
		if _, twice := after[l.key()]; twice {
			return under(strings.Join(l.path, "."), differ("it would be there twice"))
		}
		after[l.key()] = l
	}
	used := map[string]bool{}
	var fates []fate
	for _, l := range leaves(a, nil) {
		fates = append(fates, fateOf(l, owners))
	}
	// Those that have the fewest places choose first.
	slices.SortStableFunc(fates, func(x, y fate) int { return x.choices() - y.choices() })
	for _, f := range fates {
		if !c.arrives(f, after, used) {
			if !f.drops {
				return under(strings.Join(f.leaf.path, "."), differ("%s would be lost", describe(f.leaf.node)))
			}
			c.lost = true
		}
	}
	for key, l := range after {
		if !used[key] && !c.comes(l, fates, owners) {
			return under(strings.Join(l.path, "."), differ("%s would come from nowhere", describe(l.node)))
		}
	}
	return c.heads(owners, after)
}

// keyTwice is the path of a key that a mapping has twice, nil where none does: a parser of
// nodes takes both.
func keyTwice(n *yaml.Node, at []string) []string {
	known := map[string]bool{}
	for i, child := range n.Content {
		in := at
		if n.Kind == yaml.MappingNode {
			if i%2 == 0 {
				continue
			}
			key := n.Content[i-1].Value
			if in = append(slices.Clip(at), key); known[key] {
				return in
			}
			known[key] = true
		}
		if key := keyTwice(child, in); key != nil {
			return key
		}
	}
	return nil
}

// arrives says whether a leaf is at one of its places, and notes which.
func (c *check) arrives(f fate, after map[string]leaf, used map[string]bool) bool {
	for _, p := range slices.Backward(f.places) {
		for _, path := range c.spelled(p.path) {
			key := strings.Join(path, "\x00")
			if l, ok := after[key]; ok && !used[key] && c.sameLeaf(f, p, l) {
				used[key] = true
				return true
			}
		}
		if slices.Contains(p.path, "[*]") {
			for _, l := range after {
				if meets(p.path, l.path) && c.sameLeaf(f, p, l) {
					return true // it is noted as a copy
				}
			}
		}
	}
	return false
}

// spelled are a path, and the path with its keys as the rules rename them.
func (c *check) spelled(path []string) [][]string {
	all := [][]string{path}
	for i, key := range path {
		for _, to := range c.keys(key) {
			next := slices.Clone(all[len(all)-1])
			next[i] = to
			all = append(all, next)
			break
		}
	}
	return all
}

// keys are what a key may become.
func (v *vocabulary) keys(key string) []string {
	if to := v.words[key]; len(to) > 0 {
		return to
	}
	for i := range len(key) {
		if key[i] == '/' {
			for _, to := range v.words[key[:i+1]] {
				return []string{to + key[i+1:]}
			}
		}
	}
	return nil
}

func meets(pattern, path []string) bool {
	_, rest, ok := match(pattern, path, 0)
	return ok && len(rest) == 0
}

func (c *check) sameLeaf(f fate, p place, l leaf) bool {
	if p.mapped {
		return l.node.Value == p.value
	}
	if p.quoted && l.node.Kind == yaml.ScalarNode && l.node.Value == f.leaf.node.Value {
		return true
	}
	return c.node(f.leaf.node, l.node) == nil
}

// comes says whether a leaf that no other one became may be there.
func (c *check) comes(l leaf, fates []fate, owners []owner) bool {
	if slices.ContainsFunc(fates, func(f fate) bool { return c.leaves(f, l) }) {
		return true
	}
	for _, o := range owners {
		for i, s := range o.steps {
			if s.Value != "" && c.writes(s, o, o.steps[i:], l) {
				return true
			}
		}
	}
	return false
}

// leaves says whether a leaf is a copy of one that has a fate, or what is left of
// its parents when it went.
func (c *check) leaves(f fate, l leaf) bool {
	empty := len(l.node.Content) == 0 && (l.node.Kind != yaml.ScalarNode || l.node.ShortTag() == yaml.NodeTagNull)
	copied := slices.ContainsFunc(f.places, func(p place) bool { return p.copied })
	return slices.ContainsFunc(f.places, func(p place) bool {
		return copied && meets(p.path, l.path) && c.sameLeaf(f, p, l) || empty && len(p.path) > len(l.path) && slices.Equal(p.path[:len(l.path)], l.path)
	})
}

// writes says whether a step that writes a value wrote a leaf; later steps may
// have moved it.
func (c *check) writes(s Step, o owner, later []Step, l leaf) bool {
	docs, err := parseYAML([]byte(s.Value))
	if err != nil || len(docs) != 1 {
		return false
	}
	for _, v := range leaves(docs[0].Content[0], nil) {
		for _, at := range c.prefixes(o, l) {
			f := fate{leaf: v, places: []place{{path: slices.Concat(at, fill(s.Path, items(l.path[len(at):])), v.path)}}}
			for _, x := range later {
				f.step(x, len(at))
			}
			if slices.ContainsFunc(f.places, func(p place) bool { return meets(p.path, l.path) && p.text(v) == l.node.Value }) {
				return true
			}
		}
	}
	return false
}

// text is the value of a leaf at a place.
func (p place) text(l leaf) string {
	if p.mapped {
		return p.value
	}
	return l.node.Value
}

// items are the places in lists on a way.
func items(path []string) []string {
	var list []string
	for _, k := range path {
		if strings.HasPrefix(k, "[") {
			list = append(list, k)
		}
	}
	return list
}

// prefixes are the ways to a leaf at which an object may stand.
func (c *check) prefixes(o owner, l leaf) [][]string {
	list := [][]string{}
	for n := range len(l.path) {
		if n == len(o.path) || n > 0 && len(o.path) > 0 {
			list = append(list, l.path[:n])
		}
	}
	return list
}

// heads holds the group, version and kind of objects whose shape changes
// against the rules.
func (c *check) heads(owners []owner, after map[string]leaf) error {
	for _, o := range owners {
		from := split(entry(o.node, "apiVersion").Value)
		from.Kind = entry(o.node, "kind").Value
		av, ok := after[strings.Join(append(slices.Clone(o.path), "apiVersion"), "\x00")]
		kind, also := after[strings.Join(append(slices.Clone(o.path), "kind"), "\x00")]
		if !ok || !also {
			continue // the object is elsewhere: its words are explained
		}
		to := split(av.node.Value)
		to.Kind = kind.node.Value
		if !c.rules.becomes(from, to) {
			return differ("no rule makes %s %s of %s %s", av.node.Value, to.Kind, entry(o.node, "apiVersion").Value, from.Kind)
		}
	}
	return nil
}
