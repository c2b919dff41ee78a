package author

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

// maxNamed is how many names a hint lists at most.
const maxNamed = 8

// absent is the error for a group, or a version or kind of it, to which nothing
// here refers.
func (d *draft) absent() error {
	g := d.inventory.groups[d.From]
	if g == nil {
		hint := meant(d.From, d.inventory.names(), "the API groups of this repository are ")
		return source.Hinted(fmt.Errorf("nothing in this repository refers to the API group %s", d.From), cmp.Or(hint, "run it in the repository that defines the group or has objects of it"))
	}
	hint := "git grep " + d.From
	for _, kind := range slices.Sorted(maps.Keys(d.Kinds)) {
		known := slices.DeleteFunc(slices.Sorted(maps.Keys(g.kinds)), func(x string) bool { return x == kind })
		hint = cmp.Or(meant(kind, known, "its kinds here are "), hint)
	}
	what := append(slices.Sorted(maps.Keys(d.Kinds)), slices.Sorted(maps.Keys(d.Versions))...)
	return source.Hinted(fmt.Errorf("nothing in this repository refers to %s of %s", strings.Join(what, ", "), d.From), hint)
}

// meant is a hint which of some names was meant, or which there are; "" where there are none.
func meant(name string, all []string, these string) string {
	if near := spelling.Nearest(name, all); near != "" {
		return "did you mean " + near + "?"
	}
	if len(all) == 0 {
		return ""
	}
	return these + some(all)
}

// some is a list of names for a hint.
func some(names []string) string {
	list := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if len(names) > maxNamed {
		list += " and others"
	}
	return list
}
