package migrate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Ids of the findings of a review.
const (
	reviewMissed = "missed"       // a site that the change left as it was, or brought in
	reviewOther  = "differs"      // a site that the change made something else of
	reviewKey    = "key-changed"  // a key or other kept name that the change renamed
	reviewFile   = "file-missed"  // a file that should have been renamed
	reviewUnread = "unreadable"   // a file of the head that holds an old name and could not be read
	reviewHand   = "other-change" // a changed line that is no part of the migration
)

// A Review holds a change, from one tree to another, against what the
// migration makes of the first: the lines that are exactly cfctl's need no
// reading.
type Review struct {
	Proven   int // lines changed exactly as the migration changes them
	ByHand   int // lines changed or added otherwise, and what else is changed by hand
	Files    int // files that the change touches
	Pure     int // of these, files whose whole change is proven
	Findings []report.Finding
	sets     []*rules.Ruleset

	code       map[string]*File // what the migration makes of files with their Go code, by path in the base
	base, head fs.FS
	moved      map[string]string
	after      map[string]*File // what the head has to say of its files
	done       map[string]bool  // files that were compared
	said       map[string]bool  // places of the head that have a finding
	counted    map[string]bool  // files that Files counts, under their new names, with whether Pure does
	stood      map[string]int   // claims of the base that did not hold, by path in the head and kind
}

// A Diff is what git tells of two trees.
type Diff struct {
	Touched []string          // files that differ, under their old and new names
	Moved   map[string]string // files that stand under another name, by their old ones
}

// Review compares the trees base and head. Both are planned: what the first
// had to migrate, and what the second still has.
func (m *Migration) Review(ctx context.Context, base, head fs.FS, d Diff) (*Review, error) {
	before, withCode, err := m.planBoth(ctx, base)
	if err != nil {
		return nil, err
	}
	after, err := m.planFS(ctx, head)
	if err != nil {
		return nil, err
	}
	r := &Review{sets: m.opts.Rulesets, code: withCode, base: base, head: head, moved: d.Moved, after: map[string]*File{}, done: map[string]bool{}, said: map[string]bool{}, counted: map[string]bool{}}
	for _, f := range after.Files {
		r.after[f.Path] = f
	}
	r.disagreed(before)
	r.left(after)
	for _, f := range before.Files {
		if f.Skip != nil {
			continue
		}
		if err := r.file(f.Path, f); err != nil {
			return nil, err
		}
		if err := r.twin(f.Twin); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.code)) {
		if f := r.code[name]; f.created {
			if err := r.twin(f.Twin); err != nil {
				return nil, err
			}
		}
	}
	moved := slices.Concat(slices.Sorted(maps.Keys(r.code)), slices.Sorted(maps.Keys(d.Moved))) // first, so that what moved is not new
	for _, name := range slices.Concat(moved, d.Touched) {
		if err := r.file(name, nil); err != nil {
			return nil, err
		}
	}
	r.apart(before, d.Touched)
	r.fold()
	return r, nil
}

// fold says once what several findings say of a line: a place that the change
// made something else of is not missed as well, and needs no reading.
func (r *Review) fold() {
	said := map[string]bool{}
	line := func(f report.Finding) string { return fmt.Sprintf("%s:%d", f.Path, f.Line) }
	for _, f := range r.Findings {
		if f.Rule == reviewOther || f.Rule == reviewKey {
			said[line(f)] = true
		}
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f report.Finding) bool {
		return said[line(f)] && (f.Rule == reviewMissed || f.Rule == reviewHand && !strings.HasSuffix(f.Message, ")"))
	})
}

// disagreed counts where the base did not agree with itself, under the paths
// that its files may have in the head.
func (r *Review) disagreed(base *Plan) {
	to := map[string]string{}
	for _, f := range base.Files {
		to[f.Path] = f.To
	}
	r.stood = map[string]int{}
	for key, n := range base.stood {
		at := strings.LastIndexByte(key, ' ')
		name, kind := key[:at], key[at:]
		for _, now := range distinct([]string{name, r.moved[name], to[name]}) {
			r.stood[now+kind] += n
		}
	}
}

