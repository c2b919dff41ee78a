package stack

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A fileForm is a way in which a kind of file names what its versions are of.
type fileForm struct {
	name   string   // for people
	files  []string // patterns of their names, or folders of YAML: ".tekton/"
	search func(path string, data []byte) ([]Sighting, error)
}

// is says whether a file is of the form.
func (f fileForm) is(name string) bool {
	return slices.ContainsFunc(f.files, func(pattern string) bool {
		if strings.HasSuffix(pattern, "/") {
			return strings.HasPrefix(name, pattern) && (path.Ext(name) == ".yaml" || path.Ext(name) == ".yml")
		}
		ok, _ := path.Match(pattern, path.Base(name))
		return ok
	})
}

// The names of forms that are more than a name.
const (
	anyText        = "reference" // looks at every file
	kustomization  = "kustomization"
	helmChart      = "Helm chart"
	helmValues     = "Helm values"
	nodePackage    = "package.json"
	goCode         = "Go"
	variableName   = `[A-Za-z_][A-Za-z0-9_.-]*`
	packageName    = `[A-Za-z0-9][A-Za-z0-9._-]*`
	repositoryName = `[A-Za-z0-9-]+/[A-Za-z0-9_.-]+`
)

// Files of several forms.
var (
	dockerfiles    = []string{"Dockerfile", "Dockerfile.*", "*.Dockerfile", "Containerfile", "Containerfile.*"}
	kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}
	every          = []string{"*"}
)

// fileForms are asked in this order; where two see the same text, the first
// declares it.
var fileForms = []fileForm{
	{"go.mod", []string{"go.mod"}, searchGoMod},
	{"Makefile", []string{"Makefile", "*.mk", "Makefile.*"}, lines("make-var", makeText, variableName, named)},
	{kustomization, kustomizations, leaves(kustomization)},
	{kustomization, kustomizations, lines("kustomize-ref", kustomizeRefText, `github\.com[/:][A-Za-z0-9-]+/[A-Za-z0-9_-][A-Za-z0-9_.-]*?`, repository)},
	{helmChart, []string{"Chart.yaml"}, leaves(helmChart)},
	{helmValues, []string{"values.yaml", "values.yml", "values-*.yaml"}, leaves("")},
	{"Dockerfile", dockerfiles, lines("dockerfile-arg", argText, variableName, named)},
	{"Dockerfile", dockerfiles, lines("dockerfile-from", fromText, `[^\s:$]+(?::[0-9]+/[^\s:$]+)?`, imaged)},
	{"workflow", []string{".github/workflows/", ".github/actions/", ".tekton/", ".gitlab/"}, leaves("")},
	{"requirements", []string{"requirements*.txt", "constraints*.txt"}, lines("pattern", `(?i)^{}(?:\[[^\]\n]*\])?[ \t]*[=~]=[ \t]*([^\s;,#]+)`, packageName, named)},
	{"pyproject", []string{"pyproject.toml"}, lines("pattern", `["']{}(?:\[[^\]\n]*\])?[ \t]*[=~]=[ \t]*([^\s;,"']+)`, packageName, named)},
	{"pyproject", []string{"pyproject.toml"}, lines("pattern", `^name[ \t]*=[ \t]*["']{}["'](?:\n[^\[\n].*)*?\nversion[ \t]*=[ \t]*["']([^"'\n]+)["']`, packageName, named)},
	{"pyproject", []string{"pyproject.toml"}, lines("pattern", `^{}[ \t]*=[ \t]*["']([^"'\n]+)["']`, packageName, named)},
	{nodePackage, []string{"package.json"}, leaves(nodePackage)},
	{"properties", []string{"*.env", "*.properties", "*.sh"}, lines("properties", propertyText, variableName, named)},
	{goCode, []string{"*.go"}, searchGo},
	{"VERSION", []string{"VERSION"}, lines("pattern", `\A{}(\S+)\s*\z`, `\s*`, named)}, // no name: the project itself
	{anyText, every, lines("pattern", `github\.com/{}(`+tagText+`)`, taggedPath, repository)},
	{anyText, every, lines("pattern", `raw\.githubusercontent\.com/{}(`+tagText+`)`, taggedPath, repository)},
	{anyText, every, lines("pattern", `uses:[ \t]*["']?{}@([^\s"'#]+)`, repositoryName+`(?:/[^\s@"']+)?`, repository)},
	{anyText, every, lines("pattern", `(?:^|[^A-Za-z0-9./-]){}:(`+tagText+`)`, `[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[0-9]+)?/[a-z0-9._/-]+`, imaged)},
}

