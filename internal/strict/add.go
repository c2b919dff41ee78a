package strict

import (
	"bytes"
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
)

// AddItems is the edit that adds items to the list section.key of a configuration, whose
// other bytes stay: before the first item for which before says so, which may be nil, else
// at the end. A list or section that is not there is made; one that is written in another
// layout than a list of lines or in brackets is an error. An item is YAML without its dash.
// The edit is proven: with it, the list has so many items more.
func AddItems(data []byte, section, key string, items []string, before func(*yaml.Node) bool) (source.Edit, error) {
	top, err := topOf(data)
	if err != nil {
		return source.Edit{}, err
	}
	at, text := addition(data, top, section, key, items, before)
	if at >= 0 {
		if at == len(data) && at > 0 && data[at-1] != '\n' {
			text = "\n" + text
		}
		edit := source.Edit{Span: source.Span{Start: at, End: at}, New: text}
		if after, err := source.Apply(data, []source.Edit{edit}); err == nil {
			if now, err := topOf(after); err == nil && count(now, section, key) == count(top, section, key)+len(items) {
				return edit, nil
			}
		}
	}
	return source.Edit{}, fmt.Errorf("%s.%s has a layout that cfctl does not edit", section, key)
}

// topOf is the value of a document; nil = it has none.
func topOf(data []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil || len(doc.Content) == 0 {
		return nil, err
	}
	return doc.Content[0], nil
}

func count(top *yaml.Node, section, key string) int {
	if list := Value(Value(top, section), key); list != nil {
		return len(list.Content)
	}
	return 0
}

// addition is where the items go and how they are written there; -1 = that is not known.
func addition(data []byte, top *yaml.Node, section, key string, items []string, before func(*yaml.Node) bool) (int, string) {
	under, of := Entry(top, section)
	name, list := Entry(of, key)
	made := func(indent int) string { return strings.Repeat(" ", indent) + key + ":\n" + lines(items, indent+2) }
	switch {
	case top == nil:
		return len(data), section + ":\n" + made(2)
	case list != nil && list.Kind == yaml.SequenceNode && (list.Style&yaml.FlowStyle != 0 || len(list.Content) == 0):
		return inBrackets(data, list, items)
	case top.Kind != yaml.MappingNode || top.Style&yaml.FlowStyle != 0:
		return -1, ""
	case of == nil:
		return len(data), "\n" + section + ":\n" + made(2)
	case of.Tag == yaml.NodeTagNull:
		return LineStart(data, under.Line+1), made(under.Column + 1)
	case of.Kind != yaml.MappingNode || of.Style&yaml.FlowStyle != 0:
		return -1, ""
	case list == nil:
		return LineStart(data, under.Line+1), made(of.Content[0].Column - 1)
	case list.Tag == yaml.NodeTagNull:
		return LineStart(data, name.Line+1), lines(items, name.Column+1)
	case list.Kind != yaml.SequenceNode:
		return -1, ""
	}
	dash := indentOf(data[LineStart(data, list.Content[0].Line):])
	at := endOfItem(data, LineStart(data, list.Content[len(list.Content)-1].Line), dash)
	for _, item := range list.Content {
		if before != nil && before(item) {
			at = LineStart(data, item.Line)
			break
		}
	}
	return at, lines(items, dash)
}

// inBrackets adds items to [A, B].
func inBrackets(data []byte, list *yaml.Node, items []string) (int, string) {
	text := strings.Join(items, ", ")
	begin := LineStart(data, list.Line) + list.Column - 1
	end := bytes.IndexByte(data[begin:], ']')
	if end < 0 || strings.Contains(text, "\n") {
		return -1, ""
	}
	if len(list.Content) > 0 {
		text = ", " + text
	}
	return begin + end, text
}

// lines are items of a list, with their dashes in a column.
func lines(items []string, indent int) string {
	var b strings.Builder
	for _, item := range items {
		lead := "- "
		for line := range strings.Lines(item) {
			b.WriteString(strings.Repeat(" ", indent) + lead + strings.TrimSuffix(line, "\n") + "\n")
			lead = "  "
		}
	}
	return b.String()
}

// endOfItem is the place behind an item that begins in a line, with its dash in a column:
// lines that are indented deeper belong to it, and so do blank lines and comments
// between them.
func endOfItem(data []byte, begin, dash int) int {
	end, at := -1, begin
	for line := range bytes.Lines(data[begin:]) {
		at += len(line)
		text := bytes.TrimRight(line, "\r\n")
		blanks := indentOf(text)
		switch {
		case end < 0: // the first one
		case blanks == len(text), text[blanks] == '#' && blanks <= dash:
			continue
		case blanks <= dash:
			return end
		}
		end = at
	}
	return end
}

func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

// LineStart is the offset of a line, from 1; beyond the last line it is the end.
func LineStart(text []byte, line int) int {
	at := 0
	for range line - 1 {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at
}
