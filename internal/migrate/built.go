package migrate

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
)

// movedIn are the constants of a file of code that have a new group already.
func (x *reading) movedIn(name string, data []byte) (list []core.Constant) {
	if x.concord == nil || x.opts.Dual || !core.IsCode(path.Ext(name)) || !x.concord.fresh.Match(data) {
		return nil
	}
	for _, now := range x.concord.needles {
		for _, old := range x.concord.pairs[now] {
			list = append(list, x.core.Moved(x.placeOf(name), data, now, old)...)
		}
	}
	return list
}

// builds asks for the keys and longer names that code builds of the groups of other files: Go code
// of those of other packages, and of its own, code of other languages of those of files that it names.
func (x *reading) builds(read []*core.File) (asked []inquiry) {
	list := slices.Clone(x.moved)
	for _, f := range read {
		if core.IsCode(path.Ext(f.Path)) {
			list = append(list, f.Constants()...)
		}
	}
	imported, own, modules := map[string][]core.Constant{}, map[string][]core.Constant{}, map[string][]core.Constant{} // by the end of the path of their package; by its folder; by their languages
	qualified, plain := map[string]bool{}, map[string]bool{}
	for _, k := range list {
		if ext := k.Ext(); ext != ".go" {
			modules[ext] = append(modules[ext], k)
			continue
		}
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
	ask := func(names map[string]bool, among []string, of func(name string, data []byte) []core.Constant, qualified bool) {
		asked = append(asked, inquiry{search{needles: slices.Sorted(maps.Keys(names)), among: among}, func(name string, data []byte) {
			if list := of(name, data); len(list) > 0 {
				x.file(name, data, func(f *core.File) bool { return x.core.Builds(f, data, list, qualified) })
			}
		}})
	}
	ask(qualified, all, func(_ string, data []byte) (list []core.Constant) {
		for _, end := range core.ImportEnds(data) {
			list = append(list, imported[end]...)
		}
		return list
	}, true)
	ask(plain, near, func(name string, _ []byte) []core.Constant {
		return core.OfOthers(own[path.Dir(x.placeOf(name))], x.placeOf(name), nil)
	}, false)
	for ext, list := range modules {
		names := map[string]bool{}
		for _, k := range list {
			names[k.Name] = true
		}
		among := slices.DeleteFunc(strings.Split(string(x.sources.others), "\x00"), func(name string) bool { return path.Ext(name) != ext })
		ask(names, among, func(name string, data []byte) []core.Constant { return core.OfOthers(list, x.placeOf(name), data) }, false)
	}
	return asked
}
