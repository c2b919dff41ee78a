package find

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// A yamlPlace says what a name is that is a whole value or key of YAML or JSON,
// by the keys around it. What a row does not ask for may be anything.
type yamlPlace struct {
	id     string // kebab-case
	shapes []Shape
	keys   bool                   // the name is a key, not a value
	key    func(name string) bool // of the key that holds the value: of a list, for its items
	labels bool                   // it is an entry of labels, annotations or a selector of them
	also   func(e *entry) bool
	place  *Place // nil: it is no site of its own
	tell   func(e *entry, s *Site)
	// yes is a document in which the row speaks of the name in ‹›, no one near to
	// it in which it does not.
	yes, no string
	file    string // the name of their file, where it matters
}

// An entry is a name in YAML or JSON that is a whole value, or part of a key.
type entry struct {
	*analysis
	v     *text.View
	t     *text.Tree
	i     int32 // the node
	tok   Token
	rbac  map[int32]bool // lists of permissions that were reported
	inKey bool
}

// yamlPlaces are asked in this order; the first that speaks of a name decides.
var yamlPlaces = []yamlPlace{
	{id: "key-extended", keys: true, shapes: []Shape{GroupKind}, also: countsResources, place: YAMLKey, yes: "limits: {‹old.example.com/Thing›: 1}", no: "limited: {‹old.example.com/Thing›: 1}"},
	{id: "key-kind", keys: true, shapes: []Shape{GroupKindUnder, GroupKind, GroupVersionKind}, also: func(e *entry) bool { return !inLabels(e.t, e.i) }, place: Group, yes: "‹old.example.com/Thing›: {a: b}", no: "‹old.example.com/thing›: {a: b}"},
	{id: "key-version", keys: true, shapes: []Shape{GroupVersion}, also: holdsMapping, place: APIVersion, yes: "‹old.example.com/v1›:\n  a: b", no: "‹old.example.com/v1›: b"},
	{id: "key-resource", keys: true, shapes: []Shape{Resource}, also: func(e *entry) bool { return e.tok.Known.Version != "" && !inLabels(e.t, e.i) }, place: Resources,
		yes: "‹apples.v1.split.example.com›: {}", no: "‹apples.split.example.com›: {}"},
	{id: "key-count", keys: true, shapes: []Shape{Resource}, also: isCount, place: Resources, yes: "count/‹apples.split.example.com›: 5", no: "‹apples.split.example.com›: 5"},
	{id: "key-count-of", keys: true, shapes: []Shape{Key}, also: isCount, place: Argument, yes: "count/‹figs.old.example.com›: 5", no: "‹figs.old.example.com›: 5"},
	{id: "key-email", keys: true, shapes: []Shape{Email}, place: InEmail, yes: "me@‹old.example.com›: x", no: "‹old.example.com›: x"},
	{id: "key-host", keys: true, shapes: []Shape{URLHost}, place: InHost, yes: "https://‹old.example.com›/x: x", no: "‹old.example.com›: x"},
	{id: "key-domain", keys: true, shapes: []Shape{Longer}, place: InDomain, yes: "‹a.b.c.old.example.com›: x", no: "‹c.old.example.com›: x"},
	{id: "key", keys: true, place: YAMLKey, yes: "‹old.example.com/x›: x", no: "x: ‹old.example.com/x›"},

	{id: "longer-domain", shapes: []Shape{Longer}, place: InDomain, yes: "a: ‹a.b.c.old.example.com›", no: "a: ‹c.old.example.com›"},
	{id: "crd-file", shapes: []Shape{FileName}, place: CRDFile, yes: "- ‹old.example.com_things.yaml›", no: "- ‹old.example.com_Thing›"},
	{id: "finalizer", key: isFinalizer, place: Finalizer, yes: "finalizers: [‹old.example.com/x›]", no: "final: [‹old.example.com/x›]"},
	{id: "label-field", shapes: keyShapes, also: namesKey, place: KeyLike, yes: "tolerations:\n- key: ‹old.example.com/v1›\n  operator: Exists", no: "tolerations:\n- value: ‹old.example.com/v1›"},
	{id: "label-values", shapes: keyShapes, key: isKey("^values$"), also: selectsLabel, place: LabelValue,
		yes: "- key: a\n  operator: In\n  values: [‹old.example.com/v1›]", no: "- values: [‹old.example.com/v1›]"},
	{id: "host-name", shapes: []Shape{Key, Resource}, key: isHost, place: HostName, yes: "host: ‹apples.split.example.com›", no: "post: ‹apples.split.example.com›"},
	{id: "image", shapes: []Shape{GroupVersion, GroupResource}, key: isImage, place: InPath, yes: "image: ‹old.example.com/v1›", no: "version: ‹old.example.com/v1›"},
	{id: "folder", shapes: folderShapes, key: isKey("^(resources|bases|components|crds|configurations|generators|transformers|validators|path)$"), also: inKustomization, place: InPath,
		file: "kustomization.yaml", yes: "resources: [‹apples.split.example.com›]", no: "kind: ‹apples.split.example.com›"},
	{id: "lease", shapes: []Shape{Resource, Key}, key: isKey("^name$"), also: namesLease, place: KeyLike,
		yes: "kind: Lease\nmetadata:\n  name: ‹apples.split.example.com›", no: "kind: Thing\nmetadata:\n  name: ‹apples.split.example.com›"},
	{id: "agreed-name", shapes: keyShapes[:len(keyShapes)-1], also: isAgreed, place: Agreed,
		yes: "spec:\n  controllerName: ‹old.example.com/v1›", no: "spec:\n  controlledBy: ‹old.example.com/v1›"},
	{id: "label-value", shapes: []Shape{GroupVersion}, labels: true, place: LabelValue, yes: "labels: {a: ‹old.example.com/v1›}", no: "spec: {a: ‹old.example.com/v1›}"},
	{id: "api-version", shapes: []Shape{GroupVersion}, place: APIVersion, tell: tellsObject, yes: "apiVersion: ‹old.example.com/v1›", no: "podLabels: {a: ‹old.example.com/v1›}"},
	{id: "module-path", shapes: pathShapes, key: isKey("(?i)^(import-?paths?|local-?prefix(es)?|module|go_?package)$"), place: InModule,
		yes: "local-prefixes: ‹old.example.com›", no: "prefixes: ‹old.example.com›"},
	{id: "condition", shapes: []Shape{GroupKind}, also: ofCondition, place: Condition, yes: "conditionType: ‹old.example.com/Ready›", no: "additionType: ‹old.example.com/Ready›"},
	{id: "kind", shapes: []Shape{GroupVersionKind, GroupKind, GroupKindUnder}, place: Group, yes: "a: ‹old.example.com/v1/Thing›", no: "a: ‹old.example.com/v1›"},
	{id: "group-resource", shapes: []Shape{GroupResource}, key: isKey("(?i)(resource|kind|group|crd|gvr|plural)"), place: Group, yes: "resource: ‹split.example.com/apples›", no: "source: ‹split.example.com/apples›"},
	{id: "perhaps-path", shapes: []Shape{GroupResource}, place: Doubt, yes: "source: ‹split.example.com/apples›", no: "resource: ‹split.example.com/apples›"},

	{id: "project-half", shapes: []Shape{Bare}, key: isKey("^(group|domain)$"), also: func(e *entry) bool { return e.isProject(e.v) }, place: ProjectHalf,
		file: "PROJECT", yes: "domain: ‹old.example.com›", no: "layout: ‹old.example.com›"},
	{id: "permissions", shapes: []Shape{Bare}, key: isKey("^(apiGroups|apigroups)$"), also: isPermission, place: Permissions, tell: tellsNode,
		yes: "rules:\n- apiGroups: [‹old.example.com›]\n  resources: [things]", no: "rules:\n- apiGroups: ‹old.example.com›\n"},
	{id: "permitted", shapes: []Shape{Bare}, key: isKey("^(apiGroups|apigroups)$"), also: wasReported, yes: "rules:\n- apiGroups: [old.example.com, ‹old.example.com›]\n", no: "rules:\n- apiGroups: [‹old.example.com›]\n"},
	{id: "crd-group", shapes: []Shape{Bare}, key: isGroupKey, also: definesNames, place: CRDGroup, tell: tellsCRD,
		yes: "spec:\n  group: ‹old.example.com›\n  names: {kind: Thing}", no: "spec:\n  group: ‹old.example.com›\n  kind: Thing"},
	{id: "group-field", shapes: []Shape{Bare}, key: isGroupKey, place: Group, tell: tellsField, yes: "a:\n  group: ‹old.example.com›", no: "a:\n  names: ‹old.example.com›"},
	{id: "another-group", shapes: []Shape{Key, Resource}, key: isGroupKey, also: func(e *entry) bool { return e.tok.mayBeGroup() }, place: OtherGroup,
		yes: "a:\n  group: ‹figs.old.example.com›", no: "a:\n  names: ‹figs.old.example.com›"},
	{id: "label-word", shapes: []Shape{Bare, Resource}, labels: true, place: LabelWord, yes: "labels: {a: ‹old.example.com›}", no: "spec: {a: ‹old.example.com›}"},
	{id: "webhook", shapes: []Shape{Bare}, also: namesWebhook, place: WebhookName, yes: "webhooks:\n- name: ‹old.example.com›", no: "hooks:\n- name: ‹old.example.com›"},
	{id: "group-argument", shapes: []Shape{Bare}, also: behindGroupFlag, place: GroupOrKey, yes: "args: [--api-group, ‹old.example.com›]", no: "args: [--host, ‹old.example.com›]"},
	{id: "group-variable", shapes: []Shape{Bare}, key: isKey("^value$"), also: ofGroupVariable, place: Group, yes: "- name: API_GROUP\n  value: ‹old.example.com›", no: "- name: API_HOST\n  value: ‹old.example.com›"},
	{id: "group-default", shapes: []Shape{Bare}, key: isKey("^(default|const|enum|example)$"), also: ofGroupProperty, place: Group,
		yes: "group:\n  default: ‹old.example.com›", no: "host:\n  default: ‹old.example.com›"},
	{id: "patched-group", shapes: []Shape{Bare}, key: isKey("^value$"), also: patchesGroup, place: Group, yes: "- path: /spec/group\n  value: ‹old.example.com›", no: "- path: /spec/host\n  value: ‹old.example.com›"},
	{id: "other-value", shapes: []Shape{Bare}, also: speaksOfOther, place: YAMLOther, yes: "host: ‹old.example.com›", no: "watch: ‹old.example.com›"},
	{id: "value", shapes: []Shape{Bare}, place: YAMLValue, yes: "watch: ‹old.example.com›", no: "group: ‹old.example.com›"},

	{id: "object-name", shapes: []Shape{Resource, Key}, key: isKey("^name$"), also: namesOther, place: ObjectName,
		yes: "kind: ConfigMap\nmetadata:\n  name: ‹apples.split.example.com›", no: "kind: CustomResourceDefinition\nmetadata:\n  name: ‹apples.split.example.com›"},
	{id: "owned-crd", shapes: []Shape{Resource}, key: isKey("^name$"), also: isOwned, place: OwnedCRD, tell: tellsOwned,
		yes: "owned:\n- name: ‹apples.split.example.com›", no: "required:\n- name: ‹apples.split.example.com›"},
	{id: "crd-name", shapes: []Shape{Resource}, key: isKey("^(name|crd)$"), also: func(e *entry) bool { return e.tok.Known.Version == "" || e.key() == "crd" }, place: CRDName, tell: tellsCRDName,
		yes: "metadata:\n  name: ‹apples.split.example.com›", no: "metadata:\n  names: ‹apples.split.example.com›"},
	{id: "resource", shapes: []Shape{Resource}, place: Resources, yes: "a: ‹apples.split.example.com›", no: "a: ‹apple.split.example.com›"},

	{id: "crd-by-kind", shapes: []Shape{Key}, key: isKey("^name$"), also: namesCRD, place: CRDNameOr, tell: tellsPlural,
		yes: "kind: CustomResourceDefinition\nmetadata:\n  name: ‹figs.old.example.com›", no: "kind: Thing\nmetadata:\n  name: ‹figs.old.example.com›"},
	{id: "webhook-key", shapes: []Shape{Key}, also: namesWebhook, place: WebhookName, yes: "webhooks:\n- name: ‹x.old.example.com›", no: "hooks:\n- name: ‹x.old.example.com›"},
	{id: "label-key", shapes: []Shape{Key}, labels: true, place: LabelValue, yes: "labels: {a: ‹x.old.example.com›}", no: "spec: {a: ‹x.old.example.com›}"},
	{id: "perhaps-resource", shapes: []Shape{Key}, also: func(e *entry) bool { return mayBeResource(e.tok) }, place: Perhaps, tell: func(e *entry, s *Site) { s.Facts.Plural = e.tok.Prefix },
		yes: "a: ‹figs.old.example.com›", no: "a: ‹old.example.com/figs›"},
	{id: "key-value", place: KeyLike, yes: "a: ‹old.example.com/figs›", no: "a: ‹figs.old.example.com›"},
}

