package syntax

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// prose reads text for people, line by line. A line that begins with a command
// is a command line; `code` in it is a text of its own.
func prose(top *Node, v *View, o options) {
	literals(top, v, o)
	var words map[string]int
	for at := 0; at < len(v.B); {
		end := text.LineBreak(v.B, at)
		if o.hit == nil || o.hit(v.B[at:end]) {
			line(top, v, at, end, o)
		}
		from := prompt(v, at, end)
		entered, word := v.B[from:end], ""
		if isCommand(entered) || bytes.HasPrefix(v.B[at:from], []byte("$")) {
			word = heredoc(entered)
		}
		at = end + 1
		if word != "" && words == nil {
			words = lastWords(v)
		}
		if word != "" && words[word] >= at {
			at = here(top, v, at, word, written(entered), o)
		}
	}
}

// prompt is where the text of a line begins, behind the marks of a session.
func prompt(v *View, at, end int) int {
	for at < end && (v.B[at] == ' ' || v.B[at] == '\t' || v.B[at] == '$' || v.B[at] == '>') {
		at++
	}
	return at
}

// lastWords are the offsets of the last lines that have one word alone, by their words.
func lastWords(v *View) map[string]int {
	words := map[string]int{}
	for at := 0; at < len(v.B); at = text.LineBreak(v.B, at) + 1 {
		if t := bytes.TrimSpace(v.B[at:text.LineBreak(v.B, at)]); plain(t) {
			words[string(t)] = at
		}
	}
	return words
}

func line(top *Node, v *View, at, end int, o options) {
	from := prompt(v, at, end)
	if isCommand(v.B[from:end]) {
		words(top, v, from, &end, o)
		return
	}
	n := top.add(&Node{Kind: Prose, View: v, Start: at, End: end})
	b := v.B[at:end]
	for i := 0; i < len(b); {
		open := bytes.IndexByte(b[i:], '`')
		if open < 0 {
			return
		}
		open += i
		end := bytes.IndexByte(b[open+1:], '`')
		if end < 0 {
			return
		}
		end += open + 1
		if end > open+1 && (o.hit == nil || o.hit(b[open+1:end])) {
			n.add(&Node{Kind: Code, View: v, Start: at + open + 1, End: at + end, Quoted: true})
		}
		i = end + 1
	}
}

// markdown reads Markdown: fenced blocks in their own language, and prose.
func markdown(top *Node, v *View, o options) {
	literals(top, v, o)
	for at := 0; at < len(v.B); {
		end := text.LineBreak(v.B, at)
		fence, lang := fenced(v.B[at:end])
		if fence == "" {
			if o.hit == nil || o.hit(v.B[at:end]) {
				line(top, v, at, end, o)
			}
			at = end + 1
			continue
		}
		from := min(end+1, len(v.B))
		to := upTo(v.B, from, func(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte(fence)) })
		if o.hit == nil || o.hit(v.B[from:to]) {
			inFence(top, unindent(v.Sub(from, to)), lang, o.inner())
		}
		at = to
		if at < len(v.B) {
			at = text.LineBreak(v.B, at) + 1
		}
	}
}

// fenced is the mark of a fenced block that a line begins, and its language.
func fenced(line []byte) (mark, lang string) {
	t := bytes.TrimLeft(line, " \t-")
	for _, m := range []string{"````", "```", "~~~"} {
		if bytes.HasPrefix(t, []byte(m)) {
			lang, _, _ = strings.Cut(strings.ToLower(strings.Trim(string(t[len(m):]), " \t`~{}\r")), " ")
			return m, strings.TrimPrefix(lang, ".")
		}
	}
	return "", ""
}

// fences are the dialects of the languages of fenced blocks.
var fences = map[string]string{"go": "go", "golang": "go", "python": "python", "py": "python", "starlark": "python", "js": "js", "javascript": "js", "ts": "js", "typescript": "js",
	"java": "java", "kotlin": "kotlin", "scala": "kotlin", "rust": "rust", "hcl": "hash", "terraform": "hash", "toml": "hash", "ini": "hash"}

