// Package prove holds a file after a migration against the file before it.
//
// The flow: Rules say what may become what; Check takes a File, which is both
// texts and the decisions that lead from one to the other, and refuses it
// unless (1) the edits are what the decisions say, (2) every changed word is
// an old spelling before and its new one after, (3) decoded, before and after
// differ in what the rules permit and in nothing else: documents in strings,
// permissions, shapes too, and (4) what parsed before parses after.
//
// It shares no code with what makes the edits, so that a mistake there is not
// made here a second time. It never changes anything.
package prove

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A File is one file before and after, with what was decided about it.
type File struct {
	Path   string
	Format string // yaml, json, helm, markdown, go, notebook, ...; what is not known is text
	Before []byte
	After  []byte // nil for a gate: what the edits make
	// Edits are those that make After of Before, in any order.
	Edits []source.Edit
	// Decisions explain the edits, one or several each.
	Decisions []Decision
	// Kept are the places that must stay as they are.
	Kept []source.Span
	Dual bool // old and new names may stand side by side
	// Glance is for a gate, which writes nothing: where every edit makes one name
	// of another in its own place, it is enough that what was there parses.
	Glance bool
	// Shaped says that objects of the file change their shape: the edits are
	// then by lines, and more than the decisions' own.
	Shaped bool
}

// A Decision is one place that changes.
type Decision struct {
	source.Span        // of the spelling, in the file before
	Old, New    string // the spelling in its own language; New is empty where something goes as a whole
	Rule        string // id of the rule, for errors
	Edits       []source.Edit
}

// Unread is the answer for a document that did not parse before: nothing can
// be proven of it.
type Unread struct{ Err *source.Error }

func (u *Unread) Error() string { return u.Err.Error() }
func (u *Unread) Unwrap() error { return u.Err }

// Check proves a file or says at which place the proof fails, as a
// *source.Error. A document that did not parse before is an *Unread.
func (r *Rules) Check(f *File) error {
	c := &check{rules: r, file: f, vocabulary: &r.names}
	if path.Base(f.Path) == "PROJECT" {
		c.vocabulary = &r.project
	}
	if err := c.run(); err != nil {
		return c.placed(err)
	}
	return nil
}

// A check is the state of one proof.
type check struct {
	*vocabulary
	rules *Rules
	file  *File
	at    int  // offset of what is looked at, in Before
	loose bool // some decision changes more than names
	exact bool // Edits are the decisions' own
	lost  bool // a shape was changed that may take values away
}

func (c *check) run() error {
	f := c.file
	glance := f.Glance && f.After == nil // what it would become is made when it is asked for
	if _, err := source.Sort(f.Before, f.Edits); err != nil {
		return fmt.Errorf("the edits do not fit: %w", err)
	}
	if !glance {
		if after, err := source.Apply(f.Before, f.Edits); err != nil || !bytes.Equal(after, f.After) {
			return errors.New("the edits do not give the result")
		}
	}
	if err := c.decisions(); err != nil {
		return err
	}
	if err := c.belong(); err != nil {
		return err
	}
	if glance {
		if c.exact && !c.loose {
			c.at = first(f.Edits)
			return c.readable()
		}
		f.After, _ = source.Apply(f.Before, f.Edits) // they fit
	}
	if !c.exact || c.loose {
		if err := c.newWords(); err != nil {
			return err
		}
		if err := c.blankLines(); err != nil {
			return err
		}
		if err := c.lineEnds(); err != nil {
			return err
		}
	}
	c.at = first(f.Edits)
	return c.structure()
}

// placed puts path and place before an error.
func (c *check) placed(err error) error {
	var unread *Unread
	if errors.As(err, &unread) {
		return unread
	}
	return &source.Error{Path: c.file.Path, Pos: source.PositionAt(c.file.Before, c.at), Err: fmt.Errorf("the result is not proven: %w", err)}
}

func first(edits []source.Edit) int {
	at := -1
	for _, e := range edits {
		if at < 0 || e.Start < at {
			at = e.Start
		}
	}
	return max(at, 0)
}

// decisions holds each decision's edits against its spelling, and the spelling
// against the rules.
func (c *check) decisions() error {
	kept := stays(c.file.Kept)
	for _, d := range c.file.Decisions {
		c.at = d.Start
		if d.Start < 0 || d.End < d.Start || d.End > len(c.file.Before) {
			return fmt.Errorf("%d..%d is outside of the file", d.Start, d.End)
		}
		for _, e := range d.Edits {
			if k, ok := kept.touched(e.Span); ok && e.Start >= d.Start && e.End <= d.End {
				return fmt.Errorf("%q must stay", k.Of(c.file.Before))
			}
		}
		if !d.isName() {
			c.loose = c.loose || len(d.Edits) > 0
			if err := c.blanks(d); err != nil {
				return err
			}
			continue
		}
		if err := c.name(d); err != nil {
			return err
		}
	}
	return nil
}

