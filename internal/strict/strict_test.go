package strict

import (
	"errors"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

func TestDecodeIsStrict(t *testing.T) {
	type rule struct {
		ID   string            `yaml:"id"`
		Keys map[string]string `yaml:"keys"`
	}
	type config struct {
		Rules []rule `yaml:"rules"`
		Count int    `yaml:"count"`
	}
	for _, tt := range []struct{ in, want, hint string }{
		{"rules:\n- id: a\n  keys: {x: y}\n", "", ""},
		{"", "", ""},
		{"rulez: []\n", `c.yaml:1:1: unknown key "rulez"`, `did you mean "rules"?`},
		{"rules:\n- id: a\n  zebra: 1\n", `c.yaml:3:3: unknown key "zebra"`, "known keys: id, keys"},
		{"count: many\n", "c.yaml:1: cannot unmarshal !!str `many` into int", ""},
		{"count: 1\ncount: 2\n", `c.yaml:2:1: key "count" stands twice`, ""},
		{"count: 1\n---\ncount: 2\n", "c.yaml:2:1: a second document is not expected here", ""},
		{"a: [\n", "c.yaml:1: did not find expected node content", ""},
	} {
		var c config
		err := Decode("c.yaml", []byte(tt.in), &c)
		got, hint := "", ""
		if err != nil {
			got = err.Error()
			var e *source.Error
			if errors.As(err, &e) {
				hint = e.Hint
			}
		}
		if got != tt.want || hint != tt.hint {
			t.Errorf("%q: got %q (hint %q), want %q (hint %q)", tt.in, got, hint, tt.want, tt.hint)
		}
	}
}
