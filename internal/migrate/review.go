package migrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Ids of the findings of a review.
const (
	ReviewMissed = "missed"       // a site that the change left as it was, or brought in
	ReviewOther  = "differs"      // a site that the change made something else of
	ReviewKey    = "key-changed"  // a key or other kept name that the change renamed
	ReviewFile   = "file-missed"  // a file that should have been renamed
	ReviewUnread = "unreadable"   // a file of the head that holds an old name and could not be read
	ReviewHand   = "by-hand-line" // a changed line that is no part of the migration
)

// A Review holds a change, from one tree to another, against what the
// migration makes of the first: the lines that are exactly cfctl's need no
// reading.
type Review struct {
	Proven   int // lines changed exactly as the migration changes them
	ByHand   int // lines changed or added otherwise
	Files    int // files that the change touches
	Pure     int // of these, files whose whole change is proven
	Findings []report.Finding
	sets     []*rules.Ruleset

	base, head fs.FS
	moved      map[string]string
	after      map[string]*File // what the head has to say of its files
	done       map[string]bool  // files that were compared
	said       map[string]bool  // places of the head that have a finding
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
	before, err := m.planFS(ctx, base)
	if err != nil {
		return nil, err
	}
	after, err := m.planFS(ctx, head)
	if err != nil {
		return nil, err
	}
	r := &Review{sets: m.opts.Rulesets, base: base, head: head, moved: d.Moved, after: map[string]*File{}, done: map[string]bool{}, said: map[string]bool{}}
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
	}
	olds := slices.Sorted(maps.Keys(d.Moved)) // first, so that what moved is not new
	for _, name := range slices.Concat(olds, d.Touched) {
		if err := r.file(name, nil); err != nil {
			return nil, err
		}
	}
	r.fold()
	return r, nil
}

// fold says once what several findings say of a line: a place that the change
// made something else of is not missed as well, and needs no reading.
func (r *Review) fold() {
	said := map[string]bool{}
	line := func(f report.Finding) string { return fmt.Sprintf("%s:%d", f.Path, f.Line) }
	for _, f := range r.Findings {
		if f.Rule == ReviewOther || f.Rule == ReviewKey {
			said[line(f)] = true
		}
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f report.Finding) bool {
		return said[line(f)] && (f.Rule == ReviewMissed || f.Rule == ReviewHand && !strings.HasSuffix(f.Message, ")"))
	})
}

// An fsTree is the Others of a tree without a work tree.
type fsTree struct{ fs.FS }

func (t fsTree) Exists(name string) bool {
	_, err := fs.Stat(t.FS, name)
	return err == nil
}

func (t fsTree) ReadFile(name string) ([]byte, error) { return fs.ReadFile(t.FS, name) }

// planFS plans the migration of a whole tree, as Plan does of a work tree.
func (m *Migration) planFS(ctx context.Context, tree fs.FS) (*Plan, error) {
	var others []*File // text with NUL bytes
	looks := m.binary()
	var skipped []report.Skip
	files, err := m.gather(func(s search, visit func(name string, data []byte)) error {
		skip := func(name string, data []byte, why source.Reason) {
			if s.only != nil {
				return // the first walk has told of it
			}
			if data != nil {
				f, held := looks.look(name, data)
				if f != nil {
					others = append(others, f)
				}
				if held {
					why = heldBinary
				}
			}
			skipped = append(skipped, report.Skip{Path: name, Reason: string(why)})
		}
		return walkFS(ctx, tree, s, visit, skip)
	})
	if err != nil {
		return nil, err
	}
	p := m.Finish(append(files, others...), fsTree{tree})
	p.Skipped = append(p.Skipped, skipped...)
	return p, nil
}

// walkFS is the walk of a tree that is no work tree. What it passes over goes to
// skip; data is that of binary files.
func walkFS(ctx context.Context, tree fs.FS, s search, visit func(name string, data []byte), skip func(name string, data []byte, why source.Reason)) error {
	finder := source.NewFinder(s.needles)
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if why, ok := map[string]source.Reason{"vendor": source.SkipVendored, "node_modules": source.SkipNodeModules}[d.Name()]; ok && d.IsDir() {
			skip(name, nil, why)
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || s.only != nil && !s.only([]byte(name)) {
			return ctx.Err()
		}
		data, err := fs.ReadFile(tree, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a snapshot without its largest files
		}
		if err != nil {
			return err
		}
		switch {
		case bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0:
			skip(name, data, source.SkipBinary)
		case finder.Match(data) || finder.Match([]byte(name)) || slices.Contains(s.always, d.Name()):
			visit(name, data)
		}
		return ctx.Err()
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
		if x.Rule == FindingDisagrees && x.claim == s.claim {
			n++
		}
	}
	return n > r.stood[f.Path+" "+s.claim]
}

