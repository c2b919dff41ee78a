package migrate

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Two Go packages whose groups become one, with a kind that both have, cannot be
// added to one scheme any more: the program ends when it starts.
// Source: k8s.io/apimachinery, pkg/runtime, Scheme.AddKnownTypeWithName.

// A packageFact is what a Go file says its package is, by its marker or by the
// GroupVersion that it registers types with.
type packageFact struct {
	group, version string // "" for no such file
	at             source.Span
}

var versionClause = lazyregexp.New(`(?m)^package (v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?)\b`)

// goPackage reads what says that the package of the file is a version of a group.
func (g *gathering) goPackage() {
	marker := bytes.Contains(g.data, []byte("+groupName="))
	if !marker && !bytes.Contains(g.data, []byte("GroupVersion{")) {
		return
	}
	is := g.registered()
	if m, version := groupMarker.FindSubmatchIndex(g.data), versionClause.FindSubmatch(g.data); marker && m != nil && version != nil {
		is = packageFact{string(g.data[m[2]:m[3]]), string(version[1]), source.Span{Start: m[2], End: m[3]}}
	}
	if g.names[is.group] {
		g.pkg = is
	}
}

var (
	// registered is a GroupVersion: (1) its group and (2) its version, each a string in
	// quotes or the name of a constant.
	registered = lazyregexp.New(`\bGroupVersion\{\s*Group:\s*("[^"\n]*"|\w+),\s*Version:\s*("[^"\n]*"|\w+),?\s*\}`)
	// stringConstant is a constant or variable that is a string: (1) its name, (2) the string.
	stringConstant = lazyregexp.New(`(?m)^\s*(?:const\s+|var\s+)?(\w+)\s*(?:string\s*)?=\s*("[^"\n]*")`)
)

// registered is the group and version with which the file registers types, where it says
// both itself.
func (g *gathering) registered() packageFact {
	m := registered.FindSubmatchIndex(g.data)
	if m == nil || !declares.Match(g.data) {
		return packageFact{}
	}
	group, version := g.stringAt(source.Span{Start: m[2], End: m[3]}), g.stringAt(source.Span{Start: m[4], End: m[5]})
	return packageFact{string(group.Of(g.data)), string(version.Of(g.data)), group}
}

// stringAt is where the text of a string stands, that is at a place or that the constant
// there is; an empty span for any other name.
func (g *gathering) stringAt(at source.Span) source.Span {
	if g.data[at.Start] == '"' {
		return source.Span{Start: at.Start + 1, End: at.End - 1}
	}
	for _, m := range stringConstant.FindAllSubmatchIndex(g.data, -1) {
		if bytes.Equal(g.data[m[2]:m[3]], at.Of(g.data)) {
			return source.Span{Start: m[4] + 1, End: m[5] - 1}
		}
	}
	return source.Span{}
}

// onePackage leaves the second of two packages to a person that would become the
// same version of one group.
func (m *Migration) onePackage(files []*File) {
	kinds := map[string]map[string]bool{} // by group
	for _, f := range files {
		if f.facts == nil {
			continue
		}
		for _, is := range f.facts.kinds {
			if kinds[is.Group] == nil {
				kinds[is.Group] = map[string]bool{}
			}
			kinds[is.Group][is.Kind] = true
		}
	}
	type owner struct{ dir, group string }
	taken := map[string]owner{}
	for _, moving := range []bool{false, true} {
		for _, f := range files {
			if f.facts == nil || f.facts.pkg.group == "" || f.Skip != nil {
				continue
			}
			is, at := f.facts.pkg, path.Dir(f.Path)
			ver := m.rules.Ask(rules.GVK{Group: is.group, Version: is.version})
			if moves := ver.Outcome == rules.Moves; moves != moving {
				continue
			}
			becomes := is.group + "/" + is.version
			if moving {
				becomes = ver.To.Group + "/" + ver.To.Version
			}
			has, ok := taken[becomes]
			switch {
			case !ok:
				taken[becomes] = owner{at, is.group}
			case has.dir == at || has.group == is.group:
			default:
				if with := shareKind(kinds[has.group], kinds[is.group]); with != "" {
					leavePackage(files, f, "the package "+has.dir+" is "+becomes+" then, "+with)
				}
			}
		}
	}
}

// shareKind says which kind two groups have in common, the first by name, or that nothing
// tells what one of them has; "" where they have none in common.
func shareKind(a, b map[string]bool) string {
	if len(a) == 0 || len(b) == 0 {
		return "and nothing tells that they have no kind in common"
	}
	for _, kind := range slices.Sorted(maps.Keys(a)) {
		if b[kind] {
			return "which has " + kind + " as well"
		}
	}
	return ""
}

// leavePackage keeps what would change of the group in the files of a package.
func leavePackage(files []*File, of *File, why string) {
	for _, f := range files {
		if path.Dir(f.Path) != path.Dir(of.Path) || !strings.HasSuffix(f.Path, ".go") {
			continue
		}
		for i, s := range f.Sites {
			switch {
			case s.Action() != Change || !strings.HasPrefix(s.Old, of.facts.pkg.group):
			case f == of && of.facts.pkg.at.Start <= s.Start && s.End <= of.facts.pkg.at.End:
				o := s.Outcome
				o.New = ""
				f.Sites[i], f.left = s.with(o.Leave("name-taken", why, "make one package of the two, and run cfctl again")), true
			default:
				f.Sites[i], f.left = s.with(s.Keep("name-taken", "its package stays: "+why)), true
			}
		}
	}
}
