package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/author"
)

// documents are README.md, CONTRIBUTING.md and all of docs/, by path from the
// root of the repository.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		files, err := filepath.Glob("../../" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel("../..", file)
			all[filepath.ToSlash(rel)] = string(data)
		}
	}
	return all
}

var (
	fenced     = regexp.MustCompile("(?ms)^```.*?^```$")
	codeSpan   = regexp.MustCompile("`[^`\n]*`")
	mdLink     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	mdHeading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notAnchor  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	headingIDs = func(text string) map[string]bool {
		ids := map[string]bool{}
		for _, m := range mdHeading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			ids[strings.ReplaceAll(notAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
		}
		return ids
	}
)

// TestDocumentsLink follows each relative link of the documents to a file, and
// to a heading of it.
func TestDocumentsLink(t *testing.T) {
	all := documents(t)
	links := 0
	for file, text := range all {
		text = codeSpan.ReplaceAllString(fenced.ReplaceAllString(text, ""), "")
		for _, m := range mdLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			links++
			path, anchor, _ := strings.Cut(m[1], "#")
			target := file
			if path != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(file), path))
			}
			if _, err := os.Stat("../../" + target); err != nil {
				t.Errorf("%s: the link %s leads nowhere", file, m[1])
			} else if anchor != "" && !headingIDs(all[target])[anchor] {
				t.Errorf("%s: %s has no heading #%s", file, target, anchor)
			}
		}
	}
	if links < 10 {
		t.Errorf("only %d links were found", links)
	}
}

// TestDocumentsCI: the jobs that init writes are those that the documents show,
// and that make e2e runs.
func TestDocumentsCI(t *testing.T) {
	for _, f := range author.Jobs {
		want, err := os.ReadFile("../../docs/" + f.From)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.Text(false); err != nil || got != string(want) {
			t.Errorf("the job that init writes is not docs/%s: %v", f.From, err)
		}
	}
}

// TestDocumentedCommands: the script of a page runs each of its commands, in the
// order of the page and without others of cfctl in between, in a fresh repository. What is
// in sections of their own, ### , is run by a script of its own.
func TestDocumentedCommands(t *testing.T) {
	for _, page := range []struct{ page, script, prefix string }{
		{"rename", "rename", "cfctl "}, {"rename", "rename-kind", "cfctl "}, {"first-stack", "first-stack", ""},
	} {
		script, err := os.ReadFile("../../testdata/cfctl/" + page.script + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		commands := func(text, start string) (list []string) {
			for line := range strings.Lines(text) {
				if command, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "! "), start); ok && strings.HasPrefix(command, page.prefix) {
					list = append(list, command)
				}
			}
			return list
		}
		text := documents(t)["docs/"+page.page+".md"]
		apart := page.script != page.page
		if page.page == "rename" {
			text = sections(text, apart)
		}
		ran := commands(strings.NewReplacer("${FORGE}example/widgets.git", "https://github.com/example/widgets", "sh -c '", "", "'\n", "\n").Replace(string(script)), "exec ")
		shown := commands(text, "$ ")
		shown = slices.DeleteFunc(shown, func(c string) bool { return strings.HasPrefix(c, "cd ") })
		if page.page == "rename" {
			ran = slices.DeleteFunc(ran, func(c string) bool { return c == "cfctl migrate --check" })
			shown = slices.DeleteFunc(shown, func(c string) bool { return c == "cfctl migrate --check" })
		}
		if apart { // it runs some of them a second time
			ran = slices.DeleteFunc(ran, func(c string) bool { return !slices.Contains(shown, c) })
			ran = slices.Compact(ran)
		}
		if len(shown) < 4 || !slices.Equal(ran, shown) {
			t.Errorf("docs/%s.md has\n%s\nits script runs\n%s", page.page, strings.Join(shown, "\n"), strings.Join(ran, "\n"))
		}
	}
}

// sections are the sections of the third level of a page, or all but them.
func sections(text string, third bool) string {
	var b strings.Builder
	in := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			in = strings.HasPrefix(line, "### ")
		}
		if in == third {
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestDocumentsAreListed: README.md and the first page of the documents' site
// lead to each document.
func TestDocumentsAreListed(t *testing.T) {
	all := documents(t)
	index, err := os.ReadFile("../../docs/site/content/docs/_index.md")
	if err != nil {
		t.Fatal(err)
	}
	for file := range all {
		name, ok := strings.CutPrefix(file, "docs/")
		if !ok || strings.Contains(name, "/") {
			continue
		}
		if !strings.Contains(all["README.md"], "]("+file) && !strings.Contains(all["CONTRIBUTING.md"], "]("+file) {
			t.Errorf("README.md does not lead to %s", file)
		}
		if name != "rename.md" && !strings.Contains(string(index), "]("+name+")") {
			t.Errorf("docs/site/content/docs/_index.md does not lead to %s", name)
		}
	}
}
