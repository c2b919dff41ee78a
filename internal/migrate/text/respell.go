package text

import (
	"fmt"
	"strings"
)

// New lines in a document that is inside of a string are written as the
// languages around it want them: a view knows how its own language spells
// text, and asks the view around it for the rest.

// Say is text of a view, spelled for the file.
func (v *View) Say(text string) (string, bool) {
	if v.Spell == nil {
		return text, true
	}
	return v.Spell(text)
}

// Within says how the language of a view spells text in the one around it.
func (v *View) Within(outer *View, write func(text string) (string, bool)) *View {
	v.Spell = func(text string) (string, bool) {
		out, ok := write(text)
		if !ok {
			return "", false
		}
		return outer.Say(out)
	}
	return v
}

// refuse is for text that can only be replaced word by word.
func refuse(string) (string, bool) { return "", false }

// lineByLine puts what is between two lines in place of each line break
// but a final one, behind which the file goes on as it did. Blank lines get no
// prefix of blanks.
func lineByLine(text, between string) string {
	body, end := strings.CutSuffix(text, "\n")
	lines := strings.Split(body, "\n")
	out := strings.Join(lines, between)
	if between != "\n" && strings.TrimLeft(between, "\n ") == "" {
		for strings.Contains(out, between+"\n") {
			out = strings.ReplaceAll(out, between+"\n", "\n\n")
		}
	}
	if end {
		out += "\n"
	}
	return out
}

// prefixed is for views without the indentation, or the comment mark, of their lines.
func prefixed(prefix string) func(string) (string, bool) {
	return func(text string) (string, bool) { return lineByLine(text, "\n"+prefix), true }
}

// escaped is for strings with backslash escapes. A string over several lines
// keeps its line breaks.
func escaped(quote byte, long bool) func(string) (string, bool) {
	return func(text string) (string, bool) {
		var b strings.Builder
		for _, c := range text {
			switch {
			case c == '\\', c == rune(quote) && !long, c == '`' && quote == '`':
				b.WriteByte('\\')
				b.WriteRune(c)
			case c == '\n' && !long:
				b.WriteString(`\n`)
			case c == '\t' && !long:
				b.WriteString(`\t`)
			case c == '\r' && !long:
				b.WriteString(`\r`)
			case c < ' ' && c != '\n' && c != '\t' && c != '\r':
				fmt.Fprintf(&b, `\u%04x`, c)
			default:
				b.WriteRune(c)
			}
		}
		return b.String(), true
	}
}

// doubledQuotes is for single-quoted scalars of YAML on one line.
func doubledQuotes(text string) (string, bool) {
	return strings.ReplaceAll(text, "'", "''"), !strings.Contains(text, "\n")
}
