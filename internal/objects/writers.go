package objects

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/report"
)

// rbac is the API of roles.
const rbac = "rbac.authorization.k8s.io/v1"

// writing are the verbs that change objects.
var writing = []string{"create", "update", "patch", "delete", "deletecollection"}

// A lister lists the objects of a resource, such as a Target.
type lister interface {
	List(ctx context.Context, r Resource, each func(Object) error) error
}

// ReadOnlyRole is a ClusterRole that permits to read resources of one group.
// It is aggregated to the role "view", and so to "edit" and "admin".
func ReadOnlyRole(name string, resources []Resource) Object {
	plurals := lists.Of(resources, func(r Resource) any { return r.Plural })
	return Object{
		"apiVersion": rbac, "kind": "ClusterRole",
		"metadata": Object{"name": name, "labels": Object{"rbac.authorization.k8s.io/aggregate-to-view": "true"}},
		"rules": []any{Object{
			"apiGroups": []any{groupOf(resources[0].APIVersion)}, "resources": plurals, "verbs": []any{"get", "list", "watch"},
		}},
	}
}

func groupOf(apiVersion string) string {
	group, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return ""
	}
	return group
}

// Writers finds who may write the resources by the cluster's roles: each
// binding and subject that is none of permitted (NAMESPACE/NAME of a service
// account, or the name of a user or group). The server's own roles, which are
// named system:..., and the group system:masters are left out.
func Writers(ctx context.Context, cluster lister, resources []Resource, permitted []string) ([]report.Finding, error) {
	roles := map[Ref]string{} // to the verbs that it permits
	for _, kind := range []string{"ClusterRole", "Role"} {
		err := cluster.List(ctx, Resource{APIVersion: rbac, Kind: kind}, func(o Object) error {
			ref := RefOf(o)
			if verbs := grants(o, resources); verbs != "" && !strings.HasPrefix(ref.Name, "system:") {
				roles[Ref{Kind: kind, Namespace: ref.Namespace, Name: ref.Name}] = verbs
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var found []report.Finding
	for _, kind := range []string{"ClusterRoleBinding", "RoleBinding"} {
		err := cluster.List(ctx, Resource{APIVersion: rbac, Kind: kind}, func(o Object) error {
			role := Ref{Kind: Text(o, "roleRef", "kind"), Name: Text(o, "roleRef", "name")}
			if role.Kind == "Role" {
				role.Namespace = RefOf(o).Namespace
			}
			for _, s := range List(o, "subjects") {
				who, subject := subjectOf(s, RefOf(o).Namespace)
				if roles[role] == "" || who == "system:masters" || slices.Contains(permitted, who) {
					continue
				}
				found = append(found, report.Finding{
					Rule: "writable", Severity: report.Error, Path: "cluster/" + strings.ToLower(kind),
					Message: fmt.Sprintf("%s: %s may %s the stored objects, by %s", RefOf(o), subject, roles[role], role),
					Hint:    fmt.Sprintf("remove these verbs from the role, or accept the account with --writer %s", who),
				})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// subjectOf is a subject of a binding as --writer names it, and for display.
func subjectOf(subject any, namespace string) (who, display string) {
	s, _ := subject.(map[string]any)
	who = Text(s, "name")
	if Text(s, "kind") == "ServiceAccount" {
		who = cmp.Or(Text(s, "namespace"), namespace) + "/" + who
	}
	return who, Text(s, "kind") + " " + who
}

// grants are the writing verbs that a role permits on one of the resources.
func grants(role Object, resources []Resource) string {
	granted := map[string]bool{}
	for _, r := range List(role, "rules") {
		rule, _ := r.(map[string]any)
		has := func(key, value string) bool {
			list := List(rule, key)
			return slices.Contains(list, any(value)) || slices.Contains(list, any("*"))
		}
		for _, res := range resources {
			for _, verb := range writing {
				granted[verb] = granted[verb] || has("apiGroups", groupOf(res.APIVersion)) && has("resources", res.Plural) && has("verbs", verb)
			}
		}
	}
	return strings.Join(slices.DeleteFunc(slices.Clone(writing), func(verb string) bool { return !granted[verb] }), ", ")
}
