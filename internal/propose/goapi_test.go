package propose

import (
	"go/token"
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
		{"A int;", "A, B int;", "minor a.S.B: added"},
		{"A int;", "A string;", "major a.S.A: changed from int to string"},
		{"io.Writer }", "}", "major a.S.Writer: removed"},
		{"M(x int) }", "M(x int); N() }", "major a.I.N: added"},
		{"func (s *S) M() {}", "func (s *S) N() {}", "major a.(*S).M: removed, minor a.(*S).N: added"},
		{"var V io.Reader", "", "major a.V: removed"},
		{"func F(a, b int)", "func F(a int)", "major a.F: changed from func(int, int) (int, error) to func(int) (int, error)"},
		{"Len() int { return 0 }", "Len() int64 { return 0 }", "major a.T[K].Len: changed from func() int to func() int64"},
		{"package a", "package main", "major a.C: removed, major a.F: removed, major a.I: removed, major a.S: removed, major a.T: removed, major a.V: removed"},
		{"const C = 1", "const C = 2", ""},
		{"const C = 1", `const C = "1"`, "major a.C: changed from untyped int to untyped string"},
		{"var V io.Reader", "var V io.Closer", "major a.V: changed from io.Reader to io.Closer"},
		{"var V io.Reader", "var V = io.EOF", "major a.V: changed from io.Reader to any"},
		{"M(x int) }", "M(x int); io.Closer }", "major a.io.interface{Closer()}.Closer: added"},
	} {
		was, err := exported(token.NewFileSet(), fstest.MapFS{"a/a.go": {Data: []byte(before)}}, "a")
		if err != nil {
			t.Fatal(err)
		}
		is, err := exported(token.NewFileSet(), fstest.MapFS{"a/a.go": {Data: []byte(strings.Replace(before, c.old, c.new, 1))}}, "a")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range compareAPI(was, is) {
			got = append(got, x.Level.String()+" "+x.Text)
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%q to %q: %s, want %s", c.old, c.new, text, c.want)
		}
	}
}
