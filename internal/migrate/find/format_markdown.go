package find

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// fence is the first line of a fenced code block.
var fence = lazyregexp.New("^([ \t>]*)(```+|~~~+)[ \t]*([A-Za-z0-9_+.-]*)([^`\n]*)$")

// markdown reads fenced blocks in their own language and the rest as prose.
func (a *analysis) markdown(v *text.View) {
	if a.reference(v) {
		return
	}
	rest := 0
	for at := 0; at < len(v.Data); {
		text, next := text.LineEnd(v.Data, at, len(v.Data))
		m := fence.FindSubmatch(v.Data[at:text])
		if m == nil {
			at = next
			continue
		}
		body, end, after := fenceBody(v.Data, next, m[2])
		a.unfenced(v, source.Span{Start: rest, End: body})
		a.fenced(v, source.Span{Start: body, End: end}, len(m[1]), strings.ToLower(string(m[3])))
		at, rest = after, after
	}
	a.unfenced(v, source.Span{Start: rest, End: len(v.Data)})
}

// unfenced reads what stands outside of fences: manifests that are indented as code, and prose.
// Source: CommonMark, indented code blocks.
func (a *analysis) unfenced(v *text.View, s source.Span) {
	if !bytes.Contains(v.Data[s.Start:s.End], []byte("\n    ")) || len(a.Tokens(v.Data[s.Start:s.End])) == 0 {
		a.prose(v.Sub(s), InProse)
		return
	}
	from, blank := s.Start, true
	for at := s.Start; at < s.End; {
		_, next := text.LineEnd(v.Data, at, s.End)
		if end := indentedEnd(v.Data, at, s.End, blank); end > at {
			if looksYAML(v.Data[at:end]) {
				a.prose(v.Sub(source.Span{Start: from, End: at}), InProse)
				a.fenced(v, source.Span{Start: at, End: end}, codeIndent, "")
				from = end
			}
			next = end
		}
		blank, at = len(bytes.TrimSpace(v.Data[at:next])) == 0, next
	}
	a.prose(v.Sub(source.Span{Start: from, End: s.End}), InProse)
}

// codeIndent is by how much lines of code are indented.
const codeIndent = 4

// indentedEnd is where lines end that are indented as code, from an offset on behind a blank
// line, blank lines between them included; the offset for none.
func indentedEnd(data []byte, at, end int, blank bool) int {
	last := at
	for blank && at < end {
		_, next := text.LineEnd(data, at, end)
		switch line := data[at:next]; {
		case bytes.HasPrefix(line, []byte("    ")) && len(bytes.TrimSpace(line)) > 0:
			last = next
		case len(bytes.TrimSpace(line)) > 0:
			return last
		}
		at = next
	}
	return last
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
	if len(a.Tokens(in.Data)) == 0 {
		return
	}
	switch lang {
	case "yaml", "yml", "helm":
		a.yaml(in, true)
	case "json", "jsonc":
		a.json(in, true)
	case "go", "golang":
		a.code(in, text.Languages["go"])
	case "python", "py", "python3", "starlark":
		a.code(in, text.Languages["python"])
	case "js", "javascript", "ts", "typescript":
		a.code(in, text.Languages["js"])
	case "java", "kotlin", "scala", "csharp", "cs", "c#", "swift", "pkl":
		a.code(in, text.Languages["java"])
	case "groovy", "dart", "php":
		a.code(in, text.Languages["groovy"])
	case "lua", "sql", "dhall", "haskell":
		a.code(in, text.Languages["lua"])
	case "rust":
		a.code(in, text.Languages["rust"])
	case "toml", "hcl", "terraform", "tf", "ini", "ruby", "rb", "jsonnet", "cue", "rego", "nix", "elixir":
		a.code(in, text.Languages["hash"])
	case "sh", "bash", "shell", "console", "shell-session", "zsh", "terminal":
		a.shell(in)
	case "diff", "patch":
		a.prose(in, InCode)
	default:
		if heredoc.Match(in.Data) {
			a.shell(in)
			return
		}
		a.embedded(in, InShell)
	}
}
