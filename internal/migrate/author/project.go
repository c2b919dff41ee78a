package author

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// maxLooked is the size of a file, in bytes, above which init does not read it.
// A CRD with several Pod templates has 1.5 MB of YAML.
const maxLooked = 4 << 20

// maxOwn is how many groups and charts of a project are listed at most.
const maxOwn = 6

var notLooked = []string{".git", "vendor", "cue.mod", "node_modules"}

// A Project is what the files of a repository say about it.
type Project struct {
	domain    string              // of PROJECT; empty = it has none
	charts    []string            // what is shown of each Helm chart
	groups    map[string][]string // kinds of the resource definitions, by group
	where     map[string]string   // the first file of each group
	Bundle    string              //  a file of an OLM bundle; empty = there is none
	Workflows []string            // release workflows that can be started, by path
}

// look reads PROJECT, go.mod, charts, resource definitions, bundles and
// workflows, and notes what it finds.
func look(root *source.Root, p report.Progress) (*Project, error) {
	r := &Project{groups: map[string][]string{}, where: map[string]string{}}
	tree := root.FS()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains(notLooked, d.Name()) || slices.Contains(testFolders, d.Name())):
			return fs.SkipDir
		case d.IsDir() || !d.Type().IsRegular():
			return nil
		}
		r.file(p, tree, name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, line := range r.charts[:min(len(r.charts), maxOwn)] {
		p.Note("%s", line)
	}
	if n := len(r.charts) - maxOwn; n > 0 {
		p.Note("chart: %d more", n)
	}
	for _, group := range slices.Sorted(maps.Keys(r.groups)) {
		slices.Sort(r.groups[group])
		r.groups[group] = slices.Compact(r.groups[group])
		p.Note("group %s: %s, first in %s", group, strings.Join(r.groups[group], ", "), r.where[group])
	}
	return r, nil
}

// file reads one file. What cannot be read is left out.
func (r *Project) file(p report.Progress, tree fs.FS, name string) {
	read := func() []byte {
		if info, err := fs.Stat(tree, name); err != nil || info.Size() > maxLooked {
			return nil
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return nil
		}
		return data
	}
	switch base, ext := path.Base(name), path.Ext(name); {
	case name == "PROJECT":
		r.domain = sayProject(p, read())
	case name == "go.mod":
		if module := modfile.ModulePath(read()); module != "" {
			p.Note("module: %s, by go.mod", module)
		}
	case base == "Chart.yaml":
		r.chart(name, read())
	case ext != ".yaml" && ext != ".yml":
	case path.Dir(name) == ".github/workflows":
		if strings.Contains(strings.ToLower(base), "release") && bytes.Contains(read(), []byte("workflow_dispatch")) {
			r.Workflows = append(r.Workflows, name)
		}
	default:
		r.manifest(name, read())
	}
}

// manifest takes the definitions of a file, and notes a bundle.
func (r *Project) manifest(name string, data []byte) {
	if strings.HasSuffix(name, ".clusterserviceversion.yaml") && r.Bundle == "" {
		r.Bundle = name
	}
	if isTestData(name) {
		return
	}
	for _, d := range definitions(data) {
		r.groups[d.group] = append(r.groups[d.group], d.kind)
		if r.where[d.group] == "" {
			r.where[d.group] = name
		}
	}
}

// sayProject tells what kubebuilder's PROJECT says, and returns its domain.
func sayProject(p report.Progress, data []byte) string {
	var doc struct {
		Domain    string      `yaml:"domain"`
		Resources []yaml.Node `yaml:"resources"`
	}
	if yaml.Unmarshal(data, &doc) == nil && doc.Domain != "" {
		p.Note("project: domain %s, %s, by PROJECT", doc.Domain, report.Plural(len(doc.Resources), "resource"))
	}
	return doc.Domain
}

// chart notes one Helm chart.
func (r *Project) chart(name string, data []byte) {
	var doc struct {
		Name    string `yaml:"name"`
		Version string `yaml:"version"`
	}
	if yaml.Unmarshal(data, &doc) == nil && doc.Name != "" {
		r.charts = append(r.charts, fmt.Sprintf("chart: %s %s, by %s", doc.Name, doc.Version, name))
	}
}

// renames says, as comments, how the groups of this repository are renamed: those
// of its domain, or all of few. Many groups are copies of other projects' CRDs.
func (r *Project) renames() string {
	var b strings.Builder
	own := func(group string) bool { return group == r.domain || strings.HasSuffix(group, "."+r.domain) }
	if r.domain == "" && len(r.groups) > maxOwn {
		return ""
	}
	for _, group := range slices.Sorted(maps.Keys(r.groups)) {
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
	for group := range r.groups {
		if len(r.groups) == 1 {
			return "to rename " + group + ": cfctl migrate rules new --from " + group + " --to GROUP hack/rules.yaml"
		}
	}
	return "cfctl migrate rules list"
}