// keyShapes are what the key of a label may be spelled like.
var keyShapes = []Shape{GroupVersion, GroupVersionKind, GroupKind, GroupResource, Resource, Key, Bare}

var (
	isFinalizer = isKey("(?i)^finalizers?(_?name)?$")
	isHost      = isKey("(?i)^(hosts?|host_?names?|dns_?names?|common_?name|fqdn|server_?name|sni)$")
	isImage     = isKey("(?i)image(_?(name|repository|repo))?$|^(repository|newName)$")
	isKeyField  = isKey("^([a-z]+K|k)ey$")
)

// namesKey says whether a value is the key of a label, annotation, taint or
// finalizer: key and topologyKey have one, and the value of a variable that is
// named after one.
func namesKey(e *entry) bool {
	name := e.key()
	if name == "value" {
		of := e.t.Sibling(e.i, "name")
		return of >= 0 && keyVariable.MatchString(e.t.Text(of))
	}
	return name == "topologyKey" || name == "key" && e.t.Sibling(e.i, "resource") < 0 || keyVariable.MatchString(name) && isKeyField(name)
}

// keyVariable is the name of a variable, field or flag for the key of a label,
// an annotation or a taint, for a finalizer or for the lock of an election.
var keyVariable = regexp.MustCompile(`(?i)(label|annotation|taint|topology)([-_.]?keys?)?$|finalizer([-_.]?(names?|keys?))?s?$|leader[-_.]?election[-_.]?(id|name|resource[-_.]?name)$`)

