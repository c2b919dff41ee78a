package syntax

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A format reads one kind of file.
type format struct {
	Name  string
	Doc   string
	Exts  []string // ends of names
	Names []string // whole names, and what begins with one of them and a dot
	read  func(top *Node, v *View, o options)
}

// options are how a text is read.
type options struct {
	hit       func([]byte) bool // what holds no name of the rules is not read further; nil: all of it is
	templated bool
	depth     int
	formats   []format // for documents in strings
}

// maxDepth is how many documents in strings of documents are read.
const maxDepth = 6

func (o options) inner() options { o.depth++; return o }

// formats, in the order in which they are asked whether a file is theirs. The
// last takes every file.
var formats = []format{
	{"notebook", "Jupyter notebooks: the cells and their outputs", []string{".ipynb"}, nil, notebook},
	{"helm", "templates of YAML and of text: Helm, Go templates, Jinja, ERB", []string{".tpl", ".tmpl", ".gotmpl", ".j2", ".jinja", ".jinja2", ".erb", ".in", ".template", ".mustache", ".hbs"}, nil, template},
	{"yaml", "YAML streams: manifests, charts, kustomizations, CSVs", []string{".yaml", ".yml"}, []string{"project"}, yamlStream},
	{"json", "JSON, with comments too", []string{".json", ".jsonc", ".json5"}, nil, jsonText},
	{"markdown", "Markdown: fenced blocks in their own language, prose", []string{".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc"}, nil, markdown},
	{"go", "Go: literals, raw strings, comments, markers", []string{".go"}, nil, language("go")},
	{"python", "Python, Starlark", []string{".py", ".pyi", ".pyx", ".star", ".bzl", ".tiltfile"}, []string{"tiltfile", "build.bazel", "workspace.bazel", "module.bazel"}, language("python")},
	{"typescript", "TypeScript and JavaScript", []string{".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte"}, nil, language("js")},
	{"java", "Java, C#, Swift, C, Pkl", []string{".java", ".cs", ".swift", ".proto", ".c", ".cc", ".cpp", ".h", ".hpp", ".pkl", ".bicep"}, nil, language("java")},
	{"kotlin", "Kotlin, Scala", []string{".kt", ".kts", ".scala"}, nil, language("kotlin")},
	{"groovy", "Groovy, Gradle, Jenkinsfiles, Dart, PHP", []string{".groovy", ".gradle", ".gvy", ".dart", ".php"}, []string{"jenkinsfile"}, language("groovy")},
	{"rust", "Rust", []string{".rs"}, nil, language("rust")},
	{"shell", "shell scripts with their heredocs, Makefiles, Dockerfiles", []string{".sh", ".bash", ".zsh", ".ksh", ".fish", ".mk", ".make", ".bats", ".dockerfile", ".containerfile", ".just"}, []string{"makefile", "gnumakefile", "dockerfile", "containerfile", "justfile"}, shell},
	{"properties", "properties, environments, INI files", []string{".properties", ".env", ".ini", ".cfg", ".conf"}, nil, assignments},
	{"config", "TOML, HCL, Ruby, Jsonnet, Elixir, Perl, PowerShell", []string{
		".toml", ".tf", ".hcl", ".tfvars", ".nomad", ".rb", ".rake", ".gemspec", ".jsonnet", ".libsonnet", ".cue", ".rego", ".nix",
		".k", ".ex", ".exs", ".pl", ".pm", ".pp", ".r", ".jl", ".cr", ".graphql", ".gql", ".nu", ".ps1", ".psm1"}, []string{"vagrantfile", "rakefile", "gemfile", "fastfile"}, language("hash")},
	{"lua", "Lua, SQL, Dhall, Haskell", []string{".lua", ".luau", ".sql", ".dhall", ".hs"}, nil, language("lua")},
	{"text", "every other text: REST paths, commands, names of files", nil, nil, prose},
}

// Formats are the names of all formats.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}

// FormatOf is the name of the format of a file, by its name and, where that does not tell,
// by its content.
func FormatOf(file string, data []byte) string { return formatOf(file, data).Name }

