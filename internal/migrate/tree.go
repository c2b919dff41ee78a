package migrate

import (
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
	for j := t.nodes[i].next; j >= 0; j = t.nodes[j].next {
		if t.keyText(j) == key {
			return j
		}
	}
	for j := t.nodes[i].prev; j >= 0; j = t.nodes[j].prev {
		if t.keyText(j) == key {
			return j
		}
	}
	return -1
}

// child finds the entry with a key under node i.
func (t *tree) child(i int32, key string) int32 {
	for j := t.nodes[i].last; j >= 0; j = t.nodes[j].prev {
		if t.keyText(j) == key {
			return j
		}
	}
	return -1
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
