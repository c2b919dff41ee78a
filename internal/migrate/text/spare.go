package text

import "sync"

// spare is the memory of nodes that are no longer used.
var spare sync.Pool

// mostSpare is how many nodes are not kept for the next document.
const mostSpare = 1 << 14

// Release gives the nodes of a tree back: neither it nor they are used any more.
func (t *Tree) Release() {
	if list := t.Nodes[:0]; cap(list) < mostSpare {
		spare.Put(&list)
	}
	t.Nodes = nil
}
