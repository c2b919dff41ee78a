package text

import (
	"slices"
	"sort"
)

// KeyText is what the key of a node says, "" in a sequence and above the top.
func (t *Tree) KeyText(i int32) string {
	if i < 0 {
		return ""
	}
	if t.keys != nil {
		if key, ok := t.keys[i]; ok {
			return key
		}
	}
	return string(t.Nodes[i].Key.Of(t.Data))
}

// Sibling finds the entry with a key beside node i: the nearest one, below
// first. Inside of templates a mapping may name a key in each branch.
func (t *Tree) Sibling(i int32, key string) int32 {
	list := t.Named(t.Nodes[i].Parent)[key]
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

// Named are the entries under a node, or at the top, by their keys.
func (t *Tree) Named(parent int32) map[string][]int32 {
	if t.index == nil {
		t.index = map[int32]map[string][]int32{}
	}
	byKey := t.index[parent]
	if byKey == nil {
		byKey = map[string][]int32{}
		for _, j := range t.Children(parent) {
			byKey[t.KeyText(j)] = append(byKey[t.KeyText(j)], j)
		}
		t.index[parent] = byKey
	}
	return byKey
}

// Child finds the entry with a key under node i, or at the top for -1: the last one of that key.
func (t *Tree) Child(i int32, key string) int32 {
	if list := t.Named(i)[key]; len(list) > 0 {
		return list[len(list)-1]
	}
	return -1
}

// Children are the nodes under i in textual order, or the top nodes for -1.
func (t *Tree) Children(i int32) (list []int32) {
	if len(t.Nodes) == 0 {
		return nil
	}
	j := int32(0)
	if i >= 0 {
		for j = t.Nodes[i].Last; j >= 0 && t.Nodes[j].Prev >= 0; {
			j = t.Nodes[j].Prev
		}
	}
	for ; j >= 0; j = t.Nodes[j].Next {
		list = append(list, j)
	}
	return list
}

// Up is the nearest ancestor-or-self of i that is an entry with a key.
func (t *Tree) Up(i int32) int32 {
	for i >= 0 && t.Nodes[i].Key.Len() == 0 {
		i = t.Nodes[i].Parent
	}
	return i
}

// At finds the node whose key or value holds an offset, -1 when none does.
func (t *Tree) At(offset int) (i int32, inKey bool) {
	n := sort.Search(len(t.Nodes), func(i int) bool { return int(t.Nodes[i].Pos) > offset })
	for n--; n >= 0; n-- {
		x := &t.Nodes[n]
		if x.Key.Start <= offset && offset < x.Key.End {
			return int32(n), true
		}
		if x.Style != None && x.Val.Start <= offset && offset < x.Val.End {
			return int32(n), false
		}
		if !x.Seq || x.Style != None {
			break
		}
	}
	return -1, false
}
