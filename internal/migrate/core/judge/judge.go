// Package judge decides what becomes of a place where a group is spelled. It is
// the only package that can say keep or review.
//
// A row is asked about a place: the reference, the node that spells it, the
// labels around it and the path of the file. The first row that applies
// decides for all parts of the reference.
package judge

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/source"
)

// An Action is what becomes of a reference.
type Action uint8

// The actions.
const (
	Rewrite Action = iota
	Keep
	Review
)

func (a Action) String() string { return [...]string{"change", "keep", "review"}[a] }

// A Verdict is the answer of a row. Only this package makes those that keep or
// review.
type Verdict struct {
	row   *Row
	role  string // overrides the row's role
	words *words // override the row's; nil for most
}

// words are a reason and a hint.
type words struct{ why, hint string }

// own are the words of a verdict, empty where they are those of its row.
func (v Verdict) own() words {
	if v.words == nil {
		return words{}
	}
	return *v.words
}

// Rewritten is the verdict of what is rewritten and no row is asked about.
func Rewritten(id, role string) Verdict { return Verdict{row: &Row{ID: id, Role: role}} }

// Action is what becomes of the reference.
func (v Verdict) Action() Action { return v.row.Say }

// ID is the id of the row that decided.
func (v Verdict) ID() string { return v.row.ID }

// Role says what kind of place it is.
func (v Verdict) Role() string { return cmp.Or(v.role, v.row.Role) }

// Why is the reason as a clause.
func (v Verdict) Why() string { return cmp.Or(v.own().why, v.row.Why) }

// Hint is what to do, "" for nothing.
func (v Verdict) Hint() string { return cmp.Or(v.own().hint, v.row.Hint) }

// A Row decides about a kind of place.
type Row struct {
	ID   string
	Role string // of the place, in reports
	Say  Action
	Why  string
	Hint string
	When func(*Case) bool
}

// A Case is a reference with what a row may ask about it.
type Case struct{ place }

// A place is a reference with the text and the names around it.
type place struct {
	*refs.Ref
	File *File
	path []string
}

func newCase(f *File, r *refs.Ref) *Case { return &Case{place{Ref: r, File: f}} }

// A File is what the judge knows of a file.
type File struct {
	Path    string // from the top of the work tree
	Format  string
	Choices []source.Span               // the actions of a template that choose by what the cluster serves
	Off     map[string]bool             // ids of heuristics that are switched off
	Audit   bool                        // it may have events of an audit log
	Past    *Row                        // the row that keeps the whole file as history; nil for none
	Targets func(group string) []string // the other groups that rules make of a group
	Steps   func(group string) bool     // each rule that moves something of a group is about one version
}

// Decide decides about a reference.
func Decide(f *File, r *refs.Ref) Verdict {
	c := newCase(f, r)
	if f.Past != nil {
		return Verdict{row: f.Past}
	}
	for i := range Rows {
		if row := &Rows[i]; !f.Off[strings.TrimSuffix(row.ID, "-text")] && row.When(c) {
			return Verdict{row: row}
		}
	}
	return Verdict{row: &unknown}
}

var (
	elseAction  = lazyregexp.New(`\{\{-?\s*else\b`)
	asksAction  = lazyregexp.New(`Capabilities\.(APIVersions|KubeVersion)|semverCompare[^}]*[kK]ubeVersion`)
	ifAction    = lazyregexp.New(`\{\{-?\s*(?:else\s+)?if\b[^}]*$`)
	valueAction = lazyregexp.New(`\{\{-?\s*(?:or|and|not|eq|ne|ternary)\b[^}]*$`) // it gives a value
	notAction   = lazyregexp.New(`\{\{-?\s*if\s+not\b[^}]*$`)
	versionName = lazyregexp.New(`[a-z0-9]/v[0-9]`)
	endAction   = lazyregexp.New(`\{\{-?\s*end\s*-?\}\}`)
)

// An Asked is a part of a template that depends on what the cluster serves. A Value is one
// line, which has a version that such a condition replaces by another one.
type Asked struct {
	source.Span
	Value bool
}

