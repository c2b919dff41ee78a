package objects

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/project-codeflare/cfctl/internal/source"
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

// fraction is between 0 and 1; 0 when it is not known.
func (m *Meter) fraction() float64 {
	if m == nil || m.total.Load() <= 0 {
		return 0
	}
	return min(1, float64(m.done.Load())/float64(m.total.Load()))
}

// Files reads manifests: a file, a folder of *.yaml, *.yml and *.json, or
// standard input ("-"). Lists are read item by item.
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
	info, err := os.Stat(f.Path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return f.folder(ctx, each)
	}
	f.Meter.Expect(info.Size())
	in, err := os.Open(f.Path) // a user named it: it may be a pipe
	return f.file(ctx, filepath.ToSlash(f.Path), in, err, each)
}

// folder reads the manifests of a folder. Links are followed while they stay
// in it; a manifest that is no regular file is unreadable.
func (f *Files) folder(ctx context.Context, each func(Record) error) error {
	root, err := source.OpenRoot(f.Path)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // only read
	names, err := manifests(root.FS())
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s: no *.yaml, *.yml or *.json in it", f.Path)
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if info, err := fs.Stat(root.FS(), name.path); err == nil {
			f.Meter.Expect(info.Size())
		}
	}
	for _, name := range names {
		path := filepath.ToSlash(filepath.Join(f.Path, filepath.FromSlash(name.path)))
		in, err := openManifest(root, name)
		err = f.file(ctx, path, in, err, each)
		if bad, ok := errors.AsType[*broken](err); ok { // the other files can be read
			err = each(Record{Path: path, Line: bad.line, Err: bad.err})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openManifest opens a manifest of a folder: a regular file of any size, or a
// link to one of at most source.MaxFile bytes.
func openManifest(root *source.Root, m manifest) (io.ReadCloser, error) {
	if m.link {
		return root.FS().Open(m.path)
	}
	return root.OpenFile(m.path, os.O_RDONLY, 0)
}

// file reads an open file. One that could not be opened is unreadable.
func (f *Files) file(ctx context.Context, path string, in io.ReadCloser, err error, each func(Record) error) error {
	if err != nil {
		if placed, ok := errors.AsType[*source.Error](err); ok {
			err = placed.Err
		}
		return each(Record{Path: path, Err: err})
	}
	defer in.Close() //nolint:errcheck // only read
	return f.read(ctx, path, in, each)
}

// A manifest is a file of a folder, by its name.
type manifest struct {
	path string
	link bool
}

// manifests lists the manifests of a folder, sorted. Hidden folders are left out.
func manifests(dir fs.FS) ([]manifest, error) {
	var names []manifest
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)) {
			names = append(names, manifest{name, d.Type()&fs.ModeSymlink != 0})
		}
		return nil
	})
	return names, err
}

// metered counts the bytes that are read through it, ends with its context, and
// where one object has no end.
type metered struct {
	io.Reader
	ended func() error // of its context
	meter *Meter
	left  int // bytes that the object may still have
}

// next begins an object.
func (m *metered) next() { m.left = maxDocument }

func (m *metered) Read(p []byte) (int, error) {
	if err := m.ended(); err != nil {
		return 0, err
	}
	if m.left < 0 {
		return 0, errTooLong
	}
	n, err := m.Reader.Read(p)
	m.left -= n
	m.meter.Add(int64(n))
	return n, err
}

// maxUnreadable is how many objects of one file are refused, each with its place, because they
// cannot be read.
const maxUnreadable = 1000

func (f *Files) read(ctx context.Context, path string, r io.Reader, each func(Record) error) error {
	m := &metered{Reader: r, ended: ctx.Err, meter: f.Meter, left: maxDocument}
	in := bufio.NewReaderSize(m, 256<<10)
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = in.Discard(3) // it was peeked
	} else if bytes.HasPrefix(mark, []byte("\xff\xfe")) || bytes.HasPrefix(mark, []byte("\xfe\xff")) {
		return &broken{path, 1, errors.New("it is UTF-16; write it as UTF-8 (PowerShell: Out-File -Encoding utf8)")}
	}
	if mark, _ := in.Peek(2); string(mark) == "{{" {
		return &broken{path, 1, errors.New("it is a template, not YAML: render it first (helm template)")}
	}
	read := readYAML
	switch first, err := firstByte(in); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case first == '{':
		read = readJSON
	}
	bad := 0
	return read(path, in, m.next, func(r Record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.Err != nil {
			bad++
		}
		if bad > maxUnreadable {
			return &broken{path, r.Line, fmt.Errorf("more than %d objects of it cannot be read; what follows is not read", maxUnreadable)}
		}
		return each(r)
	})
}

// firstByte is the first byte that is no white space, as far as a buffer
// reaches; nothing is read.
func firstByte(in *bufio.Reader) (byte, error) {
	for n := 1; n <= in.Size(); n = max(n+1, in.Buffered()) {
		text, err := in.Peek(n)
		if text = bytes.TrimLeft(text, " \t\r\n"); len(text) > 0 {
			return text[0], nil
		}
		if err != nil {
			return 0, err
		}
	}
	return ' ', nil
}
