package prove

import (
	"strings"
	"testing"
)

// Small questions that the proof asks of a text.
func TestQuestions(t *testing.T) {
	for what, x := range map[string]struct {
		is      func(string) bool
		yes, no []string
	}{
		"more comes in pairs": {func(in string) bool { a, b, _ := strings.Cut(in, "|"); return balanced(a, b) },
			[]string{"a|a\"b\"", "a|'b'", "a|`b`", "a|{b}", "a|[b](c)", "\"|\""}, []string{"a|a\"", "a|'", "a|`", "a|{", "a|]", "a|(", "a|b)"}},
		"ends with a slash of a URL": {escapedSlash, []string{"a%2f", "a%2F"}, []string{"a/", "%2fa", "2f"}},
		"nothing but blanks":         {alone, []string{"", " ", "\t\r"}, []string{"x", " x", "\n"}},
		"name of a resource":         {resourceName.MatchString, []string{"pears", "p-1"}, []string{"Pears", "1p", "-p", "xPears", "pears/status", "pears."}},
		"head of a manifest": {manifestHead.MatchString,
			[]string{"apiVersion: x", "  kind: x", "# apiVersion: x", "## kind:", "// apiVersion: x", "/// kind: x", "> kind: x", " * apiVersion: x", "; kind: x", ";; kind: x", "-- kind: x", "- apiGroups: [x]", "rules:", "rules:\r\n", "# > - kind: x"},
			[]string{"apiVersion=x", "xkind: x", "kind:x", "/ kind: x", "- - kind: x", "spec: x", "the kind: x"}},
	} {
		for want, list := range map[bool][]string{true: x.yes, false: x.no} {
			for _, in := range list {
				if x.is(in) != want {
					t.Errorf("%s: %q: %v", what, in, !want)
				}
			}
		}
	}
}

// A rule of a policy names kinds where it names no resources.
func TestNamesBesideGroups(t *testing.T) {
	for in, want := range map[string]string{"kinds: [Pear]": "kinds", "resources: [pears]": "resources", "resources: [pears]\nkinds: [Pear]": "resources", "a: b": "resources"} {
		docs, err := parseYAML([]byte(in))
		if err != nil || len(docs) != 1 {
			t.Fatal(err)
		}
		n := docs[0]
		if len(n.Content) == 1 {
			n = n.Content[0]
		}
		if got := resourcesOf(n); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
}
