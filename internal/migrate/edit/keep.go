package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What is left goes away when it is done, or when a person acknowledges it: by
// a comment where it stands, or in the configuration of the tree, for what has
// no place for a comment.

// Keeps are the acknowledgements of a configuration, the first that fits counts.
type Keeps []Keep

// A Keep is one acknowledgement of the configuration: what stands in the files
// of a path stays.
type Keep struct {
	Path  string `yaml:"path"`  // glob of files, from the top of the work tree; ** crosses folders
	Value string `yaml:"value"` // the spelling that stays; empty = whatever the files hold
	Why   string `yaml:"why"`   // the reason
}

// Suppression is the mark that keeps the sites of its line, or of the next
// line when it stands alone.
const Suppression = "cfctl:keep"

var suppressions = source.NewFinder([]string{Suppression})

// A Mark is one suppression of a file.
type Mark struct {
	source.Span             // from its word to the end of its line
	Lines       source.Span // what it keeps
	Why         string      // the reason that it gives; may be empty
	quoted      bool        // a document speaks of it
}

// Marks are the suppressions of a text, in its order.
func Marks(data []byte) []Mark {
	var list []Mark
	first := bytes.TrimLeft(data, " \t\r\n\ufeff")
	json := len(first) > 0 && (first[0] == '{' || first[0] == '[') // a comment in it is one of a text in a string
	for at := 0; ; {
		if at, _ = suppressions.Index(data, at); at < 0 {
			return list
		}
		from := text.LineStart(data, at)
		content, next := text.LineEnd(data, at, len(data))
		if !isMark(data, at) || !json && (inValue(data[from:at], data[at:content]) || !inComment(data[from:at])) {
			at += len(Suppression)
			continue
		}
		m := Mark{Span: source.Span{Start: at, End: content}, Why: reason(string(data[at+len(Suppression) : content]))}
		m.quoted = bytes.IndexByte(data[from:at], '`') >= 0
		if alone(data[from:at]) {
			content, _ = text.LineEnd(data, next, len(data))
		}
		m.Lines = source.Span{Start: from, End: content}
		list, at = append(list, m), m.End
	}
}

// isMark says whether a suppression at an offset is a word of its own.
func isMark(data []byte, at int) bool {
	before, behind := byte(' '), byte(' ')
	if at > 0 {
		before = data[at-1]
	}
	if end := at + len(Suppression); end < len(data) {
		behind = data[end]
	}
	return !text.IsIdent(before) && before != '-' && before != '.' && !text.IsIdent(behind)
}

// inComment says whether something before a suppression on its line begins a comment;
// nothing but marks may be the middle of one over several lines.
func inComment(before []byte) bool {
	if alone(before) || commentWord.Match(before) {
		return true
	}
	for i := range before {
		if opensComment(before[i:]) && (before[i] != '#' || i == 0 || !text.IsIdent(before[i-1])) {
			return true
		}
	}
	return false
}

// commentWord is a word that makes a comment of its line: of batch files, m4 and
// reStructuredText.
var commentWord = lazyregexp.New(`^\s*(?:(?i:@?rem)|dnl|\.\.)\s`)

// inValue says whether a suppression, of which a line has what is before it and
// what begins with it, is a part of a string that begins and ends on the line, and
// stands in no comment.
func inValue(before, rest []byte) bool {
	var quote byte
	for i := 0; i < len(before); i++ {
		c := before[i]
		switch {
		case quote != 0 && c == '\\' && quote == '"':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'' && (i == 0 || bytes.IndexByte([]byte(" \t([{,:="), before[i-1]) >= 0):
			quote = c
		case opensComment(before[i:]):
			return false
		}
	}
	return quote != 0 && bytes.IndexByte(rest, quote) >= 0
}

// opensComment says whether a text begins with what begins a comment in some
// language.
func opensComment(text []byte) bool {
	for _, mark := range []string{"#", "//", "/*", "<!--", "{{", "{%", "--", ";", "%"} {
		if bytes.HasPrefix(text, []byte(mark)) {
			return true
		}
	}
	return false
}

// reason is the text of a suppression up to the end of its comment.
func reason(text string) string {
	for _, end := range []string{"*/", "-->", "}}", "%}", "%>"} {
		text, _, _ = strings.Cut(text, end)
	}
	return strings.Trim(text, " \t\r-")
}