// selectsLabel says whether a list of values stands beside the key and the
// operator of a selector.
func selectsLabel(e *entry) bool {
	at := e.holder()
	return at >= 0 && e.t.Sibling(at, "key") >= 0 && e.t.Sibling(at, "operator") >= 0
}

// isAgreed says whether a value is a name that objects and those who serve them
// have agreed on: of a controller, a driver, a signer, or the type of an object.
// Source: GatewayClass, IngressClass, StorageClass, CSIDriver, CertificateSigningRequest, Secret.
func isAgreed(e *entry) bool {
	name := e.key()
	return agreedKey(name) || name == "type" && e.t.Nodes[e.i].Parent < 0 && rules.KindName.MatchString(e.t.Text(e.t.Sibling(e.i, "kind")))
}

var agreedKey = isKey("^(controllerName|controller|provisioner|driver|signerName|schedulerName|loadBalancerClass|managedBy)$")

// inKustomization says whether a name stands in a kustomization, which names
// files and folders.
func inKustomization(e *entry) bool {
	return strings.EqualFold(strings.TrimSuffix(path.Base(e.path), path.Ext(e.path)), "kustomization")
}

// namesLease says whether a name is that of a Lease: of the lock of an election.
func namesLease(e *entry) bool {
	meta := e.t.Nodes[e.i].Parent
	return meta >= 0 && e.t.KeyText(meta) == "metadata" && e.t.Text(e.t.Sibling(meta, "kind")) == "Lease"
}

