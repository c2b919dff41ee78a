package find

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A Site is one name in a file, and what stands around it says that it is.
// Nothing in it is written once it is reported.
type Site struct {
	Doc    *text.View // the text in which it stands, with the way back to the file
	Token             // the name; its spans are in Doc
	Place  *Place     // what stands around it says that it is
	Facts  rules.GVK  // what its surroundings tell of it beyond the name
	Beside []Part     // what moves with it
	Phrase bool       // it stands in running text
	Mode   Mode       // of which kind
	Home   string     // the API version that the text around belongs to: a Go package, the schema of a CRD
	// HomeGroup is the group of that version, "" where the text does not say it.
	HomeGroup string
	Name      string // the key, field or constant that holds it
	Entry     source.Span
	Served    []string  // the versions that the CRD of this name or group serves
	Defines   rules.GVK // the kind and the resource of that CRD
	// Resources are the resources that stand beside the groups of a marker.
	Resources []string
	// Apart are the resources that stand beside a group and do not move with it.
	Apart []string
	// ApartIn are the places of these, in their order; empty where they cannot
	// move with it: they stand beside several groups, or elsewhere.
	ApartIn []Part
	// Loose are versions, kinds and resources of the group that stand nearby, and of
	// which nothing says whether they belong to it.
	Loose []string
	// Taken are the kinds of the group that a selector without a kind takes, in its version.
	Taken []string
	// Near are such names in places of their own, which may be parts of other sites.
	Near []Part
	// Guarded are the resources of the group that the webhook of this name is called for.
	Guarded []string
	// Filled says that a template writes the kind beside it, whichever that is.
	Filled bool
	// Shared are the objects that take it, or the kind beside it, from here, its own
	// among them; empty where only one does.
	Shared []Sharer
	// Used are versions that stand elsewhere in the file beside the name of the
	// constant which this group is.
	Used  []string
	Tells rules.GVK  // a resource of the group, of which it tells without being one
	Kinds bool       // the kinds on its line follow it
	Tree  *text.Tree // of YAML and JSON: the document, and where in it
	Node  int32
	Outer *text.View // the text of the document, where it is not Doc

	// Imports is the package that the name of a generated client's package stands for in a
	// file that a person wrote, "" for any other name.
	Imports string

	selected bool // a selector of a query tells all that is known of it
}

// A Part is something that moves with a site: the kind, version or resource
// beside a group.
type Part struct {
	Doc       *text.View
	Span      source.Span
	Role      Role // RoleKind, RoleVersion or RoleResource
	WithGroup bool // only when the group changes
	// Says is what the text there says, where it is not spelled so: with an escape,
	// over lines. Such a part is not written over.
	Says string
}

// An Ask says what is asked about a site.
type Ask int

// What is asked about the sites of a place.
const (
	Nothing    Ask = iota // it stays
	Rules                 // what the rules make of it
	Tree                  // whether the tree has such a resource
	Named                 // whether the tree has such a resource: then a person says what it is
	File                  // whether the file of this name is renamed
	Unsure                // whether the rules would move it: a person says what it is
	Hand                  // whether the rules touch it: a person moves it
	Permission            // what becomes of a rule of permissions
	Owned                 // whether a CSV owns it twice
	Marker                // what becomes of the list of a marker
	Project               // what becomes of the halves of a group
	Half                  // whether another site says what becomes of it
	Client                // whether the generated client is in the tree
	Typed                 // whether the API of a typed client goes
)

// A Place is what stands around a name, as far as it says what the name is.
type Place struct {
	ID   string
	Role Role
	Ask  Ask
	Key  bool // the rules for keys are asked first
	// Reason is the id of why a site stays that nothing moves, and Why says it;
	// {name} is the key that holds it.
	Reason, Why string
	Bare        bool   // only the group of the name moves
	Hint        string // for a person
}

