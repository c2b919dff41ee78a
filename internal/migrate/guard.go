package migrate

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// apiVersionLine is an apiVersion with its group, in any language.
var apiVersionLine = regexp.MustCompile(`\bapi_?[vV]ersion["']?\s*[:=]\s*\\?["']?([a-z0-9][-a-z0-9.]*)/(v[0-9][a-z0-9]*)`)

// guard reports objects of a guarded kind that stand in a group where that
// kind has never been: what a migration by hand leaves behind when it gets a
// group wrong.
func (a *analysis) guard() {
	if a.history != "" {
		return
	}
	for _, set := range a.sets {
		for _, kind := range set.Guard {
			a.guardKind(kind, set.Name)
		}
	}
}

func (a *analysis) guardKind(kind, ruleset string) {
	for at := 0; ; {
		n := bytes.Index(a.file[at:], []byte(kind))
		if n < 0 {
			return
		}
		at += n + len(kind)
		from := lineStart(a.file, at)
		text, _ := lineEnd(a.file, at, len(a.file))
		m := kindLine.FindSubmatch(a.file[from:text])
		if m == nil || string(m[1]) != kind {
			continue
		}
		group, span := groupNear(a.file, from, text)
		if group == "" || a.targets[kind][group] || slices.ContainsFunc(a.sites, func(s Site) bool { return s.Start <= span.Start && span.End <= s.End }) {
			continue
		}
		var groups []string
		for g := range a.targets[kind] {
			groups = append(groups, g)
		}
		slices.Sort(groups)
		a.sites = append(a.sites, Site{
			Span: span, Role: RoleAPIVersion, Action: Person, Severe: true, Rule: FindingGroup, Ruleset: ruleset,
			Old: group, Why: fmt.Sprintf("%s has never been in this group (known: %s)", kind, strings.Join(groups, ", ")),
			Hint: "correct the group by hand",
		})
	}
}

// groupNear is the group of the apiVersion on the line of a kind, or up to two
// lines around it.
func groupNear(data []byte, from, text int) (string, source.Span) {
	spans := []source.Span{{Start: from, End: text}}
	below, above := text, from
	for range 2 {
		if below+1 < len(data) {
			start := below + 1
			below, _ = lineEnd(data, start, len(data))
			spans = append(spans, source.Span{Start: start, End: below})
		}
		if above > 0 {
			end := above
			above = lineStart(data, above-1)
			spans = append(spans, source.Span{Start: above, End: end})
		}
	}
	for _, s := range spans {
		if m := apiVersionLine.FindSubmatchIndex(s.Of(data)); m != nil {
			g := source.Span{Start: s.Start + m[2], End: s.Start + m[3]}
			return string(g.Of(data)), g
		}
	}
	return "", source.Span{}
}