// Choices are the parts of a template that choose between branches by what the
// cluster serves, or that are for clusters which do not serve something. Asked are all
// conditions that ask for it, with what depends on them.
func Choices(data []byte) (list []source.Span, asked []Asked) {
	list, asked = conditions(data)
	if bytes.Contains(data, []byte("eq ")) || bytes.Contains(data, []byte("ne ")) {
		for _, m := range compared.Get().FindAllIndex(data, -1) {
			asked = append(asked, Asked{source.Span{Start: m[0], End: m[1]}, true})
		}
	}
	if len(asked) == 0 {
		return list, asked
	}
	all, chosen := assigned.Get().FindAllSubmatchIndex(data, -1), map[string]bool{}
	for _, m := range all {
		inside := slices.ContainsFunc(asked, func(x Asked) bool { return x.Start <= m[0] && m[1] <= x.End })
		chosen[string(data[m[2]:m[3]])] = chosen[string(data[m[2]:m[3]])] || inside
	}
	for _, m := range all {
		if chosen[string(data[m[2]:m[3]])] {
			asked = append(asked, Asked{source.Span{Start: m[0], End: m[1]}, true})
		}
	}
	return list, asked
}

// compared is a comparison with versions of APIs, of what another template chose: bitnami/charts,
// VictoriaMetrics/helm-charts.
var compared = lazyregexp.New(`\b(?:eq|ne)\s+(?:[^(){}"\n]|\([^(){}\n]*\))+(?:\s*"[^"{}\n]*/v[0-9][^"{}\n]*")+`)

// assigned is a variable of a template that gets the version of an API.
var assigned = lazyregexp.New(`\{\{-?\s*(\$\w+)\s*:?=\s*"[^"}\n]*/v[0-9][^"}\n]*"`)

func conditions(data []byte) (list []source.Span, asked []Asked) {
	last, other := -1, -1 // the end of a choice, and the last else before it
	words := asking{at: [2]int{-1, -1}}
	for at := 0; ; {
		if at = words.next(data, at); at == len(data) {
			return list, asked
		}
		ask := asksAction.Get().FindIndex(data[at:])
		if ask == nil {
			return list, asked
		}
		i := at + ask[0]
		at += ask[1]
		start := bytes.LastIndexByte(data[:i], '\n') + 1
		if valueAction.Match(data[start:i]) {
			line, _, _ := bytes.Cut(data[i:], []byte("\n"))
			asked = append(asked, Asked{source.Span{Start: start, End: i + len(line)}, true})
			continue
		}
		if at > last {
			end := endAction.Get().FindIndex(data[at:])
			if end == nil {
				return list, asked
			}
			last, other = at+end[0], -1
			if all := elseAction.Get().FindAllIndex(data[at:last], -1); len(all) > 0 {
				other = at + all[len(all)-1][0]
			}
		}
		if ifAction.Match(data[start:i]) {
			asked = append(asked, Asked{source.Span{Start: start, End: last}, false})
		}
		if other < at && !notAction.Match(data[start:i]) {
			continue
		}
		if len(versionName.FindAllSubmatch(data[start:last], 2)) < 2 && bytes.HasSuffix(data[:at], []byte("ubeVersion")) {
			continue // it chooses something else than a version of an API
		}
		list = append(list, source.Span{Start: start, End: last})
	}
}

// asking finds the words that asksAction begins with: an expression without one beginning
// takes long to look for.
type asking struct{ at [2]int } // the next place of each, the end of the text for none

func (x *asking) next(data []byte, from int) int {
	for i, word := range []string{"Capabilities.", "semverCompare"} {
		if x.at[i] >= from {
			continue
		}
		x.at[i] = len(data)
		if n := bytes.Index(data[from:], []byte(word)); n >= 0 {
			x.at[i] = from + n
		}
	}
	return min(x.at[0], x.at[1])
}

// Operand says whether a reference is the first argument of a command of kubectl
// that takes resources.
func Operand(f *File, r *refs.Ref) bool { return newCase(f, r).operand() }

// InCommand says whether a reference is in a word of a command that takes
// resources.
func InCommand(f *File, r *refs.Ref) bool { return newCase(f, r).command() }

// unknown is for a place that no row knows.
var unknown = Row{ID: "unknown-place", Role: "prose", Say: Review, Why: "nothing around it says whether it is an API group"}

// Because is a verdict with another reason of the judge's own.
func Because(r Reason, detail string) Verdict {
	if detail == "" {
		return Verdict{row: r}
	}
	return Verdict{row: r, words: &words{why: detail}}
}

// In is the verdict for a reference whose place was already decided.
func (v Verdict) In(role string) Verdict {
	v.role = role
	return v
}

// With is the verdict with a reason of its own.
func (v Verdict) With(why string) Verdict {
	v.words = &words{why, v.own().hint}
	return v
}

// Hinted is the verdict with a hint of its own.
func (v Verdict) Hinted(hint string) Verdict {
	v.words = &words{v.own().why, hint}
	return v
}
