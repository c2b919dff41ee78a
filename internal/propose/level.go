package propose

import (
	"fmt"
	"path"
	"slices"
	"strings"

	masterminds "github.com/Masterminds/semver/v3"
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/notes"
	"github.com/project-codeflare/cfctl/internal/report"
)

// A Level is how much a change is to users.
type Level int

// The levels, each more than the one before.
const (
	Nothing Level = iota // nothing that a user has
	Patch
	Minor
	Major
)

var levelNames = []string{"none", "patch", "minor", "major"}

func (l Level) String() string { return levelNames[l] }

// MarshalText implements encoding.TextMarshaler.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// A weight is all that tells how much changed.
type weight struct {
	imported    bool // its Go module, by another component
	entry       *notes.Component
	paths       []string // of the files that differ
	before, now *git.Tree
	labels      map[string][]string // of pull requests, by number
}

// level is the highest level of what there is, and one line that says why: what
// breaks, then what is new, by its first instance.
func (w *weight) level() (Level, string, error) {
	if !slices.ContainsFunc(w.paths, reaches) {
		return Nothing, "documents, tests and CI alone: " + report.Few(w.paths, ", "), nil
	}
	found := map[Level][]string{}
	add := func(l Level, text string) { found[l] = append(found[l], text) }
	for _, c := range w.entry.CRDs {
		l := Minor
		switch {
		case c.Breaking:
			l = Major
		case c.Kind == "optional" || c.Kind == "changed":
			l = Patch
		}
		add(l, c.CRD+" "+strings.ReplaceAll(c.String(), "`", ""))
	}
	api, err := w.goAPI()
	if err != nil {
		return Nothing, "", err
	}
	for _, c := range api {
		add(c.Level, c.Text+" (Go API)")
	}
	for _, c := range w.entry.Changes {
		l, label := w.of(c)
		add(l, short(c)+label)
	}
	for _, l := range []Level{Major, Minor, Patch} {
		if list := found[l]; len(list) > 0 {
			more := ""
			if len(list) > 1 {
				more = fmt.Sprintf(" (and %d more)", len(list)-1)
			}
			return l, list[0] + more, nil
		}
	}
	return Patch, "files changed: " + report.Few(w.paths, ", "), nil
}

// of is the level of one change: by a marker of its text that it breaks, by the
// labels of its pull request, by its type.
func (w *weight) of(c notes.Change) (Level, string) {
	if c.Breaking {
		return Major, ", by its text"
	}
	if l, label := labelLevel(w.labels[c.Pull]); l > Nothing {
		return l, ", label " + label
	}
	if c.Group == "Features" {
		return Minor, ""
	}
	return Patch, ""
}

// labelLevels are the words of labels that say how much a pull request changes,
// without what is before the last "/" or ":", in lower case.
// Source: the labels of GitHub and of Prow (https://github.com/kubernetes/test-infra/blob/master/label_sync/labels.md).
var labelLevels = map[string]Level{
	"breaking": Major, "breaking-change": Major, "breaking change": Major, "major": Major, "semver-major": Major,
	"feature": Minor, "enhancement": Minor, "minor": Minor, "semver-minor": Minor, "api-change": Minor, "deprecation": Minor,
	"bug": Patch, "bugfix": Patch, "fix": Patch, "patch": Patch, "semver-patch": Patch, "regression": Patch,
	"cleanup": Patch, "documentation": Patch, "dependencies": Patch, "flake": Patch, "failing-test": Patch,
}

// labelLevel is the highest level that labels say; Nothing = they say none.
func labelLevel(labels []string) (Level, string) {
	best, name := Nothing, ""
	for _, label := range labels {
		word := strings.ToLower(label)
		word = strings.TrimSpace(word[strings.LastIndexAny(word, "/:")+1:])
		if l := labelLevels[word]; l > best {
			best, name = l, label
		}
	}
	return best, name
}

// short is a change for a line of text.
func short(c notes.Change) string {
	subject := c.Subject
	if r := []rune(subject); len(r) > 60 {
		subject = string(r[:59]) + "…"
	}
	if c.Pull != "" {
		return subject + " (#" + c.Pull + ")"
	}
	return fmt.Sprintf("%s (%.7s)", subject, c.Commit)
}

// inside are the folders and files of which nothing reaches a user.
var inside = lazyregexp.New(`^(\.github|\.gitlab|\.tekton|\.ci|\.vscode|docs?|tests?|e2e)/|^(OWNERS|CODEOWNERS|LICENSE|CHANGELOG|\.gitignore|\.gitattributes|\.golangci\.[a-z]+|\.pre-commit-config\.yaml|\.gitlab-ci\.yml|\.cfctl\.yaml)$`)

// reaches says whether a file is a part of what is released. What is not known
// is: a release too many is better than one too few.
func reaches(name string) bool {
	base := path.Base(name)
	return !inside.MatchString(name) && path.Ext(base) != ".md" && base != "OWNERS" && !strings.HasSuffix(base, "_test.go") && !strings.Contains("/"+name, "/testdata/")
}

// next is the version after the last one, and why in one line.
func (t tags) next(level Level, q question, why string) (version, reason string) {
	last := t.top
	if level == Nothing && t.pre == "" {
		return last, why
	}
	core := last
	switch {
	case last == "":
		core = coreOf(t.pre)
	case semver.Major(last) == "v0" && level == Major:
		core, why = bump(last, Minor), "minor, since v0 breaks with it: "+why
	case level > Nothing:
		core, why = bump(last, level), level.String()+": "+why
	}
	if low := coreOf(t.pre); t.pre != "" && semver.Compare(core, low) <= 0 {
		core, why = low, fmt.Sprintf("after %s: %s", t.pre, why)
	}
	return pre(core, q.Pre, t.all), why
}

// bump is the version that follows by a level.
func bump(version string, level Level) string {
	v := masterminds.MustParse(coreOf(version)) // a version that IsVersion has seen
	switch level {
	case Major:
		return "v" + v.IncMajor().String()
	case Minor:
		return "v" + v.IncMinor().String()
	case Patch:
		return "v" + v.IncPatch().String()
	}
	return version
}

// coreOf is a version without its pre-release; empty stays empty.
func coreOf(version string) string { return strings.TrimSuffix(version, semver.Prerelease(version)) }

// pre is the next pre-release of a version, "v1.2.0-rc.2" after "v1.2.0-rc.1";
// the version itself when no name is given.
func pre(version, name string, all []string) string {
	if name == "" {
		return version
	}
	for n := 1; ; n++ {
		v := fmt.Sprintf("%s-%s.%d", version, name, n)
		if !slices.ContainsFunc(all, func(x string) bool {
			return coreOf(x) == version && semver.Compare(x, v) >= 0 && semver.Prerelease(x) != "" && sameName(x, name)
		}) {
			return v
		}
	}
}

// sameName says whether a pre-release is one of a name: "rc" of "-rc.1".
func sameName(version, name string) bool {
	got, _, _ := strings.Cut(strings.TrimPrefix(semver.Prerelease(version), "-"), ".")
	return got == name
}
