package find

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// groups returns n API group names of which some share parts.
func groups(n int) []string {
	list := []string{"ibm.com", "mcad.ibm.com", "networking.k8s.io", "extensions", "serving.knative.dev", "apps", "policy", "gateway.networking.k8s.io"}
	for i := len(list); i < n; i++ {
		list = append(list, fmt.Sprintf("%s%d.%s", []string{"batch", "kueue", "ray", "argoproj", "external-secrets", "istio"}[i%6], i, []string{"x-k8s.io", "example.com", "io", "acme.dev"}[i%4]))
	}
	return list[:n]
}

// naive is what Index must find: the first place where any needle is.
func naive(data []byte, from int, needles []string) int {
	best := -1
	for _, n := range needles {
		if p := bytes.Index(data[from:], []byte(n)); n != "" && p >= 0 && (best < 0 || from+p < best) {
			best = from + p
		}
	}
	return best
}

func checkFinder(t *testing.T, needles []string, data []byte) {
	t.Helper()
	f := New(needles)
	for from := 0; from <= len(data); from++ {
		want := naive(data, from, needles)
		got, needle := f.Index(data, from)
		if got >= 0 && !bytes.HasPrefix(data[got:], []byte(needle)) {
			t.Fatalf("%q: no %q at %d of %q", needles, needle, got, data)
		}
		// A longer needle that starts earlier is found by the shorter one in it.
		if want >= 0 && (got < want || f.naiveMinimal(data, from) != got) || want < 0 && got >= 0 {
			t.Fatalf("%q in %q from %d: got %d, want %d", needles, data, from, got, want)
		}
		if f.Match(data[from:]) != (want >= 0) {
			t.Fatalf("%q in %q: Match", needles, data[from:])
		}
		if want < 0 {
			break
		}
	}
}

func (f *Finder) naiveMinimal(data []byte, from int) int { return naive(data, from, f.needles) }

func TestFinder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 20, 50} {
		needles := groups(n)
		if n%2 == 0 {
			needles = kinds(n)
		}
		for range 20 {
			var b strings.Builder
			for range r.IntN(30) + 60*r.IntN(2) {
				if n > 0 && r.IntN(3) == 0 {
					s := needles[r.IntN(n)]
					b.WriteString(s[r.IntN(2)*r.IntN(len(s)):])
				} else {
					b.WriteByte("aeimc.bon\n/"[r.IntN(11)])
				}
			}
			checkFinder(t, needles, []byte(b.String()))
		}
	}
}

func FuzzFinder(f *testing.F) {
	f.Add("ibm.com mcad.ibm.com", []byte("x mcad.ibm.com y"))
	f.Add("a bb ccc dddd eeeee", []byte("xdddxddddeeeeecccbba"))
	f.Add("abcd bcde cdef defg efgh", []byte("abcabcdefgh"))
	f.Add("aaaa aaab aaba abaa baaa", []byte("aaaaaaaaaabaaaa"))
	f.Fuzz(func(t *testing.T, needles string, data []byte) {
		if len(data) > 300 || len(needles) > 300 {
			t.Skip()
		}
		checkFinder(t, strings.Fields(needles), data)
	})
}

// kinds returns n names without a dot.
func kinds(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s%s%d", []string{"App", "Quota", "Scheduling", "Ray"}[i%4], []string{"Wrapper", "Subtree", "Spec"}[i%3], i)
	}
	return list
}

func BenchmarkFinder(b *testing.B) {
	text := bytes.Repeat([]byte("apiVersion: apps.example/v1\nkind: Deployment\nmetadata:\n  name: ledger-batch # the controller reconciles each workload and records an event\n  replicas: 12\n"), 1<<13)
	for _, n := range []int{1, 2, 5, 10, 50} {
		needles := groups(n + 8)[8:]
		if n <= 2 {
			needles = groups(n)
		}
		f := New(needles)
		b.Run(fmt.Sprintf("needles=%d", n), func(b *testing.B) {
			benchmarkFinder(b, f, text)
		})
		b.Run(fmt.Sprintf("kinds=%d", n), func(b *testing.B) { benchmarkFinder(b, New(kinds(n)), text) })
	}
}

func benchmarkFinder(b *testing.B, f *Finder, text []byte) {
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if f.Match(text) {
			b.Fatal("found")
		}
	}
}
