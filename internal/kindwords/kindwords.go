// Package kindwords finds the spellings of a Kubernetes kind in text and writes the spellings of its new
// name: WidgetSet, widgetSets, widgetset, widget-set, widget_set and WIDGET_SET become those of GadgetSet.
//
// A Set is made once from all kinds that get another name; Find returns the edits of one text. Case,
// separator and plural are preserved. Spellings of longer kinds of the tree and of the new name are
// protected. The spaced form ("Widget Set") is never changed: in prose it is rarely the kind.
package kindwords

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A Kind is a kind that gets another name.
type Kind struct {
	Old, New             string
	OldPlural, NewPlural string            // lower-case resource names; empty: the usual English plural
	Types                bool              // only the names of types are changed: WidgetSet, WidgetSetSpec
	Unique               bool              // no other API of the tree has the name: its words may be changed where no object decides
	Longer               []string          // other kinds of the tree that contain Old as segments
	Alias                map[string]string // lower-case abbreviations of Old in identifiers, to what replaces them
}

// A Context is the kind of text that Find reads.
type Context int

// The contexts. In all but the first two only unique kinds are found.
const (
	Ident     Context = iota // one identifier
	Program                  // what a program wrote about a kind: a comment or string of its client
	Prose                    // documents and comments
	Path                     // one path of a file
	YAMLValue                // YAML and JSON: spellings with separators need review
	Literal                  // a string of a program
)

// An Edit replaces text[Start:End] by New. With Review the spelling is
// probably one of the kind, and whether it may change is not known.
type Edit struct {
	Start, End int
	New        string
	Review     bool
	Lower      bool // widgetset, widget-set, widget_set
	form       *form
}

// style is how the words of a kind are joined.
type style int

const (
	camel style = iota
	lowerCamel
	joined // widgetset
	title  // Widgetset
	upper  // WIDGETSET
	kebab
	snake
	screaming
	spaced       // only as an alias
	abbreviation // likewise
	initials     // likewise: WSG for WidgetSetGroup
)

// separated says whether a style has separators between words.
func (s style) separated() bool { return s == kebab || s == snake || s == screaming }

// A form is one spelling, with what it becomes.
type form struct {
	old, new string
	style    style
	kind     *Kind
	several  bool // words
}

// A Set finds several kinds at once. The longest spelling wins.
type Set struct {
	kinds   []*Kind
	forms   []form          // longest first
	guards  []form          // spellings that are not changed: of new names and of longer kinds
	keys    []form          // likewise, outside of Go and of names of files
	modules []string        // of the tree
	groups  []string        // whose kinds are renamed
	spelled map[string]bool // the spellings of forms and guards
}

// NewSet prepares kinds. It does not change them.
func NewSet(kinds ...*Kind) *Set {
	s := &Set{kinds: kinds, spelled: map[string]bool{}}
	renamed := map[string]bool{}
	for _, k := range kinds {
		renamed[k.Old] = true
	}
	for _, k := range kinds {
		s.forms = append(s.forms, formsOf(k)...)
		s.forms = append(s.forms, aliasForms(k)...)
		guards := []*Kind{{Old: k.New, New: k.New, OldPlural: k.NewPlural}}
		for _, longer := range k.Longer {
			if !renamed[longer] {
				guards = append(guards, &Kind{Old: longer, New: longer})
			}
		}
		for _, g := range guards {
			if g.Old != k.Old && strings.Contains(strings.ToLower(g.Old), strings.ToLower(k.Old)) {
				s.guards = append(s.guards, formsOf(g)...)
			}
		}
	}
	slices.SortStableFunc(s.forms, func(a, b form) int {
		return cmp.Or(cmp.Compare(len(b.old), len(a.old)), cmp.Compare(a.old, b.old), cmp.Compare(a.style, b.style))
	})
	for _, f := range slices.Concat(s.forms, s.guards) {
		s.spelled[f.old] = true
	}
	return s
}

