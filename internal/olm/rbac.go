package olm

import (
	"cmp"
	"slices"
	"strings"

	rbac "k8s.io/api/rbac/v1"
)

// A role is one of either scope.
type role struct {
	kind, name string // Role or ClusterRole
	rules      []rbac.PolicyRule
	object     any
}

// A binding is one of either scope.
type binding struct {
	cluster  bool
	role     rbac.RoleRef
	subjects []rbac.Subject
	object   any
}

// csvAccounts are the service accounts whose rules go into the CSV: those of
// the Deployments, and more on request.
func (c *collection) csvAccounts(more []string) []string {
	accounts := slices.Clone(more)
	for _, d := range c.deployments {
		name := cmp.Or(d.Spec.Template.Spec.ServiceAccountName, "default")
		accounts = append(accounts, name)
	}
	slices.Sort(accounts)
	return slices.Compact(accounts)
}

// rules are those of the role that a binding names; nil when it is not in the build.
func (c *collection) rules(ref rbac.RoleRef) []rbac.PolicyRule {
	if ref.APIGroup != "" && ref.APIGroup != rbac.GroupName {
		return nil
	}
	for _, r := range c.roles {
		if r.kind == ref.Kind && r.name == ref.Name {
			return slices.Concat([]rbac.PolicyRule{}, r.rules)
		}
	}
	return nil
}

// permissions are the rules that the bindings of a scope give the accounts of
// the CSV, in the order of the bindings.
func (c *collection) permissions(cluster bool, accounts []string) []permissions {
	var list []permissions
	for _, account := range accounts {
		p := permissions{ServiceAccountName: account}
		for _, b := range c.bindings {
			for _, s := range b.subjects {
				if b.cluster == cluster && s.Kind == rbac.ServiceAccountKind && s.Name == account {
					p.Rules = append(p.Rules, c.rules(b.role)...)
				}
			}
		}
		if len(p.Rules) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// taken says whether a binding is wholly expressed by the CSV: its role is in
// the build and every subject is one of the accounts. bound says whether at
// least one subject is.
func (c *collection) taken(b binding, accounts []string) (taken, bound bool) {
	if c.rules(b.role) == nil {
		return false, false
	}
	taken = true
	for _, s := range b.subjects {
		if s.Kind == rbac.ServiceAccountKind && slices.Contains(accounts, s.Name) {
			bound = true
		} else {
			taken = false
		}
	}
	return taken, bound
}

// leftRBAC are the objects of RBAC that the CSV does not express, which become
// manifests of their own.
func (c *collection) leftRBAC(accounts []string) []any {
	var roles, bindings []any
	expressed := map[rbac.RoleRef]bool{}
	for _, b := range c.bindings {
		taken, bound := c.taken(b, accounts)
		if bound {
			expressed[rbac.RoleRef{Kind: b.role.Kind, Name: b.role.Name}] = true
		}
		if !taken {
			bindings = append(bindings, b.object)
		}
	}
	for _, r := range c.roles {
		if !expressed[rbac.RoleRef{Kind: r.kind, Name: r.name}] {
			roles = append(roles, r.object)
		}
	}
	left := slices.Concat(roles, bindings)
	for i := range c.accounts {
		if !slices.Contains(accounts, c.accounts[i].Name) {
			left = append(left, &c.accounts[i])
		}
	}
	return left
}

// groupOf is the group of an apiVersion; empty for the core group.
func groupOf(apiVersion string) string {
	if group, _, ok := strings.Cut(apiVersion, "/"); ok {
		return group
	}
	return ""
}
