package migrate

import (
	"bytes"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"

	"github.com/project-codeflare/cfctl/internal/report"
)

// What is no line of a text is a part of a change as well: files that go or come without
// a line, other names, modes and kinds of files, the bytes of binary ones, commits of
// other repositories. What of it the migration does not make is by hand.

// What is at a path of a tree, in words; nothing for a folder, whose files stand at
// their own.
const (
	standsNothing = ""
	standsFile    = "a file"
	standsProgram = "an executable file"
	standsLink    = "a symbolic link"
	standsOther   = "the commit of another repository"
)

// standsAt says what is at a path of a tree, be the bytes of it there or not.
func standsAt(tree fs.FS, name string) string {
	list, err := fs.ReadDir(tree, path.Dir(name))
	if err != nil {
		return standsNothing
	}
	i := slices.IndexFunc(list, func(e fs.DirEntry) bool { return e.Name() == path.Base(name) })
	if i < 0 {
		return standsNothing
	}
	if list[i].IsDir() {
		if inside, err := fs.ReadDir(tree, name); err != nil || len(inside) > 0 {
			return standsNothing
		}
		return standsOther // git keeps no empty folder
	}
	switch info, err := list[i].Info(); {
	case list[i].Type()&fs.ModeSymlink != 0:
		return standsLink
	case err == nil && info.Mode().Perm()&0o111 != 0:
		return standsProgram
	}
	return standsFile
}

// apart lists what is no line of the files of a change.
func (r *Review) apart(base *Plan, touched []string) {
	from, gone := map[string]string{}, map[string]bool{}
	for old, now := range r.moved {
		from[now] = old
	}
	to := map[string]string{}
	for _, f := range slices.AppendSeq(slices.Clone(base.Files), maps.Values(r.code)) {
		gone[f.Path] = gone[f.Path] || f.Drop
		if f.To != f.Path && standsAt(r.head, f.To) != standsNothing {
			from[f.To], to[f.Path] = f.Path, f.To
		}
	}
	for _, name := range distinct(touched) {
		was, is, old := standsAt(r.base, name), standsAt(r.head, name), name
		switch {
		case is == standsNothing:
			if was != standsNothing && !gone[name] && to[name] == "" && r.moved[name] == "" {
				r.sayApart(name, was+" is removed")
			}
			continue
		case was == standsNothing && from[name] != "":
			old = from[name]
			if to[old] != name {
				r.sayApart(name, "it was "+strconv.Quote(old))
			}
			was = standsAt(r.base, old)
		}
		r.kinds(old, name, was, is)
	}
}

// kinds lists what becomes of a file as a whole, from what was under a name to what is
// under one now.
func (r *Review) kinds(old, now, was, is string) {
	before, after := bytesOf(r.base, old), bytesOf(r.head, now)
	switch {
	case was == standsNothing && is != standsFile:
		r.sayApart(now, is+" is new")
	case was == standsNothing && len(after) == 0:
		r.sayApart(now, "an empty file is new")
	case was == standsNothing && isOpaque(after):
		r.sayApart(now, "a binary file is new")
	case was != standsNothing && was != is:
		r.sayApart(now, was+" becomes "+is)
	case is == standsOther:
		r.sayApart(now, is+" becomes another one")
	}
	if was != standsNothing && !bytes.Equal(before, after) && (isOpaque(before) || isOpaque(after)) {
		r.sayApart(now, "the bytes of a binary file change")
	}
}

// bytesOf are the bytes of a file, none for what has none to be read.
func bytesOf(tree fs.FS, name string) []byte {
	data, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil
	}
	return data
}

// isOpaque says whether a file is not compared line by line.
func isOpaque(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}

// sayApart lists what a change does to a file by hand, beside its lines.
func (r *Review) sayApart(name, what string) {
	r.Findings = append(r.Findings, report.Finding{Rule: reviewHand, Severity: report.Note, Path: name, Message: what})
	r.ByHand++
	pure, known := r.counted[name]
	switch {
	case !known:
		r.Files++
	case pure:
		r.Pure--
	}
	r.counted[name] = false
}
