package gorefactor

import (
	"path"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
)

// scaffold finds what kubebuilder names after a kind of one word: widget_editor_role.yaml
// with the role widget-editor-role, webhook_in_widgets.yaml, the webhook vwidget.kb.io.
// It returns the new path of a file.
// Source: https://github.com/kubernetes-sigs/kubebuilder, pkg/plugins/.../templates/config
func (p *planner) scaffold(name string) string {
	dir, base := path.Split(name)
	stem, yaml := strings.CutSuffix(base, ".yaml")
	for _, tg := range p.inOrder {
		kind, plural := strings.ToLower(tg.rule.Kind), strings.ToLower(tg.rule.Plural)
		if !yaml || tg.unique || tg.rule.Surface || !strings.Contains(stem, kind[:len(kind)-1]) {
			continue
		}
		toKind, toPlural := strings.ToLower(tg.rule.ToKind), strings.ToLower(tg.rule.ToPlural)
		fresh := ""
		if head, ok := strings.CutSuffix(stem, "_in_"+plural); ok {
			fresh = head + "_in_" + toPlural + ".yaml"
		}
		tail, _ := strings.CutPrefix(stem, kind)
		switch tail {
		case "_admin_role", "_editor_role", "_viewer_role":
			fresh = toKind + tail + ".yaml"
		}
		text, err := p.t.read(name)
		if fresh == "" || err != nil || !strings.Contains(string(text), tg.rule.Group) && !strings.Contains(string(text), tg.rule.toGroup()) {
			continue
		}
		p.tokens[base] = fresh
		if role := strings.ReplaceAll(tail, "_", "-"); role != "" {
			p.tokens[kind+role] = toKind + role
			for _, verb := range []string{"edit ", "view "} {
				p.tokens[verb+plural+"."] = verb + toPlural + "."
			}
		}
		return dir + fresh
	}
	return name
}

// webhookNames are what kubebuilder names the webhooks of the kinds, and what it writes about them.
func (p *planner) webhookNames() {
	for _, tg := range p.inOrder {
		if !tg.kind.Unique && !tg.rule.Surface {
			for _, many := range []string{tg.rule.Plural, kindwords.Plural(tg.rule.Kind)} {
				p.tokens["Schema for the "+many+" API"] = "Schema for the " + tg.rule.ToPlural + " API"
			}
			p.tokens["resource:path="+tg.rule.Plural] = "resource:path=" + tg.rule.ToPlural
		}
		if tg.alone && !tg.unique && !tg.rule.Surface {
			for _, c := range []string{"m", "v"} {
				for _, tail := range []string{".kb.io", "-" + tg.owners[0].Version + ".kb.io"} {
					p.tokens[c+strings.ToLower(tg.rule.Kind)+tail] = c + strings.ToLower(tg.rule.ToKind) + tail
				}
			}
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
			if (start == 0 || !nameByte(text[start-1])) && (from == len(text) || !nameByte(text[from])) {
				p.edit(name, at+start, at+from, old, fresh)
			}
		}
	}
}
