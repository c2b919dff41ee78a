package migrate

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// As in Go, a constant for the group of which other languages, shells and charts make a
// label key or a longer domain is for a person: these would move with it unseen.

// A constantJoin is such a key, and where it is made.
type constantJoin struct {
	goJoin
	of   int // of groupConstants.defined
	path string
	line int // counted from 1
	col  int // in bytes, from 1
}

// leaveKeys leaves the groups of constants to a person of which a file that uses them makes
// keys or longer domains.
func (c *groupConstants) leaveKeys(w walk, files []*File) error {
	changes := map[int]keyChange{}
	var needles []string
	formats := map[string]bool{}
	for i, d := range c.defined {
		if change, ok := changeAt(files, d.file, d.At); ok {
			changes[i], needles = change, append(needles, d.Name)
			formats[d.format] = true
		}
	}
	if len(changes) == 0 {
		return nil
	}
	slices.Sort(needles)
	var mu sync.Mutex
	var joins []constantJoin
	err := w(search{needles: slices.Compact(needles), among: c.using(changes, formats)}, func(name string, data []byte) {
		found := c.joins(changes, name, data)
		mu.Lock()
		defer mu.Unlock()
		joins = append(joins, found...)
	})
	slices.SortFunc(joins, func(a, b constantJoin) int {
		return cmp.Or(strings.Compare(a.path, b.path), a.line-b.line, a.col-b.col, a.of-b.of)
	})
	for _, j := range joins {
		c.m.leaveKey(changes[j.of], j.goJoin)
	}
	return err
}

// changeAt is the site of a file that changes a place.
func changeAt(files []*File, name string, at source.Span) (keyChange, bool) {
	i := slices.IndexFunc(files, func(f *File) bool { return f.Path == name })
	if i < 0 {
		return keyChange{}, false
	}
	j := slices.IndexFunc(files[i].Sites, func(s Site) bool { return s.Action() == Change && s.Start < at.End && at.Start < s.End })
	return keyChange{files[i], j}, j >= 0
}

// using are the files that may use constants which change: those of their formats, and
// the templates of charts.
func (c *groupConstants) using(changes map[int]keyChange, formats map[string]bool) []string {
	list := []string{}
	for _, name := range c.files() {
		format := find.FormatOf(name, nil).Name
		if formats[format] || formats["yaml"] && format == "helm" || formats["shell"] && format == "yaml" {
			list = append(list, name)
		}
	}
	for _, i := range slices.Sorted(maps.Keys(changes)) { // YAML without templates in its path
		if name := c.defined[i].file; !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// joins are the keys that a file makes of constants which change.
func (c *groupConstants) joins(changes map[int]keyChange, name string, data []byte) []constantJoin {
	format := find.FormatOf(name, data)
	used := map[string]int{}
	for i, d := range c.defined {
		if _, moves := changes[i]; moves && bytes.Contains(data, []byte(d.Name)) && d.usedBy(c.m.placeOf(name), format, data) {
			if _, ok := used[d.Name]; !ok || d.file == name {
				used[d.Name] = i
			}
		}
	}
	if len(used) == 0 || c.m.stays(c.m.placeOf(name), data) {
		return nil
	}
	var list []constantJoin
	for _, j := range find.Joins(data, func(name string) bool { _, ok := used[name]; return ok }) {
		start := text.LineStart(data, j.At)
		at := constantJoin{of: used[j.Name], path: name, line: 1 + bytes.Count(data[:start], []byte("\n")), col: 1 + j.At - start}
		at.goJoin = goJoin{before: j.Before, key: j.Behind, at: fmt.Sprintf("%s:%d:%d", name, at.line, at.col)}
		list = append(list, at)
	}
	return list
}

// leaveKey leaves a group to a person with which a key is put together that stays.
// It says false for one that is no such key, or is left already.
func (m *Migration) leaveKey(c keyChange, join goJoin) bool {
	s := c.file.Sites[c.site]
	if s.Action() != Change || m.movesKey(join.before, s.Old, join.key) {
		return false
	}
	o := s.Outcome
	o.New = ""
	why, hint := "makes a key of it, "+s.Old+join.shown()+", which stays on objects of clusters", "give the keys a constant of their own that stays (cfctl:keep), and run cfctl again"
	if join.isDomain() {
		why, hint = "makes a longer domain of it, "+join.before+s.Old+join.key+", which no rule moves", "give that a constant of its own that stays (cfctl:keep), or move both by hand"
	}
	c.file.Sites[c.site] = s.with(o.Leave("go-key", join.at+" "+why, hint))
	c.file.left = true
	c.leaveBeside(s, hint)
	return true
}

// leaveBeside leaves what would move with a group that a person moves.
func (c keyChange) leaveBeside(group Site, hint string) {
	for i, s := range c.file.Sites {
		if s.Action() == Change && s.MovesWith().Len() > 0 && s.MovesWith() == group.MovesWith() {
			o := s.Outcome
			o.New = ""
			c.file.Sites[i] = s.with(o.Leave("go-key", "it moves with the constant of its group", hint))
		}
	}
}