// Find returns the edits of a text, sorted by position.
func (s *Set) Find(text string, in Context) []Edit {
	var hits, edits []Edit
	low := strings.ToLower(text)
	if len(low) != len(text) { // letters of other alphabets: offsets differ
		low = text
	}
	for i := range s.forms {
		f := &s.forms[i]
		if alias := f.style >= spaced; alias && in != Prose && in != Literal || !alias && in > Program && !f.kind.Unique {
			continue
		}
		for at := range s.occurrences(text, low, f, in) {
			hits = append(hits, Edit{Start: at, End: at + len(f.old), form: f})
		}
	}
	if hits == nil {
		return nil
	}
	hits = s.unguarded(text, low, hits, in)
	slices.SortStableFunc(hits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	end := 0
	for _, e := range hits {
		if e.Start < end {
			continue
		}
		end = e.End
		if f := e.form; f.new != f.old && (in == Ident || !InDomain(text, end) && (in == Path || !s.inAddress(text, end))) {
			prev, next := byteAt(text, e.Start-1), byteAt(text, end)
			e.New = f.new
			if rest, longer := strings.CutPrefix(f.new, f.old); longer { // as it is spelled there
				e.New = text[e.Start:end] + rest
			}
			if in == Program && f.style == lowerCamel && !f.several && prev == '"' && next == '"' {
				e.New = strings.ToLower(e.New) // of a resource, as lister-gen writes it
			}
			e.Review = in == YAMLValue && (f.style.separated() || f.style == upper && (prev == '_' || next == '_'))
			e.Lower = f.style == joined || f.style == kebab || f.style == snake
			edits = append(edits, e)
		}
	}
	return edits
}

// WordByte says whether a byte may be in an identifier.
func WordByte(b byte) bool { return letter(b) || digit(b) || b == '_' }

// unguarded drops the hits inside of spellings that are protected.
func (s *Set) unguarded(text, low string, hits []Edit, in Context) []Edit {
	guards := s.guards
	if in > Program && in != Path {
		guards = append(guards[:len(guards):len(guards)], s.keys...)
	}
	for i := range guards {
		g := &guards[i]
		if len(g.old) > len(text) {
			continue
		}
		for at := range s.occurrences(text, low, g, in) {
			hits = slices.DeleteFunc(hits, func(h Edit) bool {
				return h.Start >= at && h.End <= at+len(g.old) && (g.new == "" || h.End-h.Start < len(g.old))
			})
		}
	}
	return hits
}

// occurrences yields the offsets at which a form is a word of the text. A kind of several words
// may have other capitals: WidgetsetGroup, widgetsetGroup.
func (s *Set) occurrences(text, low string, f *form, in Context) func(func(int) bool) {
	old, where := f.old, text
	loose := f.style <= lowerCamel && f.several && len(f.old) >= Freely
	if loose {
		old, where = strings.ToLower(old), low
	}
	return func(yield func(int) bool) {
		for from := 0; ; {
			i := strings.Index(where[from:], old)
			if i < 0 {
				return
			}
			at := from + i
			have := text[at : at+len(old)]
			if (have == f.old || loose && strings.EqualFold(have, old) && isUpper(have) == (f.style == camel) && have[len(have)-1] == f.old[len(old)-1] && !s.spelled[have]) && f.bounded(text, at, in) && !yield(at) {
				return
			}
			from = at + 1
		}
	}
}

// Freely is the length from which a joined spelling of several words is so
// rare within other words that letters around it are allowed: vwidgetset.kb.io.
const Freely = 8

// bounded says whether a form at an offset begins and ends with a word.
func (f *form) bounded(text string, at int, in Context) bool {
	prev, next, second := byteAt(text, at-1), byteAt(text, at+len(f.old)), byteAt(text, at+len(f.old)+1)
	several := f.several
	switch f.style {
	case camel:
		return !(isUpper(f.old[1:]) && upperByte(prev)) && f.endsSegment(next, second)
	case lowerCamel:
		return !letter(prev) && !digit(prev) && f.endsSegment(next, second) && (in != Path || several || !letter(next))
	case joined, title:
		if several && len(f.old) >= Freely && !(f.style == title && upperByte(prev)) {
			return !inflected(text[at+len(f.old):]) && !(lowerByte(next) && strings.EqualFold(f.old, f.kind.Old+"s")) // WidgetSetSpec is no plural
		}
		return (!letter(prev) || f.style == title && lowerByte(prev)) && !digit(prev) && !lowerByte(next)
	case upper, screaming:
		return !letter(prev) && !letter(next)
	case spaced:
		return !letter(prev) && (!letter(next) || next == 's' && !letter(second))
	case initials:
		return !WordByte(prev) && !digit(next) && next != '_' && (!letter(next) || next == 's' && !letter(second))
	case abbreviation:
		return (!letter(prev) || upperByte(f.old[0]) && lowerByte(prev)) && (!lowerByte(next) || next == 's' && !letter(second))
	}
	return (f.old[0] == '.' || !letter(prev) && !digit(prev)) && (!letter(next) || strings.ContainsAny(f.old[len(f.old)-1:], "/.")) && prev != '#' // of a heading with spaces
}

// inflected says whether the word goes on with one or two letters that make no plural, as a
// scheduler is no schedule, and no version.
func inflected(rest string) bool {
	n := strings.IndexFunc(rest+"-", func(c rune) bool { return c < 'a' || c > 'z' })
	return (n == 1 || n == 2) && rest[0] != 's' && !(rest[0] == 'v' && digit(byteAt(rest, 1)))
}

// endsSegment says whether a camel-case word ends before two bytes. After an
// initialism alone a capital begins a word only if a small letter follows.
func (f *form) endsSegment(next, second byte) bool {
	if lowerByte(next) {
		return false
	}
	last := f.old[len(f.old)-1]
	return f.several || !upperByte(last) || !upperByte(next) || lowerByte(second)
}

// isUpper says whether a string begins with a capital.
func isUpper(s string) bool { return s != "" && upperByte(s[0]) }

func byteAt(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return 0
	}
	return s[i]
}

func lowerByte(b byte) bool { return 'a' <= b && b <= 'z' }
func upperByte(b byte) bool { return 'A' <= b && b <= 'Z' }
func letter(b byte) bool    { return lowerByte(b) || upperByte(b) }
func digit(b byte) bool     { return '0' <= b && b <= '9' }

