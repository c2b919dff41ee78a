package gorefactor

import (
	"go/ast"
	"go/token"
	"strings"
)

// editDescriptions changes the descriptions of the definition of a kind that is not a word
// of prose elsewhere: controller-gen writes them from the comments of its types. Of a kind that
// other APIs have too, only those that begin with the name of a type.
func (p *planner) editDescriptions(name, text string, docs map[token.Pos]*entity) {
	if p.opt.Off["crd-descriptions"] || len(docs) == 0 || !strings.Contains(text, "kind: CustomResourceDefinition") {
		return
	}
	for _, tg := range p.inOrder {
		if tg.kind.Unique || tg.rule.Surface || !strings.Contains(text, "kind: "+tg.rule.Kind+"\n") {
			continue
		}
		fresh := tg.words()
		for _, e := range docs {
			if ast.IsExported(e.name) {
				fresh[e.name] = e.to(e.name)
			}
		}
		for at := 0; ; {
			i := strings.Index(text[at:], "description: ")
			if i < 0 {
				break
			}
			start := at + i + len("description: ")
			at = scalarEnd(text, at+i)
			first, _, _ := strings.Cut(strings.TrimLeft(text[start:at], "|>-+ \n'\""), " ")
			if tg.alone || fresh[first] != "" {
				p.editNames(name, start, text[start:at], fresh)
			}
		}
	}
}

// scalarEnd is where the value of a key of YAML at an offset ends: its line, and those
// that follow with more indentation.
func scalarEnd(text string, at int) int {
	indent := at - strings.LastIndexByte(text[:at], '\n') - 1
	for end := at; ; {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return len(text)
		}
		end += i + 1
		line, _, _ := strings.Cut(text[end:], "\n")
		if rest := strings.TrimLeft(line, " "); rest != "" && len(line)-len(rest) <= indent {
			return end - 1
		}
	}
}
