package migrate

import (
	"bytes"
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A shape is what the characters right around a group spell.
type shape int

const (
	bare      shape = iota // mcad.ibm.com
	gv                     // mcad.ibm.com/v1beta1
	gvk                    // mcad.ibm.com/v1beta1/AppWrapper; also "…, Kind=AppWrapper"
	gk                     // mcad.ibm.com/AppWrapper
	gkUnder                // mcad.ibm.com_AppWrapper (Argo CD)
	gr                     // mcad.ibm.com/appwrappers
	resource               // appwrappers.mcad.ibm.com, appwrappers.v1beta1.mcad.ibm.com, AppWrapper.v1beta1.mcad.ibm.com
	fileName               // mcad.ibm.com_appwrappers.yaml, mcad.ibm.com_v1beta1_appwrapper.yaml
	key                    // appwrapper.mcad.ibm.com, mcad.ibm.com/name: looks like a label key
	longer                 // part of a longer domain: github.ibm.com, mcad.ibm.com.example.org
	email                  // someone@mcad.ibm.com
	urlHost                // https://mcad.ibm.com/...
	pathPiece              // a/b/mcad.ibm.com/c: part of a path
	anchor                 // #mcad.ibm.com/v1beta1.AppWrapper: a link into an API reference
)

// A token is one occurrence of a group with what stands right around it. All
// spans are in the view.
type token struct {
	group  source.Span
	word   source.Span // the whole run that the shape covers
	shape  shape
	site   rules.GVK   // what the run tells
	ver    source.Span // the version in it, empty when there is none
	kind   source.Span // the kind or plural in it
	prefix string      // labels before the group: "appwrapper" of appwrapper.mcad.ibm.com
}

// tokens finds every occurrence of a group in data, in order.
func (r *lexicon) tokens(f needles, data []byte) []token {
	var found []token
	seek := f.in(data)
	for at := 0; at < len(data); {
		i := seek.from(at)
		if i < 0 {
			break
		}
		t, ok := r.tokenAt(data, i)
		if !ok {
			at = i + 1
			continue
		}
		found = append(found, t)
		at = max(t.group.End, i+1)
	}
	return found
}

// tokenAt reads the token whose group ends the dotted name around offset at.
func (r *lexicon) tokenAt(data []byte, at int) (token, bool) {
	start := at
	for start > max(0, at-text.LongestName) && (text.IsWordByte(data[start-1]) || data[start-1] == '.') {
		start--
	}
	for start < at && data[start] == '.' {
		start++
	}
	start += colourEnd(data, start)
	for start < at && data[start] == '-' {
		start++
	}
	end := at
	for end < min(len(data), at+text.LongestName) && (text.IsWordByte(data[end]) || data[end] == '.' && end+1 < len(data) && text.IsWordByte(data[end+1])) {
		end++
	}
	for end > at && data[end-1] == '-' { // of a name that another program goes on with
		end--
	}
	name := string(data[start:end])
	group, prefix, ok := r.split(name, end < len(data) && data[end] == '/')
	if !ok {
		// Not a group, but perhaps one inside of a longer name: it is reported as such.
		g := r.inside(name, at-start)
		if g == "" {
			return token{}, false
		}
		i := start + strings.Index(name[at-start:], g) + at - start
		return token{group: source.Span{Start: i, End: i + len(g)}, word: source.Span{Start: start, End: end}, shape: longer, site: rules.GVK{Group: g}}, true
	}
	t := token{
		group: source.Span{Start: end - len(group), End: end},
		word:  source.Span{Start: start, End: end}, prefix: prefix, site: rules.GVK{Group: group},
	}
	r.shapeOf(data, &t)
	return t, true
}

// colourEnd is how much of a word belongs to the escape sequence of a terminal
// before it: the "31m" of ESC[31m, raw or as programs spell it.
func colourEnd(data []byte, start int) int {
	if before := data[max(0, start-colourLength):start]; !colourBefore.Match(before) {
		return 0
	}
	return len(colourRest.Find(data[start:min(len(data), start+colourLength)]))
}

const colourLength = 24

var (
	colourBefore = regexp.MustCompile(`(\x1b|\\(033|e|E|x1[bB]|u001[bB]))\[([0-9]*;)*$`)
	colourRest   = regexp.MustCompile(`^[0-9]*m`)
)

// split takes a dotted name apart into the longest group that ends it, and
// the labels before. The domain of a key counts where a slash stands behind.
func (r *lexicon) split(name string, slash bool) (group, prefix string, ok bool) {
	for i := 0; ; {
		if r.names[name[i:]] && (slash || !r.domains[name[i:]]) {
			return name[i:], strings.TrimSuffix(name[:i], "."), true
		}
		j := strings.IndexByte(name[i:], '.')
		if j < 0 {
			return "", "", false
		}
		i += j + 1
	}
}

// inside finds a group, at label boundaries, that a longer name contains at
// or behind an offset.
func (r *lexicon) inside(name string, from int) string {
	for _, g := range r.longest {
		i := strings.Index(name[from:], g)
		if i < 0 || !strings.Contains(g, ".") {
			continue
		}
		i += from
		before := i == 0 || name[i-1] == '.'
		after := i+len(g) == len(name) || name[i+len(g)] == '.'
		if before && after {
			return g
		}
	}
	return ""
}

// shapeOf reads what stands around the dotted name.
func (r *lexicon) shapeOf(data []byte, t *token) {
	if t.word.Start > 0 {
		switch c := data[t.word.Start-1]; {
		case c == '@':
			t.shape = email
			return
		case c == '/' && bytes.HasSuffix(data[:t.word.Start], []byte("://")):
			t.shape = urlHost
			return
		}
	}
	rest := data[t.group.End:]
	if len(rest) > 2 && rest[0] == '_' && rest[1] >= 'A' && rest[1] <= 'Z' {
		r.underscored(data, t) // resource.customizations.health.mcad.ibm.com_AppWrapper
		return
	}
	if t.prefix != "" {
		r.prefixed(t, rest)
		return
	}
	switch {
	case len(rest) > 1 && rest[0] == '/':
		r.slashed(data, t, 1)
	case len(rest) > 2 && rest[0] == '\\' && rest[1] == '/':
		r.slashed(data, t, 2) // JSON may escape the slash
	case len(rest) > 1 && rest[0] == '_' && text.IsWordByte(rest[1]):
		r.underscored(data, t)
	}
}

// prefixed reads appwrappers.mcad.ibm.com and its longer forms.
func (r *lexicon) prefixed(t *token, rest []byte) {
	labels := strings.Split(t.prefix, ".")
	t.shape = key
	if len(labels) == 1 && rules.APIVersion.MatchString(labels[0]) { // the name of an APIService
		t.site.Version, t.shape = labels[0], resource
		t.ver = source.Span{Start: t.word.Start, End: t.word.Start + len(labels[0])}
		return
	}
	if len(labels) > 2 || len(labels) == 2 && !rules.APIVersion.MatchString(labels[1]) {
		t.shape = longer
		return
	}
	first := source.Span{Start: t.word.Start, End: t.word.Start + len(labels[0])}
	if len(labels) == 2 {
		t.site.Version = labels[1]
		t.ver = source.Span{Start: first.End + 1, End: first.End + 1 + len(labels[1])}
	}
	if len(rest) > 1 && rest[0] == '/' && text.IsWordByte(rest[1]) && !r.knows(t.site.Group, labels[0]) {
		t.word.End += 1 + segmentAt(rest, 1).Len() // a key with a name: appwrapper.mcad.ibm.com/appwrapper-name
		return
	}
	switch {
	case rules.KindName.MatchString(labels[0]):
		t.site.Kind, t.kind, t.shape = labels[0], first, resource
	case r.knows(t.site.Group, labels[0]) || t.site.Version != "":
		t.site.Plural, t.kind, t.shape = labels[0], first, resource
	}
	if len(rest) > 1 && rest[0] == '/' && t.shape == resource && t.ver.Len() == 0 {
		if seg := segmentAt(rest, 1); rules.APIVersion.Match(seg.Of(rest)) { // appwrappers.mcad.ibm.com/v1beta1
			t.site.Version = string(seg.Of(rest))
			t.ver = source.Span{Start: t.group.End + seg.Start, End: t.group.End + seg.End}
			t.word.End = t.ver.End
		}
	}
}

// knows says whether plural is a resource of the group that the rules name.
func (r *lexicon) knows(group, plural string) bool {
	return r.plurals[group][plural]
}

// singular says whether name is the singular of a kind of the group.
func (r *lexicon) singular(group, name string) (kind string, ok bool) {
	kind, ok = r.singulars[group][name]
	return kind, ok
}

// slashed reads mcad.ibm.com/v1beta1 and its longer forms. skip is the length
// of the slash.
func (r *lexicon) slashed(data []byte, t *token, skip int) {
	at := t.group.End + skip
	seg := segmentAt(data, at)
	switch text := string(seg.Of(data)); {
	case rules.APIVersion.MatchString(text):
		t.shape, t.site.Version, t.ver = gv, text, seg
		t.word.End = seg.End
		next := data[seg.End:]
		if len(next) > 1 && next[0] == '/' {
			if k := segmentAt(data, seg.End+1); rules.KindName.Match(k.Of(data)) {
				t.shape, t.site.Kind, t.kind, t.word.End = gvk, string(k.Of(data)), k, k.End
			}
		} else if bytes.HasPrefix(next, []byte(", Kind=")) {
			k := segmentAt(data, seg.End+len(", Kind="))
			t.shape, t.site.Kind, t.kind, t.word.End = gvk, string(k.Of(data)), k, k.End
		} else if bytes.HasPrefix(next, []byte(", Resource=")) {
			k := segmentAt(data, seg.End+len(", Resource="))
			t.shape, t.site.Plural, t.kind, t.word.End = gvk, string(k.Of(data)), k, k.End
		}
	case anchored(data, t) && versionKind.MatchString(text):
		dot := seg.Start + strings.IndexByte(text, '.')
		t.ver, t.kind = source.Span{Start: seg.Start, End: dot}, source.Span{Start: dot + 1, End: seg.End}
		t.shape, t.site.Version, t.site.Kind, t.word.End = anchor, string(t.ver.Of(data)), string(t.kind.Of(data)), seg.End
	case rules.KindName.MatchString(text):
		t.shape, t.site.Kind, t.kind, t.word.End = gk, text, seg, seg.End
	case r.knows(t.site.Group, text):
		t.shape, t.site.Plural, t.kind, t.word.End = gr, text, seg, seg.End
	default:
		t.shape, t.word.End = key, seg.End
	}
}

// versionKind is what stands behind the group in the anchor of a kind in an API
// reference: #mcad.ibm.com/v1beta1.AppWrapper.
var versionKind = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?\.[A-Z][A-Za-z0-9]*$`)

// anchored says whether a token is the anchor of a link. The links of HTML
// within one page are left to its generator.
func anchored(data []byte, t *token) bool {
	return t.word.Start > 0 && data[t.word.Start-1] == '#' && !bytes.HasSuffix(data[:t.word.Start], []byte(`="#`))
}

