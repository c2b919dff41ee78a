package find

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What is asked before the expression of a constant refuses nothing that it takes.
func TestConstantsAreAskedQuickly(t *testing.T) {
	const group = "a.example.com"
	names := []string{"GROUP", "Group", "group", "apiGroup", "G2", "_G", "$Group", "g"}
	types := []string{"", " string", ": str", ": &'static str", ": Final[str]"}
	signs := []string{"=", ":=", "?=", ":", " = ", ": ", " : "}
	quotes := []string{"", `"`, "'", "`"}
	heads := []string{"", "const ", "  ", "export ", "private static final String ", "{", "x, "}
	taken := 0
	for _, head := range heads {
		for _, name := range names {
			for _, of := range types {
				for _, sign := range signs {
					for _, quote := range quotes {
						for _, shell := range []string{"", "${OTHER:-", "${other:-"} {
							before := head + name + of + sign + quote + shell
							if shell != "" && sign != "=" && !strings.HasPrefix(sign, ":") {
								continue
							}
							m := constantBefore.FindSubmatch([]byte(before))
							if m == nil || string(m[3]) == ":" && !upperCase.Match(m[2]) {
								continue // in a file of values alone
							}
							taken++
							if strings.IndexByte(before, '=') < 0 && strings.IndexByte(before, '$') < 0 && !endsUpper([]byte(before)) {
								t.Errorf("%q is not asked about", before)
							}
						}
					}
				}
			}
		}
	}
	if taken < 1000 {
		t.Errorf("%d are constants", taken)
	}
	for line, want := range map[string]string{
		`GROUP: "a.example.com"`:                "GROUP",
		`group: a.example.com`:                  "",
		`group := "a.example.com"`:              "group",
		`GROUP: ${OLD:-a.example.com}`:          "GROUP",
		`  group: str = "a.example.com"`:        "group",
		`Group("a.example.com")`:                "",
		`apiVersion: a.example.com/v1`:          "",
		`  - name: GROUP # it is a.example.com`: "",
		`export GROUP=a.example.com`:            "GROUP",
		`GROUP ?= a.example.com # the old one`:  "GROUP",
		`static G: &str = "a.example.com";`:     "G",
	} {
		got := ""
		for _, c := range Constants("a.py", []byte("x\n"+line+"\n"), group) {
			got += c.Name
			if c.At != (source.Span{Start: 2 + strings.Index(line, group), End: 2 + strings.Index(line, group) + len(group)}) {
				t.Errorf("%s: the group is at %v", line, c.At)
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
	if list := Constants("values.yaml", []byte("api:\n  group: a.example.com\n"), group); len(list) != 1 || list[0].Name != ".Values.api.group" {
		t.Errorf("of values: %v", list)
	}
}

// The words of lists of resources are looked for in any case of letters.
func TestWordsOfResources(t *testing.T) {
	for in, want := range map[string]bool{
		"": false, "resource": true, "Resources: [": true, "withRESOURCE(": true, "resourc": false, "re source": false,
		"@plural(": true, "@Plural": true, "plural": false, "\x00resource": true, "xresourcex": true,
	} {
		if saysResources([]byte(in)) != want {
			t.Errorf("%q: not %v", in, want)
		}
	}
	const near = `rule := Rule{Group: "a.example.com", `
	group := source.Span{Start: strings.Index(near, "a.ex"), End: strings.Index(near, "a.ex") + len("a.example.com")}
	for behind, want := range map[string]string{
		`Resources: []string{"widgets", "gadgets/status"}}`: "widgets gadgets/status",
		`RESOURCE: "widgets"}`:                              "widgets",
		`Kind: "Widget"}`:                                   "",
		`Group: "b.example.com", Resources: []string{"x"}}`: "",
	} {
		var got []string
		for _, r := range resourcesBeside([]byte(near+behind), group) {
			got = append(got, r.name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", behind, got, want)
		}
	}
}
