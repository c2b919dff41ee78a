package find

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A Mode is what kind of text a phrase stands in.
type Mode int

// The kinds of text.
const (
	InCode    Mode = iota // commands, values, unknown text
	InProse               // documentation, descriptions
	InComment             // comments in source and manifests
	InShell               // shell: assignments and quoted words are literals
)

// A phrase says what a name in running text is, by what stands on its line.
// What a row does not ask for may be anything.
type phrase struct {
	id     string // kebab-case
	shapes []Shape
	shell  bool          // in a shell alone
	dotted bool          // the group has a dot
	before *text.Pattern // what stands before the name
	but    *text.Pattern // and what does not
	behind *text.Pattern // what stands behind it
	rest   *text.Pattern // what stands behind its group
	also   func(p *spot) bool
	place  *Place
	tell   func(p *spot, s *Site) // what the line tells of the site
	// yes is a line in which the row speaks of the name in ‹›, no one near to
	// it in which it does not.
	yes, no string
	file    string // the name of their file, where it matters
}

// A spot is a name in running text.
type spot struct {
	*analysis
	v           *text.View
	tok         Token
	left, right []byte // its line around it, as far as it is nearby
	rest        []byte // its line behind the group
	mode        Mode
}

// phrases are asked in this order; the first that speaks of a name decides.
var phrases = []phrase{
	{id: "module-file", also: func(p *spot) bool { return moduleFile.MatchString(p.path) && !bytes.Contains(p.left, []byte("//")) }, place: InModule, file: "go.mod",
		yes: "module ‹old.example.com/v1›", no: "// of ‹old.example.com/v1›"},
	{id: "module-path", shapes: pathShapes, before: modulePath, place: InModule, yes: "go install ‹old.example.com/v1›/x@v1", no: "run ‹old.example.com/v1›/x"},
	{id: "email", shapes: []Shape{Email}, place: InEmail, yes: "ask me@‹old.example.com›", no: "ask ‹old.example.com›"},
	{id: "host", shapes: []Shape{URLHost}, place: InHost, yes: "see https://‹old.example.com›/x", no: "see x/‹old.example.com›/x"},
	{id: "longer-domain", shapes: []Shape{Longer}, place: InDomain, yes: "see ‹www.a.b.old.example.com›", no: "see ‹www.old.example.com›"},
	{id: "crd-file", shapes: []Shape{FileName}, place: CRDFile, yes: "see ‹old.example.com_things.yaml›", no: "see ‹old.example.com_Thing›"},
	{id: "anchor", shapes: []Shape{Anchor}, place: Anchored, yes: "[x](api.md#‹old.example.com/v1.Thing›)", no: "[x](api.md/‹old.example.com/v1›)"},
	{id: "another-rest-path", shapes: []Shape{Resource, Key}, before: behindAPIs, also: func(p *spot) bool { return p.tok.Prefix != "" && isREST(p) }, place: OtherGroup,
		yes: "GET /apis/‹apples.split.example.com›/", no: "GET /api/‹apples.split.example.com›/"},
	{id: "rest-path", before: behindAPIs, also: isREST, place: REST, tell: tellsPath, yes: "GET /apis/‹old.example.com/v1›/things", no: "GET /api/‹old.example.com/v1›/things"},
	{id: "types-folder", before: behindAPIs, place: InImport, yes: "see pkg/apis/‹old.example.com/v1/Thing›", no: "GET /apis/‹old.example.com/v1›/things"},
	{id: "shell-variable", shapes: []Shape{Bare, Key}, also: behindVariable, place: Resources, tell: onlyGroup,
		yes: "kubectl get ${x}.‹old.example.com›", no: "curl ${x}.‹old.example.com›"},
	{id: "url", also: (*spot).inURL, place: InURL, yes: "https://a.example/‹old.example.com/v1›", no: "a.example/‹old.example.com/v1›"},
	{id: "marker-path", before: slash, also: inMarker, place: InImport, yes: "// +k8s:conversion-gen=a/‹old.example.com/v1›", no: "// +groupName=‹old.example.com›"},
	{id: "marker-domain", shapes: []Shape{Key}, also: inMarker, place: InDomain, yes: "// +groupName=‹events.old.example.com›", no: "// +groupName=‹old.example.com›"},
	{id: "marker", also: inMarker, place: InMarker, tell: tellsMarker, yes: "// +groupName=‹old.example.com›", no: "// groupName of ‹old.example.com›"},

	{id: "another-group", shapes: []Shape{Resource}, also: namesAnother, place: OtherGroup, yes: "--api-group=‹apples.split.example.com›", no: "--api-resource=‹apples.split.example.com›"},
	{id: "another-version-head", shapes: []Shape{Resource}, before: versionHead, rest: rx(`^/["'\x60]`), place: OtherGroup,
		yes: "object.apiVersion.startsWith('‹apples.split.example.com›/')", no: "object.name.startsWith('‹apples.split.example.com›/')"},

	{id: "longer-name", shapes: []Shape{Bare}, also: inName, place: InName, yes: "the ‹old.example.com›-$x", no: "the ‹old.example.com› -$x"},
	{id: "key-name", shapes: []Shape{Bare}, behind: rx(`^/([^{$%]|$)`), place: KeyLike, yes: "the key ‹old.example.com›/", no: "the key ‹old.example.com›"},
	{id: "crd-files", shapes: []Shape{Bare}, before: slash, behind: rx(`^_?\*`), place: CRDFiles, yes: "rm crd/bases/‹old.example.com›_*.yaml", no: "rm crd/bases/‹old.example.com›.yaml"},
	{id: "path", shapes: []Shape{Bare}, before: slash, place: InPath, yes: "cd api/‹old.example.com›", no: "cd ‹old.example.com›"},
	{id: "label-line", shapes: []Shape{Bare}, before: labelWords, but: groupBefore, place: LabelLine, yes: "the label `‹old.example.com›`", no: "the label group: ‹old.example.com›"},
	{id: "group-value", shapes: []Shape{Bare}, before: groupBefore, place: Group, tell: tellsLine, yes: "Group=‹old.example.com›, Kind=Thing", no: "group of ‹old.example.com›"},
	{id: "group-flag", shapes: []Shape{Bare}, before: groupFlag, place: Group, tell: tellsLine, yes: "ctl --metricsgroup ‹old.example.com›", no: "ctl --host ‹old.example.com›"},
	{id: "other-name", shapes: []Shape{Bare}, dotted: true, also: namedOther, place: OtherName, yes: `SOME_HOST="‹old.example.com›"`, no: `SOME_POST="‹old.example.com›"`},
	{id: "host-command", shapes: []Shape{Bare}, shell: true, before: hostCommand, place: HostName, yes: `nslookup "‹old.example.com›"`, no: `look "‹old.example.com›"`},
	{id: "device-driver", shapes: []Shape{Bare}, before: ofDevice, place: Agreed, yes: "device.attributes['‹old.example.com›'].type", no: "devices.of['‹old.example.com›'].type"},
	{id: "group-behind", shapes: []Shape{Bare}, dotted: true, also: saysGroup, place: Group, tell: followed, yes: "the ‹old.example.com› API group", no: "the ‹old.example.com› domain"},
	{id: "group-before", shapes: []Shape{Bare}, dotted: true, before: text.Tail(100, `(?i)\b(api[ -])?groups?:?\s+["'\x60*_(]*$`, "group"), place: Group, tell: followed, yes: "in API group ‹old.example.com›", no: "in API ‹old.example.com›"},
	{id: "shell-assignment", shapes: []Shape{Bare}, shell: true, dotted: true, before: rx(`(^|[\s;&|(])(export\s+|local\s+|readonly\s+|declare\s+(-\w+\s+)?)?[A-Za-z_][A-Za-z0-9_]*\s?[:?+]?=\s*["']?$`),
		behind: wordEnd, place: Literal, yes: "export API=‹old.example.com›", no: "export API=‹old.example.com›,x"},
	{id: "shell-word", shapes: []Shape{Bare}, shell: true, dotted: true, also: func(p *spot) bool { return quotedBy(p.left, p.right, `"'`) }, place: Literal,
		yes: `use "‹old.example.com›" now`, no: "use (‹old.example.com›) now"},
	{id: "quoted-word", shapes: []Shape{Bare}, dotted: true, also: func(p *spot) bool { return quotedBy(p.left, p.right, "\"'`") }, place: QuotedGroup,
		yes: "use `‹old.example.com›` here", no: "use *‹old.example.com›* here"},
	{id: "table-row", shapes: []Shape{Bare}, dotted: true, before: cellBefore, behind: cellBehind, also: besideKind, place: Group, tell: followed,
		yes: "| ‹old.example.com› | Apple |", no: "| ‹old.example.com› | x |"},
	{id: "cell", shapes: []Shape{Bare}, dotted: true, before: cellBefore, behind: cellBehind, place: Doubt, yes: "| ‹old.example.com› | x |", no: "| of ‹old.example.com› | x |"},
	{id: "mention", shapes: []Shape{Bare}, place: Mention, yes: "of ‹old.example.com› here", no: "of ‹old.example.com/v1› here"},

	{id: "selector", shapes: keyShapes, before: selectorBefore, place: KeyLike, yes: "kubectl get pods -l ‹apples.split.example.com›", no: "kubectl get ‹apples.split.example.com› -l a"},
	{id: "label-set", shapes: keyShapes, before: labelCommand, behind: labelSet, place: KeyLike, yes: "kubectl annotate pod p ‹apples.split.example.com›-", no: "kubectl annotate ‹apples.split.example.com› p x-"},
	{id: "key-flag", shapes: keyShapes, before: keyNameBefore, place: KeyLike, yes: "--leader-election-id=‹apples.split.example.com›", no: "--id=‹apples.split.example.com›"},
	{id: "image", shapes: []Shape{GroupVersion}, behind: rx(`^(:(latest\b|v?[0-9])|@sha256:)`), place: InPath, yes: "run ‹old.example.com/v1›:latest", no: "run ‹old.example.com/v1›: latest"},
	{id: "version-set", shapes: []Shape{GroupVersion}, but: rx(`runtime-config`), behind: rx(`^["'\x60]?=[^=]`), place: KeyLike,
		yes: "LABEL a=b ‹old.example.com/v1›=y", no: "LABEL a=b ‹old.example.com/v1› y"},
	{id: "resource-set", shapes: []Shape{Resource}, behind: rx(`^/[A-Za-z0-9_.-]+["'\x60]?=[^=]`), place: KeyLike,
		yes: "a ‹apples.split.example.com›/x=y", no: "a ‹apples.split.example.com›/x y"},

	{id: "import-path", shapes: []Shape{GroupVersion}, before: slash, place: InImport, yes: "x/‹old.example.com/v1›", no: "x ‹old.example.com/v1›"},
	{id: "resource-path", shapes: []Shape{GroupVersion}, behind: rx(`^/[a-z][a-z0-9-]*($|[ \t"'\x60;)&|])`), place: PathLike, tell: tellsResource,
		yes: "a ‹old.example.com/v1›/things b", no: "a ‹old.example.com/v1›/Things/x b"},
	{id: "longer-path", shapes: []Shape{GroupVersion}, behind: rx(`^/`), place: InImport, yes: "a ‹old.example.com/v1›/x/y b", no: "a ‹old.example.com/v1› b"},
	{id: "key-line", shapes: []Shape{GroupVersion}, before: rx("^[ \\t\\-*#\"'`]*$"), behind: rx(`^["'\x60]?(=|:\s+["'\x60]?[A-Za-z0-9])`), place: KeyLike,
		yes: "- ‹old.example.com/v1›: yes", no: "- see ‹old.example.com/v1›: yes"},
	{id: "version", shapes: []Shape{GroupVersion}, also: func(p *spot) bool { return p.namedVersion(p.tok.Known) || apiVersionBefore.Match(p.left) }, place: SaidVersion, tell: tellsKind,
		yes: "the version ‹same.example.com/v1beta1›", no: "the version ‹same.example.com/v7›"},
	{id: "unnamed-version", shapes: []Shape{GroupVersion}, place: Unnamed, yes: "the version ‹same.example.com/v7›", no: "apiVersion: ‹same.example.com/v7›"},

	{id: "folder", shapes: folderShapes, before: pathBefore, but: notAPath, place: InPath, yes: "cd ./‹apples.split.example.com›", no: "kubectl get crd/‹apples.split.example.com›"},
	{id: "folder-of-file", shapes: folderShapes, rest: rx(`^/(\S*/)?[A-Za-z0-9_.-]+\.(ya?ml|json|sh|go|py|md|tpl|txt)($|[\s"'\x60,;)\]])`), but: notAPath, place: InPath,
		yes: "cat ‹apples.split.example.com›/x.yaml", no: "cat ‹apples.split.example.com›/x"},
	{id: "kind", shapes: []Shape{GroupVersionKind, GroupKindUnder}, place: Group, yes: "an ‹old.example.com/v1/Thing›", no: "a ‹old.example.com/v1/thing›"},
	{id: "resource-key", shapes: []Shape{GroupResource}, behind: rx(`^[:=]`), place: KeyLike, yes: "‹split.example.com/apples›=x", no: "‹split.example.com/apples› x"},
	{id: "condition", shapes: []Shape{GroupKind}, before: rx(`(?i)\bcondition(_?type)?\s?[:=]+\s?["']?$`, "condition"), place: Condition, yes: "kubectl wait --for=condition=‹old.example.com/Ready› x", no: "kubectl wait --for=‹old.example.com/Ready› x"},
	{id: "group-kind", shapes: []Shape{GroupKind}, place: GroupOrKey, yes: "an ‹old.example.com/Thing›", no: "an ‹old.example.com/thing›"},
	{id: "group-resource", shapes: []Shape{GroupResource}, before: resourceWord, place: GroupOrKey, yes: "the resource ‹split.example.com/apples›", no: "the source ‹split.example.com/apples›"},
	{id: "perhaps-path", shapes: []Shape{GroupResource}, place: Doubt, yes: "an ‹split.example.com/apples› x", no: "an ‹split.example.com/Apple› x"},

	{id: "resource-is-key", shapes: []Shape{Resource}, behind: rx(`^["'\x60]?=`), place: KeyLike, yes: "x ‹apples.split.example.com›=x", no: "x ‹apples.split.example.com› x"},
	{id: "resource-is-entry", shapes: []Shape{Resource}, before: rx(`^[ \t\-#"']*$`), behind: rx(`^: `), place: KeyLike, yes: "‹apples.split.example.com›: x", no: "an ‹apples.split.example.com›: x"},
	{id: "resource-labels", shapes: []Shape{Resource}, before: labelWords, but: resourceNamed, place: KeyLike, yes: "a label ‹apples.split.example.com› x", no: "kubectl label ‹apples.split.example.com› x"},
	{id: "resource", shapes: []Shape{Resource}, place: Resources, yes: "an ‹apples.split.example.com› x", no: "an ‹apple.split.example.com› x"},

	{id: "version-head", shapes: []Shape{Key}, before: versionHead, rest: rx(`^/["'\x60]`), place: VersionHead,
		yes: "object.apiVersion.startsWith('‹old.example.com›/')", no: "object.name.startsWith('‹old.example.com›/')"},
	{id: "version-filled-in", shapes: []Shape{Key}, before: rx(`(?i)(api_?version|group_?version)["'\x60]?\s*[:=]\s*["'\x60]?$`, "version"), rest: versionFilled, place: VersionHead,
		yes: "echo apiVersion: ‹old.example.com›/${V}", no: "echo annotation: ‹old.example.com›/${V}"},
	{id: "command-output", shapes: []Shape{Key}, rest: objectDone, also: oneLabel, place: Object, tell: tellsSingular, yes: "‹apple.split.example.com/x› created", no: "‹apple.split.example.com/x› was made"},
	{id: "output-row", shapes: []Shape{Key}, before: rx(`^\s*$`), rest: rx(`^/[a-z0-9.-]+\s{2,}\S`), also: isSingular, place: Object, tell: tellsSingular,
		yes: "‹apple.split.example.com/x›   1", no: "‹apple.split.example.com/x› 1"},
	{id: "output-name", shapes: []Shape{Key}, before: rx(`^\s*$`), rest: rx(`^/[a-z0-9][a-z0-9.-]*\s*$`), also: func(p *spot) bool { return isSingular(p) && printsNames(p.v.Data[:p.tok.Word.Start]) }, place: Object, tell: tellsSingular,
		yes: "$ kubectl get apples -o name\n‹apple.split.example.com/x›", no: "$ kubectl get apples\n‹apple.split.example.com/x›"},
	{id: "command", shapes: []Shape{Key}, before: kubectlBefore, but: rx(` -l|` + labelWords.String()), rest: rx(`^([^=]|$)`), also: oneLabel, place: Object, tell: tellsName,
		yes: "kubectl get ‹apple.split.example.com›", no: "kubectl get x -l ‹apple.split.example.com›"},
	{id: "labels-line", shapes: []Shape{Key, PathPiece}, before: labelWords, place: KeyLike, yes: "the label ‹apples.old.example.com›", no: "the ‹apples.old.example.com›"},
	{id: "key-value", shapes: []Shape{Key, PathPiece}, behind: rx(`^=`), place: KeyLike, yes: "x ‹apples.old.example.com›=x", no: "x ‹apples.old.example.com› = x"},
	{id: "perhaps-resource", shapes: []Shape{Key, PathPiece}, also: perhapsResource, place: Perhaps, tell: tellsPrefix, yes: "the ‹apples.old.example.com›", no: "the ‹old.example.com/x›"},
	{id: "key", shapes: []Shape{Key, PathPiece}, place: KeyLike, yes: "the ‹old.example.com/x›", no: "the ‹old.example.com›"},
}

