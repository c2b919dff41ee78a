package migrate

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A mode is what kind of text a phrase stands in.
type mode int

const (
	inProse   mode = iota // documentation, descriptions
	inComment             // comments in source and manifests
	inCode                // commands, values, unknown text
	inShell               // shell: assignments and quoted words are literals
)

// prose classifies every token of running text.
func (a *analysis) prose(v *text.View, m mode) {
	for _, tok := range a.tokens(a.seek, v.Data) {
		a.phrase(v, tok, m)
	}
}

// phrase classifies a token by what stands around it on its line.
func (a *analysis) phrase(v *text.View, tok token, m mode) {
	around := text.LineAround(v.Data, tok.word)
	left, right := v.Data[around.Start:tok.word.Start], v.Data[tok.word.End:around.End]
	switch tok.shape {
	case email, urlHost, longer:
		a.keep(v, tok, RoleDomain, domainWhy(tok))
		return
	case fileName:
		a.fileRef(v, tok)
		return
	}
	if tok.shape == anchor {
		if a.guesses("pinned-link") && pinned.Match(left[bytes.LastIndexAny(left, " \t\"'`<>()[]")+1:]) {
			a.keep(v, tok, RoleDomain, "a page of one version")
			return
		}
		a.rewrite(v, tok, RoleGroup, rules.GVK{})
		return
	}
	if behindAPIs(left) {
		if !isREST(left, right) {
			a.keep(v, tok, RoleImport, "part of a path")
			return
		}
		a.rewrite(v, tok, RoleREST, rules.GVK{Plural: pathPlural(right)})
		return
	}
	if before := beforeVariable(left, tok); before != nil && wordEnds(right) && kubectlBefore.Match(before) && !bytes.Contains(before, []byte(" -l")) {
		tok.word, tok.shape = tok.group, bare
		a.rewrite(v, tok, RoleResource, rules.GVK{})
		return
	}
	if a.inURL(left) && tok.shape != resource {
		a.keep(v, tok, RoleDomain, "part of a URL")
		return
	}
	if markerAt(left, m) {
		if bytes.HasSuffix(left, []byte("/")) {
			a.keep(v, tok, RoleImport, "part of a path")
			return
		}
		a.marker(v, tok, left, right)
		return
	}
	if ver := a.Ask(tok.site); (tok.shape == bare || tok.shape == gv || tok.shape == gvk) && m != inShell && ver.Outcome == rules.Moves && a.guesses("both-names") && namesBoth(v.Data, tok.word, tok.spell(v.Data, ver.To)) {
		a.keep(v, tok, RoleProse, "its line names the new one as well")
		return
	}
	switch tok.shape {
	case bare:
		a.barePhrase(v, tok, left, right, m)
	case gv:
		a.gvPhrase(v, tok, left, right)
	case gvk, gkUnder:
		a.rewrite(v, tok, RoleGroup, rules.GVK{})
	case gk, gr:
		if a.moveKey(v, tok) {
			return
		}
		if len(right) > 0 && (right[0] == ':' || right[0] == '=') && tok.shape == gr {
			a.keep(v, tok, RoleKey, "looks like a label or annotation key")
			return
		}
		a.rewrite(v, tok, RoleGroup, rules.GVK{})
	case resource:
		a.resourcePhrase(v, tok, left, right)
	default:
		a.keyPhrase(v, tok, left, right)
	}
}

// pinned is a link to a page as it was at one time: of a release, or of a commit.
var pinned = regexp.MustCompile(`/(blob|tree|raw)/|/(v|release-|version-)?[0-9]+\.[0-9]+[^/]*/`)

// inURL says whether the run of characters before a token begins a URL.
func (a *analysis) inURL(left []byte) bool {
	i := bytes.LastIndexAny(left, " \t\"'`<>()[]")
	return bytes.Contains(left[i+1:], []byte("://"))
}

