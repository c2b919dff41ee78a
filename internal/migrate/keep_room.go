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

// openPython are the lines of Python that have room: they end in no string and no comment.
func openPython(data []byte) map[int]bool {
	open := map[int]bool{}
	if bytes.Contains(data, []byte("\\\n")) || bytes.Contains(data, []byte("\\\r")) {
		return open // a line that goes on, perhaps within a string
	}
	number, quote, comment := 1, "", false
	for i := 0; i < len(data); i++ {
		rest := data[i:]
		switch c := data[i]; {
		case c == '\n':
			open[number] = quote == "" && !comment
			number, comment = number+1, false
		case comment:
		case quote != "" && c == '\\':
			i++
		case quote != "" && bytes.HasPrefix(rest, []byte(quote)):
			i, quote = i+len(quote)-1, ""
		case quote != "":
		case c == '#':
			comment = true
		case bytes.HasPrefix(rest, []byte(`"""`)), bytes.HasPrefix(rest, []byte("'''")):
			i, quote = i+2, string(rest[:3])
		case c == '"', c == '\'':
			quote = string(c)
		}
	}
	open[number] = quote == "" && !comment
	return open
}

// openShell are the lines of a shell script that have room: none in a script
// with a heredoc or a string over several lines, which can hold anything.
func openShell(data []byte) map[int]bool {
	if bytes.Contains(data, []byte("<<")) || bytes.IndexByte(data, '\r') >= 0 {
		return map[int]bool{}
	}
	open := map[int]bool{}
	for i, line := range bytes.Split(data, []byte("\n")) {
		room, whole := shellLine(line)
		if !whole {
			return map[int]bool{}
		}
		open[i+1] = room
	}
	return open
}

// shellLine says whether a line of a shell script has room for a comment, and
// whether all of its strings end on it.
func shellLine(line []byte) (room, whole bool) {
	var quote byte
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case b == '\\' && quote != '\'':
			if i++; i == len(line) {
				return false, quote == 0
			}
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '\'' || b == '"' || b == '`':
			quote = b
		case b == '#' && (i == 0 || strings.IndexByte(" \t;&|(", line[i-1]) >= 0):
			return false, true
		}
	}
	return quote == 0, quote == 0
}
