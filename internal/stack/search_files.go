package stack

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// sighting is a version at a span, with the place that would read it.
func sighting(path string, p Place, span source.Span, names []identity) Sighting {
	return Sighting{Path: path, place: p, span: span, names: names}
}

func searchGoMod(path string, data []byte) ([]Sighting, error) {
	f, err := ParseGoMod(path, data)
	if err != nil {
		return nil, err
	}
	var list []Sighting
	for _, r := range f.Require {
		if !r.Indirect {
			list = append(list, sighting(path, Place{Kind: "go-require", Key: r.Mod.Path}, LastToken(data, r.Syntax), moduled(r.Mod.Path)))
		}
	}
	for _, r := range f.Replace {
		if r.New.Version != "" {
			list = append(list, sighting(path, Place{Kind: "go-replace", Key: r.Old.Path}, LastToken(data, r.Syntax), moduled(r.Old.Path)))
		}
	}
	return list, nil
}

func searchMake(path string, data []byte) ([]Sighting, error) {
	m := ParseMakefile(path, data)
	var list []Sighting
	for _, name := range m.Names() {
		v, _ := m.Var(name)
		list = append(list, assigned(path, Place{Kind: "make-var", Key: name}, name, data, v.span)...)
	}
	return list, nil
}

// assigned are the sightings of a named value: an image with its tag, or a
// version.
func assigned(path string, p Place, name string, data []byte, span source.Span) []Sighting {
	text := string(span.Of(data))
	if repository, tag, ok := imageReference(text); ok {
		p.Image, p.Named = true, repository
		return []Sighting{sighting(path, p, source.Span{Start: span.Start + tag.Start, End: span.Start + tag.End}, imaged(repository))}
	}
	return []Sighting{sighting(path, p, span, named(name))}
}

// imageReference splits REGISTRY/NAME:TAG, with or without a digest.
func imageReference(text string) (repository string, tag source.Span, ok bool) {
	tag = ImageTag(text)
	if tag.Len() == 0 || strings.ContainsAny(text, " \t\n$\"'") {
		return "", tag, false
	}
	repository = strings.TrimSuffix(text[:tag.Start], ":")
	return repository, tag, strings.Contains(repository, "/") && !strings.Contains(repository, "//")
}

func searchDockerfile(path string, data []byte) ([]Sighting, error) {
	var list []Sighting
	for _, m := range argLine.FindAllSubmatchIndex(data, -1) {
		name := string(data[m[2]:m[3]])
		list = append(list, sighting(path, Place{Kind: "dockerfile-arg", Key: name}, source.Span{Start: m[4], End: m[5]}, named(name)))
	}
	for _, m := range fromLine.FindAllSubmatchIndex(data, -1) {
		image := string(data[m[2]:m[3]])
		list = append(list, sighting(path, Place{Kind: "dockerfile-from", Key: image}, source.Span{Start: m[4], End: m[5]}, imaged(image)))
	}
	return list, nil
}

var (
	argLine  = lazyregexp.New(`(?mi)^[ \t]*ARG[ \t]+([A-Za-z_][A-Za-z0-9_]*)=["']?([^\s"']+)`)
	fromLine = lazyregexp.New(`(?mi)^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*([^\s:$]+(?::[0-9]+/[^\s:$]+)?):([^\s@$]+)`)
)

func searchProperties(path string, data []byte) ([]Sighting, error) {
	var list []Sighting
	for _, m := range propertyLine.FindAllSubmatchIndex(data, -1) {
		name := string(data[m[2]:m[3]])
		list = append(list, assigned(path, Place{Kind: "properties", Key: name}, name, data, source.Span{Start: m[4], End: m[5]})...)
	}
	return list, nil
}

var propertyLine = lazyregexp.New(`(?m)^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*["']?([^\s"'#]+)`)

func searchVersionFile(path string, data []byte) ([]Sighting, error) {
	span := trimmed(data, source.Span{Start: 0, End: len(data)})
	if bytes.ContainsAny(span.Of(data), "\n ") {
		return nil, nil
	}
	return []Sighting{sighting(path, Place{Kind: "pattern", Key: `^\s*(\S+)\s*$`}, span, []identity{{byRoot, "."}})}, nil
}

// searchRequirements reads exact pins of pip: name==1.2.3, name~=1.2.3.
func searchRequirements(path string, data []byte) ([]Sighting, error) {
	return pinned(path, data, requirement, func(name string) string {
		return `(?i)^` + regexp.QuoteMeta(name) + `(?:\[[^\]]*\])?[ \t]*[=~]=[ \t]*([^\s;,#]+)`
	}), nil
}

var requirement = lazyregexp.New(`(?m)^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]\n]*\])?[ \t]*[=~]=[ \t]*([^\s;,#]+)`)

