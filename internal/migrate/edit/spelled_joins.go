package edit

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Strings are put together in more ways than side by side: by calls that join them, by a
// format, by braces in one another, by the quotes of a word of a shell.

// How strings that stand side by side are read.
type reading struct {
	adjacent bool // they are one string
	words    bool // quotes are no part of the word that they stand in
}

// readingOf is that of a format.
func readingOf(format string) reading {
	return reading{adjacent: format == "python", words: format == "shell"}
}

// joint is how long what parts two strings is that are put together, from the quote at an
// offset on that ends the first up to the one that begins the second, and what stands between
// them; 0 where they are not.
func (r reading) joint(data []byte, at int) (is []byte, length int) {
	rest := data[at:]
	behind := skipComments(rest, 1)
	switch {
	case behind < len(rest) && rest[behind] == '+':
		length = quoteAt(rest, skipComments(rest, behind+1))
	case behind == 1 || r.adjacent:
		length = quoteAt(rest, behind)
	}
	if length > 0 {
		return nil, length
	}
	if m := filledQuote.Find(rest); m != nil {
		return nil, len(m)
	}
	if m := calledQuote.Find(rest); m != nil {
		return nil, len(m)
	}
	if m := listedQuote.Find(rest); m != nil {
		if is, ok := joinedBy(data, at); ok {
			return is, len(m)
		}
	}
	if r.words && inWord(data, at) {
		return nil, 1
	}
	return nil, 0
}

var (
	// filledQuote ends a string that is filled into another one, or a template.
	filledQuote = lazyregexp.New("^[\"'`]\\s*-?\\}{1,2}")
	// calledQuote is a call that puts a string behind another one.
	calledQuote = lazyregexp.New("^[\"'`]\\)?(?:\\.(?:concat|plus|append|join)\\(|\\s*(?:\\.\\.|<>|\\+\\+|\\s\\.\\s)\\s*)[\"'`]")
	// listedQuote parts two strings of a list, or of the arguments of a call.
	listedQuote = lazyregexp.New("^[\"'`](?:\\s*,\\s*|[ \\t]+)[rbfu]?[\"'`]")
	// joinsList is a call that joins the strings of a list, or its arguments; byADot is what it puts between.
	joinsList = lazyregexp.New("(?i)\\b(?:concat|join|print|cat)\\b")
	byADot    = lazyregexp.New("[\"'`]\\.[\"'`]")
)

// joinedBy says whether the strings of a list around an offset are joined on their line, and
// by what.
func joinedBy(data []byte, at int) ([]byte, bool) {
	near := lineNear(data, at).Of(data)
	switch {
	case !joinsList.Match(near):
		return nil, false
	case byADot.Match(near):
		return []byte("."), true
	}
	return nil, true
}

// lineNear is the line around an offset, as far as it is near.
func lineNear(data []byte, at int) source.Span {
	from := max(0, at-text.Nearby)
	end, _ := text.LineEnd(data, at, min(len(data), at+2*text.Nearby))
	return source.Span{Start: from + text.LineStart(data[from:], at-from), End: end}
}

// quoteAt is the offset behind a quote at another one, which may have letters before it as
// Python has, rb"..."; 0 where none stands.
func quoteAt(data []byte, at int) int {
	for range 2 {
		if at > 1 && at < len(data) && isLetter(data[at]) {
			at++
		}
	}
	if at < len(data) && bytes.IndexByte([]byte("\"'`"), data[at]) >= 0 {
		return at + 1
	}
	return 0
}

// inWord says whether a quote stands within a word, as one of a shell may.
func inWord(data []byte, at int) bool {
	return at > 0 && at+1 < len(data) && isNameByte(data[at-1]) && isNameByte(data[at+1])
}

func isNameByte(b byte) bool { return isLetter(b) || b == '.' || b == '-' }

// opened is how long what stands before a string is that is filled into another one, or
// into a text: ${", {{ ".
func opened(data []byte) int { return len(openedQuote.Find(data)) }

var openedQuote = lazyregexp.New("^[$#]?\\{{1,2}-?\\s*[\"'`]")

// printedIn is what is filled in at a place of a format by a string behind it, and how long
// the place is; 0 for any other one.
func (r reading) printedIn(data []byte, at int) (is []byte, length int) {
	place := formatPlace.Find(data[at:min(len(data), at+8)])
	if place == nil {
		return nil, 0
	}
	line := lineNear(data, at)
	open := line.Start + bytes.LastIndexAny(data[line.Start:at], "\"'`")
	if open < line.Start {
		return nil, 0
	}
	end := bytes.IndexByte(data[at:line.End], data[open])
	if end < 0 {
		return nil, 0
	}
	n := len(anyPlace.FindAll(data[open:at], -1))
	args := formatArgument.FindAllSubmatch(data[at+end+1:line.End], n+1)
	if len(args) <= n {
		return nil, 0
	}
	if bytes.IndexByte([]byte("\"'`"), args[n][1][0]) < 0 && !r.words { // a name
		return nil, 0
	}
	return bytes.Trim(args[n][1], "\"'`"), len(place)
}

var (
	formatPlace = lazyregexp.New(`^(?:%[sv]|\{\d?\})`)
	anyPlace    = lazyregexp.New(`%[sv]|\{\d?\}`)
	// formatArgument is (1) an argument of a format: a string, a name or a word.
	formatArgument = lazyregexp.New("[\\s,(%]+(\"[^\"\\s]*\"|'[^'\\s]*'|`[^`\\s]*`|[^\\s,()\"'`]+)")
)
