package author

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

// maxNamed is how many names a hint lists at most.
const maxNamed = 8

// hint says which group was meant by name, or which there are.
func (v *inventory) hint(name string) string {
	all := v.names()
	if len(all) == 0 {
		return "run it in the repository that defines the group or has objects of it"
	}
	if near := spelling.Nearest(name, all); near != "" {
		return "did you mean " + near + "?"
	}
	return "the API groups of this repository are " + some(all)
}

// absent is the error for a group, or a version or kind of it, to which nothing
// here refers.
func (d *draft) absent() error {
	g := d.inventory.groups[d.From]
	if g == nil {
		return source.Hinted(fmt.Errorf("nothing in this repository refers to the API group %s", d.From), d.inventory.hint(d.From))
	}
	hint := "git grep " + d.From
	for _, kind := range slices.Sorted(maps.Keys(d.Kinds)) {
		known := slices.DeleteFunc(slices.Sorted(maps.Keys(g.kinds)), func(x string) bool { return x == kind })
		if near := spelling.Nearest(kind, known); near != "" {
			hint = "did you mean " + near + "?"
		} else if len(known) > 0 {
			hint = "its kinds here are " + some(known)
		}
	}
	what := append(slices.Sorted(maps.Keys(d.Kinds)), slices.Sorted(maps.Keys(d.Versions))...)
	return source.Hinted(fmt.Errorf("nothing in this repository refers to %s of %s", strings.Join(what, ", "), d.From), hint)
}

// some is a list of names for a hint.
func some(names []string) string {
	list := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if len(names) > maxNamed {
		list += " and others"
	}
	return list
}
