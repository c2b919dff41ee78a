package edit

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// No place is passed over in silence: where a group that is left stands and no
// format has found a site, a person is told, unless it is a part of a longer
// name.

// A restNet looks for what no format has found.
type restNet struct {
	*sheet
	hooks *hookMaker
}

// answerRest adds a site for each place that has none.
func (m *restNet) answerRest() {
	taken := make([]source.Span, 0, len(m.made)+len(m.dropped))
	for _, s := range m.made {
		taken = append(taken, s.Span)
	}
	taken = append(taken, m.dropped...)
	byStart := func(x, y source.Span) int { return x.Start - y.Start }
	m.catalogFolder()
	api := m.isOpenAPI()
	groups := slices.Clone(m.Groups())
	slices.SortFunc(groups, func(x, y string) int { return len(y) - len(x) }) // mcad.ibm.com before ibm.com
	for _, group := range groups {
		if !strings.Contains(group, ".") || !m.leaves(group) {
			continue
		}
		slices.SortFunc(taken, byStart)
		var found []source.Span
		covered, next := 0, 0 // up to where the spans so far reach
		for at := 0; ; {
			n := bytes.Index(m.file[at:], []byte(group))
			if n < 0 {
				break
			}
			s := source.Span{Start: at + n, End: at + n + len(group)}
			at = s.End
			for ; next < len(taken) && taken[next].Start < s.End; next++ {
				covered = max(covered, taken[next].End)
			}
			if covered <= s.Start && !joined(m.file, s, isLetter) {
				found = append(found, s)
			}
		}
		for _, s := range found {
			m.record(m.rest(s))
		}
		taken = append(taken, found...)
		if api {
			m.reversed(group)
		}
	}
	slices.SortFunc(taken, byStart)
	m.oddly(taken)
	m.hooks.hookPaths()
}

// schemaBase is the name of a file in the folder of a group in a catalog of schemas.
// Source: https://github.com/yannh/kubeconform, -schema-location.
var schemaBase = lazyregexp.New(`^[a-z0-9]+[_-]v[1-9][a-z0-9]*\.json$`)

// catalogFolder tells a person of a file of a catalog of schemas, by whose folder
// others find it.
func (m *restNet) catalogFolder() {
	group := path.Base(path.Dir(m.facts.Path))
	if !schemaBase.MatchString(path.Base(m.facts.Path)) || !m.names.Has(group) || m.Ask(rules.GVK{Group: group}).Outcome != rules.Moves || !m.leaves(group) {
		return
	}
	o := Outcome{Role: find.RoleProse, Old: group}
	if m.facts.Stays != "" {
		m.record(o.Keep(m.facts.Reason, m.facts.Stays))
		return
	}
	m.record(o.Leave("schema-file", "a file of a catalog of schemas, in a folder named after the group", "rename the folder to "+m.Ask(rules.GVK{Group: group}).To.Group))
}

// reversed is a group as OpenAPI documents of Kubernetes spell it.
// Source: k8s.io/kube-openapi, pkg/util (ToRESTFriendlyName).
func reversed(group string) string {
	labels := strings.Split(group, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

// isOpenAPI says whether the file may be an OpenAPI document.
func (m *restNet) isOpenAPI() bool {
	return m.facts.Format.Is(find.Objects) && (bytes.Contains(m.file, []byte("$ref")) || bytes.Contains(m.file, []byte("definitions")))
}

// defines is where the first definition of a group in an OpenAPI document begins, -1 for none.
func (m *restNet) defines(group string) int { return bytes.Index(m.file, []byte(reversed(group)+".v")) }

// reversed tells a person, once for a file, of the definitions of a group in an
// OpenAPI document: a generator makes it from Go types.
func (m *restNet) reversed(group string) {
	at := m.defines(group)
	if at < 0 {
		return
	}
	o := Outcome{Span: source.Span{Start: at, End: at + len(group)}, Role: find.RoleProse, Old: reversed(group)}
	if m.facts.Stays != "" {
		m.record(o.Keep(m.facts.Reason, m.facts.Stays))
		return
	}
	m.record(o.Leave("unknown-place", "the definitions of this document are named after the group", "generate the document again"))
}

// leaves says whether nothing of a group stays in it.
func (m *restNet) leaves(group string) bool {
	return !slices.ContainsFunc(m.RulesOf(group), func(r rules.Rule) bool { return r.To.Group == "" || r.To.Group == group })
}

// rest is the site of a place that no format has found.
func (m *restNet) rest(s source.Span) Outcome {
	o := Outcome{Span: s, Role: find.RoleProse, Old: string(s.Of(m.file))}
	switch {
	case m.facts.Stays != "":
		return o.Keep(m.facts.Reason, m.facts.Stays)
	case joined(m.file, s, func(b byte) bool { return b == '-' || b == '_' }) || s.Start > 0 && m.file[s.Start-1] == '.' || len(m.file) > s.End+1 && m.file[s.End] == '.' && isLetter(m.file[s.End+1]):
		o.Role = find.RoleDomain
		return o.Keep("longer-name", partOfName)
	}
	return o.Leave("unknown-place", unknownPlace, "change it by hand, or keep it with a comment cfctl:keep REASON")
}

// Why a place that no format has found stays, or is left to a person.
const (
	partOfName   = "part of a longer name"
	unknownPlace = "nothing around it tells what it is"
)

// joined says whether a place goes on in a byte of a kind, before or behind it.
func joined(data []byte, s source.Span, kind func(byte) bool) bool {
	return s.Start > 0 && kind(data[s.Start-1]) || s.End < len(data) && kind(data[s.End])
}

func isLetter(b byte) bool { return text.IsIdent(b) && b != '_' }
