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
	{"snapshot", "a test recorded it, or it is a log"},
	{"proposal", "a proposal has the versions and kinds of its time"},
	{"version-folder", "a folder named after an API version is about that version of its group"},
	{"template-choice", "a template that asks what the cluster serves names the old version on purpose; a renamed group needs review"},
	{"both-names", "a line that names the new group as well says what became of what, or serves both"},
	{"past-name", "a constant called old, legacy or former is a name for what was"},
	{"pinned-link", "a link to a page or a file of a release or a commit leads to what was there"},
	{"when-words", "a line, table or section that says which version was when names it on purpose"},
	{"label-line", "a line about labels, annotations or finalizers names their keys"},
}

// GoHeuristics are those about a kind whose name is one word, or that another API has too,
// in the tree that owns it: its words alone do not decide. Each row names two public projects
// that need it.
var GoHeuristics = []Heuristic{
	{"kind-part", "a Go type that begins with a kind of one word and goes on as no convention does needs review"}, // catalogd, cloudnative-pg
	{"longer-name", "a variable is right as it is where the new name only adds words to the old one"},             // kueue, catalogd
	{"follows-name", "a variable or a test that is named after a renamed name is renamed"},                        // authorino, argo-rollouts
	{"file-comments", "comments and messages of a Go file that uses the type of a kind are about it"},             // kueue, catalogd
	{"crd-descriptions", "the descriptions of a CRD are about its kind"},                                          // kueue, authorino
	{"code-spans", "a kind as code in a document is that of the API"},                                             // catalogd, authorino
	{"log-kinds", "the value of controller or webhook in a log is a kind"},                                        // catalogd, cloudnative-pg
	{"scaffold", "files, roles and phrases that kubebuilder names after a kind are renamed"},                      // kueue, authorino
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
	return slices.Contains(ids(), id)
}

// ids are the ids of all heuristics.
func ids() (list []string) {
	for _, h := range slices.Concat(Heuristics, GoHeuristics) {
		list = append(list, h.ID)
	}
	return list
}

// Off are heuristics that are switched off. An unknown one is an error that names the
// nearest.
func Off(named []string) (map[string]bool, error) {
	off := map[string]bool{}
	for _, id := range named {
		if !isHeuristic(id) {
			e := &source.Error{Path: "heuristics", Err: fmt.Errorf("no heuristic is named %q", id)}
			if near := spelling.Nearest(id, ids()); near != "" {
				e.Hint = fmt.Sprintf("did you mean %q?", near)
			}
			return nil, e
		}
		off[id] = true
	}
	return off, nil
}
