package author

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// An inventory is which API groups a tree names, which it defines, its ruleset
// files, its Go types, and what Go calls the kinds that were asked for.
type inventory struct {
	mu       sync.Mutex // files are read by several workers
	groups   map[string]*group
	rulesets map[string]string            // path to the first line of a ruleset's doc
	types    map[string]map[string]string // Go types by folder, with file:line
	short    map[string]*abbreviations    // of kinds
	about    Project                      // what the tree says of the repository
}

// A group is an API group that the tree names.
type group struct {
	kinds map[string]string // kinds of its CRDs, with their plurals
	crd   string            // the first file with a CRD of it, by path; empty = the tree defines none
	code  string            // the first Go file with the marker of it; empty = none
	used  bool              // as the apiVersion of an object, a marker or a Go constant
}

var (
	groupUse = lazyregexp.New(`(?m)apiVersion["']?\s*[:=]\s*["']?([a-z0-9][a-z0-9.-]*\.[a-z0-9-]+)/v[0-9]|\+groupName=([a-z0-9][a-z0-9.-]*\.[a-z0-9-]+)|\bGroup(?:Name)?\s*[:=]+\s*"([a-z0-9][a-z0-9.-]*\.[a-z0-9-]+)"`)
	javaKind = lazyregexp.New(`@Group\(\s*"([a-z0-9][a-z0-9.-]*\.[a-z0-9-]+)"(?s:.*?)\bclass\s+([A-Z][A-Za-z0-9]*)`) // of fabric8, which makes its CRD
	goType   = lazyregexp.New(`(?m)^type ([A-Z][A-Za-z0-9]*) [^\[]`)                                                 // a list is no kind
	ruleFile = lazyregexp.New(`(?m)^name:`)
	ruleList = lazyregexp.New(`(?m)^rules:`)
)

// longestUse is how long what names a group is, with the group.
const longestUse = 300

// takeInventory reads the tree of the working directory once. Test data and
// files of released versions are left out. Abbreviations are those of these kinds.
func takeInventory(ctx context.Context, kinds ...string) (*inventory, error) {
	tree, err := source.Open([]string{"."})
	if err != nil {
		return nil, err
	}
	defer tree.Close() //nolint:errcheck // only reading was done
	v := &inventory{groups: map[string]*group{}, rulesets: map[string]string{}, types: map[string]map[string]string{}, short: map[string]*abbreviations{}}
	for _, kind := range kinds {
		v.short[kind] = newAbbreviations(kind)
	}
	_, _, err = tree.Walk(ctx, source.WalkOptions{}, func(f *source.File) error {
		if len(f.Data) <= maxLooked && !isTestData(f.Path) {
			v.file(f.Path, f.Data)
		}
		return nil
	})
	return v, err
}

