package prove

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// parseYAML decodes the documents of a stream. Nodes keep what values lose:
// order, tags, anchors, comments.
func parseYAML(text []byte) ([]*yaml.Node, error) {
	if bytes.Contains(text, []byte("%YAML 1.2")) { // the parser is one of 1.1
		text = newer.ReplaceAll(text, []byte("${1}1"))
	}
	var docs []*yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var n yaml.Node
		err := dec.Decode(&n)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, &n)
	}
}

// newer is a directive of YAML 1.2.
var newer = lazyregexp.New(`(?m)^(%YAML 1\.)2`)

// parseJSON decodes the values of a JSON text one after the other, as the
// nodes that YAML would give.
func parseJSON(text []byte) ([]*yaml.Node, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var docs []*yaml.Node
	for {
		n, err := jsonValue(dec, nil, 0)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, n)
	}
}

// maxDepth is how deep documents may nest; the YAML decoder has the same bound.
const maxDepth = 10_000

func jsonValue(dec *json.Decoder, tok json.Token, depth int) (*yaml.Node, error) {
	if depth > maxDepth {
		return nil, errors.New("nested too deeply")
	}
	if tok == nil {
		var err error
		if tok, err = dec.Token(); err != nil {
			return nil, err
		}
	}
	if v, ok := tok.(json.Delim); ok {
		return jsonCollection(dec, v, depth)
	}
	return jsonScalar(tok), nil
}

// jsonCollection decodes what follows an opening bracket.
func jsonCollection(dec *json.Decoder, open json.Delim, depth int) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: yaml.NodeTagSeq}
	if open == '{' {
		n.Kind, n.Tag = yaml.MappingNode, yaml.NodeTagMap
	}
	for dec.More() {
		item, err := jsonValue(dec, nil, depth+1)
		if err != nil {
			return nil, noEnd(err)
		}
		n.Content = append(n.Content, item)
	}
	_, err := dec.Token()
	return n, noEnd(err)
}

func jsonScalar(tok json.Token) *yaml.Node {
	scalar := func(tag, value string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
	}
	switch v := tok.(type) {
	case string:
		return scalar(yaml.NodeTagString, v)
	case json.Number:
		return scalar(yaml.NodeTagFloat, v.String())
	case bool:
		return scalar(yaml.NodeTagBool, fmt.Sprint(v))
	}
	return scalar(yaml.NodeTagNull, "null")
}

// noEnd is for the end of the text where more was due.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// withoutComments blanks the comments and trailing commas of JSON out, which
// JSON does not have and editors write.
func withoutComments(text []byte) []byte {
	out := bytes.Clone(text)
	comma := -1 // the last one, when only blanks and comments followed
	for i := 0; i < len(text); i++ {
		if end := commentEnd(text, i); end > i {
			for ; i < end; i++ {
				if out[i] != '\n' {
					out[i] = ' '
				}
			}
			i--
			continue
		}
		switch c := text[i]; c {
		case '"':
			comma = -1
			i = quoteEnd(text, i)
		case ',':
			comma = i
		case '}', ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case ' ', '\t', '\r', '\n':
		default:
			comma = -1
		}
	}
	return out
}

// commentEnd is the offset behind the comment at an offset, the offset itself
// where none begins.
func commentEnd(text []byte, i int) int {
	rest := text[i:]
	var mark string
	skip := 0
	switch {
	case bytes.HasPrefix(rest, []byte("//")), rest[0] == '#':
		mark = "\n"
	case bytes.HasPrefix(rest, []byte("/*")):
		mark, skip = "*/", 2
	default:
		return i
	}
	n := bytes.Index(rest[skip:], []byte(mark))
	if n < 0 {
		return len(text)
	}
	return i + skip + n + skip
}