// HasNew says whether a line has a new name. What is written about both names is not
// changed. New names of one word are too common to decide.
func (s *Set) HasNew(line string) bool {
	return slices.ContainsFunc(s.kinds, func(k *Kind) bool {
		return len(Split(k.New)) > 1 && !strings.Contains(k.Old, k.New) && strings.Contains(line, k.New)
	})
}

// Rename returns the new spelling of an identifier and the kinds that it names, nil for none.
func (s *Set) Rename(ident string) (string, []*Kind) {
	edits := s.Find(ident, Ident)
	if edits == nil {
		return ident, nil
	}
	var kinds []*Kind
	for i := range s.forms {
		f := &s.forms[i]
		for _, e := range edits {
			if strings.EqualFold(ident[e.Start:e.End], f.old) && e.form.new == f.new && !slices.Contains(kinds, f.kind) {
				kinds = append(kinds, f.kind)
			}
		}
	}
	return Apply(ident, edits), kinds
}

// Apply makes the edits that need no review.
func Apply(text string, edits []Edit) string {
	for _, e := range slices.Backward(edits) {
		if !e.Review {
			text = text[:e.Start] + e.New + text[e.End:]
		}
	}
	return text
}

// RenameAlias replaces the segments of an identifier that are abbreviations of
// the kind. It is for identifiers whose object is known to be of the kind.
func (k *Kind) RenameAlias(ident string) string {
	segments := Split(ident)
	for i, seg := range segments {
		bare := strings.TrimRight(seg, "0123456789")
		to := k.Alias[strings.ToLower(bare)]
		if one, many := strings.CutSuffix(bare, "s"); to == "" && many {
			bare, to = one, k.Alias[strings.ToLower(one)]
		}
		switch {
		case to == "":
			continue
		case len(bare) > 1 && bare == strings.ToUpper(bare) && (ident == strings.ToUpper(ident) || !strings.Contains(strings.ToLower(k.New), strings.ToLower(to))):
			to = strings.ToUpper(to)
		case isUpper(seg):
			to = strings.ToUpper(to[:1]) + to[1:]
		}
		segments[i] = to + seg[len(bare):]
	}
	return strings.Join(segments, "")
}

// telling is the length from which an abbreviation is a word of prose and of
// other languages too, and not only of identifiers whose object is known.
const telling = 4

// aliasForms are the aliases that are found in prose: spaced forms, long
// abbreviations with a small or a capital first letter, and initials in capitals.
func aliasForms(k *Kind) []form {
	var forms []form
	for _, old := range slices.Sorted(maps.Keys(k.Alias)) {
		to, in := k.Alias[old], abbreviation
		switch {
		case strings.Contains(old, " "):
			in = spaced
		case len(old) > 2 && InitialsOf(k.Old) == old: // two letters are too common
			forms = append(forms, form{strings.ToUpper(old), strings.ToUpper(to), initials, k, false})
			continue
		case len(old) < telling:
			continue
		}
		forms = append(forms, form{old, to, in, k, false},
			form{strings.ToUpper(old[:1]) + old[1:], strings.ToUpper(to[:1]) + to[1:], in, k, false})
	}
	return forms
}

// InitialsOf are the first letters of a kind's words in lower case.
func InitialsOf(kind string) (initials string) {
	for _, w := range Split(kind) {
		initials += strings.ToLower(w[:1])
	}
	return initials
}

// Needles are lower-case words: a text whose lower-case form has none of them has no spelling of a kind of the set.
func (s *Set) Needles() []string {
	var needles []string
	for _, k := range s.kinds {
		longest := slices.MaxFunc(Split(k.Old), func(a, b string) int { return cmp.Compare(len(a), len(b)) })
		needles = append(slices.AppendSeq(needles, maps.Keys(k.Alias)), strings.TrimSuffix(strings.ToLower(longest), "y")) // policies
	}
	return slices.Compact(slices.Sorted(slices.Values(needles)))
}

// Contains says whether a kind has another as a run of its segments.
func Contains(longer, kind string) bool {
	spaced := func(name string) string { return " " + strings.Join(Split(name), " ") + " " }
	return longer != kind && strings.Contains(spaced(longer), spaced(kind))
}

// Split returns the segments of a camel-case name: HTTPRoute is HTTP, Route; v1Beta2 is v1, Beta2.
// Other bytes than letters and digits are segments of their own.
func Split(name string) []string {
	var segments []string
	start := 0
	for i := 1; i <= len(name); i++ {
		if i < len(name) && !splits(name, i) {
			continue
		}
		segments = append(segments, name[start:i])
		start = i
	}
	return segments
}

// splits says whether a segment begins at an offset.
func splits(name string, i int) bool {
	prev, here, next := name[i-1], name[i], byteAt(name, i+1)
	switch {
	case !letter(here) && !digit(here) || !letter(prev) && !digit(prev):
		return true
	case upperByte(here):
		return !upperByte(prev) || lowerByte(next)
	}
	return false
}
