package migrate

import (
	"bytes"
	"errors"
	"slices"
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

// heldBinary is why a walk that took a file for binary did so, of one that holds
// a name and is no text.
const heldBinary = source.SkipBinary + ": it is no text, and holds an old name"

// unlike are the files with names among what a walk took for binary; of what is
// no text the reason says that it holds one.
func (x *planning) unlike() (files []*File) {
	if !slices.ContainsFunc(x.skipped, func(s source.Skip) bool { return s.Reason == source.SkipBinary }) {
		return nil
	}
	narrow, wide := find.New(x.core.Needles()), find.New(inUTF16(x.core.Needles()))
	for i, s := range x.skipped {
		if s.Reason != source.SkipBinary {
			continue
		}
		data, err := x.files.ReadFile(s.Path)
		if err != nil {
			continue
		}
		cause, hint := "it is written in UTF-16", "save it as UTF-8: iconv -f UTF-16 -t UTF-8"
		content, ok := text.FromUTF16(data)
		if !ok || !readable(content) || !narrow.Match(content) { // or it only begins as if it were
			if !narrow.Match(data) && !wide.Match(data) {
				continue
			}
			content, cause, hint = data, "it has NUL bytes", "take the NUL bytes out, or leave it out with --exclude"
		}
		switch f := x.newFile(s.Path, content); {
		case x.core.KeepsFile(x.placeOf(s.Path), content):
		case !readable(content):
			x.skipped[i].Reason = heldBinary
		case !f.unchosen:
			f.Sum, f.Skip = source.SumOf(data), &source.Error{Path: s.Path, Err: errors.New(cause), Hint: hint}
			files = append(files, f)
		}
	}
	return files
}

// inUTF16 are names in UTF-16, of both byte orders.
func inUTF16(names []string) (list []string) {
	for _, n := range names {
		low, high := make([]byte, 0, 2*len(n)), make([]byte, 0, 2*len(n))
		for _, u := range utf16.Encode([]rune(n)) {
			low, high = append(low, byte(u), byte(u>>8)), append(high, byte(u>>8), byte(u))
		}
		list = append(list, string(low), string(high))
	}
	return list
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
