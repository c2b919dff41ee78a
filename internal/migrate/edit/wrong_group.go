package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// FindingGroup is the id of a kind of the rules in a group where it never was.
const FindingGroup = "wrong-group"

// apiVersionLine is an apiVersion with its group, in any language.
var apiVersionLine = lazyregexp.New(`\bapi_?[vV]ersion\\?["']?\s*[:=]\s*\\?["']?([a-z0-9][-a-z0-9.]*)/(v[0-9][a-z0-9]*)`)

// wrongGroups reports objects of a guarded kind that stand in a group where that
// kind has never been: what a migration by hand leaves behind when it gets a
// group wrong.
func (m *maker) wrongGroups() {
	if m.facts.Stays != "" {
		return
	}
	known := make(map[int]int, len(m.made)) // start of a site to its end
	for _, s := range m.made {
		known[s.Start] = max(known[s.Start], s.End)
	}
	for _, set := range m.Sets() {
		for _, kind := range set.Guard {
			m.guardKind(kind, set.Name, known)
		}
	}
}

func (m *maker) guardKind(kind, ruleset string, known map[int]int) {
	for at := 0; ; {
		n := bytes.Index(m.file[at:], []byte(kind))
		if n < 0 {
			return
		}
		name := source.Span{Start: at + n, End: at + n + len(kind)}
		at = name.End
		if !isKindValue(m.file, name) {
			continue
		}
		group, span := groupNear(m.file, name)
		if group == "" || slices.Contains(m.Homes(kind), group) || known[span.Start] >= span.End {
			continue
		}
		o := Outcome{Span: span, Role: find.RoleAPIVersion, Severe: true, Rule: FindingGroup, Ruleset: ruleset, Old: group}
		m.record(o.Leave("wrong-group", fmt.Sprintf("%s has never been in this group (known: %s)", kind, strings.Join(m.Homes(kind), ", ")), "correct the group by hand"))
	}
}

// kindBefore is what stands before the value of a kind field, in any language.
var kindBefore = lazyregexp.New(`(?i)\bkind\\?["']?\s*[:=]\s*\\?["']?$`)

// isKindValue says whether a name is a whole word and the value of a kind field.
func isKindValue(data []byte, name source.Span) bool {
	if name.End < len(data) && text.IsIdent(data[name.End]) {
		return false
	}
	return kindBefore.Match(data[max(0, name.Start-24):name.Start])
}

// guardReach is how far from a kind its apiVersion is looked for: a line can be
// as long as its file.
const guardReach = 512

// groupNear is the group of the apiVersion on the line of a kind, or up to two
// lines around it.
func groupNear(data []byte, kind source.Span) (string, source.Span) {
	base := max(0, kind.Start-guardReach)
	near := data[base:min(len(data), kind.End+guardReach)]
	at := kind.Start - base
	from := text.LineStart(near, at)
	content, _ := text.LineEnd(near, at, len(near))
	if g, ok := groupBeside(near, from, at, content); ok {
		return string(g.Of(near)), source.Span{Start: base + g.Start, End: base + g.End}
	}
	below, above := content, from
	for range 2 {
		var spans []source.Span
		if below+1 < len(near) {
			start := below + 1
			below, _ = text.LineEnd(near, start, len(near))
			spans = append(spans, source.Span{Start: start, End: below})
		}
		if above > 0 {
			end := above
			above = text.LineStart(near, above-1)
			spans = append(spans, source.Span{Start: above, End: end})
		}
		for _, s := range spans {
			if m := apiVersionLine.FindSubmatchIndex(s.Of(near)); m != nil {
				return string(near[s.Start+m[2] : s.Start+m[3]]), source.Span{Start: base + s.Start + m[2], End: base + s.Start + m[3]}
			}
		}
	}
	return "", source.Span{}
}

// groupBeside is the group of the apiVersion on the line of a kind that stands
// at a place: the last before it or else the first behind it, in the same object.
func groupBeside(data []byte, from, at, text int) (source.Span, bool) {
	before := data[from:at]
	before = before[bytes.LastIndexAny(before, "{}")+1:]
	if all := apiVersionLine.FindAllSubmatchIndex(before, -1); len(all) > 0 {
		m, base := all[len(all)-1], at-len(before)
		return source.Span{Start: base + m[2], End: base + m[3]}, true
	}
	behind := data[at:text]
	if end := bytes.IndexAny(behind, "{}"); end >= 0 {
		behind = behind[:end]
	}
	if m := apiVersionLine.FindSubmatchIndex(behind); m != nil {
		return source.Span{Start: at + m[2], End: at + m[3]}, true
	}
	return source.Span{}, false
}