// segmentAt is the run of name characters at an offset.
func segmentAt(data []byte, at int) source.Span {
	end := at
	for end < min(len(data), at+text.LongestName) && (text.IsWordByte(data[end]) || (data[end] == '_' || data[end] == '.') && end+1 < len(data) && text.IsWordByte(data[end+1])) {
		end++
	}
	return source.Span{Start: at, End: end}
}

// underscored reads mcad.ibm.com_appwrappers.yaml and mcad.ibm.com_AppWrapper.
func (r *lexicon) underscored(data []byte, t *token) {
	seg := segmentAt(data, t.group.End+1)
	content := string(seg.Of(data))
	if rules.KindName.MatchString(content) {
		t.shape, t.site.Kind, t.kind, t.word.End = gkUnder, content, seg, seg.End
		return
	}
	t.shape, t.word.End = fileName, seg.End
	for t.word.End+1 < min(len(data), t.word.Start+2*text.LongestName) && data[t.word.End] == '.' && text.IsWordByte(data[t.word.End+1]) {
		t.word.End = segmentAt(data, t.word.End+1).End
	}
}

// kindTo is what the name in a token becomes: a kind, its singular, or the name
// of its resource; "" where that is not told.
func (t token) kindTo(data []byte, to rules.GVK) string {
	switch name := string(t.kind.Of(data)); {
	case name == t.site.Plural:
		return to.Plural
	case name != t.site.Kind && name == strings.ToLower(t.site.Kind):
		return strings.ToLower(to.Kind)
	}
	return to.Kind
}

