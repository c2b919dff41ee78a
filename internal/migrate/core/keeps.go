package core

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Keeper knows what comments and the configuration keep in a file. A nil one keeps nothing.
type Keeper struct {
	place string
	keep  func(place, spelling string) (why string, ok bool)
	marks []Mark
	used  []bool // by mark
}

// Keeper is what is kept of a file. Place is its path from the top of the work tree.
func (c *Core) Keeper(place string, data []byte) *Keeper {
	k := &Keeper{place: place, keep: c.opts.Keep, marks: Marks(data)}
	if len(k.marks) == 0 && k.keep == nil {
		return nil
	}
	k.used = make([]bool, len(k.marks))
	return k
}

// isEmpty says whether there is no comment that keeps lines.
func (k *Keeper) isEmpty() bool { return k == nil || len(k.marks) == 0 }

// marked is the reason of the comment for which keeps is true, of those with lines in a text: both
// ends of their lines are in the order of the comments.
func (k *Keeper) marked(s source.Span, keeps func(m Mark) bool) (why string, ok bool) {
	if k == nil {
		return "", false
	}
	i, _ := slices.BinarySearchFunc(k.marks, s.Start, func(m Mark, at int) int { return m.Lines.End - at })
	for ; i < len(k.marks) && k.marks[i].Lines.Start <= s.End; i++ {
		if m := k.marks[i]; keeps(m) {
			k.used[i], ok = true, true
			if why = "kept by hand"; m.Why != "" {
				why += ": " + m.Why
			}
		}
	}
	return why, ok
}

// inside says whether a comment that keeps a line is in a text that is written anew as a
// whole.
func (k *Keeper) inside(s source.Span) bool {
	_, ok := k.marked(s, func(m Mark) bool { return s.Start <= m.Start && m.Start < s.End })
	return ok
}

// Marked are the comments that keep something, or those that keep nothing.
func (k *Keeper) Marked(used bool) (list []source.Span) {
	if k == nil {
		return nil
	}
	for i, m := range k.marks {
		if k.used[i] == used {
			list = append(list, m.Span)
		}
	}
	return list
}

// of is the verdict about a text of a role that is kept.
func (k *Keeper) of(at source.Span, spelling string) (v judge.Verdict, ok bool) {
	if why, ok := k.marked(source.Span{Start: at.Start, End: at.Start}, func(Mark) bool { return true }); ok {
		return judge.Because(judge.Suppressed, why), true
	}
	why, ok := k.configured(spelling)
	return judge.Because(judge.Configured, why), ok
}

func (k *Keeper) configured(spelling string) (why string, ok bool) {
	if k == nil || k.keep == nil {
		return "", false
	}
	return k.keep(k.place, spelling)
}

// reference keeps a reference of which one part is kept.
func (k *Keeper) reference(x *ref) {
	if k == nil {
		return
	}
	texts := append([]part{{Span: x.own, text: x.ownText, lone: true}}, x.parts...)
	for _, i := range x.grant.items() {
		texts = append(texts, part{Span: i.Span, text: i.text, lone: true})
	}
	role, kept := x.verdict.Role(), false
	for _, p := range texts {
		if v, ok := k.of(p.Span, p.text); ok && p.lone && !kept {
			x.verdict, x.grant, x.resource, kept = v.In(role), nil, "", true
		}
	}
}

// Keep keeps sites of a file.
func (k *Keeper) Keep(list []Site) []Site {
	for i, s := range list {
		if v, ok := k.of(s.Span, s.Old); ok && !byHand(s.Verdict) {
			s.Severe = false
			list[i] = s.As(v)
		}
	}
	return list
}

// Unused are the comments of a file that keep nothing; after Resolve.
func (f *File) Unused() []source.Span {
	list := f.kept.Marked(false)
	if f.plain != nil {
		still := map[int]bool{}
		for _, x := range f.plain.kept.Marked(false) {
			still[f.view.Offset(x.Start)] = true
		}
		list = slices.DeleteFunc(list, func(s source.Span) bool { return !still[s.Start] })
	}
	return list
}
