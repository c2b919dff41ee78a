package text

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParsePath cuts a path into keys; "[*]" is a key of its own.
func ParsePath(text string) ([]string, error) {
	keys := make([]string, 0, 1+strings.Count(text, ".")+strings.Count(text, "["))
	for rest := text; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "[*]"):
			keys, rest = append(keys, "[*]"), rest[3:]
		case rest[0] == '"':
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return nil, fmt.Errorf("path %q: a quote is not closed", text)
			}
			keys, rest = append(keys, rest[1:end+1]), rest[end+2:]
		case rest[0] == '.':
			rest = rest[1:]
		default:
			end := 0
			for end < len(rest) && rest[end] != '.' && rest[end] != '[' && rest[end] != '"' {
				end++
			}
			if end == 0 {
				return nil, fmt.Errorf("path %q is not a path", text)
			}
			keys, rest = append(keys, rest[:end]), rest[end:]
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("a path is empty")
	}
	return keys, nil
}

// ordinals is the way from the top of a document to a node, by position among
// its siblings. It stays true when spellings change.
func ordinals(t *Tree, i int32) []int {
	var way []int
	for ; i >= 0; i = t.Nodes[i].Parent {
		n := 0
		for j := t.Nodes[i].Prev; j >= 0; j = t.Nodes[j].Prev {
			n++
		}
		way = append(way, n)
	}
	slices.Reverse(way)
	return way
}

// Follow finds a node by its ordinals; -1 is the document itself, ok false a
// way that is not there.
func Follow(t *Tree, way []int) (int32, bool) {
	at := int32(-1)
	for _, n := range way {
		list := t.Children(at)
		if n >= len(list) {
			return -1, false
		}
		at = list[n]
	}
	return at, true
}

// A Hit is a node that a path leads to, with the items that its wildcards took.
type Hit struct {
	Node int32
	Wild []int
}

// Find follows keys from an object.
func (t *Tree) Find(obj int32, keys []string) []Hit {
	at := []Hit{{Node: obj}}
	for _, k := range keys {
		var next []Hit
		for _, h := range at {
			if k != "[*]" {
				if n := t.below(h.Node, k); n >= 0 {
					next = append(next, Hit{n, h.Wild})
				}
				continue
			}
			for i, item := range t.Children(h.Node) {
				if t.Nodes[item].Key.Len() == 0 {
					next = append(next, Hit{item, append(slices.Clone(h.Wild), i)})
				}
			}
		}
		at = next
	}
	return at
}

// Entry is the child with a key; quotes around keys do not matter.
func (t *Tree) Entry(i int32, key string) int32 {
	for _, j := range t.Children(i) {
		if t.Nodes[j].Key.Len() > 0 && t.KeyText(j) == key {
			return j
		}
	}
	return -1
}

// below is the child at a key or, for [n], at a place in a list.
func (t *Tree) below(i int32, key string) int32 {
	if !strings.HasPrefix(key, "[") || !strings.HasSuffix(key, "]") {
		return t.Entry(i, key)
	}
	n, err := strconv.Atoi(key[1 : len(key)-1])
	if list := t.Children(i); err == nil && n < len(list) {
		return list[n]
	}
	return -1
}

// Filled is a path with its wildcards replaced by the items of a Hit.
func Filled(keys []string, wild []int) []string {
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

// Walk follows a path without wildcards as far as it goes: the node and the
// keys that are missing.
func (t *Tree) Walk(obj int32, keys []string) (int32, []string) {
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

// WildOf are the item numbers in a filled path.
func WildOf(way []string) []int {
	var list []int
	for _, k := range way {
		if n, err := strconv.Atoi(strings.Trim(k, "[]")); err == nil && strings.HasPrefix(k, "[") {
			list = append(list, n)
		}
	}
	return list
}

// WayTo is the way to the object whose kind is at an offset.
func (t *Tree) WayTo(kind int) ([]int, bool) {
	i, inKey := t.At(kind)
	if i < 0 || !inKey {
		return nil, false
	}
	return ordinals(t, t.Nodes[i].Parent), true
}