// broughtIn says whether the head disagrees with itself in a file more often
// than the base did.
func (r *Review) broughtIn(f *File, s Site) bool {
	n := 0
	for _, x := range f.Sites {
		if x.Rule.ID == findingDisagrees && x.Claim == s.Claim {
			n++
		}
	}
	return n > r.stood[f.Path+" "+s.Claim]
}

// left reports what the head still has to migrate, what it left unread, and
// where it does not agree with itself.
func (r *Review) left(head *Plan) {
	for _, f := range head.Files {
		if f.Skip != nil {
			r.say(report.Finding{Rule: reviewUnread, Severity: report.Error, Path: f.Path, Line: f.Skip.Pos.Line, Message: f.Skip.Err.Error(), Hint: f.Skip.Hint})
			continue
		}
		if f.To != f.Path {
			r.sayFile(f.Path, f.To)
		}
		granted := r.granted(f)
		for _, s := range f.Sites {
			switch {
			case granted[s.Pos.Line] && s.Action() == Change:
			case s.Action() == Change && s.Role() != roleCRDFile:
				r.sayMissed(f.Path, s.Pos, s)
			case s.Action() == NeedsReview && (s.Severe && s.Rule.ID != findingDisagrees || s.Rule.ID == findingDisagrees && r.broughtIn(f, s)):
				r.say(report.Finding{Rule: reviewMissed, Severity: report.Error, Path: f.Path, Line: s.Pos.Line, Column: s.Pos.Column,
					Message: s.Old + ": " + s.Why(), Old: s.Old, Hint: f.Hint(s)})
			}
		}
	}
}

// say adds a finding.
func (r *Review) say(f report.Finding) {
	r.said[fmt.Sprintf("%s:%d", f.Path, f.Line)] = true
	r.Findings = append(r.Findings, f)
}

// sayFile says that a file should have another name.
func (r *Review) sayFile(name, to string) {
	r.say(report.Finding{Rule: reviewFile, Severity: report.Error, Path: name, Message: "still has its old name, should be " + path.Base(to), Old: name, New: to})
}

// sayMissed says that a site still is.
func (r *Review) sayMissed(name string, at source.Position, s Site) {
	r.say(report.Finding{Rule: reviewMissed, Severity: report.Error, Path: name, Line: at.Line, Column: at.Column,
		Message: fmt.Sprintf("%s is still there, should be %s", s.Old, cmp.Or(s.New, "removed")), Old: s.Old, New: s.New})
}

// stands says that a site of the base still is on a line of the head, where
// the head does not say so itself: alone it may not tell what it is any more.
func (r *Review) stands(name string, line int, s Site) {
	if r.said[fmt.Sprintf("%s:%d", name, line)] || r.acknowledges(name, line, s.Old) {
		return
	}
	r.sayMissed(name, source.Position{Line: line}, s)
}

// acknowledges says whether the user or a ruleset keeps a spelling in the head.
func (r *Review) acknowledges(name string, line int, spelling string) bool {
	f := r.after[name]
	return f != nil && slices.ContainsFunc(f.Sites, func(s Site) bool {
		return s.Action() == Stay && s.Pos.Line == line && s.Old == spelling && slices.Contains([]string{"keep-comment", "configuration", "ruleset"}, s.ID())
	})
}

// file compares one file of the base, planned or not, with what became of it.
func (r *Review) file(name string, planned *File) error {
	if r.done[name] {
		return nil
	}
	r.done[name] = true
	old, err := readOptional(r.base, name)
	if err != nil {
		return err
	}
	want, to := old, name
	if planned != nil {
		to = planned.To
		if want, err = source.Apply(old, planned.Edits(old)); err != nil {
			return err
		}
	}
	now, got, err := r.nowAt(name, to, r.code[name])
	if err != nil || got == nil {
		return err // nil: the change removes the file
	}
	if now == name && to != name && !r.said[name+":0"] && !r.keepsAll(name) {
		r.sayFile(name, to)
	}
	if bytes.Equal(old, got) && now == name {
		r.untouched(name, planned)
		return nil
	}
	r.Files++
	lines := text.SplitLines(got)
	nearer := sameGrants(text.SplitLines(want), lines)
	if code := r.code[name]; code != nil {
		if want, err = source.Apply(old, code.Edits(old)); err != nil {
			return err
		}
		if other := sameGrants(text.SplitLines(want), lines); apartBy(other, lines) < apartBy(nearer, lines) {
			nearer = other
		}
	}
	r.compare(now, planned, text.SplitLines(old), nearer, lines)
	return nil
}

