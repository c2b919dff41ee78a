package text

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The documents of a stream tile it, each begins with its mark, and an offset
// lies in the one that holds it.
func TestDocuments(t *testing.T) {
	for in, want := range map[string]int{"": 0, "a: b\n": 1, "a\n---\nb\n": 2, "---\na\n--- # x\nb\n---": 3, "--- a\n----\n---b\n": 1, "a\r\n---\r\nb\r\n": 2, "|\n ---\n": 1} {
		data, at := []byte(in), 0
		list := Documents(data)
		if len(list) != want {
			t.Errorf("%q: %d documents, want %d", in, len(list), want)
		}
		for i, s := range list {
			if s.Start != at || i > 0 && !IsMarker(data[s.Start:]) {
				t.Errorf("%q: document %d is %v", in, i, s)
			}
			for o := s.Start; o < s.End; o++ {
				if from, to := document(data, o); from != s.Start || to != s.End {
					t.Errorf("%q: offset %d is in %d to %d", in, o, from, to)
				}
			}
			at = s.End
		}
		if at != len(in) {
			t.Errorf("%q: they end at %d", in, at)
		}
	}
}

// A place is counted in lines and characters, from the place before it.
func TestPositions(t *testing.T) {
	data := []byte("aé\n\n😀b\r\nc")
	p := Positions{Data: data, At: source.Position{Line: 1, Column: 1}}
	line, column := 1, 1
	for i, c := range string(data) {
		if i%2 == 0 { // not each of them
			if got := p.To(i); got.Line != line || got.Column != column {
				t.Errorf("%d is %+v, want %d:%d", i, got, line, column)
			}
		}
		if column++; c == '\n' {
			line, column = line+1, 1
		}
	}
}

// What comments and lines are.
func TestLines(t *testing.T) {
	for in, want := range map[string]bool{"# a": true, "\n  # a": true, "x # a": false, "// # a": true, "\n\t## a": true} {
		if wholeLine([]byte(in), spanOf(strings.Index(in, "a"), len(in))) != want {
			t.Errorf("%q is a line of its own: %v", in, !want)
		}
	}
	for in, want := range map[string]bool{"#a\n#b": true, "#a\n  #b": true, "#a\n\n#b": false, "x #a\n#b": false, "#a\ny #b": false, "#a\r\n#b": true} {
		a, b := strings.Index(in, "a"), strings.Index(in, "b")
		if Follows([]byte(in), spanOf(a, a+1), spanOf(b, b+1)) != want {
			t.Errorf("%q follow: %v", in, !want)
		}
	}
	for in, want := range map[string]bool{"": false, "a": false, "a\n": false, "a\r\nb\r\n": true, "a\r\nb\n": false, "a\r\nb": true} {
		if OnlyCRLF([]byte(in)) != want {
			t.Errorf("%q has carriage returns only: %v", in, !want)
		}
	}
	if got := string(ToCRLF([]byte("a\nb\r\n\nc"))); got != "a\r\nb\r\n\r\nc" {
		t.Errorf("%q", got)
	}
}

// Text in UTF-16 is read in both orders, with a mark or without.
func TestFromUTF16(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, x := range []string{"\ufeffab", "aé😀", "\ufeff"} {
			var data []byte
			for _, u := range utf16.Encode([]rune(x)) {
				data = order.AppendUint16(data, u)
			}
			if got, ok := FromUTF16(data); !ok || string(got) != x {
				t.Errorf("%v %q is %q, %v", order, x, got, ok)
			}
		}
	}
	for _, x := range []string{"", "a", "ab", "\xef\xbb\xbfa", "\x00\x00"} {
		if got, ok := FromUTF16([]byte(x)); ok {
			t.Errorf("%q is %q", x, got)
		}
	}
}

