package migrate

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// answerWord is the answer for a spelling that is no reference: a word, or part of another name.
const answerWord = "word"

// whyWord is its reason.
const whyWord = "it is not a reference to the API that cfctl recognizes"

// Remaining lists each occurrence of an old name in the files of a tree, in any spelling, with
// what the plan decides about it. Names are groups that get another name, old versions behind
// a group, and kinds with their resources that get another name. A file that is renamed, and
// one that was not read, is one entry without a line.
func (m *Migration) Remaining(ctx context.Context, t *source.Tree, p *Plan, o source.WalkOptions) ([]Entry, error) {
	m = m.In(t)
	old := m.spellings(p)
	decided := map[string][]Entry{}
	list := []Entry{} // in JSON, none is a list too
	for _, e := range p.Account() {
		switch {
		case slices.Contains([]string{"binary", "version-control", "ignored", "excluded"}, e.Reason): // what was not asked for
			continue
		case e.Answer == answerSkipped:
			list = append(list, e)
			continue
		case e.Line == 0 && e.Answer == answerChanged:
			list = append(list, e)
		}
		decided[e.Path] = append(decided[e.Path], e)
	}
	var mu sync.Mutex
	s := search{needles: old.needles}
	if len(s.needles) == 0 {
		return list, nil
	}
	_, _, err := t.Walk(ctx, s.below(m.below).options(o, nil), func(f *source.File) error {
		if slices.ContainsFunc(m.opts.Rulesets, func(set *rules.Ruleset) bool { return set.Is(f.Data) }) {
			return nil
		}
		found := old.in(f.Path, f.Data, decided[f.Path])
		mu.Lock()
		defer mu.Unlock()
		list = append(list, found...)
		return nil
	})
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), a.Start-b.Start, strings.Compare(a.Old, b.Old))
	})
	return list, err
}

// spellings finds the old names of rules in a text.
type spellings struct {
	groups  []string     // that get another name
	steps   []string     // old versions behind a group that stays
	alone   []rules.Rule // for those in front of which the group does not stand, one for each
	kinds   *kindwords.Set
	any     []*regexp.Regexp
	fresh   []*regexp.Regexp // the new groups and kinds, and other kinds, that have an old one in them
	needles []string
}

func (m *Migration) spellings(p *Plan) *spellings {
	x := &spellings{}
	var kinds []*kindwords.Kind
	for _, g := range m.rules.Groups() {
		for _, r := range m.rules.RulesOf(g) {
			if !r.Gone() && r.To.Group != g {
				x.groups = append(x.groups, names.Spellings(g)...)
				if strings.Contains(r.To.Group, g) {
					x.fresh = append(x.fresh, regexp.MustCompile(regexp.QuoteMeta(r.To.Group)))
				}
			}
			v := r.From.Version
			if v != "" && (r.Gone() || r.To.Version != v && r.To.Group == g) {
				x.steps = append(x.steps, g+"/"+v)
			}
			if v != "" && !r.Gone() && r.To.Version != v && !slices.Contains(Builtin(), r.Set) { // those are about every project
				if !slices.ContainsFunc(x.alone, func(o rules.Rule) bool { return o.From.Group == g && o.From.Version == v }) {
					x.alone = append(x.alone, r)
				}
			}
			if k := r.From.Kind; k != "" && !r.Gone() && r.To.Kind != k && !slices.ContainsFunc(kinds, func(x *kindwords.Kind) bool { return x.Old == k }) {
				kinds = append(kinds, &kindwords.Kind{Old: k, New: r.To.Kind, OldPlural: r.From.Plural, NewPlural: r.To.Plural, Unique: true})
			}
		}
	}
	x.groups, x.steps = distinct(x.groups), distinct(x.steps)
	x.kinds = kindwords.NewSet(kinds...)
	x.needles = slices.Concat(x.groups, x.steps)
	for _, r := range x.alone {
		x.needles = append(x.needles, r.From.Version)
	}
	for _, k := range kinds {
		for _, word := range kindwords.NewSet(k).Needles() {
			x.needles = append(x.needles, word, strings.ToUpper(word), strings.ToUpper(word[:1])+word[1:])
		}
		if loose := kindwords.Loosely(k.Old, k.OldPlural); loose != nil {
			x.any = append(x.any, loose)
			other := func(kind, plural string) {
				if kind != k.Old && strings.Contains(strings.ToLower(kind), strings.ToLower(k.Old)) {
					x.fresh = append(x.fresh, regexp.MustCompile(strings.TrimSuffix(kindwords.Loosely(kind, plural).String(), `\b`))) // and its list
				}
			}
			other(k.New, k.NewPlural)
			for _, g := range m.rules.Groups() {
				for _, kind := range p.Kinds(g) {
					other(kind, "")
				}
			}
		}
	}
	return x
}