// What a version looks like in an address and in an image's tag, and what stands
// before it in one of GitHub. The page of a release is none, nor is a file that is
// shown at a tag: they tell of a version, and take none.
const (
	tagText          = `[A-Za-z-]*v?[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z]+(?:\.[0-9]+)*)?`
	taggedPath       = repositoryName + `/(?:releases/download/|archive/|archive/refs/tags/|refs/tags/|raw/)?`
	kustomizeRefText = `{}(?:\.git)?(?:/[^\s?"']*)?\?[^\s"']*?\bref=([^\s&"']+)`
)

// lines searches text: {} stands for a name, the group for its version. Where a
// value is an image, its tag is the version.
func lines(kind, text, name string, names func(string) []identity) func(string, []byte) ([]Sighting, error) {
	re := lazyregexp.New("(?m)" + strings.Replace(text, "{}", "("+name+")", 1))
	return func(file string, data []byte) ([]Sighting, error) {
		var list []Sighting
		for _, m := range re.Get().FindAllSubmatchIndex(oneLined(kind, data), -1) {
			name := string(data[m[2]:m[3]])
			p := Place{Kind: kind, Key: name}
			switch kind {
			case "pattern":
				p.Key = strings.Replace(text, "{}", regexp.QuoteMeta(name), 1)
			case "kustomize-ref":
				p.Key = strings.Replace(name, ":", "/", 1)
			}
			list = append(list, sighting(file, p, data, source.Span{Start: m[4], End: m[5]}, names(name)))
		}
		return list, nil
	}
}

// sighting is a version at a span, or the tag of the image there, with the place
// that would read it.
func sighting(file string, p Place, data []byte, span source.Span, names []identity) Sighting {
	text := string(span.Of(data))
	tag := imageTag(text)
	image := strings.TrimSuffix(text[:tag.Start], ":")
	if tag.Len() > 0 && !strings.ContainsAny(text, " \t\n$\"'") && strings.Contains(image, "/") && !strings.Contains(image, "//") {
		p.Image, p.Named, names = true, image, imaged(image)
		span = source.Span{Start: span.Start + tag.Start, End: span.Start + tag.End}
	}
	return Sighting{Path: file, place: p, span: span, names: names}
}

func searchGoMod(file string, data []byte) ([]Sighting, error) {
	f, err := ParseGoMod(file, data)
	if err != nil {
		return nil, err
	}
	var list []Sighting
	for _, r := range f.Require {
		here := func(x *modfile.Replace) bool { return x.Old.Path == r.Mod.Path && x.New.Version == "" } // by a folder
		if !r.Indirect && !slices.ContainsFunc(f.Replace, here) {
			list = append(list, sighting(file, Place{Kind: "go-require", Key: r.Mod.Path}, data, LastToken(data, r.Syntax), moduled(r.Mod.Path)))
		}
	}
	for _, r := range f.Replace {
		if r.New.Version != "" {
			list = append(list, sighting(file, Place{Kind: "go-replace", Key: r.Old.Path}, data, LastToken(data, r.Syntax), moduled(r.Old.Path)))
		}
	}
	return list, nil
}

