package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// maxLooked is the size of a file, in bytes, above which init does not look for
// what it is.
const maxLooked = 1 << 20

// maxMoving is how many groups a project has of its own at most.
const maxMoving = 6

var notLooked = []string{".git", "vendor", "node_modules", "testdata"}

// A project is what a repository says of itself.
type project struct {
	domain string              // of PROJECT; empty = it has none
	groups map[string][]string // kinds of the resource definitions, by group
	where  map[string]string   // the first file of each group
	bundle string              // a file of an OLM bundle; empty = there is none
	flows  []string            // release workflows that can be started, by path
}

// look reads PROJECT, go.mod, charts, resource definitions, bundles and
// workflows, and says what it finds.
func look(t *terminal, root *source.Root) (*project, error) {
	p := &project{groups: map[string][]string{}, where: map[string]string{}}
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
		p.file(t, tree, name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, group := range slices.Sorted(maps.Keys(p.groups)) {
		slices.Sort(p.groups[group])
		p.groups[group] = slices.Compact(p.groups[group])
		t.note("group %s: %s, first in %s", group, strings.Join(p.groups[group], ", "), p.where[group])
	}
	return p, nil
}

// file looks at one file. What cannot be read says nothing.
func (p *project) file(t *terminal, tree fs.FS, name string) {
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
		p.domain = sayProject(t, read())
	case name == "go.mod":
		if module := modfile.ModulePath(read()); module != "" {
			t.note("module: %s, by go.mod", module)
		}
	case base == "Chart.yaml":
		sayChart(t, name, read())
	case ext != ".yaml" && ext != ".yml":
	case path.Dir(name) == ".github/workflows":
		if strings.Contains(strings.ToLower(base), "release") && bytes.Contains(read(), []byte("workflow_dispatch")) {
			p.flows = append(p.flows, name)
		}
	default:
		p.manifest(name, read())
	}
}

// manifest takes the definitions of a file, and notes a bundle.
func (p *project) manifest(name string, data []byte) {
	if strings.HasSuffix(name, ".clusterserviceversion.yaml") && p.bundle == "" {
		p.bundle = name
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
			p.groups[doc.Spec.Group] = append(p.groups[doc.Spec.Group], doc.Spec.Names.Kind)
			if p.where[doc.Spec.Group] == "" {
				p.where[doc.Spec.Group] = name
			}
		}
	}
}

// sayProject tells what kubebuilder's PROJECT says, and returns its domain.
func sayProject(t *terminal, data []byte) string {
	var doc struct {
		Domain    string      `yaml:"domain"`
		Resources []yaml.Node `yaml:"resources"`
	}
	if yaml.Unmarshal(data, &doc) == nil && doc.Domain != "" {
		t.note("project: domain %s, %s, by PROJECT", doc.Domain, plural(len(doc.Resources), "resource"))
	}
	return doc.Domain
}

func sayChart(t *terminal, name string, data []byte) {
	var doc struct {
		Name    string `yaml:"name"`
		Version string `yaml:"version"`
	}
	if yaml.Unmarshal(data, &doc) == nil && doc.Name != "" {
		t.note("chart: %s %s, by %s", doc.Name, doc.Version, name)
	}
}

// moving says, as comments, how the groups of this repository would move: those
// of its domain, or all of few. Many groups are other people's definitions.
func (p *project) moving() string {
	var b strings.Builder
	own := func(group string) bool { return group == p.domain || strings.HasSuffix(group, "."+p.domain) }
	if p.domain == "" && len(p.groups) > maxMoving {
		return ""
	}
	for _, group := range slices.Sorted(maps.Keys(p.groups)) {
		if p.domain != "" && !own(group) {
			continue
		}
		fmt.Fprintf(&b, "  # When %s moves: cfctl migrate rules new --from %s --to GROUP hack/rules.yaml\n", group, group)
	}
	return b.String()
}

