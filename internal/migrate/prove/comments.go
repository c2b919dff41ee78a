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
	said := c.commented(a, b)
	if c.exact && !c.loose {
		return said // bytes outside of names are the same
	}
	before, after := tails(a), tails(b)
	left := map[string]int{}
	for _, t := range after {
		left[t.text]++
	}
	for _, t := range before {
		if t.text == "" {
			continue
		}
		if left[t.text]--; left[t.text] >= 0 || c.lost || t.head == "" && said == nil {
			continue
		}
		if !slices.ContainsFunc(after, func(x tail) bool { return x.text == t.text || c.explains(t.text, x.text) }) && !c.folds(t, before, after) {
			return fmt.Errorf("the comment %.60q would be lost", t.text)
		}
	}
	return nil
}

// folds says whether a comment goes with the item of a list that it stands
// beside: what the item becomes was in the list as well.
func (c *check) folds(t tail, before, after []tail) bool {
	item := func(x tail) bool {
		return x.head != t.head && strings.HasPrefix(x.head, "- ") && c.explains(t.head, x.head)
	}
	return slices.ContainsFunc(before, item) && slices.ContainsFunc(after, item)
}

// commented compares the comments that have their lines for themselves: they may
// be documents that differ as documents may.
func (c *check) commented(a, b []byte) error {
	before, after := commentBlocks(a), commentBlocks(b)
	if len(before) != len(after) {
		return differ("%d comments would become %d", len(before), len(after))
	}
	for i := range before {
		if err := c.scalar(before[i], after[i]); err != nil {
			return err
		}
	}
	return nil
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

// A tail is the end of a line from a mark of a comment on.
type tail struct {
	head string // what stands before it; empty for a comment that has its line for itself
	text string // empty for a line without a comment
}

// tails are the lines of a text, taken apart at their comments. A mark within a
// string that begins and ends on its line is none: what is in strings is compared
// as values are.
func tails(text []byte) []tail {
	var list []tail
	for line := range bytes.Lines(text) {
		at := len(line)
		for i := 0; i < len(line); i++ {
			if opensString(line, i) {
				i = stringEnd(line, i)
			} else if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
				at = i
				break
			}
		}
		list = append(list, tail{string(bytes.TrimSpace(line[:at])), string(bytes.TrimSpace(line[at:]))})
	}
	return list
}

// opensString says whether a quotation mark stands where a value begins.
func opensString(line []byte, at int) bool {
	if line[at] != '"' && line[at] != '\'' {
		return false
	}
	before := bytes.TrimRight(line[:at], " \t")
	return len(before) == 0 || strings.IndexByte(":-?[{,", before[len(before)-1]) >= 0
}

// stringEnd is the offset of the mark that ends the string at an offset; the
// offset itself when it does not end on this line.
func stringEnd(line []byte, at int) int {
	for i := at + 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && line[at] == '"':
			i++
		case line[i] == line[at]:
			return i
		}
	}
	return at
}