// quoteEnd is the offset of what closes the string at an offset, or of the end of
// its line.
func quoteEnd(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// actionMarks are what actions of templates begin and end with.
var actionMarks = [][2]string{{"{{", "}}"}, {"{%", "%}"}, {"<%", "%>"}}

// actionsOf are the spans of the actions of a template: what other programs
// fill in.
func actionsOf(text string) []source.Span {
	var list []source.Span
	for at := 0; ; {
		n := strings.IndexAny(text[at:], "{<")
		if n < 0 {
			return list
		}
		at += n
		end := -1
		for _, m := range actionMarks {
			if strings.HasPrefix(text[at:], m[0]) {
				if n := strings.Index(text[at+2:], m[1]); n >= 0 {
					end = at + 2 + n + 2
				} else {
					return list // what is not closed is none
				}
			}
		}
		if end < 0 {
			at++
			continue
		}
		list = append(list, source.Span{Start: at, End: end})
		at = end
	}
}

// actionTexts are the actions of a template.
func actionTexts(text string) []string {
	var list []string
	for _, s := range actionsOf(text) {
		list = append(list, text[s.Start:s.End])
	}
	return list
}

// masked is a template as a text that a parser may take: each action is a word
// of its own, or a comment where actions have a line for themselves. same
// gives the action that one stands for.
func masked(text string, same func(action string) string) string {
	var b strings.Builder
	list := actionsOf(text)
	at := 0
	for i := 0; i < len(list); {
		from := strings.LastIndexByte(text[:list[i].Start], '\n') + 1
		j, end := i, list[i].Start // the actions that follow with nothing but blanks between
		for j < len(list) && alone(text[end:list[j].Start]) {
			end = list[j].End
			j++
		}
		rest, _, _ := strings.Cut(text[end:], "\n")
		lines := from >= at && alone(text[from:list[i].Start]) && alone(rest)
		if lines {
			b.WriteString(text[at:from] + "#")
		} else {
			b.WriteString(text[at:list[i].Start])
			j, end = i+1, list[i].End
		}
		for ; i < j; i++ {
			b.WriteString("Q" + hex.EncodeToString([]byte(same(text[list[i].Start:list[i].End]))) + "_")
		}
		at = end
	}
	return b.String() + text[at:]
}

func alone(blanks string) bool { return strings.Trim(blanks, " \t\r") == "" }

// withoutActions is a template without what is filled in.
func withoutActions(text string) string {
	var b strings.Builder
	at := 0
	for _, s := range actionsOf(text) {
		b.WriteString(text[at:s.Start])
		at = s.End
	}
	return b.String() + text[at:]
}

// bothMasked masks a template before and after. An action that the rules
// change stands for what it was.
func (c *check) bothMasked(a, b string) (before, after string) {
	old := map[string]bool{}
	for _, x := range actionTexts(a) {
		old[x] = true
	}
	was := map[string]string{}
	before = masked(a, func(x string) string { return x })
	after = masked(b, func(x string) string {
		if old[x] {
			return x
		}
		if _, ok := was[x]; !ok {
			was[x] = x
			for _, o := range slices.Sorted(maps.Keys(old)) {
				if c.explains(o, x) {
					was[x] = o
					break
				}
			}
		}
		return was[x]
	})
	return before, after
}

// parseBoth decodes two texts that may be documents, JSON or YAML, with or
// without the actions of a template. Text that is one scalar is no document.
func (c *check) parseBoth(a, b string) (before, after []*yaml.Node, isDoc, ok bool) {
	if len(actionsOf(a)) > 0 {
		a, b = c.bothMasked(a, b)
	}
	if before, isDoc = parseText(a); !isDoc {
		return nil, nil, false, false
	}
	after, ok = parseText(b)
	return before, after, true, ok
}

func parseText(text string) ([]*yaml.Node, bool) {
	body := strings.TrimLeft(text, " \t\r\n")
	if body == "" {
		return nil, false
	}
	if body[0] == '{' || body[0] == '[' {
		if docs, err := parseJSON([]byte(text)); err == nil {
			return docs, true
		}
	}
	docs, err := parseYAML([]byte(text))
	if err != nil {
		return nil, false
	}
	for _, d := range docs {
		if len(d.Content) > 0 && d.Content[0].Kind != yaml.ScalarNode {
			return docs, true
		}
	}
	return nil, false
}

// A chunk is a run of documents of a stream, before and after.
type chunk struct{ before, after source.Span }

// chunks are the documents of a stream that edits touch. Where an edit adds or
// takes away a document, that is the whole stream.
func chunks(text []byte, edits []source.Edit) []chunk {
	sorted, err := source.Sort(text, edits)
	if err != nil || len(sorted) == 0 {
		return nil
	}
	whole := []chunk{{source.Span{End: len(text)}, source.Span{End: len(text) + grown(sorted)}}}
	if bytes.HasPrefix(text, []byte("%")) || bytes.Contains(text, []byte("\n%")) {
		return whole
	}
	var list []chunk
	shift := 0
	for i := 0; i < len(sorted); {
		s := documentAt(text, sorted[i].Start)
		c := chunk{s, source.Span{Start: s.Start + shift, End: s.End + shift}}
		for ; i < len(sorted) && sorted[i].Start < s.End; i++ {
			e := sorted[i]
			if takesDocuments(text, s, e) {
				return whole
			}
			c.after.End += len(e.New) - e.Len()
			shift += len(e.New) - e.Len()
		}
		if i < len(sorted) && sorted[i].Start == s.End {
			return whole // between two documents, or behind the last
		}
		list = append(list, c)
	}
	return list
}

// grown is by how much edits make a text longer.
func grown(edits []source.Edit) int {
	n := 0
	for _, e := range edits {
		n += len(e.New) - e.Len()
	}
	return n
}

// takesDocuments says whether an edit in a document takes it away, or makes
// another one.
func takesDocuments(text []byte, doc source.Span, e source.Edit) bool {
	return e.End > doc.End || e.Len() > 0 && e.Span == doc || separates(e.New) || separates(string(e.Of(text)))
}

// separates says whether text has a line that ends a document.
func separates(text string) bool {
	return strings.HasPrefix(text, "---") || strings.Contains(text, "\n---")
}

// documentAt is the document of a stream around an offset, from its separator
// to the next one.
func documentAt(text []byte, at int) source.Span {
	s := source.Span{End: len(text)}
	for from := at; from > 0; {
		n := bytes.LastIndex(text[:min(from+3, len(text))], []byte("\n---"))
		if n < 0 || n+1 > at {
			break
		}
		if isSeparator(text[n+1:]) {
			s.Start = n + 1
			break
		}
		from = n - 3
	}
	for from := max(at, s.Start); ; {
		n := bytes.Index(text[from:], []byte("\n---"))
		if n < 0 {
			break
		}
		from += n + 1
		if isSeparator(text[from:]) {
			s.End = from
			break
		}
	}
	return s
}

func isSeparator(text []byte) bool {
	return bytes.HasPrefix(text, []byte("---")) && (len(text) == 3 || strings.IndexByte(" \t\r\n", text[3]) >= 0)
}
