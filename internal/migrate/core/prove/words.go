package prove

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A vocabulary is what the rules may rename, and how a text spells it.
type vocabulary struct {
	reference *regexp.Regexp      // of an API, at the beginning of a text
	groups    map[string]string   // a group as a text spells it → the group
	first     map[string]bool     // what these begin with, up to the first mark
	joined    []string            // those without a separator
	words     map[string][]string // kinds, names of resources and versions → new ones
	hyphened  []string            // those of the words that are names of resources with hyphens
	any       []string            // what every version may become
	later     map[string][]string // group → the versions for which rules of others go on from where its own lead
	keys      []rules.KeyRule     // the longest first
	from, to  map[string]bool     // groups
}

// A lexicon answers what the rules make of names, and remembers it.
type lexicon struct {
	*Prover
	memo map[rules.GVK][]rules.GVK // what the rules make of a reference
}

// A text spells a group as it is, with hyphens in the paths of webhooks, and without any
// separator in links to headings.
func dashed(group string) string { return strings.ReplaceAll(group, ".", "-") }
func joined(group string) string { return strings.ReplaceAll(group, ".", "") }

// A reference is [RESOURCE.][VERSION.]GROUP[/VERSION][/KIND], the path of a webhook, a schema or
// a console, or a link to a heading. Names of the same part count where they are first.
const (
	aVersion = `(?P<version>v[1-9][0-9A-Za-z]*)`
	aKind    = `(?P<kind>[A-Z][0-9A-Za-z]*)`
	aPlural  = `(?P<plural>[0-9a-z][0-9A-Za-z]*)`
	inFront  = `(?:` + aVersion + `\.|(?:` + aKind + `|` + aPlural + `)\.(?:` + aVersion + `\.)?)??`
	behind   = `(?:/` + aVersion + `(?:(?:/|, [Kk]ind=|[:.])` + aKind + `)?` +
		`|/(?P<low>[0-9a-z]+)_` + aVersion + `\.json|/` + aKind + `|/(?P<prefix>[a-z][0-9A-Za-z]*)|~` + aVersion + `~` + aKind + `|_` + aKind + `|_(?P<file>[0-9A-Za-z]+)|, Kind=` + aKind + `)?`
)

func vocabularyOf(t *rules.Table, o Options) vocabulary {
	v := vocabulary{groups: map[string]string{}, later: map[string][]string{}, first: map[string]bool{}, words: map[string][]string{}, from: map[string]bool{}, to: map[string]bool{}}
	var spelled [3][]string
	for _, g := range t.Groups() {
		v.from[g] = true
		for i, s := range []string{g, dashed(g), joined(g)} {
			if i == 0 || s != g {
				v.groups[s], v.first[s[:run(s)]] = g, true
				spelled[i] = append(spelled[i], regexp.QuoteMeta(s))
			}
		}
		for _, r := range t.RulesOf(g) {
			v.learn(t, r, o)
		}
	}
	var either [3]string
	for i, list := range spelled {
		slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
		either[i] = cmp.Or(strings.Join(list, "|"), `[^\x00-\x{10FFFF}]`) // no text
	}
	// A group may be the first label of another one, as apps is: those without dots come first.
	v.reference = regexp.MustCompile(`^` + inFront + `(?:(?P<dashed>` + either[1] + `)-(?:[{$%]|` + aVersion + `(?:-(?P<low>[0-9a-z]+))?)|(?P<joined>` + either[2] + `)` + aVersion +
		`|(?P<group>` + either[0] + `)` + behind + `)`)
	v.joined = spelled[2]
	v.keys = slices.SortedStableFunc(slices.Values(t.Keys()), func(a, b rules.KeyRule) int { return len(b.From) - len(a.From) })
	return v
}

