package shape

import (
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// What conditions name of a value, and of one that is not there.
func TestFormsOfValues(t *testing.T) {
	in := "n: 12\nq: '12'\ns: pear\nt: '{{ .x }}'\nv: $SIZE\ne: ''\nm: {}\nb:\n  c: d\nl: []\nf: 1.5\n"
	top, _, err := read([]byte(in), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for form, want := range map[string]string{
		"present": "n q s t v e m b l f", "missing": "-", "number": "n", "string": "q s e f", "template": "t v", "empty": "e m l", "": "n q s t v e m b l f -",
	} {
		var got []string
		for _, key := range strings.Fields("n q s t v e m b l f -") {
			if top.entry(key).is(form) {
				got = append(got, key)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %s, want %s", form, strings.Join(got, " "), want)
		}
	}
}

// What a person does about a value that a step takes away.
func TestHintOfAStep(t *testing.T) {
	for want, list := range map[string][]rules.Step{
		"make it": {{Run: "make it", Drop: "a"}},
		"look whether the value is needed elsewhere": {{Drop: "a"}},
		"": {{Move: "a", To: "b"}, {Set: "a"}},
	} {
		for _, s := range list {
			if got := (step{Step: s}).hint(); got != want {
				t.Errorf("%+v: %q, want %q", s, got, want)
			}
		}
	}
}

// A value that goes is told with its path, its text and the reason.
func TestLost(t *testing.T) {
	long := strings.Repeat("x", 70)
	out, notes := converted(pears(t, "{drop: spec.a, why: gone, report: true}\n{drop: spec.b, why: gone, report: true}\n{drop: spec.c, report: true}"),
		head+"spec:\n  a: one\n  b:\n    d: {e: f}\n  c: "+long+"\n  z: 1\n", Options{})
	if want := after + "spec:\n  z: 1\n"; out != want {
		t.Errorf("got\n%s", out)
	}
	want := []string{"spec.a: one has no place in a.example.dev/v2: gone", "spec.b: d: {e: f} has no place in a.example.dev/v2: gone", "spec.c: " + long[:57] + "... has no place in a.example.dev/v2"}
	if got := told(notes); !slices.Equal(got, want) {
		t.Errorf("told %q", got)
	}
}
