package propose

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/notes"
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
	entry *notes.Component
	paths []string // of the files that differ
}

// level is the highest level of what there is, and one line that says why: what
// breaks, then what is new, by its first instance.
func (w *weight) level() (Level, string) {
	if !slices.ContainsFunc(w.paths, reaches) {
		return Nothing, "documents, tests and CI alone: " + few(w.paths)
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
	for _, c := range w.entry.Changes {
		l, marker := levelOf(c)
		add(l, short(c)+marker)
	}
	for _, l := range []Level{Major, Minor, Patch} {
		if list := found[l]; len(list) > 0 {
			more := ""
			if len(list) > 1 {
				more = fmt.Sprintf(" (and %d more)", len(list)-1)
			}
			return l, list[0] + more
		}
	}
	return Patch, "files changed: " + few(w.paths)
}

// levelOf is the level of one change: by a marker of its text that it breaks, by its
// type.
func levelOf(c notes.Change) (Level, string) {
	if c.Breaking {
		return Major, ", by its text"
	}
	if c.Group == "Features" {
		return Minor, ""
	}
	return Patch, ""
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
