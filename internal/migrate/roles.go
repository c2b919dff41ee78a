package migrate

import "github.com/project-codeflare/cfctl/internal/report"

// The roles that this package gives or asks for; RoleRules lists all.
const (
	roleGroup   = "group-field"
	rolePlural  = "resource-name"
	roleCRDFile = "crd-file"
	roleCRDName = "crd-name"
	roleImport  = "import-path"
	roleClient  = "client"
	roleKey     = "key"
	roleProse   = "prose"
	roleShape   = "shape"
)

// RoleRules are the roles of places as kinds of findings.
func RoleRules() report.Rules {
	var list report.Rules
	for _, r := range []struct{ role, usual, doc string }{
		{"apiVersion", "rewrite", "group/version of an object or a reference to one, at any depth and in any language"},
		{"kind", "rewrite", "the kind next to a group or apiVersion, when a rule renames it"},
		{"version", "rewrite", "the version next to a group, when a rule changes it"},
		{"crd-name", "rewrite", "plural.group: the name of a CustomResourceDefinition"},
		{"crd-group", "rewrite", "spec.group of a CustomResourceDefinition"},
		{"crd-file", "rewrite", "file of a CRD named group_plural.yaml, and every reference to it"},
		{"rbac-group", "rewrite", "apiGroups of a Role, ClusterRole, CSV, webhook or admission policy; the permitted (group, resource, verb) tuples are preserved"},
		{"group-field", "rewrite", "a field, key, argument or phrase that names a group: group:, apiGroup:, group=, Group/Kind"},
		{"resource-name", "rewrite", "plural.group or plural.version.group in a command, its output or a reference"},
		{"rest-path", "rewrite", "/apis/group/version/... in any text"},
		{"webhook-name", "rewrite", "name or path of a webhook, which is made of the group"},
		{"marker", "rewrite", "+groupName=, +kubebuilder:rbac:groups= and other markers of code generators"},
		{"literal", "rewrite", "a string literal equal to a group or to group/version"},
		{"client", "rewrite", "a Go identifier or package of the API, by its types"},
		{"key", "keep", "a label, annotation or finalizer key or a selector of one; changes only by a ruleset's keys"},
		{"import-path", "keep", "a Go import or module path: changed by go get or by hand"},
		{"domain", "keep", "part of a longer domain, an e-mail address or a URL"},
		{"prose", "keep", "a mention in running text, history or release notes"},
		{"shape", "needs review", "a field without a place in the new version"},
	} {
		list = append(list, report.Rule{ID: r.role, Doc: r.doc + " (" + r.usual + ")", Severity: report.Note})
	}
	return list
}
