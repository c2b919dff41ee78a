package prove

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A vocabulary is what the rules may rename, and how it is spelled.
type vocabulary struct {
	groups   [256][]spelling     // by the first byte, the longest first
	words    map[string][]string // kinds and names of resources → new names
	versions map[string][]string // versions → new versions
	any      []string            // what every version may become
	keys     []rules.KeyRule     // the longest first
	from, to map[string]bool     // groups
}

// A spelling is how a text spells a group.
type spelling struct {
	text, group string
	form        form
}

// A form is how a reference spells its group.
type form uint8

const (
	plain  form = iota // example.com
	dashed             // example-com, in the paths of webhooks
	joined             // examplecom, in links to headings
)

// as is how a form spells a group.
func (f form) as(group string) string {
	switch f {
	case dashed:
		return strings.ReplaceAll(group, ".", "-")
	case joined:
		return strings.ReplaceAll(group, ".", "")
	}
	return group
}

func vocabularyOf(t *rules.Table) vocabulary {
	v := vocabulary{words: map[string][]string{}, versions: map[string][]string{}, from: map[string]bool{}, to: map[string]bool{}}
	for _, g := range t.Groups() {
		v.from[g] = true
		for _, f := range []form{plain, dashed, joined} {
			if s := f.as(g); f == plain || s != g {
				v.groups[s[0]] = append(v.groups[s[0]], spelling{s, g, f})
			}
		}
		for _, r := range t.RulesOf(g) {
			v.learn(t, r)
		}
	}
	for i := range v.groups {
		slices.SortStableFunc(v.groups[i], func(a, b spelling) int { return len(b.text) - len(a.text) })
	}
	v.keys = slices.Clone(t.Keys())
	slices.SortStableFunc(v.keys, func(a, b rules.KeyRule) int { return len(b.From) - len(a.From) })
	return v
}

// learn takes in what one rule renames, as far as the rules lead.
func (v *vocabulary) learn(t *rules.Table, r rules.Rule) {
	a := t.Ask(r.From)
	if a.Outcome != rules.Moves {
		return
	}
	v.to[a.To.Group] = true
	if to := r.To.Version; to != "" && to != r.From.Version {
		v.version(r.From.Version, to)
		v.version(r.From.Version, a.To.Version)
	}
	if a.To.Kind == r.From.Kind && (a.To.Plural == r.From.Plural || r.From.Plural == "") {
		return
	}
	v.word(r.From.Kind, a.To.Kind)
	v.word(r.From.Kind+"List", a.To.Kind+"List")
	v.word(strings.ToLower(r.From.Kind), strings.ToLower(a.To.Kind))
	fresh := a.To.Plural
	if fresh == "" {
		fresh = rules.Plurals(a.To.Kind)[0]
	}
	v.word(rules.Plurals(r.From.Kind)[0], fresh)
	v.word(r.From.Plural, fresh)
}

func (v *vocabulary) word(from, to string) {
	if from != "" && to != "" && from != to && !slices.Contains(v.words[from], to) {
		v.words[from] = append(v.words[from], to)
	}
}

func (v *vocabulary) version(from, to string) {
	switch {
	case to == "" || from == to:
	case from == "":
		v.any = append(v.any, to)
	default:
		v.versions[from] = append(v.versions[from], to)
	}
}

// versionsFrom are the versions that one may become.
func (v *vocabulary) versionsFrom(old string) []string {
	return append(slices.Clone(v.versions[old]), v.any...)
}

// images are what the rules may make of a reference of which not all may be
// known: each has the parts that the reference has.
func (f *proof) images(site rules.GVK) []rules.GVK {
	if list, ok := f.memo[site]; ok {
		return list
	}
	var list []rules.GVK
	for _, at := range f.meanings(site) {
		a := f.table.Ask(at)
		if a.Outcome != rules.Moves {
			continue
		}
		if to := known(site, at, a); to != site && !slices.Contains(list, to) {
			list = append(list, to)
		}
	}
	f.memo[site] = list
	return list
}

// meanings are what a reference may stand for: what it does not name is what the
// rules name.
func (f *proof) meanings(site rules.GVK) []rules.GVK {
	if site.Kind == "" && site.Plural != "" {
		site.Kind = f.table.KindNamed(site.Group, site.Plural)
	}
	if site.Kind == "" {
		site.Plural = ""
	}
	list := []rules.GVK{site}
	if other := site; site.Kind == "" {
		other.Kind = "a kind that no rule names"
		list = append(list, other)
	}
	for _, r := range f.table.RulesOf(site.Group) {
		at := site
		if at.Kind == "" {
			at.Kind = r.From.Kind
		}
		if at.Version == "" {
			at.Version = r.From.Version
		}
		if !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	return list
}

// known keeps the parts of an answer that the reference has. A resource may be
// spelled in the singular, unless that is its plural too.
func known(site, at rules.GVK, a rules.Answer) rules.GVK {
	to := a.To
	out := rules.GVK{Group: to.Group}
	if site.Version != "" {
		out.Version = to.Version
	}
	if site.Kind != "" {
		out.Kind = to.Kind
	}
	if site.Plural == "" {
		return out
	}
	out.Plural = site.Plural
	switch {
	case at.Kind == "" || to.Kind == at.Kind && to.Plural == at.Plural:
	case site.Plural == strings.ToLower(at.Kind) && site.Plural != a.Rule.From.Plural:
		out.Plural = strings.ToLower(to.Kind)
	case to.Plural != "" && at.Plural != "":
		out.Plural = to.Plural
	}
	return out
}

// allows says whether a reference may become another one.
func (f *proof) allows(old, fresh rules.GVK) bool {
	return old == fresh || slices.Contains(f.images(old), fresh)
}
