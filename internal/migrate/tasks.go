package migrate

import (
	"fmt"
	"slices"
	"strings"
)

// A Task is something that needs review: one question with its places in all files.
type Task struct {
	Title  string   // what is wrong
	Do     string   // what to do; empty where the title says it
	Places []string // path:line:column: text, in order
}

// Tasks are what a plan leaves to do, with its most frequent ones first.
func (p *Plan) Tasks() []Task {
	var list []Task
	at := map[[2]string]int{}
	for _, f := range p.Files {
		if f.Skip != nil {
			list = append(list, Task{Title: f.Path + " was not read: " + f.Skip.Err.Error(), Do: f.Skip.Hint, Places: []string{f.Path}})
			continue
		}
		for _, s := range f.Sites {
			if s.Action() != NeedsReview {
				continue
			}
			key := [2]string{s.Why(), s.Hint()}
			i, ok := at[key]
			if !ok {
				i, at[key] = len(list), len(list)
				list = append(list, Task{Title: s.Why(), Do: s.Hint()})
			}
			list[i].Places = append(list[i].Places, fmt.Sprintf("%s:%d:%d: %s", f.Path, s.Pos.Line, s.Pos.Column, strings.TrimSpace(s.Old)))
		}
	}
	slices.SortStableFunc(list, func(a, b Task) int { return len(b.Places) - len(a.Places) })
	return list
}