// namesOther says whether a name is that of an object whose name is free: of a
// kind that is not spelled plural.group by definition.
// Source: apiextensions.k8s.io, and whatever else defines names and a group.
func namesOther(e *entry) bool {
	if kind := e.t.Text(e.t.Sibling(e.i, "kind")); kind != "" { // a reference
		return otherKind(kind) && !e.kinds[kind] && !slices.Contains(rules.Plurals(kind), e.tok.Prefix)
	}
	meta := e.t.Nodes[e.i].Parent
	return meta >= 0 && e.t.KeyText(meta) == "metadata" && otherKind(e.t.Text(e.t.Sibling(meta, "kind"))) && crdSpec(e.t, e.i) < 0
}

// otherKind says whether the objects of a kind may have any name.
func otherKind(kind string) bool {
	return rules.KindName.MatchString(kind) && kind != "CustomResourceDefinition" && kind != "APIService"
}

func isKey(pattern string) func(string) bool { return regexp.MustCompile(pattern).MatchString }

// speaks says whether a row speaks of a name.
func (x *yamlPlace) speaks(e *entry, key string) bool {
	return x.keys == e.inKey && (len(x.shapes) == 0 || anyOf(x.shapes, e.tok.Shape)) && (x.key == nil || x.key(key)) &&
		(!x.labels || inLabels(e.t, e.i)) && (x.also == nil || x.also(e))
}

