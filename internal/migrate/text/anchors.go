package text

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What is once in a document may be the value of several mappings: by an
// alias, or by a merge key, which takes all entries of another mapping that the
// own ones do not name.
// Source: YAML 1.2.2, section 7.1; https://yaml.org/type/merge.html.

// mergeKey is the key of what a mapping takes.
const mergeKey = "<<"

// maxMerges bounds mappings that take mappings that take mappings.
const maxMerges = 32

// An anchors are the anchors of a tree, and who uses them.
type anchors struct {
	byName  map[string][]int32           // the nodes that a name stands for, each from there on
	byAlias map[int32][]int32            // mappings that have an alias of a node for a value, or in a list
	mergers []int32                      // mappings with a merge key
	byMerge map[string]map[int32][]int32 // by a key, and the entry of it: mappings that merge it
}

// anchor notes that a node has an anchor, the text of which begins with "&".
func (t *Tree) anchor(n int32, at source.Span) {
	if n < 0 || at.Len() < 2 || t.Data[at.Start] != '&' {
		return
	}
	if t.anchors.byName == nil {
		t.anchors.byName = map[string][]int32{}
	}
	name := string(t.Data[at.Start+1 : at.End])
	t.anchors.byName[name] = append(t.anchors.byName[name], n)
}

// Meant is the node that an alias stands for, the node itself for any other; -1
// for an alias of nothing.
func (t *Tree) Meant(n int32) int32 {
	if n < 0 || !t.Nodes[n].alias {
		return n
	}
	list := t.anchors.byName[t.Raw(n)[1:]]
	k, _ := slices.BinarySearch(list, n)
	if k == 0 {
		return -1
	}
	return list[k-1]
}

// Value is the entry of a mapping with a key, its own or one that it merges, with
// aliases followed; -1 for none. Mapping -1 is the document.
func (t *Tree) Value(mapping int32, key string) int32 { return t.value(mapping, key, 0, nil) }

// value is Value. Asked are the mappings whose merges do not have the key: no
// mapping is asked twice, however many others take it.
func (t *Tree) value(mapping int32, key string, depth int, asked map[int32]bool) int32 {
	if own := t.Child(mapping, key); own >= 0 {
		return t.Meant(own)
	}
	merge := t.Child(mapping, mergeKey)
	if merge < 0 || depth == maxMerges || asked[mapping] {
		return -1
	}
	if asked == nil {
		asked = map[int32]bool{}
	}
	asked[mapping] = true
	for _, from := range t.merges(merge) {
		if from = t.Meant(from); from >= 0 {
			if n := t.value(from, key, depth+1, asked); n >= 0 {
				return n
			}
		}
	}
	return -1
}

// merges are the mappings that an entry of the merge key names: one, or a list
// of which the first counts most.
func (t *Tree) merges(entry int32) []int32 {
	if last := t.Nodes[entry].Last; last >= 0 && t.Nodes[last].Seq {
		return t.Children(entry)
	}
	return []int32{entry}
}

// Takers are the mappings, but for its own, that take an entry, or an item of it,
// from where it is: by an alias or a merge. A mapping that is taken as a whole
// takes nothing.
func (t *Tree) Takers(entry int32) []int32 {
	if len(t.anchors.byName) == 0 || entry < 0 {
		return nil
	}
	t.findUsers()
	list := slices.Concat(t.anchors.byAlias[entry], t.merging(t.KeyText(entry))[entry])
	if t.Nodes[entry].Style == None {
		for _, item := range t.Children(entry) {
			list = append(list, t.anchors.byAlias[item]...)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(m int32) bool { return m == t.Nodes[entry].Parent })
}

// findUsers finds who has an alias, and who merges, once.
func (t *Tree) findUsers() {
	a := &t.anchors
	if a.byAlias != nil {
		return
	}
	a.byAlias, a.byMerge = map[int32][]int32{}, map[string]map[int32][]int32{}
	for i := range t.Nodes {
		n := int32(i)
		if t.KeyText(n) == mergeKey {
			a.mergers = append(a.mergers, t.Nodes[n].Parent)
		}
		entry := t.Up(n)
		if !t.Nodes[n].alias || entry < 0 || t.KeyText(entry) == mergeKey {
			continue
		}
		if at := t.Meant(n); at >= 0 {
			a.byAlias[at] = append(a.byAlias[at], t.Nodes[entry].Parent)
		}
	}
}

// merging are the mappings that merge an entry of a key, by the entry.
func (t *Tree) merging(key string) map[int32][]int32 {
	found := t.anchors.byMerge[key]
	if found == nil {
		found = map[int32][]int32{}
		for _, m := range t.anchors.mergers {
			if t.Child(m, key) >= 0 {
				continue
			}
			if n := t.Value(m, key); n >= 0 {
				found[n] = append(found[n], m)
			}
		}
		t.anchors.byMerge[key] = found
	}
	return found
}