// spell is the new spelling of a token's run, for a verdict that moves it.
// Only what the run tells is replaced.
func (t token) spell(data []byte, to rules.GVK) string {
	var b strings.Builder
	at := t.word.Start
	type part struct {
		span source.Span
		text string
	}
	parts := []part{{t.group, to.Group}}
	if t.ver.Len() > 0 && to.Version != "" {
		parts = append(parts, part{t.ver, to.Version})
	}
	if name := t.kindTo(data, to); t.kind.Len() > 0 && name != "" {
		parts = append(parts, part{t.kind, name})
	}
	for len(parts) > 0 {
		first := 0
		for i, p := range parts {
			if p.span.Start < parts[first].span.Start {
				first = i
			}
		}
		p := parts[first]
		parts = append(parts[:first], parts[first+1:]...)
		b.Write(data[at:p.span.Start])
		b.WriteString(p.text)
		at = p.span.End
	}
	b.Write(data[at:t.word.End])
	return b.String()
}

// A lexicon is the names that are looked for, and what tells their kind; it
// knows nothing of what becomes of them.
type lexicon struct {
	names     map[string]bool              // every group, and the domain of every key that moves
	domains   map[string]bool              // of these, the domains of prefixes that are nothing else
	longest   []string                     // names, the longest first
	plurals   map[string]map[string]bool   // group → resource names of its kinds
	singulars map[string]map[string]string // group → kind in lower case → kind
}

