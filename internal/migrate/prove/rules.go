package prove

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// A GVK names kinds of objects; an empty field is not told.
type GVK struct{ Group, Version, Kind, Plural string }

// A Move says what becomes of what: an empty field of From fits every one, an
// empty field of To stays.
type Move struct{ From, To GVK }

// A Step is one change of shape that a Conversion permits. Paths are keys;
// "[*]" is every item of a list.
type Step struct {
	Verb   string // move, copy, rename, drop, set, wrap, map-values, require-input
	Path   []string
	To     []string          // for move and copy
	Key    string            // for rename and wrap
	Value  string            // YAML, for set and require-input
	Values map[string]string // for map-values
	Quote  bool              // a moved scalar may become a string
	Always bool              // it asks for nothing: it is done wherever its path leads
}

// A Conversion is what may become of the shape of a kind.
type Conversion struct {
	Kind     string
	From, To string // apiVersions
	Steps    []Step
}

// Rules say what a migration may do. They are not changed by a proof, and are
// safe for concurrent use.
type Rules struct {
	moves    map[string][]Move // by the group that they start from
	converts []Conversion
	names    vocabulary
	project  vocabulary      // of PROJECT files, which say a group in two halves
	fresh    map[string]bool // words of new spellings, and of what conversions write
	stale    map[string]bool // words of old spellings
	groups   map[string]bool
}

// Compile makes rules of moves, of pairs of spellings that move as they stand
// (keys, prefixes of keys, identifiers), and of conversions.
func Compile(moves []Move, names [][2]string, converts []Conversion) *Rules {
	r := &Rules{moves: map[string][]Move{}, converts: converts, fresh: map[string]bool{}, stale: map[string]bool{}, groups: map[string]bool{}}
	for _, c := range converts {
		moves = append(slices.Clip(moves), Move{withKind(split(c.From), c.Kind), split(c.To)})
	}
	for _, m := range moves {
		r.moves[m.From.Group] = append(r.moves[m.From.Group], m)
	}
	for _, m := range moves {
		r.groups[m.From.Group] = true
		for _, to := range r.images(m.From) {
			r.spellings(m.From, to)
		}
		if to := m.To.Version; to != "" && m.From.Version == "" { // whatever it was
			r.names.versions, r.project.versions = append(r.names.versions, to), append(r.project.versions, to)
			r.written(to)
		}
	}
	for _, n := range names {
		r.word(&r.names, n[0], n[1])
	}
	for old, list := range r.names.words {
		for _, fresh := range list {
			r.project.add(old, fresh)
		}
	}
	for _, c := range converts {
		for _, s := range c.Steps {
			for _, text := range slices.Concat(s.Path, s.To, []string{s.Key, s.Value}) {
				r.written(text)
			}
			for _, text := range s.Values {
				r.written(text)
			}
		}
	}
	return r
}

func withKind(g GVK, kind string) GVK {
	g.Kind = kind
	return g
}

// split takes an apiVersion apart.
func split(apiVersion string) GVK {
	if group, version, ok := strings.Cut(apiVersion, "/"); ok {
		return GVK{Group: group, Version: version}
	}
	return GVK{Version: apiVersion}
}

// spellings notes how the parts of a GVK may be spelled, and what each becomes.
func (r *Rules) spellings(from, to GVK) {
	r.word(&r.names, from.Group, to.Group)
	if strings.Contains(from.Group, ".") && to.Group != from.Group {
		r.word(&r.names, dashed(from.Group), dashed(to.Group))
		r.slugs(from, to)
		a, old, _ := strings.Cut(from.Group, ".")
		b, fresh, _ := strings.Cut(to.Group, ".")
		r.word(&r.project, a, b)
		r.word(&r.project, old, fresh)
	}
	r.word(&r.names, from.Version, to.Version)
	if from.Kind != to.Kind && from.Kind != "" {
		r.word(&r.names, from.Kind, to.Kind)
		r.word(&r.names, from.Kind+"List", to.Kind+"List")
		r.word(&r.names, strings.ToLower(from.Kind), strings.ToLower(to.Kind))
		for _, old := range pluralsOf(from) {
			r.word(&r.names, old, pluralsOf(to)[0])
		}
	}
	r.word(&r.names, from.Plural, to.Plural)
}

