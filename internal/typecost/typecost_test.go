package typecost

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// chain is a format once for each of n numbers, with the number and the next one.
func chain(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1, i)
	}
	return b.String()
}

const pair = "type P[A, B any] struct {\n\ta A\n\tb B\n}\n"

// Each of these is small, and makes the type checker use much memory or time if it is longer.
var tooLarge = map[string]string{
	"a constant that doubles":           "const s0 = \"xxxxxxxxxxxxxxxxx\"\n" + chain(20, "const s%[1]d = s%[2]d + s%[2]d\n"),
	"constants without values":          "const s0 = \"xxxxxxxxxxxxxxxxx\"\n" + chain(20, "const (\n\tt%[1]d = s%[2]d + s%[2]d\n\ts%[1]d\n)\n"),
	"a local constant that doubles":     "func f() {\n\tconst s = \"xxxxxxxxxxxxxxxxx\"\n" + chain(20, "\t{ const s = s + s // %[1]d %[2]d\n") + strings.Repeat("}", 21) + "\n",
	"constants of other types":          "type S string\nconst s0 S = \"xxxxxxxxxxxxxxxxx\"\n" + chain(20, "const s%[1]d = S(string(s%[2]d) + (string(s%[2]d)))\n"),
	"an alias of a struct":              "type A0 = struct{ x int }\n" + chain(20, "type A%[1]d = struct{ x, y A%[2]d }\n"),
	"an alias of a function":            "type A0 = func(int)\n" + chain(20, "type A%[1]d = func(A%[2]d) A%[2]d\n"),
	"an alias in a function":            "func f() {\ntype A0 = int\n" + chain(20, "type A%[1]d = map[A%[2]d]A%[2]d\n") + "}\n",
	"type arguments":                    pair + "type A0 = int\n" + chain(20, "type A%[1]d = P[A%[2]d, A%[2]d]\n"),
	"type arguments of a defined type":  pair + "type A0 int\n" + chain(20, "type A%[1]d[T any] struct { x A%[2]d[P[T, T]] }\n") + "",
	"the result of a generic function":  pair + "func f[T any](x T) P[T, T] { return P[T, T]{x, x} }\nvar v0 = 1\n" + chain(20, "var v%[1]d = f(v%[2]d)\n"),
	"local results":                     pair + "func f[T any](x []T) P[T, T] { panic(0) }\nfunc g() {\n\tv0 := 1\n" + chain(20, "\tv%[1]d := f(v%[2]d)\n") + "}\n",
	"the results of a method":           pair + "func (p P[A, B]) twice() P[P[A, B], P[A, B]] { panic(0) }\nvar v = P[int, int]{}" + strings.Repeat(".twice()", 20) + "\n",
	"a generic alias":                   "type D[T any] = struct{ x, y T }\ntype A = " + strings.Repeat("D[", 20) + "int" + strings.Repeat("]", 20) + "\n",
	"types that are other types":        "type T0 int\n" + chain(30, "type T%[1]d T%[2]d\n"),
	"structs within structs":            "type T0 int\n" + chain(30, "type T%[1]d struct{ x [2]T%[2]d }\n"),
	"two structs within structs":        "type T0 int\n" + chain(19, "type T%[1]d struct{ x, y T%[2]d }\n"),
	"interfaces within interfaces":      "type T0 interface{ M() }\n" + chain(30, "type T%[1]d interface{ T%[2]d }\n"),
	"a field of a type that is doubled": "type T struct{ f A20 }\ntype A0 = struct{ x int }\n" + chain(20, "type A%[1]d = struct{ x, y A%[2]d }\n"),
}

func parse(t *testing.T, name, text string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, "package p\n\n"+text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}

var small = Limits{Weight: 1 << 16, Total: 1 << 19, Depth: 20}

func TestExceeding(t *testing.T) {
	for name, text := range tooLarge {
		good := parse(t, "good.go", "var other = 1\n")
		bad := parse(t, "bad.go", text)
		list := Exceeding([]Package{{"m.example/p", []*ast.File{good, bad}}}, small)
		if len(list) != 1 || list[0].File != bad || !list[0].Pos.IsValid() || list[0].Why == "" {
			t.Errorf("%s: got %v", name, list)
		}
	}
}

// What is cheap for the type checker is not left out, even if it looks alike.
func TestNotExceeding(t *testing.T) {
	for name, text := range map[string]string{
		"sums of variables":   "func f(x int) {\n\tv0 := x\n" + chain(40, "\tv%[1]d := v%[2]d + v%[2]d\n") + "}\n",
		"declared structs":    "type T0 int\n" + chain(40, "type T%[1]d struct{ x, y *T%[2]d }\n"),
		"a long constant":     "const s = \"" + strings.Repeat("x", 1<<16) + "\"" + strings.Repeat(" +\n\t\"xxxxxxxxxxxxxxxxxxxxxxxx\"", 1000) + "\n\nfunc f() {\n" + strings.Repeat("\tuse(s[1:])\n\tt := s\n\tuse(t)\n", 1000) + "}\n",
		"a builder":           "type B[T any] struct{ x, y, z T }\nfunc (b *B[T]) With(x T) *B[T] { return b }\nvar v = (&B[int]{})" + strings.Repeat(".With(1)", 100) + "\n",
		"a recursive generic": "type L[T any] struct {\n\tnext *L[T]\n\tother *L[*L[T]]\n}\nvar v L[L[int]]\n",
		"constants that wait": "const a, b = b, a\n",
	} {
		if list := Exceeding([]Package{{"m.example/p", []*ast.File{parse(t, "a.go", text)}}}, small); len(list) > 0 {
			t.Errorf("%s: %s", name, list[0].Why)
		}
	}
}

// A chain may go through packages, and a tree may have many files just below the limit.
func TestExceedingTogether(t *testing.T) {
	const doubled = "const %s0 = %s\n"
	a := parse(t, "a.go", fmt.Sprintf(doubled, "A", `"xxxxxxxxxxxxxxxxx"`)+chain(10, "const A%[1]d = A%[2]d + A%[2]d\n"))
	b := parse(t, "b.go", "import \"m.example/a\"\n\n"+fmt.Sprintf(doubled, "B", "a.A10")+chain(10, "const B%[1]d = B%[2]d + B%[2]d\n"))
	a.Name.Name = "a"
	if list := Exceeding([]Package{{"m.example/a", []*ast.File{a}}, {"m.example/b", []*ast.File{b}}}, small); len(list) != 1 || list[0].File != b {
		t.Errorf("got %v", list)
	}
	var many []Package
	for i := range 20 {
		many = append(many, Package{fmt.Sprintf("m.example/%d", i), []*ast.File{parse(t, "a.go", "type A0 = struct{ x int }\n"+chain(9, "type A%[1]d = struct{ x, y A%[2]d }\n"))}})
	}
	if n := len(Exceeding(many, Limits{Weight: 1 << 16, Total: 1 << 17, Depth: 20})); n == 0 || n == len(many) {
		t.Errorf("%d of %d files exceed the limit for all", n, len(many))
	}
}
