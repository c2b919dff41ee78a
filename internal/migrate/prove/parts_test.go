package prove

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A text is permitted where old names became new ones, as whole words, and nothing
// else did.
func TestExplains(t *testing.T) {
	rules := testRules()
	for _, c := range []struct {
		old, fresh string
		want       bool
	}{
		{"", "", true},
		{"x", "x", true},
		{"old.example.com", "new.example.org", true},
		{"old.example.com/v1", "new.example.org/v1", true},
		{"x.old.example.com", "x.new.example.org", true},
		{"old.example.com old.example.com", "new.example.org old.example.com", true},
		{"old-example-com", "new-example-org", true},
		{"an Apple of split.example.com", "an Apple of a.example.org", true},
		{"quinces", "medlars", true},
		{"QuinceList", "MedlarList", true},
		{"NewQuinceV1alpha1", "NewMedlarV1", false},
		{"NewQuinceX", "NewMedlarX", true},
		{"\x1b[31mold.example.com", "\x1b[31mnew.example.org", true},
		{"same.example.com/v1alpha1", "same.example.com/v1", true},
		{"v1", "v2", true},
		{"v1", "v3", false},
		{"xv1", "xv2", false},
		{"old.example.com", "new.example.orgs", false},
		{"old.example.com", "a.example.org", false},
		{"old.example.coms", "new.example.orgs", false},
		{"old.example.com", "", false},
		{"", "new.example.org", false},
		{"old.example.com x", "new.example.org  x", false},
		{"old.example.com x", "x new.example.org", false},
		{"new.example.org", "old.example.com", false},
	} {
		if got := rules.Permits(c.old, c.fresh); got != c.want {
			t.Errorf("%q as %q: %v", c.old, c.fresh, got)
		}
	}
}