// yamlPlace reports a name as the keys around it say.
func (a *analysis) yamlPlace(e *entry) {
	key := e.key()
	for i := range yamlPlaces {
		x := &yamlPlaces[i]
		if !x.speaks(e, key) {
			continue
		}
		if x.place != nil {
			s := Site{Doc: e.v, Token: e.tok, Place: x.place, Name: key, Tree: e.t, Node: e.i}
			if x.tell != nil {
				x.tell(e, &s)
			}
			a.found(s)
		}
		return
	}
}

// holder is the entry whose value a name is, or the list that it is an item of;
// -1 at the top.
func (e *entry) holder() int32 { return e.t.Up(e.i) }

// key is the key that holds a value, "" at the top.
func (e *entry) key() string {
	if at := e.holder(); at >= 0 {
		return e.t.KeyText(at)
	}
	return ""
}

// holdsMapping says whether a key has a mapping below and is no label, which
// may be spelled like an apiVersion; its value is a scalar.
func holdsMapping(e *entry) bool {
	n := e.t.Nodes[e.i]
	return n.Style == text.None && n.Last >= 0 && !inLabels(e.t, e.i)
}

// tellsObject reads the kind or resource beside an apiVersion.
func tellsObject(e *entry, s *Site) {
	if e.t.Nodes[e.i].Key.Len() == 0 {
		return
	}
	for _, name := range []string{"kind", "Kind", "ownerKind", "kinds"} {
		if k := e.t.Sibling(e.i, name); k >= 0 && e.t.Nodes[k].Style <= text.Double && rules.KindName.MatchString(e.t.Text(k)) {
			s.Facts.Kind = e.t.Text(k)
			s.Beside = []Part{e.part(k, RoleKind)}
			return
		}
	}
	if r := e.t.Sibling(e.i, "resource"); r >= 0 && rules.PluralName.MatchString(e.t.Text(r)) {
		s.Facts.Plural = e.t.Text(r)
	}
}

// part is the value of a node as something that moves with a site.
func (e *entry) part(n int32, role Role) Part {
	return Part{Doc: e.v, Span: e.t.Nodes[n].Val, Role: role}
}

// isGroupKey says whether a key's name says that its value is an API group.
func isGroupKey(name string) bool {
	if i := strings.LastIndexAny(name, ".-_"); i >= 0 {
		name = name[i+1:]
	}
	low := strings.ToLower(name)
	return low == "group" || low == "groups" || strings.HasSuffix(low, "apigroup") || strings.HasSuffix(low, "apigroups") ||
		strings.HasSuffix(name, "Group") || strings.HasSuffix(name, "Groups") || low == "groupname"
}

// isPermission says whether a list of groups belongs to a rule of permissions,
// of which nothing was reported.
func isPermission(e *entry) bool {
	at := e.holder()
	if at < 0 || e.rbac[at] || e.t.Nodes[at].Style != text.None || !e.t.Scalars(e.t.Children(at)) {
		return false
	}
	e.rbac[at] = true
	return true
}

func tellsNode(e *entry, s *Site) { s.Node = e.holder() }

// wasReported says whether a name is a further group of such a rule.
func wasReported(e *entry) bool { return e.rbac[e.holder()] }

// behindGroupFlag says whether an item of a list of arguments stands behind
// one like --api-group.
func behindGroupFlag(e *entry) bool {
	prev := e.t.Nodes[e.i].Prev
	return e.t.Nodes[e.i].Seq && prev >= 0 && groupArgument.MatchString(e.t.Text(prev))
}

var groupArgument = regexp.MustCompile(`^--?([a-z0-9]+-)*(api-?)?group$`)

// ofGroupVariable says whether a value is that of a variable named after a group.
func ofGroupVariable(e *entry) bool {
	return isGroupKey(e.t.Text(e.t.Sibling(e.i, "name"))) || strings.HasSuffix(e.t.Text(e.t.Sibling(e.i, "name")), "GROUP")
}

