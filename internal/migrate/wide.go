package migrate

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

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
		if s.Reason != source.SkipBinary || !slices.Contains(judge.ManifestExts, strings.ToLower(path.Ext(s.Path))) {
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
	if !slices.Contains(judge.ManifestExts, strings.ToLower(path.Ext(name))) {
		return nil
	}
	text, ok := text.FromUTF16(data)
	if !ok || !finder.Match(text) || m.stays(m.placeOf(name), text) {
		return nil
	}
	if format := find.FormatOf(name, text); len(m.opts.Only) > 0 && !slices.Contains(m.opts.Only, format.Name) {
		return nil
	}
	f := &File{Path: name, To: name, Format: find.FormatOf(name, text).Name, Sum: source.SumOf(data), m: m}
	f.Skip = &source.Error{Path: name, Err: errors.New("it is written in UTF-16"), Hint: "save it as UTF-8: iconv -f UTF-16 -t UTF-8"}
	return f
}
