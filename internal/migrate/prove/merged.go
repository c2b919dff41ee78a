package prove

import (
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// mergeKey is the key of what a mapping takes from others.
// Source: https://yaml.org/type/merge.html.
const mergeKey = "<<"

// merged is a mapping with what it takes from elsewhere: by merge keys, whose
// entries its own come before, and by aliases for its values and their items. A
// mapping that takes nothing is itself.
func merged(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode || !takes(n) {
		return n
	}
	out := *n
	out.Content = nil
	have, seen := map[string]bool{}, map[*yaml.Node]bool{}
	var add func(m *yaml.Node)
	add = func(m *yaml.Node) {
		if m.Kind == yaml.AliasNode {
			m = m.Alias
		}
		if seen[m] {
			return
		}
		seen[m] = true
		if m.Kind == yaml.SequenceNode {
			for _, item := range m.Content {
				add(item)
			}
			return
		}
		if m.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(m.Content); i += 2 {
			if key := m.Content[i].Value; key != mergeKey && !have[key] {
				have[key] = true
				out.Content = append(out.Content, m.Content[i], meant(m.Content[i+1]))
			}
		}
		if more := value(m, mergeKey); more != nil {
			add(more)
		}
	}
	add(n)
	return &out
}

// takes says whether a mapping has something that stands elsewhere.
func takes(n *yaml.Node) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		v := n.Content[i+1]
		if n.Content[i].Value == mergeKey || v.Kind == yaml.AliasNode || v.Kind == yaml.SequenceNode && slices.ContainsFunc(v.Content, isAlias) {
			return true
		}
	}
	return false
}

func isAlias(n *yaml.Node) bool { return n.Kind == yaml.AliasNode }

// meant is a value with its alias followed, and those of its items.
func meant(n *yaml.Node) *yaml.Node {
	if isAlias(n) {
		n = n.Alias
	}
	if n.Kind != yaml.SequenceNode || !slices.ContainsFunc(n.Content, isAlias) {
		return n
	}
	out := *n
	out.Content = nil
	for _, item := range n.Content {
		if isAlias(item) {
			item = item.Alias
		}
		out.Content = append(out.Content, item)
	}
	return &out
}

// mergedItems is a list whose items have what they take from elsewhere.
func mergedItems(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = make([]*yaml.Node, 0, len(n.Content))
	for _, item := range n.Content {
		out.Content = append(out.Content, merged(item))
	}
	return &out
}
