package strict

import "sigs.k8s.io/kustomize/kyaml/yaml"

// Entry is the key and the value of an entry of a mapping; nil = n is none, or has
// no such entry. Of a key that is twice it is the first.
func Entry(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// Value is the value of an entry of a mapping; nil = there is none.
func Value(n *yaml.Node, name string) *yaml.Node {
	_, value := Entry(n, name)
	return value
}
