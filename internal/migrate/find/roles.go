package find

// A Role says what a site is. The list is closed.
type Role string

// The roles, in the order of Roles.
const (
	RoleAPIVersion Role = "apiVersion"
	RoleKind       Role = "kind"
	RoleVersion    Role = "version"
	RoleCRDName    Role = "crd-name"
	RoleCRDGroup   Role = "crd-group"
	RoleCRDFile    Role = "crd-file"
	RoleRBAC       Role = "rbac-group"
	RoleGroup      Role = "group-field"
	RoleResource   Role = "resource-name"
	RoleREST       Role = "rest-path"
	RoleWebhook    Role = "webhook-name"
	RoleMarker     Role = "marker"
	RoleLiteral    Role = "literal"
	RoleClient     Role = "client"
	RoleKey        Role = "key"
	RoleImport     Role = "import-path"
	RoleDomain     Role = "domain"
	RoleProse      Role = "prose"
	RoleShape      Role = "shape"
)

// A RoleInfo describes a role for whoever reads an account.
type RoleInfo struct {
	Role    Role
	Default string // what becomes of its sites unless a ruleset says otherwise
	Doc     string
}

// Roles is the closed list of what a site can be.
var Roles = []RoleInfo{
	{RoleAPIVersion, "rewrite", "group/version of an object or a reference to one, at any depth and in any language"},
	{RoleKind, "rewrite", "the kind beside a group or apiVersion, when a rule renames it"},
	{RoleVersion, "rewrite", "the version beside a group, when a rule changes it"},
	{RoleCRDName, "rewrite", "plural.group: the name of a CustomResourceDefinition"},
	{RoleCRDGroup, "rewrite", "spec.group of a CustomResourceDefinition"},
	{RoleCRDFile, "rewrite", "file of a CRD named group_plural.yaml, and every reference to it"},
	{RoleRBAC, "rewrite", "apiGroups of a Role, ClusterRole, CSV, webhook or admission policy; the permitted (group, resource, verb) tuples are preserved"},
	{RoleGroup, "rewrite", "a field, key, argument or phrase that names a group: group:, apiGroup:, group=, Group/Kind"},
	{RoleResource, "rewrite", "plural.group or plural.version.group in a command, its output or a reference"},
	{RoleREST, "rewrite", "/apis/group/version/... in any text"},
	{RoleWebhook, "rewrite", "name of a webhook in its configuration, which is made of the group"},
	{RoleMarker, "rewrite", "+groupName=, +kubebuilder:rbac:groups= and other markers of code generators"},
	{RoleLiteral, "rewrite", "a string literal equal to a group or to group/version"},
	{RoleClient, "rewrite", "identifiers of a generated Go client, when that client is in the tree; else for a person to regenerate"},
	{RoleKey, "keep", "a label, annotation or finalizer key or a selector of one; moves only by a ruleset's keys"},
	{RoleImport, "for a person", "a Go import or module path: moved by go get or by hand"},
	{RoleDomain, "keep", "part of a longer domain, an e-mail address or a URL"},
	{RoleProse, "keep", "a mention in running text, history or release notes"},
	{RoleShape, "for a person", "a field without a place in the new version"},
}