// The entries beside and below a node are those that a look at all of them finds,
// however many there are.
func TestEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 60 {
		var b strings.Builder
		n := 1 + r.IntN(90)
		for i := range n {
			fmt.Fprintf(&b, "  %c: %c/%d\n", 'a'+r.IntN(26), 'a'+r.IntN(3), i%7)
		}
		in := "top:\n" + b.String() + "list:\n" + strings.ReplaceAll(b.String(), "  ", "- ")
		tree := ScanYAML([]byte(in), 0, len(in), false)
		top := tree.Children(0)
		for _, key := range []string{"a", "m", "z", "none"} {
			var all []int32
			for _, i := range top {
				if tree.KeyText(i) == key {
					all = append(all, i)
				}
			}
			if got := tree.Named(0)[key]; !slices.Equal(got, all) {
				t.Fatalf("%s: %v, want %v", key, got, all)
			}
			last := int32(-1)
			if len(all) > 0 {
				last = all[len(all)-1]
			}
			if got := tree.Child(0, key); got != last {
				t.Fatalf("the child %s is %d, want %d", key, got, last)
			}
			for _, i := range top {
				want := int32(-1)
				for _, j := range all {
					if j < i || j > i && want < i {
						want = j
					}
				}
				if got := tree.Sibling(i, key); got != want {
					t.Fatalf("%q beside %d is %d, want %d of %v", key, i, got, want, all)
				}
			}
		}
		list := tree.Sibling(0, "list")
		for _, j := range tree.Children(list) {
			if tree.Up(j) != list {
				t.Fatalf("%d is not an item", j)
			}
		}
	}
	if tree := ScanYAML(nil, 0, 0, false); len(tree.Children(-1)) != 0 || tree.Text(-1) != "" || tree.Up(-1) != -1 {
		t.Error("nothing holds something")
	}
}

// The text of an entry goes without the rest: a parser reads the rest as it was.
func TestBlock(t *testing.T) {
	for _, in := range append(slices.Clone(styled), "a:\n  b: |\n    c\n\n  d: {e: f,\n    g: [h]}\ni: 'j\n  k'\nl:\n- m\n- n: o\n  p: q\nr: {}\n") {
		if strings.Contains(in, "---") || strings.Contains(in, "&") { // another document, another entry needs it
			continue
		}
		data := []byte(in)
		tree := ScanYAML(data, 0, len(data), false)
		for i := range tree.Nodes {
			x := tree.Nodes[i]
			if x.Key.Len() == 0 || x.Flow || tree.Shares(int32(i)) || x.Prev < 0 && x.Next < 0 {
				continue
			}
			s := tree.Block(int32(i))
			var want, got any
			if err := yaml.Unmarshal(data, &want); err != nil {
				t.Fatalf("%q: %v", in, err)
			}
			way := ordinals(tree, int32(i))
			if err := yaml.Unmarshal([]byte(in[:s.Start]+in[s.End:]), &got); err != nil || fmt.Sprint(without(want, tree, way)) != fmt.Sprint(got) {
				t.Errorf("%q without %q is %v, %v", in, s.Of(data), got, err)
			}
		}
	}
}

// without is a value without the entry that ordinals lead to.
func without(v any, tree *Tree, way []int) any {
	at := int32(-1)
	here := v
	for d, n := range way {
		at = tree.Children(at)[n]
		switch x := here.(type) {
		case map[string]any:
			key := tree.KeyText(at)
			if d == len(way)-1 {
				delete(x, key)
			}
			here = x[key]
		case []any:
			here = x[n]
		}
	}
	return v
}

