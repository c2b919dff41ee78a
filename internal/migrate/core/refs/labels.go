package refs

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
)

// words are what labels of parts end with, the longest first.
var words = []string{"groupversionkind", "groupversion", "groupkind", "apigroups", "apiversions", "apiversion", "groupname", "apigroup", "resources", "resource", "versions", "version", "groups", "group", "pluralname", "plural", "singular", "kinds", "kind"}

// word is the word for a part that a label ends with, "" for none.
func word(label string) string {
	for _, w := range words {
		if strings.HasSuffix(label, w) {
			return w
		}
	}
	return ""
}

// stem is what a label has before that word.
func stem(label string) string {
	s := strings.TrimSuffix(label, word(label))
	switch s {
	case "api", "crd", "gvk", "with", "set", "gvr", "resource", "custom", "cr", "default", "target", "spec":
		return ""
	}
	return s
}

// isPart says whether a label is one of a part of a reference.
func isPart(label string) bool { return word(label) != "" }

// IsGroup says whether a label is one of a group.
func IsGroup(label string) bool {
	switch word(label) {
	case "group", "groups", "groupname", "apigroup", "apigroups":
		return true
	}
	return false
}

// IsAPIVersion says whether a label is one of a group with a version.
func IsAPIVersion(label string) bool {
	switch word(label) {
	case "apiversion", "apiversions", "groupversion", "groupversionkind", "groupkind":
		return true
	}
	return false
}

// IsName says whether a label is one of a kind or resource.
func IsName(label string) bool {
	w := word(label)
	part, ok := wordParts[w]
	return ok && part != Version
}

// isWord says whether a text that is spelled like a group of one word is an ordinary one: a key, or the
// value of a name that is no group's, without a version beside it.
func isWord(n *syntax.Node) bool {
	label := n.Label()
	if label == "" && n.Up != nil {
		label = syntax.Normal(n.Up.Type)
		if slices.ContainsFunc(n.Up.Kids[:min(len(n.Up.Kids), 8)], func(k *syntax.Node) bool { return names.IsVersion(k.String()) }) {
			return false
		}
	}
	return n.Kind == syntax.Key || n.Kind == syntax.Entry && label != "" && !IsAPIVersion(label) && !strings.Contains(label, "group")
}