// pinned makes a place of kind pattern for each match: the first group is the
// name, the second the version.
func pinned(path string, data []byte, re *lazyregexp.Regexp, key func(name string) string) []Sighting {
	var list []Sighting
	for _, m := range re.FindAllSubmatchIndex(data, -1) {
		name := string(data[m[2]:m[3]])
		list = append(list, sighting(path, Place{Kind: "pattern", Key: key(name)}, source.Span{Start: m[4], End: m[5]}, named(name)))
	}
	return list
}

// searchPyproject reads the version of the project itself, pins in the lists of
// dependencies, and Poetry's name = "^1.2.3".
func searchPyproject(path string, data []byte) ([]Sighting, error) {
	list := pinned(path, data, pyPin, func(name string) string {
		return `["']` + regexp.QuoteMeta(name) + `(?:\[[^\]]*\])?[ \t]*[=~]=[ \t]*([^\s;,"']+)`
	})
	list = append(list, pinned(path, data, pyEntry, func(name string) string {
		return `^` + regexp.QuoteMeta(name) + `[ \t]*=[ \t]*["']([^"']+)["']`
	})...)
	own := pyName.FindSubmatch(data)
	for i := range list {
		if own != nil && list[i].place.Key == `^version[ \t]*=[ \t]*["']([^"']+)["']` {
			list[i].names = []identity{{byName, plain(string(own[1]))}, {byRoot, "."}}
		}
	}
	return list, nil
}

var (
	pyPin   = lazyregexp.New(`["']([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]\n]*\])?[ \t]*[=~]=[ \t]*([^\s;,"']+)`)
	pyEntry = lazyregexp.New(`(?m)^([A-Za-z0-9][A-Za-z0-9._-]*)[ \t]*=[ \t]*["']([^"'\n]+)["']`)
	pyName  = lazyregexp.New(`(?m)^name[ \t]*=[ \t]*["']([^"'\n]+)["']`)
)

// A leaf is a scalar of a YAML or JSON file with the path that leads to it.
type leaf struct {
	key    string // in the language of places of kind yaml
	name   string // the last key
	value  string
	span   source.Span
	parent *yaml.Node // the mapping that it stands in
}