// searchGo searches the names that Go code gives to versions; tests compare what they like.
func searchGo(file string, data []byte) ([]Sighting, error) {
	if strings.HasSuffix(file, "_test.go") {
		return nil, nil
	}
	return goVersions(file, data)
}

var goVersions = lines("pattern", `\b(?:[Dd]efault)?{}(?: +string)? *:?= *"(v?[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.+-]*)"`, `[A-Z_a-z]\w*`, named)

// A leaf is a scalar of a YAML or JSON file with the path that leads to it.
type leaf struct {
	key    string // in the language of places of kind yaml
	name   string // the last key
	value  string
	parent *yaml.Node // the mapping that it stands in
}

// leaves searches the scalars of the mappings of a YAML or JSON file that stand
// there as plain text. Items of lists are led to by their name, where they have
// one, else by their number.
func leaves(form string) func(string, []byte) ([]Sighting, error) {
	return func(file string, data []byte) ([]Sighting, error) {
		docs, err := yamlDocs(file, data)
		if err != nil {
			return nil, err
		}
		var list []Sighting
		starts := lineStarts(data)
		var walk func(n *yaml.Node, at string)
		walk = func(n *yaml.Node, at string) {
			switch n.Kind {
			case yaml.MappingNode:
				for i := 0; i+1 < len(n.Content); i += 2 {
					l := leaf{join(at, n.Content[i].Value), n.Content[i].Value, n.Content[i+1].Value, n}
					span, ok := scalarSpan(data, starts, n.Content[i+1])
					if p, names := l.place(form); ok && len(names) > 0 {
						list = append(list, sighting(file, p, data, span, names))
					}
					walk(n.Content[i+1], l.key)
				}
			case yaml.SequenceNode:
				for i, item := range n.Content {
					to := fmt.Sprintf("%s[%d]", at, i)
					if name := strict.Value(item, "name"); name != nil && name.Kind == yaml.ScalarNode && !strings.Contains(name.Value, "]") {
						to = fmt.Sprintf("%s[name=%s]", at, name.Value)
					}
					walk(item, to)
				}
			}
		}
		for _, doc := range docs {
			walk(doc, "")
		}
		if form == "" { // what only says "version" is the version of anything here
			list = slices.DeleteFunc(list, func(s Sighting) bool { return s.names[0].kind == byRoot })
		}
		return list, nil
	}
}

// join adds a key to a path.
func join(at, key string) string {
	if strings.ContainsAny(key, `.["`) {
		key = `"` + key + `"`
	}
	return strings.TrimPrefix(at+"."+key, ".")
}

// text is a member of the mapping that a leaf stands in; empty = there is none.
func (l leaf) text(key string) string {
	if n := strict.Value(l.parent, key); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}

// place is where a leaf would be declared in a form, with the names that its
// version may be of; without names it is none.
//
// The version of a Helm chart is of the component that it is named like, if it goes
// with that of the application. Elsewhere, in YAML that people fill in, a version has
// the name of its key, of the entry "name" beside a value or default, or of the image
// repository beside a tag.
func (l leaf) place(form string) (Place, []identity) {
	p := Place{Kind: "yaml", Key: l.key}
	name, repository := l.text("name"), l.text("repository")
	called := []identity{{byName, plain(name)}}
	within := func(list string) bool { return strings.HasPrefix(l.key, list+"[") }
	switch {
	case form == kustomization && within("images") && l.name == "newTag":
		image := cmp.Or(l.text("newName"), name)
		return Place{Kind: "kustomize-image", Key: image}, append(imaged(image), imaged(name)...)
	case form == kustomization && within("helmCharts") && l.name == "version",
		form == helmChart && within("dependencies") && l.name == "version":
		return p, called
	case form == helmChart && (l.key == "appVersion" || l.key == "version" && versions.Bare(l.text("appVersion")) == versions.Bare(l.value)):
		return p, append(called, likeChart(name)...)
	case form == nodePackage && l.key == "version":
		return p, append(called, identity{byRoot, "."})
	case form == nodePackage && nodeDependency.MatchString(l.key):
		return p, named(l.name)
	case form != "":
		return p, nil
	case l.name == "tag" && repository != "":
		return p, imaged(strings.TrimPrefix(l.text("registry")+"/"+repository, "/"))
	case (l.name == "value" || l.name == "default") && name != "":
		return p, named(name)
	}
	return p, named(l.name)
}