// beforeVariable is the text before a resource whose name is a variable of a
// shell: $1.mcad.ibm.com, ${res}.mcad.ibm.com; nil when it is something else.
func beforeVariable(left []byte, tok token) []byte {
	if tok.shape != bare && tok.shape != key {
		return nil
	}
	if rest, ok := bytes.CutSuffix(left, []byte("$")); ok && tok.prefix != "" && !strings.Contains(tok.prefix, ".") {
		return rest
	}
	rest, ok := bytes.CutSuffix(left, []byte("}."))
	if i := bytes.LastIndex(rest, []byte("${")); ok && i >= 0 && tok.prefix == "" {
		return rest[:i]
	}
	return nil
}

// behindAPIs says whether "apis/" stands right before a token.
func behindAPIs(left []byte) bool {
	return bytes.HasSuffix(left, []byte("apis/")) || bytes.HasSuffix(left, []byte(`apis\/`))
}

var (
	// hostBefore is what stands before "apis/" where it is the root of a server:
	// nothing but a slash, or a host, which a scheme, a port or a variable tells.
	hostBefore = regexp.MustCompile("(^|[\\s\"'`<>()\\[\\],=|])\\\\?/$" + `|://[^\s"']*/$|:[0-9]+\\?/$|(\$[A-Za-z_][A-Za-z0-9_]*|[})%]|%[sv])\\?/$|/proxy\\?/$|^\s*//?$`)
	// resourceBehind is the rest of a path to a resource, not to a package.
	resourceBehind = regexp.MustCompile(`^\\?/(namespaces|watch|[a-z]+)\\?/`)
	rawPath        = regexp.MustCompile(`--raw[= ]["']?$`)
)

