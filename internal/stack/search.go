package stack

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Sighting is a version that stands in a tree beside the name of what it is
// the version of, in a form that a place can declare.
type Sighting struct {
	Component *Component // whose version it is
	place     Place      // as it would be declared, complete
	Path      string
	span      source.Span // of Text
	Pos       source.Position
	Text      string // as it stands: "1.2.3"
	Version   string // "v1.2.3"
	Evidence  string // what says that it is the component's: "requires sigs.k8s.io/kueue"

	names []identity // strongest first
	sure  bool       // it was known by a name of the component, not by one like it
	weak  bool       // another version there is more likely another thing than a mistake
}

// Place is the place as it would be declared.
func (f Sighting) Place() Place { return f.place }

// Sure says whether its name is the component's, and not only alike.
func (f Sighting) Sure() bool { return f.sure }

// Span is where Text is in the file.
func (f Sighting) Span() source.Span { return f.span }

// Of are the sightings of a component.
func (v *Survey) Of(c *Component) []Sighting {
	return slices.DeleteFunc(slices.Clone(v.found), func(f Sighting) bool { return f.Component != c })
}

// A Survey is what a search for places found.
type Survey struct {
	found   []Sighting   // by component in the order of the stack, path and offset
	Others  []Sighting   // the same, set aside by Settle, since they say another version
	Missing []*Component // no place of them was found
	Unread  []error      // files that do not parse: what stands in them is not known
}

// Bounds of a search. Files in which people write versions are small, and a
// folder of other people's code holds versions of theirs.
const maxSearched = 1 << 20

var notSearched = []string{".git", "vendor", "node_modules", "third_party", "testdata", ".cfctl"}

// history is what tells of versions that were: changelogs, and files and folders
// that are called after one.
var history = lazyregexp.New(`(?i)^(changes|changelog|release-?notes|releases|history)|v?[0-9]+\.[0-9]+\.[0-9]+`)

// Search finds the places of a tree where versions of the stack's components
// stand, whether they are declared or not. Each can be read back by the place
// that it proposes. A name that is next to several different versions in one
// file is no place: a list of releases, a history.
func (s *Stack) Search(tree fs.FS) (*Survey, error) {
	v := &Survey{}
	known := s.identities()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if history.MatchString(d.Name()) || slices.Contains(notSearched, d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() || !d.Type().IsRegular() {
			return nil
		}
		return v.look(s, indexOf(tree, -1), name, known) // the file is read once, and not kept
	})
	if err != nil {
		return nil, err
	}
	v.sort(s)
	return v, nil
}

// look searches one file.
func (v *Survey) look(s *Stack, tree fs.FS, name string, known map[identity][]*Component) error {
	data, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil //nolint:nilerr // a link that leads nowhere, a submodule: not a file of the tree
	}
	if len(data) > maxSearched || bytes.IndexByte(data, 0) >= 0 {
		return nil
	}
	var seen []source.Span
	for _, f := range fileForms {
		if !f.is(name) {
			continue
		}
		found, err := f.search(name, data)
		if err != nil {
			v.Unread = append(v.Unread, err)
			continue
		}
		for _, found := range s.proven(tree, data, f.name, found, known) {
			if !slices.ContainsFunc(seen, func(o source.Span) bool { return o.Start < found.span.End && found.span.Start < o.End }) {
				seen = append(seen, found.span)
				v.found = append(v.found, found)
			}
		}
	}
	return nil
}