func rx(pattern string, words ...string) *text.Pattern { return text.NewPattern(pattern, words...) }

// speaks says whether a row speaks of a name.
func (x *phrase) speaks(p *spot) bool {
	return (len(x.shapes) == 0 || anyOf(x.shapes, p.tok.Shape)) && (!x.shell || p.mode == InShell) && (!x.dotted || p.dotted()) &&
		(x.before == nil || x.before.Match(p.left)) && (x.but == nil || !x.but.Match(p.left)) &&
		(x.behind == nil || x.behind.Match(p.right)) && (x.rest == nil || x.rest.Match(p.rest)) && (x.also == nil || x.also(p))
}

// prose classifies every token of running text.
func (a *analysis) prose(v *text.View, m Mode) {
	for _, tok := range a.Tokens(v.Data) {
		a.phrase(v, tok, m)
	}
}

// phrase reports a token as what stands around it on its line says.
func (a *analysis) phrase(v *text.View, tok Token, m Mode) {
	around := text.LineAround(v.Data, tok.Word)
	p := spot{analysis: a, v: v, tok: tok, left: v.Data[around.Start:tok.Word.Start], right: v.Data[tok.Word.End:around.End],
		rest: v.Data[tok.Group.End:around.End], mode: m}
	for i := range phrases {
		if x := &phrases[i]; x.speaks(&p) {
			s := Site{Doc: v, Token: tok, Place: x.place, Phrase: true, Mode: m}
			if tok.Shape == Bare && x.place.Ask == Rules {
				s.Apart = resourcesBeside(v.Data, tok.Word)
			}
			if x.tell != nil {
				x.tell(&p, &s)
			}
			if (x.place == Group || x.place == Literal) && tok.Shape == Bare && (m == InCode || m == InShell) {
				a.named(&s, v, tok.Word)
			}
			a.found(s)
			return
		}
	}
}

