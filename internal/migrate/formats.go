package migrate

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A format finds sites in one kind of file.
type format struct {
	name string
	doc  string
	is   func(base, ext string, data []byte) bool
	read func(a *analysis, v *text.View)
}

// formats, in the order in which they are asked whether a file is theirs; the
// last takes every file.
var formats = []format{
	{"notebook", "Jupyter notebooks: the cells and their outputs", extIs(".ipynb"), (*analysis).notebook},
	{"helm", "templates of YAML and of text: Helm, Go templates, Jinja, ERB", isTemplate, func(a *analysis, v *text.View) { a.yaml(v, true) }},
	{"yaml", "YAML streams: manifests, charts, kustomizations, CSVs", isYAML, func(a *analysis, v *text.View) { a.yaml(v, false) }},
	{"json", "JSON, with comments too", extIs(".json", ".jsonc", ".json5"), func(a *analysis, v *text.View) { a.json(v, false) }},
	{"markdown", "Markdown: fenced blocks in their own language, prose", extIs(".md", ".markdown", ".mdx"), (*analysis).markdown},
	{"go", "Go: literals, raw strings, comments, markers, generated clients", extIs(".go"), (*analysis).golang},
	{"python", "Python: literals, f-strings, documents in strings", extIs(".py", ".pyi", ".pyx", ".star", ".bzl"), codeIn("python")},
	{"typescript", "TypeScript and JavaScript", extIs(".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs"), codeIn("js")},
	{"java", "Java, Kotlin, Scala, Groovy, C#", extIs(".java", ".kt", ".kts", ".scala", ".groovy", ".cs", ".swift", ".proto"), codeIn("java")},
	{"rust", "Rust", extIs(".rs"), codeIn("rust")},
	{"shell", "shell scripts with their heredocs, Makefiles, Dockerfiles", isShell, (*analysis).shell},
	{"config", "TOML, HCL, properties, Ruby, Jsonnet: quoted names and comments", extIs(".toml", ".tf", ".hcl", ".tfvars", ".ini", ".cfg", ".conf", ".properties", ".env", ".rb", ".jsonnet", ".libsonnet", ".cue", ".rego", ".nix"), codeIn("hash")},
	{"text", "every other text: REST paths, commands, names of files", func(string, string, []byte) bool { return true }, (*analysis).text},
}

// Formats are the names that --only takes.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

func extIs(list ...string) func(string, string, []byte) bool {
	return func(_, ext string, _ []byte) bool { return slices.Contains(list, ext) }
}

func codeIn(name string) func(*analysis, *text.View) {
	return func(a *analysis, v *text.View) { a.code(v, text.Languages[name]) }
}

// formatOf is the format of a file, by its name and, where that does not tell,
// by its content.
func formatOf(file string, data []byte) format {
	base := strings.ToLower(path.Base(file))
	ext := path.Ext(base)
	for _, f := range formats {
		if f.is(base, ext, data) {
			return f
		}
	}
	return formats[len(formats)-1]
}

var templateExts = []string{".tpl", ".tmpl", ".gotmpl", ".j2", ".jinja", ".jinja2", ".erb", ".in", ".template", ".mustache", ".hbs"}

