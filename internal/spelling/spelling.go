// Package spelling guesses what a misspelled word was to be, how kinds are spelled in the plural, and knows those of Kubernetes.
package spelling

import (
	"fmt"
	"strings"
)

// Nearest returns the candidate that is spelled most like word, or "" when
// none is near (more than a third of the letters differ). Only the first
// maxCandidates are compared: words may be misspelled as often.
func Nearest(word string, candidates []string) string {
	word = strings.ToLower(word)
	best, bestDistance := "", len(word)/3+2
	for _, c := range candidates[:min(len(candidates), maxCandidates)] {
		if len(c)-len(word) >= bestDistance || len(word)-len(c) >= bestDistance {
			continue
		}
		if d := distance(word, strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

const maxCandidates = 1000

// DidYouMean is a hint with the nearest of the candidates; empty = none is near.
func DidYouMean(word string, candidates []string) string {
	if near := Nearest(word, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(row[j]+1, row[j-1]+1, cost)
		}
	}
	return row[len(b)]
}
