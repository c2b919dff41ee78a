package find

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A Shape is what the characters right around a group spell.
type Shape int

// The shapes, each with what it looks like.
const (
	Bare             Shape = iota // mcad.ibm.com
	GroupVersion                  // mcad.ibm.com/v1beta1
	GroupVersionKind              // mcad.ibm.com/v1beta1/AppWrapper; also "…, Kind=AppWrapper"
	GroupKind                     // mcad.ibm.com/AppWrapper
	GroupKindUnder                // mcad.ibm.com_AppWrapper (Argo CD)
	GroupResource                 // mcad.ibm.com/appwrappers
	Resource                      // appwrappers.mcad.ibm.com, appwrappers.v1beta1.mcad.ibm.com, AppWrapper.v1beta1.mcad.ibm.com
	FileName                      // mcad.ibm.com_appwrappers.yaml, mcad.ibm.com_v1beta1_appwrapper.yaml
	Key                           // appwrapper.mcad.ibm.com, mcad.ibm.com/name: looks like a label key
	Longer                        // part of a longer domain: github.ibm.com, mcad.ibm.com.example.org
	Email                         // someone@mcad.ibm.com
	URLHost                       // https://mcad.ibm.com/...
	PathPiece                     // a/b/mcad.ibm.com/c: part of a path
	Anchor                        // #mcad.ibm.com/v1beta1.AppWrapper: a link into an API reference
)

// A Token is one occurrence of a group with what stands right around it. All
// spans are in the view.
type Token struct {
	Group  source.Span
	Word   source.Span // the whole run that the shape covers
	Shape  Shape
	Known  rules.GVK   // what the run tells
	Ver    source.Span // the version in it, empty when there is none
	Kind   source.Span // the kind or plural in it
	Prefix string      // labels before the group: "appwrapper" of appwrapper.mcad.ibm.com
}

// first is the labels before the group.
func (t Token) first() source.Span {
	return source.Span{Start: t.Word.Start, End: t.Word.Start + len(t.Prefix)}
}

// IsWord says whether nothing around a name marks it as a group.
func (t Token) IsWord() bool {
	return anyOf([]Shape{Bare, Key, Longer, PathPiece, FileName}, t.Shape)
}

// mayBeGroup says whether a longer name may be that of a group of its own.
func (t Token) mayBeGroup() bool {
	return t.Word.End == t.Group.End && t.Known.Kind == "" && t.Ver.Len() == 0
}

// isAPI says whether a name is a kind in a version of a group, as OLM lists the
// APIs of operators: AppWrapper.v1beta1.mcad.ibm.com.
func (t Token) isAPI() bool { return t.Known.Kind != "" && t.Ver.Len() > 0 && t.Shape == Resource }

// isKind says whether a name is a kind of a group: AppWrapper.mcad.ibm.com.
// Source: apimachinery, schema.GroupKind.String.
func (t Token) isKind() bool {
	return t.Known.Kind != "" && t.Ver.Len() == 0 && t.Shape == Resource && t.Prefix == t.Known.Kind
}

// noKind says whether a name is not spelled as a kind of a group, as no key is.
func noKind(p *spot) bool { return !p.tok.isKind() }

// IsFile says whether it is the name of a file that is named after the group.
func (t Token) IsFile() bool { return t.Shape == FileName && t.Word.Start == 0 }

// Tokens finds every occurrence of a group in data, in order.
func (r *Names) Tokens(data []byte) []Token {
	var found []Token
	seek := r.seek.in(data)
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
		at = max(t.Group.End, i+1)
	}
	return found
}

// tokenAt reads the token whose group ends the dotted name around offset at.
func (r *Names) tokenAt(data []byte, at int) (Token, bool) {
	start := at
	for start > max(0, at-text.LongestName) && (text.IsWordByte(data[start-1]) || data[start-1] == '.') {
		start--
	}
	for start < at && data[start] == '.' {
		start++
	}
	start += colourEnd(data, start)
	if v := verb.Find(data[max(0, start-1):at]); v != nil && start > 0 {
		start += len(v) - 1
	}
	start = max(start, behindUnset(data, start, at))
	for start < at && data[start] == '-' {
		start++
	}
	end := at
	for end < min(len(data), at+text.LongestName) && (text.IsWordByte(data[end]) || data[end] == '.' && end+1 < len(data) && text.IsWordByte(data[end+1])) {
		end++
	}
	if role := roleBehind.FindIndex(data[at:end]); role != nil {
		end = at + role[0]
	}
	if bytes.HasSuffix(data[start:end], []byte(".json")) && objectsBefore.Match(data[max(0, start-text.Nearby):start]) {
		end -= len(".json") // the file of a CRD
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
			return Token{}, false
		}
		i := start + strings.Index(name[at-start:], g) + at - start
		return Token{Group: source.Span{Start: i, End: i + len(g)}, Word: source.Span{Start: start, End: end}, Shape: Longer, Known: rules.GVK{Group: g}}, true
	}
	t := Token{
		Group: source.Span{Start: end - len(group), End: end},
		Word:  source.Span{Start: start, End: end}, Prefix: prefix, Known: rules.GVK{Group: group},
	}
	r.shapeOf(data, &t)
	if taken(data, t) {
		t.Word.End--
	}
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