func (p *spot) dotted() bool { return strings.Contains(p.tok.Known.Group, ".") }

var (
	// moduleFile is a file in which every dotted name is the path of a Go module.
	moduleFile = regexp.MustCompile(`(^|/)(go\.(mod|sum|work)|go\.work\.sum)$`)
	// pathShapes are what the path of a module or package may be spelled like.
	pathShapes = []Shape{GroupVersion, GroupResource, Key, Bare}
	modulePath = rx(`\bgo (install|get|run|mod|test|build|vet|doc|list)\s(.*\s)?(\S*/)?$|\b(import|module)\s+([A-Za-z_.]\w*\s+)?["'\x60]$|(?i)\b(import_?path|local-?prefix(es)?|module(_?path)?|go_?package)["']?\s*[:=]\s*["'\x60]?$`, "go ", "import", "module", "prefix", "package")
	// resourceWord tells that a name is that of a resource.
	resourceWord = rx(`(?i)(resource|\bkubectl\b|\boc\b|\bcrds?\b|plural|can-i|\bgvr\b|\bgroup\b|runtime-config)`)
	// cellBefore and cellBehind are what stands around the whole of a cell.
	cellBefore = rx("\\|\\s*[`*_]*$|<t[dh][^>]*>\\s*(<code>)?$")
	cellBehind = rx("^[`*_]*\\s*\\||^(</code>)?\\s*</t[dh]>")
)

