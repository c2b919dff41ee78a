package core

import (
	"bytes"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Mark is a comment that keeps lines.
type Mark struct {
	source.Span             // of the mark
	Lines       source.Span // that it keeps
	Why         string      // the reason that it gives, after a colon; may be empty
}

// A suppressor knows what comments and the configuration keep in a file.
type suppressor struct {
	core  *Core
	place string
	marks []Mark
	used  []bool // by mark
}

func (c *Core) suppressorOf(place string, data []byte) *suppressor {
	k := &suppressor{core: c, place: place}
	if c.opts.Marks != nil {
		k.marks = c.opts.Marks(data)
	}
	if len(k.marks) == 0 && c.opts.Keep == nil {
		return nil
	}
	k.used = make([]bool, len(k.marks))
	return k
}

// isEmpty says whether there is no comment that keeps lines.
func (k *suppressor) isEmpty() bool { return k == nil || len(k.marks) == 0 }

// marked is the reason of the comment that keeps one of some texts.
func (k *suppressor) marked(at ...source.Span) (why string, ok bool) {
	if k.isEmpty() {
		return "", false
	}
	for i, m := range k.marks {
		if slices.ContainsFunc(at, func(s source.Span) bool { return m.Lines.Start <= s.Start && s.Start <= m.Lines.End }) {
			k.used[i], why, ok = true, m.Why, true
		}
	}
	return why, ok
}

// inside says whether a comment that keeps a line is in a text that is written anew as a
// whole.
func (k *suppressor) inside(s source.Span) bool {
	found := false
	if k.isEmpty() {
		return false
	}
	for i, m := range k.marks {
		if s.Start <= m.Start && m.Start < s.End {
			k.used[i], found = true, true
		}
	}
	return found
}

// unused are the comments that keep nothing.
func (k *suppressor) unused() []source.Span {
	var list []source.Span
	if k.isEmpty() {
		return nil
	}
	for i, m := range k.marks {
		if !k.used[i] {
			list = append(list, m.Span)
		}
	}
	return list
}

// verdict is the one of a reference as comments and the configuration have it: what keeps
// one part keeps all.
func (k *suppressor) verdict(x *ref) {
	if k == nil {
		return
	}
	at, texts := []source.Span{x.own}, []string{x.ownText}
	for _, p := range x.parts {
		if p.lone {
			at, texts = append(at, p.Span), append(texts, p.text)
		}
	}
	for _, i := range x.grant.items() {
		at, texts = append(at, i.Span), append(texts, i.text)
	}
	role := x.verdict.Role()
	if k.core.opts.Keep != nil {
		for _, t := range texts {
			if why, ok := k.core.opts.Keep(k.place, t); ok {
				x.verdict, x.grant, x.byHand = judge.Because(judge.Configured, why).In(role), nil, true
				break
			}
		}
	}
	if why, ok := k.marked(at...); ok {
		x.verdict, x.grant, x.byHand = judge.Because(judge.Suppressed, KeptByHand(why)).In(role), nil, true
	}
}

// KeptByHand says that a comment keeps something, and the reason that it gives.
func KeptByHand(why string) string {
	if why != "" {
		why = ": " + why
	}
	return "kept by hand" + why
}

// keptSites are the texts of a reference that a comment or the configuration keeps: of
// what is alone, what an entry of the configuration names.
func (t *Tree) keptSites(r *ref) []Site {
	v, rule := r.verdict, ruleOf(t.results(r))
	list := []Site{{Span: r.own, Verdict: v, Old: r.ownText, Rule: rule}}
	_, all := r.file.kept.configured("")
	for _, p := range r.parts {
		if _, named := r.file.kept.configured(p.text); p.lone && named && !all {
			list = append(list, Site{Span: p.Span, Verdict: v.In(roleOf(p.what, r.crd)), Old: p.text, Rule: rule})
		}
	}
	return list
}

// keep keeps sites that are made without a reference.
func (k *suppressor) keep(list []Site) []Site {
	for i, s := range list {
		if why, ok := k.marked(s.Span); ok {
			list[i] = s.As(judge.Because(judge.Suppressed, KeptByHand(why)))
		} else if why, ok := k.configured(s.Old); ok {
			list[i] = s.As(judge.Because(judge.Configured, why))
		}
	}
	return list
}

func (k *suppressor) configured(spelling string) (why string, ok bool) {
	if k == nil || k.core.opts.Keep == nil {
		return "", false
	}
	return k.core.opts.Keep(k.place, spelling)
}

func lineEnd(b []byte, at int) int {
	if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(b)
}

// Unused are the comments of a file that keep nothing; after Resolve.
func (f *File) Unused() []source.Span {
	list := f.kept.unused()
	if f.plain != nil {
		still := f.plain.kept.unused()
		list = slices.DeleteFunc(list, func(s source.Span) bool {
			return !slices.ContainsFunc(still, func(x source.Span) bool { return f.view.Offset(x.Start) == s.Start })
		})
	}
	return list
}

// Tell notes a resource that the tree had in a group, and has in another one now.
func (f *File) Tell(group, plural, kind string) {
	f.facts = append(f.facts, index.Fact{Kind: index.Plural, Group: group, Name: plural, Value: kind}, index.Fact{Kind: index.Left, Group: group, Name: kind})
}

// TellAlone notes a group that the tree had, and names without a kind where it is now.
func (f *File) TellAlone(group string) { f.own().alone = append(f.own().alone, group) }

// Learn adds facts to what a file tells.
func (f *File) Learn(facts []index.Fact) { f.facts = append(f.facts, facts...) }

// Empty says whether a file has nothing to tell.
func (f *File) Empty() bool {
	return (f.plain == nil || f.plain.Empty()) && len(f.refs)+len(f.facts)+len(f.shaped)+len(f.wrong) == 0 && f.kept.isEmpty() && f.project == nil && f.Failed == nil
}

// Converts says whether the shape of an object in the file changes.
func (f *File) Converts() bool { return len(f.shaped) > 0 }

// mostValues is how many values a file may have, about 600 bytes of memory each.
const mostValues = 1 << 20

// dense says whether a file has so many values that reading them would take all memory: what
// separates or nests them is counted.
func dense(data []byte) bool {
	if len(data) <= mostValues {
		return false
	}
	n := 0
	for _, mark := range []string{"\n", ",", "[", "{", "(", "- ", "? "} {
		n += bytes.Count(data, []byte(mark))
	}
	return n > mostValues
}
