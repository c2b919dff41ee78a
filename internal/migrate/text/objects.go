package text

import "strings"

// Objects are the objects of a list, by their kind, namespace and name; those
// without a kind or a name are left out. -1 is the list at the top.
func (t *Tree) Objects(list int32) map[string][]int32 {
	if t.objects == nil {
		t.objects = map[int32]map[string][]int32{}
	}
	found := t.objects[list]
	if found == nil {
		found = map[string][]int32{}
		for _, item := range t.Roots(list) {
			if id := t.ObjectID(item); id != "" {
				found[id] = append(found[id], item)
			}
		}
		t.objects[list] = found
	}
	return found
}

// ObjectID is the kind, namespace and name of the object that a mapping is, empty
// where it has no kind or no name.
func (t *Tree) ObjectID(mapping int32) string {
	kind, meta := t.Text(t.Value(mapping, "kind")), t.Value(mapping, "metadata")
	if kind == "" || meta < 0 {
		return ""
	}
	name := t.Text(t.Value(meta, "name"))
	if name == "" {
		return ""
	}
	return strings.Join([]string{kind, t.Text(t.Value(meta, "namespace")), name}, " ")
}