// besideKind says whether a kind of the group stands in another cell of the row.
func besideKind(p *spot) bool {
	for _, side := range [][]byte{p.left, p.right} {
		for _, w := range cellWord.FindAllSubmatch(side, -1) {
			if kind, ok := p.Singular(p.tok.Known.Group, strings.ToLower(string(w[1]))); ok && kind == string(w[1]) || p.kinds[string(w[1])] {
				return true
			}
		}
	}
	return false
}

var cellWord = regexp.MustCompile("(?:\\||>)\\s*[`*_]*([A-Z][A-Za-z0-9]*)[`*_]*\\s*(?:\\||<)")

// namesAnother says whether a name that is spelled like a resource of the group
// stands where a group does: PLURAL.GROUP may be one of its own.
func namesAnother(p *spot) bool {
	return p.tok.Known.Kind == "" && p.tok.Ver.Len() == 0 && (groupBefore.Match(p.left) || groupFlag.Match(p.left) || groupWordThen.Match(p.right))
}

// inURL says whether the run of characters before a name begins a URL.
func (p *spot) inURL() bool {
	i := bytes.LastIndexAny(p.left, " \t\"'`<>()[]")
	return p.tok.Shape != Resource && bytes.Contains(p.left[i+1:], []byte("://"))
}

// behindVariable says whether a name is that of a resource for kubectl whose
// first label is a variable of a shell: $1.mcad.ibm.com, ${res}.mcad.ibm.com.
func behindVariable(p *spot) bool {
	before := beforeVariable(p.left, p.tok)
	return before != nil && wordEnd.Match(p.right) && kubectlBefore.Match(before) && !bytes.Contains(before, []byte(" -l"))
}

