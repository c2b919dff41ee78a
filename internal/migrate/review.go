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
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/gorefactor"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Ids of the findings of a review; see reviewRules.
const (
	reviewMissed = "missed"
	reviewOther  = "differs"
	reviewKey    = "key-changed"
	reviewFile   = "file-missed"
	reviewUnread = "unreadable"
	reviewHand   = "other-change"
)

var reviewRules = []report.Rule{
	{ID: reviewMissed, Doc: "a place that the change left as it was, or brought in", Severity: report.Error},
	{ID: reviewOther, Doc: "a place that the change made something else of than the migration", Severity: report.Error},
	{ID: reviewKey, Doc: "a label, annotation or finalizer key that the change renamed and that must stay", Severity: report.Error},
	{ID: reviewUnread, Doc: "a file that holds a group and cannot be read as what its name says", Severity: report.Error},
	{ID: reviewFile, Doc: "a file that is named after a group and was not renamed", Severity: report.Error},
	{ID: reviewHand, Doc: "a changed line, or another change of a file, that is no part of the migration: to be read", Severity: report.Note},
}

// A Review compares a change, from one tree to another, with what the
// migration makes of the first: the lines that are exactly cfctl's need no
// reading.
type Review struct {
	Proven   int // lines changed exactly as the migration changes them
	ByHand   int // lines changed or added otherwise, and what else is changed by hand
	Files    int // files that the change touches
	Pure     int // of these, files whose whole change is proven
	Findings []report.Finding
}

// A Diff is what git tells of two trees.
type Diff struct {
	Touched []string          // files that differ, under their old and new names
	Moved   map[string]string // files that stand under another name, by their old ones
}

// A comparison is the work on a review.
type comparison struct {
	Review
	base, head   fs.FS
	planned      map[string]*File // what the migration makes of the base, by path
	twins        map[string][]byte
	after        map[string]*File // what the head has to say of its files
	moved        map[string]string
	done         map[string]bool // files that were compared
	said, byHand map[place]bool  // lines of the head that have a finding, and that are changed by hand
}

// A place is a line of a file; 0 is the file as a whole.
type place struct {
	path string
	line int
}

// Review compares the trees base and head. Both are planned: what the first
// had to migrate, and what the second still has.
func (m *Migration) Review(ctx context.Context, base, head fs.FS, d Diff) (*Review, error) {
	whole := func(ctx context.Context, tree fs.FS) (*Plan, error) {
		return m.Plan(ctx, source.OpenFS(tree, nil), source.WalkOptions{})
	}
	planBase, planHead := whole, m.planFS
	if m.opts.Dual && m.opts.GoStep == string(gorefactor.Copy) {
		planHead = whole
	} else if m.opts.Dual {
		planBase = m.planFS
	}
	before, err := planBase(ctx, base)
	if err != nil {
		return nil, err
	}
	after, err := planHead(ctx, head)
	if err != nil {
		return nil, err
	}
	c := &comparison{base: base, head: head, planned: map[string]*File{}, twins: map[string][]byte{}, after: map[string]*File{},
		moved: d.Moved, done: map[string]bool{}, said: map[place]bool{}, byHand: map[place]bool{}}
	for _, f := range after.Files {
		c.after[f.Path] = f
		c.left(f)
	}
	var names []string // those that move first, so that what moved is not new
	for _, f := range before.Files {
		if f.Skip == nil {
			names, c.planned[f.Path] = append(names, f.Path), f
		}
		if f.Twin != nil {
			c.twins[f.Twin.Path] = f.Twin.Data
		}
	}
	for _, name := range slices.Concat(names, slices.Sorted(maps.Keys(d.Moved)), d.Touched) {
		if err := c.file(name); err != nil {
			return nil, err
		}
	}
	for _, f := range after.Files {
		c.disagrees(f)
	}
	c.fold()
	return &c.Review, nil
}

// fold says once what several findings say of a line: a place that the change
// made something else of is not missed as well, and needs no reading.
func (c *comparison) fold() {
	differs := map[place]bool{}
	for _, f := range c.Findings {
		if f.Rule == reviewOther || f.Rule == reviewKey {
			differs[place{f.Path, f.Line}] = true
		}
	}
	c.Findings = slices.DeleteFunc(c.Findings, func(f report.Finding) bool {
		return differs[place{f.Path, f.Line}] && (f.Rule == reviewMissed || f.Rule == reviewHand && !strings.HasSuffix(f.Message, ")"))
	})
}

