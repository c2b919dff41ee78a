package migrate

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
)

// A builder asks for what code builds of the constants that hold groups: keys of labels, longer names.
type builder struct{ *reading }

// movedIn are the constants of a file of code that have a new group already.
func (x *reading) movedIn(name string, data []byte) []core.Constant {
	if x.concord == nil || x.opts.Dual || !core.Importable(path.Ext(name)) || !x.concord.fresh.Match(data) {
		return nil
	}
	return x.core.Moved(x.placeOf(name), data, func(group string) []string {
		if slices.Contains(x.concord.needles, group) {
			return x.concord.pairs[group]
		}
		return nil
	})
}

// users are the files with an extension, tests in Go apart, that may use one of some constants:
// where all of these have "group" in their names, those with that word.
func (x builder) users(ext string, list []core.Constant) []string {
	files := x.sources.grouping
	if slices.ContainsFunc(list, func(k core.Constant) bool {
		return !strings.Contains(k.Name, "roup") && !strings.Contains(k.Name, "ROUP")
	}) {
		files = slices.Concat(x.sources.all, x.sources.others)
	}
	return slices.DeleteFunc(slices.Clone(files), func(name string) bool { return path.Ext(name) != ext || strings.HasSuffix(name, "_test.go") })
}

// inquiries ask for what code builds of the constants of other files: Go code
// of other packages and of its own, code of other languages of files that it names.
func (x builder) inquiries(read []*core.File) (asked []inquiry) {
	byExt := map[string][]core.Constant{}
	for _, k := range x.moved {
		byExt[k.Ext()] = append(byExt[k.Ext()], k)
	}
	for _, f := range read {
		if ext := path.Ext(f.Path); core.Importable(ext) {
			byExt[ext] = append(byExt[ext], f.Constants()...)
		}
	}
	for _, ext := range slices.Sorted(maps.Keys(byExt)) {
		list := byExt[ext]
		among := x.users(ext, list)
		if ext == ".go" {
			asked = append(asked, x.inGo(list, among)...)
		} else {
			asked = append(asked, x.inquiry(list, "", among, false, core.ModulesOf(list).In))
		}
	}
	return asked
}

// inGo asks for what files of other packages, and of the same one, build of constants of Go code.
func (x builder) inGo(list []core.Constant, among []string) []inquiry {
	imported, own := map[string][]core.Constant{}, map[string][]core.Constant{} // by the end of the path of their package, by its folder
	for _, k := range list {
		imported[core.PackageEnd(k.Dir())] = k.AddTo(imported[core.PackageEnd(k.Dir())])
		own[k.Dir()] = k.AddTo(own[k.Dir()])
	}
	near := slices.DeleteFunc(slices.Clone(among), func(name string) bool { return own[path.Dir(x.placeOf(name))] == nil })
	return []inquiry{
		x.inquiry(list, ".", among, true, func(_ string, data []byte) (of []core.Constant) {
			for _, end := range core.ImportEnds(data) {
				of = append(of, imported[end]...)
			}
			return of
		}),
		x.inquiry(list, "", near, false, func(name string, _ []byte) []core.Constant { return core.OfOthers(own[path.Dir(name)], name) }),
	}
}

// inquiry asks for what some files build of the constants that they may use, by their places.
func (x builder) inquiry(list []core.Constant, before string, among []string, qualified bool, of func(place string, data []byte) []core.Constant) inquiry {
	names := map[string]bool{}
	for _, k := range list {
		names[before+k.Name] = true
	}
	return inquiry{search{needles: slices.Sorted(maps.Keys(names)), among: among}, func(name string, data []byte) {
		if list := of(x.placeOf(name), data); len(list) > 0 {
			x.file(name, data, func(f *core.File) bool { return x.core.Builds(f, data, list, qualified) })
		}
	}}
}
