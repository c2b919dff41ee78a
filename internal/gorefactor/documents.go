package gorefactor

import (
	"regexp"
	"strings"
)

// editSpans changes the kinds of one word that are code in a document: `Widget`, `Widget.status`,
// except in headings, which have links.
// Of a kind that every cluster or another API has too, only what is called a custom resource.
func (p *planner) editSpans(name, text string) {
	for _, tg := range p.inOrder {
		if tg.unique || tg.rule.Surface || p.opt.Off["code-spans"] {
			continue
		}
		span := regexp.MustCompile("`(" + tg.rule.Kind + ")(?:s|\\.[^ \n`]*)?`((?i) custom resource)?")
		for _, m := range span.FindAllStringSubmatchIndex(text, -1) {
			if heading := text[strings.LastIndexByte(text[:m[0]], '\n')+1] == '#'; !heading && (tg.alone || m[4] >= 0) {
				p.edit(name, m[2], m[3], tg.rule.Kind, tg.rule.ToKind)
			}
		}
	}
}
