package prove

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A goFile is Go code as a list of tokens, and its composite literals.
type goFile struct {
	text   string
	set    *token.FileSet
	file   *token.File
	tokens []goToken
	made   []*node     // composite literals with their fields
	spans  map[int]int // offsets of lists whose length may change → their ends
}

type goToken struct {
	tok  token.Token
	text string
	at   int // offset
}

// goFile checks Go code token by token.
func (f *proof) goFile(before, after string, depth int) error {
	b, err := readGo(before)
	if err != nil {
		return f.lines(before, after, source.Position{Line: 1, Column: 1}, &outline{proof: f})
	}
	a, err := readGo(after)
	if err != nil {
		return f.fault(source.Position{}, "the file parsed as Go before and does not parse after: %v", err)
	}
	if err := f.tokens(b, a, depth); err != nil {
		return err
	}
	if len(b.made) != len(a.made) {
		return f.fault(source.Position{}, "the file has %d composite literals before and %d after", len(b.made), len(a.made))
	}
	for i, n := range b.made {
		if err := f.literal(n, a.made[i], depth); err != nil {
			return err
		}
	}
	return nil
}

// literal checks a composite literal as an object and as a rule of permissions.
func (f *proof) literal(b, a *node, depth int) error {
	if err := f.object(b, a); err != nil {
		return err
	}
	if isGrant(b) {
		return f.grants(listOf(b), listOf(a), depth)
	}
	for i, k := range b.keys {
		if isList(k.value) && b.items[i].shape == sequence && i < len(a.items) {
			if err := f.set(b.items[i], a.items[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// tokens checks the tokens of two files.
func (f *proof) tokens(b, a *goFile, depth int) error {
	i, j := 0, 0
	for i < len(b.tokens) && j < len(a.tokens) {
		x, y := b.comments(&i), a.comments(&j)
		if x.tok != y.tok {
			return f.fault(b.position(x.at), "%q became %q", x.text, y.text)
		}
		if end, endAfter := b.spans[x.at], a.spans[y.at]; end > 0 && endAfter > 0 {
			i, j = b.skip(i, end), a.skip(j, endAfter)
			continue
		}
		if err := f.token(x, y, b, depth); err != nil {
			return err
		}
		i, j = i+1, j+1
	}
	if i < len(b.tokens) || j < len(a.tokens) {
		return f.fault(b.position(len(b.text)), "the code ends at another place after")
	}
	return nil
}

// comments is the token at an index, with the comments behind it if it is one:
// the index becomes that of the last.
func (g *goFile) comments(i *int) goToken {
	x := g.tokens[*i]
	if x.tok != token.COMMENT {
		return x
	}
	text := []string{x.text}
	for *i+1 < len(g.tokens) && g.tokens[*i+1].tok == token.COMMENT {
		*i++
		text = append(text, g.tokens[*i].text)
	}
	x.text = strings.Join(text, "\n")
	return x
}

// skip is the index of the first token behind an offset.
func (g *goFile) skip(i, end int) int {
	for i < len(g.tokens) && g.tokens[i].at < end {
		i++
	}
	return i
}

// token checks one token.
func (f *proof) token(x, y goToken, b *goFile, depth int) error {
	switch {
	case x.text == y.text:
		return nil
	case x.tok == token.COMMENT:
		return f.lines(x.text, y.text, b.position(x.at), &outline{proof: f})
	case x.tok == token.STRING:
		old, err := strconv.Unquote(x.text)
		fresh, err2 := strconv.Unquote(y.text)
		if err == nil && err2 == nil && x.text[0] == y.text[0] {
			return f.embedded(old, fresh, b.position(x.at), depth)
		}
	}
	return f.fault(b.position(x.at), "%s became %s", excerpt(x.text, 0), excerpt(y.text, 0))
}

func (g *goFile) position(at int) source.Position {
	p := g.file.PositionFor(g.file.Pos(at), false)
	return source.Position{Line: p.Line, Column: p.Column}
}

// readGo parses Go code.
func readGo(text string) (*goFile, error) {
	g := &goFile{text: text, set: token.NewFileSet(), spans: map[int]int{}}
	root, err := parser.ParseFile(g.set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	g.file = g.set.File(root.FileStart)
	g.scan()
	ast.Inspect(root, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok {
			if x := g.literal(lit); len(x.keys) > 0 {
				g.made = append(g.made, x)
			}
		}
		return true
	})
	return g, nil
}

// scan reads the tokens.
func (g *goFile) scan() {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(g.text))
	var s scanner.Scanner
	s.Init(file, []byte(g.text), nil, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue // the end of a line
		}
		if text == "" {
			text = tok.String()
		}
		g.tokens = append(g.tokens, goToken{tok, text, file.Offset(pos)})
	}
}

// literal is a composite literal with its texts, lists of texts and the parts of
// the literals in it that have no name of their own, such as metav1.TypeMeta.
func (g *goFile) literal(lit *ast.CompositeLit) *node {
	n := &node{shape: mapping, tag: "go", pos: g.where(lit)}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key := keyName(kv.Key)
		switch v := kv.Value.(type) {
		case *ast.BasicLit:
			g.field(n, key, &node{value: unquoted(v), tag: "string", pos: g.where(v)})
		case *ast.CompositeLit:
			if list := g.list(v); list != nil && isList(key) {
				g.spans[g.file.Offset(v.Lbrace)] = g.file.Offset(v.Rbrace)
				g.field(n, key, list)
			}
		}
	}
	return n
}

func (g *goFile) field(n *node, key string, v *node) {
	if key != "" {
		n.keys = append(n.keys, &node{value: key, pos: v.pos})
		n.items = append(n.items, v)
	}
}

// list is a literal of texts alone; nil for any other.
func (g *goFile) list(lit *ast.CompositeLit) *node {
	n := &node{shape: sequence, tag: "go", pos: g.where(lit)}
	for _, e := range lit.Elts {
		b, ok := e.(*ast.BasicLit)
		if !ok || b.Kind != token.STRING {
			return nil
		}
		n.items = append(n.items, &node{value: unquoted(b), tag: "string", pos: g.where(b)})
	}
	return n
}

func (g *goFile) where(n ast.Node) source.Position { return g.position(g.file.Offset(n.Pos())) }

// keyName is the name of a field, or the text of the key of a map.
func keyName(e ast.Expr) string {
	switch k := e.(type) {
	case *ast.Ident:
		return k.Name
	case *ast.BasicLit:
		return unquoted(k)
	}
	return ""
}

func unquoted(b *ast.BasicLit) string {
	if s, err := strconv.Unquote(b.Value); err == nil && b.Kind == token.STRING {
		return s
	}
	return strings.Trim(b.Value, `"`)
}