// beforeVariable is the text before such a resource; nil when it is something else.
func beforeVariable(left []byte, tok Token) []byte {
	if rest, ok := bytes.CutSuffix(left, []byte("$")); ok && tok.Prefix != "" && !strings.Contains(tok.Prefix, ".") {
		return rest
	}
	rest, ok := bytes.CutSuffix(left, []byte("}."))
	if i := bytes.LastIndex(rest, []byte("${")); ok && i >= 0 && tok.Prefix == "" {
		return rest[:i]
	}
	return nil
}

// onlyGroup leaves what stands before the group to the shell.
func onlyGroup(_ *spot, s *Site) { s.Word, s.Shape = s.Group, Bare }

var (
	// behindAPIs is "apis/" right before a name.
	behindAPIs = text.Tail(8, `apis(/|\\/)$`)
	// hostBefore is what stands before "apis/" where it is the root of a server:
	// nothing but a slash, or a host, which a scheme, a port or a variable tells.
	hostBefore = rx("(^|[\\s\"'`<>()\\[\\],=|])\\\\?/$" + `|://[^\s"']*/$|:[0-9]+\\?/$|(\$[A-Za-z_][A-Za-z0-9_]*|[})%]|%[sv])\\?/$|/proxy\\?/$|^\s*//?$` +
		// behind the proxy of a console
		"|(^|[\\s\"'`<>()\\[\\],=|})%]|\\$[A-Za-z_][A-Za-z0-9_]*|:[0-9]+)(/api/kubernetes|/k8s/clusters/[^/\\s\"'`]+)/$")
	// resourceBehind is the rest of a path to a resource, not to a package.
	resourceBehind = rx(`^\\?/(namespaces|watch|[a-z]+)\\?/`)
	rawPath        = rx(`--raw[= ]["']?$`)
)