// named are the identities of a name: itself, and without the words that say
// that it names a version.
func named(name string) []identity {
	cut := versionWord.ReplaceAllString(camelWord.ReplaceAllString(name, "$1"), "")
	if plain(cut) == "" {
		return []identity{{byRoot, "."}}
	}
	return []identity{{byName, plain(name)}, {byName, plain(cut)}}
}

var (
	camelWord   = lazyregexp.New(`([a-z0-9])(?:ReleaseVersion|Version|ImageTag|Tag|Release)$`)
	versionWord = lazyregexp.New(`(?i)(^|[-_.])(release_?version|version|image_?tag|tag|release)$|^version([-_]|$)`)
)

// imaged are the identities of an image: its repository, its name, and that of the repository of
// code whose image it is one of: HOST/OWNER/NAME/image.
func imaged(repository string) []identity {
	ids := []identity{{byImage, repository}, {byLike, plain(path.Base(repository))}}
	if parts := strings.Split(repository, "/"); len(parts) > 3 {
		ids = append(ids, identity{byLike, plain(parts[2])})
	}
	return ids
}

// likeChart are the identities of a chart that may be one of several of a component: controller-ui
// of controller.
func likeChart(name string) (ids []identity) {
	for i := len(name); i > 0; i = strings.LastIndexByte(name[:i], '-') {
		ids = append(ids, identity{byLike, plain(name[:i])})
	}
	return ids
}

// ofChart are the identities of an image in the values of a chart that has the version of the
// application: that which the chart is named like.
func ofChart(tree fs.FS, values, version string) []identity {
	data, err := fs.ReadFile(tree, path.Join(path.Dir(values), "Chart.yaml"))
	var chart struct {
		Name       string `yaml:"name"`
		AppVersion string `yaml:"appVersion"`
	}
	if err != nil || yaml.Unmarshal(data, &chart) != nil {
		return nil
	}
	if _, app := spellingOf(chart.AppVersion); app != version {
		return nil
	}
	return likeChart(chart.Name)
}

// repository are the identities of a path on GitHub: the first two names of it, and the second.
func repository(name string) []identity {
	names := strings.SplitN(strings.TrimPrefix(strings.Replace(name, ":", "/", 1), "github.com/"), "/", 3)
	return []identity{{byRepo, strings.ToLower(names[0] + "/" + names[1])}, {byLike, plain(names[1])}}
}

var majorVersion = lazyregexp.New(`/v[0-9]+$`)

// moduled are the identities of a Go module: its path, that of the repository
// that it is a part of, its last word, and that of the repository.
func moduled(module string) []identity {
	ids := []identity{{byModule, module}}
	for cut := module; strings.Count(cut, "/") > 1; {
		cut = cut[:strings.LastIndexByte(cut, '/')]
		ids = append(ids, identity{byModule, cut})
	}
	ids = append(ids, identity{byLike, plain(path.Base(majorVersion.ReplaceAllString(module, "")))})
	if parts := strings.Split(module, "/"); parts[0] == "github.com" && len(parts) > 3 {
		ids = append(ids, identity{byLike, plain(parts[2])})
	}
	return ids
}

var nodeDependency = lazyregexp.New(`(?i)^(?:dev|peer)?dependencies\.`)

// IsOf says whether a tree is the repository of the stack's root: the module that
// it has is.
func (s *Stack) IsOf(tree fs.FS) bool {
	data, err := fs.ReadFile(tree, "go.mod")
	return err == nil && modfile.ModulePath(data) == s.RootComponent().Module.Path
}