// newLexicon is that of the names in rules.
func newLexicon(t *rules.Table) *lexicon {
	l := &lexicon{names: map[string]bool{}, domains: map[string]bool{}, plurals: map[string]map[string]bool{}, singulars: map[string]map[string]string{}}
	exact := map[string]bool{}
	for _, k := range t.Keys() {
		domain, _, _ := strings.Cut(k.From, "/")
		l.names[domain] = true
		l.domains[domain] = l.domains[domain] || strings.HasSuffix(k.From, "/")
		exact[k.From] = exact[k.From] || !strings.HasSuffix(k.From, "/")
	}
	for _, set := range t.Sets() {
		for _, c := range set.Convert {
			if group, _, ok := strings.Cut(c.From, "/"); ok {
				l.names[group] = true
			}
		}
	}
	for _, group := range t.Groups() {
		l.names[group], exact[group] = true, true
		l.plurals[group], l.singulars[group] = pluralTable(t.RulesOf(group)), map[string]string{}
		for _, rule := range t.RulesOf(group) {
			if kind := rule.From.Kind; kind != "" && l.singulars[group][strings.ToLower(kind)] == "" {
				l.singulars[group][strings.ToLower(kind)] = kind
			}
		}
	}
	maps.DeleteFunc(l.domains, func(name string, _ bool) bool { return exact[name] })
	l.longest = slices.SortedFunc(maps.Keys(l.names), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return l
}

// pluralTable are the resource names of the kinds of a group's rules.
func pluralTable(list []rules.Rule) map[string]bool {
	table := map[string]bool{}
	for _, rule := range list {
		switch {
		case rule.From.Plural != "":
			table[rule.From.Plural] = true
		case rule.From.Kind != "":
			for _, p := range rules.Plurals(rule.From.Kind) {
				if p != strings.ToLower(rule.From.Kind) {
					table[p] = true
				}
			}
		}
	}
	return table
}

// wordMarks stand around a group without a dot, such as apps, where it is a
// group: the bare word is in too many files to look for. A group that keeps
// its name is of interest beside a version alone.
func wordMarks(t *rules.Table, group string) []string {
	marks := []string{`"` + group + `"`, `'` + group + `'`, `\"` + group + `\"`}
	moves := false
	for _, rule := range t.RulesOf(group) {
		if rule.From.Version == "" {
			marks = append(marks, group+"/")
		} else {
			marks = append(marks, group+"/"+rule.From.Version, group+`\/`+rule.From.Version, "."+rule.From.Version+"."+group)
		}
		if rule.Removed != "" && rule.From.Plural != "" {
			marks = append(marks, rule.From.Plural)
		}
		moves = moves || rule.To.Group != "" && rule.To.Group != group
	}
	if moves {
		for _, before := range []string{"- ", "[", ", ", ".", "=", ": ", ";"} {
			marks = append(marks, before+group)
		}
	}
	return marks
}

// needles finds the next group name in data.
type needles struct{ list [][]byte }

func newNeedles(groups []string) needles {
	var n needles
	for _, g := range groups {
		covered := false
		for _, h := range groups {
			if h != g && strings.HasSuffix(g, "."+h) {
				covered = true
			}
		}
		if !covered {
			n.list = append(n.list, []byte(g))
		}
	}
	return n
}

// A seeker finds the needles of a text one after the other. It remembers where
// each needle stands next, so that a text is searched once for each of them,
// however many there are.
type seeker struct {
	needles
	data []byte
	next []int // the next place of each needle; len(data) for none
}

func (n needles) in(data []byte) *seeker {
	s := &seeker{needles: n, data: data, next: make([]int, len(n.list))}
	for i := range s.next {
		s.next[i] = -1
	}
	return s
}

// from is the offset of the first needle at or behind an offset, or -1.
// Offsets only grow.
func (s *seeker) from(at int) int {
	best := len(s.data)
	for i, x := range s.list {
		if s.next[i] < at {
			s.next[i] = len(s.data)
			if n := bytes.Index(s.data[at:], x); n >= 0 {
				s.next[i] = at + n
			}
		}
		best = min(best, s.next[i])
	}
	if best == len(s.data) {
		return -1
	}
	return best
}
