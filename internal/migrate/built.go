package migrate

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
)

// movedIn are the constants of a Go file that have a new group already.
func (x *reading) movedIn(name string, data []byte) (list []core.Constant) {
	if x.concord == nil || x.opts.Dual || path.Ext(name) != ".go" || !x.concord.fresh.Match(data) {
		return nil
	}
	for _, now := range x.concord.needles {
		for _, old := range x.concord.pairs[now] {
			list = append(list, core.Moved(x.placeOf(name), data, now, old)...)
		}
	}
	return list
}

// builds asks for the keys and longer names that Go code builds of the groups of other files:
// those of other packages, and those of its own.
func (x *reading) builds(read []*core.File) []inquiry {
	list := slices.Clone(x.moved)
	for _, f := range read {
		list = append(list, f.Constants()...)
	}
	imported, own := map[string][]core.Constant{}, map[string][]core.Constant{} // by the end of the path of their package; by its folder
	qualified, plain := map[string]bool{}, map[string]bool{}
	for _, k := range list {
		end := core.PackageEnd(k.Dir())
		imported[end], own[k.Dir()] = append(imported[end], k), append(own[k.Dir()], k)
		qualified["."+k.Name], plain[k.Name] = true, true
	}
	var all, near []string
	for _, name := range x.sources.all {
		if len(list) > 0 && !strings.HasSuffix(name, "_test.go") {
			all = append(all, name)
			if own[path.Dir(x.placeOf(name))] != nil {
				near = append(near, name)
			}
		}
	}
	ask := func(names map[string]bool, among []string, of func(name string, data []byte) []core.Constant, qualified bool) inquiry {
		return inquiry{search{needles: slices.Sorted(maps.Keys(names)), among: among}, func(name string, data []byte) {
			if list := of(name, data); len(list) > 0 {
				x.file(name, data, func(f *core.File) bool { return x.core.Builds(f, data, list, qualified) })
			}
		}}
	}
	return []inquiry{
		ask(qualified, all, func(_ string, data []byte) (list []core.Constant) {
			for _, end := range core.ImportEnds(data) {
				list = append(list, imported[end]...)
			}
			return list
		}, true),
		ask(plain, near, func(name string, _ []byte) []core.Constant {
			return core.OfOthers(own[path.Dir(x.placeOf(name))], x.placeOf(name))
		}, false),
	}
}
