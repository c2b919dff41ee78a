package judge

import (
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

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
func (f *Facts) IsHomeOf(s *find.Site, version string) bool {
	return slices.ContainsFunc(Guards, func(g Guard) bool { return g.version != nil && f.asks(&g) && g.version(f, s, version) })
}

// HomeOf is the version of the group of a site that its file is about where it
// tells none: that of its Go package, else a version of the rules that a folder
// is named after.
func (f *Facts) HomeOf(t *rules.Table, s *find.Site) string {
	if s.Home != "" && !f.off["version-package"] {
		return s.Home
	}
	if f.off["version-folder"] {
		return ""
	}
	for _, folder := range strings.Split(path.Dir(f.Path), "/") {
		if rules.APIVersion.MatchString(folder) && slices.ContainsFunc(t.RulesOf(s.Known.Group), func(r rules.Rule) bool { return r.From.Version == folder && r.To.Version != folder }) {
			return folder
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