// ofGroupProperty says whether a value belongs to the schema of a property that
// is named after a group.
func ofGroupProperty(e *entry) bool {
	at := e.holder()
	return at >= 0 && e.t.Nodes[at].Parent >= 0 && isGroupKey(e.t.KeyText(e.t.Nodes[at].Parent))
}

// patchesGroup says whether a value is written where a JSON patch has a group.
// Source: RFC 6902, section 4.
func patchesGroup(e *entry) bool {
	return groupPointer.MatchString(e.t.Text(e.t.Sibling(e.i, "path")))
}

var groupPointer = regexp.MustCompile(`/(group|apiGroup|apiGroups?/([0-9]+|-))$`)

// speaksOfOther says whether a key tells of something else than a group: a host,
// an address, who made something, a prefix of keys, text for people.
func speaksOfOther(e *entry) bool {
	name := e.key()
	if name == "value" || name == "default" {
		if of := e.t.Sibling(e.i, "name"); of >= 0 {
			name = e.t.Text(of)
		} else if at := e.holder(); at >= 0 && e.t.Nodes[at].Parent >= 0 {
			name = e.t.KeyText(e.t.Nodes[at].Parent)
		}
	}
	return speaksOf(name, true) != nil
}

var isCondition = isKey("(?i)condition(_?types?|_?reasons?|s)?$|condition[A-Z]|Condition")

// ofCondition says whether a value is the type of a condition or its reason.
// Source: metav1.Condition, PodReadinessGate.
func ofCondition(e *entry) bool {
	switch key := e.key(); key {
	case "type":
		return e.t.Sibling(e.i, "status") >= 0 && e.t.Sibling(e.i, "kind") < 0
	case "reason":
		return e.t.Sibling(e.i, "type") >= 0 || e.t.Sibling(e.i, "status") >= 0
	default:
		return isCondition(key)
	}
}

// countsResources says whether a key is that of an extended resource of nodes.
func countsResources(e *entry) bool {
	p := e.t.Nodes[e.i].Parent
	return p >= 0 && countedIn(e.t.KeyText(p))
}

var countedIn = isKey("^(limits|requests|capacity|allocatable)$")

// isCount says whether a key counts the objects of a resource in a quota.
// Source: https://kubernetes.io/docs/concepts/policy/resource-quotas/#object-count-quota
func isCount(e *entry) bool {
	return strings.HasSuffix(string(e.v.Data[max(0, e.tok.Word.Start-6):e.tok.Word.Start]), "count/")
}

// definesNames says whether a group is that of a CRD.
func definesNames(e *entry) bool {
	return e.t.Nodes[e.i].Key.Len() > 0 && e.t.Sibling(e.i, "names") >= 0
}

// tellsCRD reads the names and versions of a CRD beside its group.
func tellsCRD(e *entry, s *Site) {
	names := e.t.Sibling(e.i, "names")
	s.Served = e.t.TextsOf(crdVersions(e.t, e.i))
	s.Defines = rules.GVK{Kind: e.t.Text(e.t.Child(names, "kind")), Plural: e.t.Text(e.t.Child(names, "plural"))}
	e.beside(s, e.t.Child(names, "kind"), e.t.Child(names, "plural"), onlyVersion(e.t, e.i))
	for i := range s.Beside {
		s.Beside[i].WithGroup = s.Beside[i].Role == RoleVersion
	}
}

// tellsField reads the kind, resource or version that stand beside a group.
func tellsField(e *entry, s *Site) {
	if e.t.Nodes[e.i].Key.Len() > 0 {
		e.beside(s, e.t.Sibling(e.i, "kind"), e.t.Sibling(e.i, "resource"), e.t.Sibling(e.i, "version"))
	}
	if s.Facts.Version == "" {
		s.Facts.Version = versionAround(e.t, e.i, e.tok.Known.Group)
	}
	for i := range s.Beside {
		s.Beside[i].WithGroup = inAPIService(e.t, e.i)
	}
}

