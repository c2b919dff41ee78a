package find

import (
	"bytes"
	"slices"
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
	why    string // what writes such names, in more than one project
	shapes []Shape
	shell  bool          // in a shell alone
	dotted bool          // the group has a dot
	before *text.Pattern // what stands before the name
	own    *text.Pattern // the same on its own line, where a command goes over several
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
	left, right []byte // its line around it, as far as it is nearby: that of its command
	rest        []byte // its line behind the group
	own         []byte // what of left stands on its own line
	told        int    // how much of left stands elsewhere
	mode        Mode
}

// phrases are asked in this order; the first that speaks of a name decides.
var phrases = []phrase{
	{id: "module-file", why: "go.mod, go.sum and go.work hold module paths, which may begin with the domain of a group", also: func(p *spot) bool { return moduleFile.MatchString(p.path) && !bytes.Contains(p.left, []byte("//")) }, place: InModule, file: "go.mod",
		yes: "module ‹old.example.com/v1›", no: "// of ‹old.example.com/v1›"},
	{id: "module-path", why: "go install, import paths and the local prefixes of goimports are paths of modules", shapes: pathShapes, before: modulePath, place: InModule, yes: "go install ‹old.example.com/v1›/x@v1", no: "run ‹old.example.com/v1›/x"},
	{id: "email", why: "maintainers of charts and owners of files write addresses of the same domain", shapes: []Shape{Email}, place: InEmail, yes: "ask me@‹old.example.com›", no: "ask ‹old.example.com›"},
	{id: "host", why: "homepages and documentation stand on the domain of the group", shapes: []Shape{URLHost}, place: InHost, yes: "see https://‹old.example.com›/x", no: "see x/‹old.example.com›/x"},
	{id: "file-of-crd", why: "kustomize and charts that are made by it name the file of a CRD customresourcedefinition_RESOURCE.GROUP.yaml", shapes: []Shape{Longer}, before: rx(`(?i)customresourcedefinition_$`, "definition"), also: isFileOfCRD, place: FileOfCRD, tell: tellsFileOfCRD,
		yes: "see customresourcedefinition_‹apples.split.example.com.yaml›", no: "see definition_‹apples.split.example.com.yaml›"},
	{id: "longer-domain", why: "other hosts and other groups end with the same domain", shapes: []Shape{Longer}, place: InDomain, yes: "see ‹www.a.b.old.example.com›", no: "see ‹www.old.example.com›"},
	{id: "crd-file", why: "controller-gen names the file of a CRD GROUP_PLURAL.yaml", shapes: []Shape{FileName}, place: CRDFile, yes: "see ‹old.example.com_things.yaml›", no: "see ‹old.example.com_Thing›"},
	{id: "anchor", why: "API references link to types as #GROUP/VERSION.Kind", shapes: []Shape{Anchor}, place: Anchored, yes: "[x](api.md#‹old.example.com/v1.Thing›)", no: "[x](api.md/‹old.example.com/v1›)"},
	{id: "console-kind", why: "the console of OpenShift writes GROUP~VERSION~Kind in its paths, and tests and plugins visit them", shapes: []Shape{GroupVersion, GroupVersionKind}, rest: rx(`^~`), place: Group, yes: "https://a.example/x/‹old.example.com~v1~Thing›", no: "https://a.example/x/‹old.example.com/v1/Thing›"},
	{id: "schema-file", why: "kubeconform and yaml-language-server read catalogs of schemas as GROUP/kind_version.json", shapes: []Shape{Key}, rest: schemaFile, place: SchemaFile, yes: "https://a.example/‹old.example.com/thing_v1.json›", no: "https://a.example/‹old.example.com/thing.json›"},
	{id: "pointer", why: "JSON patches of labels and annotations spell the slash of a key ~1", shapes: []Shape{Key}, rest: rx(`^~1`), place: PointerKey, yes: "/metadata/labels/‹old.example.com~1x›", no: "/metadata/labels/‹old.example.com/x›"},
	{id: "another-rest-path", why: "a path to a longer group ends with the name of this one", shapes: []Shape{Resource, Key}, before: behindAPIs, also: func(p *spot) bool { return p.tok.Prefix != "" && isREST(p) }, place: OtherGroup,
		yes: "GET /apis/‹apples.split.example.com›/", no: "GET /api/‹apples.split.example.com›/"},
	{id: "rest-path", why: "curl, kubectl get --raw and clients ask for /apis/GROUP/VERSION", before: behindAPIs, also: isREST, place: REST, tell: tellsPath, yes: "GET /apis/‹old.example.com/v1›/things", no: "GET /api/‹old.example.com/v1›/things"},
	{id: "types-folder", why: "Go types often stand in pkg/apis/GROUP/VERSION, and generators are given that folder", before: behindAPIs, place: InImport, yes: "see pkg/apis/‹old.example.com/v1/Thing›", no: "GET /apis/‹old.example.com/v1›/things"},
	{id: "shell-variable", why: "scripts loop over kinds and ask kubectl for $kind.GROUP", shapes: []Shape{Bare, Key, Resource}, also: behindVariable, place: AnyResource, tell: tellsAnyResource,
		yes: "kubectl get ${x}.‹old.example.com›", no: "use ${x}.‹old.example.com›"},
	{id: "escaped-anchor", why: "gen-crd-api-reference-docs escapes the slash in the links it writes", shapes: []Shape{Bare}, before: anchorBefore, rest: escapedAnchor, also: func(p *spot) bool { return anchored(p.v.Data, &p.tok) }, place: Anchored, tell: tellsEscaped, yes: `<a href="x#‹old.example.com›%2fv1.Thing">`, no: `<a href="x/‹old.example.com›%2fv1.Thing">`},
	{id: "url", why: "pages and repositories have the domain of the group in their address", also: (*spot).inURL, place: InURL, yes: "https://a.example/‹old.example.com/v1›", no: "a.example/‹old.example.com/v1›"},
	{id: "marker-path", why: "conversion-gen and its kin are given Go packages", before: slash, also: inMarker, place: InImport, yes: "// +k8s:conversion-gen=a/‹old.example.com/v1›", no: "// +groupName=‹old.example.com›"},
	{id: "marker-webhook", why: "controller-gen takes the name of a webhook from its marker", shapes: []Shape{Key}, before: rx("\\+kubebuilder:webhook:(?:.*,)?name=[\"`]?$", "webhook:"), also: inMarker, place: WebhookName, tell: tellsGuarded,
		yes: "// +kubebuilder:webhook:name=‹x.old.example.com›", no: "// +groupName=‹x.old.example.com›"},
	{id: "marker-crd", why: "controller-gen takes the names of single CRDs from the marker of a permission", shapes: []Shape{Resource, Key}, before: markerNames, also: markerGrantsCRDs, place: GrantedCRD, tell: tellsMarkerCRD,
		yes: "// +kubebuilder:rbac:resources=customresourcedefinitions,resourceNames=‹apples.split.example.com›", no: "// +kubebuilder:rbac:resources=secrets,resourceNames=‹apples.split.example.com›"},
	{id: "marker-api", why: "the marker of a permission names an APIService VERSION.GROUP", shapes: []Shape{Resource}, before: markerNames, also: markerGrantsAPIs, place: GrantedAPI,
		yes: "// +kubebuilder:rbac:resources=apiservices,resourceNames=‹v1.split.example.com›", no: "// +kubebuilder:rbac:resources=secrets,resourceNames=‹v1.split.example.com›"},
	{id: "marker-name", why: "the marker of a permission names objects, which are free", shapes: []Shape{Resource, Key}, before: markerNames, also: markerGrantsOthers, place: ObjectName,
		yes: "// +kubebuilder:rbac:resources=secrets,resourceNames=‹apples.split.example.com›", no: "// +kubebuilder:rbac:resources=apiservices,resourceNames=‹apples.split.example.com›"},
	{id: "marker-role", why: "the marker of a permission names a role and a namespace, which are free", shapes: []Shape{Bare}, before: markerRole, also: inMarker, place: ObjectName,
		yes: "// +kubebuilder:rbac:groups=x,roleName=‹old.example.com›", no: "// +kubebuilder:rbac:roleName=x,groups=‹old.example.com›"},
	{id: "marker-owned", why: "operator-sdk reads the resources below an owned API as {Kind,GROUP/VERSION,name}, as those of 3scale and Kogito write it", shapes: []Shape{GroupVersion, Resource, Key}, before: markerOwned, also: inMarker, place: MarkerGroup, tell: tellsOwnedBelow,
		yes: "// +operator-sdk:csv:customresourcedefinitions:resources={{Thing,\"‹old.example.com/v1›\",x}}", no: "// +operator-sdk:csv:customresourcedefinitions:displayName=\"‹old.example.com/v1›\""},
	{id: "marker-domain", why: "a marker may name a longer group", shapes: []Shape{Key}, also: inMarker, place: InDomain, yes: "// +groupName=‹events.old.example.com›", no: "// +groupName=‹old.example.com›"},
	{id: "marker", why: "controller-gen, client-gen and register-gen read the group from markers", also: inMarker, place: InMarker, tell: tellsMarker, yes: "// +groupName=‹old.example.com›", no: "// groupName of ‹old.example.com›"},

	{id: "another-group", why: "flags for a group, and code that asks whether an apiVersion begins with one, may name a longer one: policies.kyverno.io is no policy of kyverno.io", shapes: []Shape{Resource}, also: namesAnother, place: OtherGroup, yes: "--api-group=‹apples.split.example.com›", no: "--api-resource=‹apples.split.example.com›"},

	{id: "role-of-resource", why: "OLM makes the roles RESOURCE.GROUP-VERSION-admin, -edit, -view and -crdview, and documents of operators name them", shapes: []Shape{Resource}, rest: operatorRole, place: OperatorRole, yes: "the ‹apples.split.example.com›-v1-admin", no: "the ‹apples.split.example.com›-v1-adminer"},
	{id: "variable-other", why: "scripts make hosts of a name and the domain, for curl and for settings", shapes: []Shape{Bare, Key}, also: ofOther, place: OtherName, yes: "curl ${x}.‹old.example.com›", no: "get ${x}.‹old.example.com›"},
	{id: "variable-head", why: "scripts and code put a name together before they use it, and do not say what it is", shapes: []Shape{Bare, Key}, also: fromVariable, place: Doubt, yes: "x=${y}.‹old.example.com›", no: "x=y.‹old.example.com›"},
	{id: "default-of-other", why: "shells and compose files give a variable that is not set a value: ${HOST:-NAME}", shapes: []Shape{Bare}, dotted: true, also: func(p *spot) bool { return speaksOf(p.defaultOf(), false) != nil }, place: OtherName,
		yes: `x="${SMTP_HOST:-‹old.example.com›}"`, no: `x="${SMTP_HOST}-‹old.example.com›"`},
	{id: "default-of-variable", why: "shells and compose files give a variable that is not set a value: ${GROUP:-NAME}", shapes: []Shape{Bare}, dotted: true, also: func(p *spot) bool { return p.defaultOf() != "" }, place: Literal, tell: tellsDefault,
		yes: `x="${API_GROUP:-‹old.example.com›}"`, no: `x="${API_GROUP}-‹old.example.com›"`},
	{id: "object-of-type", why: "kubectl names objects behind their type, and a secret, a lease or a role may have any name", shapes: []Shape{Bare, Key, Resource}, before: builtInType, rest: nameEnd, place: ObjectName,
		yes: "kubectl -n x get secret a ‹old.example.com›", no: "kubectl -n x get secrets,‹apples.split.example.com›"},
	{id: "longer-name", why: "names of objects and of files are put together with the group", shapes: []Shape{Bare}, also: inName, place: InName, yes: "the ‹old.example.com›-$x", no: "the ‹old.example.com› -$x"},
	{id: "searched", why: "scripts grep the output of kubectl get crd", shapes: []Shape{Bare}, before: searchFor, also: runs, place: Searched, yes: "kubectl get crd -o name | grep ‹old.example.com›", no: "kubectl get crd -o name | tee ‹old.example.com›"},
	{id: "key-name", why: "documents name the prefix of keys by its slash", shapes: []Shape{Bare}, behind: rx(`^/([^{$%]|$)`), place: KeyLike, yes: "the key ‹old.example.com›/", no: "the key ‹old.example.com›"},
	{id: "crd-files", why: "scripts copy and delete GROUP*.yaml of controller-gen", shapes: []Shape{Bare}, before: slash, behind: rx(`^\*`), place: CRDFiles, yes: "rm crd/bases/‹old.example.com›*.yaml", no: "rm crd/bases/‹old.example.com›.yaml"},
	{id: "crd-files-of-some", why: "scripts, as those of prometheus-operator's users and of nutanix' IPAM provider, name several files of controller-gen at once as GROUP_{a,b}.yaml", shapes: []Shape{Bare}, behind: ofSomeFiles, place: CRDFiles, tell: tellsFiles, yes: "rm crd/‹split.example.com›_{apples,berries}.yaml", no: "rm crd/‹split.example.com›_{{ x }}.yaml"},
	{id: "crd-files-here", why: "scripts and documents (traefik-helm-chart, kube-prometheus-stack) name files of controller-gen GROUP_*.yaml in no folder", shapes: []Shape{Bare}, behind: rx(`^_\*`), place: CRDFiles, yes: "the files ‹old.example.com›_*.yaml", no: "the files ‹old.example.com›*.yaml"},
	{id: "crd-files-begin", why: "scripts (argo-helm, k0rdent's kcm) put GROUP_ before the names of files of controller-gen, or take it off", shapes: []Shape{Bare}, behind: rx(`^_(["'\x60})]|$)`), also: func(p *spot) bool { return p.mode != InProse }, place: Doubt, yes: "${x#‹old.example.com›_}", no: "${x#‹old.example.com›_x}"},
	{id: "path", why: "folders of types and samples are named after the group", shapes: []Shape{Bare}, before: slash, place: InPath, yes: "cd api/‹old.example.com›", no: "cd ‹old.example.com›"},
	{id: "group-matcher", why: "alerts and dashboards choose metrics by group=~ in PromQL", shapes: []Shape{Bare}, before: groupMatcher, behind: rx(`^([|)"'\x60\\]|$)`), place: Group, tell: tellsSelector, yes: "x{group=~\"apps|‹old.example.com›\"}", no: "x{host=~\"apps|‹old.example.com›\"}"},
	{id: "matched", why: "policies and scripts match names, groups and labels with regular expressions", shapes: []Shape{Bare}, before: matchesOf, place: Doubt, yes: "x.matches(\"^‹old.example.com›$\")", no: "x.patches(\"^‹old.example.com›$\")"},
	{id: "part-of-group", why: "policies compare the group or the apiVersion of an object by a part of it", shapes: []Shape{Bare}, before: partOf, also: func(p *spot) bool { return isGroupKey(ofWhat(p.left)) || isVersionName(ofWhat(p.left)) }, place: Group, yes: "x.apiGroup.endsWith(\"‹old.example.com›\")", no: "x.name.endsWith(\"‹old.example.com›\")"},
	{id: "suffix-of-resource", why: "policies and scripts ask whether the name of a CRD ends with the group", shapes: []Shape{Bare}, before: partOf, also: suffixOfResource, place: EveryKind, yes: "endsWith(crd.name, \".‹old.example.com›\")", no: "endsWith(x.name, \".‹old.example.com›\")"},
	{id: "suffix-of-other", why: "code asks whether a host ends with the domain", shapes: []Shape{Bare}, before: partOf, also: suffixOfOther, place: OtherName, yes: "endsWith(hostname, \".‹old.example.com›\")", no: "endsWith(x.name, \".‹old.example.com›\")"},
	{id: "suffix", why: "nothing tells what ends with the domain: a resource or a host", shapes: []Shape{Bare}, before: partOf, place: Doubt, yes: "endsWith(x.name, \".‹old.example.com›\")", no: "ends(x.name, \".‹old.example.com›\")"},
	{id: "wildcard-other", why: "certificates and routes name *.DOMAIN", shapes: []Shape{Bare}, before: wildcard, also: wildcardOther, place: OtherName, yes: "hosts = [\"*.‹old.example.com›\"]", no: "posts = [\"*.‹old.example.com›\"]"},
	{id: "wildcard-resources", why: "EncryptionConfiguration and Crossplane stand for all resources of a group by *.GROUP", shapes: []Shape{Bare}, before: wildcardResources, place: EveryKind, yes: "resources = [\"a\", \"*.‹old.example.com›\"]", no: "sources = [\"a\", \"*.‹old.example.com›\"]"},
	{id: "wildcard", why: "nothing tells what a wildcard stands for: resources or hosts", shapes: []Shape{Bare}, before: wildcard, also: func(p *spot) bool { return p.mode != InProse }, place: Doubt, yes: "x \"*.‹old.example.com›\"", no: "x .‹old.example.com›"},
	{id: "define", why: "charts keep a group in a named template", shapes: []Shape{Bare}, also: definesGroup, place: Group, tell: tellsAnyKind, yes: `{{ define "x.apiGroup" }}‹old.example.com›{{ end }}`, no: `{{ define "x.host" }}‹old.example.com›{{ end }}`},
	{id: "label-line", why: "documents and commands tell of labels and annotations of the same name", shapes: []Shape{Bare}, own: labelWords, but: groupBefore, place: LabelLine, yes: "the label `‹old.example.com›`", no: "the label group: ‹old.example.com›"},
	{id: "group-value", why: "messages and flags name a group as group=, apiGroup: and the like", shapes: []Shape{Bare}, before: groupBefore, place: Group, tell: tellsLine, yes: "Group=‹old.example.com›, Kind=Thing", no: "group of ‹old.example.com›"},
	{id: "element", why: "XML of plugins (Jenkins, Maven) and of tests names a group by an element", shapes: []Shape{Bare}, dotted: true, before: elementBefore, rest: rx(`^\s*</`), also: inGroupElement, place: Group, tell: tellsElements, yes: "<apiGroup>‹old.example.com›</apiGroup>", no: "<host>‹old.example.com›</host>"},
	{id: "cell-of-values", why: "tables of values separated by commas (what kubectl prints by custom columns, inventories of APIs) have a group beside its version, kind or resource", shapes: []Shape{Bare, GroupVersion}, dotted: true, also: inRow, place: Group, tell: tellsRow, yes: "things,‹old.example.com›,v1", no: "things,‹old.example.com›,x", file: "x.csv"},
	{id: "printed-group", why: "kubectl api-resources printed RESOURCE, short names, GROUP, whether it has a namespace, and the kind, up to 1.19; tests of Robot Framework have group, version and resource in columns", shapes: []Shape{Bare}, dotted: true, also: isPrintedGroup, place: Group, tell: tellsPrintedGroup,
		yes: "things t ‹old.example.com› true Thing", no: "things t ‹old.example.com› Thing"},
	{id: "group-flag", why: "kube-state-metrics, kubebuilder and generators take a group by a flag", shapes: []Shape{Bare}, before: groupFlag, place: Group, tell: tellsLine, yes: "ctl --metricsgroup ‹old.example.com›", no: "ctl --host ‹old.example.com›"},
	{id: "other-name", why: "settings of hosts, registries and managers, and functions of scripts that are named after hosts and domains, are given the same domain", shapes: []Shape{Bare}, dotted: true, also: namedOther, place: OtherName, yes: `SOME_HOST="‹old.example.com›"`, no: `SOME_POST="‹old.example.com›"`},
	{id: "host-command", why: "scripts ask for hosts with nslookup, dig, curl and openssl", shapes: []Shape{Bare}, shell: true, before: hostCommand, place: HostName, yes: `nslookup "‹old.example.com›"`, no: `look "‹old.example.com›"`},
	{id: "domain-line", why: "documentation lists the domains of labels that users may not set", shapes: []Shape{Bare}, dotted: true, before: domainWords, but: groupWords, place: OtherName, yes: "restricted domains (as \"‹old.example.com›\")", no: "restricted groups (as \"‹old.example.com›\")"},
	{id: "host-rule", why: "routers of Traefik choose by Host(`NAME`), HostSNI(`NAME`) in CRDs, files and labels of containers, and those of Caddy and Skipper by host()", shapes: []Shape{Bare, Key, Resource}, before: hostRule, place: HostName, yes: "match: Host(`‹old.example.com›`) && Path(`/x`)", no: "match: Post(`‹old.example.com›`) && Path(`/x`)"},
	{id: "device-driver", why: "CEL of a ResourceClaim reads attributes by the domain of a driver", shapes: []Shape{Bare}, before: ofDevice, place: Agreed, yes: "device.attributes['‹old.example.com›'].type", no: "devices.of['‹old.example.com›'].type"},
	{id: "group-behind", why: "documents say \"the GROUP API group\"", shapes: []Shape{Bare}, dotted: true, also: saysGroup, place: Group, tell: followed, yes: "the ‹old.example.com› API group", no: "the ‹old.example.com› domain"},
	{id: "group-before", why: "documents say \"in API group GROUP\"", shapes: []Shape{Bare}, dotted: true, before: text.Tail(100, `(?i)\b(api[ -])?groups?:?\s+["'\x60*_(]*$`, "group"), place: Group, tell: tellsListed, yes: "in API group ‹old.example.com›", no: "in API ‹old.example.com›"},
	{id: "quoted-join", why: "scripts, charts and documents put keys of labels and hosts together with the domain in quotes", shapes: []Shape{Bare}, dotted: true, also: quotedJoin, place: Doubt, yes: "`${'‹old.example.com›'}/owner`", no: "`${'‹old.example.com›'}/v1`"},
	{id: "shell-assignment", why: "scripts and Makefiles keep a group in a variable", shapes: []Shape{Bare}, shell: true, dotted: true, before: rx(`(^|[\s;&|(])(export\s+|local\s+|readonly\s+|declare\s+(-\w+\s+)?)?[A-Za-z_][A-Za-z0-9_]*\s?[:?+]?=\s*["']?$`),
		behind: wordEnd, place: Literal, yes: "export API=‹old.example.com›", no: "export API=‹old.example.com›,x"},
	{id: "shell-word", why: "scripts pass a group as an argument", shapes: []Shape{Bare}, shell: true, dotted: true, also: func(p *spot) bool { return quotedBy(p.left, p.right, `"'`) }, place: Literal,
		yes: `use "‹old.example.com›" now`, no: "use (‹old.example.com›) now"},
	{id: "loop-word", why: "scripts loop over groups", shapes: []Shape{Bare}, shell: true, dotted: true, before: loopBefore, behind: wordEnd, also: ofNoHost, place: Literal, yes: "for api in x ‹old.example.com›; do", no: "for host in x ‹old.example.com›; do"},
	{id: "test-word", why: "scripts compare a variable with a group", shapes: []Shape{Bare}, shell: true, dotted: true, before: testBefore, behind: testBehind, also: ofNoHost, place: Literal, yes: "if [[ $api == ‹old.example.com› ]]; then", no: "if [[ $host == ‹old.example.com› ]]; then"},
	{id: "case-word", why: "scripts choose by a group", shapes: []Shape{Bare}, shell: true, dotted: true, before: caseBefore, behind: caseBehind, place: Doubt, yes: "  ‹old.example.com› | x)", no: "  run ‹old.example.com› | x)"},
	{id: "quoted-word", why: "documents set names in quotes or as code", shapes: []Shape{Bare}, dotted: true, also: func(p *spot) bool { return quotedBy(p.left, p.right, "\"'`") }, place: QuotedGroup,
		yes: "use `‹old.example.com›` here", no: "use *‹old.example.com›* here"},
	{id: "table-row", why: "tables of APIs have the group beside the kind or the version", shapes: []Shape{Bare}, dotted: true, before: cellBefore, behind: cellBehind, also: func(p *spot) bool { return besideKind(p) || besideVersion(p) }, place: Group, tell: followed,
		yes: "| ‹old.example.com› | Apple |", no: "| ‹old.example.com› | x |"},
	{id: "cell", why: "tables list domains of many sorts", shapes: []Shape{Bare}, dotted: true, before: cellBefore, behind: cellBehind, place: Doubt, yes: "| ‹old.example.com› | x |", no: "| of ‹old.example.com› | x |"},
	{id: "joined", why: "relabellings of Prometheus match labels that semicolons join: GROUP;RESOURCE", shapes: []Shape{Bare}, dotted: true, also: joinedBySemicolon, place: Doubt, yes: "regex: ‹old.example.com›;things", no: "regex: ‹old.example.com›; things"},
	{id: "mention", why: "running text names a group as it names a project", shapes: []Shape{Bare}, place: Mention, yes: "of ‹old.example.com› here", no: "of ‹old.example.com/v1› here"},

	{id: "selector", why: "kubectl -l, --selector and label selectors of objects", shapes: keyShapes, before: selectorBefore, place: KeyLike, yes: "kubectl get pods -l ‹apples.split.example.com›", no: "kubectl get ‹apples.split.example.com› -l a"},
	{id: "label-set", why: "kubectl label and annotate take keys", shapes: keyShapes, before: labelCommand, behind: labelSet, place: KeyLike, yes: "kubectl annotate pod p ‹apples.split.example.com›-", no: "kubectl annotate ‹apples.split.example.com› p x-"},
	{id: "key-flag", why: "controllers take the key of a label or the id of an election by a flag", shapes: keyShapes, before: keyNameBefore, place: KeyLike, yes: "--leader-election-id=‹apples.split.example.com›", no: "--id=‹apples.split.example.com›"},
	{id: "image", why: "images of registries are spelled as group and version", shapes: []Shape{GroupVersion}, behind: rx(`^(:(latest\b|v?[0-9])|@sha256:)`), place: InPath, yes: "run ‹old.example.com/v1›:latest", no: "run ‹old.example.com/v1›: latest"},
	{id: "version-set", why: "labels of images and objects are set as KEY=VALUE", shapes: []Shape{GroupVersion}, but: rx(`runtime-config`), behind: rx(`^["'\x60]?=[^=]`), place: KeyLike,
		yes: "LABEL a=b ‹old.example.com/v1›=y", no: "LABEL a=b ‹old.example.com/v1› y"},
	{id: "resource-set", why: "labels are set as KEY/NAME=VALUE", shapes: []Shape{Resource}, behind: rx(`^/[A-Za-z0-9_.-]+["'\x60]?=[^=]`), place: KeyLike,
		yes: "a ‹apples.split.example.com›/x=y", no: "a ‹apples.split.example.com›/x y"},

	{id: "import-path", why: "import paths end with the name of a group and its version", shapes: []Shape{GroupVersion}, before: slash, place: InImport, yes: "x/‹old.example.com/v1›", no: "x ‹old.example.com/v1›"},
	{id: "resource-path", why: "documents and discovery write GROUP/VERSION/RESOURCE, as folders are written", shapes: []Shape{GroupVersion}, behind: rx(`^/[a-z][a-z0-9-]*($|[ \t"'\x60;)&|])`), place: PathLike, tell: tellsResource,
		yes: "a ‹old.example.com/v1›/things b", no: "a ‹old.example.com/v1›/Things/x b"},
	{id: "longer-path", why: "folders of generated clients and types go on behind the version", shapes: []Shape{GroupVersion}, behind: rx(`^/`), place: InImport, yes: "a ‹old.example.com/v1›/x/y b", no: "a ‹old.example.com/v1› b"},
	{id: "key-line", why: "lists of labels stand a line each, with their values", shapes: []Shape{GroupVersion}, before: rx("^[ \\t\\-*#\"'`]*$"), behind: rx(`^["'\x60]?(=|:\s+["'\x60]?[A-Za-z0-9])`), place: KeyLike,
		yes: "- ‹old.example.com/v1›: yes", no: "- see ‹old.example.com/v1›: yes"},
	{id: "define-version", why: "charts keep an apiVersion in a named template", shapes: []Shape{GroupVersion}, also: definesVersion, place: SaidVersion, tell: tellsAnyKind, yes: "{{ define \"x.apiVersion\" -}}\n‹same.example.com/v7›\n{{ end }}", no: "{{ define \"x.api\" -}}\n‹same.example.com/v7›\n{{ end }}"},
	{id: "explained", why: "kubectl explain takes the version by --api-version", shapes: []Shape{GroupVersion}, before: rx(`\bexplain\s.*--api-version[= ]["']?$`, "explain"), place: SaidVersion, tell: tellsExplained, yes: "kubectl explain pear.spec --api-version=‹same.example.com/v1beta1›", no: "kubectl get pear.spec --api-version=‹same.example.com/v1beta1›"},
	{id: "printed-api", why: "kubectl api-resources prints RESOURCE, short names, GROUP/VERSION, whether it has a namespace, and the kind; documents quote it", shapes: []Shape{GroupVersion}, also: isPrintedAPI, place: SaidVersion, tell: tellsPrintedAPI,
		yes: "pears p ‹same.example.com/v7› true Pear", no: "pears p ‹same.example.com/v7› Pear"},
	{id: "version", why: "documents, messages and commands name GROUP/VERSION", shapes: []Shape{GroupVersion}, also: func(p *spot) bool { return p.namedVersion(p.tok.Known) || apiVersionBefore.Match(p.left) }, place: SaidVersion, tell: tellsKind,
		yes: "the version ‹same.example.com/v1beta1›", no: "the version ‹same.example.com/v7›"},
	{id: "unnamed-version", why: "a path or a label may be spelled as a version that no rule names", shapes: []Shape{GroupVersion}, place: Unnamed, yes: "the version ‹same.example.com/v7›", no: "apiVersion: ‹same.example.com/v7›"},

	{id: "resource-folder", why: "Velero and what reads its backups keep objects in resources/RESOURCE.GROUP/namespaces", shapes: []Shape{Resource}, before: resourcesBefore, rest: objectsBehind, place: Resources,
		yes: "a resources/‹apples.split.example.com›/namespaces/x b", no: "a resources/‹apples.split.example.com›/x b"},
	{id: "perhaps-resource-folder", why: "so they do of resources that no rule names", shapes: []Shape{Key}, before: resourcesBefore, rest: objectsBehind, also: oneLabel, place: PerhapsObject, tell: tellsPrefix,
		yes: "a resources/‹figs.old.example.com/namespaces›/x b", no: "a sources/‹figs.old.example.com/namespaces›/x b"},
	{id: "object-file", why: "Velero and what reads its backups keep a CRD in a file of its name", shapes: []Shape{Resource}, before: objectsBefore, behind: rx(`^\.json`), place: Resources,
		yes: "customresourcedefinitions/cluster/‹apples.split.example.com›.json", no: "a/customresources/cluster/‹apples.split.example.com›.json"},
	{id: "folder", why: "scripts and kustomizations lead into folders that are named plural.group", shapes: folderShapes, before: pathBefore, but: notAPath, place: InPath, yes: "cd ./‹apples.split.example.com›", no: "kubectl get crd/‹apples.split.example.com›"},
	{id: "folder-of-file", why: "files stand in folders that are named plural.group", shapes: folderShapes, rest: rx(`^/(\S*/)?[A-Za-z0-9_.-]+\.(ya?ml|json|sh|go|py|md|tpl|txt)($|[\s"'\x60,;)\]])`), but: notAPath, place: InPath,
		yes: "cat ‹apples.split.example.com›/x.yaml", no: "cat ‹apples.split.example.com›/x"},
	{id: "kind", why: "messages of the API server and Argo CD write GROUP/VERSION/Kind and GROUP_Kind", shapes: []Shape{GroupVersionKind, GroupKindUnder}, place: Group, yes: "an ‹old.example.com/v1/Thing›", no: "a ‹old.example.com/v1/thing›"},
	{id: "resource-key", why: "node labels and quotas are spelled GROUP/name", shapes: []Shape{GroupResource}, behind: rx(`^[:=]`), place: KeyLike, yes: "‹split.example.com/apples›=x", no: "‹split.example.com/apples› x"},
	{id: "condition", why: "kubectl wait takes the type of a condition", shapes: []Shape{GroupKind}, before: rx(`(?i)\bcondition(_?type)?\s?[:=]+\s?["']?$`, "condition"), place: Condition, yes: "kubectl wait --for=condition=‹old.example.com/Ready› x", no: "kubectl wait --for=‹old.example.com/Ready› x"},
	{id: "group-kind", why: "documents and errors write GROUP/Kind", shapes: []Shape{GroupKind}, place: GroupOrKey, yes: "an ‹old.example.com/Thing›", no: "an ‹old.example.com/thing›"},
	{id: "group-resource", why: "documents and errors write GROUP/RESOURCE where they speak of a resource", shapes: []Shape{GroupResource}, before: resourceWord, place: GroupOrKey, yes: "the resource ‹split.example.com/apples›", no: "the source ‹split.example.com/apples›"},
	{id: "perhaps-path", why: "keys of etcd and folders of oc adm inspect are GROUP/RESOURCE, and images and labels are spelled like it", shapes: []Shape{GroupResource}, place: Doubt, yes: "an ‹split.example.com/apples› x", no: "an ‹split.example.com/Apple› x"},

	{id: "webhook-configuration", why: "kubectl names the configuration of a webhook behind its type, and the name is free", shapes: []Shape{Resource, Key}, before: webhookConfiguration, place: ObjectName,
		yes: "kubectl delete mutatingwebhookconfiguration ‹apples.split.example.com›", no: "kubectl delete mutatingwebhookconfiguration x ‹apples.split.example.com›"},
	{id: "resource-is-key", why: "labels are set as NAME.GROUP=VALUE", shapes: []Shape{Resource}, behind: rx(`^["'\x60]?=`), place: KeyLike, yes: "x ‹apples.split.example.com›=x", no: "x ‹apples.split.example.com› x"},
	{id: "resource-is-entry", why: "lists of labels stand a line each in documents", shapes: []Shape{Resource}, before: rx(`^[ \t\-#"']*$`), behind: rx(`^: `), also: noKind, place: KeyLike, yes: "‹apples.split.example.com›: x", no: "‹Apple.split.example.com›: x"},
	{id: "resource-labels", why: "lines about labels name keys that are spelled as a resource", shapes: []Shape{Resource}, own: labelWords, but: resourceNamed, also: noKind, place: KeyLike, yes: "a label ‹apples.split.example.com› x", no: "a label ‹Apple.split.example.com› x"},
	{id: "signer", why: "certificates are asked of a signer RESOURCE.GROUP/NAME", shapes: []Shape{Resource}, also: ofSigner, place: Agreed, yes: "the signer ‹apples.split.example.com›/x", no: "the signed ‹apples.split.example.com›/x"},
	{id: "object-of-resource", why: "labels, signers and objects are spelled RESOURCE.GROUP/NAME", shapes: []Shape{Resource}, but: kubectlBefore, also: func(p *spot) bool { return isObject(p.rest) }, place: Doubt, yes: "an ‹apples.split.example.com›/x", no: "an ‹apples.split.example.com›/status"},
	{id: "resource", why: "kubectl takes RESOURCE.GROUP, and prints it", shapes: []Shape{Resource}, place: Resources, yes: "an ‹apples.split.example.com› x", no: "an ‹apple.split.example.com› x"},

	{id: "version-head", why: "kuberay, kops and the GPU operator ask of owners whether an apiVersion begins with GROUP/, Argo Workflows and headlamp of objects", shapes: []Shape{Key}, before: versionHead, rest: headEnd, place: Compared,
		yes: "object.apiVersion.startsWith('‹old.example.com›/')", no: "object.name.startsWith('‹old.example.com›/')"},
	{id: "version-filled-in", why: "scripts and templates fill the version in behind GROUP/", shapes: []Shape{Key}, before: rx(`(?i)(api_?version|group_?version)["'\x60]?\s*[:=]\s*["'\x60]?$`, "version"), rest: versionFilled, place: VersionHead,
		yes: "echo apiVersion: ‹old.example.com›/${V}", no: "echo annotation: ‹old.example.com›/${V}"},
	{id: "every-kind", why: "Argo CD customises all kinds of a group by GROUP/*", shapes: []Shape{Key}, before: rx(`^\s*["']?$`), rest: rx(`^/\*["']?:\s*$`), place: EveryKind, tell: onlyGroup, yes: "\"‹old.example.com/›*\":", no: "\"‹old.example.com/›*\": x"},
	{id: "searched-head", why: "scripts grep manifests for GROUP/", shapes: []Shape{Key}, before: searchFor, also: runs, rest: rx(`^(/["'\x60\s){]|/$)`), place: Searched, yes: "grep ‹old.example.com›/ x", no: "see ‹old.example.com›/ x"},
	{id: "substituted", why: "scripts rewrite manifests with sed", shapes: []Shape{Key}, before: rx(`\bsed\s.*\bs.$`, "sed"), also: runs, place: Searched, yes: "sed -i s/‹old.example.com/x›/ y", no: "see -i s/‹old.example.com/x›/ y"},
	{id: "webhook-message", why: "the API server tells which webhook denied a request", shapes: []Shape{Key}, before: rx(`(?i)\bwebhook\s+\\?["'\x60]$`, "webhook"), place: WebhookName, yes: "admission webhook \"‹x.old.example.com›\" denied it", no: "admission by \"‹x.old.example.com›\" denied it"},
	{id: "webhook-chosen", why: "tests of charts (flink-kubernetes-operator) and guides (config-connector) lead to a field of a webhook by its name", shapes: []Shape{Key}, before: rx(`\bwebhooks\[\?\(@\.name\s*==\s*[\\"']+$`, "webhooks["), place: HookChosen, yes: "path: webhooks[?(@.name==\"‹x.old.example.com›\")].rules", no: "path: hooks[?(@.name==\"‹x.old.example.com›\")].rules"},
	{id: "command-output", why: "kubectl prints SINGULAR.GROUP/NAME created, configured, deleted", shapes: []Shape{Key}, rest: objectDone, also: oneLabel, place: Object, tell: tellsDone, yes: "‹apple.split.example.com/x› created", no: "‹apple.split.example.com/x› was made"},
	{id: "output-row", why: "kubectl get of several kinds prints a table with SINGULAR.GROUP/NAME", shapes: []Shape{Key}, before: rx(`^\s*$`), rest: rx(`^/[a-z0-9.-]+\s{2,}\S`), also: isSingular, place: Object, tell: tellsSingular,
		yes: "‹apple.split.example.com/x›   1", no: "‹apple.split.example.com/x› 1"},
	{id: "output-name", why: "kubectl -o name prints SINGULAR.GROUP/NAME", shapes: []Shape{Key}, before: rx(`^\s*$`), rest: rx(`^/[a-z0-9][a-z0-9.-]*\s*$`), also: func(p *spot) bool { return oneLabel(p) && p.printsNames() }, place: Object, tell: tellsPrinted,
		yes: "$ kubectl get apples -o name\n‹apple.split.example.com/x›", no: "$ kubectl get apples\n‹apple.split.example.com/x›"},
	{id: "output-row-perhaps", why: "kubectl get all prints RESOURCE.GROUP/NAME in columns, and a label may be spelled like it", shapes: []Shape{Key}, before: rx(`^\s*$`), rest: rx(`^/[a-z0-9.-]+\s{2,}\S`), also: oneLabel, place: PerhapsObject, tell: tellsPrinted,
		yes: "‹fig.split.example.com/x›   1", no: "‹fig.split.example.com/x› 1"},
	{id: "line-of-name", why: "lists of kinds and what kubectl -o name printed have SINGULAR.GROUP on a line of its own, and a label may be spelled like it", shapes: []Shape{Key}, before: rx(`^\s*(-\s+)?$`), rest: rx(`^(/[a-z0-9][a-z0-9.-]*)?\s*$`), also: isSingular, place: LineOfName, tell: tellsSingular,
		yes: "‹apple.split.example.com›", no: "x ‹apple.split.example.com›"},
	{id: "command", why: "kubectl takes SINGULAR.GROUP and short names as well", shapes: []Shape{Key}, before: kubectlBefore, rest: rx(`^([^=]|$)`), also: func(p *spot) bool { return oneLabel(p) && !asksForLabels(p.left) }, place: Object, tell: tellsName,
		yes: "kubectl get ‹apple.split.example.com›", no: "kubectl get x -l ‹apple.split.example.com›"},
	{id: "kopf-resource", why: "operators made with kopf (dask-kubernetes, kopf's own documents) name what they handle RESOURCE.GROUP, SINGULAR.GROUP or by a short name", shapes: []Shape{Key}, also: handledByKopf, place: Object, tell: tellsName,
		yes: "@kopf.on.create(\"‹fig.old.example.com›\")", no: "@cope.on.create(\"‹fig.old.example.com›\")"},
	{id: "labels-line", why: "lines about labels name keys of the domain", shapes: []Shape{Key, PathPiece}, own: labelWords, place: KeyLike, yes: "the label ‹apples.old.example.com›", no: "the ‹apples.old.example.com›"},
	{id: "key-value", why: "labels and settings are written KEY=VALUE", shapes: []Shape{Key, PathPiece}, behind: rx(`^=`), place: KeyLike, yes: "x ‹apples.old.example.com›=x", no: "x ‹apples.old.example.com› = x"},
	{id: "crd-named", why: "documents and scripts say that a name is that of a CRD (volcano's designs by the word before it, karpenter's guide to v1 and what checks clusters for Seldon Core by lists called crds)", shapes: []Shape{Key, PathPiece}, also: textNamesCRD, place: CRDNameOr, tell: func(p *spot, s *Site) { s.Known.Plural, s.Kind = p.tok.Prefix, p.tok.first() },
		yes: "the CRD `‹figs.old.example.com›`", no: "the card `‹figs.old.example.com›`"},
	{id: "perhaps-resource", why: "CRDs that no rule names are PLURAL.GROUP, as many labels are", shapes: []Shape{Key, PathPiece}, also: perhapsResource, place: Perhaps, tell: tellsPrefix, yes: "the ‹apples.old.example.com›", no: "the ‹old.example.com/x›"},
	{id: "key", why: "everything else that is spelled as a key of a label", shapes: []Shape{Key, PathPiece}, place: KeyLike, yes: "the ‹old.example.com/x›", no: "the ‹old.example.com›"},
}

