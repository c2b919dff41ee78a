package migrate

import (
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/ignore"
)

// What is left goes away when it is done, or when the user accepts it: by
// a comment where it is, or in the configuration of the tree, for what has
// no place for a comment.

// Keeps are the acknowledgements of a configuration, the first that fits counts.
type Keeps []Keep

// A Keep is one acknowledgement of the configuration: what is in the files
// of a path stays.
type Keep struct {
	Path  string `yaml:"path"`  // glob of files, from the top of the work tree; ** crosses folders
	Value string `yaml:"value"` // the spelling that stays; empty = whatever the files hold
	Why   string `yaml:"why"`   // the reason
}

// Suppression is the mark that keeps the sites of its line, or of the next line when it is alone.
const Suppression = core.Suppression

// Of is the acknowledgement of a spelling of a file; an empty spelling is
// for the file as a whole. Place is the path of the file from the top of the
// work tree.
func (k Keeps) Of(place, spelling string) (Keep, bool) {
	for _, x := range k {
		if (x.Value == "" || x.Value == spelling) && (x.Path == "" || matchPath(x.Path, place)) {
			return x, true
		}
	}
	return Keep{}, false
}

// Reason is why something stays that the configuration acknowledges.
func (k Keep) Reason() string {
	if k.Why == "" {
		return keptByConfig
	}
	return keptByConfig + ": " + k.Why
}

// keptByConfig are the words for what the configuration keeps, before its reason.
const keptByConfig = "kept by the configuration"

// acknowledge is what becomes of sites of a file that were found after it was read, as
// its comments and the configuration have them, and the comments that keep some of them.
func (m *Migration) acknowledge(data []byte, place string, list []Site) (kept []Site, used []source.Span) {
	k := m.core.Keeper(place, data)
	return k.Keep(list), k.Marked(true)
}

// add adds sites that were found after the comments of a file were read.
func (f *File) add(data []byte, list ...Site) {
	list, marks := f.m.acknowledge(data, f.placeIn(), list)
	f.Sites = append(slices.DeleteFunc(f.Sites, func(x Site) bool { return x.Old == Suppression && slices.Contains(marks, x.Span) }), list...)
}

// globs are the patterns of paths that the configuration and rulesets have, by their text.
var globs sync.Map

// matchPath says whether a glob matches a path.
func matchPath(glob, name string) bool {
	if same, plain := samePath(glob, name); plain {
		return same
	}
	g, ok := globs.Load(glob)
	if !ok {
		g, _ = globs.LoadOrStore(glob, ignore.NewGlobs([]string{glob}))
	}
	return g.(*ignore.Globs).Match(name)
}

// samePath compares a path with a glob from the top up to the first special character of the
// glob. It is plain where that decides: --keep-rest writes thousands of such paths.
func samePath(glob, name string) (same, plain bool) {
	glob, plain = strings.CutPrefix(glob, "/")
	if !plain || strings.HasSuffix(glob, "/") {
		return false, false
	}
	for i := range len(glob) {
		switch c := glob[i]; {
		case strings.IndexByte("*?[!\\ ", c) >= 0:
			return false, false
		case i >= len(name) || name[i] != c:
			return false, true
		}
	}
	return len(name) == len(glob) || name[len(glob)] == '/', true
}