// The places. Which one a name stands in is said by phrases.go, places_yaml.go
// and places_code.go.
var (
	InEmail     = &Place{ID: "email", Role: RoleDomain, Reason: "e-mail", Why: "an e-mail address"}
	InHost      = &Place{ID: "host", Role: RoleDomain, Reason: "url", Why: "the host of a URL"}
	HostName    = &Place{ID: "host-name", Role: RoleDomain, Key: true, Reason: "url", Why: "the name of a host"}
	InDomain    = &Place{ID: "longer-domain", Role: RoleDomain, Reason: "longer-domain", Why: "part of a longer domain"}
	OtherGroup  = &Place{ID: "another-group", Role: RoleDomain, Key: true, Reason: "longer-domain", Why: "part of a longer domain"}
	InURL       = &Place{ID: "url", Role: RoleDomain, Reason: "url", Why: "part of a URL"}
	InPath      = &Place{ID: "path", Role: RoleDomain, Reason: "path", Why: "part of a path"}
	InName      = &Place{ID: "longer-name", Role: RoleDomain, Reason: "longer-name", Why: "part of a longer name"}
	InImport    = &Place{ID: "import-like-path", Role: RoleImport, Reason: "path", Why: "part of a path"}
	Mention     = &Place{ID: "mention", Role: RoleProse, Key: true, Reason: "prose", Why: "a mention in running text"}
	Unnamed     = &Place{ID: "unnamed-version", Role: RoleProse, Reason: "no-rule", Why: "no rule names this version, and nothing says that it is one"}
	KeyLike     = &Place{ID: "key", Role: RoleKey, Key: true, Reason: "label-like", Why: "looks like a label or annotation key"}
	PointerKey  = &Place{ID: "key-pointer", Role: RoleKey, Key: true, Reason: "label-like", Why: "looks like a label or annotation key"}
	NoKey       = &Place{ID: "key-like", Role: RoleKey, Reason: "label-like", Why: "looks like a label or annotation key"}
	LabelLine   = &Place{ID: "label-line", Role: RoleKey, Key: true, Reason: "label-line", Why: "on a line about labels, annotations or finalizers"}
	LabelWords  = &Place{ID: "label-words", Role: RoleKey, Reason: "label-line", Why: "on a line about labels, annotations or finalizers"}
	LabelValue  = &Place{ID: "label-value", Role: RoleKey, Key: true, Reason: "label-value", Why: "the value of a label or annotation"}
	LabelWord   = &Place{ID: "label-word", Role: RoleKey, Reason: "label-value", Why: "the value of a label or annotation"}
	YAMLKey     = &Place{ID: "yaml-key", Role: RoleKey, Key: true, Reason: "label-key", Why: "a key is a contract with whoever reads it, not an API group"}
	ObjectName  = &Place{ID: "object-name", Role: RoleKey, Key: true, Reason: "object-name", Why: "the name of an object of another kind"}
	OwnWebhook  = &Place{ID: "own-webhook", Role: RoleWebhook, Key: true, Reason: "kept-webhook", Why: "its configuration has this name as well, which stays"}
	HookChosen  = &Place{ID: "chosen-webhook", Role: RoleWebhook, Key: true, Reason: "chosen-webhook", Why: "no webhook of the tree that moves has this name"}
	KeptWebhook = &Place{ID: "kept-webhook", Role: RoleWebhook, Key: true, Reason: "kept-webhook", Why: "the webhook of this name keeps it"}
	Agreed      = &Place{ID: "agreed-name", Role: RoleKey, Key: true, Reason: "agreed-name", Why: "a name is a contract with the controller or driver that answers to it"}
	Finalizer   = &Place{ID: "finalizer", Role: RoleKey, Key: true, Reason: "finalizer", Why: "a finalizer is a contract with its controller"}
	MapKey      = &Place{ID: "map-key", Role: RoleKey, Key: true, Reason: "label-like", Why: "a key of a map: a label or annotation"}
	SetKey      = &Place{ID: "set-key", Role: RoleKey, Ask: Unsure, Key: true, Reason: "unmarked", Why: "a key of a map that holds no labels: the name of a resource perhaps", Hint: byHandOrKept}
	PerhapsSet  = &Place{ID: "perhaps-set-key", Role: RoleKey, Ask: Named, Key: true, Reason: "label-like", Why: "looks like a label or annotation key", Hint: byHandOrKept}
	StringsKey  = &Place{ID: "strings-key", Role: RoleKey, Key: true, Reason: "label-like", Why: "a key of a map of strings: a label or annotation"}
	YAMLValue   = &Place{ID: "yaml-value", Role: RoleProse, Ask: Unsure, Key: true, Reason: "unmarked", Why: "key {name} does not tell that it is a group", Hint: byHandOrKept}
	YAMLOther   = &Place{ID: "yaml-other", Role: RoleProse, Key: true, Reason: "unmarked", Why: "key {name} does not tell that it is a group, but of something else"}
	NamedOther  = &Place{ID: "named-other", Role: RoleLiteral, Key: true, Reason: "unmarked", Why: "{name} does not tell that it is a group, but of something else"}
	OtherName   = &Place{ID: "other-name", Role: RoleProse, Key: true, Reason: "unmarked", Why: "what it is the value of is no group, but something else"}
	Condition   = &Place{ID: "condition", Role: RoleKey, Key: true, Reason: "agreed-name", Why: "the type of a condition is a contract with whoever reads it"}
	Doubt       = &Place{ID: "doubt", Role: RoleProse, Ask: Unsure, Key: true, Reason: "unknown-place", Why: "nothing around it tells what it is", Hint: byHandOrKept}
	KeyOfMap    = &Place{ID: "key-of-map", Role: RoleKey, Ask: Unsure, Key: true, Reason: "unmarked", Why: "nothing tells that the keys of this map are groups", Hint: byHandOrKept}
	KeyOfCRDs   = &Place{ID: "key-of-crds", Role: RoleKey, Ask: Named, Key: true, Reason: "label-key", Why: "a key is a contract with whoever reads it, not an API group", Hint: byHandOrKept}
	Searched    = &Place{ID: "searched", Role: RoleProse, Ask: Unsure, Key: true, Reason: "unknown-place", Why: "a command searches for it: nothing tells in what", Hint: byHandOrKept}
	SchemaFile  = &Place{ID: "schema-file", Role: RoleProse, Ask: Unsure, Reason: "schema-file", Why: "a file of a catalog of schemas, in a folder named after the group", Hint: "rename the folder in the catalog, and write its new name here"}
	// OperatorRole is a role that OLM makes of each resource of an operator.
	// Source: operator-framework/operator-lifecycle-manager, pkg/controller/registry/resolver.
	OperatorRole = &Place{ID: "operator-role", Role: RoleProse, Ask: Unsure, Key: true, Reason: "operator-role", Why: "a role that OLM makes and names after the resource", Hint: "write the name of the role that OLM makes of the new one"}
	// Integration is a name that a framework is registered by: a group and a kind in lower case.
	// Source: sigs.k8s.io/kueue, pkg/controller/jobframework.
	Integration = &Place{ID: "integration", Role: RoleKey, Ask: Unsure, Key: true, Reason: "agreed-name", Why: "a framework is registered by this name, which is made of its group and kind", Hint: "write the name that the framework is registered by, or keep it with a comment cfctl:keep REASON"}
	InModule    = &Place{ID: "module-path", Role: RoleImport, Reason: "path", Why: "part of a path: of a module or package"}

	APIVersion    = &Place{ID: "api-version", Role: RoleAPIVersion, Ask: Rules}
	FileOfCRD     = &Place{ID: "file-of-crd", Role: RoleCRDFile, Ask: Unsure, Reason: "unknown-place", Why: "the name of a file that is made of a CRD", Hint: "change it with the file, or keep it with a comment cfctl:keep REASON"}
	LineOfName    = &Place{ID: "line-of-name", Role: RoleKey, Ask: Unsure, Key: true, Reason: "unknown-place", Why: "a line of its own, which is a label, or a kind as kubectl prints it", Hint: byHandOrKept}
	NoKind        = &Place{ID: "no-kind", Role: RoleAPIVersion, Ask: Unsure, Reason: "unknown-place", Why: "the value of its kind is more than a kind", Hint: byHandOrKept}
	NoVersion     = &Place{ID: "no-version", Role: RoleAPIVersion, Ask: Unsure, Reason: "unknown-place", Why: "its value is more than an API version", Hint: byHandOrKept}
	VersionHead   = &Place{ID: "version-head", Role: RoleAPIVersion, Ask: Rules, Bare: true}
	Compared      = &Place{ID: "compared-head", Role: RoleAPIVersion, Ask: Rules, Bare: true}
	SaidVersion   = &Place{ID: "said-version", Role: RoleAPIVersion, Ask: Rules}
	Group         = &Place{ID: "group", Role: RoleGroup, Ask: Rules}
	EveryKind     = &Place{ID: "every-kind", Role: RoleGroup, Ask: Rules}
	QuotedGroup   = &Place{ID: "quoted-group", Role: RoleGroup, Ask: Rules}
	GroupOrKey    = &Place{ID: "group-or-key", Role: RoleGroup, Ask: Rules, Key: true}
	Anchored      = &Place{ID: "anchor", Role: RoleGroup, Ask: Rules}
	InReference   = &Place{ID: "reference", Role: RoleGroup, Ask: Rules}
	REST          = &Place{ID: "rest-path", Role: RoleREST, Ask: Rules}
	Literal       = &Place{ID: "literal", Role: RoleLiteral, Ask: Rules}
	Resources     = &Place{ID: "resource", Role: RoleResource, Ask: Rules}
	AnyResource   = &Place{ID: "any-resource", Role: RoleResource, Ask: Rules}
	Object        = &Place{ID: "object", Role: RoleResource, Ask: Rules, Key: true, Bare: true}
	Argument      = &Place{ID: "argument", Role: RoleResource, Ask: Rules, Bare: true}
	WebhookName   = &Place{ID: "webhook-name", Role: RoleWebhook, Ask: Rules, Key: true}
	CRDName       = &Place{ID: "crd-name", Role: RoleCRDName, Ask: Rules}
	GrantedCRD    = &Place{ID: "granted-crd", Role: RoleRBAC, Ask: Rules}
	GrantedAPI    = &Place{ID: "granted-api", Role: RoleRBAC, Ask: Rules}
	CRDNameOr     = &Place{ID: "crd-name-or-key", Role: RoleCRDName, Ask: Rules, Key: true}
	CRDGroup      = &Place{ID: "crd-group", Role: RoleCRDGroup, Ask: Rules}
	CRDFiles      = &Place{ID: "crd-files", Role: RoleCRDFile, Ask: Rules}
	OwnedCRD      = &Place{ID: "owned-crd", Role: RoleCRDName, Ask: Owned}
	CRDFile       = &Place{ID: "crd-file", Role: RoleCRDFile, Ask: File, Reason: "file-name", Why: "no file of this name is renamed"}
	Permissions   = &Place{ID: "permissions", Role: RoleRBAC, Ask: Permission}
	Permitted     = &Place{ID: "permitted-group", Role: RoleRBAC, Ask: Rules}
	MarkerGroup   = &Place{ID: "marker-group", Role: RoleMarker, Ask: Rules}
	InMarker      = &Place{ID: "marker", Role: RoleMarker, Ask: Marker}
	ProjectHalf   = &Place{ID: "project-half", Role: RoleGroup, Ask: Half, Reason: "project-half", Why: "half of a group, which no rule moves"}
	InProject     = &Place{ID: "project", Role: RoleGroup, Ask: Project}
	Perhaps       = &Place{ID: "perhaps-resource", Role: RoleKey, Ask: Tree, Key: true, Reason: "label-like", Why: "looks like a label or annotation key"}
	PerhapsObject = &Place{ID: "perhaps-object", Role: RoleKey, Ask: Tree, Key: true, Bare: true, Reason: "label-like", Why: "looks like a label or annotation key"}
	PathLike      = &Place{ID: "resource-path", Role: RoleImport, Ask: Tree, Reason: "path", Why: "part of a path"}
	Imported      = &Place{ID: "import", Role: RoleImport, Ask: Hand, Reason: "module", Why: "an import path moves with its module"}
	Remade        = &Place{ID: "generated", Role: RoleClient, Ask: Hand, Reason: "generated", Why: "a generated file", Hint: "move the Go types, then generate it again"}
	RemadeImport  = &Place{ID: "generated-import", Role: RoleClient, Ask: Hand, Reason: "generated", Why: "a generated file", Hint: "move the Go types, then generate it again"}
	InClient      = &Place{ID: "generated-client", Role: RoleClient, Ask: Rules}
	TypedCall     = &Place{ID: "typed-client", Role: RoleClient, Ask: Typed}
	Identifier    = &Place{ID: "identifier", Role: RoleClient, Ask: Client}

	// GrantsNone is what nothing is granted by.
	// Source: k8s.io/api/rbac/v1, PolicyRule.
	GrantsNone = &Place{ID: "permitted-version", Role: RoleRBAC, Ask: Unsure, Reason: "permitted-version", Why: "apiGroups hold groups alone, without a version, a kind or a resource: this permits nothing", Hint: "write the new group alone"}
)

// A Reporter takes what is found in a file, in the order in which it is found.
type Reporter interface {
	Site(s Site)
	// Begin and End stand around the sites of a document: of a stream, or one
	// in a string. Documents nest.
	Begin()
	End(d Document)
}

// A Document is a text of YAML or JSON, or a part of one, that stands for itself.
type Document struct {
	Doc  *text.View
	Tree *text.Tree
	Span source.Span // in Doc
	JSON bool
}

// byHandOrKept is what to do about a place that does not tell what it is.
const byHandOrKept = "change it by hand, or keep it with a comment cfctl:keep REASON"

// anyOf says whether a shape is one of a list.
func anyOf(list []Shape, s Shape) bool { return slices.Contains(list, s) }
