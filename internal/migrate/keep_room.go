package migrate

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// Lines of code that have room for a comment: they end outside of every string,
// comment and continued line. Lines are counted from 1. Code that is not well
// formed has no such lines.

// openGo are the lines of Go code that have room at their end, and those that
// are a marker with room before it.
func openGo(data []byte) (open, markers map[int]bool) {
	open, markers = map[int]bool{}, map[int]bool{}
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, "", data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return open, markers
	}
	for i := range bytes.Count(data, []byte("\n")) + 1 {
		open[i+1] = true
	}
	file := files.File(tree.FileStart)
	var s scanner.Scanner
	s.Init(file, data, nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		first := file.PositionFor(pos, false).Line
		if tok == token.STRING || tok == token.COMMENT {
			for i := range strings.Count(lit, "\n") {
				delete(open, first+i)
			}
		}
		if tok == token.COMMENT && strings.HasPrefix(lit, "//") {
			delete(open, first)
			markers[first] = file.PositionFor(pos, false).Column == 1 && strings.HasPrefix(strings.TrimLeft(lit[2:], " \t"), "+")
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		if doc := writtenOut(n); doc != nil {
			for _, c := range doc.List {
				delete(markers, file.PositionFor(c.Pos(), false).Line)
			}
		}
		return true
	})
	return open, markers
}

// writtenOut is the documentation of a node that a generator takes over (types
// and fields, the package) or that is code itself (the preamble of cgo).
func writtenOut(n ast.Node) *ast.CommentGroup {
	switch n := n.(type) {
	case *ast.File:
		return n.Doc
	case *ast.GenDecl:
		if n.Tok == token.TYPE || n.Tok == token.IMPORT {
			return n.Doc
		}
	case *ast.TypeSpec:
		return n.Doc
	case *ast.ImportSpec:
		return n.Doc
	case *ast.Field:
		return n.Doc
	}
	return nil
}
