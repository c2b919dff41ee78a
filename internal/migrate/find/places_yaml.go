package find

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// A yamlPlace says what a name is that is a whole value or key of YAML or JSON,
// by the keys around it. What a row does not ask for may be anything.
type yamlPlace struct {
	id     string // kebab-case
	why    string // what writes such names, in more than one project
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
	{id: "key-rest", why: "OpenAPI documents have a key for each path of the server", keys: true, also: isRESTKey, place: REST, tell: func(e *entry, s *Site) { tellsPath(e.spot(), s) }, yes: "/apis/‹old.example.com/v1›/things:\n  get: {}", no: "/api/‹old.example.com/v1›/things:\n  get: {}"},
	{id: "key-extended", why: "device plugins count resources of nodes as DOMAIN/name in limits, requests and capacity", keys: true, shapes: []Shape{GroupKind}, also: countsResources, place: YAMLKey, yes: "limits: {‹old.example.com/Thing›: 1}", no: "limited: {‹old.example.com/Thing›: 1}"},
	{id: "key-kind", why: "Argo CD, kustomize and policies have settings by GROUP/Kind", keys: true, shapes: []Shape{GroupKindUnder, GroupKind, GroupVersionKind}, also: func(e *entry) bool { return !inLabels(e.t, e.i) }, place: Group, yes: "‹old.example.com/Thing›: {a: b}", no: "‹old.example.com/thing›: {a: b}"},
	{id: "key-of-kind", why: "settings of controllers and test tools map a version to the kinds that they watch", keys: true, shapes: []Shape{GroupVersion}, also: holdsKinds, place: APIVersion, tell: tellsKindsBelow, yes: "‹old.example.com/v1›: Apple", no: "‹old.example.com/v1›: apple"},
	{id: "key-version", why: "settings by GROUP/VERSION hold a mapping", keys: true, shapes: []Shape{GroupVersion}, also: holdsMapping, place: APIVersion, yes: "‹old.example.com/v1›:\n  a: b", no: "‹old.example.com/v1›: b"},
	{id: "key-resource", why: "discovery and charts have settings by PLURAL.VERSION.GROUP", keys: true, shapes: []Shape{Resource}, also: func(e *entry) bool { return e.tok.Known.Version != "" && !inLabels(e.t, e.i) }, place: Resources,
		yes: "‹apples.v1.split.example.com›: {}", no: "‹apples.split.example.com›: {}"},
	{id: "key-concurrency", why: "controller-runtime has workers by Kind.GROUP, as the configurations of Kueue and Kubeflow's trainer say", keys: true, shapes: []Shape{Resource}, also: func(e *entry) bool { return e.tok.isKind() && !inLabels(e.t, e.i) }, place: Resources,
		yes: "groupKindConcurrency: {‹Apple.split.example.com›: 5}", no: "labels: {‹Apple.split.example.com›: a}"},
	{id: "key-count", why: "quotas count objects as count/PLURAL.GROUP", keys: true, shapes: []Shape{Resource}, also: isCount, place: Resources, yes: "count/‹apples.split.example.com›: 5", no: "‹apples.split.example.com›: 5"},
	{id: "key-count-of", why: "quotas count objects of CRDs that no rule names", keys: true, shapes: []Shape{Key}, also: isCount, place: Argument, tell: tellsFirst, yes: "count/‹figs.old.example.com›: 5", no: "‹figs.old.example.com›: 5"},
	{id: "key-ordered", why: "Velero backs up in the order of orderedResources", keys: true, shapes: []Shape{Resource}, also: ordersResources, place: Resources, yes: "orderedResources: {‹apples.split.example.com›: a/b}", no: "ordered: {‹apples.split.example.com›: a/b}"},
	{id: "key-ordered-of", why: "Velero orders CRDs that no rule names", keys: true, shapes: []Shape{Key}, also: ordersResources, place: Argument, tell: tellsFirst, yes: "orderedResources: {‹figs.old.example.com›: a/b}", no: "ordered: {‹figs.old.example.com›: a/b}"},
	{id: "key-every-kind", why: "Argo CD customises all kinds of a group by GROUP/*", keys: true, shapes: []Shape{Key}, also: namesEveryKind, place: EveryKind, tell: func(e *entry, s *Site) { s.Word, s.Shape = s.Group, Bare },
		yes: "‹old.example.com/*›:\n  a: b", no: "‹old.example.com/x›:\n  a: b"},
	{id: "key-listed", why: "values of charts and configurations of collectors list resources as keys", keys: true, shapes: []Shape{Resource, Key}, also: mayNameCRD, place: KeyOfCRDs, tell: tellsFirst, yes: "‹figs.old.example.com›: true", no: "labels: {‹figs.old.example.com›: true}"},
	{id: "key-of-list", why: "values of charts and configurations of controllers list the resources of a group below it, or what is done to each, and no label has a list", keys: true, shapes: []Shape{Bare}, also: holdsLists, place: KeyOfMap, yes: "‹old.example.com›: [apples]", no: "‹old.example.com›: apples"},
	{id: "key-email", why: "maps of people have addresses for keys", keys: true, shapes: []Shape{Email}, place: InEmail, yes: "me@‹old.example.com›: x", no: "‹old.example.com›: x"},
	{id: "key-host", why: "maps of links have addresses for keys", keys: true, shapes: []Shape{URLHost}, place: InHost, yes: "https://‹old.example.com›/x: x", no: "‹old.example.com›: x"},
	{id: "key-domain", why: "other domains and other groups end with the same one", keys: true, shapes: []Shape{Longer}, place: InDomain, yes: "‹a.b.c.old.example.com›: x", no: "‹c.old.example.com›: x"},
	{id: "key", why: "labels, annotations, node selectors and settings are keys of the domain", keys: true, place: YAMLKey, yes: "‹old.example.com/x›: x", no: "x: ‹old.example.com/x›"},

	{id: "longer-domain", why: "other domains and other groups end with the same one", shapes: []Shape{Longer}, place: InDomain, yes: "a: ‹a.b.c.old.example.com›", no: "a: ‹c.old.example.com›"},
	{id: "crd-file", why: "kustomizations list the files that controller-gen names GROUP_PLURAL.yaml", shapes: []Shape{FileName}, place: CRDFile, yes: "- ‹old.example.com_things.yaml›", no: "- ‹old.example.com_Thing›"},
	{id: "finalizer", why: "controllers hold objects by finalizers of their domain", key: isFinalizer, place: Finalizer, yes: "finalizers: [‹old.example.com/x›]", no: "final: [‹old.example.com/x›]"},
	{id: "label-field", why: "topologyKey, tolerations and selectors name keys in a field", shapes: keyShapes, also: namesKey, place: KeyLike, yes: "tolerations:\n- key: ‹old.example.com/v1›\n  operator: Exists", no: "tolerations:\n- value: ‹old.example.com/v1›"},
	{id: "label-values", why: "selectors list values of labels", shapes: keyShapes, key: isKey("^values$"), also: selectsLabel, place: LabelValue,
		yes: "- key: a\n  operator: In\n  values: [‹old.example.com/v1›]", no: "- values: [‹old.example.com/v1›]"},
	{id: "host-name", why: "Ingress, routes and certificates name hosts", shapes: []Shape{Key, Resource}, key: isHost, place: HostName, yes: "host: ‹apples.split.example.com›", no: "post: ‹apples.split.example.com›"},
	{id: "image", why: "images of registries are spelled as group and version", shapes: []Shape{GroupVersion, GroupResource}, key: isImage, place: InPath, yes: "image: ‹old.example.com/v1›", no: "version: ‹old.example.com/v1›"},
	{id: "folder", why: "kustomizations list folders that are named plural.group", shapes: folderShapes, key: isKey("^(resources|bases|components|crds|configurations|generators|transformers|validators|path)$"), also: listsFolders, place: InPath,
		file: "kustomization.yaml", yes: "resources: [‹apples.split.example.com›]", no: "kind: ‹apples.split.example.com›"},
	{id: "lease", why: "leader election holds a Lease of the domain", shapes: []Shape{Resource, Key}, key: isKey("^name$"), also: namesLease, place: KeyLike,
		yes: "kind: Lease\nmetadata:\n  name: ‹apples.split.example.com›", no: "kind: Thing\nmetadata:\n  name: ‹apples.split.example.com›"},
	{id: "agreed-name", why: "classes of gateways, ingresses and storage, and signers, name who serves them", shapes: keyShapes[:len(keyShapes)-1], also: isAgreed, place: Agreed,
		yes: "spec:\n  controllerName: ‹old.example.com/v1›", no: "spec:\n  controlledBy: ‹old.example.com/v1›"},
	{id: "provided-api", why: "OLM writes Kind.VERSION.GROUP into OperatorGroups", shapes: []Shape{Resource}, also: func(e *entry) bool { return e.tok.isAPI() }, place: Resources,
		yes: "annotations: {a: ‹Apple.v1.split.example.com›}", no: "annotations: {a: ‹apples.split.example.com›}"},
	{id: "label-value", why: "labels tell which API made an object", shapes: []Shape{GroupVersion}, labels: true, place: LabelValue, yes: "labels: {a: ‹old.example.com/v1›}", no: "spec: {a: ‹old.example.com/v1›}"},
	{id: "module-path", why: "golangci-lint, goimports and Bazel are told paths of modules", shapes: pathShapes, key: isKey("(?i)^(import-?paths?|local-?prefix(es)?|module|go_?package)$"), place: InModule,
		yes: "local-prefixes: ‹old.example.com›", no: "prefixes: ‹old.example.com›"},
	{id: "no-version", why: "pasted text, and lines that run together, leave more than a version behind apiVersion, which no API server takes", shapes: []Shape{GroupVersion}, key: isKey("^apiVersion$"), also: isMore, place: NoVersion, yes: "apiVersion: ‹old.example.com/v1›,", no: "apiVersion: ‹old.example.com/v1›"},
	{id: "odd-version", why: "build tools fill in versions between signs of their own (autotools, Maven), and people leave them open", shapes: []Shape{Key}, key: isKey("^apiVersion$"), also: oddVersion, place: NoVersion,
		yes: "apiVersion: ‹old.example.com/v1-SNAPSHOT›", no: "version: ‹old.example.com/v1-SNAPSHOT›"},
	{id: "no-kind", why: "pasted text, and lines that run together, leave more than a kind behind kind, which no API server takes", shapes: []Shape{GroupVersion}, key: isKey("^apiVersion$"), also: besideMore, place: NoKind, yes: "apiVersion: ‹split.example.com/v1›\nkind: Apple,", no: "apiVersion: ‹split.example.com/v1›\nkind: Apple"},
	{id: "permitted-version", why: "permissions are to groups, without a version", shapes: []Shape{GroupVersion, GroupVersionKind, GroupKind, GroupKindUnder, GroupResource}, key: isKey("^(apiGroups|apigroups)$"), place: GrantsNone,
		yes: "rules:\n- apiGroups: [‹old.example.com/v1›]\n", no: "rules:\n- apiGroups: [‹old.example.com›]\n"},
	{id: "api-version", why: "every object and reference has one", shapes: []Shape{GroupVersion}, place: APIVersion, tell: tellsVersion, yes: "apiVersion: ‹old.example.com/v1›", no: "podLabels: {a: ‹old.example.com/v1›}"},
	{id: "condition", why: "conditions of an object have types of the domain", shapes: []Shape{GroupKind}, also: ofCondition, place: Condition, yes: "conditionType: ‹old.example.com/Ready›", no: "additionType: ‹old.example.com/Ready›"},
	{id: "kind", why: "policies, Argo CD and RBAC tools write GROUP/VERSION/Kind and GROUP/Kind", shapes: []Shape{GroupVersionKind, GroupKind, GroupKindUnder}, place: Group, yes: "a: ‹old.example.com/v1/Thing›", no: "a: ‹old.example.com/v1›"},
	{id: "group-resource", why: "settings of tools write GROUP/RESOURCE under a key that says so", shapes: []Shape{GroupResource}, key: isKey("(?i)(resource|kind|group|crd|gvr|plural)"), place: Group, yes: "resource: ‹split.example.com/apples›", no: "source: ‹split.example.com/apples›"},
	{id: "perhaps-path", why: "keys of etcd and folders of oc adm inspect are GROUP/RESOURCE, and images and labels are spelled like it", shapes: []Shape{GroupResource}, place: Doubt, yes: "source: ‹split.example.com/apples›", no: "resource: ‹split.example.com/apples›"},

	{id: "project-half", why: "kubebuilder keeps a group as its first label and a domain", shapes: []Shape{Bare}, key: isKey("^(group|domain)$"), also: func(e *entry) bool { return e.isProject(e.v) }, place: ProjectHalf,
		file: "PROJECT", yes: "domain: ‹old.example.com›", no: "layout: ‹old.example.com›"},
	{id: "permissions", why: "roles, webhooks and admission policies list groups", shapes: []Shape{Bare}, key: isKey("^(apiGroups|apigroups)$"), also: isPermission, place: Permissions, tell: tellsNode,
		yes: "rules:\n- apiGroups: [‹old.example.com›]\n  resources: [things]", no: "rules:\n- apiGroups: ‹old.example.com›\n"},
	{id: "permitted", why: "a rule of permissions may list several groups", shapes: []Shape{Bare}, key: isKey("^(apiGroups|apigroups)$"), also: wasReported, yes: "rules:\n- apiGroups: [old.example.com, ‹old.example.com›]\n", no: "rules:\n- apiGroups: [‹old.example.com›]\n"},
	{id: "crd-group", why: "a CRD has its group beside its names", shapes: []Shape{Bare}, key: isGroupKey, also: definesNames, place: CRDGroup, tell: tellsCRD,
		yes: "spec:\n  group: ‹old.example.com›\n  names: {kind: Thing}", no: "spec:\n  group: ‹old.example.com›\n  kind: Thing"},
	{id: "group-label", why: "labels of objects and what matches them may be called group, as a field for one is", shapes: []Shape{Bare}, key: isGroupKey, also: isLabel, place: LabelWord,
		yes: "matchLabels: {kind: Thing, group: ‹old.example.com›}", no: "match: {kind: Thing, group: ‹old.example.com›}"},
	{id: "group-field", why: "references to objects and to kinds have a field for the group", shapes: []Shape{Bare}, key: isGroupKey, place: Group, tell: tellsField, yes: "a:\n  group: ‹old.example.com›", no: "a:\n  names: ‹old.example.com›"},
	{id: "another-group", why: "a field for a group may hold a longer one", shapes: []Shape{Key, Resource}, key: isGroupKey, also: func(e *entry) bool { return e.tok.mayBeGroup() }, place: OtherGroup,
		yes: "a:\n  group: ‹figs.old.example.com›", no: "a:\n  names: ‹figs.old.example.com›"},
	{id: "label-word", why: "labels have domains for values", shapes: []Shape{Bare, Resource}, labels: true, place: LabelWord, yes: "labels: {a: ‹old.example.com›}", no: "spec: {a: ‹old.example.com›}"},
	{id: "own-webhook", why: "knative's controllers find the webhook that they fill in by the name of its configuration", shapes: []Shape{Bare, Key, Resource}, also: namesOwnWebhook, place: OwnWebhook,
		yes: "metadata: {name: x.old.example.com}\nwebhooks:\n- name: ‹x.old.example.com›", no: "metadata: {name: y.old.example.com}\nwebhooks:\n- name: ‹x.old.example.com›"},
	{id: "webhook", why: "webhooks are named by a domain", tell: tellsGuardedBelow, shapes: []Shape{Bare}, also: namesWebhook, place: WebhookName, yes: "webhooks:\n- name: ‹old.example.com›", no: "hooks:\n- name: ‹old.example.com›"},
	{id: "group-argument", why: "containers are given a group behind a flag", shapes: []Shape{Bare}, also: behindGroupFlag, place: GroupOrKey, tell: func(e *entry, s *Site) { e.tellsArguments(e.v, s) }, yes: "args: [--api-group, ‹old.example.com›]", no: "args: [--host, ‹old.example.com›]"},
	{id: "group-variable", why: "containers are given a group by a variable", shapes: []Shape{Bare}, key: isKey("^value$"), also: ofGroupVariable, place: Group, tell: tellsVariables, yes: "- name: API_GROUP\n  value: ‹old.example.com›", no: "- name: API_HOST\n  value: ‹old.example.com›"},
	{id: "group-default", why: "schemas of CRDs and charts have the group for a default, a constant or an allowed value", shapes: []Shape{Bare}, key: inSchema, also: ofGroupProperty, place: Group, tell: tellsProperty,
		yes: "group:\n  default: ‹old.example.com›", no: "host:\n  default: ‹old.example.com›"},
	{id: "patched-group", why: "kustomize and skaffold replace the group of a CRD by a JSON patch, and kubectl patch that of a rule of permissions", shapes: []Shape{Bare}, key: isKey("^value$"), also: patchesGroup, place: Group, yes: "- path: /spec/group\n  value: ‹old.example.com›", no: "- path: /spec/host\n  value: ‹old.example.com›"},
	{id: "listed-group", why: "discovery documents list groups with their versions", shapes: []Shape{Bare}, key: isKey("^name$"), also: listsVersions, place: Group,
		yes: "name: ‹old.example.com›\nversions: [{groupVersion: a/v1}]", no: "name: ‹old.example.com›\nversions: [{name: v1}]"},
	{id: "define", why: "charts keep a group in a named template", shapes: []Shape{Bare}, also: func(e *entry) bool { return isGroupKey(defines(e.v, e.tok)) }, place: Group, tell: func(e *entry, s *Site) { s.Loose = e.allKinds(e.tok.Known.Group) },
		yes: "{{ define \"x.group\" }}\n‹old.example.com›\n{{ end }}", no: "{{ define \"x.host\" }}\n‹old.example.com›\n{{ end }}"},
	{id: "aliased-group", why: "YAML writes a group once and takes it by an alias", shapes: []Shape{Bare}, also: aliasedAsGroup, place: Group, tell: tellsAliased,
		yes: "a: &g ‹old.example.com›\nb: {group: *g}", no: "a: &g ‹old.example.com›\nb: {host: *g}"},
	{id: "other-value", why: "hosts, registries, vendors and prefixes hold the same domain", shapes: []Shape{Bare}, also: speaksOfOther, place: YAMLOther, yes: "host: ‹old.example.com›", no: "watch: ‹old.example.com›"},
	{id: "value", why: "charts and settings hold the group under keys of their own", shapes: []Shape{Bare}, place: YAMLValue, yes: "watch: ‹old.example.com›", no: "group: ‹old.example.com›"},

	{id: "granted-name", why: "roles grant objects by names that are free", shapes: []Shape{Resource, Key}, key: isKey("^resourceNames$"), also: grantsOthers, place: ObjectName,
		yes: "rules:\n- resources: [things]\n  resourceNames: [‹apples.split.example.com›]", no: "rules:\n- resources: [customresourcedefinitions]\n  resourceNames: [‹apples.split.example.com›]"},
	{id: "granted-crd", why: "roles grant single CRDs by their names", shapes: []Shape{Resource, Key}, key: isKey("^resourceNames$"), also: grantsCRDs, place: GrantedCRD, tell: tellsPlural,
		yes: "rules:\n- resources: [customresourcedefinitions]\n  resourceNames: [‹apples.split.example.com›]", no: "rules:\n- resources: [apiservices]\n  resourceNames: [‹apples.split.example.com›]"},
	{id: "granted-api", why: "roles grant single APIServices by their names", shapes: []Shape{Resource}, key: isKey("^resourceNames$"), also: grantsAPIs, place: GrantedAPI,
		yes: "rules:\n- resources: [apiservices]\n  resourceNames: [‹v1.split.example.com›]", no: "rules:\n- resources: [things]\n  resourceNames: [‹v1.split.example.com›]"},
	{id: "object-name", why: "ConfigMaps, Secrets and others are named after what they hold", shapes: []Shape{Resource, Key}, key: isKey("^name$"), also: namesOther, place: ObjectName,
		yes: "kind: ConfigMap\nmetadata:\n  name: ‹apples.split.example.com›", no: "kind: CustomResourceDefinition\nmetadata:\n  name: ‹apples.split.example.com›"},
	{id: "object-reference", why: "pods, services and Ingresses name Secrets, ConfigMaps, claims, accounts and hosts, whose names are free", shapes: []Shape{Resource, Key}, also: refersToOther, place: ObjectName,
		yes: "volumes:\n- secret: {secretName: ‹apples.split.example.com›}", no: "volumes:\n- secret: {crdName: ‹apples.split.example.com›}"},
	{id: "owned-crd", why: "a ClusterServiceVersion lists the CRDs that it owns", shapes: []Shape{Resource}, key: isKey("^name$"), also: isOwned, place: OwnedCRD, tell: tellsOwned,
		yes: "owned:\n- name: ‹apples.split.example.com›", no: "required:\n- name: ‹apples.split.example.com›"},
	{id: "crd-name", why: "a CRD is named PLURAL.GROUP, and so is every reference to it", shapes: []Shape{Resource}, key: isKey("^(name|crd)$"), also: func(e *entry) bool { return e.tok.Known.Version == "" || e.key() == "crd" }, place: CRDName, tell: tellsCRDName,
		yes: "metadata:\n  name: ‹apples.split.example.com›", no: "metadata:\n  names: ‹apples.split.example.com›"},
	{id: "resource", why: "settings of tools name PLURAL.GROUP", shapes: []Shape{Resource}, place: Resources, yes: "a: ‹apples.split.example.com›", no: "a: ‹apple.split.example.com›"},

	{id: "owned-crd-by-kind", why: "a ClusterServiceVersion owns CRDs that no rule names", shapes: []Shape{Key}, key: isKey("^name$"), also: func(e *entry) bool { return isOwned(e) && namesCRD(e) }, place: OwnedCRD, tell: tellsOwnedKey,
		yes: "customresourcedefinitions:\n  owned:\n  - name: ‹figs.old.example.com›", no: "customresourcedefinitions:\n  required:\n  - name: ‹figs.old.example.com›"},
	{id: "crd-by-kind", why: "a CRD that no rule names is PLURAL.GROUP as well", shapes: []Shape{Key}, key: isKey("^name$"), also: namesCRD, place: CRDNameOr, tell: tellsPlural,
		yes: "kind: CustomResourceDefinition\nmetadata:\n  name: ‹figs.old.example.com›", no: "kind: Thing\nmetadata:\n  name: ‹figs.old.example.com›"},
	{id: "webhook-key", why: "webhooks are named NAME.GROUP", tell: tellsGuardedBelow, shapes: []Shape{Key}, also: namesWebhook, place: WebhookName, yes: "webhooks:\n- name: ‹x.old.example.com›", no: "hooks:\n- name: ‹x.old.example.com›"},
	{id: "schema-file", why: "catalogs of schemas and $ref name GROUP/kind_version.json", shapes: []Shape{Key}, also: func(e *entry) bool { return schemaFile.Match(e.v.Data[e.tok.Group.End:e.tok.Word.End]) }, place: SchemaFile,
		yes: "$ref: ‹old.example.com/thing_v1.json›", no: "$ref: ‹old.example.com/thing.json›"},
	{id: "integration", why: "Kueue and what configures it name integrations as GROUP/kind", shapes: []Shape{Key}, key: isKey("^(frameworks|externalFrameworks)$"), also: func(e *entry) bool { return e.tok.Prefix == "" }, place: Integration,
		yes: "frameworks: [‹old.example.com/thing›]", no: "works: [‹old.example.com/thing›]"},
	{id: "label-key", why: "labels have names of the domain for values", shapes: []Shape{Key}, labels: true, place: LabelValue, yes: "labels: {a: ‹x.old.example.com›}", no: "spec: {a: ‹x.old.example.com›}"},
	{id: "singular", why: "Velero and Chainsaw ask the API server for what a resource is called, which takes SINGULAR.GROUP", shapes: []Shape{Key}, key: isKey("^resource$|dResources$"), also: namesSingular, place: Resources, tell: func(e *entry, s *Site) { e.asObject(s) },
		yes: "includedResources: [‹apple.split.example.com›]", no: "included: [‹apple.split.example.com›]"},
	{id: "crd-by-key", why: "EncryptionConfiguration, Velero and settings of tools list resources and CRDs that no rule names under a key that says so", shapes: []Shape{Key}, also: func(e *entry) bool {
		return mayBeResource(e.tok) && (speaksOfCRDs(e.key()) || listsThem.MatchString(wordsOf(e.key())))
	}, place: CRDNameOr, tell: tellsPlural,
		yes: "crds: [‹figs.old.example.com›]", no: "cards: [‹figs.old.example.com›]"},
	{id: "perhaps-resource", why: "CRDs that no rule names are PLURAL.GROUP, as many labels are", shapes: []Shape{Key}, also: func(e *entry) bool { return mayBeResource(e.tok) }, place: Perhaps, tell: tellsPerhaps,
		yes: "a: ‹figs.old.example.com›", no: "a: ‹old.example.com/figs›"},
	{id: "key-value", why: "everything else that is spelled as a key of a label", place: KeyLike, yes: "a: ‹old.example.com/figs›", no: "a: ‹figs.old.example.com›"},
}