// A text is taken apart into what stands for itself and what is between: blocks, and
// in the rest of it manifests.
func TestPieces(t *testing.T) {
	show := func(list []piece) string {
		var b strings.Builder
		for _, p := range list {
			if p.block {
				fmt.Fprintf(&b, "<%s>", p.text)
			} else {
				b.WriteString(p.text)
			}
		}
		return strings.ReplaceAll(b.String(), "\n", "⏎")
	}
	for in, want := range map[string]string{
		"a\n```yaml\nb\n```\nc\n":             "a⏎```yaml⏎<b⏎>```⏎c⏎",
		"> ~~~\n> b\n> ~~~\n":                 "> ~~~⏎<b⏎>> ~~~⏎",
		"cat <<EOF\nb\nEOF\nc\n":              "cat <<EOF⏎<b⏎>EOF⏎c⏎",
		"x = <<~E\nb\nE\n":                    "x = <<~E⏎<b⏎>E⏎",
		"cat <<EOF\nb\n":                      "cat <<EOF⏎b⏎",
		"x = \"\"\"b\nc\"\"\" + '''d'''":      "x = \"\"\"<b⏎c>\"\"\" + '''<d>'''",
		"a ```b``` c\n":                       "a ```b``` c⏎",
		"```\nb\n":                            "```⏎<b⏎>",
		"x <<E <<F\na\nE\nb\nF\n":             "x <<E <<F⏎<a⏎>E⏎b⏎F⏎",
		"`````\n```\n`````\n":                 "`````⏎<```⏎>`````⏎",
		"a << 1\nb\n1\n":                      "a << 1⏎b⏎1⏎",
		"```a\nb\n``` c\n```\n":               "```a⏎<b⏎``` c⏎>```⏎",
		"\"\"\"\nkind: A\n":                   "\"\"\"⏎kind: A⏎",
		"a\n```yaml\nb\n```\n```\nc\n```\n\n": "a⏎```yaml⏎<b⏎>```⏎```⏎<c⏎>```⏎⏎",
	} {
		if got := show(pieces(in)); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"a\n\napiVersion: b\nkind: C\n\nd\n":               "a⏎⏎<apiVersion: b⏎kind: C⏎>⏎d⏎",
		"  kind: A\n  b:\n    c\n\n  d: e\n f\n":           "<kind: A⏎b:⏎  c⏎⏎d: e⏎> f⏎",
		"# apiVersion: a\n# kind: B\n#\n# c: d\ne\n":       "<apiVersion: a⏎kind: B⏎⏎c: d⏎>e⏎",
		"// - kind: A\n//   b: c\n// d\n":                  "<- kind: A⏎  b: c⏎d⏎>",
		"kind: A\nb: c\nIt is so.\n":                       "<kind: A⏎b: c⏎>It is so.⏎",
		"the kind: A\nkindly: B\n":                         "the kind: A⏎kindly: B⏎",
		"- apiGroups: [a]\n  resources: [b]\n- c: d\n\n\n": "<- apiGroups: [a]⏎  resources: [b]⏎- c: d⏎>⏎⏎",
		"kind: A": "<kind: A>",
		"":        "",
	} {
		if got := show(manifestsOf(in)); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

// A move leads from what is told of an API, however little that is.
func TestBecomes(t *testing.T) {
	rules := testRules()
	for _, c := range []struct {
		from, to GVK
		want     bool
	}{
		{GVK{Group: "old.example.com"}, GVK{Group: "new.example.org"}, true},
		{GVK{Group: "old.example.com", Version: "v7", Kind: "Any"}, GVK{Group: "new.example.org", Version: "v7", Kind: "Any"}, true},
		{GVK{Group: "old.example.com", Version: "v7"}, GVK{Group: "new.example.org", Version: "v8"}, false},
		{GVK{Group: "split.example.com"}, GVK{Group: "b.example.org"}, true},
		{GVK{Group: "split.example.com", Plural: "apples"}, GVK{Group: "b.example.org", Plural: "apples"}, false},
		{GVK{Group: "split.example.com", Version: "v1", Plural: "berries"}, GVK{Group: "b.example.org", Version: "v2", Plural: "berries"}, true},
		{GVK{Group: "same.example.com", Version: "v1alpha1", Kind: "QuinceList"}, GVK{Group: "same.example.com", Version: "v1", Kind: "MedlarList"}, true},
		{GVK{Group: "same.example.com", Plural: "quinces"}, GVK{Group: "same.example.com", Plural: "medlars"}, true},
		{GVK{Group: "same.example.com", Version: "v1", Kind: "Quince"}, GVK{Group: "same.example.com", Version: "v1", Kind: "Medlar"}, false},
		{GVK{Group: "unknown.example.com"}, GVK{Group: "new.example.org"}, false},
	} {
		if got := rules.becomes(c.from, c.to); got != c.want || !rules.becomes(c.from, c.from) {
			t.Errorf("%s as %s: %v", c.from, c.to, got)
		}
	}
}

// Of several moves those count that fit what is told most closely; one for a version
// fits what tells none no more closely than another.
func TestImages(t *testing.T) {
	rules := Compile([]Move{
		{GVK{Group: "a.example.com", Kind: "Apple"}, GVK{Group: "any.example.org"}},
		{GVK{Group: "a.example.com", Version: "v1", Kind: "Apple"}, GVK{Group: "one.example.org"}},
	}, nil, nil)
	at := func(group, version string) GVK { return GVK{Group: group, Version: version, Kind: "Apple"} }
	for version, want := range map[string][]GVK{
		"v1": {at("one.example.org", "v1")},
		"v2": {at("any.example.org", "v2")},
		"":   {at("any.example.org", ""), at("one.example.org", "")},
	} {
		if got := rules.images(at("a.example.com", version)); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", version, got, want)
		}
	}
}

// The steps of a conversion are those of one kind in one version.
func TestConversionOf(t *testing.T) {
	c := &check{rules: testRules()}
	for in, want := range map[string]bool{
		"{apiVersion: same.example.com/v1beta1, kind: Pear}": true,
		"{apiVersion: same.example.com/v1beta1, kind: Fig}":  false,
		"{apiVersion: same.example.com/v1, kind: Pear}":      false,
		"{apiVersion: more.example.com/v1beta1, kind: Pear}": false,
		"{kind: Pear}": false,
	} {
		docs, err := parseYAML([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if got := len(c.conversions(docs[0].Content[0])) > 0; got != want {
			t.Errorf("%s: %v", in, got)
		}
	}
}

// A glance parses YAML alone: source that is none is read as it is.
func TestReadable(t *testing.T) {
	const in = "a: [\nb: old.example.com\n"
	for format, want := range map[string]bool{"yaml": false, "go": true, "text": true} {
		f := &File{Path: "a", Format: format, Before: []byte(in), Edits: []source.Edit{{Span: source.Span{Start: 8, End: 23}, New: "new.example.org"}}}
		if err := (&check{rules: testRules(), file: f}).readable(); (err == nil) != want {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// An item is told by its name, where it has one.
func TestDescribeItem(t *testing.T) {
	for in, want := range map[string]string{
		"{kind: a, name: b}": `the item "b"`, "{kind: a}": describeIn(t, "{kind: a}"), "{name: {x: y}}": describeIn(t, "{name: {x: y}}"), "b": describeIn(t, "b"),
	} {
		docs, err := parseYAML([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if got := describeItem(docs[0].Content[0]); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func describeIn(t *testing.T, in string) string {
	t.Helper()
	docs, err := parseYAML([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	return describe(docs[0].Content[0])
}

// The letter of an escape belongs to it, and not to the word behind it.
func TestReadings(t *testing.T) {
	for text, want := range map[string][]string{
		`a\nhandler`: {"nhandler", "handler"},
		`a nhandler`: {"nhandler"},
		`a\n`:        {"n"},
	} {
		at := letters.FindAllStringIndex(text, -1)
		if got := readings([]byte(text), source.Span{Start: at[len(at)-1][0], End: len(text)}); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