// What is taken out of flow style, moved and cut, as text.
func TestFlowText(t *testing.T) {
	for _, x := range []struct{ in, key, span, item, toFlow, toBlock string }{
		{"a: {b: c, d: e}", "b", "b: c", "b: c, ", "b: c", " c\n"},
		{"a: {b: c, d: e}", "d", "d: e", ", d: e", "d: e", " e\n"},
		{`{"b": "c", "d": {"e": [1]}}`, "d", `"d": {"e": [1]}`, `, "d": {"e": [1]}`, `"d": {"e": [1]}`, ` {"e": [1]}` + "\n"},
		{"a: {b: , d: {e: f}}", "b", "b:", "b: , ", "b:", "no"},
		{"a: {b: 'c', d}", "b", "b: 'c'", "b: 'c', ", "b: 'c'", " 'c'\n"},
		{"a: {b: [\n 1]}", "b", "b: [\n 1]", "b: [\n 1]", "b: [\n 1]", "no"},
		{"{\"b\":\n {}}", "b", "\"b\":\n {}", "\"b\":\n {}", "\"b\":\n {}", " {}\n"},
		{"a: {b: &x {c: d}}", "b", "b: &x {c: d}", "b: &x {c: d}", "b: &x {c: d}", " &x {c: d}\n"},
		{"b: c # d", "b", "", "", "no", " c # d"},
		{"b: c", "b", "", "", "x: c", " c"},
		{"# n\nb: c", "b", "", "", "no", " c"},
		{"b: |\n  c", "b", "", "", "no", " |\n  c"},
		{"b:\n  c: d", "b", "", "", "no", "\n  c: d"},
	} {
		tree := ScanYAML([]byte(x.in), 0, len(x.in), false)
		i := int32(slices.IndexFunc(tree.Nodes, func(n Node) bool { return string(n.Key.Of(tree.Data)) == x.key }))
		if tree.Nodes[i].Flow {
			if got := string(tree.FlowSpan(i).Of(tree.Data)); got != x.span {
				t.Errorf("%q: %s is %q", x.in, x.key, got)
			}
			if got := string(FlowItem(tree, i).Of(tree.Data)); got != x.item {
				t.Errorf("%q: the item %s is %q", x.in, x.key, got)
			}
		}
		for flow, want := range map[bool]string{true: x.toFlow, false: x.toBlock} {
			got, _, ok := tree.Movable(i, flow)
			if ok != (want != "no") || ok && got != want {
				t.Errorf("%q: %s moves to flow %v as %q, %v", x.in, x.key, flow, got, ok)
			}
		}
	}
	in := "a:\n  # b\n  # c\n  d: e\n  - f\n"
	tree := ScanYAML([]byte(in), 0, len(in), false)
	if _, comments, _ := tree.Movable(1, false); comments != "  # b\n  # c\n" {
		t.Errorf("the comments are %q", comments)
	}
}

// The items of a list, as lines or as flow.
func TestItems(t *testing.T) {
	in := "l:\n- a: 1\n  b: [2]\n- c\n# x\n- {d: 3, e: [4]}\nm: n\n"
	data := []byte(in)
	tree := ScanYAML(data, 0, len(in), false)
	var got []string
	for _, i := range tree.Children(0) {
		got = append(got, string(PieceOf(tree, i, spanOf(0, len(in))).Of(data)))
	}
	want := []string{"- a: 1\n  b: [2]\n", "- c\n# x\n", "- {d: 3, e: [4]}\n"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	doc := spanOf(0, len(in))
	if PieceOf(tree, -1, doc) != doc || string(PieceOf(tree, tree.Sibling(0, "m"), doc).Of(data)) != "m: n\n" {
		t.Error("the last piece goes to the end of the document")
	}
	flow := ScanJSON([]byte(`[{"a": [1]}, {"b": 2}]`), false)
	first := flow.Children(0)[0]
	if got := string(PieceOf(flow, first, doc).Of(flow.Data)); got != `{"a": [1]}` {
		t.Errorf("the flow item is %q", got)
	}
}

// Identifiers are made of ASCII.
func TestIsIdent(t *testing.T) {
	for c := range 128 {
		if word := utf8.ValidString(string(rune(c))) && strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", rune(c)); IsIdent(byte(c)) != word {
			t.Errorf("%q in an identifier: %v", rune(c), !word)
		}
	}
}
