package prove

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

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
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i+1].Kind == yaml.ScalarNode {
			o.take(n.Content[i].Value, n.Content[i+1].Value)
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
		if !strings.Contains(value, "/") && value == strings.ToLower(value) { // GROUP.example.com is to be filled in
			o.group = value
		}
	case "version":
		o.version = value
	case "kind":
		if value != strings.ToLower(value) { // "kind" is none in a test of a Go package
			o.kind = value
		}
	case "resource", "plural":
		o.plural = value
	case "name":
		o.name = value
	}
}

// site is the API of an object; a ClusterServiceVersion names it by
// PLURAL.GROUP, version and kind.
func (o object) site() rules.GVK {
	plural, _, _ := strings.Cut(o.plural, "/") // without its subresource
	switch {
	case strings.Count(o.apiVersion, "/") == 1:
		return rules.GVKOf(o.apiVersion, o.kind)
	case o.apiVersion != "":
		return rules.GVK{}
	case o.group != "":
		return rules.GVK{Group: o.group, Version: versionOnly(o.version), Kind: o.kind, Plural: plural}
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

// object checks that an object is as before or moved as a whole.
func (f *proof) object(b, a *node) error {
	if err := f.whole(objectOf(b), objectOf(a), at(b)); err != nil {
		return err
	}
	if text(child(b, "kind")) == "CustomResourceDefinition" && child(b, "spec", "group") != nil {
		return f.crd(b, a)
	}
	return nil
}

// whole checks the parts of one object against each other.
func (f *proof) whole(before, after object, at source.Position) error {
	old, fresh := before.site(), after.site()
	if !f.names.from[old.Group] && old.Group == fresh.Group || f.allows(old, fresh) {
		return nil
	}
	if list := f.images(old); len(list) > 0 {
		return f.fault(at, "%s became %s, and the rules make it %s", old, fresh, list[0])
	}
	return f.fault(at, "%s became %s, and no rule moves it", old, fresh)
}

// isShaped says whether an object is one that changes its shape.
func (l *lexicon) isShaped(n *node) bool {
	if !l.table.Converts() {
		return false
	}
	o := objectOf(n)
	return o.kind != "" && o.apiVersion != "" && len(l.table.Shapes(rules.GVKOf(o.apiVersion, o.kind))) > 0
}

// crdNames are the API that a CRD defines, and the names that follow from it: what they are,
// and what they should be.
func crdNames(n *node) (site rules.GVK, is, want map[string]string) {
	names := child(n, "spec", "names")
	site = rules.GVK{Group: text(child(n, "spec", "group")), Kind: text(child(names, "kind")), Plural: text(child(names, "plural"))}
	is = map[string]string{"metadata.name": text(child(n, "metadata", "name")), "singular": text(child(names, "singular")), "listKind": text(child(names, "listKind"))}
	return site, is, map[string]string{"metadata.name": site.Plural + "." + site.Group, "singular": strings.ToLower(site.Kind), "listKind": site.Kind + "List"}
}

// crd checks that the names of a CRD move together, and each version with them.
func (f *proof) crd(b, a *node) error {
	old, had, meant := crdNames(b)
	fresh, has, means := crdNames(a)
	pos := at(child(b, "spec", "group"))
	if !f.allows(old, fresh) {
		return f.fault(pos, "the CRD of %s %s became that of %s %s, and no rule makes that", old, old.Plural, fresh, fresh.Plural)
	}
	for _, name := range []string{"metadata.name", "singular", "listKind"} {
		if had[name] == meant[name] && has[name] != means[name] {
			return f.fault(pos, "%s of the CRD is %q after, and its other names make it %q", name, has[name], means[name])
		}
	}
	before, after := versionsOf(b), versionsOf(a)
	if len(before) != len(after) {
		return f.fault(pos, "the CRD has %d versions before and %d after", len(before), len(after))
	}
	for i, v := range before {
		was, is := old, fresh
		was.Version, is.Version = v, after[i]
		if v != is.Version && (old.Group == fresh.Group || !f.allows(was, is)) {
			return f.fault(pos, "version %s of the CRD became %s, and no rule makes that", v, is.Version)
		}
	}
	return nil
}

// versionsOf are the versions of a CRD; that of apiextensions.k8s.io/v1beta1 may have one of its own.
func versionsOf(n *node) []string {
	list := child(n, "spec", "versions")
	if list == nil {
		return texts(child(n, "spec", "version"))
	}
	var versions []string
	for _, v := range list.Content {
		versions = append(versions, text(child(v, "name")))
	}
	return versions
}

func isProject(name string) bool { return path.Base(name) == "PROJECT" }

// wholeGroups puts the two halves together in which a PROJECT file of kubebuilder holds a
// group, and says whether its own domain is one of them. Some projects have the whole group
// in one field.
func (l *lexicon) wholeGroups(n *node) (used bool) {
	domain, list := text(child(n, "domain")), child(n, "resources")
	for i := 0; list != nil && i < len(list.Content); i++ {
		group, own := child(list.Content[i], "group"), child(list.Content[i], "domain")
		if group == nil {
			group = scalar("", at(list.Content[i]))
			list.Content[i].Content = append(list.Content[i].Content, scalar("group", at(group)), group)
		}
		held := cmp.Or(text(own), domain)
		whole := strings.Trim(group.Value+"."+held, ".")
		switch {
		case l.isGroup(whole):
		case l.isGroup(group.Value):
			continue
		case l.isGroup(held): // and the group a name that stays
			whole = held
			list.Content[i].Content = append(list.Content[i].Content, scalar("half", at(group)), scalar(group.Value, at(group)))
		}
		group.Value, group.Tag = whole, "!!str"
		used = used || own == nil || own.Value == domain
		if i, fields := slices.Index(list.Content[i].Content, own), &list.Content[i].Content; own != nil { // another side may have none
			*fields = slices.Delete(*fields, i-1, i+1)
		}
	}
	return used
}

func (l *lexicon) isGroup(s string) bool { return l.names.from[s] || l.names.to[s] }
