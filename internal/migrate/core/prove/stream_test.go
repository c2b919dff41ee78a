package prove

import "testing"

// Of a stream the documents that differ are compared, in their lines.
func TestChanged(t *testing.T) {
	for _, tt := range []struct{ before, after, b, a string }{
		{"a: 1\n---\nb: 2\n", "a: 1\n---\nb: 3\n", "\n---\nb: 2\n", "\n---\nb: 3\n"},
		{"---\na: 1\n--- {x: y}\nb: 2\n---\nc: 3", "---\na: 2\n--- {x: y}\nb: 2\n---\nc: 3", "---\na: 1\n---\n\n---\n", "---\na: 2\n---\n\n---\n"},
		{"a: 1\n---\nb: 2\n", "a: 1\n", "a: 1\n---\nb: 2\n", "a: 1\n"},
		{"%YAML 1.1\n---\na: 1\n---\nb: 2\n", "%YAML 1.1\n---\na: 1\n---\nb: 3\n", "%YAML 1.1\n---\na: 1\n---\nb: 2\n", "%YAML 1.1\n---\na: 1\n---\nb: 3\n"},
		{"a: |\n ---\n---x\n", "a: |\n ---\n---y\n", "a: |\n ---\n---x\n", "a: |\n ---\n---y\n"},
	} {
		if b, a := changed(tt.before, tt.after); b != tt.b || a != tt.a {
			t.Errorf("%q, %q: got %q, %q", tt.before, tt.after, b, a)
		}
	}
}
