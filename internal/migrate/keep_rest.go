package migrate

import (
	"bytes"
	"go/scanner"
	"go/token"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// An old repository switches a gate on by acknowledging what is left: with
// comments, where a comment says nothing to whoever reads the file, else in the
// configuration.

// A Rest is the acknowledgement of what is left of a plan.
type Rest struct {
	Changes []source.Change // the comments
	Keep    []Keep          // for the configuration: what has no place for a comment
	Places  int             // that are acknowledged
}

// KeepRest acknowledges everything that a plan leaves, with a reason of one
// line. A file that is no longer what was planned is an error.
func (m *Migration) KeepRest(p *Plan, tree Others, why string) (*Rest, error) {
	r := &Rest{}
	for _, f := range p.Files {
		if f.Skip != nil {
			if !f.Fault {
				r.keep(f, "", why)
				r.Places++
			}
			continue
		}
		if err := r.file(f, tree, why); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// keep acknowledges a spelling of a file in the configuration.
func (r *Rest) keep(f *File, value, why string) {
	k := Keep{Path: "/" + escapeGlob(f.placeIn()), Value: value, Why: why}
	if !slices.Contains(r.Keep, k) {
		r.Keep = append(r.Keep, k)
	}
}

// escapeGlob is a path as the glob of itself.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// file acknowledges what is left of one file.
func (r *Rest) file(f *File, tree Others, why string) error {
	var left []Site
	for _, s := range f.Sites {
		if s.Action != Stay && s.Old != suppression {
			left = append(left, s)
		}
	}
	r.Places += len(left)
	if len(left) == 0 {
		return nil
	}
	data, err := tree.ReadFile(f.Path)
	switch {
	case err != nil:
		data = nil // a link, or nothing that has lines
	case f.Sum != (source.Sum{}) && source.SumOf(data) != f.Sum:
		return &source.Error{Path: f.Path, Err: errChanged, Hint: "run cfctl again"}
	}
	c := &commenter{name: f.Path, format: f.Format, data: data, why: why}
	c.ensure(left)
	var edits []source.Edit
	for _, s := range left {
		e, ok := c.comment(s)
		if !ok {
			r.keep(f, s.Old, why)
			continue
		}
		if !slices.ContainsFunc(edits, func(x source.Edit) bool { return x.Start == e.Start }) {
			edits = append(edits, e)
		}
	}
	if len(edits) > 0 {
		r.Changes = append(r.Changes, source.Change{From: f.Path, To: f.Path, Edits: edits, Before: source.SumOf(data)})
	}
	return nil
}

// A commenter knows where a file has room for a comment.
type commenter struct {
	name, format string
	data         []byte
	why          string
	code         *text.CodeFile
	inside       map[int]bool // lines of a Go file that end within a string
	sure         bool         // YAML with comments on all lines that are left reads as before
}

// ensure tries the comments of all sites at once, which is so much faster than
// one by one.
func (c *commenter) ensure(left []Site) {
	if c.format != "yaml" || c.data == nil {
		return
	}
	var edits []source.Edit
	for _, s := range left {
		end, _ := text.LineEnd(c.data, min(s.Start, len(c.data)), len(c.data))
		if e, ok := c.behind(end, " # ", ""); ok && !slices.ContainsFunc(edits, func(x source.Edit) bool { return x.Start == end }) {
			edits = append(edits, e)
		}
	}
	after, err := source.Apply(c.data, edits)
	c.sure = err == nil && sameYAML(c.data, after)
}

// comment is the edit that acknowledges a site where it stands.
func (c *commenter) comment(s Site) (source.Edit, bool) {
	if c.data == nil || s.Pos.Line == 0 || s.Start > len(c.data) || s.Len() == 0 && s.Role != "import-path" {
		return source.Edit{}, false
	}
	from := text.LineStart(c.data, s.Start)
	end, _ := text.LineEnd(c.data, s.Start, len(c.data))
	line := string(c.data[from:end])
	switch {
	case path.Base(c.name) == modName:
		return c.behind(end, " // ", "")
	case c.format == "go":
		return c.inGo(s.Pos.Line, from, end, line)
	case c.format == "yaml" || c.format == "helm":
		return c.inYAML(end, line)
	case c.format == "markdown":
		return c.inMarkdown(from, end, line)
	case c.format == "config":
		return c.before(from, line, "# ")
	case c.format == "shell" && !bytes.Contains(c.data, []byte("<<")), c.format == "python":
		return c.inCode(end, line, " # ")
	case c.format == "typescript" || c.format == "java" || c.format == "rust":
		return c.inCode(end, line, " // ")
	}
	return source.Edit{}, false
}

// write puts text at a place.
func (c *commenter) write(at int, fresh string) (source.Edit, bool) {
	e, err := text.Whole(c.data).Edit(source.Span{Start: at, End: at}, "", fresh)
	return e, err == nil
}

// behind is a comment at the end of a line.
func (c *commenter) behind(end int, open, closing string) (source.Edit, bool) {
	return c.write(end, open+suppression+" "+c.why+closing)
}

// before is a comment on a line of its own, which is none where the line goes
// on from the one before.
func (c *commenter) before(from int, line, open string) (source.Edit, bool) {
	if from > 1 && c.data[from-2] == '\\' {
		return source.Edit{}, false
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	return c.write(from, indent+open+suppression+" "+c.why+"\n")
}

// inCode is a comment in a language that the lexer knows: not within a string,
// nor before the rest of a line.
func (c *commenter) inCode(end int, line, open string) (source.Edit, bool) {
	l := text.Languages[map[string]string{"typescript": "js", "shell": "hash", "python": "python", "java": "java", "rust": "rust"}[c.format]]
	if l == nil || strings.HasSuffix(strings.TrimRight(line, " \t"), `\`) {
		return source.Edit{}, false
	}
	if c.code == nil {
		c.code = l.Lex(c.data)
	}
	for _, lit := range c.code.Literals {
		if lit.Outer.Start < end && end < lit.Outer.End {
			return source.Edit{}, false
		}
	}
	return c.behind(end, open, "")
}

// inGo is a comment in Go: a marker has its own line, so that it reads as before.
func (c *commenter) inGo(number, from, end int, line string) (source.Edit, bool) {
	if c.inside == nil {
		c.inside = linesInStrings(c.data)
	}
	switch {
	case c.inside[number]:
		return source.Edit{}, false
	case strings.HasPrefix(strings.TrimLeft(line, " \t"), "//"):
		indent, _, _ := strings.Cut(line, "//")
		return c.write(from, indent+"// "+suppression+" "+c.why+"\n")
	}
	return c.behind(end, " // ", "")
}

// linesInStrings are the lines of Go code that end within a string.
func linesInStrings(data []byte) map[int]bool {
	inside := map[int]bool{}
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(data))
	var s scanner.Scanner
	s.Init(file, data, func(token.Position, string) {}, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return inside
		}
		if tok == token.STRING {
			first := file.Line(pos)
			for i := range strings.Count(lit, "\n") {
				inside[first+i] = true
			}
		}
	}
}

// inYAML is a comment that changes no value; in a template it is one of the
// template, which renders nothing.
func (c *commenter) inYAML(end int, line string) (source.Edit, bool) {
	if c.format == "helm" && text.HasTemplate(c.data) {
		return c.behind(end, "{{/* ", " */}}")
	}
	e, _ := c.behind(end, " # ", "")
	if c.sure {
		return e, true
	}
	after, err := source.Apply(c.data, []source.Edit{e})
	if err != nil || strings.TrimSpace(line) == "" || !sameYAML(c.data, after) {
		return source.Edit{}, false
	}
	return e, true
}

// sameYAML says whether two streams decode to the same documents.
func sameYAML(a, b []byte) bool {
	x, y := yaml.NewDecoder(bytes.NewReader(a)), yaml.NewDecoder(bytes.NewReader(b))
	for {
		var m, n yaml.Node
		errA, errB := x.Decode(&m), y.Decode(&n)
		if errA != nil || errB != nil {
			return errA != nil && errB != nil && errA.Error() == errB.Error() && errA.Error() == "EOF"
		}
		if !sameNode(&m, &n) {
			return false
		}
	}
}

func sameNode(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !sameNode(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// fenceComments are the comments of what stands in fences of Markdown.
var fenceComments = map[string]string{"yaml": " # ", "yml": " # ", "sh": " # ", "bash": " # ", "shell": " # ", "console": " # ", "python": " # ", "go": " // "}

// inMarkdown is a comment that is not shown; within a fence it is one of the
// language there.
func (c *commenter) inMarkdown(from, end int, line string) (source.Edit, bool) {
	fence, language := "", ""
	for _, l := range strings.Split(string(c.data[:from]), "\n") {
		l = strings.TrimLeft(l, " \t>-*")
		switch {
		case fence == "" && (strings.HasPrefix(l, "```") || strings.HasPrefix(l, "~~~")):
			fence, language = l[:3], strings.ToLower(strings.TrimSpace(strings.TrimLeft(l, "`~")))
		case fence != "" && strings.HasPrefix(l, fence):
			fence = ""
		}
	}
	trimmed := strings.TrimRight(line, " \t\r")
	switch open := fenceComments[language]; {
	case fence != "" && (open == "" || strings.HasSuffix(trimmed, `\`)):
		return source.Edit{}, false
	case fence != "":
		return c.behind(end, open, "")
	case strings.HasSuffix(trimmed, "|"): // a row of a table: within its last cell
		return c.behind(from+len(trimmed)-1, "<!-- ", " -->")
	}
	return c.behind(from+len(trimmed), " <!-- ", " -->")
}
