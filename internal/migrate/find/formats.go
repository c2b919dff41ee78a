// Package find finds the names of a migration in files: where each stands, and
// what the text around it says that it is. It is given the names and is told
// nothing of what becomes of them.
//
// A format reads one kind of file, and reports each name as a Site; which Place
// a name stands in is said by tables: phrases.go for running text,
// places_yaml.go for YAML and JSON, places_code.go for strings in source.
package find

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Format finds sites in one kind of file.
type Format struct {
	Name string
	Doc  string
	is   func(base, ext string, data []byte) bool
	read func(a *analysis, v *text.View)
	Has  Traits
}

// Traits are what is true of the files of a format.
type Traits int

// The traits.
const (
	Objects Traits = 1 << iota // they are objects as a whole, one or several
	Streams                    // a document may be put behind another one
	JSON                       // they are JSON
	Gofmt                      // gofmt lays them out
	Written                    // they are documents for people, which generators write, too
	Pages                      // some of them are HTML
)

// Is says whether the files of a format have all of some traits.
func (f Format) Is(t Traits) bool { return f.Has&t == t }

// formats, in the order in which they are asked whether a file is theirs; the
// last takes every file.
var formats = []Format{
	{"notebook", "Jupyter notebooks: the cells and their outputs", extIs(".ipynb"), (*analysis).notebook, 0},
	{"helm", "templates of YAML and of text: Helm, Go templates, Jinja, ERB", isTemplate, (*analysis).template, Objects | Streams},
	{"yaml", "YAML streams: manifests, charts, kustomizations, CSVs", isYAML, (*analysis).stream, Objects | Streams},
	{"json", "JSON, with comments too", extIs(".json", ".jsonc", ".json5"), func(a *analysis, v *text.View) { a.json(v, false) }, Objects | JSON},
	{"markdown", "Markdown: fenced blocks in their own language, prose", extIs(".md", ".markdown", ".mdx"), (*analysis).markdown, Written},
	{"go", "Go: literals, raw strings, comments, markers, generated clients", extIs(".go"), (*analysis).golang, Gofmt},
	{"python", "Python, Starlark: literals, f-strings, documents in strings", isPython, codeIn("python"), 0},
	{"typescript", "TypeScript and JavaScript", extIs(".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs"), codeIn("js"), 0},
	{"java", "Java, Kotlin, Scala, C#, Swift, C, Pkl", extIs(".java", ".kt", ".kts", ".scala", ".cs", ".swift", ".proto", ".c", ".cc", ".cpp", ".h", ".hpp", ".pkl", ".bicep"), codeIn("java"), 0},
	{"groovy", "Groovy, Gradle, Jenkinsfiles, Dart, PHP", isGroovy, codeIn("groovy"), 0},
	{"rust", "Rust", extIs(".rs"), codeIn("rust"), 0},
	{"shell", "shell scripts with their heredocs, Makefiles, Dockerfiles", isShell, (*analysis).shell, 0},
	{"config", "TOML, HCL, properties, Ruby, Jsonnet, Elixir, Perl, PowerShell: quoted names and comments", isConfig, codeIn("hash"), 0},
	{"lua", "Lua, SQL, Dhall, Haskell", extIs(".lua", ".luau", ".sql", ".dhall", ".hs"), codeIn("lua"), 0},
	{"text", "every other text: REST paths, commands, names of files", func(string, string, []byte) bool { return true }, (*analysis).text, Written | Pages},
}

// Formats are the names that --only takes.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}

// FormatsWith are the names of the formats that have all of some traits.
func FormatsWith(t Traits) []string {
	var names []string
	for _, f := range formats {
		if f.Is(t) {
			names = append(names, f.Name)
		}
	}
	return names
}

// FormatOf is the format of a file, by its name and, where that does not tell,
// by its content.
func FormatOf(file string, data []byte) Format {
	base := strings.ToLower(path.Base(file))
	ext := path.Ext(base)
	for _, f := range formats {
		if f.is(base, ext, data) {
			return f
		}
	}
	return formats[len(formats)-1]
}

// Language is the language of files that are source as a whole, nil for any other
// format.
func (f Format) Language() *text.Language {
	switch f.Name {
	case "typescript":
		return text.Languages["js"]
	case "config", "shell":
		return text.Languages["hash"]
	}
	return text.Languages[f.Name]
}

// AsTemplate is a format of objects whose file turned out to be no YAML as it
// stands: it is read line by line.
func (f Format) AsTemplate() Format {
	f.read = (*analysis).template
	return f
}

