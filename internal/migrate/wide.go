package migrate

import (
	"bytes"
	"errors"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/project-codeflare/cfctl/internal/source"
)

// YAML and JSON may be written in UTF-16 as well, which looks like a binary
// file. Such a manifest is not edited; one that holds a name of the rules is
// said to be unread, so that a gate does not pass it.
// Source: YAML 1.2.2, section 5.2; RFC 4627, section 3.

// unlike are the manifests in UTF-16 among what a walk took for binary.
func (m *Migration) unlike(t *source.Tree, skipped []source.Skip) []*File {
	var files []*File
	finder := source.NewFinder(m.Needles())
	for _, s := range skipped {
		if s.Reason != source.SkipBinary || !slices.Contains(manifestExts, strings.ToLower(path.Ext(s.Path))) {
			continue
		}
		if data, err := t.ReadFile(s.Path); err == nil {
			if f := m.wide(s.Path, data, finder); f != nil {
				files = append(files, f)
			}
		}
	}
	return files
}

// wide is what becomes of a manifest in UTF-16 that holds a name of the rules;
// nil for every other file.
func (m *Migration) wide(name string, data []byte, finder *source.Finder) *File {
	if !slices.Contains(manifestExts, strings.ToLower(path.Ext(name))) {
		return nil
	}
	text, ok := fromUTF16(data)
	if !ok || !finder.Match(text) || m.historyOf(path.Join(m.below, name), text) != "" {
		return nil
	}
	if format := formatOf(name, text); len(m.opts.Only) > 0 && !slices.Contains(m.opts.Only, format.name) {
		return nil
	}
	f := &File{Path: name, To: name, Format: formatOf(name, text).name, Sum: source.SumOf(data), m: m}
	f.Skip = &source.Error{Path: name, Err: errors.New("it is written in UTF-16"), Hint: "save it as UTF-8: iconv -f UTF-16 -t UTF-8"}
	return f
}

// fromUTF16 is text in UTF-16 as UTF-8. It says false for anything else: text
// of that kind has a byte order mark, or begins with a character of ASCII.
func fromUTF16(data []byte) ([]byte, bool) {
	var big bool
	switch {
	case len(data) < 2:
		return nil, false
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}), data[0] == 0 && data[1] != 0:
		big = true
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}), data[0] != 0 && data[1] == 0:
	default:
		return nil, false
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		a, b := uint16(data[2*i]), uint16(data[2*i+1])
		if big {
			a, b = b, a
		}
		units[i] = b<<8 | a
	}
	return []byte(string(utf16.Decode(units))), true
}
