package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// exampleName is a line of a ruleset that has text for users.
var exampleName = regexp.MustCompile(`^( *- name:|doc:|.*\bremoved: ")`)

// notWritten are the words that the project does not use, by what to write instead: the prose
// linter of make lint has the same list for the documents.
func notWritten(t *testing.T) map[*regexp.Regexp]string {
	t.Helper()
	data, err := os.ReadFile("../../.github/styles/cfctl/Words.yml")
	if err != nil {
		t.Fatal(err)
	}
	var style struct{ Swap map[string]string }
	if err := yaml.Unmarshal(data, &style); err != nil || len(style.Swap) == 0 {
		t.Fatal(err, len(style.Swap))
	}
	words := map[*regexp.Regexp]string{}
	for word, instead := range style.Swap {
		words[regexp.MustCompile(`(?i)\b(?:`+word+`)\b`)] = instead
	}
	return words
}

// literalText is the text of an expression as a message shows it: literals joined, and … for each value.
func literalText(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "…", false
		}
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.ParenExpr:
		return literalText(e.X)
	case *ast.BinaryExpr:
		x, okX := literalText(e.X)
		y, okY := literalText(e.Y)
		return x + y, e.Op == token.ADD && (okX || okY)
	}
	return "…", false
}

// everyText calls f with each string of the program that has more than one word, and with the doc tags of fields.
func everyText(t *testing.T, f func(where, text string)) {
	t.Helper()
	files := token.NewFileSet()
	visit := func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(filepath.Dir(name), "test") {
			return err
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			text, ok := literalText(e)
			if !ok {
				return true
			}
			if strings.Contains(text, " ") {
				f(files.Position(e.Pos()).String(), text)
			}
			_, binary := e.(*ast.BinaryExpr)
			return !binary
		})
		return nil
	}
	for _, dir := range []string{".", "../../internal"} {
		if err := filepath.WalkDir(dir, visit); err != nil {
			t.Fatal(err)
		}
	}
}

// long are files whose long strings are not messages.
var long = map[string]bool{
	"page.go":    true, // a style sheet
	"lexemes.go": true, // regular expressions
}

// TestMessagesArePlain: no message, help or description has a word of the dialect, or more than 200 characters in a line.
func TestMessagesArePlain(t *testing.T) {
	words := notWritten(t)
	rulesets, err := filepath.Glob("../../internal/migrate/rulesets/*.yaml")
	if err != nil || len(rulesets) == 0 {
		t.Fatal(rulesets, err)
	}
	for _, name := range rulesets { // the names of examples are printed
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			for word, instead := range words {
				if found := word.FindString(line); found != "" && exampleName.MatchString(line) {
					t.Errorf("%s: %q: write %s instead of %q", name, line, instead, found)
				}
			}
		}
	}
	everyText(t, func(where, text string) {
		for word, instead := range words {
			if found := word.FindString(text); found != "" {
				t.Errorf("%s: %q: write %s instead of %q", where, text, instead, found)
			}
		}
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(line); n > 200 && !long[path.Base(strings.Split(where, ":")[0])] {
				t.Errorf("%s: %d characters: %q", where, n, line)
			}
		}
	})
}
