package report

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/lists"
)

// Visible makes text of another user fit to be shown in one line: names of
// files, tags, titles, subjects and values can hold escape sequences that
// rewrite a terminal, line breaks that begin a line of their own, marks that
// turn text around, and the commands that CI systems read from logs. What is
// not printable becomes an escape as Go writes it: \x1b, \n, \u202e.
func Visible(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !unicode.IsPrint(r):
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		case beginsCommand(text[i:]):
			b.WriteString(`#\x23`)
			size = 2
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// runnerCommand is what a command begins with to the runners of GitHub, Azure Pipelines
// (##[group], ##vso[task.complete]) and TeamCity (##teamcity[...]), wherever it is in a line.
var runnerCommand = lazyregexp.New(`##([A-Za-z]{0,32})\[`)

func beginsCommand(text string) bool {
	if !strings.HasPrefix(text, "##") {
		return false
	}
	at := runnerCommand.Get().FindIndex([]byte(text[:min(len(text), 40)]))
	return at != nil && at[0] == 0
}

// plain says whether there is nothing to do for Visible, as nearly always.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '#' {
			return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) && !runnerCommand.MatchString(text)
		}
	}
	return true
}

// Lines is Visible for text that may have several lines. They stay, and tabs;
// what follows the first begins with indent, so that no line of a user's
// looks like one of ours.
func Lines(indent, text string) Raw {
	lines := strings.Split(strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\r\n", "\n"), "\n")
	for i, line := range lines {
		parts := strings.Split(line, "\t")
		for j := range parts {
			parts[j] = Visible(parts[j])
		}
		lines[i] = strings.Join(parts, "\t")
	}
	return Raw(strings.Join(lines, "\n"+indent))
}

// Raw is text that has been made fit to be shown, or is our own.
type Raw string

// Fprintf prints as fmt.Fprintf does, and makes the arguments visible that are
// text: the format is ours, they are a user's. A line that would begin with
// "::", which CI systems take for a command, does not.
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	return io.WriteString(w, Sprintf(format, args...))
}

// Sprintf is Fprintf to a string.
func Sprintf(format string, args ...any) string {
	shown := lists.Of(args, show)
	return uncommand(fmt.Sprintf(format, shown...))
}

// show makes one argument visible.
func show(a any) any {
	switch a := a.(type) {
	case nil, Raw:
		return a
	case string:
		return Visible(a)
	case error:
		return Lines("    ", a.Error())
	case fmt.Stringer:
		return Visible(a.String())
	case []string:
		list := make([]string, len(a))
		for i, s := range a {
			list[i] = Visible(s)
		}
		return list
	}
	if v := reflect.ValueOf(a); v.Kind() == reflect.String {
		return Visible(v.String())
	}
	return a
}

// uncommand takes the meaning from lines that CI systems read as commands.
func uncommand(text string) string {
	if !strings.Contains(text, "::") && !strings.Contains(text, "##") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(runnerCommand.ReplaceAllString(text, `#\x23$1[`)) {
		if rest := strings.TrimLeft(line, " \t"); strings.HasPrefix(rest, "::") {
			line = line[:len(line)-len(rest)] + `:\x3a` + rest[2:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// Plural counts things: "1 file", "2 files", "2 repositories".
func Plural(n int, thing string) string {
	stem, irregular := strings.CutSuffix(thing, "y")
	switch {
	case n == 1:
		return "1 " + thing
	case irregular:
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Few are the first of a list, and how many more it has.
func Few(list []string, separator string) string {
	const most = 3
	if len(list) > most {
		return strings.Join(list[:most], separator) + fmt.Sprintf("%sand %d more", separator, len(list)-most)
	}
	return strings.Join(list, separator)
}

// plainWord is a word that means itself in every shell.
var plainWord = lazyregexp.New(`^[\w@%+=:,./-]+$`)

// Shell spells a command so that a POSIX shell takes each of the words as it
// is. A command that a user may copy is printed through it.
func Shell(words ...string) string {
	spelled := make([]string, len(words))
	for i, w := range words {
		spelled[i] = w
		if !plainWord.MatchString(w) {
			spelled[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
		}
	}
	return strings.Join(spelled, " ")
}

// Span is a duration for display: "3 min", "2 h 5 min", "4 days".
func Span(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(max(0, d).Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