func formatOf(file string, data []byte) format {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	base := strings.ToLower(path.Base(file))
	ext := path.Ext(base)
	last := len(formats) - 1
	for i, f := range formats[:last] {
		if !f.takes(base, ext) {
			continue
		}
		switch {
		case f.Name == "yaml" && base == "project" && !looksYAML(data):
			continue
		case f.Name == "yaml" && templated(data):
			return formats[i-1]
		}
		return f
	}
	if bytes.HasPrefix(data, []byte("#!")) {
		first := data[:text.LineBreak(data, 0)]
		switch {
		case bytes.Contains(first, []byte("python")):
			return named("python")
		case bytes.Contains(first, []byte("sh")):
			return named("shell")
		}
	}
	if bytes.Contains(data, []byte("apiVersion:")) && looksYAML(data) {
		return named("helm")
	}
	if t := bytes.TrimLeft(data[:min(len(data), 256)], " \t\r\n"); len(t) > 1 && t[0] == '{' && t[1] != '{' && t[1] != '%' && bytes.Contains(data, []byte(`"apiVersion"`)) {
		return named("json")
	}
	return formats[last]
}

func (f format) takes(base, ext string) bool {
	if ext != "" && slices.Contains(f.Exts, ext) {
		return true
	}
	return slices.ContainsFunc(f.Names, func(name string) bool {
		rest, ok := strings.CutPrefix(base, name)
		return ok && (rest == "" || rest[0] == '.' && f.Name == "shell")
	})
}

func named(name string) format {
	for _, f := range formats {
		if f.Name == name {
			return f
		}
	}
	return formats[len(formats)-1]
}

// Read reads a file. What holds none of the names that hit looks for is not
// read further; hit may be nil.
func Read(file string, data []byte, hit func([]byte) bool) *Node {
	v := whole(data)
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		v = v.Sub(3, len(data))
	}
	f := formatOf(file, data)
	top := &Node{Kind: Document, Lang: f.Name, View: v}
	f.read(top, v, options{hit: hit, formats: formats[:len(formats)-1]})
	return top
}

// template reads a template of YAML, or of text.
func template(top *Node, v *View, o options) {
	o.templated = true
	if looksYAML(v.B) || begins(v.B, "apiVersion:") || begins(v.B, "apiGroups:") {
		yamlStream(top, v, o)
		return
	}
	if t := bytes.TrimLeft(v.B, " \t\r\n"); bytes.HasPrefix(t, []byte("{")) && !bytes.HasPrefix(t, []byte("{{")) && !bytes.HasPrefix(t, []byte("{%")) {
		jsonText(top, v, o)
		return
	}
	prose(top, v, o)
}

// begins says whether a line of a text begins with a key.
func begins(b []byte, key string) bool {
	for at := range source.All(b, key) {
		line := b[text.LineStart(b, at):at]
		if len(bytes.Trim(line, " \t-")) == 0 || bytes.HasPrefix(bytes.TrimLeft(line, " \t-"), []byte("{{")) {
			return true
		}
	}
	return false
}

// templated says whether YAML holds actions of a template outside of quotes
// and comments.
func templated(data []byte) bool {
	if !text.HasTemplate(data) {
		return false
	}
	for at := 0; at < len(data); {
		end := text.LineBreak(data, at)
		line := bytes.TrimLeft(data[at:end], " -\t")
		at = end + 1
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if text.BeginsTemplate(line) {
			return true
		}
		if i := bytes.Index(line, []byte(": ")); i >= 0 {
			value := bytes.TrimLeft(line[i+2:], " ")
			if text.HasTemplate(value) && value[0] != '"' && value[0] != '\'' {
				return true
			}
		}
	}
	return false
}

// embed adds the document in a string, or leaves the node a text where there
// is none.
func embed(n *Node, v *View, o options) {
	trimmed := bytes.TrimSpace(v.B)
	lang, read := documentIn(n, trimmed, o.formats)
	if read == nil || o.depth >= maxDepth || o.hit != nil && !o.hit(v.B) {
		if v.P != nil { // decoded
			n.View, n.Start, n.End = v, 0, len(v.B)
		}
		if read == nil && o.depth < maxDepth && (o.hit == nil || o.hit(v.B)) {
			literals(n, v, o.inner())
		}
		return
	}
	if t := bytes.TrimLeft(v.B, "\r\n"); len(t) > 0 && t[0] == ' ' {
		v = unindent(v)
	}
	o = o.inner()
	o.templated = o.templated || text.HasTemplate(v.B)
	n.Start, n.End = 0, 0
	doc := &Node{Kind: Document, Lang: lang, View: v}
	n.add(doc)
	read(doc, v, o)
}

