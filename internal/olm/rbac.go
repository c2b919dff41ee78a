package olm

import (
	"cmp"
	"slices"
	"strings"

	rbac "k8s.io/api/rbac/v1"
)

// A binding is what role bindings of both scopes have in common.
type binding struct {
	role     rbac.RoleRef
	subjects []rbac.Subject
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

// bindings lists the bindings of a scope.
func (c *collection) bindingsOf(cluster bool) []binding {
	var list []binding
	if cluster {
		for _, b := range c.clusterBinds {
			list = append(list, binding{b.RoleRef, b.Subjects})
		}
		return list
	}
	for _, b := range c.bindings {
		list = append(list, binding{b.RoleRef, b.Subjects})
	}
	return list
}

// rules are those of the role that a binding names; nil when it is not in the build.
func (c *collection) rules(ref rbac.RoleRef) []rbac.PolicyRule {
	if ref.APIGroup != "" && ref.APIGroup != rbac.GroupName {
		return nil
	}
	switch ref.Kind {
	case "Role":
		for _, r := range c.roles {
			if r.Name == ref.Name {
				return slices.Concat([]rbac.PolicyRule{}, r.Rules)
			}
		}
	case "ClusterRole":
		for _, r := range c.clusterRoles {
			if r.Name == ref.Name {
				return slices.Concat([]rbac.PolicyRule{}, r.Rules)
			}
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
		for _, b := range c.bindingsOf(cluster) {
			for _, s := range b.subjects {
				if s.Kind == rbac.ServiceAccountKind && s.Name == account {
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

// boundRoles are "Kind/Name" of the roles that the CSV expresses.
func (c *collection) boundRoles(accounts []string) []string {
	var names []string
	for _, cluster := range []bool{false, true} {
		for _, b := range c.bindingsOf(cluster) {
			if _, bound := c.taken(b, accounts); bound {
				names = append(names, b.role.Kind+"/"+b.role.Name)
			}
		}
	}
	return names
}

// leftRBAC are the objects of RBAC that the CSV does not express, which become
// manifests of their own.
func (c *collection) leftRBAC(accounts []string) []any {
	var left []any
	roles := c.boundRoles(accounts)
	for i := range c.roles {
		if !slices.Contains(roles, "Role/"+c.roles[i].Name) {
			left = append(left, &c.roles[i])
		}
	}
	for i := range c.clusterRoles {
		if !slices.Contains(roles, "ClusterRole/"+c.clusterRoles[i].Name) {
			left = append(left, &c.clusterRoles[i])
		}
	}
	for i, b := range c.bindings {
		if taken, _ := c.taken(binding{b.RoleRef, b.Subjects}, accounts); !taken {
			left = append(left, &c.bindings[i])
		}
	}
	for i, b := range c.clusterBinds {
		if taken, _ := c.taken(binding{b.RoleRef, b.Subjects}, accounts); !taken {
			left = append(left, &c.clusterBinds[i])
		}
	}
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
