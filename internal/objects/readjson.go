package objects

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// readJSON reads objects and lists, the items of a list one by one. An item that
// cannot be taken over is refused alone; what follows an error of syntax is not
// read, and the error says so. Next is called before each value.
func readJSON(path string, in *bufio.Reader, next func(), each func(Record) error) error {
	lines := &lineReader{Reader: in, line: 1}
	t := &jsonText{json.NewDecoder(lines), lines, path, next, each}
	for {
		next()
		token, err := t.dec.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return t.broken(err)
		case token != json.Delim('{'):
			return t.broken(fmt.Errorf("%v is no object", token))
		}
		if err := t.object(); err != nil {
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

// A lineReader knows in which line a byte is that was read through it.
type lineReader struct {
	io.Reader
	read   int64
	breaks []int64 // offsets of line breaks that were read, and not passed yet
	line   int     // that begins after the last one passed, from 1
}

func (l *lineReader) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.breaks = append(l.breaks, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err
}

// at is the line of an offset, which is no earlier than any asked for before.
func (l *lineReader) at(offset int64) int {
	for len(l.breaks) > 0 && l.breaks[0] < offset {
		l.line, l.breaks = l.line+1, l.breaks[1:]
	}
	return l.line
}

// A jsonText is a JSON text that is read value by value.
type jsonText struct {
	dec   *json.Decoder
	lines *lineReader
	path  string
	next  func()
	each  func(Record) error
}

func (t *jsonText) broken(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the JSON text ends in the middle")
	case errors.As(err, &syntax):
		err = fmt.Errorf("%w; what follows is not read", err)
	}
	return &broken{t.path, t.lines.at(t.dec.InputOffset()), err}
}

// value reads the next value. Why says that it cannot be taken over; err ends
// the text.
func (t *jsonText) value() (v any, line int, why, err error) {
	var raw json.RawMessage
	if err := t.dec.Decode(&raw); err != nil {
		return nil, 0, nil, t.broken(err)
	}
	line = t.lines.at(t.dec.InputOffset() - int64(len(raw)))
	if !utf8.Valid(raw) {
		return nil, line, errors.New("it is not UTF-8"), nil
	}
	v, why = decodeJSON(raw)
	return v, line, why, nil
}

// object reads an object, or a list with its items one by one, after its bracket.
func (t *jsonText) object() error {
	start := t.lines.at(t.dec.InputOffset() - 1)
	whole := Object{}
	var list *listing
	var bad error
	for t.dec.More() {
		token, err := t.dec.Token()
		if err != nil {
			return t.broken(err)
		}
		key, _ := token.(string) // the decoder takes nothing else here
		if key == "items" && (whole["kind"] == nil || isList(whole)) {
			if list != nil {
				return t.broken(errors.New("it has items twice"))
			}
			list = &listing{path: t.path, each: t.each, head: whole}
			if err := t.items(list); err != nil {
				return err
			}
			continue
		}
		v, line, why, err := t.value()
		if err != nil {
			return err
		}
		if whole[key] = v; why != nil && bad == nil {
			bad = &broken{t.path, line, why}
		}
	}
	if _, err := t.dec.Token(); err != nil {
		return t.broken(err)
	}
	switch {
	case list != nil && bad != nil:
		return bad
	case list != nil:
		return list.end(t.lines.at(t.dec.InputOffset()), whole)
	case bad != nil:
		return t.each(Record{Path: t.path, Line: lineOf(bad, start), Err: cause(bad)})
	}
	return give(t.path, start, whole, t.each)
}

// items reads the items of a list one by one.
func (t *jsonText) items(list *listing) error {
	token, err := t.dec.Token()
	switch {
	case err != nil:
		return t.broken(err)
	case token == nil:
		return nil
	case token != json.Delim('['):
		return t.broken(errors.New("its items are no list"))
	}
	for t.dec.More() {
		t.next()
		v, line, why, err := t.value()
		if err == nil && why != nil {
			err = list.unreadable(line, why)
		} else if err == nil {
			err = list.item(line, v)
		}
		if err != nil {
			return err
		}
	}
	if _, err := t.dec.Token(); err != nil {
		return t.broken(err)
	}
	return nil
}
