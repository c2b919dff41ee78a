package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Tests, clients and documents spell the path of a webhook as well, in a string of its own or
// within a manifest that they compare; and so do webhooks that are called for another group: no
// rules around it tell what it is.

// HookSlug is a group with what stands around it in the path of a webhook.
func HookSlug(group string) string { return "-" + Dashed(group) + "-v" }

// hookVersion is what stands behind a group in the path of a webhook: the rest of the
// version, and the kind.
var hookVersion = lazyregexp.New(`^[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?-[a-z0-9]+`)

// hookPaths tells a person of the paths of webhooks that are made of a group which moves, and
// of which nothing is said.
func (m *hookMaker) hookPaths() {
	if m.facts.Dual {
		return
	}
	for _, group := range m.Groups() {
		slug := []byte(HookSlug(group))
		for at := 0; ; {
			n := bytes.Index(m.file[at:], slug)
			if n < 0 {
				break
			}
			start := at + n
			at = start + len(slug)
			tail := hookVersion.Find(m.file[at:])
			verb := bytes.LastIndexByte(m.file[:start], '/')
			if tail != nil && verb >= 0 && start-verb <= len("/validate") {
				m.hookPath(source.Span{Start: verb, End: at + len(tail)}, group)
			}
		}
	}
}

// hookPath tells of one path, unless something else has told of it.
func (m *hookMaker) hookPath(s source.Span, group string) {
	if slices.ContainsFunc(m.made, func(o Outcome) bool { return o.Start < s.End && s.Start < o.End }) {
		return
	}
	if bytes.Contains(text.LineAround(m.file, s).Of(m.file), []byte("+kubebuilder:webhook:")) {
		return // whether it agrees with its marker is asked of the tree
	}
	path := string(s.Of(m.file))
	fresh, rule, ok := m.webhookPathTo(&find.Site{Doc: text.Whole(m.file)}, path, group, "*")
	if !ok || fresh == path {
		return
	}
	o := Outcome{Span: s, Role: find.RoleWebhook, Old: path, group: group}.by(rule)
	if m.facts.Stays != "" {
		m.record(o.Keep(m.facts.Reason, m.facts.Stays))
		return
	}
	hint := "write " + fresh + " here, as the webhook is registered by its kind"
	if _, known := m.names.Singular(group, path[strings.LastIndexByte(path, '-')+1:]); !known {
		hint = "write " + fresh + " here and where the webhook is served"
	}
	m.record(o.Leave("webhook-path", "the path of a webhook, which becomes "+fresh, hint))
}
