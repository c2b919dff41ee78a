package judge

import (
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// Homes are what the Go packages of a tree say of versions; zero is a tree without any.
type Homes struct {
	Groups   map[string][]string // those of which a folder declares a version, by its path from the top
	Versions map[string][]string // the groups of which the tree has a version, sorted
	Before   map[string][]string // the groups that became another one by a rule with a version
}

// isOf says whether what is of some groups is of one of the rules: of that, or of what it became
// when its version did not.
func (h Homes) isOf(groups []string, group string) bool {
	return slices.ContainsFunc(groups, func(is string) bool { return is == group || slices.Contains(h.Before[is], group) })
}

// A belonging says whether a text is about a version of a group. Zero is one that is not.
type belonging struct {
	is bool
	of []string // not empty: it is about the version, and the tree has that of these groups
}

func (b belonging) sure() bool { return b.is && len(b.of) == 0 }

// belongs is for what stands in a folder, and is named after a version: by what the
// folder declares, else by the words around the version in its path, else by what the
// tree has of the version.
func (h Homes) belongs(dir string, around []string, at rules.GVK) belonging {
	if groups, told := h.Groups[dir]; told {
		return belonging{is: h.isOf(groups, at.Group)}
	}
	named := func(group string) bool {
		label, _, _ := strings.Cut(group, ".")
		return slices.Contains(around, group) || slices.Contains(around, label)
	}
	has := h.Versions[at.Version]
	if named(at.Group) {
		return belonging{is: true}
	}
	if i := slices.IndexFunc(has, named); i >= 0 {
		return belonging{is: true, of: has[i : i+1]}
	}
	if h.isOf(has, at.Group) {
		has = nil
	}
	return belonging{is: true, of: has}
}

func inPackage(f *Facts, s *find.Site, at rules.GVK) belonging {
	switch dir := path.Dir(f.Path); {
	case s.Home != at.Version:
		return belonging{}
	case s.HomeGroup != "":
		return belonging{is: f.Homes.isOf([]string{s.HomeGroup}, at.Group)}
	default:
		return f.Homes.belongs(dir, []string{path.Base(dir), path.Base(path.Dir(dir))}, at)
	}
}

// inFolder asks about each folder of a path that is named after the version.
func inFolder(f *Facts, _ *find.Site, at rules.GVK) (b belonging) {
	for dir := path.Dir(f.Path); dir != "." && dir != "/" && !b.sure(); dir = path.Dir(dir) {
		if path.Base(dir) == at.Version {
			b = f.Homes.belongs(dir, []string{path.Base(path.Dir(dir))}, at)
		}
	}
	return b
}

// inDocument says whether a file is a document whose name has a word that is
// the version: example.v1beta1.md, but not a guide from one to the other.
func inDocument(f *Facts, _ *find.Site, at rules.GVK) belonging {
	base := strings.ToLower(path.Base(f.Path))
	ext := path.Ext(base)
	if around := words(strings.TrimSuffix(base, ext)); slices.Contains(documentExts, ext) && slices.Contains(around, at.Version) {
		return f.Homes.belongs("", around, at)
	}
	return belonging{}
}

// leaves is the version that a site would leave which its file may be about; "" for none.
func (c *asked) leaves(home string) rules.GVK {
	at := rules.GVK{Group: c.known.Group, Version: c.told}
	if c.told == "" && c.answer.To.Group != c.known.Group {
		at.Version = home
	}
	if c.answer.To.Version == at.Version {
		at.Version = ""
	}
	return at
}

// perhapsAtHome is for a site in a file that is about a version, which may be one of
// another group.
func (c *asked) perhapsAtHome(version string, b belonging, guard string) Decision {
	return Decision{Verdict: Person, Answer: c.answer, Guard: guard, Reason: atHomeReason(guard),
		Why:  "the " + version + " after which its " + strings.TrimPrefix(guard, "version-") + " is named may be that of " + strings.Join(b.of, " or ") + ", which this tree has",
		Hint: "move it by hand, or keep it with cfctl:keep"}
}

// AtHome is for a site that would leave the version that its file is about.
func (c *asked) AtHome(version, guard string) Decision {
	return AtHome(c.Known.Group, c.answer, version, guard)
}

// AtHome is for a group that would leave the version that its file is about.
func AtHome(group string, a rules.Answer, version, guard string) Decision {
	if a.To.Group == group {
		return Decision{Verdict: Stay, Reason: atHomeReason(guard), Why: "this file belongs to " + version, Guard: guard}
	}
	return Decision{Verdict: Person, Answer: a, Guard: guard, Reason: atHomeReason(guard), Why: "this file belongs to " + version + ", which becomes " + a.To.Group + "/" + a.To.Version,
		Hint: "move the package or folder, then run again"}
}

// IsHomeOf says whether the text around a site belongs to an API version. There
// the version is what it is about, so that it does not become another one.
func (f *Facts) IsHomeOf(s *find.Site, at rules.GVK) bool {
	return slices.ContainsFunc(Guards, func(g Guard) bool { return g.version != nil && f.asks(&g) && g.version(f, s, at).sure() })
}

// HomeOf is the version of the group of a site that its file is about where it
// tells none: that of its Go package, else a version of the rules that a folder
// is named after; "" where that is of another group.
func (f *Facts) HomeOf(t *rules.Table, s *find.Site) string {
	at := rules.GVK{Group: s.Known.Group, Version: s.Home}
	if s.Home != "" && !f.off["version-package"] && inPackage(f, s, at).sure() {
		return s.Home
	}
	if f.off["version-folder"] {
		return ""
	}
	for _, at.Version = range strings.Split(path.Dir(f.Path), "/") {
		if rules.APIVersion.MatchString(at.Version) && inFolder(f, s, at).sure() &&
			slices.ContainsFunc(t.RulesOf(at.Group), func(r rules.Rule) bool { return r.From.Version == at.Version && r.To.Version != at.Version }) {
			return at.Version
		}
	}
	return ""
}

// atHomeReason is the id of the reason of what belongs to a version, by the guard
// that says so; none does for what several names say together.
func atHomeReason(guard string) string {
	if guard == "" {
		return "version-folder"
	}
	return ReasonOf(guard)
}
