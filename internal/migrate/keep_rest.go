package migrate

import (
	"path"
	"slices"
	"strings"
)

// An old repository switches a gate on by acknowledging what remains, in the configuration.

// KeepRest are the entries of the configuration that acknowledge everything that a plan
// leaves, with a reason of one line, and the number of places that they are for.
func (p *Plan) KeepRest(why string) (keep []Keep, places int) {
	for _, f := range p.Files {
		values := f.left()
		places += len(values)
		for _, value := range values {
			k := Keep{Path: "/" + escapeGlob.Replace(f.placeIn()), Value: value, Why: why}
			if !slices.Contains(keep, k) {
				keep = append(keep, k)
			}
		}
	}
	return keep, places
}

// left are the spellings that remain of a file; an empty one is the file as a whole.
func (f *File) left() (values []string) {
	if f.Skip != nil {
		if f.Fault {
			return nil
		}
		return []string{""}
	}
	for _, s := range f.Sites {
		if s.Action() != Stay && s.Old != Suppression {
			values = append(values, s.Old)
		}
	}
	if len(values) == 0 && f.Changes() { // its name alone, or the one that comes beside it
		values = []string{path.Base(f.Path)}
	}
	return values
}

// escapeGlob makes of a path the glob of itself.
var escapeGlob = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
