package migrate

// The roles, in the order of the documentation.
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

// A RoleInfo describes a role for documentation and catalogues.
type RoleInfo struct {
	Role    Role
	Default Action
	Doc     string
}

// Roles is the closed list: what a site can be, and what becomes of it unless
// a ruleset says otherwise.
var Roles = []RoleInfo{
	{RoleAPIVersion, Change, "group/version of an object or a reference to one, at any depth and in any language"},
	{RoleKind, Change, "the kind beside a group or apiVersion, when a rule renames it"},
	{RoleVersion, Change, "the version beside a group, when a rule changes it"},
	{RoleCRDName, Change, "plural.group: the name of a CustomResourceDefinition"},
	{RoleCRDGroup, Change, "spec.group of a CustomResourceDefinition"},
	{RoleCRDFile, Change, "file of a CRD named group_plural.yaml, and every reference to it"},
	{RoleRBAC, Change, "apiGroups of a Role, ClusterRole, CSV, webhook or admission policy; the permitted (group, resource, verb) tuples are preserved"},
	{RoleGroup, Change, "a field, key, argument or phrase that names a group: group:, apiGroup:, group=, Group/Kind"},
	{RoleResource, Change, "plural.group or plural.version.group in a command, its output or a reference"},
	{RoleREST, Change, "/apis/group/version/... in any text"},
	{RoleWebhook, Change, "name of a webhook in its configuration, which is made of the group"},
	{RoleMarker, Change, "+groupName=, +kubebuilder:rbac:groups= and other markers of code generators"},
	{RoleLiteral, Change, "a string literal equal to a group or to group/version"},
	{RoleClient, Change, "identifiers of a generated Go client, when that client is in the tree; else for a person to regenerate"},
	{RoleKey, Stay, "a label, annotation or finalizer key or a selector of one; moves only by a ruleset's keys"},
	{RoleImport, Person, "a Go import or module path: moved by go get or by hand"},
	{RoleDomain, Stay, "part of a longer domain, an e-mail address or a URL"},
	{RoleProse, Stay, "a mention in running text, history or release notes"},
	{RoleShape, Person, "a field without a place in the new version"},
}
