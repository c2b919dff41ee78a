package author

import (
	"bytes"
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

// maxOwn is how many groups a repository may define to have a hint for each.
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
	for _, name := range slices.Sorted(maps.Keys(r.defined)) {
		g := r.defined[name]
		p.Note("group %s: %s, first in %s", name, strings.Join(slices.Sorted(maps.Keys(g.kinds)), ", "), g.crd)
	}
	return r
}

// renames says, as comments, how the groups of this repository are renamed: those
// of its domain, or all of few. Many groups are copies of other projects' CRDs.
func (r *Project) renames() string {
	var b strings.Builder
	if len(r.domains) == 0 && len(r.defined) > maxOwn {
		return ""
	}
	for _, group := range slices.Sorted(maps.Keys(r.defined)) {
		own := func(domain string) bool { return group == domain || strings.HasSuffix(group, "."+domain) }
		if len(r.domains) > 0 && !slices.ContainsFunc(r.domains, own) {
			continue
		}
		fmt.Fprintf(&b, "  # To rename %s: cfctl migrate rules new --from %s --to GROUP hack/rules.yaml\n", group, group)
	}
	return b.String()
}

// next is the command that begins the rename of the repository's group, where it
// has one.
func (r *Project) next() string {
	for group := range r.defined {
		if len(r.defined) == 1 {
			return "to rename " + group + ": cfctl migrate rules new --from " + group + " --to GROUP hack/rules.yaml"
		}
	}
	return "cfctl migrate rules list"
}
