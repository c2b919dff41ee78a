package propose

import (
	"strings"
	"testing"
	"testing/fstest"
)

// What binds an importer is compared, and nothing else: not names of
// parameters, not comments, not what is not exported.
func TestCompareAPI(t *testing.T) {
	const before = `package a
import "io"
// C is a constant.
const C = 1
var V io.Reader
type S struct { A int; b int; io.Writer }
type I interface { M(x int) }
type T[K any] []K
func F(a, b int) (n int, err error) { return 0, nil }
func (s *S) M() {}
func (t T[K]) Len() int { return 0 }
func f() {}
`
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"// C is a constant.", "// C is another.", ""},
		{"a, b int) (n int, err error)", "x int, y int) (int, error)", ""},
		{"b int;", "c, d string;", ""},
		{"func f() {}", "func g() {}", ""},
		{"A int;", "A, B int;", "minor a.S.B is new (Go API)"},
		{"A int;", "A string;", "major a.S.A has another type (Go API)"},
		{"io.Writer }", "}", "major a.S.io.Writer is gone (Go API)"},
		{"M(x int) }", "M(x int); N() }", "major a.I has another type (Go API)"},
		{"func (s *S) M() {}", "func (s *S) N() {}", "major a.S.M is gone (Go API), minor a.S.N is new (Go API)"},
		{"var V io.Reader", "", "major a.V is gone (Go API)"},
		{"func F(a, b int)", "func F(a int)", "major a.F has another type (Go API)"},
		{"Len() int { return 0 }", "Len() int64 { return 0 }", "major a.T.Len has another type (Go API)"},
		{"package a", "package main", "major a.C is gone (Go API), major a.F is gone (Go API), major a.I is gone (Go API), major a.S is gone (Go API), major a.S.A is gone (Go API), major a.S.M is gone (Go API), major a.S.io.Writer is gone (Go API), major a.T is gone (Go API), major a.T.Len is gone (Go API), major a.V is gone (Go API)"},
	} {
		was, err := exported(fstest.MapFS{"a/a.go": {Data: []byte(before)}}, "a")
		if err != nil {
			t.Fatal(err)
		}
		is, err := exported(fstest.MapFS{"a/a.go": {Data: []byte(strings.Replace(before, c.old, c.new, 1))}}, "a")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range compareAPI("a", was, is) {
			got = append(got, x.level.String()+" "+x.text)
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%q to %q: %s, want %s", c.old, c.new, text, c.want)
		}
	}
}