// Read finds the names in a file, data, and reports them. Name is the path of
// the file.
func (f Format) Read(n *Names, name string, data []byte, r Reporter) {
	v := text.Whole(data)
	if bytes.HasPrefix(data, byteOrderMark) {
		v = v.Sub(source.Span{Start: len(byteOrderMark), End: len(data)})
	}
	f.read(&analysis{Names: n, Reporter: r, path: name}, v)
}

// byteOrderMark may stand before a text, and is no part of its first line.
var byteOrderMark = []byte("\xef\xbb\xbf")

// An analysis is the reading of one file: names in, sites out.
type analysis struct {
	*Names
	Reporter
	path            string
	home, homeGroup string // the API version that the text at hand belongs to
	// words are the constants of a file, wordsOf: see constantsOf.
	words   map[string]string
	wordsOf *text.CodeFile
	// parts are those of the mappings of partsOf: see keyedParts.
	parts   map[int32][]int32
	partsOf *text.Tree
}

// found reports a site.
func (a *analysis) found(s Site) {
	s.Home, s.HomeGroup = a.home, a.homeGroup
	a.Site(s)
}

// at reports a token in a place.
func (a *analysis) at(v *text.View, tok Token, place *Place) {
	a.found(Site{Doc: v, Token: tok, Place: place})
}

// domain is where a token stands that is a part of something longer, nil for
// any other.
func domain(s Shape) *Place {
	switch s {
	case Email:
		return InEmail
	case URLHost:
		return InHost
	case Longer:
		return InDomain
	}
	return nil
}

func extIs(list ...string) func(string, string, []byte) bool {
	return func(_, ext string, _ []byte) bool { return slices.Contains(list, ext) }
}

// named is extIs, with whole names of files, and what begins with one of them and a dot.
func named(names []string, exts ...string) func(string, string, []byte) bool {
	return func(base, ext string, _ []byte) bool {
		return slices.Contains(exts, ext) || hasBase(base, names)
	}
}

// hasBase says whether a file has one of several names, or begins with one and a dot.
func hasBase(base string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		rest, ok := strings.CutPrefix(base, name)
		return ok && (rest == "" || rest[0] == '.')
	})
}

// The files of languages that are told by more than how their names end.
// Source: docs.tilt.dev, bazel.build, jenkins.io, ruby-doc.org.
var (
	isPython = named([]string{"tiltfile", "build.bazel", "workspace.bazel", "module.bazel"}, ".py", ".pyi", ".pyx", ".star", ".bzl", ".tiltfile")
	isGroovy = named([]string{"jenkinsfile"}, ".groovy", ".gradle", ".gvy", ".dart", ".php")
	isConfig = named([]string{"vagrantfile", "rakefile", "gemfile", "fastfile"},
		".toml", ".tf", ".hcl", ".tfvars", ".nomad", ".ini", ".cfg", ".conf", ".properties", ".env", ".rb", ".rake", ".gemspec", ".jsonnet", ".libsonnet", ".cue", ".rego", ".nix",
		".k", ".ex", ".exs", ".pl", ".pm", ".pp", ".r", ".jl", ".cr", ".graphql", ".gql", ".nu", ".ps1", ".psm1")
)

func codeIn(name string) func(*analysis, *text.View) {
	return func(a *analysis, v *text.View) { a.code(v, text.Languages[name]) }
}

// TemplateExts are those of templates that are no files of another kind.
var TemplateExts = []string{".tpl", ".tmpl", ".gotmpl", ".j2", ".jinja", ".jinja2", ".erb", ".in", ".template", ".mustache", ".hbs"}

func isTemplate(base, ext string, data []byte) bool {
	if slices.Contains(TemplateExts, ext) {
		return true
	}
	return isYAML(base, ext, data) && templatedYAML(data)
}

// templatedYAML says whether a YAML file holds actions where YAML has
// structure or bare values, rather than inside of quotes or comments only.
func templatedYAML(data []byte) bool {
	if !text.HasTemplate(data) {
		return false
	}
	for at := 0; at < len(data); {
		content, next := text.LineEnd(data, at, len(data))
		line := bytes.TrimSpace(data[at:content])
		at = next
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if text.BeginsTemplate(line) || templateAt.Match(line) {
			return true
		}
	}
	return false
}

var templateAt = lazyregexp.New(`(^|[:\-]\s+)\S*(\{\{-?\s|\{\{|\{%|<%)`)

func isYAML(base, ext string, data []byte) bool {
	if ext == ".yaml" || ext == ".yml" {
		return true
	}
	return ext == "" && base == "project" && (looksYAML(data) || bytes.Contains(data, []byte("layout:")) || bytes.Contains(data, []byte("domain:")))
}
