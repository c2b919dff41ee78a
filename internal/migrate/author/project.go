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

	"github.com/project-codeflare/cfctl/internal/source"
)

// maxLooked is the size of a file, in bytes, above which init does not look for
// what it is.
const maxLooked = 1 << 20

// maxMoving is how many groups a project has of its own at most.
const maxMoving = 6

var notLooked = []string{".git", "vendor", "node_modules", "testdata"}

// A Project is what a repository says of itself.
type Project struct {
	domain    string              // of PROJECT; empty = it has none
	groups    map[string][]string // kinds of the resource definitions, by group
	where     map[string]string   // the first file of each group
	Bundle    string              //  a file of an OLM bundle; empty = there is none
	Workflows []string            // release workflows that can be started, by path
}

// Look reads PROJECT, go.mod, charts, resource definitions, bundles and
// workflows, and says what it finds.
func Look(root *source.Root, p Progress) (*Project, error) {
	r := &Project{groups: map[string][]string{}, where: map[string]string{}}
	tree := root.FS()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(notLooked, d.Name()):
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
	for _, group := range slices.Sorted(maps.Keys(r.groups)) {
		slices.Sort(r.groups[group])
		r.groups[group] = slices.Compact(r.groups[group])
		p.Note("group %s: %s, first in %s", group, strings.Join(r.groups[group], ", "), r.where[group])
	}
	return r, nil
}

// file looks at one file. What cannot be read says nothing.
func (r *Project) file(p Progress, tree fs.FS, name string) {
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
		sayChart(p, name, read())
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
	if !bytes.Contains(data, []byte("CustomResourceDefinition")) {
		return
	}
	for dec := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var doc struct {
			Kind string `yaml:"kind"`
			Spec struct {
				Group string                `yaml:"group"`
				Names struct{ Kind string } `yaml:"names"`
			} `yaml:"spec"`
		}
		if dec.Decode(&doc) != nil {
			return
		}
		if doc.Kind == "CustomResourceDefinition" && groupName.MatchString(doc.Spec.Group) && kindName.MatchString(doc.Spec.Names.Kind) {
			r.groups[doc.Spec.Group] = append(r.groups[doc.Spec.Group], doc.Spec.Names.Kind)
			if r.where[doc.Spec.Group] == "" {
				r.where[doc.Spec.Group] = name
			}
		}
	}
}

// sayProject tells what kubebuilder's PROJECT says, and returns its domain.
func sayProject(p Progress, data []byte) string {
	var doc struct {
		Domain    string      `yaml:"domain"`
		Resources []yaml.Node `yaml:"resources"`
	}
	if yaml.Unmarshal(data, &doc) == nil && doc.Domain != "" {
		p.Note("project: domain %s, %s, by PROJECT", doc.Domain, plural(len(doc.Resources), "resource"))
	}
	return doc.Domain
}

func sayChart(p Progress, name string, data []byte) {
	var doc struct {
		Name    string `yaml:"name"`
		Version string `yaml:"version"`
	}
	if yaml.Unmarshal(data, &doc) == nil && doc.Name != "" {
		p.Note("chart: %s %s, by %s", doc.Name, doc.Version, name)
	}
}

// moving says, as comments, how the groups of this repository would move: those
// of its domain, or all of few. Many groups are other people's definitions.
func (r *Project) moving() string {
	var b strings.Builder
	own := func(group string) bool { return group == r.domain || strings.HasSuffix(group, "."+r.domain) }
	if r.domain == "" && len(r.groups) > maxMoving {
		return ""
	}
	for _, group := range slices.Sorted(maps.Keys(r.groups)) {
		if r.domain != "" && !own(group) {
			continue
		}
		fmt.Fprintf(&b, "  # When %s moves: cfctl migrate rules new --from %s --to GROUP hack/rules.yaml\n", group, group)
	}
	return b.String()
}
