package prove

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A goFile is Go code: what may not change, and the texts and composite literals in it.
type goFile struct {
	file     *token.File
	tokens   []*node // but for texts, commas, and what is in comments
	comments []*node // those in a row are one
	texts    []*node // but for those of lists whose length may change
	made     []*node // composite literals with their fields
}

// goFile checks Go code by its tokens and its syntax tree.
func (f *proof) goFile(before, after string, pos source.Position, depth int) error {
	b, err := readGo(before)
	if err != nil {
		return f.lines(before, after, pos, &outline{})
	}
	a, err := readGo(after)
	if err != nil {
		return f.fault(source.Position{}, "the file parsed as Go before and does not parse after: %v", err)
	}
	for _, x := range []struct {
		b, a  []*node
		check func(b, a *node) error
	}{
		{b.tokens, a.tokens, func(b, a *node) error { return f.value("", b, a, depth) }},
		{b.comments, a.comments, func(b, a *node) error { return f.lines(b.Value, a.Value, at(b), &outline{}) }},
		{b.texts, a.texts, func(b, a *node) error { return f.value("", b, a, depth) }},
		{b.made, a.made, f.literal},
	} {
		if len(x.b) != len(x.a) {
			return f.fault(source.Position{}, "the code has other words, comments, texts or composite literals after")
		}
		for i, n := range x.b {
			if err := x.check(n, x.a[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// literal checks a composite literal as an object, as a rule of permissions and for its lists.
func (f *proof) literal(b, a *node) error {
	if err := f.object(b, a); err != nil {
		return err
	}
	if isGrant(b) {
		return f.mapping(b, a, maxDepth)
	}
	for i := 1; i < min(len(b.Content), len(a.Content)); i += 2 {
		if b.Content[i].Kind == yaml.SequenceNode {
			if err := f.value(b.Content[i-1].Value, b.Content[i], a.Content[i], maxDepth); err != nil {
				return err
			}
		}
	}
	return nil
}

// readGo parses Go code.
func readGo(text string) (*goFile, error) {
	set := token.NewFileSet()
	root, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	g := &goFile{file: set.File(root.FileStart)}
	g.scan(text)
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				g.texts = append(g.texts, g.string(n))
			}
		case *ast.CompositeLit:
			if x := g.literal(n); len(x.Content) > 0 {
				g.made = append(g.made, x)
			}
		case *ast.KeyValueExpr:
			return g.list(n) == nil
		}
		return true
	})
	return g, nil
}

// scan reads the tokens.
func (g *goFile) scan(text string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), []byte(text), nil, scanner.ScanComments)
	var row []string // comments without a token between them
	for {
		pos, tok, text := s.Scan()
		if text == "\n" { // the end of a line
			continue
		}
		n := g.node(g.file.Pos(int(pos)-1), tok.String()+text, "word")
		if tok == token.COMMENT {
			if row = append(row, text); len(row) == 1 {
				g.comments, g.tokens = append(g.comments, n), append(g.tokens, g.node(g.file.Pos(int(pos)-1), "comment", "word"))
			}
			continue
		}
		if len(row) > 0 {
			g.comments[len(g.comments)-1].Value, row = strings.Join(row, "\n"), nil
		}
		if tok == token.EOF {
			return
		}
		if tok != token.STRING && tok != token.COMMA {
			g.tokens = append(g.tokens, n)
		}
	}
}

func (g *goFile) node(pos token.Pos, text, tag string) *node {
	p := g.file.PositionFor(pos, false)
	return &node{Kind: yaml.ScalarNode, Tag: tag, Value: text, Line: p.Line, Column: p.Column}
}

// string is a literal of a text.
func (g *goFile) string(lit *ast.BasicLit) *node {
	s, _ := strconv.Unquote(lit.Value)
	return g.node(lit.Pos(), s, "!!str")
}

// literal is a composite literal with its texts and lists of texts.
func (g *goFile) literal(lit *ast.CompositeLit) *node {
	n := g.node(lit.Pos(), "", "literal")
	n.Kind = yaml.MappingNode
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		v := g.list(kv)
		if text, ok := kv.Value.(*ast.BasicLit); ok && text.Kind == token.STRING {
			v = g.string(text)
		}
		if v != nil {
			n.Content = append(n.Content, g.node(kv.Pos(), keyName(kv.Key), "key"), v)
		}
	}
	return n
}

// list is a literal of texts alone whose length may change; nil for any other.
func (g *goFile) list(kv *ast.KeyValueExpr) *node {
	lit, ok := kv.Value.(*ast.CompositeLit)
	if !ok || !isList(keyName(kv.Key)) {
		return nil
	}
	n := g.node(lit.Pos(), "", "list")
	n.Kind = yaml.SequenceNode
	for _, e := range lit.Elts {
		b, ok := e.(*ast.BasicLit)
		if !ok || b.Kind != token.STRING {
			return nil
		}
		n.Content = append(n.Content, g.string(b))
	}
	return n
}

// keyName is the name of a field, or the text of the key of a map.
func keyName(e ast.Expr) string {
	switch k := e.(type) {
	case *ast.Ident:
		return k.Name
	case *ast.BasicLit:
		s, _ := strconv.Unquote(k.Value)
		return s
	}
	return ""
}
