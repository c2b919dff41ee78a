package gorefactor

import (
	"path"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
)

// scaffold finds what kubebuilder names after a kind of one word: widget_editor_role.yaml
// with the role widget-editor-role, webhook_in_widgets.yaml. It returns the new path of a file.
// Source: https://github.com/kubernetes-sigs/kubebuilder, pkg/plugins/.../templates/config
func (p *planner) scaffold(name string) string {
	dir, base := path.Split(name)
	stem, yaml := strings.CutSuffix(base, ".yaml")
	for _, tg := range p.inOrder {
		role := strings.HasSuffix(stem, "_role")
		if !yaml || p.opt.Off["scaffold"] || tg.unique || tg.rule.Surface || !role && !strings.Contains(stem, "_in_") {
			continue
		}
		words := strings.Split(stem, "_")
		for i, w := range words {
			switch w {
			case strings.ToLower(tg.rule.Kind):
				words[i] = strings.ToLower(tg.rule.ToKind)
			case tg.rule.Plural:
				words[i] = tg.rule.ToPlural
			}
		}
		fresh := strings.Join(words, "_")
		text, err := p.t.read(name)
		if fresh == stem || err != nil || !strings.Contains(string(text), tg.rule.Group) && !strings.Contains(string(text), tg.rule.toGroup()) {
			continue
		}
		p.tokens[base] = fresh + ".yaml"
		if role {
			p.tokens[strings.ReplaceAll(stem, "_", "-")] = strings.ReplaceAll(fresh, "_", "-")
			for _, verb := range []string{"edit ", "view "} { // permissions for end users to edit widgets.
				p.tokens[verb+tg.rule.Plural] = verb + tg.rule.ToPlural
			}
		}
		return dir + fresh + ".yaml"
	}
	return name
}

// phrases are what kubebuilder writes about kinds that are no words of prose elsewhere.
func (p *planner) phrases() {
	for _, tg := range p.inOrder {
		if !tg.kind.Unique && !tg.rule.Surface && !p.opt.Off["scaffold"] {
			for _, many := range []string{tg.rule.Plural, kindwords.Plural(tg.rule.Kind)} {
				p.tokens["Schema for the "+many+" API"] = "Schema for the " + tg.rule.ToPlural + " API"
			}
			p.tokens["resource:path="+tg.rule.Plural] = "resource:path=" + tg.rule.ToPlural
			p.tokens["singular="+strings.ToLower(tg.rule.Kind)] = "singular=" + strings.ToLower(tg.rule.ToKind)
		}
	}
}

// editTokens changes the names that scaffold found, where nothing is around them.
func (p *planner) editTokens(name string, at int, text string) {
	for old, fresh := range p.tokens {
		for from := 0; ; {
			i := strings.Index(text[from:], old)
			if i < 0 {
				break
			}
			start := from + i
			from = start + len(old)
			if (start == 0 || !nameByte(text[start-1])) && (from == len(text) || !nameByte(text[from]) || text[from] == '.' && !wordAt(text, from+1)) {
				p.edit(name, at+start, at+from, old, fresh)
			}
		}
	}
}
