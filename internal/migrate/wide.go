package migrate

import (
	"bytes"
	"errors"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/find"
)

// A walk takes what has a NUL for binary, as git does. Text may have some: in
// UTF-16 every other byte is one. Text that holds a name of the rules and is not
// edited is said to be unread, so that a gate does not pass it. What is no text
// (an image, an archive, a program) is made anew from what is; of such a file it
// is said that it holds one.
// Source: YAML 1.2.2, section 5.2; RFC 4627, section 3.

// A binary is what holds a name in a file that looks binary.
type binary struct {
	*Migration
	narrow, wide *find.Finder // of the names in UTF-8, and in UTF-16 of both byte orders
}

func (m *Migration) binary() *binary {
	var wide []string
	for _, n := range m.core.Needles() {
		low, high := make([]byte, 0, 2*len(n)), make([]byte, 0, 2*len(n))
		for _, u := range utf16.Encode([]rune(n)) {
			low, high = append(low, byte(u), byte(u>>8)), append(high, byte(u>>8), byte(u))
		}
		wide = append(wide, string(low), string(high))
	}
	return &binary{m, find.New(m.core.Needles()), find.New(wide)}
}

// heldBinary is why a walk that took a file for binary did so, of one that holds
// a name and is no text.
const heldBinary = source.SkipBinary + ": it is no text, and holds an old name"

// look is what becomes of a file that looks binary: unread text is a file, for
// what is no text it says whether it holds a name. Both are nothing for all others.
func (b *binary) look(name string, data []byte) (f *File, held bool) {
	cause := errors.New("it is written in UTF-16")
	content, ok := text.FromUTF16(data)
	inUTF16 := ok && readable(content) && b.narrow.Match(content)
	if !inUTF16 { // or it only begins as if it were
		content, cause = data, errors.New("it has NUL bytes")
	}
	switch {
	case !inUTF16 && !b.narrow.Match(data) && !b.wide.Match(data):
		return nil, false
	case b.core.KeepsFile(b.placeOf(name), content):
		return nil, false
	case !inUTF16 && !readable(data):
		return nil, true
	}
	f = b.newFile(name, content)
	if f.unchosen {
		return nil, false
	}
	hint := "take the NUL bytes out, or leave it out with --exclude"
	if inUTF16 {
		hint = "save it as UTF-8: iconv -f UTF-16 -t UTF-8"
	}
	f.Sum, f.Skip = source.SumOf(data), &source.Error{Path: name, Err: cause, Hint: hint}
	return f, false
}

// readable says whether content is text, NUL bytes aside: UTF-8, or a charset of
// one byte for each character, with no control characters but those of terminals.
func readable(content []byte) bool {
	if len(content) == 0 {
		return false
	}
	const control = "\x01\x02\x03\x04\x05\x06\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1c\x1d\x1e\x1f\x7f"
	return !bytes.ContainsAny(content, control) && 4*bytes.Count(content, []byte{0}) < 3*len(content) && (utf8.Valid(content) || mostlyASCII(content))
}

// mostlyASCII says whether nine of ten bytes are ASCII.
func mostlyASCII(content []byte) bool {
	high := 0
	for _, c := range content {
		if c >= utf8.RuneSelf {
			high++
		}
	}
	return 10*high < len(content)
}

// unlike are the files with names among what a walk took for binary; of what is
// no text the reason says that it holds one.
func (m *Migration) unlike(t *source.Tree, skipped []source.Skip) []*File {
	var files []*File
	var b *binary
	for i, s := range skipped {
		if s.Reason != source.SkipBinary {
			continue
		}
		if b == nil {
			b = m.binary()
		}
		data, err := t.ReadFile(s.Path)
		if err != nil {
			continue
		}
		f, held := b.look(s.Path, data)
		if f != nil {
			files = append(files, f)
		}
		if held {
			skipped[i].Reason = heldBinary
		}
	}
	return files
}
