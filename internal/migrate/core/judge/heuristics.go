package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

// A Heuristic is a row that decides by the words around a place or by the path of its
// file. It can be switched off.
type Heuristic struct {
	ID  string
	Doc string // what is kept, and why
}

// Heuristics are all heuristics.
var Heuristics = []Heuristic{
	{"change-log", "documents named CHANGELOG, HISTORY, NEWS and the like say what was"},
	{"guide", "guides from one version to another, and dated posts, name the old API on purpose"},
	{"log-folder", "documents in folders of release notes, changelogs or blogs say what was"},
	{"released-folder", "a folder named after a released version holds what was released"},
	{"released-file", "a file named after a released version is of that release"},
	{"snapshot", "a test recorded it, and records it again"},
	{"proposal", "a proposal has the version of its time"},
	{"version-folder", "a folder named after an API version is about that version of its group"},
	{"template-choice", "a template that asks what the cluster serves names the old version on purpose; a renamed group needs review"},
	{"both-names", "a line that names the new group as well says what became of what, or serves both"},
	{"past-name", "a constant called old, legacy or former is a name for what was"},
	{"pinned-link", "a link to a page or a file of a release or a commit leads to what was there"},
	{"when-words", "a line or table that says which version was when names it on purpose"},
	{"label-line", "a line about labels, annotations or finalizers names their keys"},
}

// HeuristicOf is the id of the heuristic that decided, by the id of a row or reason; ""
// where none did.
func HeuristicOf(row string) string {
	id := strings.TrimSuffix(row, "-text")
	if !isHeuristic(id) {
		return ""
	}
	return id
}

func isHeuristic(id string) bool {
	return slices.ContainsFunc(Heuristics, func(h Heuristic) bool { return h.ID == id })
}

// Off are heuristics that are switched off. An unknown one is an error that names the
// nearest.
func Off(ids []string) (map[string]bool, error) {
	off := map[string]bool{}
	for _, id := range ids {
		if !isHeuristic(id) {
			e := &source.Error{Path: "heuristics", Err: fmt.Errorf("no heuristic is named %q", id)}
			var known []string
			for _, h := range Heuristics {
				known = append(known, h.ID)
			}
			if near := spelling.Nearest(id, known); near != "" {
				e.Hint = fmt.Sprintf("did you mean %q?", near)
			}
			return nil, e
		}
		off[id] = true
	}
	return off, nil
}
