package prove

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// An object is what a mapping says of the API that it belongs to. Texts that
// are filled in at run time are not known, nor are patterns and `code`.
type object struct {
	apiVersion, group, version, kind, plural, name string
}

func objectOf(n *node) object {
	var o object
	for i, k := range n.keys {
		if v := n.items[i]; v.shape == scalar {
			o.take(k.value, v.value)
		}
	}
	return o
}

// take takes a field, if it is one of an object.
func (o *object) take(key, value string) {
	if strings.ContainsFunc(value, func(r rune) bool { return !isListed(r) && r != ',' }) {
		return
	}
	switch strings.ToLower(key) {
	case "apiversion":
		o.apiVersion = value
	case "group", "apigroup":
		if !strings.Contains(value, "/") {
			o.group = value
		}
	case "version":
		o.version = value
	case "kind":
		o.kind = value
	case "resource", "plural":
		o.plural = value
	case "name":
		o.name = value
	}
}

// site is the API of an object; a ClusterServiceVersion names it by
// PLURAL.GROUP, version and kind.
func (o object) site() rules.GVK {
	switch {
	case strings.Count(o.apiVersion, "/") == 1:
		return rules.GVKOf(o.apiVersion, o.kind)
	case o.apiVersion != "":
		return rules.GVK{}
	case o.group != "":
		return rules.GVK{Group: o.group, Version: versionOnly(o.version), Kind: o.kind, Plural: pluralOnly(o.plural)}
	case o.kind != "" && o.version != "":
		plural, group, _ := strings.Cut(o.name, ".")
		return rules.GVK{Group: group, Version: versionOnly(o.version), Kind: o.kind, Plural: plural}
	}
	return rules.GVK{}
}

func versionOnly(s string) string {
	if isVersion(s) {
		return s
	}
	return ""
}

// pluralOnly is a resource without its subresource.
func pluralOnly(s string) string {
	s, _, _ = strings.Cut(s, "/")
	return s
}

// object checks that an object is as before or moved as a whole.
func (f *proof) object(b, a *node) error {
	if err := f.whole(objectOf(b), objectOf(a), b.pos); err != nil {
		return err
	}
	if b.child("kind").text() == "CustomResourceDefinition" && b.at("spec", "group") != nil {
		return f.crd(b, a)
	}
	return nil
}

// whole checks the parts of one object against each other.
func (f *proof) whole(before, after object, at source.Position) error {
	old, fresh := before.site(), after.site()
	if old == fresh || !f.names.from[old.Group] && old.Group == fresh.Group {
		return nil
	}
	if f.allows(old, fresh) {
		return nil
	}
	if list := f.images(old); len(list) > 0 {
		return f.fault(at, "%s became %s, and the rules make it %s", old, fresh, list[0])
	}
	return f.fault(at, "%s became %s, and no rule moves it", old, fresh)
}

// isShaped says whether an object is one that changes its shape.
func (f *proof) isShaped(n *node) bool {
	if !f.table.Converts() {
		return false
	}
	o := objectOf(n)
	return o.kind != "" && o.apiVersion != "" && len(f.table.Shapes(rules.GVKOf(o.apiVersion, o.kind))) > 0
}

// A definition is what a CRD defines.
type definition struct {
	site                 rules.GVK
	name, singular, list string
	versions             []string
}

func definitionOf(n *node) definition {
	spec := n.child("spec")
	names := spec.child("names")
	d := definition{site: rules.GVK{Group: spec.child("group").text(), Kind: names.child("kind").text(), Plural: names.child("plural").text()},
		name: n.at("metadata", "name").text(), singular: names.child("singular").text(), list: names.child("listKind").text()}
	if v := spec.child("version").text(); v != "" {
		d.versions = append(d.versions, v)
	}
	if list := spec.child("versions"); list != nil { // that of apiextensions.k8s.io/v1beta1 may name the first twice
		d.versions = nil
		for _, v := range list.items {
			d.versions = append(d.versions, v.child("name").text())
		}
	}
	return d
}

// crd checks that the names of a CRD move together.
func (f *proof) crd(b, a *node) error {
	old, fresh := definitionOf(b), definitionOf(a)
	at := b.at("spec", "group").pos
	if !f.allows(old.site, fresh.site) {
		return f.fault(at, "the CRD of %s %s became that of %s %s, and no rule makes that", old.site, old.site.Plural, fresh.site, fresh.site.Plural)
	}
	for _, x := range [][4]string{
		{"metadata.name", old.site.Plural + "." + old.site.Group, old.name, fresh.site.Plural + "." + fresh.site.Group},
		{"singular", strings.ToLower(old.site.Kind), old.singular, strings.ToLower(fresh.site.Kind)},
		{"listKind", old.site.Kind + "List", old.list, fresh.site.Kind + "List"},
	} {
		now := map[string]string{"metadata.name": fresh.name, "singular": fresh.singular, "listKind": fresh.list}[x[0]]
		if x[2] == x[1] && now != x[3] {
			return f.fault(at, "%s of the CRD is %q after, and its other names make it %q", x[0], now, x[3])
		}
	}
	return f.crdVersions(old, fresh, at)
}

// crdVersions checks the versions that a CRD serves.
func (f *proof) crdVersions(old, fresh definition, at source.Position) error {
	if len(old.versions) != len(fresh.versions) {
		return f.fault(at, "the CRD has %d versions before and %d after", len(old.versions), len(fresh.versions))
	}
	for i, v := range old.versions {
		now, site := fresh.versions[i], old.site
		site.Version = v
		moved := old.site
		moved.Version = now
		moved.Group, moved.Kind, moved.Plural = fresh.site.Group, fresh.site.Kind, fresh.site.Plural
		if v != now && (old.site.Group == fresh.site.Group || !f.allows(site, moved)) {
			return f.fault(at, "version %s of the CRD became %s, and no rule makes that", v, now)
		}
	}
	return nil
}
