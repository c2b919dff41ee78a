package gorefactor

import (
	"path"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// A heading is what changes in the links to a heading of a document.
type heading struct{ file, from, to string }

// editSpans changes the kinds of one word that are code in a document: `Widget`, `Widget.status`.
// Of a kind that every cluster or another API has too, only what is called a custom resource.
func (p *planner) editSpans(name, text string) {
	for _, tg := range p.inOrder {
		if tg.unique || tg.rule.Surface {
			continue
		}
		at := 0
		for line := range strings.Lines(text) {
			fresh := line
			for i := len(line); i > 0; {
				i = strings.LastIndex(line[:i], "`"+tg.rule.Kind)
				if i < 0 {
					break
				}
				start, end := i+1, i+1+len(tg.rule.Kind)
				code, after, _ := strings.Cut(line[end:], "`")
				whole := code == "" || code == "s" || code[0] == '.' && !strings.ContainsAny(code, " \n")
				if whole && (tg.alone || strings.HasPrefix(strings.ToLower(after), " custom resource")) {
					p.edit(name, at+start, at+end, tg.rule.Kind, tg.rule.ToKind)
					fresh = fresh[:start] + tg.rule.ToKind + fresh[end:]
					if from, to, is := p.editArticle(name, at, line, start, tg.rule.Kind, tg.rule.ToKind); is != "" {
						fresh = fresh[:from] + is + fresh[to:]
					}
				}
			}
			if fresh != line && line[0] == '#' {
				p.headings = append(p.headings, heading{path.Base(name), slug(line), slug(fresh)})
			}
			at += len(line)
		}
	}
}

var noSlug = lazyregexp.New(`[^\w -]`)

// slug is what GitHub makes of a heading in links to it.
func slug(line string) string {
	text := strings.TrimSpace(strings.TrimLeft(line, "#"))
	return strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(text), ""), " ", "-")
}

// editLinks changes the links to headings that change.
func (p *planner) editLinks(name, text string) {
	for _, h := range p.headings {
		for at := 0; ; {
			i := strings.Index(text[at:], "#"+h.from+")")
			if i < 0 {
				break
			}
			start := at + i + 1
			at = start + len(h.from)
			file := text[strings.LastIndexByte(text[:start], '(')+1 : start-1]
			if path.Base(file) == h.file || file == "" && path.Base(name) == h.file {
				p.edit(name, start, at, h.from, h.to)
			}
		}
	}
}

// article is the end of a text whose last word is an article of the next one.
var article = lazyregexp.New("(?:^|[^\\w-])([aA]n?)[ \\n]+[`\"'*\\[]*$")

// editArticle changes the article in front of a word that is replaced: an App, a Workload.
// It returns where that is, and what it becomes. Those of initialisms are said in two ways.
func (p *planner) editArticle(name string, at int, text string, start int, old, fresh string) (from, to int, is string) {
	head := max(0, start-12)
	m := article.FindStringSubmatchIndex(text[head:start])
	if m == nil || vowel(old) == vowel(fresh) || len(fresh) > 1 && fresh[1] < 'a' || len(old) > 1 && old[1] < 'a' {
		return 0, 0, ""
	}
	from, to = head+m[2], head+m[3]
	if is = text[from : from+1]; vowel(fresh) {
		is += "n"
	}
	p.edit(name, at+from, at+to, text[from:to], is)
	return from, to, is
}

func vowel(word string) bool { return strings.ContainsRune("aeioAEIO", rune(word[0])) }