// A keeping is the spans that stay, in their order.
type keeping struct {
	list    []source.Span
	longest int
}

func stays(list []source.Span) keeping {
	k := keeping{list: slices.SortedFunc(slices.Values(list), func(a, b source.Span) int { return a.Start - b.Start })}
	for _, s := range list {
		k.longest = max(k.longest, s.Len())
	}
	return k
}

// touched is a span that stays and shares a byte with another one.
func (k keeping) touched(s source.Span) (source.Span, bool) {
	i, _ := slices.BinarySearchFunc(k.list, s.Start-k.longest, func(x source.Span, at int) int { return x.Start - at })
	for ; i < len(k.list) && k.list[i].Start < s.End; i++ {
		if s.Start < k.list[i].End {
			return k.list[i], true
		}
	}
	return source.Span{}, false
}

// isName says whether a decision changes spellings in its own place, and
// nothing else.
func (d Decision) isName() bool {
	if d.New == "" || len(d.Edits) == 0 {
		return false
	}
	return !slices.ContainsFunc(d.Edits, func(e source.Edit) bool {
		return e.Start < d.Start || e.End > d.End || e.Len() == 0 || e.New == "" || strings.ContainsAny(e.New, "\n, ;")
	})
}

// blanks refuses edits that change the layout or punctuation, and no word.
func (c *check) blanks(d Decision) error {
	for _, e := range d.Edits {
		if c.file.Shaped || e.Start < 0 || e.End < e.Start || e.End > len(c.file.Before) {
			continue
		}
		if slices.Equal(wordsOf(string(e.Of(c.file.Before))), wordsOf(e.New)) {
			c.at = e.Start
			return errors.New("the layout would change, and no word")
		}
	}
	return nil
}

// name proves a decision about a spelling.
func (c *check) name(d Decision) error {
	raw := d.Of(c.file.Before)
	edits := make([]source.Edit, len(d.Edits))
	for i, e := range d.Edits {
		edits[i] = source.Edit{Span: source.Span{Start: e.Start - d.Start, End: e.End - d.Start}, New: e.New, Old: e.Old}
	}
	fresh, err := source.Apply(raw, edits)
	if err != nil {
		return fmt.Errorf("rule %s: %w", d.Rule, err)
	}
	if !c.explains(d.Old, d.New) {
		return fmt.Errorf("rule %s: no rule makes %q of %q", d.Rule, d.New, d.Old)
	}
	if string(raw) == d.Old {
		if string(fresh) != d.New {
			return fmt.Errorf("rule %s: %q would become %q, not %q", d.Rule, raw, fresh, d.New)
		}
		return nil
	}
	if !sameLetters(string(raw), d.Old) || !sameLetters(string(fresh), d.New) {
		return fmt.Errorf("rule %s: %q would become %q, where %q should become %q", d.Rule, raw, fresh, d.Old, d.New)
	}
	return nil
}

// sameLetters compares a spelling with its form in another language, which
// may escape or break it.
func sameLetters(raw, text string) bool {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("\\'\"` \t\r\n,", r) {
				return -1
			}
			return r
		}, s)
	}
	return letters(raw) == letters(text) || strings.Contains(raw, `\u`) || strings.Contains(raw, `\x`) || strings.Contains(raw, `\n`)
}

// belong says whether every edit is a decision's.
func (c *check) belong() error {
	said := map[source.Edit]bool{}
	for _, d := range c.file.Decisions {
		for _, e := range d.Edits {
			said[source.Edit{Span: e.Span, New: e.New}] = true
		}
	}
	c.exact = true
	for _, e := range c.file.Edits {
		if said[source.Edit{Span: e.Span, New: e.New}] {
			continue
		}
		c.exact = false
		c.at = e.Start
		switch {
		case c.file.Shaped:
		case c.file.Format == "go" && c.laidOut(e):
		default:
			return fmt.Errorf("%.60q would become %.60q, which no decision says", e.Of(c.file.Before), e.New)
		}
	}
	return nil
}

// laidOut says whether an edit of a Go file is that of decisions within it,
// with other blanks.
func (c *check) laidOut(e source.Edit) bool {
	var inner []source.Edit
	for _, d := range c.file.Decisions {
		for _, x := range d.Edits {
			if x.Start >= e.Start && x.End <= e.End {
				x.Start -= e.Start
				x.End -= e.Start
				inner = append(inner, source.Edit{Span: x.Span, New: x.New})
			}
		}
	}
	slices.SortFunc(inner, func(a, b source.Edit) int { return a.Start - b.Start })
	fresh, err := source.Apply(e.Of(c.file.Before), slices.Compact(inner))
	return err == nil && withoutBlanks(string(fresh)) == withoutBlanks(e.New)
}

func withoutBlanks(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, s)
}