// isREST says whether "apis/" before a name is the root of a server's API. The
// packages of API types often have a folder of that name: pkg/apis/GROUP/VERSION.
func isREST(p *spot) bool {
	root := bytes.TrimSuffix(bytes.TrimSuffix(p.left, []byte("/")), []byte(`\`))
	root = root[:len(root)-len("apis")]
	if len(root) == 0 || bytes.IndexByte([]byte(" \t\"'`"), root[len(root)-1]) >= 0 { // a relative path
		return rawPath.Match(root) || resourceBehind.Match(p.right)
	}
	return hostBefore.Match(root)
}

// inName says whether a hyphen joins a name to more.
func inName(p *spot) bool {
	return bytes.HasPrefix(p.right, []byte("-")) || bytes.HasSuffix(p.left, []byte("-"))
}

// followed says that the kinds on the line follow the name.
func followed(_ *spot, s *Site) { s.Kinds = true }

// printsNames says whether a command above prints the names of objects.
func printsNames(above []byte) bool {
	return namesPrinted.Match(above[max(0, len(above)-text.LongestName):])
}

var namesPrinted = rx(`\s(-o|--output)[ =]?name\b`)

// tellsPath reads the resource of a REST path from what follows the version. One
// that code joins to the path stands behind the string.
func tellsPath(p *spot, s *Site) {
	if at := pathPlural(p.right); at.Len() > 0 {
		at = source.Span{Start: p.tok.Word.End + at.Start, End: p.tok.Word.End + at.End}
		s.take([]Part{{Doc: p.v, Span: at, Role: RoleResource}})
		return
	}
	file := p.v.File()
	path := source.Span{Start: p.tok.Word.Start, End: p.tok.Word.End + len(p.right)}
	if len(file.Data) != len(p.v.Data) && path.End == len(p.v.Data) {
		s.take(p.joinedPlurals(file, p.v.Span(path).End, p.tok.Known.Group))
	}
}

// joinedPlurals are the resources of a group in the strings of a statement from
// an offset on.
func (n *Names) joinedPlurals(v *text.View, from int, group string) []Part {
	var parts []Part
	rest := v.Data[from:min(len(v.Data), from+text.Nearby)]
	rest = rest[:len(statement.Find(rest))]
	for _, m := range joinedName.FindAllSubmatchIndex(rest, -1) {
		if n.knows(group, string(rest[m[2]:m[3]])) {
			parts = append(parts, Part{Doc: v, Span: source.Span{Start: from + m[2], End: from + m[3]}, Role: RoleResource})
		}
	}
	return parts
}

var (
	// statement goes up to a semicolon or the end of a line that none goes on.
	statement = regexp.MustCompile(`^([.+(][ \t]*\n|[^;\n]|\n\s*[.+])*`)
	// joinedName is a string that is a name, or begins with one as a path does.
	joinedName = regexp.MustCompile(`["'\x60]/?([a-z][a-z0-9-]*)(?:/[^"'\x60]*)?["'\x60]`)
)

// pathPlural is the resource in what follows the version of a REST path, empty
// when there is none.
func pathPlural(right []byte) source.Span {
	m := pathResource.FindSubmatchIndex(right)
	if m == nil {
		return source.Span{}
	}
	name := source.Span{Start: m[2], End: m[3]}
	if word := string(name.Of(right)); word == "namespaces" || word == "watch" || !rules.PluralName.MatchString(word) {
		return source.Span{}
	}
	return name
}

// pathResource is (1) the resource of a REST path; a variable, in whatever
// spelling, may stand for the namespace.
var pathResource = regexp.MustCompile(`^\\?/(?:watch\\?/)?(?:namespaces\\?/(?:\{\{[^{}\n]*\}\}|\$?\{[^{}\n]*\}|\$\([^()\n]*\)|[^/\s"'\x60\\<>()\[\],;?{}]+|<[^<>\s]*>)\\?/)?([a-z][a-z0-9-]*)`)

var (
	groupBefore   = text.Tail(100, `(?i)group(s|name)?["'\x60]?\)?\s*(:=|[:=]{1,3}|,)\s*(\[?\]?(string|str)?[{(\[])?\s*\\?["'\x60]?$`, "group")
	groupFlag     = text.Tail(100, `(?i)--?[a-z-]*group[= ]\s*["']?$`, "group")
	versionHead   = rx(`(?i)(api_?version|group_?version)[^;"'\x60]{0,40}["'\x60]$`, "version")
	groupWordThen = rx(`^["'\x60*_]*\s+(v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?\s+)?(API |api |api-)?[Gg]roups?\b`)
	kubectlBefore = rx(`\b(kubectl|oc|k|kubectl\.exe)\b.*\b(get|describe|delete|edit|patch|wait|label|annotate|explain|watch|scale|create|auth|api-resources|can-i|apply|replace)\s+(\S+\s+)*?(\S+,)*$`, "kubectl", "oc", "k ")
	// resourceNamed is what tells that a name is that of a resource on a line about
	// labels: a command, or the matcher of a query (PromQL) by resource.
	resourceNamed = rx(kubectlBefore.String()+`|\b(\w+_)?resource\s*(=|!=|=~|!~)\s*\\?["']$`, "kubectl", "oc", "k ", "resource")
	objectDone    = rx(`^(/\S+| "[^"]*")(\s+\([^)]*\))?\s+(created|configured|unchanged|deleted|patched|labeled|annotated|edited|replaced|scaled|serverside-applied|condition met|pruned|force deleted|not found|already exists|is forbidden|is invalid)\b`)
	labelWords    = rx(`(?i)(label|annotation|finalizer|selector)`, "label", "annotation", "finalizer", "selector")
	kindAfter     = regexp.MustCompile(`^["'\x60]?[,;]?\s*(?:"?kind"?\s*[:=]\s*)?["'\x60]?([A-Z][A-Za-z0-9]+)`)
	kindLine      = rx(`(?i)\bkind["']?\s*[:=]\s*["']?([A-Z][A-Za-z0-9]+)`, "kind")
	// selectorBefore is a selector of labels up to one of its keys.
	selectorBefore = rx(`(\b(kubectl|oc|k|stern|kubecolor)(\.exe)?\b.*\s|^\s*)(-l|--selector|-L|--label-columns)[ =]?\s*("[^"]*|'[^']*|[^\s"']*)$|\s--(label-)?selector[ =]\s*("[^"]*|'[^']*|[^\s"']*)$`, "-l", "-L", "selector", "label-columns")
	labelCommand   = rx(`\b(kubectl|oc|k)(\.exe)?\b.*\s(label|annotate|taint)\s.*\s["']?$`, "label", "annotate", "taint")
	// labelSet is what a command that sets or takes away a label has behind its key.
	labelSet      = rx(`^(/[A-Za-z0-9_.-]*)?(["'\x60]?=|[:-]?-["'\x60]?(\s|$))|^/[A-Za-z0-9_.]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?-["'\x60]?(\s|$)|^:[A-Za-z]+-?(\s|$)`)
	keyNameBefore = text.Tail(100, `(?i)[a-z0-9_.-]*(((label|annotation|taint|topology)([-_.]?keys?)?|finalizer([-_.]?(names?|keys?))?s?|leader[-_.]?election[-_.]?(id|name|resource[-_.]?name))["'\x60]?\)?\s*(:=|[:=])\s*["'\x60]?)$`, "label", "annotation", "taint", "topology", "finalizer", "election")
	slash         = text.Tail(1, `/$`)
	// folderShapes are what the name of a folder may be spelled like.
	folderShapes = []Shape{Resource, GroupResource, GroupKind}
	// pathBefore is a path up to one of its folders; that of an object or a URL is none.
	pathBefore = rx(`(^|[\s"'\x60=:,(\[])(\.{1,2}/|~/|/[\w.-]+/|[\w.${}-]+/[\w.${}-]+/)([\w.${}-]+/)*$`)
	notAPath   = rx(`://\S*$|\bapis?/\S*$|\bregistry/\S*$|(?i)(^|[\s"'\x60,])(customresourcedefinitions?(\.[a-z0-9.]*)?|crds?)/$`)
	// wordEnd is what stands behind the end of a word.
	wordEnd = rx("^($|[ \\t\"'`;)&|])")
	// apiVersionBefore is what makes the version of a site certain.
	apiVersionBefore = text.Tail(60, `(?i)api[-_]?version["']?\s*[:=]\s*["'\x60]?$`, "version")
	namedWord        = regexp.MustCompile(`(?i)\b(version|kind|resource|plural)["']?\s*[:=]\s*["']?([A-Za-z0-9-]+)`)
)

// quotedBy says whether a name is the whole of a word in one of some quotes.
func quotedBy(left, right []byte, quotes string) bool {
	if len(left) == 0 || len(right) == 0 {
		return false
	}
	q := left[len(left)-1]
	return right[0] == q && strings.IndexByte(quotes, q) >= 0
}

// saysGroup says whether a sentence goes on with the word for a group, on its
// line or at the beginning of the one below.
func saysGroup(p *spot) bool {
	if len(bytes.TrimSpace(p.right)) > 0 {
		return groupWordThen.Match(p.right)
	}
	_, next := text.LineEnd(p.v.Data, p.tok.Word.End, len(p.v.Data))
	content, _ := text.LineEnd(p.v.Data, next, len(p.v.Data))
	return groupWordThen.Match(append([]byte(" "), bytes.TrimLeft(p.v.Data[next:content], " \t/#*")...))
}

// tellsLine reads kind, resource and version from the rest of a line such as
// "Group=mcad.ibm.com, Version=v1beta1, Kind=AppWrapper".
func tellsLine(p *spot, s *Site) {
	s.Kinds = true
	for _, side := range []source.Span{{Start: p.tok.Word.End, End: p.tok.Word.End + len(p.right)}, {Start: p.tok.Word.Start - len(p.left), End: p.tok.Word.Start}} {
		content := side.Of(p.v.Data)
		for _, m := range namedWord.FindAllSubmatchIndex(content, -1) {
			value, at := string(content[m[4]:m[5]]), source.Span{Start: side.Start + m[4], End: side.Start + m[5]}
			if m[5]+1 < len(content) && content[m[5]] == '.' && text.IsWordByte(content[m[5]+1]) { // a longer name
				continue
			}
			switch name := strings.ToLower(string(content[m[2]:m[3]])); {
			case name == "version" && s.Facts.Version == "" && rules.APIVersion.MatchString(value):
				s.Facts.Version = value
				s.Beside = append(s.Beside, Part{Doc: p.v, Span: at, Role: RoleVersion})
			case name == "kind" && s.Facts.Kind == "" && rules.KindName.MatchString(value):
				s.Facts.Kind = value
			case (name == "resource" || name == "plural") && s.Facts.Plural == "" && rules.PluralName.MatchString(value):
				s.Facts.Plural = value
				s.Beside = append(s.Beside, Part{Doc: p.v, Span: at, Role: RoleResource})
			}
		}
	}
}

// tellsResource reads the resource of group/version/resource.
func tellsResource(p *spot, s *Site) { s.Facts.Plural = string(segmentAt(p.right, 1).Of(p.right)) }

// tellsKind reads the kind behind group/version, or nearby.
func tellsKind(p *spot, s *Site) {
	if m := kindAfter.FindSubmatch(p.right); m != nil && p.kinds[string(m[1])] {
		s.Facts.Kind = string(m[1])
	} else if kind, span := kindNear(p.v.Data, p.tok.Word); kind != "" {
		s.Facts.Kind = kind
		s.Beside = []Part{{Doc: p.v, Span: span, Role: RoleKind}}
		return
	}
	s.Kinds = true
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
		if m := kindLine.Find(s.Of(data)); m != nil {
			k := source.Span{Start: s.Start + m[2], End: s.Start + m[3]}
			return string(k.Of(data)), k
		}
	}
	return "", source.Span{}
}