// placesOf are the places where versions of the stack stand in the tree, beside
// the table. What has none, and what could not be read, is said.
func placesOf(t *terminal, tree fs.FS, s *stack.Stack) (string, error) {
	v, err := s.Search(tree)
	if err != nil {
		return "", err
	}
	now, err := matrix.Current(s, tree)
	if err != nil {
		return "", err
	}
	v.Settle(now)
	found, err := s.Undeclared(tree, v, "")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, f := range found {
		t.note("place: %s:%d: %s of %s (%s)", f.Path, f.Pos.Line, f.Text, f.Component.Name, f.Evidence)
		fmt.Fprintf(&b, "    - %s # %s\n", f.Declaration(), strings.Map(printable, f.Evidence))
	}
	for _, f := range firstOfEach(v.Others) {
		t.note("place: not proposed, since it says another version: %s:%d: %s of %s (%s)", f.Path, f.Pos.Line, f.Text, f.Component.Name, f.Evidence)
	}
	for _, c := range v.Missing {
		if c.Name != s.Root {
			t.note("place: none of %s was found beside the table", c.Name)
		}
	}
	for _, err := range v.Unread {
		t.note("place: not read: %v", err)
	}
	return b.String(), nil
}

// firstOfEach is the first sighting of each version of each component.
func firstOfEach(list []stack.Sighting) []stack.Sighting {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(f stack.Sighting) bool {
		key := f.Component.Name + " " + f.Version
		again := seen[key]
		seen[key] = true
		return again
	})
}

var dispatchName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// skeleton is the section release of a stack whose root is this repository: what
// the repository says stands, what only a person knows is a comment. Without a
// release tag, or the root's repository, there is none.
func skeleton(t *terminal, s *stack.Stack, p *project, tags []git.Ref) string {
	root, ok := s.Component(s.Root)
	last, n := "", 0
	for _, tag := range tags {
		if strings.HasPrefix(tag.Name, "v") && semver.IsValid(tag.Name) {
			n++
			if semver.Prerelease(tag.Name) == "" && semver.Compare(tag.Name, last) > 0 {
				last = tag.Name
			}
		}
	}
	if !ok || root.Repository == "" || last == "" {
		return ""
	}
	t.note("release: of %s, by %s, the last %s", root.Name, plural(n, "release tag"), last)
	var b strings.Builder
	fmt.Fprintf(&b, "\n# How %s is released (docs/release.md); cfctl release plan VERSION shows it. What only\n# you know is a comment.\nrelease:\n  components:\n    - {name: %s} # a tag is the release, the last one was %s\n", root.Name, strict.Scalar(root.Name), last)
	for _, c := range s.Components {
		if c.Name != root.Name {
			fmt.Fprintf(&b, "    # - {name: %s} # when it is released together with %s\n", strict.Scalar(c.Name), root.Name)
		}
	}
	for _, flow := range p.flows {
		if base := path.Base(flow); dispatchName.MatchString(base) {
			t.note("release: %s can be started", flow)
			fmt.Fprintf(&b, "    # when it is %s that makes the release:\n    # - {name: %s, by: workflow, workflow: %s, inputs: {version: \"{version}\"}}\n", base, strict.Scalar(root.Name), strict.Scalar(base))
		}
	}
	if root.Image.Repository == "" {
		b.WriteString("  stable: \"-\" # no image is declared whose stable tag would be moved\n")
	}
	if p.bundle != "" {
		t.note("release: a bundle for OLM, %s", p.bundle)
		b.WriteString("  # catalog: {repository: k8s-operatorhub/community-operators, fork: OWNER/community-operators, path: operators/NAME}\n")
	}
	b.WriteString("  # announce: {slack: true} # the webhook is in $CFCTL_SLACK_WEBHOOK\n")
	b.WriteString("  # approvals: [{name: publish, before: [" + strict.Scalar("tag:"+root.Name) + "]}]\n")
	return b.String()
}