// learn takes in what one rule renames, and what other rules make of that, by the version of an object.
func (v *vocabulary) learn(t *rules.Table, r rules.Rule, o Options) {
	if r.Gone() {
		return
	}
	for list, i := []rules.GVK{r.To}, 0; i < len(list); i++ {
		to := list[i]
		for _, x := range t.RulesOf(to.Group) {
			if later := v.later[r.From.Group]; x.From.Version != "" && !slices.Contains(later, x.From.Version) {
				v.later[r.From.Group] = append(later, x.From.Version)
			}
			if (x.From.Kind == "" || x.From.Kind == to.Kind) && !x.Gone() {
				if next := rules.Complete(x.To, to); !slices.Contains(list, next) {
					list = append(list, next)
				}
			}
		}
		v.to[to.Group] = true
		if r.From.Version == "" && to.Version != "" && r.To.Version != "" {
			v.any = append(v.any, to.Version)
		} else if r.To.Version != "" {
			v.word(r.From.Version, to.Version)
		}
		if to.Kind == r.From.Kind && (to.Plural == r.From.Plural || r.From.Plural == "") {
			continue
		}
		fresh := cmp.Or(to.Plural, rules.Plurals(to.Kind)[0])
		v.word(r.From.Kind, to.Kind)
		v.word(r.From.Kind+"List", to.Kind+"List")
		v.word(strings.ToLower(r.From.Kind), strings.ToLower(to.Kind))
		for _, plural := range append(o.plurals(r.From.Group, r.From.Kind), r.From.Plural) {
			v.word(plural, fresh)
		}
		v.word(strings.TrimSuffix(r.From.Plural, "s"), strings.ToLower(to.Kind)) // with hyphens, as the plural
	}
}

func (v *vocabulary) word(from, to string) {
	if from != "" && to != "" && from != to && !slices.Contains(v.words[from], to) {
		v.words[from] = append(v.words[from], to)
		if strings.Contains(from, "-") {
			v.hyphened = append(v.hyphened, from)
		}
	}
}

// versionsFrom are the versions that one may become.
func (v *vocabulary) versionsFrom(old string) []string {
	return slices.Concat(v.words[old], v.any)
}

// permits says whether a text is another one in which whole names are replaced
// as the rules say; else it returns the offset of the first difference.
func (l *lexicon) permits(old, fresh string) (at int, ok bool) {
	i, j := 0, 0
	for i < len(old) && j < len(fresh) {
		n, m := 0, 0
		if !l.opts.Dual && starts(old, i) {
			n, m = l.name(old, fresh, i, j)
		}
		if n == 0 && old[i] == fresh[j] {
			n, m = 1, 1
		}
		if n <= 0 {
			return i, false
		}
		i, j = i+n, j+m
	}
	return i, i == len(old) && j == len(fresh)
}

// name reads one name, and what it became: 0 for none, -1 for a wrong one.
func (l *lexicon) name(old, fresh string, i, j int) (n, m int) {
	for _, k := range l.names.keys {
		if strings.HasPrefix(old[i:], k.From) && strings.HasPrefix(fresh[j:], k.To) &&
			(strings.HasSuffix(k.From, "/") || ends(old[i+len(k.From):]) && ends(fresh[j+len(k.To):])) {
			return len(k.From), len(k.To)
		}
	}
	if r := l.reference(old, i); r != nil {
		for _, to := range append(l.images(r.site), r.site) {
			if s := r.spell(to); len(s) > m && strings.HasPrefix(fresh[j:], s) && run(fresh[j+len(s):]) == 0 {
				n, m = len(r.text), len(s)
			}
		}
		return cmp.Or(n, -1), m
	}
	for _, w := range l.names.hyphened {
		if rest, ok := strings.CutPrefix(old[i:], w); ok && run(rest) == 0 && alone(old[:i], w, rest) {
			for _, to := range l.names.words[w] {
				if strings.HasPrefix(fresh[j:], to) && run(fresh[j+len(to):]) == 0 {
					return len(w), len(to)
				}
			}
		}
	}
	w, to := old[i:i+run(old[i:])], fresh[j:j+run(fresh[j:])]
	list, stands := l.names.words[w], alone
	if isVersion(w) {
		list, stands = l.names.versionsFrom(w), delimited
	}
	if w == to || slices.Contains(list, to) && stands(old[:i], w, old[i+len(w):]) {
		return len(w), len(to)
	}
	return 0, 0
}

// A reference is one spelling of an API.
type reference struct {
	site  rules.GVK
	rest  bool // in the path of a server
	text  string
	parts []part // in their order
}

// A part is a run of bytes of a reference that names a part of its API.
type part struct {
	from, end int
	as        func(to rules.GVK) string
}

// spell writes a reference with the parts that an answer has.
func (r *reference) spell(to rules.GVK) string {
	var b strings.Builder
	at := 0
	for _, p := range r.parts {
		b.WriteString(r.text[at:p.from])
		b.WriteString(p.as(to))
		at = p.end
	}
	return b.String() + r.text[at:]
}

