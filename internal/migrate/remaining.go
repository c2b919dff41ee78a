package migrate

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
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
// one that was not read, is one entry without a line. Names of the project that have a kind in
// them are returned apart, and what is a part of one is not listed.
func (m *Migration) Remaining(ctx context.Context, t *source.Tree, p *Plan, o source.WalkOptions) (list []Entry, project []string, err error) {
	m = m.In(t)
	old := m.spellings(p)
	mod, _ := t.ReadFile(modName) // of a tree without one only the groups have a name
	elems := strings.FieldsFunc(strings.Join(append(m.rules.Groups(), modfile.ModulePath(mod)), "/"), func(c rune) bool { return c == '/' || c == '.' })
	old.project = slices.DeleteFunc(elems, func(name string) bool { return !strings.Contains(name, "-") || len(old.spans(name)) == 0 })
	decided := map[string][]Entry{}
	list = []Entry{} // in JSON, none is a list too
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
	if len(old.needles) == 0 {
		return list, nil, nil
	}
	skipped, _, err := t.Walk(ctx, search{needles: old.needles}.below(m.below).options(o, nil), func(f *source.File) error {
		if !slices.ContainsFunc(m.opts.Rulesets, func(set *rules.Ruleset) bool { return set.Is(f.Data) }) {
			old.in(f.Path, f.Data, decided[f.Path])
		}
		return nil
	})
	for _, f := range skipped {
		if f.Reason == source.SkipBinary {
			old.in(f.Path, nil, decided[f.Path])
		}
	}
	list = append(list, old.found...)
	for version, at := range old.alike {
		if !old.others[version] {
			list = append(list, at...)
		}
	}
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), a.Start-b.Start, strings.Compare(a.Old, b.Old))
	})
	return slices.Compact(list), distinct(old.project), err
}

// spellings finds the old names of rules in a text.
type spellings struct {
	groups  []string // that get another name
	words   []string // names that are made of a group
	steps   []string // old versions behind a group that stays
	alone   []step   // for those without their group in front of them, one for each
	kinds   *kindwords.Set
	any     []*regexp.Regexp
	fresh   []*regexp.Regexp // the new groups and kinds, and other kinds, that have an old one in them
	needles []string
	project []string        // elements of the module and of the groups with a kind in them: vault-secrets-operator
	targets map[string]bool // steps that lead somewhere for one kind, and to which another one leads

	mu     sync.Mutex
	found  []Entry
	alike  map[string][]Entry // old versions in places that do not tell of which API
	others map[string]bool    // versions that another API has
}