func (v *inventory) file(name string, data []byte) {
	ext := path.Ext(name)
	var crds []definition
	var types [][]int
	declared, images := map[string][][][]byte{}, map[string][]int{}
	for kind, a := range v.short {
		images[kind] = a.image.FindIndex(data)
	}
	switch ext {
	case ".yaml", ".yml":
		crds = definitions(data)
		if set := rulesetIn(name, data); set != nil {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.rulesets[name] = strings.Join(strings.Fields(set.Doc), " ")
			return // the groups that it names are not those of the tree
		}
	case ".java", ".kt":
		if m := javaKind.FindSubmatch(data); m != nil {
			crds = []definition{{group: string(m[1]), kind: string(m[2])}}
		}
	case ".go":
		types = goType.Get().FindAllSubmatchIndex(data, -1)
		for kind, a := range v.short {
			declared[kind] = a.typed.FindAllSubmatch(data, -1)
		}
	}
	var uses [][][]byte
	for _, word := range []string{"apiVersion", "groupName=", "Group"} { // the expression alone is slow in long texts
		for i := range source.All(data, word) {
			if m := groupUse.FindSubmatch(data[max(0, i-1):min(len(data), i+longestUse)]); m != nil {
				uses = append(uses, m)
			}
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.about.read(name, data)
	for kind, found := range declared {
		v.short[kind].add(kind, found)
	}
	for kind, at := range images {
		v.short[kind].ofProduct(name, data, at)
	}
	for _, m := range uses {
		g := v.group(string(bytes.Join(m[1:], nil)))
		if g.used = true; m[2] != nil && path.Ext(name) == ".go" && (g.code == "" || name < g.code) {
			g.code = name
		}
	}
	for _, d := range crds {
		g := v.group(d.group)
		g.kinds[d.kind] = cmp.Or(g.kinds[d.kind], d.plural)
		if g.crd == "" || name < g.crd {
			g.crd = name
		}
	}
	if len(types) > 0 && v.types[path.Dir(name)] == nil {
		v.types[path.Dir(name)] = map[string]string{}
	}
	for _, m := range types {
		at := source.PositionAt(data, m[2])
		v.types[path.Dir(name)][string(data[m[2]:m[3]])] = place(name, at.Line)
	}
}

// rulesetIn is the ruleset that a file is; nil = it is none.
func rulesetIn(name string, data []byte) *migrate.Ruleset {
	if !ruleFile.Match(data) || !ruleList.Match(data) || !bytes.Contains(data, []byte("from:")) {
		return nil
	}
	set, err := migrate.ParseRuleset(name, data)
	if err != nil {
		return nil
	}
	return set
}

func (v *inventory) group(name string) *group {
	if v.groups[name] == nil {
		v.groups[name] = &group{kinds: map[string]string{}}
	}
	return v.groups[name]
}

// names are the groups, those that the tree defines first; those of Kubernetes
// itself are left out.
func (v *inventory) names() []string {
	list := slices.DeleteFunc(slices.Collect(maps.Keys(v.groups)), func(name string) bool { return strings.HasSuffix(name, ".k8s.io") })
	slices.Sort(list)
	own := func(name string) bool { return v.groups[name].crd != "" }
	return append(slices.DeleteFunc(slices.Clone(list), func(n string) bool { return !own(n) }), slices.DeleteFunc(list, own)...)
}

// below are the groups that end with a dot and name, and are groups of objects.
func (v *inventory) below(name string) []string {
	var list []string
	for other, g := range v.groups {
		if strings.HasSuffix(other, "."+name) && (g.used || g.crd != "") {
			list = append(list, other)
		}
	}
	slices.Sort(list)
	return list
}

// defined are those of some groups that the tree defines: by a CRD, or a marker in Go.
func (v *inventory) defined(groups []string) []string {
	return slices.DeleteFunc(slices.Clone(groups), func(name string) bool {
		g := v.groups[name]
		return g == nil || g.crd == "" && g.code == ""
	})
}

// taken is where a Go package that has the type old has the type renamed, too;
// empty = nowhere.
func (v *inventory) taken(old, renamed string) string {
	for _, dir := range slices.Sorted(maps.Keys(v.types)) {
		if types := v.types[dir]; types[old] != "" && types[renamed] != "" {
			return types[renamed]
		}
	}
	return ""
}

// declared says whether a Go package has a type of this name.
func (v *inventory) declared(name string) bool {
	for _, types := range v.types {
		if types[name] != "" {
			return true
		}
	}
	return false
}

// A definition is what a CRD defines.
type definition struct{ group, kind, plural string }

// definitions are the CRDs of a YAML file, as far as it can be read.
func definitions(data []byte) []definition {
	if !bytes.Contains(data, []byte("CustomResourceDefinition")) {
		return nil
	}
	var list []definition
	for _, doc := range documents(data) {
		if d := doc.definition(); d.group != "" {
			list = append(list, d)
		}
	}
	return list
}

// A document is what an object of YAML says of its API.
type document struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Spec       struct {
		Group string                        `yaml:"group"`
		Names struct{ Kind, Plural string } `yaml:"names"`
	} `yaml:"spec"`
}

// documents are those of a YAML file, as far as it can be read.
func documents(data []byte) (list []document) {
	for dec := yaml.NewDecoder(bytes.NewReader(withoutActions(data))); ; {
		var doc document
		if dec.Decode(&doc) != nil {
			return list
		}
		list = append(list, doc)
	}
}

// definition is what a CRD defines, without a group where the document is none.
func (d document) definition() definition {
	n := d.Spec.Names
	if d.Kind != "CustomResourceDefinition" || !isGroup(d.Spec.Group) || !rules.ServedKind.MatchString(n.Kind) {
		return definition{}
	}
	if !rules.PluralName.MatchString(n.Plural) {
		n.Plural = ""
	}
	return definition{d.Spec.Group, n.Kind, n.Plural}
}

// actionLine is a line of a template with nothing but actions; action is one in a line.
var (
	actionLine = lazyregexp.New(`(?m)^[ \t]*(- )?\{\{.*\}\}[ \t\r]*$`)
	action     = lazyregexp.New(`\{\{[^}]*\}\}`)
)

// withoutActions is a template of YAML as YAML, with words where actions are.
func withoutActions(data []byte) []byte {
	if !bytes.Contains(data, []byte("{{")) {
		return data
	}
	return action.Get().ReplaceAll(actionLine.Get().ReplaceAll(data, nil), []byte("x"))
}

var releasedFolder = lazyregexp.New(`(^|/)v?[0-9]+\.[0-9]+(\.[0-9]+)?/`)

// isTestData says whether a file is test data, or of a released version.
func isTestData(name string) bool {
	return migrate.IsTestData(name) || releasedFolder.MatchString(name)
}
