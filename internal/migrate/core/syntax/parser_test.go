package syntax

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// What the scanners and decoders of this package read is held against the
// parsers of the languages themselves.

// corpus are the manifests that the tests of migrate have.
func corpus(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, pattern := range []string{"kubernetes/*.yaml", "embedded/*/*.yaml", "trees/*/*/*.yaml", "trees/*/*/*/*.yaml"} {
		names, err := filepath.Glob(filepath.Join("..", "..", "testdata", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = data
		}
	}
	if len(files) < 5 {
		t.Fatalf("%d files", len(files))
	}
	return files
}

// styled are documents in every style that YAML has for the same things.
var styled = []string{
	"a: b\nc: 'd''e'\nf: \"g\\\"\\n\\u00e9\"\n",
	"\xef\xbb\xbfa: b\r\nc:\r\n- d\r\n- e: f\r\n  g: h\r\n",
	"a: &x !!str b\nc: *x\n",
	"a:\n- - b\n  - c\n- d: {e: [f, 'g, h', \"i]\"], j: }\n  k: l # m\n",
	"a: |2-\n  b\n   c\n\nd: >+\n  e\n  f\n\ng: h\n",
	"a: b\n  c\n  d # e\nf: 'g\n  h'\n\"i j\": \"k\\\n  l\"\n",
	"%YAML 1.2\n---\na: http://b/c#d\n---\n[e, {f: g}, \"h\": i]\n...\n--- j\n",
	"a: [\n  b, # c\n  d: e,\n]\nf: {}\ng: []\nh: ~\ni:\n",
	"# a\n\n- b: c\n  # d\n  e:\n    f: g\n-\n  h: i\n- |\n  j: k\n",
	"a: {b: http://c/d, e: \"f\", \"g\":h}\n",
	"{\"a\": [1, {\"b\": \"c\\\"d\"}, null, true], \"e\": \"\\ud83d\\ude00\"}\n",
	"a:\tb\nc:\t{d: e}\n",
	"a : b\n'c' : d\n",
	"- a\n-\tb\n",
	"a: !tag\n  b: c\nd: &e\n- f\n",
}

// Every scalar that a parser reads in a document is in the tree at that
// place, with that value.
func TestScanAgreesWithAParser(t *testing.T) {
	docs := corpus(t)
	for i, in := range styled {
		docs[fmt.Sprintf("styled %d", i)] = []byte(in)
	}
	checked := 0
	for name, data := range docs {
		for _, doc := range text.Documents(data) {
			var root yaml.Node
			if yaml.Unmarshal(doc.Of(data), &root) != nil || text.HasTemplate(data) {
				continue
			}
			tree := Scan(data, doc, false, false)
			j := &parsed{data: data, doc: doc, tree: tree, lines: lineOffsets(data, doc)}
			checked += j.check(t, name, &root, false)
		}
	}
	if checked < 500 {
		t.Errorf("%d scalars", checked)
	}
}

func lineOffsets(data []byte, doc source.Span) []int {
	at := []int{doc.Start}
	for i := doc.Start; i < doc.End; i++ {
		if data[i] == '\n' {
			at = append(at, i+1)
		}
	}
	return at
}

type parsed struct {
	data  []byte
	doc   source.Span
	tree  *Node
	lines []int
}

// check holds the scalars of a parsed node against the tree; it returns how many.
func (p *parsed) check(t *testing.T, name string, n *yaml.Node, key bool) int {
	checked := 0
	for i, c := range n.Content {
		checked += p.check(t, name, c, n.Kind == yaml.MappingNode && i%2 == 0)
	}
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		return checked
	}
	at := p.lines[n.Line-1]
	if bytes.HasPrefix(p.data[at:], []byte("\xef\xbb\xbf")) {
		at += 3
	}
	line := p.data[at:p.doc.End]
	for range n.Column - 1 {
		at += len(string([]rune(string(line[:min(len(line), 4)]))[0]))
		line = p.data[at:p.doc.End]
	}
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		at += bytes.IndexAny(p.data[at:], "\"'") + 1
	}
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		_, at = text.LineEnd(p.data, at, p.doc.End)
	}
	at = behindProperties(p.data, at)
	var found *Node
	p.tree.Leaves(func(l *Node) {
		if l.Start == at {
			found = l
		}
	})
	if found == nil || (found.Kind == Key) != key {
		t.Errorf("%s:%d:%d: %q is node %v", name, n.Line, n.Column, n.Value, found)
		return checked
	}
	if got := meant(found); !same(n, got) {
		t.Errorf("%s:%d:%d: %q is %q", name, n.Line, n.Column, n.Value, got)
	}
	return checked + 1
}

// behindProperties steps over the anchor and the tag of a scalar, where a parser
// counts them in.
func behindProperties(data []byte, at int) int {
	for at < len(data) && (data[at] == '&' || data[at] == '!') {
		at += bytes.IndexByte(data[at:], ' ') + 1
	}
	return at
}

// meant is what a scalar or a key says.
func meant(n *Node) (value string) {
	content := n.String()
	switch {
	case n.Kind == Key && content == n.Up.Name:
		return content
	case n.Kind == Key:
		return n.Up.Name
	case n.Style == Double:
		content = `"` + content + `"`
	case n.Style == Single:
		content = "'" + content + "'"
	case n.Style == Literal:
		content = "|-\n" + content
	default:
		return content
	}
	if yaml.Unmarshal([]byte(content), &value) != nil {
		return n.String()
	}
	return value
}

// same says whether a value is that of a node: a plain or folded one is not
// folded, and a block has the line breaks that a chomping mark takes.
func same(n *yaml.Node, got string) bool {
	switch {
	case n.Style&yaml.LiteralStyle != 0:
		return strings.TrimRight(strings.ReplaceAll(got, "\r", ""), "\n") == strings.TrimRight(n.Value, "\n")
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return got == n.Value
	}
	return strings.Join(strings.Fields(got), " ") == strings.Join(strings.Fields(n.Value), " ")
}

// pieces is text of some pieces, one after the other.
func pieces(r *rand.Rand, n int, list ...string) string {
	var b strings.Builder
	for range r.IntN(n) {
		b.WriteString(list[r.IntN(len(list))])
	}
	return b.String()
}

// Whatever is cut off or put into a file: nothing panics, spans lie in it, and
// nodes stand in their order below nodes before them.
func TestDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	docs := slices.Clone(styled)
	for _, data := range corpus(t) {
		docs = append(docs, string(data[:min(len(data), 3000)]))
	}
	for range 1500 {
		in := docs[r.IntN(len(docs))]
		from := r.IntN(len(in))
		in = in[from:min(len(in), from+400)]
		at := r.IntN(len(in))
		in = in[:at] + pieces(r, 4, "{", "[", "}", "]", `"`, "'", "\n", "- ", ": ", "{{", "}}", "#", "/*", "|", "&a ", "\\", "\x00", "\xff", "%>") + in[at+r.IntN(len(in)-at):]
		for _, templated := range []bool{false, true} {
			for _, json := range []bool{false, true} {
				wellFormed(t, in, scanOf(in, json, templated))
			}
		}
	}
}

func wellFormed(t *testing.T, in string, tree *Node) {
	t.Helper()
	last := 0
	tree.Leaves(func(n *Node) {
		if n.Start < last || n.End < n.Start || n.End > len(in) {
			t.Fatalf("%q: a node has %d to %d behind %d", in, n.Start, n.End, last)
		}
		last = n.Start
	})
}