func rx(pattern string, words ...string) *text.Pattern { return text.NewPattern(pattern, words...) }

// speaks says whether a row speaks of a name.
func (x *phrase) speaks(p *spot) bool {
	return (len(x.shapes) == 0 || anyOf(x.shapes, p.tok.Shape)) && (!x.shell || p.mode == InShell) && (!x.dotted || p.dotted()) &&
		(x.before == nil || x.before.Match(p.left)) && (x.own == nil || x.own.Match(p.own)) && (x.but == nil || !x.but.Match(p.left)) &&
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
	p := a.spotOf(v, tok, m)
	p.report(nil)
}

// report reports the name as the first row says that speaks of it; also tells what
// else is known of it, nil for nothing.
func (p *spot) report(also func(s *Site)) {
	a, v, tok, m := p.analysis, p.v, p.tok, p.mode
	for i := range phrases {
		if x := &phrases[i]; x.speaks(p) {
			s := Site{Doc: v, Token: tok, Place: x.place, Phrase: true, Mode: m}
			if tok.Shape == Bare && x.place.Ask == Rules {
				s.apart(v, tok.Word)
			}
			if x.tell != nil {
				x.tell(p, &s)
			}
			if also != nil {
				also(&s)
			}
			if (x.place == Group || x.place == Literal) && tok.Shape == Bare && !s.selected && (m == InCode || m == InShell) {
				a.named(&s, v, tok.Word)
			}
			a.found(s)
			return
		}
	}
}

// spotOf is a token with its line, or with its command where that goes over
// several.
func (a *analysis) spotOf(v *text.View, tok Token, m Mode) spot {
	line := text.LineAround(v.Data, tok.Word)
	p := spot{analysis: a, v: v, tok: tok, left: v.Data[line.Start:tok.Word.Start], right: v.Data[tok.Word.End:line.End], rest: v.Data[tok.Group.End:line.End], mode: m}
	p.own = p.left
	if m == InProse {
		return p
	}
	if left, right := commandAround(v.Data, tok.Word, line); left != nil {
		p.left, p.right = left, right
		p.rest = slices.Concat(v.Data[tok.Group.End:tok.Word.End], right)
	}
	if wordList.Match(p.left) {
		p.left, p.right, p.rest = unlisted(p.left), unlisted(p.right), unlisted(p.rest)
	}
	return p
}

// begin is where the line of a name begins in the view: before it, where words of
// it stand elsewhere.
func (p *spot) begin() int { return p.tok.Word.Start - len(p.left) }

func (p *spot) dotted() bool { return strings.Contains(p.tok.Known.Group, ".") }