// oneLabel says whether one label stands before the group.
func oneLabel(p *spot) bool { return p.tok.Prefix != "" && !strings.Contains(p.tok.Prefix, ".") }

// isSingular says whether it is the singular of a kind.
func isSingular(p *spot) bool {
	_, known := p.Singular(p.tok.Known.Group, p.tok.Prefix)
	return known
}

// tellsSingular takes the first label of a name for the singular of a kind,
// which follows its kind.
func tellsSingular(p *spot, s *Site) { p.asObject(s) }

// asObject reads name.group as kubectl takes and prints it, where the name is
// the singular of a kind or another name for it.
func (n *Names) asObject(s *Site) {
	if kind, ok := n.Singular(s.Known.Group, s.Prefix); ok {
		s.Known.Kind, s.Kind = kind, s.first()
	}
}

func tellsName(p *spot, s *Site) {
	tellsSingular(p, s)
	s.Facts.Plural = p.tok.Prefix
}

// perhapsResource says whether a name may be that of a resource: the tree says
// whether it is.
func perhapsResource(p *spot) bool { return mayBeResource(p.tok) }

func mayBeResource(tok Token) bool {
	return rules.PluralName.MatchString(tok.Prefix) && tok.Word.End == tok.Group.End
}

func tellsPrefix(p *spot, s *Site) { s.Facts.Plural = p.tok.Prefix }