func isTemplate(base, ext string, data []byte) bool {
	if slices.Contains(templateExts, ext) {
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

var templateAt = regexp.MustCompile(`(^|[:\-]\s+)\S*(\{\{-?\s|\{\{|\{%|<%)`)

func isYAML(base, ext string, data []byte) bool {
	if ext == ".yaml" || ext == ".yml" {
		return true
	}
	return ext == "" && base == "project" && (looksYAML(data) || bytes.Contains(data, []byte("layout:")) || bytes.Contains(data, []byte("domain:")))
}

func isShell(base, ext string, data []byte) bool {
	switch ext {
	case ".sh", ".bash", ".zsh", ".ksh", ".bats", ".mk", ".ps1", ".fish", ".dockerfile", ".containerfile":
		return true
	}
	for _, name := range []string{"makefile", "gnumakefile", "dockerfile", "containerfile", "justfile", "tiltfile", "jenkinsfile"} {
		if base == name || strings.HasPrefix(base, name+".") {
			return true
		}
	}
	return bytes.HasPrefix(data, []byte("#!")) && bytes.Contains(data[:min(len(data), 80)], []byte("sh"))
}

// text reads text of no known kind.
func (a *analysis) text(v *text.View) {
	if looksYAML(v.Data) && !bytes.Contains(v.Data, []byte("</")) {
		a.yaml(v, true)
		return
	}
	a.prose(v, inCode)
}

// heredoc is the start of a here document: << EOF, <<-'EOF'.
var heredoc = regexp.MustCompile(`<<-?\s*(["']?)([A-Za-z_][A-Za-z0-9_]*)(["']?)`)

// shell reads a script; here documents are documents of their own.
func (a *analysis) shell(v *text.View) {
	rest := 0
	var ends map[string][]int // the lines of one word
	for rest < len(v.Data) {
		m := heredoc.FindSubmatchIndex(v.Data[rest:])
		if m == nil {
			break
		}
		if ends == nil {
			ends = text.WordLines(v.Data)
		}
		end, after := text.HeredocEnd(v.Data, ends[string(v.Data[rest+m[4]:rest+m[5]])], rest+m[1])
		if end < 0 {
			a.shellText(v, source.Span{Start: rest, End: rest + m[1]})
			rest += m[1]
			continue
		}
		_, body := text.LineEnd(v.Data, rest+m[1], len(v.Data))
		a.shellText(v, source.Span{Start: rest, End: body})
		in := v.Sub(source.Span{Start: body, End: end})
		in.Depth = v.Depth + 1
		if len(a.tokens(a.seek, in.Data)) > 0 {
			a.embedded(in, inShell)
		}
		rest = after
	}
	a.shellText(v, source.Span{Start: rest, End: len(v.Data)})
}

// shellText reads the part of a script outside of here documents.
func (a *analysis) shellText(v *text.View, s source.Span) {
	in := v.Sub(s)
	for _, tok := range a.tokens(a.seek, in.Data) {
		line := bytes.TrimLeft(in.Data[text.LineStart(in.Data, tok.word.Start):tok.word.Start], " \t")
		switch {
		case bytes.HasPrefix(line, []byte("#")):
			a.phrase(in, tok, inComment)
		case bytes.HasSuffix(line, []byte(`"apiVersion": "`)), bytes.HasSuffix(line, []byte("apiVersion: ")):
			a.phrase(in, tok, inCode)
		default:
			a.phrase(in, tok, inShell)
		}
	}
}

// fence is the first line of a fenced code block.
var fence = regexp.MustCompile("^([ \t>]*)(```+|~~~+)[ \t]*([A-Za-z0-9_+.-]*)([^`\n]*)$")

// markdown reads fenced blocks in their own language and the rest as prose.
func (a *analysis) markdown(v *text.View) {
	rest := 0
	for at := 0; at < len(v.Data); {
		text, next := text.LineEnd(v.Data, at, len(v.Data))
		m := fence.FindSubmatch(v.Data[at:text])
		if m == nil {
			at = next
			continue
		}
		body, end, after := fenceBody(v.Data, next, m[2])
		a.prose(v.Sub(source.Span{Start: rest, End: body}), inProse)
		a.fenced(v, source.Span{Start: body, End: end}, len(m[1]), strings.ToLower(string(m[3])))
		at, rest = after, after
	}
	a.prose(v.Sub(source.Span{Start: rest, End: len(v.Data)}), inProse)
}

// fenceBody finds the end of a fenced block.
func fenceBody(data []byte, at int, mark []byte) (body, end, after int) {
	body = at
	for at < len(data) {
		text, next := text.LineEnd(data, at, len(data))
		line := bytes.TrimLeft(data[at:text], " \t>")
		if bytes.HasPrefix(line, mark) && len(bytes.Trim(line, "`~ \t")) == 0 {
			return body, at, next
		}
		at = next
	}
	return body, len(data), len(data)
}

// fenced reads the lines of a block, without the indentation of its fence.
func (a *analysis) fenced(v *text.View, s source.Span, indent int, lang string) {
	b := text.Builder{Outer: v}
	prefix := ""
	for at := s.Start; at < s.End; {
		text, next := text.LineEnd(v.Data, at, s.End)
		from := at
		for from < text && from-at < indent && bytes.IndexByte([]byte(" \t>"), v.Data[from]) >= 0 {
			from++
		}
		b.Add(source.Span{Start: from, End: next})
		prefix = max(prefix, string(v.Data[at:from]))
		at = next
	}
	in := b.View().Within(v, text.Prefixed(prefix))
	if len(a.tokens(a.seek, in.Data)) == 0 {
		return
	}
	switch lang {
	case "yaml", "yml", "helm":
		a.yaml(in, true)
	case "json", "jsonc":
		a.json(in, true)
	case "go", "golang":
		a.code(in, text.Languages["go"])
	case "python", "py", "python3":
		a.code(in, text.Languages["python"])
	case "js", "javascript", "ts", "typescript":
		a.code(in, text.Languages["js"])
	case "java", "kotlin", "groovy":
		a.code(in, text.Languages["java"])
	case "rust":
		a.code(in, text.Languages["rust"])
	case "toml", "hcl", "terraform", "ini":
		a.code(in, text.Languages["hash"])
	case "sh", "bash", "shell", "console", "shell-session", "zsh", "terminal":
		a.shell(in)
	case "diff", "patch":
		a.prose(in, inCode)
	default:
		if heredoc.Match(in.Data) {
			a.shell(in)
			return
		}
		a.embedded(in, inShell)
	}
}

// notebook reads the cells of a Jupyter notebook: a cell's source is one text,
// whatever the lines it is cut into.
func (a *analysis) notebook(v *text.View) {
	t := text.ScanJSON(v.Data, false)
	toks := a.tokens(a.seek, v.Data)
	done := map[int32]bool{}
	for k, tok := range toks {
		i, inKey := t.At(tok.group.Start)
		if i < 0 || inKey {
			a.document(v, t, []token{tok})
			continue
		}
		entry := t.Up(i)
		if done[i] || done[entry] {
			continue
		}
		name := ""
		if entry >= 0 {
			name = t.KeyText(entry)
		}
		switch name {
		case "source", "text", "text/plain", "text/markdown", "text/html", "traceback":
			done[entry] = true
			in := joined(v, t, entry)
			if name == "source" {
				a.cell(in, a.cellType(t, entry))
			} else {
				a.embedded(in, inCode)
			}
		default:
			done[i] = true
			end := k
			for end < len(toks) && toks[end].group.Start < t.Nodes[i].Val.End {
				end++
			}
			a.yamlValue(v, t, i, toks[k:end], map[int32]bool{})
		}
	}
}

func (a *analysis) cellType(t *text.Tree, source int32) string {
	if k := t.Sibling(source, "cell_type"); k >= 0 {
		return t.Text(k)
	}
	return ""
}

// cell reads the source of one cell.
func (a *analysis) cell(in *text.View, kind string) {
	switch {
	case kind == "markdown":
		a.markdown(in)
	case bytes.HasPrefix(in.Data, []byte("%%bash")), bytes.HasPrefix(in.Data, []byte("%%sh")), bytes.HasPrefix(in.Data, []byte("!")):
		a.shell(in)
	case bytes.HasPrefix(in.Data, []byte("%%")) || kind == "raw":
		a.embedded(in, inCode)
	default:
		a.code(in, text.Languages["python"])
	}
}

// joined is the text of a JSON string or of a list of them, one after the other.
func joined(v *text.View, t *text.Tree, entry int32) *text.View {
	b := text.Builder{Outer: v}
	list := []int32{entry}
	if t.Nodes[entry].Style == text.None {
		list = t.Children(entry)
	}
	for _, i := range list {
		if t.Nodes[i].Style != text.None {
			text.UnescapeInto(&b, t.Nodes[i].Val, false)
		}
	}
	in := b.View()
	if len(list) > 1 && t.Nodes[list[0]].Style == text.Double && t.Nodes[list[1]].Style == text.Double {
		between := string(v.Data[t.Nodes[list[0]].Val.End+1 : t.Nodes[list[1]].Val.Start-1])
		return in.Within(v, func(content string) (string, bool) {
			var items []string // each line is an item of its own
			for line := range strings.Lines(content) {
				item, _ := text.Escaped('"', false)(line)
				items = append(items, item)
			}
			return strings.Join(items, `"`+between+`"`), true
		})
	}
	return in.Within(v, text.Escaped('"', false))
}