// proven are the sightings that are of a component of the stack, and whose
// place, read from the tree, finds one version.
func (s *Stack) proven(tree fs.FS, data []byte, form string, found []Sighting, known map[identity][]*Component) []Sighting {
	var list []Sighting
	for _, f := range found {
		spelling, version := spellingOf(string(f.span.Of(data)))
		c, name := owner(f.names, known)
		if c == nil && form == helmValues && f.names[0].kind == byImage {
			c, name = owner(ofChart(tree, f.Path, version), known)
		}
		if c == nil || spelling == "" || name.kind == byRoot && (strings.Contains(f.Path, "/") || version == scaffold) {
			continue
		}
		f.sure = name.kind != byLike && name.kind != byRoot
		f.weak = form == anyText || form == goCode || path.Ext(f.Path) == ".sh" || !f.sure
		f.Component, f.Text, f.Version = c, string(f.span.Of(data)), version
		f.Pos = source.PositionAt(data, f.span.Start)
		f.Evidence = form + ": " + name.String()
		f.place.Component, f.place.Path, f.place.Forms = c.Name, f.Path, []string{spelling}
		if f.place.Complete(s) != nil {
			continue
		}
		matches, err := f.place.Find(tree)
		if err != nil || !slices.ContainsFunc(matches, func(m Match) bool { return m.Span == f.span }) ||
			slices.ContainsFunc(matches, func(m Match) bool { return m.Version != version }) {
			continue
		}
		list = append(list, f)
	}
	return list
}

// owner is the one component that the strongest known name is of.
func owner(names []identity, known map[identity][]*Component) (*Component, identity) {
	for _, n := range names {
		if list := known[n]; len(list) == 1 {
			return list[0], n
		}
	}
	return nil, identity{}
}

// Settle sets aside what says another version of a component than now does, by its
// name: what lags behind, texts about the past, images that only share the name. Where
// nothing that is surely the component's says that version, the one counts that most
// of it say, besides what says the same as now: the checks judge that. Where now does not know, all of it stays.
func (v *Survey) Settle(now map[string]string) {
	votes, sure := map[*Component]map[string]int{}, map[*Component]map[string]bool{}
	most := len(v.found) + 1
	for _, f := range v.found {
		c := f.Component
		if votes[c] == nil {
			votes[c], sure[c] = map[string]int{now[c.Name]: most}, map[string]bool{}
		}
		votes[c][f.Version]++
		if !f.weak && !sure[c][f.Version] {
			votes[c][f.Version] += 2 * most
			sure[c][f.Version] = true
		}
	}
	settled := map[*Component]string{}
	for c, said := range votes {
		delete(said, "")
		settled[c] = slices.MaxFunc(slices.Collect(maps.Keys(said)), func(a, b string) int { return cmp.Or(cmp.Compare(said[a], said[b]), semver.Compare(a, b)) })
	}
	var found []Sighting
	for _, f := range v.found {
		if f.Version == settled[f.Component] || f.Version == now[f.Component.Name] || !f.weak && now[f.Component.Name] == "" {
			found = append(found, f)
		} else {
			v.Others = append(v.Others, f)
		}
	}
	v.found = found
}

func (v *Survey) sort(s *Stack) {
	rank := map[*Component]int{}
	for i := range s.Components {
		rank[&s.Components[i]] = i
	}
	slices.SortStableFunc(v.found, func(a, b Sighting) int {
		return cmp.Or(cmp.Compare(rank[a.Component], rank[b.Component]), cmp.Compare(a.Path, b.Path), cmp.Compare(a.span.Start, b.span.Start))
	})
	for i := range s.Components {
		c := &s.Components[i]
		if !slices.ContainsFunc(v.found, func(f Sighting) bool { return f.Component == c }) {
			v.Missing = append(v.Missing, c)
		}
	}
}

// Undeclared are the sightings that no place of the stack reads in the tree, at
// the era of a stack release.
func (s *Stack) Undeclared(tree fs.FS, v *Survey, at string) ([]Sighting, error) {
	read := map[string][]source.Span{}
	for i := range s.Places {
		p := &s.Places[i]
		if p.Repository != "" || !p.InEra(at) {
			continue
		}
		matches, err := p.Find(tree)
		if err != nil {
			return nil, err
		}
		for _, m := range matches {
			read[m.Path] = append(read[m.Path], m.Span)
		}
	}
	return slices.DeleteFunc(slices.Clone(v.found), func(f Sighting) bool {
		return slices.ContainsFunc(read[f.Path], func(o source.Span) bool { return o.Start <= f.span.Start && f.span.Start <= o.End })
	}), nil
}