// slugs notes how the anchors of headings spell a group: without its dots, or with other
// characters for them, and with the version right behind.
func (r *Rules) slugs(from, to GVK) {
	for _, by := range []string{"", "-", "_"} {
		old, fresh := strings.ReplaceAll(from.Group, ".", by), strings.ReplaceAll(to.Group, ".", by)
		r.word(&r.names, old, fresh)
		r.names.slug(old, fresh)
		if from.Version != "" && to.Version != "" {
			r.names.slug(old+from.Version, fresh+to.Version)
		}
	}
}

func dashed(group string) string { return strings.ReplaceAll(group, ".", "-") }

func pluralsOf(g GVK) []string {
	if g.Plural != "" {
		return []string{g.Plural}
	}
	return plurals(g.Kind)
}

// plurals are the resource names that a kind may have, the usual one first.
func plurals(kind string) []string {
	low := strings.ToLower(kind)
	switch {
	case kind == "":
		return nil
	case strings.HasSuffix(low, "y") && len(low) > 1 && !strings.ContainsRune("aeiou", rune(low[len(low)-2])):
		return []string{low[:len(low)-1] + "ies", low + "s", low}
	case strings.HasSuffix(low, "s"), strings.HasSuffix(low, "x"), strings.HasSuffix(low, "ch"), strings.HasSuffix(low, "sh"):
		return []string{low + "es", low, low + "s"}
	}
	return []string{low + "s", low}
}

// word notes that an old spelling may become a new one.
func (r *Rules) word(v *vocabulary, old, fresh string) {
	if old == "" || fresh == "" || old == fresh {
		return
	}
	v.add(old, fresh)
	for _, w := range wordsOf(old) {
		r.stale[w] = true
	}
	r.written(fresh)
}

// written notes words that the rules write.
func (r *Rules) written(text string) {
	for _, w := range wordsOf(text) {
		r.fresh[w] = true
	}
}

var letters = lazyregexp.New(`[A-Za-z0-9]+`)

// wordsOf are the runs of letters and digits in a text.
func wordsOf(text string) []string { return strings.FieldsFunc(text, noLetter) }

func noLetter(r rune) bool { return r >= utf8.RuneSelf || !letter(byte(r)) }

// fits says whether a move is about a GVK of which perhaps not all is told,
// and how closely.
func (m Move) fits(g GVK) (int, bool) {
	if m.From.Group != g.Group || m.From.Version != "" && g.Version != "" && m.From.Version != g.Version {
		return 0, false
	}
	score := 0
	if m.From.Version != "" && g.Version != "" {
		score = 2
	}
	if m.From.Kind == "" && m.From.Plural == "" || g.Kind == "" && g.Plural == "" {
		return score, true
	}
	switch {
	case g.Kind != "" && m.From.Kind != "":
		return score + 4, m.From.Kind == g.Kind || m.From.Kind+"List" == g.Kind
	case g.Plural != "":
		return score + 4, slices.Contains(pluralsOf(m.From), g.Plural)
	}
	return score + 4, slices.Contains(plurals(g.Kind), m.From.Plural)
}

// apply is what a move makes of what is told.
func (m Move) apply(g GVK) GVK {
	if m.To.Group != "" {
		g.Group = m.To.Group
	}
	if g.Version != "" && m.To.Version != "" {
		g.Version = m.To.Version
	}
	if g.Kind != "" && m.To.Kind != "" {
		g.Kind = m.To.Kind + strings.TrimPrefix(g.Kind, m.From.Kind)
	}
	if g.Plural != "" && m.To.Plural != "" {
		g.Plural = m.To.Plural
	} else if g.Plural != "" && m.To.Kind != "" && m.To.Kind != m.From.Kind {
		g.Plural = plurals(m.To.Kind)[0]
	}
	return g
}

// images are all that a GVK may become, however many moves lead there. Where
// the kind is told, the moves that fit it most closely count.
func (r *Rules) images(g GVK) []GVK {
	all := []GVK{g}
	for i := 0; i < len(all) && len(all) < 200; i++ {
		best := -1
		told := all[i].Kind != "" || all[i].Plural != ""
		moves := r.moves[all[i].Group]
		for _, m := range moves {
			if n, ok := m.fits(all[i]); ok && told {
				best = max(best, n)
			}
		}
		for _, m := range moves {
			if n, ok := m.fits(all[i]); ok && n >= best {
				if to := m.apply(all[i]); !slices.Contains(all, to) {
					all = append(all, to)
				}
			}
		}
	}
	return all[1:]
}

// becomes says whether a GVK may become another.
func (r *Rules) becomes(from, to GVK) bool {
	return from == to || slices.Contains(r.images(from), to)
}