// behindUnset is where the value of a variable begins that is not set, ${NAME-VALUE}, in a word that
// is read from start on; 0 in any other.
// Source: POSIX, shell command language, parameter expansion.
func behindUnset(data []byte, start, at int) int {
	if bytes.IndexByte(data[start:at], '-') < 0 {
		return 0
	}
	from := max(0, start-text.LongestName)
	open := bytes.LastIndex(data[from:at], []byte("${"))
	if open < 0 {
		return 0
	}
	return from + open + len(unset.Find(data[from+open:at]))
}

var unset = lazyregexp.New(`^\$\{[A-Za-z_]\w*-`)

// verb is what a text that is formatted has for a label of a name.
var verb = lazyregexp.New(`^%[svq]\.`)

const colourLength = 24

var (
	colourBefore = lazyregexp.New(`(\x1b|\\(033|e|E|x1[bB]|u001[bB]))\[([0-9]*;)*$`)
	colourRest   = lazyregexp.New(`^[0-9]*m`)
)

// split takes a dotted name apart into the longest group that ends it, and
// the labels before. The domain of a key counts where a slash stands behind.
func (r *Names) split(name string, slash bool) (group, prefix string, ok bool) {
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
func (r *Names) inside(name string, from int) string {
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
func (r *Names) shapeOf(data []byte, t *Token) {
	if t.Word.Start > 0 {
		switch c := data[t.Word.Start-1]; {
		case c == '@':
			t.Shape = Email
			return
		case c == '/' && bytes.HasSuffix(data[:t.Word.Start], []byte("://")):
			t.Shape = URLHost
			return
		}
	}
	rest := data[t.Group.End:]
	if r.ofAnother(t, data) {
		t.Shape = Longer
		return
	}
	if t.joinedByTildes(data) {
		return
	}
	if len(rest) > 2 && rest[0] == '~' && rest[1] == '1' && text.IsWordByte(rest[2]) { // the slash of a JSON pointer
		t.Shape, t.Word.End = Key, segmentAt(data, t.Group.End+2).End
		return
	}
	if len(rest) > 2 && rest[0] == '_' && rest[1] >= 'A' && rest[1] <= 'Z' {
		r.underscored(data, t) // resource.customizations.health.mcad.ibm.com_AppWrapper
		return
	}
	if t.Prefix != "" {
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

// joinedByTildes reads mcad.ibm.com~v1beta1~AppWrapper, a kind as the console of
// OpenShift refers to it; a variable may stand for the kind.
// Source: openshift/console, packages/console-dynamic-plugin-sdk (K8sResourceKindReference).
func (t *Token) joinedByTildes(data []byte) bool {
	m := versionInTildes.FindSubmatchIndex(data[t.Group.End:min(len(data), t.Group.End+text.LongestName)])
	if m == nil {
		return false
	}
	if t.Prefix != "" {
		t.Shape = Longer // another group
		return true
	}
	t.Shape, t.Ver = GroupVersion, source.Span{Start: t.Group.End + m[2], End: t.Group.End + m[3]}
	t.Known.Version, t.Word.End = string(t.Ver.Of(data)), t.Ver.End
	if kind := (source.Span{Start: t.Group.End + m[4], End: t.Group.End + m[5]}); kind.Len() > 0 {
		t.Shape, t.Known.Kind, t.Kind, t.Word.End = GroupVersionKind, string(kind.Of(data)), kind, kind.End
	}
	return true
}

var versionInTildes = lazyregexp.New(`^~(v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?)~([A-Z][A-Za-z0-9]*)?`)

// prefixed reads appwrappers.mcad.ibm.com and its longer forms.
func (r *Names) prefixed(t *Token, rest []byte) {
	labels := strings.Split(t.Prefix, ".")
	t.Shape = Key
	if len(labels) == 1 && rules.APIVersion.MatchString(labels[0]) { // the name of an APIService
		t.Known.Version, t.Shape = labels[0], Resource
		t.Ver = source.Span{Start: t.Word.Start, End: t.Word.Start + len(labels[0])}
		return
	}
	if len(labels) > 2 || len(labels) == 2 && !rules.APIVersion.MatchString(labels[1]) {
		t.Shape = Longer
		return
	}
	first := source.Span{Start: t.Word.Start, End: t.Word.Start + len(labels[0])}
	if len(labels) == 2 {
		t.Known.Version = labels[1]
		t.Ver = source.Span{Start: first.End + 1, End: first.End + 1 + len(labels[1])}
	}
	if kind, ok := r.Singular(t.Known.Group, labels[0]); ok && len(labels) == 2 { // appwrapper.v1beta1.mcad.ibm.com/x
		t.Known.Kind, t.Kind, t.Shape = kind, first, Resource
		return
	}
	if len(rest) > 1 && rest[0] == '/' && text.IsWordByte(rest[1]) && !r.knows(t.Known.Group, labels[0]) {
		seg := segmentAt(rest, 1)
		if len(labels) == 1 && rules.APIVersion.Match(seg.Of(rest)) { // another group: config.mcad.ibm.com/v1
			t.Shape = Longer
			return
		}
		t.Word.End += 1 + seg.Len() // a key with a name: appwrapper.mcad.ibm.com/appwrapper-name
		return
	}
	switch {
	case rules.KindName.MatchString(labels[0]):
		t.Known.Kind, t.Kind, t.Shape = labels[0], first, Resource
	case r.knows(t.Known.Group, labels[0]) || t.Known.Version != "":
		t.Known.Plural, t.Kind, t.Shape = labels[0], first, Resource
	}
	if len(rest) > 1 && rest[0] == '/' && t.Shape == Resource && t.Ver.Len() == 0 {
		if seg := segmentAt(rest, 1); rules.APIVersion.Match(seg.Of(rest)) { // kubectl get appwrappers.mcad.ibm.com/v1beta1
			t.Known.Version = string(seg.Of(rest))
			t.Ver = source.Span{Start: t.Group.End + seg.Start, End: t.Group.End + seg.End}
			t.Word.End = t.Ver.End
		}
	}
}

// ofAnother says whether what follows a name that is spelled like a resource of
// the group tells that it is a group of its own: a version, a kind, or the
// resource that a file is named after. For a command it may be the resource of a
// version.
func (r *Names) ofAnother(t *Token, data []byte) bool {
	rest := data[t.Group.End:]
	name := t.Prefix[strings.LastIndexByte(t.Prefix, '.')+1:]
	if !r.knows(t.Known.Group, name) || len(rest) < 2 || !text.IsWordByte(rest[1]) {
		return false
	}
	seg := segmentAt(rest, 1).Of(rest)
	switch {
	case rest[0] == '_':
		return true
	case rest[0] == '/' && rules.APIVersion.Match(seg):
		return !kubectlBefore.Match(beforeOnLine(data, t.Word))
	}
	return rest[0] == '/' && rules.KindName.Match(seg)
}

// slashed reads mcad.ibm.com/v1beta1 and its longer forms. skip is the length
// of the slash.
func (r *Names) slashed(data []byte, t *Token, skip int) {
	at := t.Group.End + skip
	seg := segmentAt(data, at)
	if rest := data[at:]; bytes.HasPrefix(rest, []byte("*/")) { // any version, as policies name it
		if k := segmentAt(data, at+2); rules.KindName.Match(k.Of(data)) {
			t.Shape, t.Known.Kind, t.Kind, t.Word.End = GroupVersionKind, string(k.Of(data)), k, k.End
			return
		}
	}
	switch text := string(seg.Of(data)); {
	case rules.APIVersion.MatchString(text):
		t.Shape, t.Known.Version, t.Ver = GroupVersion, text, seg
		t.Word.End = seg.End
		next := data[seg.End:]
		if len(next) > 1 && next[0] == '/' {
			if k := segmentAt(data, seg.End+1); rules.KindName.Match(k.Of(data)) {
				t.Shape, t.Known.Kind, t.Kind, t.Word.End = GroupVersionKind, string(k.Of(data)), k, k.End
			}
		} else if bytes.HasPrefix(next, []byte(", Kind=")) {
			k := segmentAt(data, seg.End+len(", Kind="))
			t.Shape, t.Known.Kind, t.Kind, t.Word.End = GroupVersionKind, string(k.Of(data)), k, k.End
		} else if bytes.HasPrefix(next, []byte(", Resource=")) {
			k := segmentAt(data, seg.End+len(", Resource="))
			t.Shape, t.Known.Plural, t.Kind, t.Word.End = GroupVersionKind, string(k.Of(data)), k, k.End
		}
	case versionKind.MatchString(text) && (anchored(data, t) || t.Word.Start == 0 || data[t.Word.Start-1] != '#'): // as documents and logs name a kind, too
		dot := seg.Start + strings.IndexByte(text, '.')
		t.Ver, t.Kind = source.Span{Start: seg.Start, End: dot}, source.Span{Start: dot + 1, End: seg.End}
		t.Shape, t.Known.Version, t.Known.Kind, t.Word.End = GroupVersionKind, string(t.Ver.Of(data)), string(t.Kind.Of(data)), seg.End
		if anchored(data, t) {
			t.Shape = Anchor
		}
	case rules.KindName.MatchString(text):
		t.Shape, t.Known.Kind, t.Kind, t.Word.End = GroupKind, text, seg, seg.End
	case r.knows(t.Known.Group, text):
		t.Shape, t.Known.Plural, t.Kind, t.Word.End = GroupResource, text, seg, seg.End
	default:
		t.Shape, t.Word.End = Key, seg.End
	}
}

// taken says whether a key is followed by the "-" of kubectl label x KEY-, which
// takes the key away and is no part of it.
func taken(data []byte, t Token) bool {
	return t.Shape == Key && t.Word.End > t.Group.End+1 && data[t.Word.End-1] == '-' &&
		labelCommand.Match(beforeOnLine(data, t.Word))
}

// versionKind is what stands behind the group in the anchor of a kind in an API
// reference: #mcad.ibm.com/v1beta1.AppWrapper.
var versionKind = lazyregexp.New(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?\.[A-Z][A-Za-z0-9]*$`)

// anchored says whether a token is the anchor of a link, or the place that it
// leads to. A link of HTML within its page leads to one that stands there, or is
// its generator's.
func anchored(data []byte, t *Token) bool {
	before := data[:t.Word.Start]
	if bytes.HasSuffix(before, []byte(`="#`)) {
		return bytes.Contains(data[:min(len(data), farthestAnchor)], []byte(`="`+t.Known.Group+"/"))
	}
	return anchorBefore.Match(before)
}

// farthestAnchor is how far into a page its anchors are looked for, in bytes.
const farthestAnchor = 256 << 10

// anchorBefore is what stands before an anchor, and before the place in HTML.
var anchorBefore = text.Tail(8, `#$|\b(id|name)=["']$`)

// segmentAt is the run of name characters at an offset.
func segmentAt(data []byte, at int) source.Span {
	end := at
	for end < min(len(data), at+text.LongestName) && (text.IsWordByte(data[end]) || (data[end] == '_' || data[end] == '.') && end+1 < len(data) && text.IsWordByte(data[end+1])) {
		end++
	}
	return source.Span{Start: at, End: end}
}

// underscored reads mcad.ibm.com_appwrappers.yaml and mcad.ibm.com_AppWrapper.
func (r *Names) underscored(data []byte, t *Token) {
	seg := segmentAt(data, t.Group.End+1)
	content := string(seg.Of(data))
	if rules.KindName.MatchString(content) {
		t.Shape, t.Known.Kind, t.Kind, t.Word.End = GroupKindUnder, content, seg, seg.End
		return
	}
	t.Shape, t.Word.End = FileName, seg.End
	for t.Word.End+1 < min(len(data), t.Word.Start+2*text.LongestName) && data[t.Word.End] == '.' && text.IsWordByte(data[t.Word.End+1]) {
		t.Word.End = segmentAt(data, t.Word.End+1).End
	}
}

// KindTo is what the name in a token becomes: a kind, its singular, or the name
// of its resource; "" where that is not told.
func (t Token) KindTo(data []byte, to rules.GVK) string {
	switch name := string(t.Kind.Of(data)); {
	case name == t.Known.Plural:
		return to.Plural
	case name != t.Known.Kind && name == strings.ToLower(t.Known.Kind):
		return strings.ToLower(to.Kind)
	}
	return to.Kind
}

// Spell is the new spelling of a token's run, for a verdict that moves it.
// Only what the run tells is replaced.
func (t Token) Spell(data []byte, to rules.GVK) string {
	var b strings.Builder
	at := t.Word.Start
	type part struct {
		span source.Span
		text string
	}
	parts := []part{{t.Group, to.Group}}
	if t.Ver.Len() > 0 && to.Version != "" {
		parts = append(parts, part{t.Ver, to.Version})
	}
	if name := t.KindTo(data, to); t.Kind.Len() > 0 && name != "" {
		parts = append(parts, part{t.Kind, name})
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
	b.Write(data[at:t.Word.End])
	return b.String()
}
