package gorefactor

import (
	"go/token"
	"strings"
)

// editDescriptions changes the descriptions of a definition that controller-gen wrote
// from the doc comments of types whose kind is not a word of prose elsewhere: such a
// description begins with the name of the type.
func (p *planner) editDescriptions(name, text string, docs map[token.Pos]*entity) {
	if len(docs) == 0 || !strings.Contains(text, "kind: CustomResourceDefinition") {
		return
	}
	names := map[string]map[string]string{} // of a type, what changes in its doc comment
	for _, e := range docs {
		k := e.words[0]
		if strings.Contains(text, "kind: "+k.Old+"\n") {
			names[e.name] = map[string]string{k.Old: k.New, e.name: e.to(e.name)}
		}
	}
	for at := 0; len(names) > 0; {
		i := strings.Index(text[at:], "description: ")
		if i < 0 {
			return
		}
		start := at + i + len("description: ")
		end := scalarEnd(text, at+i)
		first := strings.TrimLeft(text[start:end], "|>-+ \n'\"")
		word, _, _ := strings.Cut(first, " ")
		if fresh := names[word]; fresh != nil {
			p.editPhrases(name, start, text[start:end])
			p.editNames(name, start, text[start:end], fresh)
		}
		at = end
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
