package report

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestPageKeepsValuesText: whatever a value holds, a browser reads it as the text that it is.
func TestPageKeepsValuesText(t *testing.T) {
	values := append([]string{`"><script>alert(1)</script>`, "</title><b>", "<!--", "]]>", "&lt;b&gt;", "' onload='x", "{}", "{n}", "a\nb"}, hostile...)
	for _, value := range values {
		var p Page
		p.Add(`<title>{}</title><p class="{}">{}</p>`, value, value, value)
		p.Link("https://example.com/?q="+value, "{}", value)
		shown := string(Lines("", value))
		doc, err := html.Parse(strings.NewReader(p.String()))
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
	var p Page
	for _, address := range []string{"", "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//example.com", "a b://c", "\x01javascript:x"} {
		p.Link(address, "<b>{}</b>", "text")
	}
	p.Link(`https://example.com/a?b="c"&d`, "{}", "web")
	p.Add(`<i style="width:{n}%">{}{}</i>`, "1; color: red", 2)
	want := strings.Repeat("<b>text</b>", 8) + `<a href="https://example.com/a?b=&#34;c&#34;&amp;d">web</a><i style="width:0%">2{}</i>`
	if p.String() != want {
		t.Errorf("got\n%s\nwant\n%s", p.String(), want)
	}
}

// TestMarkup looks at the markup of every page: each value has its place and each place its value, which is text, an
// attribute in double quotes that is neither an address nor code, or a number.
func TestMarkup(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../..", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 {
			return filepath.SkipDir
		}
		seen += checkMarkup(t, dir)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Errorf("only %d pieces of markup were found", seen)
	}
	for _, wrong := range []string{
		"<p {}>", "<{}>", "<p class={}>", "<p class='{}'>", `<a href="{}">`, `<p onclick="{}">`, `<p style="width: {}">`, "<script>{}</script>", "<style>{n}</style>",
		"{}<p", `{}<p class="`, "<!-- {} -->", "none", "<b>{}{n}</b>", "</p {}>",
	} {
		if wrongMarkup(wrong, 1) == "" {
			t.Errorf("%s is taken for right", wrong)
		}
	}
}

// checkMarkup looks at the pages of a package, and says how many pieces of markup it saw.
func checkMarkup(t *testing.T, dir string) (seen int) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	consts, calls, fset := map[string]string{}, []*ast.CallExpr{}, token.NewFileSet()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || strings.HasSuffix(file, "_test.go") || !strings.Contains(string(data), "report.Page") {
			continue
		}
		f, err := parser.ParseFile(fset, file, data, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, v := range n.Values {
					if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						consts[n.Names[i].Name] = constant.StringVal(constant.MakeFromLiteral(lit.Value, lit.Kind, 0))
					}
				}
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "Add" || s.Sel.Name == "Link") {
					calls = append(calls, n)
				}
			}
			return true
		})
	}
	for _, call := range calls {
		at := 0
		if call.Fun.(*ast.SelectorExpr).Sel.Name == "Link" {
			at = 1
		}
		text, values := "", len(call.Args)-at-1
		switch m := call.Args[at].(type) {
		case *ast.BasicLit:
			text, err = strconv.Unquote(m.Value)
		case *ast.Ident:
			text = consts[m.Name]
		}
		if err != nil || text == "" || call.Ellipsis.IsValid() {
			t.Errorf("%s: this cannot be read", fset.Position(call.Pos()))
		} else if what := wrongMarkup(text, values); what != "" {
			t.Errorf("%s: %s: %s", fset.Position(call.Pos()), what, text)
		}
		seen++
	}
	return seen
}

var (
	place     = regexp.MustCompile(`\{n?\}`)
	attribute = regexp.MustCompile(`\s[a-zA-Z-]+="[^"]*"`)
	active    = regexp.MustCompile(`^(on.*|href|src.*|action|formaction|content|style|xlink:.*)$`)
)

// wrongMarkup says why so many values must not are in a piece of markup; empty = they may.
func wrongMarkup(text string, values int) string {
	if n := len(place.FindAllString(text, -1)); n != values {
		return strconv.Itoa(n) + " places for " + strconv.Itoa(values) + " values"
	}
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