// oddVersion says whether something that is no version stands behind a group.
func oddVersion(e *entry) bool { return e.tok.Shape == Key && e.tok.Prefix == "" }

// namesSingular says whether a name is the singular of a kind of the rules and its group.
func namesSingular(e *entry) bool {
	_, known := e.Singular(e.tok.Known.Group, e.tok.Prefix)
	return known && e.tok.Word.End == e.tok.Group.End
}

// isMore says whether a value has more than the name.
func isMore(e *entry) bool {
	return strings.Trim(string(e.t.Nodes[e.i].Val.Of(e.v.Data)), " \r\n") != string(e.tok.Word.Of(e.v.Data))
}

// besideMore says whether the kind beside an apiVersion has more than the name of one.
func besideMore(e *entry) bool {
	k := e.t.Sibling(e.i, "kind")
	if k < 0 {
		return false
	}
	m := moreThanKind.FindStringSubmatch(e.t.Text(k))
	return m != nil && e.isPart(e.tok.Known.Group, RoleKind, m[1]+m[2]+m[3])
}

// moreThanKind is, in one of its three parts, the first word of a value that is no kind: blanks, signs or letters that
// are no letters of ASCII stand around it, as the ends of lines that YAML 1.1 alone knows.
// Source: YAML 1.1, 5.4; 1.2.2, 5.4.
var moreThanKind = lazyregexp.New(`^(?:[^\x00-\x7f]*([A-Z][A-Za-z0-9]*)[ ,;:\t\n]*[^\x00-\x7f]|([A-Z][A-Za-z0-9]*)[ ,;:\t\n]|[^\x00-\x7f]+([A-Z][A-Za-z0-9]*))`)

func isKey(pattern string) func(string) bool { return lazyregexp.New(pattern).MatchString }

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
			if x.tell != nil && (x.place == APIVersion || x.place == Group) {
				e.shared(&s)
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
