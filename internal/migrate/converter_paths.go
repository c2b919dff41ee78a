package migrate

import (
	"slices"
	"strconv"
	"strings"
)

// A hit is a node that a path leads to, with the items that its wildcards took.
type hit struct {
	node int32
	wild []int
}

// find follows keys from an object.
func (t *tree) find(obj int32, keys []string) []hit {
	at := []hit{{node: obj}}
	for _, k := range keys {
		var next []hit
		for _, h := range at {
			if k != "[*]" {
				if n := t.below(h.node, k); n >= 0 {
					next = append(next, hit{n, h.wild})
				}
				continue
			}
			for i, item := range t.roots(h.node) {
				if t.nodes[item].key.Len() == 0 {
					next = append(next, hit{item, append(slices.Clone(h.wild), i)})
				}
			}
		}
		at = next
	}
	return at
}

// entry is the child with a key; quotes around keys do not matter.
func (t *tree) entry(i int32, key string) int32 {
	for _, j := range t.roots(i) {
		if t.nodes[j].key.Len() > 0 && t.keyText(j) == key {
			return j
		}
	}
	return -1
}

// below is the child at a key or, for [n], at a place in a list.
func (t *tree) below(i int32, key string) int32 {
	if !strings.HasPrefix(key, "[") || !strings.HasSuffix(key, "]") {
		return t.entry(i, key)
	}
	n, err := strconv.Atoi(key[1 : len(key)-1])
	if list := t.roots(i); err == nil && n < len(list) {
		return list[n]
	}
	return -1
}

// filled is a path with its wildcards replaced by the items of a hit.
func filled(keys []string, wild []int) []string {
	out := slices.Clone(keys)
	n := 0
	for i, k := range out {
		if k == "[*]" && n < len(wild) {
			out[i] = "[" + strconv.Itoa(wild[n]) + "]"
			n++
		}
	}
	return out
}

// walk follows a path without wildcards as far as it goes: the node and the
// keys that are missing.
func (t *tree) walk(obj int32, keys []string) (int32, []string) {
	at := obj
	for i, k := range keys {
		next := t.below(at, k)
		if next < 0 {
			return at, keys[i:]
		}
		at = next
	}
	return at, nil
}

// places are the ways that a path with wildcards stands for, one for each item
// that is there.
func (c *converter) places(keys []string) [][]string {
	last := -1
	for i, k := range keys {
		if k == "[*]" {
			last = i
		}
	}
	if last < 0 {
		return [][]string{keys}
	}
	t, obj, ok := c.object()
	if !ok {
		return nil
	}
	var ways [][]string
	for _, h := range t.find(obj, keys[:last+1]) {
		ways = append(ways, append(filled(keys[:last+1], h.wild), keys[last+1:]...))
	}
	return ways
}

// wildOf are the item numbers in a filled path.
func wildOf(way []string) []int {
	var list []int
	for _, k := range way {
		if n, err := strconv.Atoi(strings.Trim(k, "[]")); err == nil && strings.HasPrefix(k, "[") {
			list = append(list, n)
		}
	}
	return list
}