// alone says whether nothing but a comment mark stands before a suppression.
func alone(before []byte) bool {
	return len(bytes.Trim(before, " \t#/*<!->{%-")) == 0
}

// keptByHand are the words for what a mark keeps, before its reason.
const keptByHand = "kept by hand"

// KeptByHand is the outcome of a place that a person keeps.
func (o Outcome) KeptByHand(why string) Outcome {
	if why != "" {
		why = ": " + why
	}
	return o.acknowledged("by-hand", keptByHand+why)
}

// acknowledged is the outcome of a place of which somebody has said that it stays.
func (o Outcome) acknowledged(reason, why string) Outcome {
	o.unruled, o.Severe, o.Hint, o.In = false, false, "", ""
	return o.Keep(reason, why)
}

// Of is the acknowledgement of a spelling of a file; an empty spelling stands
// for the file as a whole. Place is the path of the file from the top of the
// work tree.
func (k Keeps) Of(place, spelling string) (Keep, bool) {
	for _, x := range k {
		if (x.Value == "" || x.Value == spelling) && (x.Path == "" || judge.MatchPath(x.Path, place)) {
			return x, true
		}
	}
	return Keep{}, false
}

// Kept is an outcome of a file as the configuration has it.
func (k Keeps) Kept(place string, o Outcome) Outcome {
	if len(k) == 0 || o.action == Stay || o.Old == Suppression {
		return o
	}
	if x, ok := k.Of(place, o.Old); ok {
		return o.acknowledged(Configured, x.Reason())
	}
	return o
}

// Reason is why something stays that the configuration acknowledges.
func (k Keep) Reason() string {
	if k.Why == "" {
		return keptByConfig
	}
	return keptByConfig + ": " + k.Why
}

// keptByConfig are the words for what the configuration keeps, before its reason.
const keptByConfig = "kept by the configuration"

// Configured is the id of the reason of what the configuration keeps.
const Configured = "configuration"

// A keeper knows what persons keep in a file.
type keeper struct {
	marks []Mark
	used  []bool // by mark
	place string
	list  Keeps
}

func newKeeper(data []byte, place string, keeps Keeps) *keeper {
	k := &keeper{marks: Marks(data), place: place, list: keeps}
	k.used = make([]bool, len(k.marks))
	return k
}

// nothing says whether persons keep nothing of the file.
func (k *keeper) nothing() bool { return len(k.marks) == 0 && len(k.list) == 0 }

// kept is the outcome of a place as persons have it.
func (k *keeper) kept(o Outcome) Outcome {
	if len(k.marks) > 0 && o.Old != Suppression {
		i, _ := slices.BinarySearchFunc(k.marks, o.Start, func(m Mark, at int) int { return m.Lines.Start - at - 1 }) // the first behind it
		last := i - 1
		for i = last; i >= 0 && o.Start <= k.marks[i].Lines.End; i-- {
			k.used[i] = true
		}
		if i < last {
			o = o.KeptByHand(k.marks[last].Why)
		}
	}
	return k.list.Kept(k.place, o)
}

// keeps is the outcome of a place of which nothing is said yet, and whether a
// person keeps it.
func (k *keeper) keeps(o Outcome) (Outcome, bool) {
	o = k.kept(o)
	return o, o.action == Stay
}

// inside says whether a person keeps a line of a text that goes or is written
// anew as a whole: all of it stays then.
func (k *keeper) inside(s source.Span) (Mark, bool) {
	for i, m := range k.marks {
		if s.Start <= m.Start && m.Start < s.End {
			k.used[i] = true
			return m, true
		}
	}
	return Mark{}, false
}

// unused tells a person of the marks that keep nothing.
func (k *keeper) unused() []Outcome {
	var list []Outcome
	for i, m := range k.marks {
		if !k.used[i] && !m.quoted {
			list = append(list, Outcome{Span: m.Span, Role: find.RoleProse, Old: Suppression}.Leave("unused-suppression", "this suppression keeps nothing", "remove it"))
		}
	}
	return list
}

// Acknowledge is what becomes of places of a file that were found after its
// formats were read, as persons have them, and the marks that keep some of them.
func Acknowledge(data []byte, place string, keeps Keeps, list []Outcome) (kept []Outcome, marks []source.Span) {
	k := newKeeper(data, place, keeps)
	for _, o := range list {
		kept = append(kept, k.kept(o))
	}
	for i, m := range k.marks {
		if k.used[i] {
			marks = append(marks, m.Span)
		}
	}
	return kept, marks
}