// left reports what a file of the head still has to migrate, and one that was not read.
func (c *comparison) left(f *File) {
	if f.Skip != nil {
		c.say(report.Finding{Rule: reviewUnread, Path: f.Path, Line: f.Skip.Pos.Line, Message: f.Skip.Err.Error(), Hint: f.Skip.Hint})
		return
	}
	if f.To != f.Path {
		c.say(report.Finding{Rule: reviewFile, Path: f.Path, Message: "still has its old name, should be " + path.Base(f.To), Old: f.Path, New: f.To})
	}
	granted := c.granted(f)
	for _, s := range f.Sites {
		switch {
		case s.Action() == Change && s.Role() != roleCRDFile && !granted:
			c.sayMissed(f.Path, s.Pos, s)
		case s.Action() == NeedsReview && s.Severe && s.Rule.ID != findingDisagrees:
			c.sayOpen(f, s)
		}
	}
}

// disagrees reports where a file of the head does not agree with others on a line that the
// migration has not written.
func (c *comparison) disagrees(f *File) {
	for _, s := range f.Sites {
		if s.Rule.ID == findingDisagrees && s.Action() == NeedsReview && c.byHand[place{f.Path, s.Pos.Line}] {
			c.sayOpen(f, s)
		}
	}
}

// say adds a finding.
func (c *comparison) say(f report.Finding) {
	f.Severity = report.Error
	c.said[place{f.Path, f.Line}] = true
	c.Findings = append(c.Findings, f)
}

// sayMissed says that a site still is.
func (c *comparison) sayMissed(name string, at source.Position, s Site) {
	c.say(report.Finding{Rule: reviewMissed, Path: name, Line: at.Line, Column: at.Column,
		Message: fmt.Sprintf("%s is still there, should be %s", s.Old, cmp.Or(s.New, "removed")), Old: s.Old, New: s.New})
}

// sayOpen says that a site of the head needs review.
func (c *comparison) sayOpen(f *File, s Site) {
	c.say(report.Finding{Rule: reviewMissed, Path: f.Path, Line: s.Pos.Line, Column: s.Pos.Column, Message: s.Old + ": " + s.Why(), Old: s.Old, Hint: f.Hint(s)})
}

// stands says that a site of the base still is on a line of the head, where
// the head does not say so itself: alone it may not tell what it is any more.
func (c *comparison) stands(name string, line int, s Site) {
	f := c.after[name]
	if c.said[place{name, line}] || f != nil && slices.ContainsFunc(f.Sites, func(x Site) bool {
		return x.Pos.Line == line && x.Old == s.Old && x.Action() == Stay && slices.Contains(byUser, x.ID())
	}) {
		return
	}
	c.sayMissed(name, source.Position{Line: line}, s)
}

// byUser are the reasons for which the user or a ruleset keeps a name.
var byUser = []string{"keep-comment", "configuration", "ruleset"}

// A state is what a tree has under a name.
type state struct {
	what string // in words; "" for nothing, and for a folder, whose files stand at their own names
	data []byte
}

const (
	stateFile   = "a file"
	stateCommit = "the commit of another repository"
)

func stateAt(tree fs.FS, name string) (s state, err error) {
	info, err := fs.Stat(tree, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return s, err
	case info.IsDir():
		if inside, err := fs.ReadDir(tree, name); err == nil && len(inside) == 0 { // git keeps no empty folder
			s.what = stateCommit
		}
		return s, nil
	case info.Mode()&fs.ModeSymlink != 0:
		s.what = "a symbolic link"
	case info.Mode().Perm()&0o111 != 0:
		s.what = "an executable file"
	default:
		s.what = stateFile
	}
	s.data, err = fs.ReadFile(tree, name)
	return s, err
}

// isBinary says whether a file is not compared line by line.
func (s state) isBinary() bool { return bytes.IndexByte(s.data[:min(len(s.data), 8000)], 0) >= 0 }

// lines are those of a file that is compared by them.
func (s state) lines() [][]byte {
	if s.isBinary() {
		return nil
	}
	return text.SplitLines(s.data)
}