// wordsOf are the names that anchors, variables, types and models of OpenAPI make of a group:
// old-example-com, old_example_com, OLD_EXAMPLE_COM, OldExampleCom, com.example.old.
func wordsOf(group string) []string {
	labels := strings.Split(group, ".")
	if len(labels) == 1 {
		return nil
	}
	under, camel := strings.NewReplacer(".", "_", "-", "_").Replace(group), ""
	for word := range strings.SplitSeq(under, "_") {
		if word != "" {
			camel += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	slices.Reverse(labels)
	return []string{strings.ReplaceAll(group, ".", "-"), under, strings.ToUpper(under), camel, strings.Join(labels, ".") + ".v"}
}

// A step is a rule that changes a version, with the pattern of the old one.
type step struct {
	rules.Rule
	old     *regexp.Regexp
	aliases []string // what documents and code may call its package, without the version
}

// isAlias says whether an old version is behind one of the aliases: sandboxv1alpha1.
func (r step) isAlias(whole string, at int) bool {
	from := at
	for from > 0 && text.IsIdent(whole[from-1]) {
		from--
	}
	return from < at && slices.Contains(r.aliases, strings.ToLower(whole[from:at]))
}

func (m *Migration) spellings(p *Plan) *spellings {
	x := &spellings{targets: map[string]bool{}, alike: map[string][]Entry{}, others: map[string]bool{}}
	var kinds []*kindwords.Kind
	var others []kindwords.Kind
	for _, g := range m.rules.Groups() {
		for _, kind := range p.Kinds(g) {
			others = append(others, kindwords.Kind{Old: kind})
		}
		for _, r := range m.rules.RulesOf(g) {
			if !r.Gone() && r.To.Group != g {
				x.groups = append(x.groups, names.Spellings(g)...)
				x.words = append(x.words, wordsOf(g)...)
				if strings.Contains(r.To.Group, g) {
					x.fresh = append(x.fresh, regexp.MustCompile(regexp.QuoteMeta(r.To.Group)))
				}
			}
			v := r.From.Version
			x.targets[r.To.Group+"/"+r.To.Version] = true
			if v != "" && (r.Gone() || r.To.Version != v && r.To.Group == g) {
				x.steps = append(x.steps, g+"/"+v)
			}
			if v != "" && !r.Gone() && r.To.Version != v && !slices.Contains(Builtin(), r.Set) && // those are about every project
				!slices.ContainsFunc(x.alone, func(o step) bool { return o.From.Group == g && o.From.Version == v }) {
				label, _, _ := strings.Cut(g, ".")
				aliases := append(strings.Fields(strings.ToLower(strings.Join(p.Kinds(g), " "))), label)
				x.alone = append(x.alone, step{r, regexp.MustCompile(`(?i:` + regexp.QuoteMeta(v) + `)(?:[^a-z0-9]|$)`), aliases})
			}
			if k := r.From.Kind; k != "" && !r.Gone() && r.To.Kind != k && !slices.ContainsFunc(kinds, func(x *kindwords.Kind) bool { return x.Old == k }) {
				kinds = append(kinds, &kindwords.Kind{Old: k, New: r.To.Kind, OldPlural: r.From.Plural, NewPlural: r.To.Plural, Unique: true})
			}
		}
	}
	x.groups, x.words, x.steps = distinct(x.groups), distinct(x.words), distinct(x.steps)
	x.kinds = kindwords.NewSet(kinds...)
	x.needles = slices.Concat(x.groups, x.words, x.steps)
	for _, r := range x.alone {
		x.needles = append(x.needles, r.From.Version, strings.ToUpper(r.From.Version[:1])+r.From.Version[1:])
	}
	for _, k := range kinds {
		for _, word := range kindwords.NewSet(k).Needles() {
			x.needles = append(x.needles, word, strings.ToUpper(word), strings.ToUpper(word[:1])+word[1:])
		}
		between := "[-_]?" // in prose, a cluster queue may be a Queue
		if loose := loosely(k.Old, k.OldPlural); loose != nil {
			x.any, between = append(x.any, loose), "[-_ ]?"
		}
		for _, o := range append(others, kindwords.Kind{Old: k.New, OldPlural: k.NewPlural}) {
			if loose := loosely(o.Old, o.OldPlural); loose != nil && strings.Contains(strings.ToLower(o.Old), strings.ToLower(k.Old)) &&
				!slices.ContainsFunc(kinds, func(x *kindwords.Kind) bool { return x.Old == o.Old }) {
				x.fresh = append(x.fresh, regexp.MustCompile(strings.TrimSuffix(strings.ReplaceAll(loose.String(), "[-_ ]?", between), `\b`))) // and its list
			}
		}
	}
	return x
}

// loosely matches a kind of several words in any case, with or without separators and blanks:
// BaremetalMachine and "bare metal machine" are BareMetalMachine to people, also at the end of
// another word: actualbaremetalMachine. It is nil for a kind that is too short to be told from others.
func loosely(kind, plural string) *regexp.Regexp {
	words := kindwords.Split(kind)
	if len(words) < 2 || len(kind) < kindwords.Freely {
		return nil
	}
	last := len(words) - 1
	ends := regexp.QuoteMeta(words[last])
	if many, ok := strings.CutPrefix(kindwords.PluralOf(plural, kind), strings.ToLower(strings.Join(words[:last], ""))); ok {
		ends = "(?:" + regexp.QuoteMeta(many) + "|" + ends + ")"
	}
	return regexp.MustCompile(`(?i)` + strings.Join(words[:last], "[-_ ]?") + "[-_ ]?" + ends + `\b`)
}

// spans are the old names in a text, of which some cover others.
func (x *spellings) spans(whole string) (found []source.Span) {
	for _, old := range slices.Concat(x.groups, x.steps) {
		for start := range source.All([]byte(whole), old) {
			at := start + len(old)
			if start > 0 && !strings.Contains(old, ".") && text.IsIdent(whole[start-1]) || strings.Contains(old, "/v") && !strings.HasSuffix(old, "/v") && at < len(whole) && text.IsIdent(whole[at]) {
				continue // apiextensions/v1, example.com/v1beta1
			}
			for strings.HasSuffix(old, "/v") && at < len(whole) && strings.IndexByte("abcdefghijklmnopqrstuvwxyz0123456789", whole[at]) >= 0 {
				at++
			}
			found = append(found, source.Span{Start: start, End: at})
		}
	}
	for _, old := range x.words {
		for start := range source.All([]byte(whole), old) {
			at := start + len(old)
			lower := at == len(whole) || whole[at-1] <= 'Z' || whole[at] < 'a' || whole[at] > 'z'
			if (start == 0 || !text.IsWordByte(whole[start-1]) && whole[start-1] != '.') && lower {
				found = append(found, source.Span{Start: start, End: at})
			}
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
			found = slices.DeleteFunc(found, func(s source.Span) bool { return at[0] <= s.Start && s.Start < at[1] })
		}
	}
	for _, name := range x.project {
		for at := range source.All([]byte(whole), name) {
			found = slices.DeleteFunc(found, func(s source.Span) bool { return at <= s.Start && s.End <= at+len(name) })
		}
	}
	return found
}

// in adds the occurrences in a file that no other one covers, and those in its path.
func (x *spellings) in(name string, data []byte, decided []Entry) {
	whole := string(data)
	found, alike := x.spans(whole), map[source.Span]string{}
	named, alikeNamed := x.spans(name), map[source.Span]string{}
	var others []string
	var owners [][]int // the fields with a group
	if len(x.alone) > 0 && FormatOf(name) == "yaml" {
		owners = ownerOf.Get().FindAllSubmatchIndex(data, -1)
	}
	for _, r := range x.alone {
		v, of := r.From.Version, about(r.Rule, name, data, decided)
		stepped := func(text string, found []source.Span, alike map[source.Span]string) []source.Span {
			for _, at := range r.old.FindAllStringIndex(text, -1) {
				span := source.Span{Start: at[0], End: at[0] + len(v)}
				switch {
				case ofOther(r.Rule, text, span.Start), text != name && nearOther(r.Rule, text, owners, span.Start):
					others = append(others, v)
				case of(text, span), path.Ext(name) != ".go" && r.isAlias(text, span.Start):
					found = append(found, span)
				case strings.ContainsAny(v, "ab"):
					alike[span] = v
				}
			}
			return found
		}
		found, named = stepped(whole, found, alike), stepped(name, named, alikeNamed)
	}
	found, named = withAlike(found, alike), withAlike(named, alikeNamed)
	if others == nil && slices.ContainsFunc(x.alone, func(r step) bool { return bytes.Contains(data, []byte(r.From.Group)) }) {
		maps.DeleteFunc(alike, func(at source.Span, _ string) bool { return at.Start == 0 || !text.IsIdent(whole[at.Start-1]) }) // the file is about this group alone
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, v := range others {
		x.others[v] = true
	}
	add := func(e Entry, alike string) {
		if e.Answer = cmp.Or(e.Answer, answerWord); e.Answer == answerWord {
			e.Reason, e.Why = answerWord, whyWord
		}
		if alike != "" && e.Answer == answerWord {
			x.alike[alike] = append(x.alike[alike], e)
		} else {
			x.found = append(x.found, e)
		}
	}
	if !slices.ContainsFunc(decided, func(e Entry) bool { return e.Line == 0 }) {
		for _, at := range named {
			tail, _, _ := strings.Cut(name[at.End:], "/") // of a folder or of the file
			place := name[:at.End+len(tail)]
			add(Entry{Path: place, Old: path.Base(place)}, alikeNamed[at])
		}
	}
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
			add(decided[0], "")
			continue
		}
		if x.targets[whole[at.Start:at.End]] { // what no rule changes
			continue
		}
		pos := walk.To(at.Start)
		add(Entry{Path: name, Line: pos.Line, Column: pos.Column, Start: at.Start, End: at.End, Old: whole[at.Start:at.End]}, alike[at])
	}
}

// withAlike adds what may be of another API, unless it is known to be of a rule's.
func withAlike(found []source.Span, alike map[source.Span]string) []source.Span {
	for _, at := range found {
		delete(alike, at)
	}
	return slices.AppendSeq(found, maps.Keys(alike))
}

// about says whether an old version without its group is of the rule: as a word in a file that
// names the group, or in the comments of Go, whose code is type-checked, where the file has the new
// version too or will have it; and in one that names the folder of the group's Go packages, as
// scripts for generators do. So is one in the path of such a file.
func about(r rules.Rule, name string, data []byte, decided []Entry) func(text string, at source.Span) bool {
	code, to := path.Ext(name) == ".go", r.To.Version
	label, _, _ := strings.Cut(r.From.Group, ".")
	steps := func(e Entry) bool { return e.Answer == answerChanged && hasWord([]byte(e.New), to) }
	if code && path.Base(path.Dir(name)) == r.From.Version && !slices.ContainsFunc(decided, func(e Entry) bool { return e.Answer == answerChanged }) {
		return func(string, source.Span) bool { return false } // a package of another group
	}
	of := !code && bytes.Contains(data, []byte("apis/"+label)) ||
		(code || bytes.Contains(data, []byte(r.From.Group))) && (hasWord(data, to) || slices.ContainsFunc(decided, steps))
	return func(whole string, at source.Span) bool {
		before, after := at.Start == 0 || !text.IsIdent(whole[at.Start-1]), at.End == len(whole) || !text.IsIdent(whole[at.End])
		if whole == name {
			return of
		}
		return of && before && after && whole[at.Start] == 'v' && (!code || strings.Contains(whole[text.LineStart(data, at.Start):at.Start], "// "))
	}
}

// ofOther says whether an old version is of another API than the rule's: behind its group, in the
// path of an import, or as the name of a package.
func ofOther(r rules.Rule, whole string, at int) bool {
	head, folder := strings.TrimRightFunc(whole[:at], func(c rune) bool { return c < 128 && (text.IsIdent(byte(c)) || strings.ContainsRune("/.-", c)) }), ""
	if at -= len(head); at > 0 && whole[len(head)+at-1] == '/' {
		folder = whole[len(head) : len(head)+at-1]
	}
	group := path.Base(folder)
	return strings.HasSuffix(head, "\npackage ") || at == 0 && strings.HasSuffix(head, "apiVersion: ") || group != r.From.Group && group != r.To.Group &&
		(kindwords.InDomain(group, 0) || strings.HasSuffix(head, "\"") && !strings.HasSuffix(head, ": \"") && strings.Contains(folder, "."))
}

// ownerOf is a field with a group, and its version.
var ownerOf = lazyregexp.New(`(?m)^[ -]*(?:group|apiVersion): ["']?([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?:/(v\w+))?`)

// nearBytes is how much of a document around an old version is read.
const nearBytes = 64 << 10

// nearOther says whether an old version is of the group of such a field of its document, before it
// or else behind it, and that is another one with this version.
func nearOther(r rules.Rule, whole string, owners [][]int, at int) bool {
	from := max(0, at-nearBytes)
	from += strings.LastIndex(whole[from:at], "\n---") + 1
	doc, _, _ := strings.Cut(whole[from:min(len(whole), at+nearBytes)], "\n---")
	i, _ := slices.BinarySearchFunc(owners, at, func(m []int, at int) int { return m[0] - at })
	if i > 0 && owners[i-1][0] >= from {
		i--
	}
	if i == len(owners) || owners[i][1] > from+len(doc) {
		return false
	}
	m := owners[i]
	group, version := whole[m[2]:m[3]], whole[max(m[4], 0):max(m[5], 0)]
	return group != r.From.Group && group != r.To.Group && (version == "" || version == r.From.Version)
}

// FormatOf is the format of a file by its name, for counts.
func FormatOf(name string) string { return syntax.FormatOf(name, nil) }
