package find

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
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
	{id: "console-kind", shapes: []Shape{GroupVersion, GroupVersionKind}, rest: rx(`^~`), place: Group, yes: "https://a.example/x/‹old.example.com~v1~Thing›", no: "https://a.example/x/‹old.example.com/v1/Thing›"},
	{id: "schema-file", shapes: []Shape{Key}, rest: schemaFile, place: SchemaFile, yes: "https://a.example/‹old.example.com/thing_v1.json›", no: "https://a.example/‹old.example.com/thing.json›"},
	{id: "another-rest-path", shapes: []Shape{Resource, Key}, before: behindAPIs, also: func(p *spot) bool { return p.tok.Prefix != "" && isREST(p) }, place: OtherGroup,
		yes: "GET /apis/‹apples.split.example.com›/", no: "GET /api/‹apples.split.example.com›/"},
	{id: "rest-path", before: behindAPIs, also: isREST, place: REST, tell: tellsPath, yes: "GET /apis/‹old.example.com/v1›/things", no: "GET /api/‹old.example.com/v1›/things"},
	{id: "types-folder", before: behindAPIs, place: InImport, yes: "see pkg/apis/‹old.example.com/v1/Thing›", no: "GET /apis/‹old.example.com/v1›/things"},
	{id: "shell-variable", shapes: []Shape{Bare, Key}, also: behindVariable, place: Resources, tell: onlyGroup,
		yes: "kubectl get ${x}.‹old.example.com›", no: "curl ${x}.‹old.example.com›"},
	{id: "escaped-anchor", shapes: []Shape{Bare}, before: anchorBefore, rest: escapedAnchor, also: func(p *spot) bool { return anchored(p.v.Data, &p.tok) }, place: Anchored, tell: tellsEscaped, yes: `<a href="x#‹old.example.com›%2fv1.Thing">`, no: `<a href="x/‹old.example.com›%2fv1.Thing">`},
	{id: "url", also: (*spot).inURL, place: InURL, yes: "https://a.example/‹old.example.com/v1›", no: "a.example/‹old.example.com/v1›"},
	{id: "marker-path", before: slash, also: inMarker, place: InImport, yes: "// +k8s:conversion-gen=a/‹old.example.com/v1›", no: "// +groupName=‹old.example.com›"},
	{id: "marker-webhook", shapes: []Shape{Key}, before: rx("\\+kubebuilder:webhook:(?:.*,)?name=[\"`]?$", "webhook:"), also: inMarker, place: WebhookName, tell: tellsGuarded,
		yes: "// +kubebuilder:webhook:name=‹x.old.example.com›", no: "// +groupName=‹x.old.example.com›"},
	{id: "marker-domain", shapes: []Shape{Key}, also: inMarker, place: InDomain, yes: "// +groupName=‹events.old.example.com›", no: "// +groupName=‹old.example.com›"},
	{id: "marker", also: inMarker, place: InMarker, tell: tellsMarker, yes: "// +groupName=‹old.example.com›", no: "// groupName of ‹old.example.com›"},

	{id: "another-group", shapes: []Shape{Resource}, also: namesAnother, place: OtherGroup, yes: "--api-group=‹apples.split.example.com›", no: "--api-resource=‹apples.split.example.com›"},
	{id: "another-version-head", shapes: []Shape{Resource}, before: versionHead, rest: rx(`^/["'\x60]`), place: OtherGroup,
		yes: "object.apiVersion.startsWith('‹apples.split.example.com›/')", no: "object.name.startsWith('‹apples.split.example.com›/')"},

	{id: "role-of-resource", shapes: []Shape{Resource}, rest: operatorRole, place: OperatorRole, yes: "the ‹apples.split.example.com›-v1-admin", no: "the ‹apples.split.example.com›-v1-adminer"},
	{id: "longer-name", shapes: []Shape{Bare}, also: inName, place: InName, yes: "the ‹old.example.com›-$x", no: "the ‹old.example.com› -$x"},
	{id: "searched", shapes: []Shape{Bare}, before: searchFor, also: runs, place: Searched, yes: "kubectl get crd -o name | grep ‹old.example.com›", no: "kubectl get crd -o name | tee ‹old.example.com›"},
	{id: "key-name", shapes: []Shape{Bare}, behind: rx(`^/([^{$%]|$)`), place: KeyLike, yes: "the key ‹old.example.com›/", no: "the key ‹old.example.com›"},
	{id: "crd-files", shapes: []Shape{Bare}, before: slash, behind: rx(`^_?\*`), place: CRDFiles, yes: "rm crd/bases/‹old.example.com›_*.yaml", no: "rm crd/bases/‹old.example.com›.yaml"},
	{id: "path", shapes: []Shape{Bare}, before: slash, place: InPath, yes: "cd api/‹old.example.com›", no: "cd ‹old.example.com›"},
	{id: "group-matcher", shapes: []Shape{Bare}, before: groupMatcher, behind: rx(`^([|)"'\x60\\]|$)`), place: Group, yes: "x{group=~\"apps|‹old.example.com›\"}", no: "x{host=~\"apps|‹old.example.com›\"}"},
	{id: "suffix-of-resource", shapes: []Shape{Bare}, before: suffixOf, also: suffixOfResource, place: EveryKind, yes: "endsWith(crd.name, \".‹old.example.com›\")", no: "endsWith(x.name, \".‹old.example.com›\")"},
	{id: "suffix-of-other", shapes: []Shape{Bare}, before: suffixOf, also: suffixOfOther, place: OtherName, yes: "endsWith(hostname, \".‹old.example.com›\")", no: "endsWith(x.name, \".‹old.example.com›\")"},
	{id: "suffix", shapes: []Shape{Bare}, before: suffixOf, place: Doubt, yes: "endsWith(x.name, \".‹old.example.com›\")", no: "ends(x.name, \".‹old.example.com›\")"},
	{id: "wildcard-other", shapes: []Shape{Bare}, before: wildcard, also: wildcardOther, place: OtherName, yes: "hosts = [\"*.‹old.example.com›\"]", no: "posts = [\"*.‹old.example.com›\"]"},
	{id: "wildcard-resources", shapes: []Shape{Bare}, before: wildcardResources, place: EveryKind, yes: "resources = [\"a\", \"*.‹old.example.com›\"]", no: "sources = [\"a\", \"*.‹old.example.com›\"]"},
	{id: "wildcard", shapes: []Shape{Bare}, before: wildcard, also: func(p *spot) bool { return p.mode != InProse }, place: Doubt, yes: "x \"*.‹old.example.com›\"", no: "x .‹old.example.com›"},
	{id: "define", shapes: []Shape{Bare}, also: definesGroup, place: Group, tell: tellsAnyKind, yes: `{{ define "x.apiGroup" }}‹old.example.com›{{ end }}`, no: `{{ define "x.host" }}‹old.example.com›{{ end }}`},
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
	{id: "table-row", shapes: []Shape{Bare}, dotted: true, before: cellBefore, behind: cellBehind, also: func(p *spot) bool { return besideKind(p) || besideVersion(p) }, place: Group, tell: followed,
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
	{id: "define-version", shapes: []Shape{GroupVersion}, also: definesVersion, place: SaidVersion, tell: tellsAnyKind, yes: "{{ define \"x.apiVersion\" -}}\n‹same.example.com/v7›\n{{ end }}", no: "{{ define \"x.api\" -}}\n‹same.example.com/v7›\n{{ end }}"},
	{id: "explained", shapes: []Shape{GroupVersion}, before: rx(`\bexplain\s.*--api-version[= ]["']?$`, "explain"), place: SaidVersion, tell: tellsExplained, yes: "kubectl explain pear.spec --api-version=‹same.example.com/v1beta1›", no: "kubectl get pear.spec --api-version=‹same.example.com/v1beta1›"},
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
	{id: "signer", shapes: []Shape{Resource}, also: ofSigner, place: Agreed, yes: "the signer ‹apples.split.example.com›/x", no: "the signed ‹apples.split.example.com›/x"},
	{id: "object-of-resource", shapes: []Shape{Resource}, but: kubectlBefore, also: func(p *spot) bool { return isObject(p.rest) }, place: Doubt, yes: "an ‹apples.split.example.com›/x", no: "an ‹apples.split.example.com›/status"},
	{id: "resource", shapes: []Shape{Resource}, place: Resources, yes: "an ‹apples.split.example.com› x", no: "an ‹apple.split.example.com› x"},

	{id: "version-head", shapes: []Shape{Key}, before: versionHead, rest: rx(`^/["'\x60]`), place: Compared,
		yes: "object.apiVersion.startsWith('‹old.example.com›/')", no: "object.name.startsWith('‹old.example.com›/')"},
	{id: "version-filled-in", shapes: []Shape{Key}, before: rx(`(?i)(api_?version|group_?version)["'\x60]?\s*[:=]\s*["'\x60]?$`, "version"), rest: versionFilled, place: VersionHead,
		yes: "echo apiVersion: ‹old.example.com›/${V}", no: "echo annotation: ‹old.example.com›/${V}"},
	{id: "every-kind", shapes: []Shape{Key}, before: rx(`^\s*["']?$`), rest: rx(`^/\*["']?:\s*$`), place: EveryKind, tell: onlyGroup, yes: "\"‹old.example.com/›*\":", no: "\"‹old.example.com/›*\": x"},
	{id: "searched-head", shapes: []Shape{Key}, before: searchFor, also: runs, rest: rx(`^(/["'\x60\s){]|/$)`), place: Searched, yes: "grep ‹old.example.com›/ x", no: "see ‹old.example.com›/ x"},
	{id: "substituted", shapes: []Shape{Key}, before: rx(`\bsed\s.*\bs.$`, "sed"), also: runs, place: Searched, yes: "sed -i s/‹old.example.com/x›/ y", no: "see -i s/‹old.example.com/x›/ y"},
	{id: "webhook-message", shapes: []Shape{Key}, before: rx(`(?i)\bwebhook\s+\\?["'\x60]$`, "webhook"), place: WebhookName, yes: "admission webhook \"‹x.old.example.com›\" denied it", no: "admission by \"‹x.old.example.com›\" denied it"},
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
