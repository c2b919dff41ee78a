package migrate

import (
	"bytes"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/find"
	"github.com/project-codeflare/cfctl/internal/source/ignore"
)

// What is left goes away when it is done, or when the user accepts it: by
// a comment where it is, or in the configuration of the tree, for what has
// no place for a comment.

// Keeps are the acknowledgements of a configuration, the first that fits counts.
type Keeps []Keep

// A Keep is one acknowledgement of the configuration: what is in the files
// of a path stays.
type Keep struct {
	Path  string `yaml:"path"`  // glob of files, from the top of the work tree; ** crosses folders
	Value string `yaml:"value"` // the spelling that stays; empty = whatever the files hold
	Why   string `yaml:"why"`   // the reason
}

// Suppression is the mark that keeps the sites of its line, or of the next
// line when it is alone.
const Suppression = "cfctl:keep"

var suppressions = find.New([]string{Suppression})

// A mark is one suppression of a file: from its word to the end of its line.
type mark = core.Mark

// marksOf are the suppressions of a text, in its order.
func marksOf(data []byte) []mark {
	var list []mark
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
		m := mark{Span: source.Span{Start: at, End: content}, Why: reason(string(data[at+len(Suppression) : content]))}
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
// is in no comment.
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

// alone says whether nothing but a comment mark is before a suppression.
func alone(before []byte) bool {
	return len(bytes.Trim(before, " \t#/*<!->{%-")) == 0
}

// acknowledged is the site of a place that a comment or the configuration keeps.
func acknowledged(s Site, v judge.Verdict) Site {
	s.Severe = false
	return s.As(v)
}

// Of is the acknowledgement of a spelling of a file; an empty spelling is
// for the file as a whole. Place is the path of the file from the top of the
// work tree.
func (k Keeps) Of(place, spelling string) (Keep, bool) {
	for _, x := range k {
		if (x.Value == "" || x.Value == spelling) && (x.Path == "" || matchPath(x.Path, place)) {
			return x, true
		}
	}
	return Keep{}, false
}

// kept is a site of a file as the configuration has it.
func (k Keeps) kept(place string, s Site) Site {
	if len(k) == 0 || s.Action() == Stay || s.Old == Suppression {
		return s
	}
	if x, ok := k.Of(place, s.Old); ok {
		return acknowledged(s, judge.Because(judge.Configured, x.Reason()))
	}
	return s
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

// acknowledge is what becomes of sites of a file that were found after it was read, as
// its comments and the configuration have them, and the comments that keep some of them.
func acknowledge(data []byte, place string, keeps Keeps, list []Site) (kept []Site, used []source.Span) {
	marks := marksOf(data)
	for _, s := range list {
		for _, m := range marks {
			if m.Lines.Start <= s.Start && s.Start <= m.Lines.End {
				s, used = acknowledged(s, judge.Because(judge.Suppressed, core.KeptByHand(m.Why))), append(used, m.Span)
			}
		}
		kept = append(kept, keeps.kept(place, s))
	}
	return kept, used
}

// globs are the patterns of paths that the configuration and rulesets have, by their text.
var globs sync.Map

// matchPath says whether a glob matches a path.
func matchPath(glob, name string) bool {
	if same, plain := samePath(glob, name); plain {
		return same
	}
	g, ok := globs.Load(glob)
	if !ok {
		g, _ = globs.LoadOrStore(glob, ignore.NewGlobs([]string{glob}))
	}
	return g.(*ignore.Globs).Match(name)
}

// samePath compares a path with a glob from the top up to the first special character of the
// glob. It is plain where that decides: --keep-rest writes thousands of such paths.
func samePath(glob, name string) (same, plain bool) {
	glob, plain = strings.CutPrefix(glob, "/")
	if !plain || strings.HasSuffix(glob, "/") {
		return false, false
	}
	for i := range len(glob) {
		switch c := glob[i]; {
		case strings.IndexByte("*?[!\\ ", c) >= 0:
			return false, false
		case i >= len(name) || name[i] != c:
			return false, true
		}
	}
	return len(name) == len(glob) || name[len(glob)] == '/', true
}