// beside reads what stands beside a group; -1 is for what is not there.
func (e *entry) beside(s *Site, kind, plural, version int32) {
	t := e.t
	if kind < 0 {
		kind = t.Sibling(e.i, "Kind")
	}
	if plural < 0 {
		plural = t.Sibling(e.i, "plural")
	}
	if version >= 0 && !rules.APIVersion.MatchString(t.Text(version)) {
		version = -1
	}
	if kind >= 0 && rules.KindName.MatchString(t.Text(kind)) {
		s.Facts.Kind = t.Text(kind)
	} else if plural >= 0 && rules.PluralName.MatchString(t.Text(plural)) {
		s.Facts.Plural = t.Text(plural)
	} else if list := t.Sibling(e.i, "resources"); list >= 0 && len(t.Children(list)) == 1 {
		s.Facts.Plural = t.Text(t.Nodes[list].Last)
	}
	if list := t.Sibling(e.i, "resources"); list >= 0 && t.Scalars(t.Children(list)) {
		s.Apart = t.TextsOf(t.Children(list))
	}
	if kind >= 0 {
		s.Beside = append(s.Beside, e.part(kind, RoleKind))
	}
	if version >= 0 {
		s.Facts.Version = t.Text(version)
		s.Beside = append(s.Beside, e.part(version, RoleVersion))
	}
	if plural >= 0 && s.Facts.Plural != "" {
		s.Beside = append(s.Beside, e.part(plural, RoleResource))
	}
}

// inAPIService says whether node i is in the spec of an APIService.
func inAPIService(t *text.Tree, i int32) bool {
	spec := t.Nodes[i].Parent
	return spec >= 0 && t.KeyText(spec) == "spec" && t.Text(t.Sibling(spec, "kind")) == "APIService"
}

// isOwned says whether a name is that of a CRD that a ClusterServiceVersion owns.
func isOwned(e *entry) bool {
	item := e.t.Nodes[e.i].Parent
	return e.tok.Known.Version == "" && item >= 0 && e.t.Nodes[item].Seq && e.t.Nodes[item].Parent >= 0 && e.t.KeyText(e.t.Nodes[item].Parent) == "owned"
}

// tellsOwned reads the kind and the version of an owned CRD.
func tellsOwned(e *entry, s *Site) {
	tellsCRDName(e, s)
	e.versionBeside(s)
}

// versionBeside reads the version that an entry of a ClusterServiceVersion has
// beside the name of a CRD.
func (e *entry) versionBeside(s *Site) {
	if at := e.t.Sibling(e.i, "version"); at >= 0 && rules.APIVersion.MatchString(e.t.Text(at)) {
		s.Facts.Version = e.t.Text(at)
		s.Beside = append(s.Beside, e.part(at, RoleVersion))
	}
}

// isRequired says whether a name is that of a CRD that a ClusterServiceVersion
// needs: in the version beside it.
func (e *entry) isRequired() bool {
	item := e.t.Nodes[e.i].Parent
	return item >= 0 && e.t.Nodes[item].Seq && e.t.Nodes[item].Parent >= 0 && e.t.KeyText(e.t.Nodes[item].Parent) == "required"
}

// tellsCRDName reads the versions of the CRD of a name, or the kind that stands
// beside a reference to one. What becomes of a CRD is decided by its kind, of
// which the name has the plural only.
func tellsCRDName(e *entry, s *Site) {
	spec := crdSpec(e.t, e.i)
	if spec < 0 {
		if kind := e.t.Sibling(e.i, "kind"); kind >= 0 && slices.Contains(rules.Plurals(e.t.Text(kind)), s.Known.Plural) {
			s.Known.Kind = e.t.Text(kind)
			s.Beside = []Part{e.part(kind, RoleKind)}
		}
		if e.isRequired() {
			e.versionBeside(s)
		}
		return
	}
	group := e.t.Child(spec, "group")
	s.Served = e.t.TextsOf(crdVersions(e.t, group))
	s.Facts.Version = e.t.Text(onlyVersion(e.t, group))
	if names := e.t.Sibling(group, "names"); names >= 0 {
		s.Defines = rules.GVK{Kind: e.t.Text(e.t.Child(names, "kind")), Plural: e.t.Text(e.t.Child(names, "plural"))}
		if rules.KindName.MatchString(s.Defines.Kind) {
			s.Known.Kind = s.Defines.Kind
		}
	}
}

// tellsPlural takes the first label of a name for the resource.
func tellsPlural(e *entry, s *Site) {
	s.Known.Plural, s.Kind = e.tok.Prefix, e.tok.first()
	tellsCRDName(e, s)
}

