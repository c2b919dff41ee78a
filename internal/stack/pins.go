package stack

import "slices"

// Pins are the places in the repository of a component at which it pins others
// that it needs, directly or through them, in a stack release: the declared
// ones, and its go.mod where both publish a Go module, and released says that
// the other one is released with the stack. The latter may have no match.
// Without a valid version, all eras count.
func (s *Stack) Pins(c *Component, at string, released func(*Component) bool) []*Place {
	var list []*Place
	for _, need := range s.Above(c) {
		places := s.PlacesOf(need, c, at)
		list = append(list, places...)
		declared := slices.ContainsFunc(places, func(p *Place) bool { return p.Kind == "go-require" })
		if declared || c.Module.Path == "" || need.Module.Path == "" || !released(need) || !slices.Contains(s.At(at), need) {
			continue
		}
		p := &Place{Component: need.Name, Repository: c.Name, Kind: "go-require", Optional: true}
		if err := p.Complete(s); err == nil { // nothing in it can be wrong
			list = append(list, p)
		}
	}
	return list
}

// Above are the components that a component needs, directly or through
// others, each after those that it needs itself.
func (s *Stack) Above(c *Component) []*Component {
	var list []*Component
	seen := map[string]bool{c.Name: true}
	var add func(c *Component)
	add = func(c *Component) {
		for _, name := range c.Needs {
			if need, ok := s.Component(name); ok && !seen[need.Name] {
				seen[need.Name] = true
				add(need)
				list = append(list, need)
			}
		}
	}
	add(c)
	return list
}

// InOrder is At with each component after those that it needs, and the root last.
func (s *Stack) InOrder(version string) []*Component {
	var list []*Component
	root, there := s.RootComponent(), s.At(version)
	for _, c := range there {
		if c == root {
			continue
		}
		for _, x := range append(s.Above(c), c) {
			if x != root && slices.Contains(there, x) && !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
	}
	return append(list, root)
}

// Dependents lists the components that need c, directly or through others, in
// table order: what a change of c reaches.
func (s *Stack) Dependents(c *Component) []*Component {
	var list []*Component
	for i := range s.Components {
		if d := &s.Components[i]; d != c && slices.Contains(s.Above(d), c) {
			list = append(list, d)
		}
	}
	return list
}