// Declaration is the place as an item of stack.places, in one line of YAML.
func (f Sighting) Declaration() string {
	p := f.place
	var b strings.Builder
	fmt.Fprintf(&b, "{component: %s, kind: %s, path: %s", strict.Scalar(p.Component), p.Kind, strict.Quoted(p.Path))
	if p.Key != "" {
		fmt.Fprintf(&b, ", key: %s", strict.Quoted(p.Key))
	}
	if p.Image {
		b.WriteString(", image: true")
	}
	if p.Named != "" {
		fmt.Fprintf(&b, ", named: %s", strict.Quoted(p.Named))
	}
	if !slices.Equal(p.Forms, []string{"v" + versions.Placeholder}) {
		fmt.Fprintf(&b, ", forms: [%s]", strict.Quoted(p.Forms[0]))
	}
	b.WriteString("}")
	return b.String()
}

// versionText is a version as files have it: a word before it, which some tags
// and ranges have, and then three numbers with what may follow.
var versionText = lazyregexp.New(`^((?:[A-Za-z][A-Za-z0-9-]*-)?|[~^=]*)(v?)([0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$`)

// spellingOf is the form that a text is written in, and its version; empty = it is
// no version, or one that stands for "not released yet".
func spellingOf(text string) (form, version string) {
	m := versionText.FindStringSubmatch(text)
	if m == nil || !versions.IsVersion("v"+m[3]) || strings.HasPrefix(m[3], "0.0.0") {
		return "", ""
	}
	return m[1] + m[2] + versions.Placeholder, "v" + m[3]
}

// scaffold is the version that generators give a project which has none yet.
const scaffold = "v0.0.1"

// An identity is a name by which a file knows a component.
type identity struct{ kind, text string }

// The kinds of identities, from the surest.
const (
	byModule = "module"
	byImage  = "image"
	byRepo   = "repository"
	byName   = "name"
	byLike   = "called" // the last word of an image or a module, wherever it is from
	byRoot   = "root"   // the file speaks of the project that it is in
)

// String says what an identity is evidence of.
func (i identity) String() string {
	if i.kind == byRoot {
		return "the version of the project itself"
	}
	return i.kind + " " + i.text
}

// identities are the names of all components. What two of them are called is
// no name of either.
func (s *Stack) identities() map[identity][]*Component {
	known := map[identity][]*Component{}
	add := func(c *Component, kind, text string) {
		id := identity{kind, text}
		if text != "" && !slices.Contains(known[id], c) {
			known[id] = append(known[id], c)
		}
	}
	for i := range s.Components {
		c := &s.Components[i]
		repository := ownerAndName(c.Repository)
		add(c, byModule, c.Module.Path)
		add(c, byRepo, strings.ToLower(repository))
		add(c, byImage, c.Image.Repository)
		if repository != "" {
			add(c, byModule, "github.com/"+repository)
			add(c, byImage, "ghcr.io/"+strings.ToLower(repository))
			add(c, byName, plain(path.Base(repository)))
			add(c, byLike, plain(path.Base(repository)))
		}
		for _, name := range append([]string{c.Name, c.Title}, c.Aliases...) {
			add(c, byName, plain(name))
			add(c, byLike, plain(name))
		}
	}
	if c := s.RootComponent(); c != nil {
		add(c, byRoot, ".")
	}
	return known
}

var ownerName = lazyregexp.New(`^(?:https://|ssh://git@|git@)?(?:github\.com[:/])?([A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_.-]+?)(?:\.git)?/?$`)

// ownerAndName is OWNER/NAME of a repository on GitHub, however it is written;
// empty = it is elsewhere.
func ownerAndName(repository string) string {
	m := ownerName.FindStringSubmatch(repository)
	if m == nil {
		return ""
	}
	return m[1]
}

// plain is a name without case and marks: CODEFLARE_SDK is codeflare-sdk.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}