// apartBy is the number of lines in which two texts differ.
func apartBy(a, b [][]byte) (n int) {
	for _, h := range text.DiffLines(a, b) {
		n += max(h.A2-h.A1, h.B2-h.B1)
	}
	return n
}

// twin compares a file that the migration of the base creates, in dual mode, with
// what the head has of it.
func (r *Review) twin(planned *Twin) error {
	if planned == nil || r.done[planned.Path] {
		return nil
	}
	got, err := readOptional(r.head, planned.Path)
	if err != nil || got == nil {
		return err
	}
	r.done[planned.Path] = true
	r.Files++
	r.compare(planned.Path, nil, nil, text.SplitLines(planned.Data), text.SplitLines(got))
	return nil
}

// nowAt is where a file of the base is in the head: under its name, the one that the
// migration gives it, with its Go code or without, or the one that git finds it under.
func (r *Review) nowAt(name, to string, code *File) (now string, got []byte, err error) {
	names := []string{name, to, r.moved[name]}
	if code != nil {
		names = slices.Insert(names, 1, code.To)
	}
	for _, now := range names {
		if now == "" || now != name && r.done[now] {
			continue
		}
		if got, err := readOptional(r.head, now); err != nil || got != nil {
			r.done[now] = true
			return now, got, err
		}
	}
	return "", nil, nil
}

// keepsAll says whether the user keeps every site of a file of the head.
func (r *Review) keepsAll(name string) bool {
	f := r.after[name]
	return f != nil && len(f.Sites) > 0 && !slices.ContainsFunc(f.Sites, func(s Site) bool {
		return s.Action() != Stay || !slices.Contains([]string{"keep-comment", "configuration", "ruleset"}, s.ID())
	})
}

// untouched reports the sites of a file that the change left alone.
func (r *Review) untouched(name string, planned *File) {
	if planned == nil {
		return
	}
	for _, s := range planned.Sites {
		if s.Action() == Change && s.New != "" {
			r.stands(name, s.Pos.Line, s)
		}
	}
}

// readOptional reads a file; one that is not there is nil, as is a directory or
// the commit of another repository, which a file may have become.
func readOptional(tree fs.FS, name string) ([]byte, error) {
	data, err := fs.ReadFile(tree, name)
	if err != nil && isDir(tree, name) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if data == nil || bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 {
		return []byte{}, nil
	}
	return data, nil
}

func isDir(tree fs.FS, name string) bool {
	info, err := fs.Stat(tree, name)
	return err == nil && info.IsDir()
}

// Report is the review as findings; lines by hand are notes.
func (r *Review) Report() *report.Report {
	rep := &report.Report{Command: "migrate review", Findings: slices.Clone(r.Findings), Rules: []report.Rule{
		{ID: reviewMissed, Doc: "a place that the change left as it was, or brought in", Severity: report.Error},
		{ID: reviewOther, Doc: "a place that the change made something else of than the migration", Severity: report.Error},
		{ID: reviewKey, Doc: "a label, annotation or finalizer key that the change renamed and that must stay", Severity: report.Error},
		{ID: reviewUnread, Doc: "a file that holds a group and cannot be read as what its name says", Severity: report.Error},
		{ID: reviewFile, Doc: "a file that is named after a group and was not renamed", Severity: report.Error},
		{ID: reviewHand, Doc: "a changed line, or another change of a file, that is no part of the migration: to be read", Severity: report.Note},
	}}
	rep.Summary = map[string]any{"summary": map[string]int{"proven": r.Proven, "other": r.ByHand, "files": r.Files, "pure": r.Pure, "errors": r.Errors()}}
	return rep
}

// Errors is the number of findings that must be settled.
func (r *Review) Errors() int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == report.Error {
			n++
		}
	}
	return n
}
