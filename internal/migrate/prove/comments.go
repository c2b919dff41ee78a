package prove

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// comments says whether every comment of a text is there after. What looks
// like one inside of a value stays as well.
func (c *check) comments(a, b []byte) error {
	if c.exact && !c.loose {
		return nil // bytes outside of names are the same
	}
	before, after := tails(a), tails(b)
	left := map[string]int{}
	for _, t := range after {
		left[t]++
	}
	var gone []string
	for _, t := range before {
		if left[t] > 0 {
			left[t]--
		} else {
			gone = append(gone, t)
		}
	}
	explained := func(t string) bool {
		return slices.ContainsFunc(after, func(x string) bool { return x == t || c.explains(t, x) })
	}
	for _, t := range gone {
		if !c.lost && !explained(t) && !c.commented(a, b) {
			return fmt.Errorf("the comment %.60q would be lost", t)
		}
	}
	return nil
}

// commented says whether the comments of two texts are documents that differ
// as documents may.
func (c *check) commented(a, b []byte) bool {
	before, after := commentBlocks(a), commentBlocks(b)
	if len(before) != len(after) {
		return false
	}
	for i := range before {
		if c.scalar(before[i], after[i]) != nil {
			return false
		}
	}
	return true
}

// commentBlocks are the comments that have their lines for themselves, run by
// run, without their marks.
func commentBlocks(text []byte) []string {
	var list []string
	open := false
	for line := range strings.Lines(string(text)) {
		body, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "#")
		if !ok {
			open = false
			continue
		}
		if !open {
			list = append(list, "")
		}
		list[len(list)-1] += body
		open = true
	}
	return list
}

// tails are the ends of lines from a mark of a comment on.
func tails(text []byte) []string {
	var list []string
	for line := range bytes.Lines(text) {
		for at := range line {
			if line[at] == '#' && (at == 0 || line[at-1] == ' ' || line[at-1] == '\t') {
				list = append(list, string(bytes.TrimSpace(line[at:])))
				break
			}
		}
	}
	return list
}
