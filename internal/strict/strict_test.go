package strict

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/source"
)

func TestDecodeIsStrict(t *testing.T) {
	type rule struct {
		ID   string            `yaml:"id"`
		Keys map[string]string `yaml:"keys"`
	}
	type config struct {
		Rules []rule    `yaml:"rules"`
		Count int       `yaml:"count"`
		At    time.Time `yaml:"at"`
		Names []string  `yaml:"names"`
	}
	for _, tt := range []struct{ in, want, hint string }{
		{"rules:\n- id: a\n  keys: {x: y}\n", "", ""},
		{"", "", ""},
		{"at: 2023-08-12\n", "", ""},
		{"rulez: []\n", `c.yaml:1:1: unknown key "rulez"`, `did you mean "rules"?`},
		{"rules: none\n", `c.yaml:1:8: rules: want a list, not "none"`, ""},
		{"rules:\n- a\n", `c.yaml:2:3: rules[]: want a mapping with keys of id, keys, not "a"`, ""},
		{"rules:\n- id: [a]\n", `c.yaml:2:7: rules[].id: want text, not a list`, ""},
		{"rules:\n- keys: x\n", `c.yaml:2:9: rules[].keys: want a mapping, not "x"`, ""},
		{"- a\n", `c.yaml:1:1: the file: want a mapping with keys of at, count, names, rules, not a list`, ""},
		{"rules:\n- id: a\n  zebra: 1\n", `c.yaml:3:3: unknown key "zebra"`, "known keys: id, keys"},
		{"count: many\n", `c.yaml:1:8: count: want a number, not "many"`, ""},
		{"count: 1\ncount: 2\n", `c.yaml:2:1: key "count" is used twice`, ""},
		{"count: 1\n---\ncount: 2\n", "c.yaml:2:1: a second YAML document: want one", ""},
		{"rules:\n\t- id: a\n", "c.yaml:2: found character that cannot start any token", "indent with spaces, not with tabs, and quote what begins with @, ` or %"},
		{"names: one\n", `c.yaml:1:8: names: want a list, not "one"`, "write [one]"},
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

// The decoder compares each key with all others, so that a mapping of many is refused.
func TestManyKeys(t *testing.T) {
	keys := func(n int) []byte {
		var b strings.Builder
		b.WriteString("keys:\n")
		for i := range n {
			fmt.Fprintf(&b, "  k%d: v\n", i)
		}
		return []byte(b.String())
	}
	var c struct {
		Keys map[string]string `yaml:"keys"`
	}
	if err := Decode("c.yaml", keys(5_000), &c); err != nil || len(c.Keys) != 5_000 {
		t.Errorf("%d keys, %v", len(c.Keys), err)
	}
	if err := Decode("c.yaml", keys(50_000), &c); err == nil || err.Error() != "c.yaml:2: a mapping has 50000 keys, which are too many to be read" {
		t.Errorf("got %v", err)
	}
}
