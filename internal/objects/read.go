package objects

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// A Record is one object as a source gave it, or the reason why it could not
// be read. Line counts from 1; 0 means the whole of Path.
type Record struct {
	Object Object
	Path   string
	Line   int
	Err    error // the object is unreadable; Object is nil
}

// A Source gives stored Kubernetes objects, one after another. It returns an
// error when it cannot be read to its end; a single unreadable object is a
// Record with Err.
type Source interface {
	Objects(ctx context.Context, each func(Record) error) error
}

// A Meter says how far a source is read. It is safe for concurrent use.
type Meter struct{ done, total atomic.Int64 }

// Add moves the meter on.
func (m *Meter) Add(n int64) {
	if m != nil {
		m.done.Add(n)
	}
}

// Expect raises what there is in all.
func (m *Meter) Expect(n int64) {
	if m != nil {
		m.total.Add(n)
	}
}

// Fraction is between 0 and 1; 0 when it is not known.
func (m *Meter) Fraction() float64 {
	if m == nil || m.total.Load() <= 0 {
		return 0
	}
	return min(1, float64(m.done.Load())/float64(m.total.Load()))
}

// Files reads manifests: a file, a folder of *.yaml, *.yml and *.json, or
// standard input ("-"). Lists are read item by item, never as a whole.
type Files struct {
	Path  string
	Stdin io.Reader
	Meter *Meter
}

// Objects implements Source. Files come in the order of their names.
func (f *Files) Objects(ctx context.Context, each func(Record) error) error {
	if f.Path == "-" {
		return f.read(ctx, "stdin", f.Stdin, each)
	}
	paths, err := ManifestFiles(f.Path)
	if err != nil {
		return err
	}
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil {
			f.Meter.Expect(info.Size())
		}
	}
	for _, p := range paths {
		if err := f.file(ctx, p, each); err != nil {
			return err
		}
	}
	return nil
}

func (f *Files) file(ctx context.Context, path string, each func(Record) error) error {
	r, err := os.Open(path)
	if err != nil {
		return each(Record{Path: filepath.ToSlash(path), Err: err})
	}
	defer r.Close() //nolint:errcheck // only read
	return f.read(ctx, filepath.ToSlash(path), r, each)
}

// ManifestFiles lists the manifests of a folder, sorted, or the one file. A
// folder without any is an error.
func ManifestFiles(root string) ([]string, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{root}, nil
	}
	var paths []string
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(p)) {
			paths = append(paths, p)
		}
		return nil
	})
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s: no *.yaml, *.yml or *.json in it", root)
	}
	return paths, err
}

// metered counts the bytes that are read through it.
type metered struct {
	io.Reader
	meter *Meter
}

func (m metered) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.meter.Add(int64(n))
	return n, err
}

func (f *Files) read(ctx context.Context, path string, r io.Reader, each func(Record) error) error {
	in := bufio.NewReaderSize(metered{r, f.Meter}, 256<<10)
	if bom, _ := in.Peek(3); bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		_, _ = in.Discard(3) // it was peeked
	}
	for {
		head, err := in.Peek(1)
		if err != nil {
			return emptySource(path, err)
		}
		if !bytes.ContainsAny(head, " \t\r\n") {
			break
		}
		if _, err := in.Discard(1); err != nil {
			return err
		}
	}
	each = checked(ctx, each)
	if head, _ := in.Peek(1); head[0] == '{' {
		return readJSON(path, in, each)
	}
	return readYAML(path, in, each)
}

func emptySource(path string, err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("%s: %w", path, err)
}

func checked(ctx context.Context, each func(Record) error) func(Record) error {
	return func(r Record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return each(r)
	}
}

// give hands out an object, or the items of a List that was read as a whole.
func give(path string, line int, v any, each func(Record) error) error {
	o, ok := v.(map[string]any)
	if !ok {
		return each(Record{Path: path, Line: line, Err: errors.New("not a mapping")})
	}
	items, ok := o["items"].([]any)
	if !ok || !strings.HasSuffix(Text(o, "kind"), "List") {
		return each(Record{Path: path, Line: line, Object: o})
	}
	for _, item := range items {
		if err := give(path, line, inherit(o, item), each); err != nil {
			return err
		}
	}
	return nil
}

// inherit gives an item of a typed list (DeploymentList) the list's type.
func inherit(list Object, item any) any {
	o, ok := item.(map[string]any)
	kind := strings.TrimSuffix(Text(list, "kind"), "List")
	if ok && kind != "" && o["kind"] == nil {
		o["kind"], o["apiVersion"] = kind, list["apiVersion"]
	}
	return item
}

// readJSON reads objects and lists, the items of a list one by one. What
// cannot be decoded ends the text: JSON has no place to start again at.
func readJSON(path string, r io.Reader, each func(Record) error) error {
	lines := &lineCounter{Reader: r, line: 1}
	dec := json.NewDecoder(lines)
	dec.UseNumber()
	for {
		err := readJSONObject(path, dec, lines, each)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
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

func readJSONObject(path string, dec *json.Decoder, lines *lineCounter, each func(Record) error) error {
	bad := func(err error) error {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			err = errors.New("the JSON text ends in the middle")
		}
		return &broken{path, lines.at(dec.InputOffset()), err}
	}
	tok, err := dec.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return bad(err)
	}
	if tok != json.Delim('{') {
		return bad(fmt.Errorf("%v is no object", tok))
	}
	start := lines.at(dec.InputOffset())
	whole := Object{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return bad(err)
		}
		if key == "items" {
			if err := readItems(path, whole, dec, lines, each, bad); err != nil {
				return err
			}
			continue
		}
		var v any
		if err := dec.Decode(&v); err != nil {
			return bad(err)
		}
		whole[key.(string)] = numbers(v)
	}
	if _, err := dec.Token(); err != nil {
		return bad(err)
	}
	if _, list := whole["items"]; list {
		return nil // its items were given already
	}
	return give(path, start, whole, each)
}

// readItems reads the items of a list one by one. The list's kind stands
// before its items or after them; items that need it are those without kind.
func readItems(path string, list Object, dec *json.Decoder, lines *lineCounter, each func(Record) error, bad func(error) error) error {
	tok, err := dec.Token()
	if err != nil {
		return bad(err)
	}
	list["items"] = true
	if tok != json.Delim('[') {
		return nil
	}
	for dec.More() {
		var v any
		at := lines.at(dec.InputOffset() + 1)
		if err := dec.Decode(&v); err != nil {
			return bad(err)
		}
		if err := give(path, at, inherit(list, numbers(v)), each); err != nil {
			return err
		}
	}
	if _, err = dec.Token(); err != nil {
		return bad(err)
	}
	return nil
}

// A lineCounter knows the line of an offset that was read lately. It keeps
// the offsets of line ends behind the last question only.
type lineCounter struct {
	io.Reader
	read int64
	ends []int64
	line int
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err
}

func (l *lineCounter) at(offset int64) int {
	n := 0
	for n < len(l.ends) && l.ends[n] < offset {
		n++
	}
	l.line += n
	l.ends = l.ends[n:]
	return l.line
}
