package objects

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestNaming holds the laws of names over random sets: each name is DNS-1123
// and its own, and neither order nor run changes it.
func TestNaming(t *testing.T) {
	sets := 20_000
	if testing.Short() {
		sets = 2_000
	}
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "A", "foo", "Foo", "-", "_", ".", " ", "日本", "é", "1", "bar-baz", "ß", "\U0001f600", strings.Repeat("x", 130), "--", "..", "foo-366c0ee6"}
	for range sets {
		wants := map[string]string{}
		for i := range 1 + r.IntN(6) {
			var b strings.Builder
			for range r.IntN(5) {
				b.WriteString(pieces[r.IntN(len(pieces))])
			}
			wants[fmt.Sprintf("id-%d", i)] = b.String()
		}
		first, second := nameAll(wants, 1), nameAll(wants, -1)
		taken := map[string]string{}
		for id, name := range first {
			if !ValidName(name) {
				t.Fatalf("%q became %q", wants[id], name)
			}
			if other, twice := taken[name]; twice {
				t.Fatalf("%q and %q became %q", wants[id], wants[other], name)
			}
			taken[name] = id
			if second[id] != name {
				t.Fatalf("%q became %q, then %q", wants[id], name, second[id])
			}
		}
	}
}

// nameAll names a set, asking in one order or the other.
func nameAll(wants map[string]string, step int) map[string]string {
	n := NewNaming(MaxName)
	for i := range len(wants) {
		if step < 0 {
			i = len(wants) - 1 - i
		}
		id := fmt.Sprintf("id-%d", i)
		n.Want(id, wants[id])
	}
	n.Settle()
	names := map[string]string{}
	for id := range wants {
		names[id] = n.Name(id)
	}
	return names
}

func TestNamingKeepsLedgerNames(t *testing.T) {
	n := NewNaming(MaxName)
	n.Want("1", "My Pipeline")
	n.Want("2", "my_pipeline")
	n.Keep("1", "my-pipeline") // it was alone when it was imported
	n.Settle()
	if n.Name("1") != "my-pipeline" || n.Name("2") == "my-pipeline" {
		t.Errorf("got %q and %q", n.Name("1"), n.Name("2"))
	}
}
