package report

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestPageKeepsValuesText: whatever a value holds, a browser reads it as the text that it is.
func TestPageKeepsValuesText(t *testing.T) {
	values := append([]string{`"><script>alert(1)</script>`, "</title><b>", "<!--", "]]>", "&lt;b&gt;", "' onload='x", "{}", "{n}", "a\nb"}, hostile...)
	for _, value := range values {
		page := Page(`<title>{{V}}</title><p class="{{V}}">{{V}}</p>{{@URL}}{{V}}{{/URL}}`, map[string]any{"V": value, "URL": "https://example.com/?q=" + value})
		shown := string(Lines("", value))
		doc, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		var tree []string
		for n := range doc.Descendants() {
			switch n.Type {
			case html.ElementNode:
				tree = append(tree, n.Data)
				for _, a := range n.Attr {
					if a.Val != shown && a.Key != "href" {
						t.Errorf("%q: %s is %q", value, a.Key, a.Val)
					}
				}
			case html.TextNode:
				if n.Data != shown {
					t.Errorf("%q is read as %q", value, n.Data)
				}
			default:
				t.Errorf("%q: there is a node of type %d", value, n.Type)
			}
		}
		if got := strings.TrimSuffix(strings.Join(tree, " "), " a"); got != "html head title body p" {
			t.Errorf("%q makes %s", value, got)
		}
	}
}

// TestPageLinks: an address that is none of the web leads nowhere; a number is one.
func TestPageLinks(t *testing.T) {
	type link struct{ URL, Text any }
	var links []link
	for _, address := range []string{"", "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//example.com", "a b://c", "\x01javascript:x"} {
		links = append(links, link{address, "text"})
	}
	links = append(links, link{`https://example.com/a?b="c"&d`, "web"})
	data := map[string]any{"Links": links, "Width": "1; color: red", "N": 2}
	got := Page(`{{#Links}}{{@URL}}<b>{{Text}}</b>{{/URL}}{{/Links}}<i style="width:{{%Width}}%">{{N}}{{None}}</i>`, data)
	want := strings.Repeat("<b>text</b>", 8) + `<a href="https://example.com/a?b=&#34;c&#34;&amp;d"><b>web</b></a><i style="width:0%">2</i>`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPageSections: a section is there once for each element, once for a value, or not at all.
func TestPageSections(t *testing.T) {
	data := map[string]any{"List": []string{"a", "b"}, "None": []string{}, "Text": "x", "Nil": (*int)(nil), "Deep": struct{ List []int }{[]int{7}}}
	for template, want := range map[string]string{
		"{{#List}}{{.}}{{Text}} {{/List}}":              "ax bx ",
		"{{#None}}no{{/None}}{{^None}}none{{/None}}":    "none",
		"{{#Text}}{{.}}{{/Text}}{{^Text}}no{{/Text}}":   "x",
		"{{#Nil}}no{{/Nil}}{{^Gone}}gone{{/Gone}}":      "gone",
		"{{#Deep}}{{#List}}{{.}}{{/List}}{{/Deep}}":     "7",
		"{{Gone}}{{%Gone}}{ } {{^Nil}}{{Text}}{{/Nil}}": "0{ } x",
	} {
		if got := Page(template, data); got != want {
			t.Errorf("%s: %q, want %q", template, got, want)
		}
	}
}

var (
	value   = regexp.MustCompile(`\{\{[A-Za-z.]+\}\}`)
	number  = regexp.MustCompile(`\{\{%[A-Za-z]+\}\}`)
	section = regexp.MustCompile(`\{\{[#^@/][A-Za-z]+\}\}`)
)

// TestMarkup looks at the template of every page: each value is text, an attribute in double quotes that is neither an
// address nor code, or a number; each section ends, and has none of its name in it.
func TestMarkup(t *testing.T) {
	files, err := filepath.Glob("../*/*.html")
	more, merr := filepath.Glob("../*/*/*.html")
	if files = append(files, more...); err != nil || merr != nil || len(files) != 3 {
		t.Fatal(files, err, merr)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		plain := section.ReplaceAllString(number.ReplaceAllString(value.ReplaceAllString(string(data), "{}"), "{n}"), "")
		if what := wrongMarkup(plain); what != "" || strings.Contains(plain, "{{") {
			t.Errorf("%s: %s", file, what)
		}
		checkSections(t, file, string(data))
	}
	for _, wrong := range []string{
		"<p {}>", "<{}>", "<p class={}>", "<p class='{}'>", `<a href="{}">`, `<p onclick="{}">`, `<p style="width: {}">`, "<script>{}</script>", "<style>{n}</style>",
		"{}<p", `{}<p class="`, "<!-- {} -->", "</p {}>",
	} {
		if wrongMarkup(wrong) == "" {
			t.Errorf("%s is taken for right", wrong)
		}
	}
}

func checkSections(t *testing.T, file, template string) {
	var open []string
	for _, tag := range section.FindAllString(template, -1) {
		kind, name := tag[2], tag[3:len(tag)-2]
		switch {
		case kind != '/' && slices.Contains(open, name):
			t.Errorf("%s: %s in a section of its name", file, tag)
		case kind != '/':
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			t.Fatalf("%s: %s ends nothing", file, tag)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%s: %s does not end", file, open)
	}
}

var (
	place     = regexp.MustCompile(`\{n?\}`)
	attribute = regexp.MustCompile(`\s[a-zA-Z-]+="[^"]*"`)
	active    = regexp.MustCompile(`^(on.*|href|src.*|action|formaction|content|style|xlink:.*)$`)
)

// wrongMarkup says why values must not be where they are in markup; empty = they may.
func wrongMarkup(text string) string {
	const mark = "\x00" // is text when the markup ends as such
	in := html.NewTokenizer(strings.NewReader(text + mark))
	verbatim := false
	for kind := in.Next(); kind != html.ErrorToken; kind = in.Next() {
		raw := string(in.Raw())
		token := in.Token()
		switch has := place.MatchString(raw); kind {
		case html.TextToken:
			if has && verbatim || !verbatim && strings.Contains(raw, "<") {
				return "a value in what is no text"
			}
			if strings.HasSuffix(raw, mark) {
				return ""
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			if place.MatchString(attribute.ReplaceAllString(raw, "")) {
				return "a value outside of double quotes"
			}
			for _, a := range token.Attr {
				if active.MatchString(a.Key) && strings.Contains(a.Val, "{}") {
					return "a text in " + a.Key
				}
			}
		default:
			if has {
				return "a value in neither text nor attribute"
			}
		}
		verbatim = kind == html.StartTagToken && (token.Data == "script" || token.Data == "style")
	}
	return "it ends in the middle"
}
