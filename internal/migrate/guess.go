package migrate

import (
	"fmt"
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A Guess is a reason by which a place that a rule would move stays, because of
// what stands around it or of the path of its file. Each can be switched off,
// by a ruleset and by a flag.
type Guess struct {
	ID  string // kebab-case
	Doc string // what stays, and why; one sentence
	// ofFile says why a whole file stays, or ""; nil where the guess is about a
	// place.
	ofFile func(m *Migration, p filePath, data []byte) string
}

// Guesses are asked in this order.
var Guesses = []Guess{
	{"change-log", "documents named CHANGELOG, HISTORY, NEWS and the like tell what was", logOf},
	{"log-folder", "documents in folders of release notes or blogs tell what was; changelogs, versioned_docs and _posts hold nothing else", logFolderOf},
	{"guide", "guides from one version to another, and dated posts, name the old API on purpose", guideOf},
	{"conversion-code", "code of a conversion or migration, and what it is tested with, name the old API on purpose", overOf},
	{"snapshot", "a test recorded it, and records it again", recordedIn},
	{"released-folder", "a folder named after a released version holds what was released", releasedIn},
	{"released-file", "a file of releases/ or archive/ named after a version is that release", releasedAs},
	{"generated-document", "the reference that a generator wrote is generated again", nil},
	{"template-choice", "a template that asks what the cluster serves names the old version on purpose", nil},
	{"proposal", "a proposal tells of the version of its time", nil},
	{"version-folder", "a folder named after an API version is about that version", nil},
	{"version-document", "a document named after an API version is about that version", nil},
	{"past-constant", "a constant called old, legacy or former is a name for what was", nil},
	{"past-words", "a line that speaks of what was names it on purpose", nil},
	{"both-names", "a line that names the new one as well tells what became of what, or serves both", nil},
	{"when-words", "a line that tells which version was when names it on purpose", nil},
	{"pinned-link", "a link to a page of a release or a commit leads to what was there", nil},
}

// switchedOff are the guesses that rulesets and options switch off. An unknown
// one is an error that names the nearest.
func switchedOff(opts Options) (map[string]bool, error) {
	off := map[string]bool{}
	known := make([]string, len(Guesses))
	for i, g := range Guesses {
		known[i] = g.ID
	}
	names := opts.Unguessed
	for _, set := range opts.Rulesets {
		names = append(names[:len(names):len(names)], set.Guess.Off...)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			e := &source.Error{Path: "guess", Err: fmt.Errorf("no guess is named %q", name)}
			if near := source.Nearest(name, known); near != "" {
				e.Hint = fmt.Sprintf("did you mean %q?", near)
			}
			return nil, e
		}
		off[name] = true
	}
	return off, nil
}

// guesses says whether a guess is made.
func (m *Migration) guesses(id string) bool { return !m.off[id] }

func (a *analysis) guesses(id string) bool { return !a.off[id] }
