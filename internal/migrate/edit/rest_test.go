package edit

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/judge"
)

// A place that no format has found is for a person, unless it is a part of a
// longer name.
func TestRest(t *testing.T) {
	b := newBench(t, moves)
	made := Plan(b.file("a.txt", "x old.example.com y\nmy-old.example.com\n"), func(func(judge.Decided) bool) {}).Made
	if len(made) != 2 || made[0].Action() != Person || made[0].Reason != "unknown-place" || made[1].Action() != Stay || made[1].Reason != "longer-name" {
		t.Errorf("%+v", made)
	}
}

// Other spellings of a group, and places that nothing tells of, have an answer.
func TestPatterns(t *testing.T) {
	rows(t, []row{
		{name: "nobody knows the place", file: "a.txt", in: `
x%old.example.com%y
`, stays: "prose: old.example.com"},
		{name: "a part of a longer name", file: "a.txt", in: `
see my-old.example.com and old.example.com.net and foo_old.example.com
`, stays: "longer-name: old.example.com; longer-domain: old.example.com.net; prose: old.example.com"},
		{name: "a regular expression", file: "a.go", in: "package a\n\nvar group = regexp.MustCompile(`^old\\.example\\.com$`)\n", told: "unknown-place: old\\.example\\.com"},
		{name: "a regular expression in a string", file: "a.go", in: `
package a

var group = regexp.MustCompile("^old\\.example\\.com$")
`, told: "unknown-place: old\\\\.example\\\\.com"},
		{name: "a regular expression with a word's end", file: "a.sh", in: `
grep '\bold\.example\.com\b' file
`, told: "unknown-place: old\\.example\\.com"},
		{name: "a regular expression of a longer domain", file: "a.sh", in: `
grep 'my\.old\.example\.com' file
`},
		{name: "a regular expression of a longer word", file: "a.sh", in: `
grep 'bold\.example\.com' file
`},
		{name: "a regular expression of a label", file: "a.sh", in: `
kubectl get pods -o jsonpath='{.items[*].metadata.labels.old\.example\.com/app}'
`, stays: "label-line: old\\.example\\.com"},
		{name: "a regular expression of an annotation", file: "a.sh", in: `
kubectl get pods -o jsonpath='{.metadata.annotations.old\.example\.com}'
`, stays: "label-line: old\\.example\\.com"},
		{name: "a regular expression of a group that stays", file: "a.sh", in: `
grep 'step\.example\.com' file
`},
		{name: "escapes in YAML", file: "a.yaml", in: `
apiVersion: "old\u002eexample.com/v1"
kind: Any
`, told: `unknown-place: old\u002eexample.com`},
		{name: "escapes in JSON", file: "a.json", in: `
{"apiVersion": "old\u002Eexample\u002ecom/v1"}
`, told: `unknown-place: old\u002Eexample\u002ecom`},
		{name: "escapes in source", file: "a.go", in: "package a\n\nvar a = \"old.example\\x2ecom/v1\"\n", told: `unknown-place: old.example\x2ecom`},
		{name: "escapes in a longer word", file: "a.go", in: "package a\n\nvar a = \"bold.example\\x2ecom/v1\"\n"},
		{name: "an OpenAPI document", file: "openapi.json", in: `
{"definitions": {"com.example.old.v1.Any": {"type": "object"}}, "x": {"$ref": "#/definitions/com.example.old.v1.Any"}}
`, told: "unknown-place: com.example.old"},
		{name: "an OpenAPI document in YAML", file: "openapi.yaml", in: `
definitions:
  com.example.old.v1.Any: {type: object}
`, told: "unknown-place: com.example.old"},
		{name: "a Java package that is named after it", file: "a.yaml", in: `
class: com.example.old.v1.Any
`},
		{name: "an OpenAPI document as text", file: "openapi.txt", in: `
definitions: com.example.old.v1.Any
`},
		{name: "in a file that stays", file: "frozen/a.go", in: "package a\n\nvar group = regexp.MustCompile(`^old\\.example\\.com$`) // old.example.com\n", stays: "ruleset: old\\.example\\.com; prose: old.example.com"},
		{name: "an OpenAPI document that stays", file: "frozen/openapi.json", in: `
{"definitions": {"com.example.old.v1.Any": {"type": "object"}}}
`, stays: "ruleset: com.example.old"},
		{name: "a label in brackets", file: "a.sh", in: `
kubectl get pods -o jsonpath="{.items[*].metadata.labels['old\.example\.com']}"
`, stays: "label-line: old\\.example\\.com"},
		{name: "a group of which a part moves", file: "a.txt", in: `
x%tree.example.com%y
`, stays: "prose: tree.example.com"},
		{name: "a hidden one", file: "a.yaml", in: `
data: "x%old.example.com%y"

`, stays: "prose: old.example.com"},
	})
}