// reference reads the reference that begins at an offset; nil for none.
func (l *lexicon) reference(s string, at int) *reference {
	if at > 0 && s[at-1] == '@' || strings.HasSuffix(s[:at], "://") {
		return nil
	}
	w := s[at : at+run(s[at:])]
	if !l.names.first[w] && !strings.HasPrefix(s[at+len(w):], ".") && !slices.ContainsFunc(l.names.joined, func(g string) bool { return strings.HasPrefix(w, g) }) {
		return nil
	}
	m := l.names.reference.FindStringSubmatchIndex(s[at:])
	if m == nil {
		return nil
	}
	re, r := l.names.reference, &reference{rest: strings.HasSuffix(s[:at], "/apis/")}
	for i, name := range re.SubexpNames() {
		if name != "group" && name != "dashed" && name != "joined" || m[2*i] < 0 {
			continue
		}
		g := s[at+m[2*i] : at+m[2*i+1]]
		if r.site.Group = l.names.groups[g]; name == "group" && !ends(s[at+m[2*i+1]:]) && !ofJava.MatchString(s[at+m[2*i+1]:]) || name != "dashed" && strings.HasSuffix(s[:at], "-") && !strings.HasSuffix(s[:at], ":-") {
			return nil
		}
	}
	for i, name := range re.SubexpNames() {
		if i > 0 && m[2*i] >= 0 && !r.part(l, name, s[at:], m[2*i], m[2*i+1]) {
			return nil
		}
	}
	r.text = s[at : at+r.parts[len(r.parts)-1].end]
	return r
}

// part takes in one part of a reference whose group is known; false where it is none after all.
func (r *reference) part(l *lexicon, name, s string, from, end int) bool {
	w, known := s[from:end], func(plural string) bool {
		return l.table.RulesOf(r.site.Group).KindNamed(plural) != "" || len(l.usual(rules.GVK{Group: r.site.Group, Plural: plural})) > 0
	}
	var as func(to rules.GVK) string
	switch {
	case name == "group":
		as = func(to rules.GVK) string { return to.Group }
	case name == "dashed":
		as = func(to rules.GVK) string { return dashed(to.Group) }
	case name == "joined":
		as = func(to rules.GVK) string { return joined(to.Group) }
	case name == "version" && r.site.Version == "" && isVersion(w):
		r.site.Version, as = w, func(to rules.GVK) string { return to.Version }
	case name == "kind" && r.site.Kind == "" && r.site.Plural == "": // else the name of an object
		r.site.Kind, as = w, func(to rules.GVK) string { return to.Kind }
	case name == "plural":
		if (w[0] == 'm' || w[0] == 'v') && !known(w) && known(w[1:]) { // of a webhook
			from, w = from+1, w[1:]
		}
		r.site.Plural, as = w, func(to rules.GVK) string { return to.Plural }
	case name == "file" && r.site.Plural == "" && known(w):
		r.site.Plural, as = w, func(to rules.GVK) string { return to.Plural }
	case name == "prefix": // of a key or a path
		return r.rest || known(w) || r.site.Plural != "" || r.site.Kind != ""
	case name == "low":
		i := slices.IndexFunc(l.table.RulesOf(r.site.Group).Kinds(), func(k string) bool { return strings.ToLower(k) == w })
		if i < 0 {
			return true
		}
		r.site.Kind, as = l.table.RulesOf(r.site.Group).Kinds()[i], func(to rules.GVK) string { return strings.ToLower(to.Kind) }
	default:
		return true
	}
	r.parts = append(r.parts, part{from, end, as})
	return true
}

// ofJava is how the name of the file of a CRD goes on that the generator for Java writes.
var ofJava = lazyregexp.New(`^-v1(beta1)?\.ya?ml`)

// run is the number of letters and digits that a text begins with.
func run(s string) int {
	n := 0
	for n < len(s) && isLabel(s[n]) {
		n++
	}
	return n
}

