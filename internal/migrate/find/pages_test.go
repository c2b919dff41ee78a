package find

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The headings of a page, with the anchors that are made of them in each way; what stands
// in blocks of code, or has an anchor of its own, is none.
func TestHeadings(t *testing.T) {
	for _, c := range []struct{ name, file, in, want string }{
		{"Markdown", "a.md", "# A `x.y/v1` ##\n\n```\n# no\n```\n\nSet\nEXT\n---\n\n# Own {#own}\n[L_k](x) *b*\n====\n#no\n~~~\n# no\n~~~\n\n---\n",
			"a-xyv1 ext l_k-b | a-x-y-v1 ext l-k-b"},
		{"twice", "a.mdx", "# A\n# A\n", "a a-1 | a a-1"},
		{"AsciiDoc", "a.adoc", "= A x.y/v1 - b\n\n[[own]]\n[.role]\n== Own\n\n[source]\n----\n== no\n----\n\n[id='own']\n== Own\n\n[role]\n== B_c\n",
			"_a_x_yv1_b _b_c | a-x-yv1-b b_c"},
		{"reStructuredText", "a.rst", "A x.y/v1\n========\n\n.. code::\n\nlonger\n---\n", "a-x-y-v1"},
		{"HTML", "a.html", "# A\n", ""},
		{"no page", "a.txt", "# A\n", ""},
	} {
		var texts, ways []string
		for _, s := range Headings(c.file, []byte(c.in)) {
			texts = append(texts, string(s.Of([]byte(c.in))))
		}
		for _, names := range Slugs(c.file, texts) {
			ways = append(ways, strings.Join(names, " "))
		}
		if got := strings.Join(ways, " | "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// What a name is a part of: an anchor, or a link and the page that it says.
func TestAnchorsAndLinks(t *testing.T) {
	for in, want := range map[string]string{
		`<a id="‹g.io›/v1.Kind">`:        "anchor g.io/v1.Kind",
		`<a name=‹g.io›>`:                "anchor g.io",
		`# H {#‹g.io›/v1}`:               "anchor g.io/v1",
		"# H {: #‹g.io› }":               "anchor g.io",
		`[id='x-‹g.io›']`:                "anchor x-g.io",
		`[[‹g.io›,text]]`:                "anchor g.io",
		`anchor:‹g.io›[]`:                "anchor g.io",
		".. _‹g.io›/v1:\n":               "anchor g.io/v1",
		".. _`‹g.io›`:\n":                "anchor g.io",
		`[x](api.md#‹g.io›/v1)`:          "link api.md g.io/v1",
		`[x](#‹g.io›%2fv1 "t")`:          "link  g.io%2fv1",
		"see a/api.md#‹g.io›/v1.Kind.":   "link a/api.md g.io/v1.Kind",
		`<a href='https://h/x/#‹g.io›'>`: "link https://h/x/ g.io",
		`{{< ref "api#‹g.io›" >}}`:       "link api g.io",
		`xref:m:api.adoc#‹g.io›[x]`:      "link m:api.adoc g.io",
		`link:api.html#‹g.io›[x]`:        "link api.html g.io",
		`xref:‹g.io›/v1[x]`:              "named g.io/v1",
		`<<‹g.io›/v1,x>>`:                "named g.io/v1",
		":ref:`‹g.io›`":                  "named g.io",
		":ref:`the group <‹g.io›>`":      "named g.io",
		"`‹g.io›`":                       "",
		"group: ‹g.io›":                  "",
		`[x](‹g.io›/api.md#part)`:        "",
	} {
		before, rest, _ := strings.Cut(in, "‹")
		site, after, _ := strings.Cut(rest, "›")
		data, at := []byte(before+site+after), source.Span{Start: len(before), End: len(before) + len(site)}
		got := ""
		if a, ok := AnchorAt(data, at); ok {
			got = "anchor " + string(a.Of(data))
		} else if l, ok := LinkAt(data, at); ok && l.Named {
			got = "named " + string(l.Of(data))
		} else if ok {
			got = "link " + l.To + " " + string(l.Of(data))
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

// How surely a link of docs/use.md leads to a page.
func TestLeadsTo(t *testing.T) {
	for _, c := range []struct {
		to, page string
		want     int
	}{
		{"", "docs/use.md", 3}, {"", "docs/api.md", 0},
		{"api.md", "docs/api.md", 3}, {"./api", "docs/api.md", 2}, {"api.html", "docs/api.md", 2}, {"api.md", "other/api.md", 1}, {"api.md", "docs/napi.md", 0},
		{"../api/", "docs/api.md", 1}, {"/docs/api/?x", "site/docs/api/_index.md", 1}, {"/docs/api/", "docs/api/README.md", 1}, {"mod:api.adoc", "docs/api.adoc", 1},
		{"https://h/latest/api", "docs/api.md", 1}, {"https://h/latest/api", "docs/use.md", 0}, {"../", "docs/api.md", 0},
	} {
		if got := (Link{To: c.to}).LeadsTo(c.page, "docs/use.md"); got != c.want {
			t.Errorf("%q to %s: got %d, want %d", c.to, c.page, got, c.want)
		}
	}
	named := Link{Named: true}
	if named.LeadsTo("b/c.adoc", "a.asciidoc") != 3 || named.LeadsTo("b/c.md", "a.adoc") != 0 {
		t.Error("the name of a label alone leads to any page of its language")
	}
}
