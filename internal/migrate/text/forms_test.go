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
		if got, ok := Escaped(x.quote, x.long)(x.in); got != x.want || !ok {
			t.Errorf("%c %v %q: %q", x.quote, x.long, x.in, got)
		}
	}
}

// A line that may end a heredoc is a word of ASCII, with blanks before it.
func TestWordLines(t *testing.T) {
	got := WordLines([]byte("EOF\n\t EOF\nEOF \na b\nE\u0161\n\nx_1\n"))
	if len(got["EOF"]) != 2 || got["EOF"][0] != 0 || got["EOF"][1] != 4 || len(got["x_1"]) != 1 || len(got) != 2 {
		t.Errorf("%v", got)
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

// An object has a kind and a name, and perhaps a namespace.
func TestObjectID(t *testing.T) {
	for in, want := range map[string]string{
		"kind: Pear\nmetadata: {name: a}\n": "Pear  a", "kind: Pear\nmetadata: {name: a, namespace: b}\n": "Pear b a",
		"kind: Pear\nmetadata: {namespace: b}\n": "", "kind: Pear\nname: a\n": "", "metadata: {name: a}\n": "", "kind: ''\nmetadata: {name: a}\n": "",
	} {
		if got := ScanYAML([]byte(in), 0, len(in), false).ObjectID(-1); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
