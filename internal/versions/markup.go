package versions

import (
	"html"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/source"
)

// markup is what stands around the text of a cell, in the order in which it is
// taken off. Links keep their text, images their alternative text.
// Source: https://github.github.com/gfm/
var markup = []struct {
	text *lazyregexp.Regexp
	with string
}{
	{lazyregexp.New("[`†‡§¶¹²³⁴⁵⁶⁷⁸⁹⁰※\ufe0f\u200b\ufeff]"), ""}, // code, signs of remarks, characters without width
	// Comments, remarks, what is struck out, what a browser does not show.
	{lazyregexp.New(`(?s)<!--.*?-->|~~.*?~~`), ""},
	{lazyregexp.New(`(?is)<(?:sup|sub|del|s|strike|script|style|summary)(?:\s[^<>]*)?>.*?</(?:sup|sub|del|s|strike|script|style|summary)>`), ""},
	{lazyregexp.New(`<[A-Za-z][A-Za-z0-9+.-]*:[^<>\s]*>`), ""}, // an address
	{lazyregexp.New(`(?i)</?(?:br|li|p|div|tr)(?:\s[^<>]*|/)?>`), "\n"},
	{lazyregexp.New(`(?i)<img\s[^<>]*?\balt\s*=\s*["']([^"'<>]*)["'][^<>]*>`), "$1"},
	{lazyregexp.New(`</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*|/)?>`), ""},
	// An image of shields.io without a number in its text: badge/LABEL-MESSAGE-COLOR.
	// Source: https://shields.io/badges
	{lazyregexp.New(`!\[[^\]0-9]*\]\([^()]*/badge/(?:[^-/?()]|--)*-((?:[^-/?()]|--)+)-(?:[^-/?()]|--)*(?:\?[^()]*)?\)`), "$1"},
	{lazyregexp.New(`!(\[[^\[\]]*\])\([^()]*\)`), "$1"},
	// Footnotes: [^1], and numbers in brackets behind a version.
	{lazyregexp.New(`\[\^[^\]]*\](?:\([^()]*\))?`), " "},
	{lazyregexp.New(`([0-9+)]|\.[xX*])\[[0-9]+(?:, ?[0-9]+)*\](?:\([^()]*\))?`), "$1 "},
	{lazyregexp.New(`\[((?:[^\[\]]|\[[^\[\]]*\])*)\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])`), "$1"},
	{lazyregexp.New(`([0-9+)]|\.[xX*]) +\[[0-9]+\]`), "$1 "},
	{lazyregexp.New(`[\[(]\s*(v?[0-9]+\.[0-9xX.]+\s*,\s*v?[0-9xX.]*|,\s*v?[0-9]+\.[0-9xX.]+)\s*[\])]`), "$1 (?)"}, // a list, or an interval
	{lazyregexp.New(`[\[\]]`), ""},
	// Emphasis, and the star of a footnote: that of 1.27.* is kept.
	{lazyregexp.New(`(^|[^.*])\*+`), "$1"},
	{lazyregexp.New(`(^|[^A-Za-z0-9])_+|_+([^A-Za-z0-9]|$)`), "$1$2"},
	{lazyregexp.New(`\\([!-/:-@\[-` + "`" + `{-~]|$)`), "$1"},
}

// WithoutMarkup is the text of a cell without its markup, in one line.
func WithoutMarkup(cell string) string { return strings.Join(strings.Fields(unmarked(cell)), " ") }

// unmarked is the text of a cell without its markup. A line break stays one.
func unmarked(cell string) string {
	if strings.TrimSpace(cell) == "*" {
		return "*"
	}
	for _, m := range markup {
		cell = m.text.ReplaceAllString(cell, m.with)
	}
	return blanks.Replace(html.UnescapeString(cell))
}

// blanks are the blanks that do not break, and narrow ones.
var blanks = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ")

// TextOf is the text of the parts of a cell, with a comma between them.
func TextOf(data []byte, parts ...source.Span) string {
	return strings.Join(lists.Of(parts, func(s source.Span) string { return unmarked(string(s.Of(data))) }), ", ")
}
