package objects

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxDepth bounds how deep one object may be nested. What Kubernetes itself
// defines stays below 40.
const maxDepth = 1000

// errTooDeep names that bound.
var errTooDeep = &Refusal{Reason: "too-deep", Message: fmt.Sprintf("it is nested deeper than %d levels", maxDepth)}

// readJSON reads objects and lists, the items of a list one by one. Values are
// cut by their brackets and quotes and decoded one at a time, so that one that
// cannot be decoded is refused alone. A text that ends in the middle, or has
// something else between its values, cannot be read on.
func readJSON(path string, in *bufio.Reader, each func(Record) error) error {
	t := &jsonText{in: in, path: path, line: 1}
	for {
		c, err := t.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if c != '{' {
			return t.broken(fmt.Errorf("%q is no object", c))
		}
		if err := t.object(each); err != nil {
			return err
		}
	}
}

// A broken error ends a text that cannot be read on.
type broken struct {
	path string
	line int
	err  error
}

func (b *broken) Error() string { return fmt.Sprintf("%s:%d: %v", b.path, b.line, b.err) }
func (b *broken) Unwrap() error { return b.err }

// A jsonText is a JSON text that is read value by value.
type jsonText struct {
	in   *bufio.Reader
	path string
	line int // of the byte that is read next, from 1
}

func (t *jsonText) broken(err error) error {
	if errors.Is(err, io.EOF) {
		err = errors.New("the JSON text ends in the middle")
	}
	return &broken{t.path, t.line, err}
}

// next is the next byte that is no white space; it stays unread.
func (t *jsonText) next() (byte, error) {
	for {
		c, err := t.in.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case c == '\n':
			t.line++
		case c != ' ' && c != '\t' && c != '\r':
			return c, t.in.UnreadByte()
		}
	}
}

// expect reads one byte.
func (t *jsonText) expect(want byte) error {
	c, err := t.next()
	if err == nil && c != want {
		err = fmt.Errorf("%q where %q should be", c, want)
	}
	if err != nil {
		return t.broken(err)
	}
	_, err = t.in.Discard(1)
	return err
}

// more says whether another member follows before the closing bracket, which
// it reads.
func (t *jsonText) more(first bool, closing byte) (bool, error) {
	c, err := t.next()
	switch {
	case err != nil:
		return false, t.broken(err)
	case c == closing:
		_, err = t.in.Discard(1)
		return false, err
	case !first:
		return true, t.expect(',')
	}
	return true, nil
}

// A jsonValue is the text of one value.
type jsonValue struct {
	data []byte
	line int
	deep bool // nested deeper than maxDepth
}

// value cuts off the next value.
func (t *jsonText) value() (jsonValue, error) {
	c, err := t.next()
	v := jsonValue{line: t.line}
	if err != nil {
		return v, t.broken(err)
	}
	if bytes.IndexByte([]byte(`]},:`), c) >= 0 {
		return v, t.broken(fmt.Errorf("%q where a value should be", c))
	}
	depth, quoted := 0, false
	for {
		c, err := t.in.ReadByte()
		if errors.Is(err, io.EOF) && depth == 0 && !quoted {
			return v, nil // a number at the end
		}
		if err != nil {
			return v, t.broken(err)
		}
		if depth == 0 && !quoted && len(v.data) > 0 && bytes.IndexByte([]byte("]},: \t\r\n"), c) >= 0 {
			return v, t.in.UnreadByte()
		}
		if c == '\n' {
			t.line++
		}
		if len(v.data) >= maxDocument {
			return v, t.broken(errTooLong)
		}
		v.data = append(v.data, c)
		switch {
		case quoted && c == '\\':
			if c, err = t.in.ReadByte(); err != nil {
				return v, t.broken(err)
			}
			v.data = append(v.data, c)
		case c == '"':
			quoted = !quoted
		case quoted:
			continue
		case c == '{' || c == '[':
			depth++
			v.deep = v.deep || depth > maxDepth
			continue
		case c == '}' || c == ']':
			depth--
		default:
			continue
		}
		if depth == 0 && !quoted {
			return v, nil
		}
	}
}

// decode reads the value; what cannot be read is this value's own trouble.
func (v jsonValue) decode() (any, error) {
	switch {
	case v.deep:
		return nil, errTooDeep
	case !utf8.Valid(v.data):
		return nil, errors.New("it is not UTF-8")
	case !json.Valid(v.data):
		var ignored any
		return nil, json.Unmarshal(v.data, &ignored) // says where
	}
	return decodeJSON(v.data)
}

// object reads an object, or a list with its items one by one.
func (t *jsonText) object(each func(Record) error) error {
	start := t.line
	if err := t.expect('{'); err != nil {
		return err
	}
	whole := Object{}
	var list *listing
	var bad error
	for first := true; ; first = false {
		more, err := t.more(first, '}')
		if err != nil {
			return err
		}
		if !more {
			break
		}
		key, err := t.key()
		if err != nil {
			return err
		}
		c, err := t.next()
		if err != nil {
			return t.broken(err)
		}
		if key == "items" && c == '[' && (whole["kind"] == nil || isList(whole)) {
			if list != nil {
				return t.broken(errors.New("it has items twice"))
			}
			list = &listing{path: t.path, each: each, head: whole}
			if err := t.items(list); err != nil {
				return err
			}
			continue
		}
		v, err := t.value()
		if err != nil {
			return err
		}
		if whole[key], err = v.decode(); err != nil && bad == nil {
			bad = &broken{t.path, v.line, err}
		}
	}
	switch {
	case list != nil && bad != nil:
		return bad
	case list != nil:
		return list.end(t.line, whole)
	case bad != nil:
		return each(Record{Path: t.path, Line: lineOf(bad, start), Err: cause(bad)})
	}
	return give(t.path, start, whole, each)
}

// key reads the name of a member and its colon.
func (t *jsonText) key() (string, error) {
	v, err := t.value()
	if err != nil {
		return "", err
	}
	decoded, err := v.decode()
	key, ok := decoded.(string)
	if err == nil && !ok {
		err = errors.New("a name that is no text")
	}
	if err != nil {
		return "", t.broken(err)
	}
	return key, t.expect(':')
}

// items reads the items of a list one by one.
func (t *jsonText) items(list *listing) error {
	if err := t.expect('['); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := t.more(first, ']')
		if err != nil || !more {
			return err
		}
		v, err := t.value()
		if err != nil {
			return err
		}
		decoded, why := v.decode()
		if why != nil {
			err = list.unreadable(v.line, why)
		} else {
			err = list.item(v.line, decoded, len(v.data))
		}
		if err != nil {
			return err
		}
	}
}