// in are the occurrences in a file that no other one covers.
func (x *spellings) in(name string, data []byte, decided []Entry) []Entry {
	var found []source.Span
	whole := string(data)
	for _, old := range slices.Concat(x.groups, x.steps) {
		for start := range source.All(data, old) {
			at := start + len(old)
			if start > 0 && !strings.Contains(old, ".") && text.IsIdent(whole[start-1]) {
				continue // apiextensions/v1
			}
			for strings.HasSuffix(old, "/v") && at < len(whole) && strings.IndexByte("abcdefghijklmnopqrstuvwxyz0123456789", whole[at]) >= 0 {
				at++
			}
			found = append(found, source.Span{Start: start, End: at})
		}
	}
	for _, e := range x.kinds.Find(whole, kindwords.Ident) {
		found = append(found, source.Span{Start: e.Start, End: e.End})
	}
	for _, loose := range x.any {
		for _, at := range loose.FindAllStringIndex(whole, -1) {
			found = append(found, source.Span{Start: at[0], End: at[1]})
		}
	}
	for _, fresh := range x.fresh {
		for _, at := range fresh.FindAllStringIndex(whole, -1) {
			found = slices.DeleteFunc(found, func(s source.Span) bool { return at[0] <= s.Start && s.End <= at[1] })
		}
	}
	list := x.stepped(name, data, decided, &found)
	slices.SortFunc(found, func(a, b source.Span) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	slices.SortStableFunc(decided, func(a, b Entry) int { return a.Start - b.Start })
	walk := text.Positions{Data: data, At: source.Position{Line: 1, Column: 1}}
	end := 0
	for _, at := range found {
		if at.End <= end {
			continue
		}
		end = at.End
		for len(decided) > 0 && decided[0].End <= at.Start {
			decided = decided[1:]
		}
		if len(decided) > 0 && decided[0].Start < at.End {
			if e := decided[0]; len(list) == 0 || list[len(list)-1] != e {
				list = append(list, e)
			}
			continue
		}
		pos := walk.To(at.Start)
		list = append(list, Entry{Path: name, Line: pos.Line, Column: pos.Column, Start: at.Start, End: at.End, Answer: answerWord, Old: string(at.Of(data)), Reason: answerWord, Why: whyWord})
	}
	return list
}

// stepped adds the old versions without their group in a file that names the group, or in the
// comments of Go, whose code is type-checked, where the file has the new version too or will have
// it; and in one that names the folder of the group's Go packages, as scripts for generators do.
// It lists the name of the file where that has the old one.
func (x *spellings) stepped(name string, data []byte, decided []Entry, found *[]source.Span) (list []Entry) {
	for _, r := range x.alone {
		old, to := r.From, r.To.Version
		steps := func(e Entry) bool { return e.Answer == answerChanged && hasWord([]byte(e.New), to) }
		code := path.Ext(name) == ".go"
		label, _, _ := strings.Cut(old.Group, ".")
		folder := !code && bytes.Contains(data, []byte("apis/"+label))
		if !folder && (!code && !bytes.Contains(data, []byte(old.Group)) || !hasWord(data, to) && !slices.ContainsFunc(decided, steps)) {
			continue
		}
		for _, at := range regexp.MustCompile(`\b`+old.Version+`\b`).FindAllIndex(data, -1) {
			if !code || bytes.Contains(data[text.LineStart(data, at[0]):at[0]], []byte("// ")) {
				*found = append(*found, source.Span{Start: at[0], End: at[1]})
			}
		}
		e := Entry{Path: name, Answer: answerWord, Old: path.Base(name), Reason: answerWord, Why: whyWord}
		named := slices.Contains(strings.FieldsFunc(e.Old, func(r rune) bool { return strings.ContainsRune("_-.", r) }), old.Version)
		if named && !slices.Contains(list, e) && !slices.ContainsFunc(decided, func(e Entry) bool { return e.Line == 0 }) {
			list = append(list, e)
		}
	}
	return list
}

// FormatOf is the format of a file by its name, for counts.
func FormatOf(name string) string { return syntax.FormatOf(name, nil) }