// inFence reads a fenced block.
func inFence(top *Node, v *View, lang string, o options) {
	doc := top.add(&Node{Kind: Document, View: v, Lang: lang})
	if name := fences[lang]; name != "" {
		language(name)(doc, v, o)
		return
	}
	switch lang {
	case "yaml", "yml":
		template(doc, v, o)
	case "json", "jsonc":
		jsonOrNotebook(doc, v, o)
	case "sh", "bash", "shell", "console", "shell-session", "zsh":
		session(doc, v, o)
	default:
		t := bytes.TrimSpace(v.B)
		switch {
		case len(t) > 1 && t[0] == '{':
			jsonOrNotebook(doc, v, o)
		case looksYAML(t):
			o.templated = true
			yamlStream(doc, v, o)
		default:
			session(doc, v, o)
		}
	}
}

// session reads command lines with their output: lines after a command that
// begin another way are text.
func session(doc *Node, v *View, o options) {
	prompts := false
	for at := 0; at < len(v.B); at = text.LineBreak(v.B, at) + 1 {
		prompts = prompts || bytes.HasPrefix(v.B[at:], []byte("$ "))
	}
	if !prompts {
		shell(doc, v, o)
		return
	}
	prose(doc, v, o)
}

// notebook reads the cells of a notebook: each source is one text.
func notebook(top *Node, v *View, o options) {
	plain := o
	plain.depth = maxDepth
	jsonText(top, v, plain)
	for _, doc := range top.Kids {
		if len(doc.Kids) > 0 && doc.Kids[0].Name == "" {
			doc = doc.Kids[0]
		}
		cells := doc.Child("cells")
		if cells == nil {
			continue
		}
		for _, cell := range cells.Kids {
			code := true
			if t := cell.Child("celltype"); t != nil && t.String() == "markdown" {
				code = false
			}
			joined(cell.Child("source"), v, code, o)
			if outputs := cell.Child("outputs"); outputs != nil {
				for _, out := range outputs.Kids {
					joined(out.Child("text"), v, false, o)
					if data := out.Child("data"); data != nil {
						for _, k := range data.Kids {
							joined(k, v, false, o)
						}
					}
				}
			}
		}
	}
}

// joined reads the lines of a list as one text.
func joined(list *Node, v *View, code bool, o options) {
	if list == nil || len(list.Kids) > 0 && list.Kids[0].Name != "" { // an object
		return
	}
	b := newBuilder(v, 0)
	part := func(n *Node) {
		s := unescapeFrom(v, n)
		b.out.B, b.out.P = append(b.out.B, s.B...), append(b.out.P, s.P...)
		n.Start = n.End
	}
	if list.End > list.Start {
		part(list)
	}
	for _, k := range list.Kids {
		if k.End > k.Start {
			part(k)
		}
	}
	list.Kids = nil
	all := b.view()
	if o.hit != nil && !o.hit(all.B) {
		return
	}
	doc := list.add(&Node{Kind: Document, View: all})
	if first := text.LineBreak(all.B, 0); bytes.HasPrefix(all.B, []byte("%%writefile")) && first < len(all.B) {
		n := doc.add(&Node{View: all, Name: string(bytes.TrimSpace(all.B[len("%%writefile"):first]))})
		embed(n, all.Sub(first+1, len(all.B)), o)
		return
	}
	switch t := bytes.TrimSpace(all.B); {
	case code && bytes.HasPrefix(t, []byte("%%")), code && bytes.HasPrefix(t, []byte("!")):
		shell(doc, all, o)
	case looksYAML(t) && (!code || begins(t, "apiVersion:")):
		yamlStream(doc, all, o)
	case code:
		language("python")(doc, all, o)
	default:
		markdown(doc, all, o)
	}
}

// unescapeFrom is the text of a JSON string, which the reader may have decoded
// before.
func unescapeFrom(v *View, n *Node) *View {
	s := n.View.Sub(n.Start, n.End)
	if n.View == v {
		s = unescape(s)
	}
	if s.P == nil {
		b := newBuilder(s, len(s.B))
		b.add(0, len(s.B))
		s = b.view()
	}
	return s
}
