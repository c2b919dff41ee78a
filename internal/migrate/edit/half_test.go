package edit

import "testing"

// No statement of source moves by half: a kind or resource of a group that stays
// in its statement leaves the group to a person, with all that moves with it.
func TestHalves(t *testing.T) {
	beside := "splits: tree.example.com"
	rows(t, []row{
		{name: "a list in a builder", file: "a.java", in: `
a.withApiGroups(List.of("tree.example.com")).withResources(List.of("other", "plums/status")).build();
`, told: beside},
		{name: "a builder over lines", file: "a.java", in: `
a
  .withApiGroups(List.of("tree.example.com"))
  .withResources(List.of("other", "plums"))
`, told: beside},
		{name: "resources that move whole", file: "a.java", in: `
a.withApiGroups("tree.example.com").withResources("plums", "plums/status").build();
`, want: `
a.withApiGroups("wood.example.org").withResources("prunes", "prunes/status").build();
`},
		{name: "what moves with it stays with it", file: "a.go", in: `
package a

var x = f{Group: "tree.example.com", Kind: "Plum", Names: []string{"plums"}}
`, told: beside},
		{name: "a resource of a group that stays", file: "a.go", in: `
package a

var x = f{Group: "elm.example.com", Kind: "Elm", Names: []string{"elms"}}
`, told: "splits: Elm"},
		{name: "a condition without brackets", file: "a.py", in: `
if group == "tree.example.com":
    names = ["plums"]
`, told: beside},
		{name: "a case", file: "a.go", in: `
package a

func f() {
	switch g {
	case "tree.example.com":
		f("Plum")
	}
}
`, told: beside},
		{name: "conditions of a rule", file: "a.rego", in: `
a {
  startswith(input.apiVersion, "tree.example.com/")
  input.is == "Plum"
}
`, told: beside},
		{name: "another statement", file: "a.go", in: `
package a

func f() {
	a("tree.example.com"); b("Plum")
	b("Plum") // "Plum"
}
`, want: `
package a

func f() {
	a("wood.example.org"); b("Plum")
	b("Plum") // "Plum"
}
`},
		{name: "another case", file: "a.go", in: `
package a

func f() {
	switch g {
	case "tree.example.com":
		f()
	case "other":
		f("Plum")
	}
}
`, want: `
package a

func f() {
	switch g {
	case "wood.example.org":
		f()
	case "other":
		f("Plum")
	}
}
`},
		{name: "words that are no kinds of it", file: "a.go", in: `
package a

var x = f("tree.example.com", "plum", "a Plum")
`, want: `
package a

var x = f("wood.example.org", "plum", "a Plum")
`},
	})
}
