package migrate

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A format finds sites in one kind of file.
type format struct {
	name string
	doc  string
	is   func(base, ext string, data []byte) bool
	read func(a *analysis, v *view)
}

// formats, in the order in which they are asked whether a file is theirs; the
// last takes every file.
var formats = []format{
	{"notebook", "Jupyter notebooks: the cells and their outputs", extIs(".ipynb"), (*analysis).notebook},
	{"helm", "templates of YAML and of text: Helm, Go templates, Jinja, ERB", isTemplate, func(a *analysis, v *view) { a.yaml(v, true) }},
	{"yaml", "YAML streams: manifests, charts, kustomizations, CSVs", isYAML, func(a *analysis, v *view) { a.yaml(v, false) }},
	{"json", "JSON, with comments too", extIs(".json", ".jsonc", ".json5"), func(a *analysis, v *view) { a.json(v, false) }},
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

func codeIn(name string) func(*analysis, *view) {
	return func(a *analysis, v *view) { a.code(v, languages[name]) }
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
	if !hasTemplate(data) {
		return false
	}
	for at := 0; at < len(data); {
		text, next := lineEnd(data, at, len(data))
		line := bytes.TrimSpace(data[at:text])
		at = next
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if templateOpen(line) != nil || templateAt.Match(line) {
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
func (a *analysis) text(v *view) {
	if looksYAML(v.data) && !bytes.Contains(v.data, []byte("</")) {
		a.yaml(v, true)
		return
	}
	a.prose(v, inCode)
}

// heredoc is the start of a here document: << EOF, <<-'EOF'.
var heredoc = regexp.MustCompile(`<<-?\s*(["']?)([A-Za-z_][A-Za-z0-9_]*)(["']?)`)

// shell reads a script; here documents are documents of their own.
func (a *analysis) shell(v *view) {
	rest := 0
	var ends map[string][]int // the lines of one word
	for rest < len(v.data) {
		m := heredoc.FindSubmatchIndex(v.data[rest:])
		if m == nil {
			break
		}
		if ends == nil {
			ends = wordLines(v.data)
		}
		end, after := heredocEnd(v.data, ends[string(v.data[rest+m[4]:rest+m[5]])], rest+m[1])
		if end < 0 {
			a.shellText(v, source.Span{Start: rest, End: rest + m[1]})
			rest += m[1]
			continue
		}
		_, body := lineEnd(v.data, rest+m[1], len(v.data))
		a.shellText(v, source.Span{Start: rest, End: body})
		in := v.sub(source.Span{Start: body, End: end})
		in.depth = v.depth + 1
		if len(a.tokens(a.seek, in.data)) > 0 {
			a.embedded(in, inShell)
		}
		rest = after
	}
	a.shellText(v, source.Span{Start: rest, End: len(v.data)})
}

// wordLines are the offsets of the lines that are nothing but a word, by word.
func wordLines(data []byte) map[string][]int {
	lines := map[string][]int{}
	for at := 0; at < len(data); {
		text, next := lineEnd(data, at, len(data))
		if word := bytes.TrimLeft(data[at:text], "\t "); len(word) > 0 && len(word) < longestName && len(bytes.TrimFunc(word, isIdentRune)) == 0 {
			lines[string(word)] = append(lines[string(word)], at)
		}
		at = next
	}
	return lines
}

func isIdentRune(r rune) bool { return r < utf8.RuneSelf && isIdent(byte(r)) }

// heredocEnd finds the first line of the closing word behind an offset: its
// offset and the one behind it.
func heredocEnd(data []byte, lines []int, at int) (end, after int) {
	i, _ := slices.BinarySearch(lines, at)
	if i == len(lines) {
		return -1, 0
	}
	_, next := lineEnd(data, lines[i], len(data))
	return lines[i], next
}

// shellText reads the part of a script outside of here documents.
func (a *analysis) shellText(v *view, s source.Span) {
	in := v.sub(s)
	for _, tok := range a.tokens(a.seek, in.data) {
		line := bytes.TrimLeft(in.data[lineStart(in.data, tok.word.Start):tok.word.Start], " \t")
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
func (a *analysis) markdown(v *view) {
	rest := 0
	for at := 0; at < len(v.data); {
		text, next := lineEnd(v.data, at, len(v.data))
		m := fence.FindSubmatch(v.data[at:text])
		if m == nil {
			at = next
			continue
		}
		body, end, after := fenceBody(v.data, next, m[2])
		a.prose(v.sub(source.Span{Start: rest, End: body}), inProse)
		a.fenced(v, source.Span{Start: body, End: end}, len(m[1]), strings.ToLower(string(m[3])))
		at, rest = after, after
	}
	a.prose(v.sub(source.Span{Start: rest, End: len(v.data)}), inProse)
}

// fenceBody finds the end of a fenced block.
func fenceBody(data []byte, at int, mark []byte) (body, end, after int) {
	body = at
	for at < len(data) {
		text, next := lineEnd(data, at, len(data))
		line := bytes.TrimLeft(data[at:text], " \t>")
		if bytes.HasPrefix(line, mark) && len(bytes.Trim(line, "`~ \t")) == 0 {
			return body, at, next
		}
		at = next
	}
	return body, len(data), len(data)
}

// fenced reads the lines of a block, without the indentation of its fence.
func (a *analysis) fenced(v *view, s source.Span, indent int, lang string) {
	b := builder{outer: v}
	prefix := ""
	for at := s.Start; at < s.End; {
		text, next := lineEnd(v.data, at, s.End)
		from := at
		for from < text && from-at < indent && bytes.IndexByte([]byte(" \t>"), v.data[from]) >= 0 {
			from++
		}
		b.add(source.Span{Start: from, End: next})
		prefix = max(prefix, string(v.data[at:from]))
		at = next
	}
	in := b.view().within(v, prefixed(prefix))
	if len(a.tokens(a.seek, in.data)) == 0 {
		return
	}
	switch lang {
	case "yaml", "yml", "helm":
		a.yaml(in, true)
	case "json", "jsonc":
		a.json(in, true)
	case "go", "golang":
		a.code(in, languages["go"])
	case "python", "py", "python3":
		a.code(in, languages["python"])
	case "js", "javascript", "ts", "typescript":
		a.code(in, languages["js"])
	case "java", "kotlin", "groovy":
		a.code(in, languages["java"])
	case "rust":
		a.code(in, languages["rust"])
	case "toml", "hcl", "terraform", "ini":
		a.code(in, languages["hash"])
	case "sh", "bash", "shell", "console", "shell-session", "zsh", "terminal":
		a.shell(in)
	case "diff", "patch":
		a.prose(in, inCode)
	default:
		if heredoc.Match(in.data) {
			a.shell(in)
			return
		}
		a.embedded(in, inShell)
	}
}

// notebook reads the cells of a Jupyter notebook: a cell's source is one text,
// whatever the lines it is cut into.
func (a *analysis) notebook(v *view) {
	t := scanJSON(v.data, false)
	toks := a.tokens(a.seek, v.data)
	done := map[int32]bool{}
	for k, tok := range toks {
		i, inKey := t.at(tok.group.Start)
		if i < 0 || inKey {
			a.document(v, t, []token{tok})
			continue
		}
		entry := t.up(i)
		if done[i] || done[entry] {
			continue
		}
		name := ""
		if entry >= 0 {
			name = t.keyText(entry)
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
			for end < len(toks) && toks[end].group.Start < t.nodes[i].val.End {
				end++
			}
			a.yamlValue(v, t, i, toks[k:end], map[int32]bool{})
		}
	}
}

func (a *analysis) cellType(t *tree, source int32) string {
	if k := t.sibling(source, "cell_type"); k >= 0 {
		return t.text(k)
	}
	return ""
}

// cell reads the source of one cell.
func (a *analysis) cell(in *view, kind string) {
	switch {
	case kind == "markdown":
		a.markdown(in)
	case bytes.HasPrefix(in.data, []byte("%%bash")), bytes.HasPrefix(in.data, []byte("%%sh")), bytes.HasPrefix(in.data, []byte("!")):
		a.shell(in)
	case bytes.HasPrefix(in.data, []byte("%%")) || kind == "raw":
		a.embedded(in, inCode)
	default:
		a.code(in, languages["python"])
	}
}

// joined is the text of a JSON string or of a list of them, one after the other.
func joined(v *view, t *tree, entry int32) *view {
	b := builder{outer: v}
	list := []int32{entry}
	if t.nodes[entry].style == none {
		list = t.children(entry)
	}
	for _, i := range list {
		if t.nodes[i].style != none {
			unescapeInto(&b, t.nodes[i].val, false)
		}
	}
	in := b.view()
	if len(list) > 1 && t.nodes[list[0]].style == double && t.nodes[list[1]].style == double {
		between := string(v.data[t.nodes[list[0]].val.End+1 : t.nodes[list[1]].val.Start-1])
		return in.within(v, func(text string) (string, bool) {
			var items []string // each line is an item of its own
			for line := range strings.Lines(text) {
				item, _ := escaped('"', false)(line)
				items = append(items, item)
			}
			return strings.Join(items, `"`+between+`"`), true
		})
	}
	return in.within(v, escaped('"', false))
}