// isREST says whether "apis/" before a token is the root of a server's API. The
// packages of API types often have a folder of that name: pkg/apis/GROUP/VERSION.
func isREST(left, right []byte) bool {
	root := bytes.TrimSuffix(bytes.TrimSuffix(left, []byte("/")), []byte(`\`))
	root = root[:len(root)-len("apis")]
	if len(root) == 0 || bytes.IndexByte([]byte(" \t\"'`"), root[len(root)-1]) >= 0 { // a relative path
		return rawPath.Match(root) || resourceBehind.Match(right)
	}
	return hostBefore.Match(root)
}

// pathPlural reads the resource of a REST path from what follows the version.
func pathPlural(right []byte) string {
	if end := bytes.IndexAny(right, " \t\"'`<>()[],;?"); end >= 0 {
		right = right[:end]
	}
	parts := strings.Split(string(right), "/")
	if len(parts) < 2 || parts[0] != "" {
		return ""
	}
	parts = parts[1:]
	if parts[0] == "watch" && len(parts) > 1 {
		parts = parts[1:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	name := parts[0]
	if i := strings.IndexFunc(name, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r == '-' || r >= '0' && r <= '9') }); i >= 0 {
		name = name[:i]
	}
	if rules.PluralName.MatchString(name) && name != "namespaces" {
		return name
	}
	return ""
}

var (
	groupBefore   = regexp.MustCompile(`(?i)group(s|name)?["'\x60]?\)?\s*(:=|[:=]{1,3}|,)\s*(\[?\]?(string|str)?[{(\[])?\s*\\?["'\x60]?$`)
	groupFlag     = regexp.MustCompile(`(?i)--?[a-z-]*group[= ]\s*["']?$`)
	groupWordThen = regexp.MustCompile(`^["'\x60*_]*\s+(v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?\s+)?(API |api |api-)?[Gg]roups?\b`)
	groupWordPre  = regexp.MustCompile(`(?i)\b(api[ -])?groups?:?\s+["'\x60*_(]*$`)
	assignBefore  = regexp.MustCompile(`(^|[\s;&|(])(export\s+|local\s+|readonly\s+|declare\s+(-\w+\s+)?)?[A-Za-z_][A-Za-z0-9_]*\s?[:?+]?=\s*["']?$`)
	kubectlBefore = regexp.MustCompile(`\b(kubectl|oc|k|kubectl\.exe)\b.*\b(get|describe|delete|edit|patch|wait|label|annotate|explain|watch|scale|create|auth|api-resources|can-i|apply|replace)\s+(\S+\s+)*?(\S+,)*$`)
	rowStart      = regexp.MustCompile(`^\s*$`)
	rowRest       = regexp.MustCompile(`^/[a-z0-9.-]+\s{2,}\S`)
	objectDone    = regexp.MustCompile(`^(/\S+| "[^"]*")(\s+\([^)]*\))?\s+(created|configured|unchanged|deleted|patched|labeled|annotated|edited|replaced|scaled|serverside-applied|condition met|pruned|force deleted|not found|already exists|is forbidden|is invalid)\b`)
	labelWords    = regexp.MustCompile(`(?i)(label|annotation|finalizer|selector)`)
	kindAfter     = regexp.MustCompile(`^["'\x60]?[,;]?\s*(?:"?kind"?\s*[:=]\s*)?["'\x60]?([A-Z][A-Za-z0-9]+)`)
	kindLine      = regexp.MustCompile(`(?i)\bkind["']?\s*[:=]\s*["']?([A-Z][A-Za-z0-9]+)`)
)

// barePhrase is a group alone in running text: certain only where a word
// beside it says that it is a group.
func (a *analysis) barePhrase(v *text.View, tok token, left, right []byte, m mode) {
	switch {
	case len(right) > 0 && right[0] == '-', len(left) > 0 && left[len(left)-1] == '-':
		a.keep(v, tok, RoleDomain, "part of a longer name")
	case len(right) > 0 && right[0] == '/' && !bytes.HasPrefix(right, []byte("/{")) && !bytes.HasPrefix(right, []byte("/$")) && !bytes.HasPrefix(right, []byte("/%")):
		if !a.moveKey(v, tok) {
			a.keep(v, tok, RoleKey, "looks like a label or annotation key")
		}
	case len(left) > 0 && left[len(left)-1] == '/' && crdFiles.Match(right):
		a.rewrite(v, tok, RoleCRDFile, rules.GVK{})
	case len(left) > 0 && left[len(left)-1] == '/':
		a.keep(v, tok, RoleDomain, "part of a path")
	case labelWords.Match(left) && !groupBefore.Match(left):
		if !a.moveKey(v, tok) {
			a.keep(v, tok, RoleKey, "on a line about labels, annotations or finalizers")
		}
	case groupBefore.Match(left), groupFlag.Match(left):
		a.withKinds(v, tok, a.rewrite(v, tok, RoleGroup, lineFacts(left, right)))
	case strings.Contains(tok.site.Group, ".") && (groupWordThen.Match(spilled(v.Data, tok.word.End, right)) || groupWordPre.Match(left)):
		a.withKinds(v, tok, a.rewrite(v, tok, RoleGroup, rules.GVK{}))
	case strings.Contains(tok.site.Group, ".") && quotedWord(left, right) && !(a.guesses("past-words") && (speaksOfPast(left) || speaksOfPast(right))):
		a.rewrite(v, tok, RoleGroup, rules.GVK{})
	case m == inShell && strings.Contains(tok.site.Group, ".") && (assignBefore.Match(left) && wordEnds(right) || quoted(left, right)):
		a.rewrite(v, tok, RoleLiteral, rules.GVK{})
	default:
		if !a.moveKey(v, tok) {
			a.keep(v, tok, RoleProse, "a mention in running text")
		}
	}
}

// crdFiles is the rest of a pattern for the files of the CRDs of a group.
var crdFiles = regexp.MustCompile(`^_?\*`)

// pastWords tell that a line speaks of what was, so that the old name belongs there.
var pastWords = regexp.MustCompile(`(?i)\b(was|were|former|formerly|previous|previously|old|older|legacy|deprecated|renamed|moved|migrated?|migrating|instead|originally|historical(ly)?|domain)\b|→|->`)

var dottedName = regexp.MustCompile(`[A-Za-z0-9-]+([./][A-Za-z0-9-]+)+`)

// speaksOfPast says whether text holds such words, outside of names.
func speaksOfPast(text []byte) bool {
	return pastWords.Match(dottedName.ReplaceAll(text, nil))
}

// quotedWord says whether a token is the whole of a word in quotes.
func quotedWord(left, right []byte) bool {
	if len(left) == 0 || len(right) == 0 {
		return false
	}
	q := left[len(left)-1]
	return right[0] == q && (q == '\'' || q == '"' || q == '`')
}

// spilled is the rest of a line, with the line below when the rest is blank:
// a sentence goes on there.
func spilled(data []byte, end int, right []byte) []byte {
	if len(bytes.TrimSpace(right)) > 0 {
		return right
	}
	_, next := text.LineEnd(data, end, len(data))
	text, _ := text.LineEnd(data, next, len(data))
	return append([]byte(" "), bytes.TrimLeft(data[next:text], " \t/#*")...)
}

// lineFacts reads kind, resource and version from the rest of a line such as
// "Group=mcad.ibm.com, Version=v1beta1, Kind=AppWrapper".
func lineFacts(left, right []byte) rules.GVK {
	var g rules.GVK
	for _, side := range [][]byte{right, left} {
		for _, m := range namedWord.FindAllSubmatch(side, -1) {
			value := string(m[2])
			switch name := strings.ToLower(string(m[1])); {
			case name == "version" && g.Version == "" && rules.APIVersion.MatchString(value):
				g.Version = value
			case name == "kind" && g.Kind == "" && rules.KindName.MatchString(value):
				g.Kind = value
			case (name == "resource" || name == "plural") && g.Plural == "" && rules.PluralName.MatchString(value):
				g.Plural = value
			}
		}
	}
	return g
}

var namedWord = regexp.MustCompile(`(?i)\b(version|kind|resource|plural)["']?\s*[:=]\s*["']?([A-Za-z0-9-]+)`)

func wordEnds(right []byte) bool {
	return len(right) == 0 || bytes.IndexByte([]byte(" \t\"'`;)&|"), right[0]) >= 0
}

// quoted says whether a token is the whole of a quoted word.
func quoted(left, right []byte) bool {
	if len(left) == 0 || len(right) == 0 {
		return false
	}
	q := left[len(left)-1]
	return (q == '"' || q == '\'') && right[0] == q
}

// gvPhrase is group/version in running text.
func (a *analysis) gvPhrase(v *text.View, tok token, left, right []byte) {
	if len(left) > 0 && left[len(left)-1] == '/' {
		a.keep(v, tok, RoleImport, "part of a path")
		return
	}
	if len(right) > 0 && right[0] == '/' {
		a.resourcePath(v, tok, right)
		return
	}
	if keyRest.Match(right) && len(bytes.TrimLeft(left, " \t-*#\"'`")) == 0 {
		if !a.moveKey(v, tok) {
			a.keep(v, tok, RoleKey, "looks like a label or annotation key")
		}
		return
	}
	if a.guesses("when-words") && (tellsOfVersions(left) || tellsOfVersions(right)) {
		a.keep(v, tok, RoleProse, "on a line that tells which version was when")
		return
	}
	if !a.namedVersion(tok.site) && !apiVersionBefore.Match(left) {
		a.keep(v, tok, RoleProse, "no rule names this version, and nothing says that it is one")
		return
	}
	facts := rules.GVK{}
	if m := kindAfter.FindSubmatch(right); m != nil && len(a.Homes(string(m[1]))) > 0 {
		facts.Kind = string(m[1])
	} else if kind, span := kindNear(v.Data, tok.word); kind != "" {
		facts.Kind = kind
		ver := a.rewrite(v, tok, RoleAPIVersion, facts)
		if ver.Outcome == rules.Moves {
			a.beside(v, span, RoleKind, ver.Rule, ver.To.Kind)
		}
		return
	}
	a.withKinds(v, tok, a.rewrite(v, tok, RoleAPIVersion, facts))
}

// resourcePath is group/version/name: a resource, when the tree tells of one of
// that name, else part of a path.
func (a *analysis) resourcePath(v *text.View, tok token, right []byte) {
	seg := segmentAt(right, 1)
	site := rules.GVK{Group: tok.site.Group, Version: tok.site.Version, Plural: string(seg.Of(right))}
	ver := a.Ask(site)
	if _, kept := a.kept(v, tok); kept || ver.Outcome != rules.Moves || !rules.PluralName.MatchString(site.Plural) || !wordEnds(right[seg.End:]) || a.isHomeOf(site.Version) {
		a.keep(v, tok, RoleImport, "part of a path")
		return
	}
	if s := a.change(v, tok, RoleImport, ver); s != nil {
		s.Action, s.Why, s.resource = Stay, "part of a path", site.Group+"/"+site.Plural
	}
}

// whenWords tell that a line says which version of an API there was when:
// "for Kubernetes before 1.9 use apps/v1beta2".
var whenWords = regexp.MustCompile(`(?i)\b(deprecated|removed|no longer|formerly|renamed|replaced by|in favou?r of|migrat(e|es|ed|ing)|legacy)\b|→|` +
	`\b(before|prior to|older than|earlier than|until|up to|below|kubernetes|k8s|versions?)\s+((k8s|kubernetes|cluster|versions?|releases?)\s+)*[<>]?=?\s*v?1\.[0-9]+|\b1\.[0-9]+(\.[0-9x]+)?(\+| and (older|earlier|before|below|newer|later|above))`)

func tellsOfVersions(text []byte) bool { return whenWords.Match(dottedVersions.ReplaceAll(text, nil)) }

// dottedVersions are names such as apps/v1, in which no word counts.
var dottedVersions = regexp.MustCompile(`[A-Za-z][A-Za-z0-9.-]*/v[0-9][a-z0-9]*`)

// keyRest is what stands behind the key of a label.
var keyRest = regexp.MustCompile(`^["'\x60]?(=|:\s+["'\x60]?[A-Za-z0-9])`)

// apiVersionBefore is what makes the version of a site certain.
var apiVersionBefore = regexp.MustCompile(`(?i)api[-_]?version["']?\s*[:=]\s*["'\x60]?$`)

// namedVersion says whether a rule names the version of a site, or none of its
// group names any.
func (a *analysis) namedVersion(site rules.GVK) bool {
	some := false
	for _, rule := range a.RulesOf(site.Group) {
		if rule.From.Version == site.Version && site.Version != "" {
			return true
		}
		some = some || rule.From.Version != ""
	}
	return !some
}

// kindNear finds "kind: X" on the line of a span, or a line or two below or
// above it.
func kindNear(data []byte, word source.Span) (string, source.Span) {
	line := text.LineAround(data, word)
	from, content := line.Start, line.End
	first, last := max(0, from-2*text.Nearby), min(len(data), content+2*text.Nearby)
	below, next := content, content
	for range 3 { // the first is what is left of the line
		if next >= last {
			break
		}
		below, next = text.LineEnd(data, next, last)
	}
	above := from
	for range 2 {
		if above > first {
			above = first + text.LineStart(data[first:], above-first-1)
		}
	}
	for _, s := range []source.Span{{Start: from, End: content}, {Start: content, End: below}, {Start: above, End: from}} {
		if m := kindLine.FindSubmatchIndex(s.Of(data)); m != nil {
			k := source.Span{Start: s.Start + m[2], End: s.Start + m[3]}
			return string(k.Of(data)), k
		}
	}
	return "", source.Span{}
}

// resourcePhrase is plural.group in running text.
func (a *analysis) resourcePhrase(v *text.View, tok token, left, right []byte) {
	isKey := len(right) > 0 && (right[0] == '=' || right[0] == ':' && len(right) > 1 && right[1] == ' ' && len(bytes.TrimLeft(left, " \t-#\"'")) == 0)
	if isKey || labelWords.Match(left) && !kubectlBefore.Match(left) {
		if !a.moveKey(v, tok) {
			a.keep(v, tok, RoleKey, "looks like a label or annotation key")
		}
		return
	}
	a.rewrite(v, tok, RoleResource, rules.GVK{})
}

// keyPhrase is name.group or group/name in running text: a key, unless a
// command or its output says that it is a resource.
func (a *analysis) keyPhrase(v *text.View, tok token, left, right []byte) {
	if a.moveKey(v, tok) {
		return
	}
	if tok.prefix != "" && !strings.Contains(tok.prefix, ".") {
		rest := v.Data[tok.group.End:min(len(v.Data), tok.word.End+len(right))]
		kind, known := a.singular(tok.site.Group, tok.prefix)
		switch {
		case objectDone.Match(rest):
			a.object(v, tok, rules.GVK{Kind: kind})
			return
		case known && rowStart.Match(left) && (rowRest.Match(rest) || nameOnly.Match(rest) && printsNames(v.Data[:tok.word.Start])):
			a.object(v, tok, rules.GVK{Kind: kind})
			return
		case kubectlBefore.Match(left) && !bytes.HasPrefix(rest, []byte("=")) && !bytes.Contains(left, []byte(" -l")) && !labelWords.Match(left):
			a.object(v, tok, rules.GVK{Kind: kind, Plural: tok.prefix})
			return
		}
	}
	if labelWords.Match(left) || bytes.HasPrefix(right, []byte("=")) {
		a.keep(v, tok, RoleKey, "looks like a label or annotation key")
		return
	}
	a.perhapsResource(v, tok)
}

// nameOnly is the name of an object up to the end of its line.
var nameOnly = regexp.MustCompile(`^/[a-z0-9][a-z0-9.-]*\s*$`)

// printsNames says whether a command above prints the names of objects.
func printsNames(above []byte) bool {
	return namesPrinted.Match(above[max(0, len(above)-text.LongestName):])
}

var namesPrinted = regexp.MustCompile(`\s(-o|--output)[ =]?name\b`)

// object is name.group as kubectl takes and prints it, where the name is the
// singular of a kind or another name for it. The singular follows its kind.
func (a *analysis) object(v *text.View, tok token, facts rules.GVK) {
	tok.word.End = tok.group.End
	if kind, ok := a.singular(tok.site.Group, tok.prefix); ok {
		tok.site.Kind, tok.kind = kind, source.Span{Start: tok.word.Start, End: tok.word.Start + len(tok.prefix)}
	}
	a.rewrite(v, tok, RoleResource, facts)
}

// markerAt says whether a token stands in the arguments of a code generator's marker.
func markerAt(left []byte, m mode) bool {
	return m != inProse && bytes.Contains(left, []byte("+")) && markerBefore.Match(left)
}

var markerBefore = regexp.MustCompile(`^\s*(//|#|\*)?\s*\+(groupName|k8s:[\w-]+|kubebuilder:[\w:-]+|operator-sdk:[\w:-]+|genclient[\w:]*)[=:]`)

// marker is a group in a marker: +groupName=G, +kubebuilder:rbac:groups=A;G,resources=...
func (a *analysis) marker(v *text.View, tok token, left, right []byte) {
	line := string(left) + string(tok.word.Of(v.Data)) + string(right)
	var resources, versions []string
	for _, arg := range strings.Split(line, ",") {
		name, value, _ := strings.Cut(arg, "=")
		if i := strings.LastIndexAny(name, ": "); i >= 0 {
			name = name[i+1:]
		}
		value = strings.Trim(strings.TrimSpace(value), `"{}`)
		switch name {
		case "resources":
			resources = strings.Split(value, ";")
		case "versions":
			versions = strings.Split(value, ";")
		}
	}
	facts := rules.GVK{}
	if len(versions) == 1 && rules.APIVersion.MatchString(versions[0]) {
		facts.Version = versions[0]
	}
	plurals := plainResources(resources)
	if len(plurals) == 0 {
		a.rewrite(v, tok, RoleMarker, facts)
		return
	}
	targets := a.targetsOf(tok.site.Group, plurals)
	if len(targets) > 1 {
		s := a.add(v, tok, RoleMarker, Person, "its resources go to different groups: "+strings.Join(targets, ", "))
		s.Hint = "split the marker into one for each group"
		return
	}
	if a.markerSplits(v, tok, left, right, plurals) {
		return
	}
	facts.Plural = plurals[0]
	if ver := a.Ask(merge(tok.site, facts)); ver.Outcome == rules.Moves && facts.Version != "" && a.isHomeOf(facts.Version) && ver.To.Version != facts.Version && ver.To.Group != tok.site.Group {
		a.atHome(v, tok, RoleMarker, ver, facts.Version)
		return
	}
	a.markerGroup(v, tok, left, right, facts)
	a.markerResources(v, tok)
	a.markerArgs(v, tok, merge(tok.site, facts))
}

// markerGroup rewrites a group in the list of a marker. In dual mode the new
// group comes behind it; where it is there already, the old one goes.
func (a *analysis) markerGroup(v *text.View, tok token, left, right []byte, facts rules.GVK) {
	ver := a.Ask(merge(tok.site, facts))
	why, kept := a.kept(v, tok)
	if kept {
		a.keep(v, tok, RoleMarker, why)
		return
	}
	if ver.Outcome != rules.Moves || ver.To.Group == tok.site.Group {
		a.rewrite(v, tok, RoleMarker, facts)
		return
	}
	list := a.listOfMarker(left, right, tok, facts)
	s := Site{Span: v.Span(tok.word), Role: RoleMarker, Action: Change, Rule: ver.Rule.ID, Ruleset: ver.Rule.Set, Old: tok.site.Group, New: ver.To.Group}
	switch {
	case list.there && a.opts.Dual:
		return
	case list.there:
		s.New, s.Why = "", "already in the list"
		span := source.Span{Start: tok.word.Start - list.before, End: tok.word.End + list.behind}
		a.part(&s, v, span, string(span.Of(v.Data)), "")
	case a.opts.Dual:
		s.New = tok.site.Group + ";" + ver.To.Group
		a.part(&s, v, tok.word, s.Old, s.New)
	default:
		a.part(&s, v, tok.word, s.Old, ver.To.Group)
	}
	a.sites = append(a.sites, s)
}

// A markerItem is a group in the list of a marker.
type markerItem struct {
	there          bool // what it becomes stands in the list already, or comes of one before it
	before, behind int  // the bytes that go with it when it goes: a semicolon
}

// listOfMarker reads the list of groups around a token.
func (a *analysis) listOfMarker(left, right []byte, tok token, facts rules.GVK) markerItem {
	head := string(left[bytes.LastIndexByte(left, '=')+1:])
	rest, _, _ := strings.Cut(string(right), ",")
	names := strings.Split(head+tok.site.Group+rest, ";")
	me := strings.Count(head, ";")
	var have []string
	moved := make([]string, len(names))
	for i, name := range names {
		name = strings.Trim(name, "{}\"` \t\r")
		ver := a.Ask(merge(rules.GVK{Group: name}, facts))
		if _, kept := a.Keeps(name); kept || ver.Outcome != rules.Moves || ver.To.Group == name {
			have = append(have, name)
		} else {
			moved[i] = ver.To.Group
		}
	}
	item, stays := markerItem{behind: 1}, slices.Contains(moved[:min(me, len(moved))], "")
	for i, to := range moved[:min(me+1, len(moved))] {
		item.there = to != "" && slices.Contains(have, to)
		if !item.there && to != "" {
			have = append(have, to)
			stays = stays || i < me
		}
	}
	if stays {
		item.before, item.behind = 1, 0
	} else if me+1 == len(names) {
		item.behind = 0
	}
	return item
}

// plainResources cuts sub-resources off and leaves wildcards out.
func plainResources(list []string) []string {
	var plain []string
	seen := map[string]bool{"": true, "*": true}
	for _, r := range list {
		r, _, _ = strings.Cut(strings.Trim(strings.TrimSpace(r), `"'`), "/")
		if !seen[r] {
			plain, seen[r] = append(plain, r), true
		}
	}
	return plain
}

// targetsOf are the groups that resources of a group go to, sorted.
func (a *analysis) targetsOf(group string, resources []string) []string {
	var groups []string
	for _, r := range resources {
		to := group
		if v := a.Ask(rules.GVK{Group: group, Plural: r}); v.Outcome == rules.Moves {
			to = v.To.Group
		}
		groups = append(groups, to)
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

// fileRef is the name of a CRD's file; it follows the file (rename.go).
func (a *analysis) fileRef(v *text.View, tok token) {
	if a.history != "" {
		a.keep(v, tok, RoleCRDFile, a.history)
		return
	}
	s := a.add(v, tok, RoleCRDFile, Stay, "no file of this name is renamed")
	s.Rule = FindingRename
	if e, err := v.Edit(tok.word, s.Old, ""); err == nil {
		s.file, s.refers = s.Old, e
	}
}