// inMarker says whether a name stands in the arguments of a code generator's marker.
func inMarker(p *spot) bool {
	return p.mode != InProse && bytes.Contains(p.left, []byte("+")) && markerBefore.Match(p.left)
}

var markerBefore = rx(`^\s*(//|#|\*)?\s*\+(groupName|k8s:[\w-]+|kubebuilder:[\w:-]+|operator-sdk:[\w:-]+|genclient[\w:]*)[=:]`)

// tellsMarker reads what stands beside a group in a marker:
// +kubebuilder:rbac:groups=A;G,resources=...
func tellsMarker(p *spot, s *Site) {
	line := string(p.left) + string(p.tok.Word.Of(p.v.Data)) + string(p.right)
	for _, arg := range markerArgument.FindAllStringSubmatch(line, -1) {
		list := MarkerList(arg[2])
		switch arg[1] {
		case "resources":
			s.Resources = list
		case "versions":
			s.Facts.Version = ""
			if len(list) == 1 && rules.APIVersion.MatchString(list[0]) {
				s.Facts.Version = list[0]
			}
		}
	}
}

// markerArgument is an argument of a marker with its value: a word, words joined
// by semicolons, or a list in braces.
// Source: sigs.k8s.io/controller-tools, pkg/markers.
var markerArgument = regexp.MustCompile("([A-Za-z]+)=(\\{[^}]*\\}|\"[^\"]*\"|`[^`]*`|[^,]*)")

// MarkerList are the words of an argument's value.
func MarkerList(value string) []string {
	value = strings.Trim(strings.TrimSpace(value), "\"`")
	sep := ";"
	if in, braces := strings.CutPrefix(value, "{"); braces {
		value, sep = strings.TrimSuffix(in, "}"), ","
	}
	var list []string
	for word := range strings.SplitSeq(value, sep) {
		list = append(list, strings.Trim(strings.TrimSpace(word), "\"`"))
	}
	return list
}
