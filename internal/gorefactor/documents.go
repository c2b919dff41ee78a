package gorefactor

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// editSpans changes the kinds of one word that are code in a document: `Widget`, `Widget.status`,
// except in headings, which have links.
// Of a kind that every cluster or another API has too, only what is called a custom resource.
func (p *planner) editSpans(name, text string) {
	for _, tg := range p.inOrder {
		if tg.unique || tg.rule.Surface || p.opt.Off["code-spans"] {
			continue
		}
		at := 0
		for line := range strings.Lines(text) {
			for i := len(line); line[0] != '#'; {
				i = strings.LastIndex(line[:i], "`"+tg.rule.Kind)
				if i < 0 {
					break
				}
				start, end := i+1, i+1+len(tg.rule.Kind)
				code, after, _ := strings.Cut(line[end:], "`")
				whole := code == "" || code == "s" || code[0] == '.' && !strings.ContainsAny(code, " \n")
				if whole && (tg.alone || strings.HasPrefix(strings.ToLower(after), " custom resource")) {
					p.edit(name, at+start, at+end, tg.rule.Kind, tg.rule.ToKind)
					p.editArticle(name, at, line, start, tg.rule.Kind, tg.rule.ToKind)
				}
			}
			at += len(line)
		}
	}
}

// article is the end of a text whose last word is an article of the next one.
var article = lazyregexp.New("(?:^|[^\\w-])([aA]n?)[ \\n]+[`\"'*\\[]*$")

// editArticle changes the article in front of a word that is replaced: an App, a Workload.
// Those of initialisms are said in two ways.
func (p *planner) editArticle(name string, at int, text string, start int, old, fresh string) {
	head := max(0, start-12)
	m := article.FindStringSubmatchIndex(text[head:start])
	if m == nil || p.opt.Off["article"] || vowel(old) == vowel(fresh) || len(fresh) > 1 && fresh[1] < 'a' || len(old) > 1 && old[1] < 'a' {
		return
	}
	from, to := head+m[2], head+m[3]
	is := text[from : from+1]
	if vowel(fresh) {
		is += "n"
	}
	p.edit(name, at+from, at+to, text[from:to], is)
}

func vowel(word string) bool { return strings.ContainsRune("aeioAEIO", rune(word[0])) }
