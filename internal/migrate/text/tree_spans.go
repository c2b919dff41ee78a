package text

// FlowEnd is the offset behind the bracket that closes the one at an offset.
func FlowEnd(data []byte, at int) int {
	s := &scanner{Tree: Tree{Data: data}, end: len(data), top: -1}
	n := s.add(Node{Parent: -1, Flow: true})
	return (&flowReader{s: s, at: at}).collection(n, 0)
}