// file compares one file of the base, planned or not, with what became of it.
func (c *comparison) file(name string) error {
	if c.done[name] {
		return nil
	}
	c.done[name] = true
	was, err := stateAt(c.base, name)
	if err != nil {
		return err
	}
	planned := c.planned[name]
	now, is, made, err := c.nowAt(name, planned)
	switch {
	case err != nil:
		return err
	case is.what == "":
		if was.what != "" && !(planned != nil && planned.Drop) {
			c.count(c.apart(name, was.what+" is removed"))
		}
		return nil
	}
	if now == name && was.what == is.what && is.what != stateCommit && bytes.Equal(was.data, is.data) {
		c.untouched(name, planned)
		return nil
	}
	lines := is.lines()
	want, err := c.expected(name, was, lines, planned)
	if err != nil {
		return err
	}
	hand := c.compare(now, planned, was.lines(), want, lines) + c.whole(now, was, is)
	if !made {
		hand += c.apart(now, "it was "+strconv.Quote(name))
	}
	c.count(hand)
	return nil
}

// count counts a file with so much that is changed by hand.
func (c *comparison) count(hand int) {
	c.Files, c.ByHand = c.Files+1, c.ByHand+hand
	if hand == 0 {
		c.Pure++
	}
}

// nowAt is where a file of the base is in the head: under its name, the one that the
// migration gives it, or the one that git finds it under. Made says that the migration gives it
// this name.
func (c *comparison) nowAt(name string, planned *File) (now string, is state, made bool, err error) {
	fresh := name
	if planned != nil {
		fresh = planned.To
	}
	for i, now := range []string{name, fresh, c.moved[name]} {
		if now == "" || now != name && c.done[now] {
			continue
		}
		if is, err := stateAt(c.head, now); err != nil || is.what != "" {
			c.done[now] = true
			return now, is, i < 2, err
		}
	}
	return name, state{}, false, nil
}

// expected are the lines that the migration makes of a file: of those with its Go code and
// without the ones nearer to what the head has. A change need not rename what is of Go code.
func (c *comparison) expected(name string, was state, lines [][]byte, planned *File) (nearer [][]byte, err error) {
	if was.what == "" {
		return text.SplitLines(c.twins[name]), nil
	}
	if planned == nil {
		return was.lines(), nil
	}
	without := *planned
	without.Sites = slices.DeleteFunc(slices.Clone(planned.Sites), isOfCode)
	for i, f := range []*File{&without, planned} {
		data, err := source.Apply(was.data, f.Edits(was.data))
		if err != nil {
			return nil, err
		}
		if want := sameGrants(text.SplitLines(data), lines); i == 0 || apartBy(want, lines) < apartBy(nearer, lines) {
			nearer = want
		}
	}
	return nearer, nil
}

// isOfCode says whether a site is of a name of Go code.
func isOfCode(s Site) bool { return s.Role() == roleClient }

// apartBy is the number of lines in which two texts differ.
func apartBy(a, b [][]byte) (n int) {
	for _, h := range text.DiffLines(a, b) {
		n += max(h.A2-h.A1, h.B2-h.B1)
	}
	return n
}

// whole lists what becomes of a file as a whole: its mode and kind, the bytes of a binary one.
func (c *comparison) whole(name string, was, is state) (hand int) {
	switch {
	case was.what == "" && is.what != stateFile:
		hand += c.apart(name, is.what+" is new")
	case was.what == "" && len(is.data) == 0:
		hand += c.apart(name, "an empty file is new")
	case was.what == "" && is.isBinary():
		hand += c.apart(name, "a binary file is new")
	case was.what != "" && was.what != is.what:
		hand += c.apart(name, was.what+" becomes "+is.what)
	case is.what == stateCommit:
		hand += c.apart(name, is.what+" becomes another one")
	}
	if was.what != "" && !bytes.Equal(was.data, is.data) && (was.isBinary() || is.isBinary()) {
		hand += c.apart(name, "the bytes of a binary file change")
	}
	return hand
}

// apart lists what a change does to a file by hand, beside its lines.
func (c *comparison) apart(name, what string) int {
	c.Findings = append(c.Findings, report.Finding{Rule: reviewHand, Severity: report.Note, Path: name, Message: what})
	return 1
}

// untouched reports the sites of a file that the change left alone.
func (c *comparison) untouched(name string, planned *File) {
	if planned == nil {
		return
	}
	for _, s := range planned.Sites {
		if s.Action() == Change && s.New != "" && !isOfCode(s) {
			c.stands(name, s.Pos.Line, s)
		}
	}
}

// Report is the review as findings; lines by hand are notes.
func (r *Review) Report() *report.Report {
	rep := &report.Report{Command: "migrate review", Findings: slices.Clone(r.Findings), Rules: reviewRules}
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
