package objects

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// maxDocument bounds one object of a text, in bytes. etcd takes 1.5 MiB.
var maxDocument = 64 << 20

// errTooLong names that bound.
var errTooLong = fmt.Errorf("one object is longer than %d MiB", maxDocument>>20)

// readYAML cuts a text into documents, and the block sequence under a
// document's "items:" into its items, by lines alone, so that a dump of any
// length needs the memory of one object. The parser is the witness of every
// cut: what is cut off must be one item, and what remains one mapping without
// items. A document that uses anchors before its items, and one that is no list,
// is read as a whole. Next is called before each document and item.
func readYAML(path string, in *bufio.Reader, next func(), each func(Record) error) error {
	c := &cutter{path: path, next: next, each: each}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return &broken{path, c.line + 1, err}
		}
		if len(line) > 0 {
			c.line++
			if err := c.take(line); err != nil {
				return err
			}
		}
		if err != nil {
			return c.finish()
		}
	}
}

// A cutter collects lines into one document or one item of a list.
type cutter struct {
	path string
	next func()
	each func(Record) error
	line int // of the line that was read last

	head   bytes.Buffer // lines of the document that are in no item, "items:" among them
	first  int          // line of head's start
	list   *listing     // takes the items; nil = the document is not cut
	inList bool         // below the "items:" of a list
	indent int          // of the items' dashes; -1 = not seen yet
	item   bytes.Buffer // lines of the item, with its dash
	at     int          // line of the item's start
}

var itemsKey = lazyregexp.New(`^items:[ \t]*(#.*)?$`)

func (c *cutter) take(line []byte) error {
	text := bytes.TrimRight(line, "\r\n")
	switch {
	case marks(text, "---"):
		if err := c.finish(); err != nil {
			return err
		}
	case marks(text, "..."):
		return c.finish()
	case c.inList:
		return c.listLine(line, text)
	}
	if c.head.Len() == 0 {
		c.first = c.line
	}
	c.head.Write(line)
	if c.list == nil && itemsKey.Match(text) {
		c.begin()
	}
	return nil
}

// marks says whether a line begins or ends a document.
func marks(text []byte, mark string) bool {
	rest, ok := bytes.CutPrefix(text, []byte(mark))
	return ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t')
}

// begin starts to cut, where what is before the items is the beginning of
// a list.
func (c *cutter) begin() {
	head := c.head.Bytes()
	if bytes.ContainsAny(head, "&%") {
		return
	}
	docs, err := parseFrom(head, c.first, false)
	if err != nil || len(docs) != 1 {
		return
	}
	o, ok := docs[0].value.(map[string]any)
	if !ok || o["kind"] != nil && !isList(o) {
		return
	}
	c.list = &listing{path: c.path, each: c.each, head: o}
	c.inList, c.indent = true, -1
}

// listLine takes a line below "items:". An empty line and a comment never end
// a list, wherever they begin: the parser decides what they are in an item.
func (c *cutter) listLine(line, text []byte) error {
	body := bytes.TrimLeft(text, " ")
	indent := len(text) - len(body)
	switch {
	case len(bytes.TrimLeft(body, "\t")) == 0 || body[0] == '#':
		if c.item.Len() > 0 {
			c.item.Write(line)
		} else {
			c.head.Write(line)
		}
		return nil
	case body[0] == '-' && (len(body) == 1 || body[1] == ' ' || body[1] == '\t') && (c.indent < 0 || indent == c.indent):
		if err := c.flush(); err != nil {
			return err
		}
		c.indent, c.at = indent, c.line
		c.item.Write(line)
		return nil
	case c.indent >= 0 && indent > c.indent:
		c.item.Write(line)
		return nil
	}
	// Back at the top level: another key of the list.
	c.inList = false
	if err := c.flush(); err != nil {
		return err
	}
	c.head.Write(line)
	return nil
}

// flush hands out the item that was collected.
func (c *cutter) flush() error {
	c.next()
	if c.item.Len() == 0 {
		return nil
	}
	docs, err := parseFrom(c.item.Bytes(), c.at, false)
	c.item.Reset()
	if err != nil && c.inList && strings.Contains(err.Error(), "found unexpected end of stream") {
		// It ended inside of quotes: what looks like the next item may well be text.
		return &broken{c.path, c.at, errors.New("a quoted string of this item continues at the column of the dashes: indent it, or close the quote")}
	}
	if err != nil {
		return c.list.unreadable(lineOf(err, c.at), cause(err))
	}
	list, ok := docs[0].value.([]any)
	if !ok || len(docs) != 1 {
		return c.list.unreadable(c.at, errors.New("not one item of a list"))
	}
	for _, v := range list {
		if err := c.list.item(c.at, v); err != nil {
			return err
		}
	}
	return nil
}

// finish ends a document.
func (c *cutter) finish() error {
	c.inList = false
	if err := c.flush(); err != nil {
		return err
	}
	data, first, list := bytes.Clone(c.head.Bytes()), c.first, c.list
	c.head.Reset()
	c.list = nil
	if len(bytes.Trim(data, " \r\n")) == 0 {
		return nil
	}
	docs, err := parseFrom(data, first, false)
	if list != nil && list.given > 0 {
		return c.finishList(list, docs, err, first)
	}
	if err != nil {
		return c.each(Record{Path: c.path, Line: lineOf(err, first), Err: cause(err)})
	}
	for _, d := range docs {
		if d.value == nil {
			continue // comments alone
		}
		if err := give(c.path, d.line, d.value, c.each); err != nil {
			return err
		}
	}
	return nil
}

// finishList checks the rest of a list against its items: where it cannot
// be read without them, they were cut in the wrong places.
func (c *cutter) finishList(list *listing, docs []document, err error, first int) error {
	if err != nil {
		return &broken{c.path, lineOf(err, first), cause(err)}
	}
	o, ok := docs[0].value.(map[string]any)
	if len(docs) != 1 || !ok || o["items"] != nil {
		return &broken{c.path, first, errors.New("the items of this list cannot be separated: indent them all alike")}
	}
	return list.end(c.line, o)
}

// A document is one value of a text, nil for an empty one.
type document struct {
	value any
	line  int
}

// parseFrom reads the documents of a text that starts at a line; errors have
// their line.
func parseFrom(data []byte, first int, core bool) ([]document, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var docs []document
	for {
		var n yaml.Node
		err := dec.Decode(&n)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, brokenAt(first, err)
		}
		v, err := value(&n, core)
		if err != nil {
			return nil, brokenAt(first, err)
		}
		line := first
		if len(n.Content) > 0 {
			line += n.Content[0].Line - 1
		}
		docs = append(docs, document{v, line})
	}
}

// brokenAt takes the line out of the words of the parser, who counts from the
// start of a text, and adds it to the line of that.
func brokenAt(first int, err error) *broken {
	if _, ok := errors.AsType[*Refusal](err); ok {
		return &broken{line: first, err: err}
	}
	line, text := strict.Cause(err)
	return &broken{line: first + max(line-1, 0), err: errors.New(text)}
}

func lineOf(err error, otherwise int) int {
	if b, ok := errors.AsType[*broken](err); ok {
		return b.line
	}
	return otherwise
}

func cause(err error) error {
	if b, ok := errors.AsType[*broken](err); ok {
		return b.err
	}
	return err
}
