package migrate

import (
	"path"
	"slices"
	"sort"
)

// keyText is the key of a node, "" in a sequence.
func (t *tree) keyText(i int32) string { return string(t.nodes[i].key.Of(t.data)) }

// text is the raw text of a node's scalar.
func (t *tree) text(i int32) string {
	if i < 0 || t.nodes[i].style == none {
		return ""
	}
	return string(t.nodes[i].val.Of(t.data))
}

// sibling finds the entry with a key beside node i: the nearest one, below
// first. Inside of templates a mapping may name a key in each branch.
func (t *tree) sibling(i int32, key string) int32 {
	down, end := t.along(i, key, func(n *node) int32 { return n.next })
	if down >= 0 {
		return down
	}
	if end {
		if up, end := t.along(i, key, func(n *node) int32 { return n.prev }); up >= 0 || end {
			return up
		}
	}
	list := t.named(t.nodes[i].parent)[key]
	k, found := slices.BinarySearch(list, i)
	behind := k
	if found {
		behind++
	}
	switch {
	case behind < len(list):
		return list[behind]
	case k > 0:
		return list[k-1]
	}
	return -1
}

// few is how many siblings are looked at one by one, before an index is made.
const few = 24

// along looks for a key among the next few siblings in one direction; end says
// that there are no more.
func (t *tree) along(i int32, key string, next func(*node) int32) (found int32, end bool) {
	j := next(&t.nodes[i])
	for n := 0; j >= 0 && n < few; n++ {
		if t.keyText(j) == key {
			return j, false
		}
		j = next(&t.nodes[j])
	}
	return -1, j < 0
}

// named are the entries under a node, or at the top, by their keys.
func (t *tree) named(parent int32) map[string][]int32 {
	if t.index == nil {
		t.index = map[int32]map[string][]int32{}
	}
	byKey := t.index[parent]
	if byKey == nil {
		byKey = map[string][]int32{}
		for _, j := range t.roots(parent) {
			byKey[t.keyText(j)] = append(byKey[t.keyText(j)], j)
		}
		t.index[parent] = byKey
	}
	return byKey
}

// child finds the entry with a key under node i, the last one of that key.
func (t *tree) child(i int32, key string) int32 {
	last := t.nodes[i].last
	if last < 0 || t.keyText(last) == key {
		return last
	}
	found, end := t.along(last, key, func(n *node) int32 { return n.prev })
	if found >= 0 || end {
		return found
	}
	if list := t.named(i)[key]; len(list) > 0 {
		return list[len(list)-1]
	}
	return -1
}

// texts are the scalars under a node, each with the nodes that hold it: its
// own ones, or those of a key when one is given.
func (t *tree) texts(parent int32, key string) map[string][]int32 {
	if t.values == nil {
		t.values = map[listKey]map[string][]int32{}
	}
	at := listKey{parent, key}
	list := t.values[at]
	if list == nil {
		list = map[string][]int32{}
		for _, j := range t.roots(parent) {
			n := j
			if key != "" {
				n = t.child(j, key)
			}
			if n >= 0 {
				list[t.text(n)] = append(list[t.text(n)], j)
			}
		}
		t.values[at] = list
	}
	return list
}

// bases are the base names of the files that the scalars under a node name.
func (t *tree) bases(parent int32) map[string]bool {
	if t.files == nil {
		t.files = map[int32]map[string]bool{}
	}
	list := t.files[parent]
	if list == nil {
		list = map[string]bool{}
		for _, j := range t.roots(parent) {
			list[path.Base(t.text(j))] = true
		}
		t.files[parent] = list
	}
	return list
}

type listKey struct {
	parent int32
	key    string
}

// children are the nodes under i in textual order.
func (t *tree) children(i int32) []int32 {
	if i < 0 {
		return t.roots(i)
	}
	var list []int32
	for j := t.nodes[i].last; j >= 0; j = t.nodes[j].prev {
		list = append(list, j)
	}
	for a, b := 0, len(list)-1; a < b; a, b = a+1, b-1 {
		list[a], list[b] = list[b], list[a]
	}
	return list
}

// up is the nearest ancestor-or-self of i that is an entry with a key.
func (t *tree) up(i int32) int32 {
	for i >= 0 && t.nodes[i].key.Len() == 0 {
		i = t.nodes[i].parent
	}
	return i
}

// at finds the node whose key or value holds an offset, -1 when none does.
func (t *tree) at(offset int) (i int32, inKey bool) {
	n := sort.Search(len(t.nodes), func(i int) bool { return int(t.nodes[i].pos) > offset })
	for n--; n >= 0; n-- {
		x := &t.nodes[n]
		if x.key.Start <= offset && offset < x.key.End {
			return int32(n), true
		}
		if x.style != none && x.val.Start <= offset && offset < x.val.End {
			return int32(n), false
		}
		if !x.seq || x.style != none {
			break
		}
	}
	return -1, false
}

// note finds the comment that holds an offset, -1 when none does.
func (t *tree) note(offset int) int {
	n := sort.Search(len(t.notes), func(i int) bool { return t.notes[i].Start > offset }) - 1
	if n >= 0 && offset < t.notes[n].End {
		return n
	}
	return -1
}
