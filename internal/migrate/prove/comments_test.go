package prove

import "testing"

// A mark of a comment counts where YAML has comments, not within a string that
// begins and ends on its line.
func TestCommentsOfALine(t *testing.T) {
	for _, c := range []struct{ line, comment string }{
		{`a: b # why`, "# why"},
		{`# why`, "# why"},
		{`a: b#c`, ""},
		{`a: "b # c"`, ""},
		{`a: "b # c" # why`, "# why"},
		{`a: 'b # c' # it's`, "# it's"},
		{`{"a": "x \" # y", "b": 1}`, ""},
		{`- "b # c"`, ""},
		{`["x", "# y"]`, ""},
		{`a: it's # why, isn't it`, "# why, isn't it"},
		{`a: "b # c`, "# c"}, // goes on: what follows may be anything
		{`a: b "c # d"`, `# d"`},
	} {
		if got := tails([]byte(c.line + "\n")); len(got) != 1 || got[0].text != c.comment {
			t.Errorf("%s: %q", c.line, got)
		}
	}
}
