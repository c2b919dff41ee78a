package edit

import "testing"

// Two groups that become one are no two cases of a switch, nor two keys of a
// literal: that would not compile.
func TestNotTwiceInGo(t *testing.T) {
	rows(t, []row{
		{name: "two cases", file: "a.go", in: `
package a

func f(group string) int {
	switch group {
	case "old.example.com":
		return 1
	case "also.example.com":
		return 2
	}
	return 0
}
`, told: "name-taken: old.example.com; name-taken: also.example.com"},
		{name: "a case that is there", file: "a.go", in: `
package a

func f(group string) int {
	switch group {
	case "new.example.org", "old.example.com":
		return 1
	}
	return 0
}
`, told: "name-taken: old.example.com"},
		{name: "cases of two switches", file: "a.go", in: `
package a

func f(group string) int {
	switch group {
	case "old.example.com":
		return 1
	}
	switch group {
	case "also.example.com":
		return 2
	}
	return 0
}
`, want: `
package a

func f(group string) int {
	switch group {
	case "new.example.org":
		return 1
	}
	switch group {
	case "new.example.org":
		return 2
	}
	return 0
}
`},
		{name: "two keys", file: "a.go", in: `
package a

var groups = map[string]int{"old.example.com": 1, "also.example.com": 2}
`, told: "name-taken: old.example.com; name-taken: also.example.com"},
	})
}