// leaves are the scalars of the mappings of a file that stand there as plain
// text. Items of lists are led to by their name, where they have one, else by
// their number.
func leaves(path string, data []byte) ([]leaf, error) {
	docs, err := yamlDocs(path, data)
	if err != nil {
		return nil, err
	}
	var list []leaf
	lines := lineStarts(data)
	var walk func(n *yaml.Node, at string)
	walk = func(n *yaml.Node, at string) {
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				key, value := n.Content[i].Value, n.Content[i+1]
				to := join(at, key)
				if value.Kind != yaml.ScalarNode {
					walk(value, to)
				} else if span, ok := scalarSpan(data, lines, value); ok {
					list = append(list, leaf{to, key, value.Value, span, n})
				}
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
	return list, nil
}

// join adds a key to a path.
func join(at, key string) string {
	if strings.ContainsAny(key, `.["`) {
		key = `"` + key + `"`
	}
	if at == "" {
		return key
	}
	return at + "." + key
}

// text is a member of the mapping that a leaf stands in; empty = there is none.
func (l leaf) text(key string) string {
	if n := strict.Value(l.parent, key); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}

// searchValues reads YAML that people fill in: values of charts, workflows,
// pipelines. A version has the name of its key, of the entry "name" beside a
// value or default, or of the image repository beside a tag.
func searchValues(path string, data []byte) ([]Sighting, error) {
	all, err := leaves(path, data)
	if err != nil {
		return nil, err
	}
	var list []Sighting
	for _, l := range all {
		p := Place{Kind: "yaml", Key: l.key}
		repository := l.text("repository")
		if registry := l.text("registry"); registry != "" && repository != "" {
			repository = registry + "/" + repository
		}
		switch name := l.text("name"); {
		case l.name == "tag" && repository != "":
			list = append(list, sighting(path, p, l.span, imaged(repository)))
		case (l.name == "value" || l.name == "default") && name != "":
			list = append(list, assigned(path, p, name, data, l.span)...)
		default:
			list = append(list, assigned(path, p, l.name, data, l.span)...)
		}
	}
	// What only says "version" is the version of anything here.
	return slices.DeleteFunc(list, func(s Sighting) bool { return s.names[0].kind == byRoot }), nil
}

// searchChart reads a Helm chart: its appVersion is of the component that it is
// named like, and so is its own version when the two go together; those of its
// dependencies are of theirs.
func searchChart(path string, data []byte) ([]Sighting, error) {
	all, err := leaves(path, data)
	if err != nil {
		return nil, err
	}
	var list []Sighting
	for _, l := range all {
		name := l.text("name")
		own := l.key == "appVersion" || l.key == "version" && strings.TrimPrefix(l.text("appVersion"), "v") == strings.TrimPrefix(l.value, "v")
		if own || strings.HasPrefix(l.key, "dependencies[") && l.name == "version" {
			list = append(list, sighting(path, Place{Kind: "yaml", Key: l.key}, l.span, []identity{{byName, plain(name)}}))
		}
	}
	return list, nil
}

func searchPackageJSON(path string, data []byte) ([]Sighting, error) {
	all, err := leaves(path, data)
	if err != nil {
		return nil, err
	}
	var list []Sighting
	for _, l := range all {
		names := named(l.name)
		switch {
		case l.key == "version":
			names = []identity{{byName, plain(l.text("name"))}, {byRoot, "."}}
		case !strings.HasPrefix(strings.ToLower(l.key), "dependencies.") && !strings.HasPrefix(strings.ToLower(l.key), "devdependencies.") && !strings.HasPrefix(strings.ToLower(l.key), "peerdependencies."):
			continue
		}
		list = append(list, sighting(path, Place{Kind: "yaml", Key: l.key}, l.span, names))
	}
	return list, nil
}

func searchKustomization(path string, data []byte) ([]Sighting, error) {
	all, err := leaves(path, data)
	if err != nil {
		return nil, err
	}
	var list []Sighting
	for _, l := range all {
		switch {
		case strings.HasPrefix(l.key, "images[") && l.name == "newTag":
			name := cmp.Or(l.text("newName"), l.text("name"))
			list = append(list, sighting(path, Place{Kind: "kustomize-image", Key: name}, l.span, append(imaged(name), imaged(l.text("name"))...)))
		case strings.HasPrefix(l.key, "helmCharts[") && l.name == "version":
			list = append(list, sighting(path, Place{Kind: "yaml", Key: l.key}, l.span, []identity{{byName, plain(l.text("name"))}}))
		}
	}
	for _, m := range kustomizeRef.FindAllSubmatchIndex(data, -1) {
		repository := string(data[m[2]:m[3]])
		list = append(list, sighting(path, Place{Kind: "kustomize-ref", Key: "github.com/" + repository}, source.Span{Start: m[4], End: m[5]}, []identity{{byRepo, strings.ToLower(repository)}}))
	}
	return list, nil
}

var kustomizeRef = lazyregexp.New(`github\.com[/:]([A-Za-z0-9-]+/[A-Za-z0-9_-][A-Za-z0-9_.-]*?)(?:\.git)?(?:/[^\s?"']*)?\?[^\s"']*?\bref=([^\s&"']+)`)

// searchReferences reads what names a repository or an image by its address, in
// any text: images with tags, addresses of GitHub with a tag in them, actions.
// The page of a release is none, nor is a file that is shown at a tag: they tell
// of a version, and take none.
func searchReferences(path string, data []byte) ([]Sighting, error) {
	var list []Sighting
	for _, m := range gitHubTag.FindAllSubmatchIndex(data, -1) {
		repository, middle := string(data[m[2]:m[3]]), string(data[m[4]:m[5]])
		key := `github\.com/` + regexp.QuoteMeta(repository+middle) + gitHubVersion
		if strings.HasPrefix(string(data[m[0]:]), "raw.") {
			key = `raw\.githubusercontent\.com/` + regexp.QuoteMeta(repository+middle) + gitHubVersion
		}
		list = append(list, sighting(path, Place{Kind: "pattern", Key: key}, source.Span{Start: m[6], End: m[7]}, []identity{{byRepo, strings.ToLower(repository)}}))
	}
	for _, m := range actionTag.FindAllSubmatchIndex(data, -1) {
		uses, repository := string(data[m[2]:m[3]]), string(data[m[4]:m[5]])
		key := `uses:[ \t]*["']?` + regexp.QuoteMeta(uses) + `@([^\s"'#]+)`
		list = append(list, sighting(path, Place{Kind: "pattern", Key: key}, source.Span{Start: m[6], End: m[7]}, []identity{{byRepo, strings.ToLower(repository)}}))
	}
	for _, m := range imageTag.FindAllSubmatchIndex(data, -1) {
		repository := string(data[m[2]:m[3]])
		key := `(?:^|[^A-Za-z0-9./-])` + regexp.QuoteMeta(repository) + `:(` + tagText + `)`
		list = append(list, sighting(path, Place{Kind: "pattern", Key: key}, source.Span{Start: m[4], End: m[5]}, imaged(repository)))
	}
	return list, nil
}

// What a version looks like in an address, and in an image's tag.
const (
	tagText       = `[A-Za-z-]*v?[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z]+(?:\.[0-9]+)*)?`
	gitHubVersion = `(` + tagText + `)`
)

var (
	gitHubTag = lazyregexp.New(`(?:raw\.githubusercontent\.com|github\.com)/([A-Za-z0-9-]+/[A-Za-z0-9_.-]+)(/(?:releases/download/|archive/|archive/refs/tags/|refs/tags/|raw/)?)` + gitHubVersion)
	actionTag = lazyregexp.New(`uses:[ \t]*["']?(([A-Za-z0-9-]+/[A-Za-z0-9_.-]+)(?:/[^\s@"']+)?)@([^\s"'#]+)`)
	imageTag  = lazyregexp.New(`(?:^|[^A-Za-z0-9./-])((?:[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[0-9]+)?/)[a-z0-9._/-]+):(` + tagText + `)`)
)
