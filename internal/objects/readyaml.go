package objects

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxDocument bounds one object in a file. etcd takes 1.5 MiB.
const maxDocument = 64 << 20

// readYAML cuts a text into documents, and the block sequence under a
// document's "items:" into its items, by lines alone, so that a dump of any
// length needs the memory of one object. A line at the sequence's own
// indentation that starts with "- " cannot lie in a scalar: those are indented
// deeper. A document that uses anchors is read as a whole.
func readYAML(path string, in *bufio.Reader, each func(Record) error) error {
	c := &cutter{path: path, each: each}
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			c.line++
			if err := c.take(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return c.finish()
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, c.line, err)
		}
	}
}

// A cutter collects lines into one document or one item of a list.
type cutter struct {
	path string
	each func(Record) error
	line int // of the line that was read last

	head   bytes.Buffer // lines of the document that are in no item
	first  int          // line of head's start
	item   bytes.Buffer // lines of the item
	at     int          // line of the item's start
	inList bool         // below a top-level "items:"
	indent int          // of the items' dashes; -1 = not seen yet
	given  bool         // an item of this document was handed out
}

var itemsKey = regexp.MustCompile(`^items:\s*(#.*)?$`)

func (c *cutter) take(line []byte) error {
	text := bytes.TrimRight(line, "\r\n")
	if bytes.HasPrefix(text, []byte("---")) && (len(text) == 3 || text[3] == ' ') || string(text) == "..." {
		if err := c.finish(); err != nil {
			return err
		}
		if rest := bytes.TrimPrefix(text, []byte("---")); len(bytes.TrimSpace(rest)) > 0 && string(text) != "..." {
			c.first = c.line
			c.head.Write(rest[1:])
			c.head.WriteByte('\n')
		}
		return nil
	}
	if c.inList {
		return c.listLine(line, text)
	}
	if c.head.Len() == 0 {
		c.first = c.line
	}
	if itemsKey.Match(text) && !bytes.ContainsAny(c.head.Bytes(), "&") {
		c.inList, c.indent = true, -1
		return nil
	}
	return c.write(&c.head, line)
}

func (c *cutter) write(b *bytes.Buffer, line []byte) error {
	if b.Len()+len(line) > maxDocument {
		return &broken{c.path, c.line, fmt.Errorf("one object is longer than %d MiB", maxDocument>>20)}
	}
	b.Write(line)
	return nil
}

func (c *cutter) listLine(line, text []byte) error {
	body := bytes.TrimLeft(text, " ")
	indent := len(text) - len(body)
	switch {
	case len(body) == 0 || body[0] == '#' && c.item.Len() == 0:
		if c.item.Len() > 0 {
			return c.write(&c.item, line)
		}
		return nil
	case body[0] == '-' && (len(body) == 1 || body[1] == ' ') && (c.indent < 0 || indent == c.indent):
		if err := c.flush(); err != nil {
			return err
		}
		c.indent, c.at = indent, c.line
		rest := append(bytes.Repeat([]byte(" "), indent+1), line[indent+1:]...)
		return c.write(&c.item, rest)
	case c.indent >= 0 && indent > c.indent:
		return c.write(&c.item, line)
	}
	// Back at the top level: another key of the list.
	if err := c.flush(); err != nil {
		return err
	}
	c.inList = false
	return c.write(&c.head, line)
}

// flush hands out the item that was collected.
func (c *cutter) flush() error {
	if c.item.Len() == 0 {
		return nil
	}
	data := bytes.Clone(c.item.Bytes())
	c.item.Reset()
	c.given = true
	v, err := parseAt(data, c.at)
	if err != nil {
		return c.each(Record{Path: c.path, Line: lineOf(err, c.at), Err: cause(err)})
	}
	var list Object
	if h, err := parseAt(c.head.Bytes(), c.first); err == nil {
		list, _ = h.(map[string]any)
	}
	return give(c.path, c.at, inherit(list, v), c.each)
}

// finish ends a document.
func (c *cutter) finish() error {
	err := c.flush()
	data := bytes.Clone(c.head.Bytes())
	given := c.given || c.inList
	first := c.first
	c.head.Reset()
	c.inList, c.given = false, false
	if err != nil || given || len(bytes.TrimSpace(data)) == 0 {
		return err
	}
	v, err := parseAt(data, first)
	if err != nil {
		return c.each(Record{Path: c.path, Line: lineOf(err, first), Err: cause(err)})
	}
	if v == nil {
		return nil // comments alone
	}
	return give(c.path, first, v, c.each)
}

// parseAt reads one document that starts at a line; errors have their line.
func parseAt(data []byte, first int) (any, error) {
	var n yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(data)).Decode(&n); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		text := strings.TrimPrefix(err.Error(), "yaml: ")
		line := first
		if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(text); m != nil {
			l, _ := strconv.Atoi(m[1])
			line, text = first+l-1, text[len(m[0]):]
		}
		return nil, &broken{line: line, err: errors.New(text)}
	}
	v, err := Value(&n)
	if err != nil {
		return nil, &broken{line: first, err: err}
	}
	return v, nil
}

func lineOf(err error, otherwise int) int {
	var b *broken
	if errors.As(err, &b) {
		return b.line
	}
	return otherwise
}

func cause(err error) error {
	var b *broken
	if errors.As(err, &b) {
		return b.err
	}
	return err
}
