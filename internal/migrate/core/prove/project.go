package prove

import (
	"path"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// project checks a PROJECT file of kubebuilder, which holds a group in two
// halves. What is checked gets the new text before the files are compared.
func (f *proof) project(b, a *node) error {
	top, topAfter := b.child("domain"), a.child("domain")
	list, after := b.child("resources"), a.child("resources")
	if list == nil || after == nil || len(list.items) != len(after.items) {
		return nil
	}
	for i, r := range list.items {
		if err := f.resource(r, after.items[i], top.text(), topAfter.text()); err != nil {
			return err
		}
	}
	if old := top.text(); top != nil && old != topAfter.text() {
		if !f.isDomain(old, topAfter.text()) {
			return f.fault(top.pos, "the domain %q became %q, and no rule makes that", old, topAfter.text())
		}
		top.value = topAfter.value
	}
	return nil
}

// resource checks one API of a project.
func (f *proof) resource(b, a *node, top, topAfter string) error {
	old, fresh := f.projectSite(b, top), f.projectSite(a, topAfter)
	if !f.allows(old, fresh) {
		return f.fault(b.pos, "%s became %s, and no rule makes that", old, fresh)
	}
	for _, key := range []string{"group", "domain", "version", "kind"} {
		if x, y := b.child(key), a.child(key); x != nil && y != nil && x.shape == scalar {
			x.value = y.text()
		}
	}
	return nil
}

// projectSite is the API that a resource of a project names. Old projects have
// the whole group in one field.
func (f *proof) projectSite(n *node, domain string) rules.GVK {
	if d := n.child("domain").text(); d != "" {
		domain = d
	}
	site := rules.GVK{Version: n.child("version").text(), Kind: n.child("kind").text()}
	group := n.child("group").text()
	site.Group = strings.Trim(group+"."+domain, ".")
	if !f.isGroup(site.Group) && f.isGroup(group) {
		site.Group = group
	}
	return site
}

func (f *proof) isProject() bool { return path.Base(f.path) == "PROJECT" }

// halfGroup says whether two lines are the same field for a half of a group.
// Its value was checked with the decoded file.
func halfGroup(old, fresh string) bool {
	for _, key := range []string{"domain: ", "group: "} {
		if i := strings.Index(old, key); i >= 0 && strings.HasPrefix(fresh, old[:i+len(key)]) {
			return true
		}
	}
	return false
}

func (f *proof) isGroup(s string) bool { return f.names.from[s] || f.names.to[s] }

// isDomain says whether a domain is the end of a group that becomes one with
// the other domain.
func (f *proof) isDomain(old, fresh string) bool {
	if old == "" || fresh == "" {
		return false
	}
	for g := range f.names.from {
		if g != old && !strings.HasSuffix(g, "."+old) {
			continue
		}
		for _, to := range f.images(rules.GVK{Group: g}) {
			if to.Group == fresh || strings.HasSuffix(to.Group, "."+fresh) {
				return true
			}
		}
	}
	return false
}
