package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// generatedPages are written from the tables of the code.
var generatedPages = []string{"docs/checks.md", "docs/config.md", "docs/design-documents.md", "docs/findings.md"}

const (
	mostWords     = 22000 // of all pages that are written by hand
	mostParagraph = 80    // words
	mostCell      = 120   // characters, without the addresses of links
)

var (
	listItem   = regexp.MustCompile(`^\s*([-*]|\d+\.)\s`)
	linkTarget = regexp.MustCompile(`\]\([^)]*\)`)
)

// paragraphs are the paragraphs and list items of a page outside of code, tables and headings, by line.
func paragraphs(text string) map[int]string {
	list, begin, fence := map[int]string{}, 0, false
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") {
			fence, begin = !fence, 0
			continue
		}
		code := strings.HasPrefix(line, "    ") && begin == 0
		if fence || code || trimmed == "" || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(line, "#") || strings.HasPrefix(trimmed, "<!--") {
			begin = 0
			continue
		}
		if begin == 0 || listItem.MatchString(line) {
			begin = i + 1
		}
		list[begin] += line + "\n"
	}
	return list
}

// What maintainers look for by a name in a page is there.
func TestDocumentsNameWhatExists(t *testing.T) {
	files := map[string]bool{}
	var code strings.Builder
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".go" {
			files[d.Name()] = true
			data, err := os.ReadFile(name)
			code.Write(data)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(?:[a-z/]*/)?([a-z_0-9]+\\.go)`|`(Test[A-Za-z]+)`")
	for _, m := range named.FindAllStringSubmatch(documents(t)["docs/contributing.md"], -1) {
		if m[1] != "" && !files[m[1]] || m[2] != "" && !strings.Contains(code.String(), "func "+m[2]+"(") {
			t.Errorf("docs/contributing.md names %s, which is not there", m[0])
		}
	}
}

// TestDocumentsAreShort: paragraphs and cells that are read at a glance, and no more text than a reader takes.
func TestDocumentsAreShort(t *testing.T) {
	all := 0
	for file, text := range documents(t) {
		if !slices.Contains(generatedPages, file) {
			all += len(strings.Fields(text))
		}
		for line, paragraph := range paragraphs(text) {
			if n := len(strings.Fields(linkTarget.ReplaceAllString(paragraph, "]"))); n > mostParagraph {
				t.Errorf("%s:%d: a paragraph of %d words, of %d at most", file, line, n, mostParagraph)
			}
		}
		for i, line := range strings.Split(text, "\n") {
			if !strings.HasPrefix(line, "|") {
				continue
			}
			for _, cell := range strings.Split(strings.ReplaceAll(linkTarget.ReplaceAllString(line, "]"), `\|`, "!"), "|") {
				if n := utf8.RuneCountInString(strings.TrimSpace(cell)); n > mostCell {
					t.Errorf("%s:%d: a cell of %d characters, of %d at most", file, i+1, n, mostCell)
				}
			}
		}
	}
	if all > mostWords {
		t.Errorf("pages written by hand have %d words, of %d at most", all, mostWords)
	}
}
