package gorefactor

import "strings"

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
				}
			}
			at += len(line)
		}
	}
}
