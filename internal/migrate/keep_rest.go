package migrate

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/prove"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// An old repository switches a gate on by acknowledging what is left: with
// comments, where it can be shown that a comment changes nothing (YAML that
// decodes the same, Go by its lexer), else in the configuration.

// A Rest is the acknowledgement of what is left of a plan.
type Rest struct {
	Changes []source.Change // the comments
	Keep    []Keep          // for the configuration: what has no place for a comment
	Places  int             // that are acknowledged
}

// KeepRest acknowledges everything that a plan leaves, with a reason of one
// line. A file that is no longer what was planned is an error.
func (m *Migration) KeepRest(p *Plan, tree Others, why string) (*Rest, error) {
	r := &Rest{}
	for _, f := range p.Files {
		if f.Skip != nil {
			if !f.Fault {
				r.keep(f, "", why)
				r.Places++
			}
			continue
		}
		if err := r.file(f, tree, why); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// KeepMore takes from a plan of the tree with all acknowledgements what these make of it:
// comments that keep nothing go, and what shows behind what is kept is acknowledged as
// well. It says false where there is neither.
func (m *Migration) KeepMore(r *Rest, p *Plan, tree Others, why string) (bool, error) {
	next, err := m.KeepRest(p, tree, why)
	if err != nil {
		return false, err
	}
	was := slices.Clone(r.Changes)
	more := !r.needed(p) || len(next.Changes) > 0
	for _, c := range next.Changes {
		if i := slices.IndexFunc(was, func(x source.Change) bool { return x.To == c.To }); i >= 0 {
			c.Before, c.Edits = was[i].Before, beforeEdits(c.Edits, was[i].Edits)
		}
		if i := slices.IndexFunc(r.Changes, func(x source.Change) bool { return x.To == c.To }); i >= 0 {
			r.Changes[i].Edits = slices.Concat(r.Changes[i].Edits, c.Edits)
		} else {
			r.Changes = append(r.Changes, c)
		}
	}
	for _, k := range next.Keep {
		if !slices.Contains(r.Keep, k) {
			r.Keep, more = append(r.Keep, k), true
		}
	}
	r.Places += next.Places
	return more, nil
}

// beforeEdits are edits of the result of others, which only add text, as edits of what was
// there before these.
func beforeEdits(edits, others []source.Edit) []source.Edit {
	var list []source.Edit
	for _, e := range edits {
		shift := 0
		for _, x := range inOrder(others) {
			if x.Start+shift < e.Start {
				shift += len(x.New)
			}
		}
		e.Start, e.End = e.Start-shift, e.End-shift
		list = append(list, e)
	}
	return list
}

func inOrder(edits []source.Edit) []source.Edit {
	return slices.SortedStableFunc(slices.Values(edits), func(a, b source.Edit) int { return a.Start - b.Start })
}

// needed says whether each comment keeps something, as a plan of the tree with all of
// them tells, and leaves those out that keep nothing.
func (r *Rest) needed(p *Plan) bool {
	needed := true
	for _, f := range p.Files {
		i := slices.IndexFunc(r.Changes, func(c source.Change) bool { return c.To == f.Path })
		if i < 0 {
			continue
		}
		idle := map[int]bool{} // where comments begin that keep nothing
		for _, s := range f.Sites {
			if s.Action() == NeedsReview && s.Old == Suppression {
				idle[s.Start] = true
			}
		}
		if left := withoutIdle(r.Changes[i].Edits, idle); len(left) < len(r.Changes[i].Edits) {
			needed, r.Changes[i].Edits = false, left
		}
	}
	r.Changes = slices.DeleteFunc(r.Changes, func(c source.Change) bool { return len(c.Edits) == 0 })
	return needed
}

// withoutIdle are the comments of a file without those that begin at offsets of the
// result of all.
func withoutIdle(edits []source.Edit, idle map[int]bool) []source.Edit {
	var left []source.Edit
	shift := 0
	for _, e := range inOrder(edits) {
		if !idle[e.Start+shift+strings.Index(e.New, Suppression)] {
			left = append(left, e)
		}
		shift += len(e.New) - len(e.Old)
	}
	return left
}

// keep acknowledges a spelling of a file in the configuration.
func (r *Rest) keep(f *File, value, why string) {
	k := Keep{Path: "/" + escapeGlob(f.placeIn()), Value: value, Why: why}
	if !slices.Contains(r.Keep, k) {
		r.Keep = append(r.Keep, k)
	}
}

// escapeGlob is a path as the glob of itself.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// file acknowledges what is left of one file.
func (r *Rest) file(f *File, tree Others, why string) error {
	var left []Site
	for _, s := range f.Sites {
		if s.Action() != Stay && s.Old != Suppression {
			left = append(left, s)
		}
	}
	if len(left) == 0 && f.Changes() { // its name alone, or the one that comes beside it
		r.keep(f, path.Base(f.Path), why)
		r.Places++
	}
	r.Places += len(left)
	if len(left) == 0 {
		return nil
	}
	data, err := tree.ReadFile(f.Path)
	switch {
	case err != nil:
		data = nil // a link, or nothing that has lines
	case f.Sum != (source.Sum{}) && source.SumOf(data) != f.Sum:
		return &source.Error{Path: f.Path, Err: errChanged, Hint: "run cfctl again"}
	}
	c := &commenter{name: f.Path, format: f.Format, data: data, why: why}
	c.ensure(left)
	var edits []source.Edit
	for _, s := range left {
		e, ok := c.comment(s)
		if !ok {
			r.keep(f, s.Old, why)
			continue
		}
		if !slices.ContainsFunc(edits, func(x source.Edit) bool { return x.Start == e.Start }) {
			edits = append(edits, e)
		}
	}
	if len(edits) > 0 {
		r.Changes = append(r.Changes, source.Change{From: f.Path, To: f.Path, Edits: edits, Before: source.SumOf(data)})
	}
	return nil
}

// A commenter knows where a file has room for a comment.
type commenter struct {
	name, format string
	data         []byte
	why          string
	open         map[int]bool // lines of code that have room for a comment at their end; nil = not looked at
	markers      map[int]bool // lines of Go code that are markers, and have room for one before them
	sure         bool         // YAML with comments on all lines that are left reads as before
}

// ensure tries the comments of all sites at once, which is so much faster than
// one by one.
func (c *commenter) ensure(left []Site) {
	if c.format != "yaml" || c.data == nil {
		return
	}
	var edits []source.Edit
	for _, s := range left {
		at := min(s.Start, len(c.data))
		end, _ := text.LineEnd(c.data, at, len(c.data))
		if bytes.IndexByte(c.data[text.LineStart(c.data, at):end], '#') >= 0 {
			continue
		}
		if e, ok := c.behind(end, " # "); ok && !slices.ContainsFunc(edits, func(x source.Edit) bool { return x.Start == end }) {
			edits = append(edits, e)
		}
	}
	after, err := source.Apply(c.data, edits)
	c.sure = err == nil && prove.Same(c.data, after)
}

// comment is the edit that acknowledges a site where it is, in the formats
// in which it can be shown that a comment there changes nothing: neither a value
// nor another comment, which a tool may read.
func (c *commenter) comment(s Site) (source.Edit, bool) {
	if c.data == nil || s.Pos.Line == 0 || s.Start > len(c.data) || s.Len() == 0 && s.Role() != "import-path" {
		return source.Edit{}, false
	}
	from := text.LineStart(c.data, s.Start)
	end, _ := text.LineEnd(c.data, s.Start, len(c.data))
	if s.End > end {
		return source.Edit{}, false // it goes on in the next line, and a comment in it would part it
	}
	line := string(c.data[from:end])
	switch ext := strings.ToLower(path.Ext(c.name)); {
	case path.Base(c.name) == modName && !strings.Contains(line, "//"):
		return c.behind(end, " // ")
	case c.format == "go":
		return c.inGo(s.Pos.Line, from, end, line)
	case (ext == ".yaml" || ext == ".yml") && (c.format == "yaml" || c.format == "helm" && !text.HasTemplate(c.data)):
		return c.inYAML(end, line)
	}
	return source.Edit{}, false
}

// write puts text at a place.
func (c *commenter) write(at int, fresh string) (source.Edit, bool) {
	return source.Edit{Span: source.Span{Start: at, End: at}, New: fresh}, true
}

// behind is a comment at the end of a line.
func (c *commenter) behind(end int, open string) (source.Edit, bool) {
	return c.write(end, open+Suppression+" "+c.why)
}

// inGo is a comment in Go: a marker has its own line, so that it reads as
// before, where the comment is no documentation that a generator writes out.
func (c *commenter) inGo(number, from, end int, line string) (source.Edit, bool) {
	if c.open == nil {
		c.open, c.markers = openGo(c.data)
	}
	switch {
	case c.open[number]:
		return c.behind(end, " // ")
	case c.markers[number]:
		indent, _, _ := strings.Cut(line, "//")
		return c.write(from, indent+"// "+Suppression+" "+c.why+"\n")
	}
	return source.Edit{}, false
}

// inYAML is a comment that changes no value.
func (c *commenter) inYAML(end int, line string) (source.Edit, bool) {
	if strings.TrimSpace(line) == "" || strings.Contains(line, "#") {
		return source.Edit{}, false // a setter in a comment would no longer be read
	}
	e, _ := c.behind(end, " # ")
	if c.sure {
		return e, true
	}
	after, err := source.Apply(c.data, []source.Edit{e})
	if err != nil || !prove.Same(c.data, after) {
		return source.Edit{}, false
	}
	return e, true
}
