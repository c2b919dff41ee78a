package author

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/report"
)

// maxLooked is the size of a file, in bytes, above which init does not read it.
// A CRD with several Pod templates has 1.5 MB of YAML.
const maxLooked = 4 << 20

// maxOwn is how many groups a repository may define to have a hint, and how many are printed.
const maxOwn = 6

// A Project is what the files of a repository say about it.
type Project struct {
	domains   []string          // of PROJECT files
	Bundle    string            // a file of an OLM bundle; empty = there is none
	Workflows []string          // release workflows that can be started, by path
	defined   map[string]*group // groups of the resource definitions
}

var domainOf = lazyregexp.New(`(?m)^domain: *["']?([a-z0-9.-]+)`)

// read takes what PROJECT, a bundle or a workflow says.
func (r *Project) read(name string, data []byte) {
	switch base := path.Base(name); {
	case base == "PROJECT":
		if m := domainOf.FindSubmatch(data); m != nil {
			r.domains = append(r.domains, string(m[1]))
		}
	case path.Dir(name) == ".github/workflows":
		if strings.Contains(strings.ToLower(base), "release") && bytes.Contains(data, []byte("workflow_dispatch")) {
			r.Workflows = append(r.Workflows, name)
		}
	case strings.HasSuffix(name, ".clusterserviceversion.yaml") && (r.Bundle == "" || name < r.Bundle):
		r.Bundle = name
	}
}

// project is what the tree says of the repository. The groups are printed to p.
func (v *inventory) project(p report.Progress) *Project {
	r := &v.about
	slices.Sort(r.Workflows)
	r.defined = maps.Clone(v.groups)
	maps.DeleteFunc(r.defined, func(_ string, g *group) bool { return g.crd == "" })
	if len(r.defined) == 0 { // a library of types
		r.defined = maps.Clone(v.groups)
		maps.DeleteFunc(r.defined, func(_ string, g *group) bool { return g.code == "" })
	}
	names := r.own()
	for _, name := range slices.Sorted(maps.Keys(r.defined)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if i == maxOwn {
			p.Note("and %d more, of which a CRD is here", len(names)-i)
			break
		}
		g := r.defined[name]
		kinds := slices.Sorted(maps.Keys(g.kinds))
		if n := len(kinds) - mostKinds; n > 0 {
			kinds = append(kinds[:mostKinds], fmt.Sprintf("%d more", n))
		}
		p.Note("group %s: %s, first in %s", name, cmp.Or(strings.Join(kinds, ", "), "types of Go"), cmp.Or(g.crd, g.code))
	}
	return r
}

// mostKinds is how many kinds of a group are printed.
const mostKinds = 6

// own are the groups of this repository: those of its domain, or all of few. Many groups are
// copies of other projects' CRDs.
func (r *Project) own() []string {
	if len(r.domains) == 0 && len(r.defined) > maxOwn {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.defined)), func(group string) bool {
		return len(r.domains) > 0 && !slices.ContainsFunc(r.domains, func(domain string) bool { return group == domain || strings.HasSuffix(group, "."+domain) })
	})
}

// next is how the rename of a group of the repository begins, where it has one.
func (r *Project) next() string {
	group, from := "a group", "GROUP"
	switch own := r.own(); len(own) {
	case 0:
		return "cfctl migrate rules list"
	case 1:
		group, from = own[0], own[0]
	}
	return "to rename " + group + ": cfctl migrate rules new --from " + from + " --to GROUP hack/rules.yaml"
}
