package source

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"unicode/utf8"
)

// chunkSize is how much of a file is read at once: a file without a needle
// costs no more memory than this.
const chunkSize = 256 << 10

// keptBuffer is how large a worker's buffer may stay after a large file.
const keptBuffer = 4 << 20

// files scans files of one directory.
func (r *worker) files(d directory, t task) error {
	for _, e := range t.files {
		r.setPath(t.dir, e.name)
		if r.opts.Only != nil && !r.opts.Only(r.path) {
			r.stats.Unselected++
			continue
		}
		if err := r.file(d, e, t.root); err != nil {
			return err
		}
	}
	return nil
}

// file reads one file as far as it takes to know that it is clean, or visits it.
// Its root, unless nil, is told to those who ask for its place.
func (r *worker) file(d directory, e entry, root *string) error {
	f, err := d.open(e)
	if err != nil {
		r.skipped(string(r.path), false, err)
		return nil
	}
	defer f.close()
	if r.opts.Looked != nil {
		r.opts.Looked.Add(1)
	}
	if r.buf == nil {
		r.buf = make([]byte, chunkSize)
	}
	n, err := readFull(f, r.buf)
	if err != nil {
		r.skipped(string(r.path), false, err)
		return nil
	}
	if bytes.IndexByte(r.buf[:min(n, binaryProbe)], 0) >= 0 {
		r.skips = append(r.skips, Skip{Path: string(r.path), Reason: SkipBinary})
		return nil
	}
	if r.opts.Seen != nil {
		r.opts.Seen(r.path, r.buf[:min(n, chunkSize)])
	}
	if finder := r.opts.Finder; finder != nil && !finder.Match(r.path) && !slices.Contains(r.opts.Always, e.name) {
		hit, err := r.scan(f, n)
		if err != nil {
			r.skipped(string(r.path), false, err)
			return nil
		}
		if !hit {
			r.stats.Clean++
			return nil
		}
	}
	if root != nil {
		r.tree.places.tell(string(r.path), *root)
	}
	return r.visitFile(f, n)
}

// binaryProbe is how many bytes of each file are searched for a NUL, as git does.
const binaryProbe = 8000

// isBinary says whether content that holds a needle is binary: it has a NUL, wherever
// that is, or it is no UTF-8 and has control characters that no charset of text has.
// Lengths are written in such files (protobuf, archives), so that nothing in them may
// become longer or shorter.
func isBinary(content []byte) bool {
	return bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content) && bytes.ContainsAny(content, "\x01\x02\x03\x04\x05\x06\x0e\x0f")
}

// scan searches a file chunk by chunk for a needle. The first n bytes are in
// the buffer.
func (r *worker) scan(f file, n int) (bool, error) {
	finder, chunk := r.opts.Finder, r.buf[:min(len(r.buf), chunkSize)]
	for {
		if finder.Match(r.buf[:n]) || r.opts.Also != nil && r.opts.Also(r.buf[:n]) {
			return true, nil
		}
		r.stats.Bytes += int64(n)
		if n < len(chunk) {
			return false, nil
		}
		// A needle may lie across the border of two chunks.
		kept := copy(chunk, r.buf[n-min(n, finder.Longest-1):n])
		more, err := readFull(f, chunk[kept:])
		if err != nil || more == 0 {
			return false, err
		}
		r.stats.Bytes -= int64(kept)
		n = kept + more
	}
}

// visitFile reads the whole file, of which the first n bytes were read, and hands it out.
func (r *worker) visitFile(f file, n int) error {
	data, err := r.whole(f, n)
	if err != nil {
		r.skipped(string(r.path), false, err)
		return nil
	}
	r.stats.Bytes += int64(len(data))
	if err := r.ended(); err != nil {
		return err
	}
	if isBinary(data) {
		r.skips = append(r.skips, Skip{Path: string(r.path), Reason: SkipBinary})
		return nil
	}
	r.stats.Visited++
	err = r.visit(&File{Path: string(r.path), Data: data})
	if len(r.buf) > keptBuffer {
		r.buf = nil
	}
	return err
}

// whole reads the file from its start into the buffer, unless that has all of it: its
// first n bytes were read there.
func (r *worker) whole(f file, n int) ([]byte, error) {
	size, err := f.size()
	if err != nil {
		return nil, err
	}
	if n < min(len(r.buf), chunkSize) && int64(n) == size {
		return r.buf[:n], nil
	}
	if err := f.rewind(); err != nil {
		return nil, err
	}
	if need := int(size) + 1; need > len(r.buf) {
		r.buf = make([]byte, need)
	}
	n, err = readFull(f, r.buf)
	for err == nil && n == len(r.buf) { // it grew since
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
		var more int
		more, err = readFull(f, r.buf[n:])
		n += more
	}
	return r.buf[:n], err
}

// readFull reads until buf is full or the file ends.
func readFull(f file, buf []byte) (int, error) {
	n := 0
	for n < len(buf) {
		m, err := f.read(buf[n:])
		n += m
		if errors.Is(err, io.EOF) || err == nil && m == 0 {
			break
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// readFile reads a whole file of a directory.
func readFile(d directory, e entry) ([]byte, error) {
	f, err := d.open(e)
	if err != nil {
		return nil, err
	}
	defer f.close()
	size, err := f.size()
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	n, err := readFull(f, data)
	return data[:n], err
}

// skipped notes what could not be read.
func (r *worker) skipped(path string, dir bool, err error) {
	s := Skip{Path: path, Dir: dir, Reason: SkipUnreadable, Err: Cause(err)}
	switch {
	case errors.Is(err, errNotRegular):
		s.Reason, s.Err = SkipIrregular, nil
	case isLinkError(err):
		s.Reason, s.Err = SkipSymlink, nil
	}
	r.skips = append(r.skips, s)
}
