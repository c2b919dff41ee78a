package report

import "slices"

// Direct are, for each node of a graph, those of its needs that no other of its
// needs implies. Each node is gone through once, with everything before it seen
// once, so that neither many lines nor a circle keeps it busy.
func Direct(needs [][]int) [][]int {
	direct := make([][]int, len(needs))
	for i, own := range needs {
		implied := make([]bool, len(needs))
		var todo []int
		for _, n := range own {
			todo = append(todo, needs[n]...)
		}
		for len(todo) > 0 {
			n := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !implied[n] {
				implied[n] = true
				todo = append(todo, needs[n]...)
			}
		}
		for _, n := range own {
			if !implied[n] && !slices.Contains(direct[i], n) {
				direct[i] = append(direct[i], n)
			}
		}
	}
	return direct
}