// left reports what the head still has to migrate, what it left unread, and
// where it does not agree with itself.
func (r *Review) left(head *Plan) {
	for _, f := range head.Files {
		if f.Skip != nil {
			r.say(report.Finding{Rule: ReviewUnread, Severity: report.Error, Path: f.Path, Line: f.Skip.Pos.Line, Message: f.Skip.Err.Error(), Hint: f.Skip.Hint})
			continue
		}
		if f.To != f.Path {
			r.sayFile(f.Path, f.To)
		}
		for _, s := range f.Sites {
			switch {
			case s.Action() == Change && s.Role != find.RoleCRDFile:
				r.sayMissed(f.Path, s.Pos, s)
			case s.Action() == Person && (s.Severe && s.Rule != FindingDisagrees || s.Rule == FindingDisagrees && r.broughtIn(f, s)):
				r.say(report.Finding{Rule: ReviewMissed, Severity: report.Error, Path: f.Path, Line: s.Pos.Line, Column: s.Pos.Column,
					Message: s.Old + ": " + s.Why, Old: s.Old, Hint: s.Hint})
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
	r.say(report.Finding{Rule: ReviewFile, Severity: report.Error, Path: name, Message: "still has its old name, should be " + path.Base(to), Old: name, New: to})
}

// sayMissed says that a site still stands.
func (r *Review) sayMissed(name string, at source.Position, s Site) {
	r.say(report.Finding{Rule: ReviewMissed, Severity: report.Error, Path: name, Line: at.Line, Column: at.Column,
		Message: fmt.Sprintf("%s is still there, should be %s", s.Old, s.New), Old: s.Old, New: s.New})
}

// stands says that a site of the base still stands on a line of the head, where
// the head does not say so itself: alone it may not tell what it is any more.
func (r *Review) stands(name string, line int, s Site) {
	if r.said[fmt.Sprintf("%s:%d", name, line)] || r.acknowledges(name, line, s.Old) {
		return
	}
	r.sayMissed(name, source.Position{Line: line}, s)
}

// acknowledges says whether a person or a ruleset keeps a spelling in the head.
func (r *Review) acknowledges(name string, line int, spelling string) bool {
	f := r.after[name]
	return f != nil && slices.ContainsFunc(f.Sites, func(s Site) bool {
		return s.Action() == Stay && s.Pos.Line == line && s.Old == spelling && slices.Contains([]string{"by-hand", "configuration", "ruleset"}, s.Reason)
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
	now, got, err := r.nowAt(name, to)
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
	r.compare(now, planned, text.SplitLines(old), text.SplitLines(want), text.SplitLines(got))
	return nil
}

// nowAt is where a file of the base stands in the head: under its name, the one
// that the migration gives it, or the one that git finds it under.
func (r *Review) nowAt(name, to string) (now string, got []byte, err error) {
	for _, now := range []string{name, to, r.moved[name]} {
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

// keepsAll says whether a person keeps every site of a file of the head.
func (r *Review) keepsAll(name string) bool {
	f := r.after[name]
	return f != nil && len(f.Sites) > 0 && !slices.ContainsFunc(f.Sites, func(s Site) bool {
		return s.Action() != Stay || !slices.Contains([]string{"by-hand", "configuration", "ruleset"}, s.Reason)
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

// readOptional reads a file; one that is not there is nil.
func readOptional(tree fs.FS, name string) ([]byte, error) {
	data, err := fs.ReadFile(tree, name)
	if errors.Is(err, fs.ErrNotExist) {
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

// compare splits the change of one file. The lines in which the head differs
// from what the migration gives are by hand; what else differs from the base
// is proven.
func (r *Review) compare(name string, planned *File, old, want, got [][]byte) {
	changed := make([]bool, len(want)) // lines of want that the migration changed
	origin := make([]int, len(want))   // lines of old that they come from, -1 for new ones
	at := 0
	for _, h := range append(text.DiffLines(old, want), text.Hunk{A1: len(old), A2: len(old), B1: len(want), B2: len(want)}) {
		for j := at; j < h.B1; j++ {
			origin[j] = h.A1 - (h.B1 - j)
		}
		for j := h.B1; j < h.B2; j++ {
			changed[j], origin[j] = true, -1
			if h.A2-h.A1 == h.B2-h.B1 {
				origin[j] = h.A1 + j - h.B1
			}
		}
		at = h.B2
	}
	total := 0
	for _, c := range changed {
		if c {
			total++
		}
	}
	hand := 0
	for _, h := range text.DiffLines(want, got) {
		hand += max(h.B2-h.B1, 1)
		r.Findings = append(r.Findings, report.Finding{Rule: ReviewHand, Severity: report.Note, Path: name, Line: min(h.B1+1, max(1, len(got))),
			Message: handMessage(h, want, got)})
		for i := h.A1; i < h.A2; i++ {
			if changed[i] {
				total--
			}
			r.judge(name, planned, h, i, origin[i], old, want, got, changed[i])
		}
	}
	r.Proven += total
	r.ByHand += hand
	if hand == 0 {
		r.Pure++
	}
}

// handMessage says what was changed by hand: the first line, and how many
// more there are.
func handMessage(h text.Hunk, want, got [][]byte) string {
	if h.B1 == h.B2 {
		return fmt.Sprintf("removed: %s%s", clip(want[h.A1]), more(h.A2-h.A1))
	}
	return clip(got[h.B1]) + more(h.B2-h.B1)
}

func more(lines int) string {
	switch lines {
	case 1:
		return ""
	case 2:
		return " (and the next line)"
	}
	return fmt.Sprintf(" (and the next %d lines)", lines-1)
}

// judge looks at a line of the expected text that the head has otherwise.
func (r *Review) judge(name string, planned *File, h text.Hunk, i, from int, old, want, got [][]byte, changed bool) {
	if planned == nil || from < 0 {
		return
	}
	now := nearest(want[i], got[h.B1:h.B2])
	alike := now >= 0
	if !alike && h.A2-h.A1 == h.B2-h.B1 {
		now = i - h.A1 // line for line: of a short one a rename leaves little
	}
	if now < 0 {
		return // the line is gone
	}
	line := h.B1 + now
	for _, s := range planned.Sites {
		if s.Pos.Line != from+1 || !alike && s.Action() != Stay {
			continue
		}
		f := report.Finding{Severity: report.Error, Path: name, Line: line + 1, Old: s.Old, New: s.New}
		switch {
		case s.Action() == Change && changed && s.New != "" && !bytes.Contains(got[line], []byte(s.New)):
			if bytes.Equal(got[line], old[from]) || hasWord(got[line], s.Old) {
				r.stands(name, line+1, s)
				continue
			}
			f.Rule, f.Message = ReviewOther, fmt.Sprintf("%s should be %s; the line is now %s", s.Old, s.New, clipAt(got[line], s.Pos.Column))
		case s.Action() == Stay && s.Role == find.RoleKey && !bytes.Contains(got[line], []byte(s.Old)):
			f.Rule, f.Message = ReviewKey, fmt.Sprintf("%s must stay (%s); the line is now %s", s.Old, s.Why, clipAt(got[line], s.Pos.Column))
		default:
			continue
		}
		r.Findings = append(r.Findings, f)
	}
}

// hasWord says whether a line holds a name that is not part of a longer one.
func hasWord(line []byte, word string) bool {
	for at := 0; ; {
		n := bytes.Index(line[at:], []byte(word))
		if n < 0 {
			return false
		}
		at += n
		before := at == 0 || !text.IsWordByte(line[at-1]) && line[at-1] != '.'
		end := at + len(word)
		if before && (end == len(line) || !text.IsWordByte(line[end])) {
			return true
		}
		at++
	}
}

// nearest is the index of the line that shares most with a line; -1 when none
// shares half of it.
func nearest(line []byte, lines [][]byte) int {
	best, score := -1, len(bytes.TrimSpace(line))/2
	for i, l := range lines {
		if s := shared(line, l); s > score {
			best, score = i, s
		}
	}
	return best
}

// shared counts the bytes that two lines have in common at both ends.
func shared(a, b []byte) int {
	a, b = bytes.TrimSpace(a), bytes.TrimSpace(b)
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	m := 0
	for m < len(a)-n && m < len(b)-n && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	return n + m
}

// clipped is how many characters of a line a message shows.
const clipped = 120

// clip is a line for a message.
func clip(line []byte) string { return clipAt(line, 1) }

// clipAt is a line for a message: of a long one, the part around a column.
func clipAt(line []byte, column int) string {
	r := []rune(strings.TrimRight(strings.ToValidUTF8(string(line), "\uFFFD"), " \t\r\n"))
	from := max(0, min(column-1-clipped/3, len(r)-clipped))
	text := strings.TrimSpace(string(r[from:min(len(r), from+clipped)]))
	if from > 0 {
		text = "..." + text
	}
	if from+clipped < len(r) {
		text += "..."
	}
	return text
}

// Report is the review as findings; lines by hand are notes.
func (r *Review) Report() *report.Report {
	rep := &report.Report{Command: "migrate review", Findings: slices.Clone(r.Findings), Rules: []report.Rule{
		{ID: ReviewMissed, Doc: "a place that the change left as it was, or brought in", Severity: report.Error},
		{ID: ReviewOther, Doc: "a place that the change made something else of than the migration", Severity: report.Error},
		{ID: ReviewKey, Doc: "a label, annotation or finalizer key that the change renamed and that must stay", Severity: report.Error},
		{ID: ReviewUnread, Doc: "a file that holds a group and cannot be read as what its name says", Severity: report.Error},
		{ID: ReviewFile, Doc: "a file that is named after a group and was not renamed", Severity: report.Error},
		{ID: ReviewHand, Doc: "a changed line that is no part of the migration: to be read", Severity: report.Note},
	}}
	rep.Summary = map[string]any{"summary": map[string]int{"proven": r.Proven, "by_hand": r.ByHand, "files": r.Files, "pure": r.Pure, "errors": r.Errors()}}
	return rep
}

// Errors is the number of findings that a person must settle.
func (r *Review) Errors() int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == report.Error {
			n++
		}
	}
	return n
}