// flowObject is the begin of an object of YAML that is written in braces, up to its apiVersion.
var flowObject = lazyregexp.New(`^\{([^"{}\n]*,)?\s*apiVersion:\s`)

// documentIn is how the text in a string is read; nil for a text that is no
// document.
func documentIn(n *Node, trimmed []byte, formats []format) (lang string, read func(*Node, *View, options)) {
	lines := bytes.IndexByte(trimmed, '\n') >= 0
	ext := strings.ToLower(path.Ext(n.Named().Name))
	switch {
	case len(trimmed) < 2:
		return "", nil
	case ext != "" && (lines || bytes.IndexByte(trimmed, '"') >= 0):
		for _, f := range formats {
			if slices.Contains(f.Exts, ext) {
				return f.Name, f.read
			}
		}
	}
	switch {
	case trimmed[0] == '{' && !text.BeginsTemplate(trimmed) && (flowObject.Match(trimmed) || bytes.Contains(trimmed, []byte("\n---"))):
		return "", yamlStream
	case (trimmed[0] == '{' || trimmed[0] == '[') && bytes.IndexByte(trimmed, ':') > 0 && !text.BeginsTemplate(trimmed) && bytes.IndexByte(trimmed, '"') > 0:
		return "", jsonOrNotebook
	case lines && bytes.HasPrefix(trimmed, []byte("package ")) && bytes.IndexByte(trimmed[:text.LineBreak(trimmed, 0)], ';') < 0:
		return "go", language("go")
	case looksYAML(trimmed) && (lines || bytes.HasPrefix(trimmed, []byte("apiVersion:"))):
		return "", yamlStream
	case bytes.HasPrefix(trimmed, []byte("#!")), isScript(n, trimmed, lines):
		return "shell", shell
	case lines:
		return "", markdown
	}
	return "", nil
}

// jsonOrNotebook reads JSON that may be a notebook.
func jsonOrNotebook(top *Node, v *View, o options) {
	if bytes.Contains(v.B, []byte(`"nbformat"`)) {
		notebook(top, v, o)
		return
	}
	jsonText(top, v, o)
}

// isScript says whether a text is a script: by the name that it has, or by the
// command that it begins with.
func isScript(n *Node, t []byte, lines bool) bool {
	switch n.Label() {
	case "run", "script", "command", "args", "cmd", "shell", "beforescript", "afterscript", "commands":
		return lines || !n.Item && bytes.IndexByte(t, ' ') > 0
	}
	first := t[:text.LineBreak(t, 0)]
	return isCommand(first)
}

// isCommand says whether a line begins with a command that names resources.
func isCommand(line []byte) bool {
	line = bytes.TrimLeft(line, " \t$>#")
	return slices.ContainsFunc([]string{"kubectl ", "oc ", "k ", "helm ", "kustomize ", "flux ", "velero ", "clusterctl ", "istioctl "}, func(c string) bool { return bytes.HasPrefix(line, []byte(c)) })
}

// looksYAML says whether a text begins as a YAML mapping, list of mappings or
// stream does.
func looksYAML(data []byte) bool {
	for at := 0; at < len(data); {
		end := text.LineBreak(data, at)
		line := bytes.TrimSpace(data[at:end])
		at = end + 1
		if len(line) == 0 || line[0] == '#' || text.BeginsTemplate(line) {
			continue
		}
		if rest, ok := bytes.CutPrefix(line, []byte("---")); ok || bytes.HasPrefix(line, []byte("%YAML")) {
			rest = bytes.TrimSpace(rest)
			return len(rest) == 0 || !ok || bytes.IndexByte([]byte("#|>{[!&\"'"), rest[0]) >= 0 // and not the name of a file, in a diff
		}
		line = bytes.TrimLeft(bytes.TrimPrefix(line, []byte("- ")), " \"'")
		i := 0
		for i < len(line) && (text.IsIdent(line[i]) || line[i] == '-' || line[i] == '.' || line[i] == '/') {
			i++
		}
		rest := bytes.TrimLeft(line[i:], "\"'")
		return i > 0 && len(rest) > 0 && rest[0] == ':' && (len(rest) == 1 || rest[1] == ' ' || rest[1] == '\r')
	}
	return false
}
