package stack

import "slices"

// InOrder is At with each component after those that it needs, and the root last.
func (s *Stack) InOrder(version string) []*Component {
	var list []*Component
	root, there := s.RootComponent(), s.At(version)
	seen := map[string]bool{root.Name: true}
	var add func(c *Component)
	add = func(c *Component) {
		if seen[c.Name] {
			return
		}
		seen[c.Name] = true
		for _, name := range c.Needs {
			if need, ok := s.Component(name); ok {
				add(need)
			}
		}
		if slices.Contains(there, c) {
			list = append(list, c)
		}
	}
	for _, c := range there {
		add(c)
	}
	return append(list, root)
}
