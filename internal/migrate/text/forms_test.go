package text

import "testing"

// What is written into a string is escaped as its quotes ask.
func TestEscaped(t *testing.T) {
	for _, x := range []struct {
		quote    byte
		long     bool
		in, want string
	}{
		{'"', false, "a\"b\\c\nd\te\rf\x01", `a\"b\\c\nd\te\rf\u0001`},
		{'\'', false, "a\"b'c", `a"b\'c`},
		{'"', true, "a\"b\\c\nd\te\rf\x01", "a\"b\\\\c\nd\te\rf\\u0001"},
		{'`', true, "a`b\n", "a\\`b\n"},
	} {
		if got, ok := escaped(x.quote, x.long)(x.in); got != x.want || !ok {
			t.Errorf("%c %v %q: %q", x.quote, x.long, x.in, got)
		}
	}
}

// A string tells the name that it is given, or compared with, before it.
func TestNameBefore(t *testing.T) {
	for before, want := range map[string]string{
		"Group: ": "Group", "group := ": "group", "x.Group == ": "Group", "group != ": "group", "group=": "group", `"api-group": `: "api-group", "'g' : ": "g", "Group: &": "Group",
		"Groups: []string{": "Groups", "Groups: [": "Groups", "Groups: [ ": "Groups", "groups = [": "groups", "f(": "", "Group ": "", "a, ": "", "": "", "Group: x": "", ": ": "",
	} {
		if got := nameBefore([]byte(before)); got != want {
			t.Errorf("%q: %q, want %q", before, got, want)
		}
	}
}
