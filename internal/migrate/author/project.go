package author

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/report"
)

// maxLooked is the size of a file, in bytes, above which init does not read it.
// A CRD with several Pod templates has 1.5 MB of YAML.
const maxLooked = 4 << 20

// maxOwn is how many groups and charts of a project are listed at most.
const maxOwn = 6

// A Project is what the files of a repository say about it.
type Project struct {
	module    string            // of go.mod
	domain    string            // of PROJECT; empty = it has none
	resources int               // of PROJECT
	charts    map[string]string // what is shown of each Helm chart, by path
	Bundle    string            // a file of an OLM bundle; empty = there is none
	Workflows []string          // release workflows that can be started, by path
	defined   map[string]*group // groups of the resource definitions
}

// read takes what PROJECT, go.mod, a chart, a bundle or a workflow says.
func (r *Project) read(name string, data []byte) {
	switch base := path.Base(name); {
	case name == "PROJECT":
		var doc struct {
			Domain    string      `yaml:"domain"`
			Resources []yaml.Node `yaml:"resources"`
		}
		if yaml.Unmarshal(data, &doc) == nil {
			r.domain, r.resources = doc.Domain, len(doc.Resources)
		}
	case name == modFile:
		r.module = modfile.ModulePath(data)
	case base == "Chart.yaml":
		var doc struct {
			Name    string `yaml:"name"`
			Version string `yaml:"version"`
		}
		if yaml.Unmarshal(data, &doc) == nil && doc.Name != "" {
			r.charts[name] = fmt.Sprintf("chart: %s %s, by %s", doc.Name, doc.Version, name)
		}
	case path.Dir(name) == ".github/workflows":
		if strings.Contains(strings.ToLower(base), "release") && bytes.Contains(data, []byte("workflow_dispatch")) {
			r.Workflows = append(r.Workflows, name)
		}
	case strings.HasSuffix(name, ".clusterserviceversion.yaml") && (r.Bundle == "" || name < r.Bundle):
		r.Bundle = name
	}
}

const modFile = "go.mod"

// project is what the tree says of the repository. Its findings are printed to p.
func (v *inventory) project(p report.Progress) *Project {
	r := &v.about
	slices.Sort(r.Workflows)
	if r.domain != "" {
		p.Note("project: domain %s, %s, by PROJECT", r.domain, report.Plural(r.resources, "resource"))
	}
	if r.module != "" {
		p.Note("module: %s, by go.mod", r.module)
	}
	charts := slices.Sorted(maps.Keys(r.charts))
	for _, name := range charts[:min(len(charts), maxOwn)] {
		p.Note("%s", r.charts[name])
	}
	if n := len(charts) - maxOwn; n > 0 {
		p.Note("chart: %d more", n)
	}
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
	own := func(group string) bool { return group == r.domain || strings.HasSuffix(group, "."+r.domain) }
	if r.domain == "" && len(r.defined) > maxOwn {
		return ""
	}
	for _, group := range slices.Sorted(maps.Keys(r.defined)) {
		if r.domain != "" && !own(group) {
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
