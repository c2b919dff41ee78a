package migrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A file may ask the same question at many places. A report asks it once, with the number
// of its places and their lines; the account has each.

// shownLines is how many lines of an entry the text of a report names.
const shownLines = 8

// A Listed is a site as reports list it, with the positions of others that ask the same question.
type Listed struct {
	Site
	also []source.Position
}

// Entries are the sites of the file as reports list them: those that ask the same question
// are one, the first of them, with the positions of the others.
func (f *File) Entries() []Listed {
	list := make([]Listed, 0, len(f.Sites))
	asked := map[[6]string]int{} // by what sites have in common when one answer does for all
	for _, s := range f.Sites {
		if s.Action() != NeedsReview {
			list = append(list, Listed{Site: s})
			continue
		}
		group, _, _ := strings.Cut(s.Old, "/")
		if (Listed{Site: s}).AnyName() {
			group = ""
		}
		q := [...]string{s.Rule.ID, s.ID(), s.Why(), s.Hint(), s.In, group}
		if i, ok := asked[q]; ok {
			list[i].also = append(list[i].also, s.Pos)
			continue
		}
		asked[q] = len(list)
		list = append(list, Listed{Site: s})
	}
	return list
}

// AnyName says whether the question is the same of each CRD, of each key or of each record.
func (s Listed) AnyName() bool {
	return s.ID() == "crd-version" || s.ID() == "built-key" || s.ID() == "record-in-use"
}

// count is how many places an entry stands for.
func (s Listed) count() int { return len(s.also) + 1 }

// Lines are those of the places of an entry, in order; nil for an entry of one place.
func (s Listed) Lines() []int {
	if len(s.also) == 0 {
		return nil
	}
	list := []int{s.Pos.Line}
	for _, p := range s.also {
		list = append(list, p.Line)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Question is what an entry asks, with its places where it has several.
func (s Listed) Question() string {
	text := s.Old + ": " + s.Why()
	lines := s.Lines()
	if lines == nil {
		return text
	}
	word, more := "line", ""
	if len(lines) > 1 {
		word = "lines"
	}
	if len(lines) > shownLines {
		lines, more = lines[:shownLines], fmt.Sprintf(" and %d more", len(lines)-shownLines)
	}
	shown := strings.ReplaceAll(strings.Trim(fmt.Sprint(lines), "[]"), " ", ", ")
	return fmt.Sprintf("%s (%d references, %s %s%s)", text, s.count(), word, shown, more)
}