func isLabel(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// starts says whether a name may begin at an offset: also after an escape, such as \n.
func starts(s string, i int) bool {
	return isLabel(s[i]) && (i == 0 || !isLabel(s[i-1]) || i > 1 && s[i-2] == '\\')
}

// ends says whether a name may end where a text begins.
func ends(rest string) bool {
	if rest == "" {
		return true
	}
	if rest[0] == '-' {
		return len(rest) == 1 || !isLabel(rest[1])
	}
	return !isLabel(rest[0]) && (rest[0] != '.' || len(rest) == 1 || !isLabel(rest[1]) || rest[1] >= 'A' && rest[1] <= 'Z')
}

// alone says whether a word is not a part of a name with hyphens.
func alone(before, word, after string) bool {
	return word[0] >= 'A' && word[0] <= 'Z' ||
		!strings.HasSuffix(before, "-") && !strings.HasSuffix(before, "_") && !strings.HasPrefix(after, "-") && !strings.HasPrefix(after, "_")
}

// delimited says whether a version is a value of its own, such as that of a flag.
func delimited(before, _, after string) bool {
	tab := strings.HasSuffix(before, "\t")
	before = strings.TrimRight(before, " \t")
	return (tab || before == "" || strings.IndexByte("\"'`=:;,[({-/|>", before[len(before)-1]) >= 0 || strings.HasSuffix(before, "version")) &&
		(after == "" || strings.IndexByte("\"'`;,])}/ \r\t|<&\\", after[0]) >= 0 || after[0] == '.' && (len(after) == 1 || !isLabel(after[1])))
}

// isVersion says whether a text is an API version: v1, v1beta2.
func isVersion(s string) bool {
	return len(s) > 1 && len(s) < 24 && s[0] == 'v' && rules.APIVersion.MatchString(s)
}

// images are what the rules may make of a reference of which not all may be
// known: each has the parts that the reference has.
func (l *lexicon) images(site rules.GVK) []rules.GVK {
	if list, ok := l.memo[site]; ok {
		return list
	}
	var list []rules.GVK
	for _, at := range l.meanings(site) {
		a := l.table.Ask(at)
		if a.Outcome != rules.Moves {
			continue
		}
		if to := known(site, at, a); to != site && !slices.Contains(list, to) {
			list = append(list, to)
		}
	}
	l.memo[site] = list
	return list
}

// meanings are what a reference may stand for: what it does not name is what the
// rules name.
func (l *lexicon) meanings(site rules.GVK) []rules.GVK {
	if site.Kind == "" && site.Plural != "" {
		site.Kind = l.table.RulesOf(site.Group).KindNamed(site.Plural)
	}
	list := []rules.GVK{site}
	if site.Kind == "" {
		list = l.usual(site)
		site.Plural = ""
		list = append(list, site, rules.GVK{Group: site.Group, Version: site.Version, Kind: "a kind that no rule names"})
	}
	add := func(kind, version string) {
		at := site
		at.Kind, at.Version = cmp.Or(at.Kind, kind), cmp.Or(at.Version, version)
		if !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	for _, r := range l.table.RulesOf(site.Group) {
		add(r.From.Kind, r.From.Version)
		add(r.From.Kind, "a version that no rule names")
		for _, version := range l.names.later[site.Group] {
			add(r.From.Kind, version)
		}
	}
	return list
}

// usual are what a resource may be that no rule names: the kinds with this usual plural, which have
// another one in their rules, and those of which the tree says that they have it.
func (l *lexicon) usual(site rules.GVK) (list []rules.GVK) {
	for _, kind := range l.table.RulesOf(site.Group).Kinds() {
		if slices.Contains(l.opts.plurals(site.Group, kind), site.Plural) {
			site.Kind = kind
			list = append(list, site)
		}
	}
	return list
}

// known keeps the parts of an answer that the reference has. A resource may be
// spelled in the singular, unless that is its plural too.
func known(site, at rules.GVK, a rules.Answer) rules.GVK {
	to := a.To
	out := rules.GVK{Group: to.Group, Plural: site.Plural}
	if site.Version != "" {
		out.Version = to.Version
	}
	if site.Kind != "" {
		out.Kind = to.Kind
	}
	switch {
	case site.Plural == "" || at.Kind == "" || to.Kind == at.Kind && to.Plural == at.Plural:
	case site.Plural == strings.ToLower(at.Kind) && site.Plural != a.Rule.From.Plural:
		out.Plural = strings.ToLower(to.Kind)
	case to.Plural != "" && at.Plural != "":
		out.Plural = to.Plural
	}
	return out
}

// allows says whether a reference may become another one.
func (l *lexicon) allows(old, fresh rules.GVK) bool {
	return old == fresh || slices.Contains(l.images(old), fresh)
}
