package author

import (
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// Update is the text of a ruleset in which each failed example expects what the
// migration makes of it, and how many were changed. Only block scalars ("out: |")
// are rewritten; a failure of another kind, such as a missing finding, is left.
func Update(path string, text []byte, failed []migrate.Failure) ([]byte, int, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, 0, err
	}
	if len(doc.Content) == 0 {
		return text, 0, nil
	}
	list := strict.Value(doc.Content[0], "examples")
	var edits []source.Edit
	for _, f := range failed {
		if f.Got == "" || list == nil || f.Index >= len(list.Content) {
			continue
		}
		e, ok := expectation(text, list.Content[f.Index], f.Got)
		if !ok {
			return nil, 0, &source.Error{Path: path, Pos: f.Pos, Err: fmt.Errorf("example %q: out is not a block scalar (out: |): edit it by hand", f.Name)}
		}
		edits = append(edits, e)
	}
	if len(edits) == 0 {
		return text, 0, nil
	}
	out, err := source.Apply(text, edits)
	if err != nil {
		return nil, 0, err
	}
	return out, len(edits), proveUpdate(path, out, failed)
}

// proveUpdate reads the new text, whose examples expect what they should.
func proveUpdate(path string, text []byte, failed []migrate.Failure) error {
	set, err := migrate.ParseRuleset(path, text)
	if err != nil {
		return err
	}
	for _, f := range failed {
		if f.Got != "" && set.Examples[f.Index].Out != f.Got {
			return &source.Error{Path: path, Pos: f.Pos, Err: fmt.Errorf("example %q: its layout cannot be rewritten: edit it by hand", f.Name)}
		}
	}
	return nil
}

// expectation is the edit that has an example expect a text.
func expectation(text []byte, example *yaml.Node, want string) (source.Edit, bool) {
	name, body := "out", strict.Value(example, "out")
	if body == nil {
		name, body = "in", strict.Value(example, "in")
	}
	key, _ := strict.Entry(example, name)
	if body == nil || body.Style&yaml.LiteralStyle == 0 || !strings.HasSuffix(want, "\n") {
		return source.Edit{}, false
	}
	begin := strict.LineStart(text, body.Line+1)
	end, indent := block(text, begin, key.Column-1)
	if name == "out" {
		return source.Edit{Span: source.Span{Start: begin, End: end}, New: indentedBy(indent, want)}, true
	}
	head := strings.Repeat(" ", key.Column-1) + "out: |\n"
	return source.Edit{Span: source.Span{Start: end, End: end}, New: head + indentedBy(indent, want)}, true
}

// block is the end of a block scalar, whose content begins at an offset and is
// indented more than its key, and its indentation.
func block(text []byte, begin, key int) (end int, indent string) {
	end = begin
	for line := range strings.Lines(string(text[begin:])) {
		blank := strings.TrimSpace(line) == ""
		space := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if !blank && len(space) <= key {
			break
		}
		if !blank && indent == "" {
			indent = space
		}
		end += len(line)
	}
	return end, indent
}

func indentedBy(indent, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return b.String()
}
