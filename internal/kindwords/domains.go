package kindwords

import (
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// InDomain says whether a word that ends at an offset is in a domain name: the
// group of an API, the key of a label, a host. Names of webhooks end in kb.io.
func InDomain(text string, at int) bool {
	m := restOfDomain.FindStringSubmatch(text[at:])
	if m == nil {
		return false
	}
	labels := strings.Split(m[2], ".") // the first one is empty
	last := labels[len(labels)-1]
	return (slices.Contains(topLevel, last) || len(labels) > 2 && slices.Contains(fileEnds, last)) && m[2] != ".kb.io" && !serviceName.MatchString(text[at+len(m[1]):])
}

// restOfDomain is what follows a word in a domain name: the rest of its label, and other labels.
var restOfDomain = lazyregexp.New(`^([a-z0-9-]*)((?:\.[a-z0-9-]+)+)`)

// serviceName is what follows the name of a Service in that of its host.
var serviceName = lazyregexp.New(`^\.[a-z0-9-]+\.svc\b`)

// topLevel are the last labels of domain names; fileEnds are others, which files and fields have, too.
var (
	topLevel = []string{"io", "com", "org", "net", "dev", "ai", "cloud"}
	fileEnds = []string{"app", "local", "internal", "sh"}
)

// Project tells of the modules of the tree, by folder, whose kinds are renamed, and what their groups become. What an
// element of one has around a kind is the name of the project: node-feature-discovery is about no NodeFeature. The
// folders of modules and charts are elements of their paths, which do not change.
func (s *Set) Project(modules, groups map[string]string, charts []string) {
	s.modules, s.groups = slices.Sorted(maps.Values(modules)), slices.Sorted(maps.Keys(groups))
	for _, dir := range slices.Concat(slices.Sorted(maps.Keys(modules)), charts) {
		if !strings.Contains(dir, "/") {
			dir += "/" // alone, it may be the kind
		}
		s.guards = append(s.guards, kept(dir))
	}
	for _, g := range s.groups {
		s.keepGroup(g, groups[g])
	}
	names := map[string]bool{}
	for _, name := range slices.Concat(s.modules, s.groups) {
		for _, x := range strings.FieldsFunc(name, func(c rune) bool { return c == '/' || c == '.' }) {
			names[x] = true
		}
	}
	for _, x := range slices.Sorted(maps.Keys(names)) {
		words := strings.FieldsFunc(x, func(c rune) bool { return c == '-' || c == '_' })
		for i, w := range words {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
		name := strings.Join(words, "")
		if len(s.Find(name, Ident)) > 0 {
			s.guards = append(s.guards, formsOf(&Kind{Old: name, New: name})...)
		}
	}
}

// keepGroup keeps what is made of a group whose first label is a kind in lower case or its plural: folders, samples,
// paths of webhooks, its name in PROJECT, and its clients of client-gen, unless the group gets the new name of the kind.
func (s *Set) keepGroup(group, to string) {
	label, dashed := strings.ReplaceAll(strings.Split(group, ".")[0], "-", ""), strings.ReplaceAll(group, ".", "-")
	for _, k := range s.kinds {
		if (strings.ToLower(k.Old) == label || PluralOf(k.OldPlural, k.Old) == label) && !strings.HasPrefix(to, strings.ToLower(k.New)+".") {
			s.guards = append(s.guards, form{dashed, dashed, joined, &Kind{Old: dashed}, true}, kept(label+"/"), kept(label+"_v"), kept(label+"v"), kept(label+"_client"))
			s.keys = append(s.keys, form{old: "group: " + label, style: kebab, kind: &Kind{Old: label}})
			s.forms = slices.DeleteFunc(s.forms, func(f form) bool { return f.kind == k && f.style == title })
			if name := k.Old + "V"; len(Split(k.Old)) == 1 { // VaultV1Client of vault.example.com
				s.guards = append(s.guards, form{name, name, camel, &Kind{Old: name}, false})
			}
		}
	}
}

// ofProject says whether an address has the owner and the name of a repository of the tree.
func (s *Set) ofProject(address string) bool {
	return slices.ContainsFunc(s.modules, func(m string) bool {
		elems := strings.SplitN(m, "/", 4)
		return len(elems) > 2 && strings.Contains(address, "/"+elems[1]+"/"+elems[2]+"/")
	})
}

// Fields tells of the keys of structs in YAML and JSON, which do not change. One that is
// not in camel case may be the kind where it is no key.
func (s *Set) Fields(keys []string) {
	for _, key := range keys {
		edits := s.Find(key, Ident)
		if len(edits) == 0 || edits[0].Start == 1 && edits[0].End == len(key)-1 && key[0] == '"' { // a quoted name that is the kind's
			continue
		}
		if letter(key[0]) && (strings.ToLower(key) == key || isUpper(key)) {
			key += ":"
		}
		s.keys = append(s.keys, kept(key))
	}
}

// Keep tells of the name of a feature gate, flag or message, and says whether it has a kind in it.
// One that is the name of a kind is kept where it is switched on or off.
func (s *Set) Keep(name string) bool {
	edits, as := s.Find(name, Ident), []string{""}
	if len(edits) > 0 && edits[0].End-edits[0].Start == len(name) {
		s.keys = append(s.keys, kept("--"+name))
		as = []string{"=true", "=false", ": true", ": false", `": true`, `": false`}
	}
	for _, is := range as[:len(as)*min(1, len(edits))] {
		s.keys = append(s.keys, kept(name+is))
	}
	return len(edits) > 0
}

// kept is a text that does not change as a word.
func kept(text string) form { return form{old: text, style: kebab, kind: &Kind{Old: text}} }

// longest is how far before a word the host of its address is looked for.
const longest = 400

// inAddress says whether a word that ends at an offset is the owner or the name of a
// repository or of a module, the first two elements behind a host, is of an image, or is of a
// page that is not of the modules of the tree. A released image has no other name.
func (s *Set) inAddress(text string, at int) bool {
	start, image := at, at < len(text)-1 && (text[at] == ':' || text[at] == '@') && WordByte(text[at+1])
	for start > max(0, at-longest) && (WordByte(text[start-1]) || strings.IndexByte("-./", text[start-1]) >= 0) {
		start--
	}
	url := start > 0 && text[start-1] == ':' && strings.HasPrefix(text[start:], "//")
	elems := strings.Split(text[start:at], "/")
	if len(elems) > 1 && releasedTag.MatchString(text[at:]) || strings.HasPrefix(text[start:at], "/var/") { // files of an image or node
		return true
	}
	for i := len(elems) - 2; i >= 0; i-- {
		if dot := strings.LastIndexByte(elems[i], '.'); dot <= 0 || !slices.Contains(topLevel, elems[i][dot+1:]) {
			continue // no domain name
		}
		if version, _, ok := strings.Cut(elems[i+1], "."); ok && len(version) > 1 && version[0] == 'v' && digit(version[1]) && slices.Contains(s.groups, elems[i]) {
			return false // a heading of an API reference: GROUP/VERSION.WidgetSetSpec
		}
		name := strings.Join(elems[i:], "/")
		return !slices.ContainsFunc(s.modules, func(m string) bool { return strings.HasPrefix(name, m+"/") }) &&
			(image || len(elems)-1-i <= 2 || url && !s.ofProject(name) || slices.ContainsFunc(s.modules, func(m string) bool { return strings.HasPrefix(m, name) }))
	}
	return false
}

// releasedTag is what follows a word in the name of an image with the tag of a version.
var releasedTag = lazyregexp.New(`^[a-z0-9.-]*(:v?\d+\.\d|@sha256:)`)