// namesCRD says whether a name is that of a CustomResourceDefinition.
func namesCRD(e *entry) bool {
	t, at := e.t, e.holder()
	if at < 0 || e.tok.Prefix == "" || strings.Contains(e.tok.Prefix, ".") {
		return false
	}
	for p := t.Nodes[at].Parent; p >= 0; p = t.Nodes[p].Parent {
		if t.KeyText(p) == "customresourcedefinitions" {
			return true
		}
		if k := t.Sibling(p, "kind"); t.KeyText(p) == "metadata" && k >= 0 {
			return t.Text(k) == "CustomResourceDefinition"
		}
	}
	k := t.Sibling(at, "kind")
	return k >= 0 && t.Text(k) == "CustomResourceDefinition"
}

// namesWebhook says whether a name is that of a webhook: of an admission
// configuration, or of a ClusterServiceVersion.
func namesWebhook(e *entry) bool {
	at, name := e.holder(), e.key()
	if at < 0 || name != "name" && name != "generateName" {
		return false
	}
	p := e.t.Up(e.t.Nodes[at].Parent)
	return p >= 0 && (e.t.KeyText(p) == "webhooks" && name == "name" || e.t.KeyText(p) == "webhookdefinitions" && name == "generateName")
}

// labelParents are mappings whose keys and values are labels, annotations or
// selectors of them.
var labelParents = []string{"nodeSelector", "selector", "pairs"}

// holdsLabels says whether a key of that name has labels, annotations or a
// selector of them below: podLabels, commonAnnotations, pairs of kustomize.
func holdsLabels(name string) bool {
	low := strings.ToLower(name)
	return slices.Contains(labelParents, name) || strings.HasSuffix(low, "labels") || strings.HasSuffix(low, "annotations")
}

// inLabels says whether node i is an entry of a mapping of labels. A selector
// of objects by apiVersion and kind is none.
func inLabels(t *text.Tree, i int32) bool {
	p := t.Nodes[i].Parent
	return p >= 0 && holdsLabels(t.KeyText(p)) && !(t.KeyText(i) == "apiVersion" && t.Sibling(i, "kind") >= 0)
}

// crdSpec is the spec of the CustomResourceDefinition whose metadata.name is
// node i, -1 when the document is something else.
func crdSpec(t *text.Tree, i int32) int32 {
	meta := t.Nodes[i].Parent
	if meta < 0 || t.KeyText(meta) != "metadata" {
		return -1
	}
	spec := t.Sibling(meta, "spec")
	if spec < 0 || t.Child(spec, "group") < 0 {
		return -1
	}
	return spec
}

// crdVersions are the names of the versions that a CRD serves, by the entry
// of its group: the nodes that hold them.
func crdVersions(t *text.Tree, group int32) []int32 {
	var found []int32
	if one := t.Sibling(group, "version"); one >= 0 && rules.APIVersion.MatchString(t.Text(one)) {
		found = append(found, one)
	}
	if list := t.Sibling(group, "versions"); list >= 0 {
		for _, item := range t.Children(list) {
			if name := t.Child(item, "name"); name >= 0 && rules.APIVersion.MatchString(t.Text(name)) {
				found = append(found, name)
			}
		}
	}
	return found
}

// onlyVersion is the version of a CRD that has one, else -1.
func onlyVersion(t *text.Tree, group int32) int32 {
	if group < 0 {
		return -1
	}
	if list := crdVersions(t, group); len(list) == 1 {
		return list[0]
	}
	return -1
}

// versionAround is the version of a group in which the object stands that
// names the group again without one, "" when none of the objects around it is
// of that group.
func versionAround(t *text.Tree, i int32, group string) string {
	for p := t.Nodes[i].Parent; p >= 0; p = t.Nodes[p].Parent {
		at := t.Sibling(p, "apiVersion")
		if at < 0 {
			continue
		}
		if g, version, ok := strings.Cut(t.Text(at), "/"); ok && g == group && rules.APIVersion.MatchString(version) {
			return version
		}
	}
	return ""
}

// servedAround is the version of a CRD in whose schema node i stands, "" outside of one.
func servedAround(t *text.Tree, i int32) string {
	for p := t.Nodes[i].Parent; p >= 0; p = t.Nodes[p].Parent {
		if q := t.Nodes[p].Parent; t.Nodes[p].Seq && q >= 0 && t.KeyText(q) == "versions" {
			if name := t.Child(p, "name"); name >= 0 && rules.APIVersion.MatchString(t.Text(name)) {
				return t.Text(name)
			}
			return ""
		}
	}
	return ""
}
