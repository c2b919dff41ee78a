package syntax

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// shell reads a script by its lines: command lines with their words, comments,
// and the documents that stand in it.
func shell(top *Node, v *View, o options) {
	literalsOf(top, v, 2, o)
	quiet := 0 // up to there are strings without names
	for at := 0; at < len(v.B); {
		end := text.LineBreak(v.B, at)
		line := v.B[at:end]
		if t := bytes.TrimLeft(line, " \t@"); bytes.HasPrefix(t, []byte("#")) {
			at = remarks(top, v, at, o)
			continue
		}
		for len(line) > 0 && line[len(line)-1] == '\\' && end < len(v.B) { // goes on
			end = text.LineBreak(v.B, end+1)
			line = v.B[at:end]
		}
		if at >= quiet {
			if quiet = quoteEnd(v.B, at, end); quiet > end && o.hit != nil && o.hit(v.B[at:quiet]) {
				end = quiet
				line = v.B[at:end]
			}
		}
		from := at
		at = end + 1
		word := heredoc(line)
		if bytes.HasPrefix(line, []byte("define ")) { // of a Makefile
			word = "endef"
		}
		if o.hit == nil || o.hit(line) || word != "" || assigns(line) {
			words(top, v, from, &end, o)
			at = max(at, end+1)
		}
		if word != "" && at < len(v.B) {
			at = here(top, v, at, word, written(line), o)
		}
	}
}

// written is the file that a command line writes, "heredoc" for none whose name says what
// it holds.
func written(line []byte) string {
	if i := bytes.IndexByte(line, '>'); i >= 0 {
		if w := bytes.Fields(bytes.TrimLeft(line[i:], "> ")); len(w) > 0 && plain(w[0]) && path.Ext(string(w[0])) != "" {
			return string(w[0])
		}
	}
	return "heredoc"
}

// assigns says whether a line gives a variable a value: it may be a part of what
// another line names.
func assigns(line []byte) bool {
	t := bytes.TrimPrefix(bytes.TrimLeft(line, " \t"), []byte("export "))
	i := 0
	for i < len(t) && text.IsIdent(t[i]) {
		i++
	}
	if i == 0 || i == len(t) || len(line) >= 200 {
		return false
	}
	op, _, _ := bytes.Cut(bytes.TrimLeft(t[i:], " "), []byte(" "))
	return t[i] == '=' || isAssignment(op)
}

// isAssignment says whether a word of a line of a Makefile gives a variable its value.
func isAssignment(word []byte) bool {
	switch string(word) {
	case "=", ":=", "::=", "?=":
		return true
	}
	return false
}

// assignments reads lines of a name and a value, which needs no quotes: properties,
// environments, INI files.
func assignments(top *Node, v *View, o options) {
	for at := 0; at < len(v.B); {
		end := text.LineBreak(v.B, at)
		from := at
		at = end + 1
		from = text.SkipBlank(v.B, from, end)
		line := v.B[from:end]
		i := bytes.IndexAny(line, "=:")
		switch {
		case len(line) == 0 || line[0] == '[':
		case line[0] == '#' || line[0] == ';' || line[0] == '!':
			comment(top, v, source.Span{Start: from + 1, End: end}, "shell")
		case i > 0 && plain(bytes.TrimRight(line[:i], " \t")):
			n := &Node{View: v, Name: string(bytes.TrimRight(line[:i], " \t")), Start: from + i + 1, End: end}
			n.trim(" \t\"'", " \t\r\"'")
			top.add(n)
		}
	}
}

// remarks reads the comments that begin at an offset, and returns where they end.
func remarks(top *Node, v *View, at int, o options) int {
	var list []source.Span
	for at < len(v.B) {
		end := text.LineBreak(v.B, at)
		line := v.B[at:end]
		t := bytes.TrimLeft(line, " \t@")
		if !bytes.HasPrefix(t, []byte("#")) {
			break
		}
		list = append(list, source.Span{Start: end - len(t) + 1, End: end})
		at = end + 1
	}
	block(top, v, list, "shell", o)
	return at
}

// heredoc is the word that ends the document which a line begins, "" for none.
func heredoc(line []byte) string {
	i := bytes.Index(line, []byte("<<"))
	if i < 0 || bytes.HasPrefix(line[i:], []byte("<<<")) {
		return ""
	}
	t := bytes.TrimLeft(line[i+2:], "-~ \t")
	t = bytes.TrimLeft(t, `"'\`)
	n := 0
	for n < len(t) && text.IsIdent(t[n]) {
		n++
	}
	return string(t[:n])
}

// here reads the document in a script up to its word, and returns where the
// script goes on.
func here(top *Node, v *View, at int, word, name string, o options) int {
	from := at
	at = upTo(v.B, at, func(line []byte) bool { return string(bytes.TrimSpace(line)) == word })
	if at > from {
		n := top.add(&Node{View: v, Start: from, End: at, Name: name})
		if o.hit == nil || o.hit(n.Text()) {
			o.templated = true
			embed(n, v.Sub(from, at), o)
		}
	}
	if at < len(v.B) {
		return text.LineBreak(v.B, at) + 1
	}
	return at
}

// upTo is where the first line from an offset on begins that ends what is read, the end of the text
// for none.
func upTo(b []byte, at int, ends func(line []byte) bool) int {
	for at < len(b) {
		end := text.LineBreak(b, at)
		if ends(b[at:end]) {
			return at
		}
		at = end + 1
	}
	return len(b)
}

// words reads the words of a command line. A string may go on over several
// lines: end becomes the end of its last.
func words(top *Node, v *View, at int, end *int, o options) {
	cmd := top.add(&Node{Kind: Command, View: v})
	flagged := ""
	for at < *end {
		c := v.B[at]
		switch {
		case c == ' ' || c == '\t' || c == '\\' || c == '\n' || c == '\r':
			at++
			continue
		case c == '#' && (at == 0 || v.B[at-1] == ' '):
			comment(cmd, v, source.Span{Start: at + 1, End: *end}, "shell")
			return
		case c == '|' || c == ';' || c == '&':
			cmd = top.add(&Node{Kind: Command, View: v})
			flagged = ""
			at++
			continue
		}
		w := word(v, &at, end)
		w.Item = true
		cmd.add(w)
		flagged = names(w, flagged)
		if len(cmd.Kids) == 3 && cmd.Kids[0].View == w.View && plain(cmd.Kids[0].Text()) && // of a Makefile
			isAssignment(bytes.Trim(v.B[min(cmd.Kids[0].End, w.Start):w.Start], " \t\"'")) {
			w.Name, w.Seq = cmd.Kids[0].String(), 0
			cmd.Kids = append(cmd.Kids[:0], w)
		}
		if o.hit == nil || o.hit(w.Text()) {
			view, from, to := w.View, w.Start, w.End
			if embed(w, view.Sub(from, to), o); len(w.Kids) == 0 {
				w.View, w.Start, w.End = view, from, to // what is behind it counts
			}
		}
	}
}

// names gives a word the name that it has: a flag's, a variable's. It returns
// the flag that the next word belongs to.
func names(w *Node, flagged string) string {
	t := w.Text()
	eq := bytes.IndexByte(t, '=')
	switch {
	case len(t) > 1 && t[0] == '-' && eq < 0:
		return strings.TrimLeft(string(t), "-")
	case len(t) > 2 && t[0] == '-' && eq > 1, eq > 0 && plain(t[:eq]):
		w.Name = strings.TrimRight(strings.TrimLeft(string(t[:eq]), "-"), ":?+ ")
		w.Key = &Node{Kind: Key, View: w.View, Start: w.Start, End: w.Start + eq, Up: w}
		w.Start += eq + 1
		w.trim("\"'", "\"'")
	default:
		w.Name = flagged
	}
	return ""
}

func plain(t []byte) bool {
	return !slices.ContainsFunc(t, func(c byte) bool { return !text.IsIdent(c) && !strings.ContainsRune("-.[]/:?+", rune(c)) })
}

// word reads one word, without the quotes around it.
func word(v *View, at, end *int) *Node {
	from := *at
	quote := byte(0)
	i := from
	for ; i < *end; i++ {
		c := v.B[i]
		switch {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
			if closed(v.B, i+1, string(c), true, c == '"') < 0 {
				quote = 0
			}
		case c == '\\':
			i++
		case c == ' ' || c == '\t' || c == '\n' || c == '|' || c == ';' || c == '&':
			goto done
		}
		if quote != 0 && i+1 >= *end && *end < len(v.B) {
			*end = text.LineBreak(v.B, *end+1)
		}
	}
done:
	i = min(i, len(v.B))
	*at = max(i, from+1)
	n := &Node{View: v, Start: from, End: i}
	if t := v.B[from:i]; len(t) > 1 && (t[0] == '"' || t[0] == '\'') && t[len(t)-1] == t[0] {
		n.Start, n.End, n.Quoted = from+1, i-1, true
		if t[0] == '"' && bytes.IndexByte(n.Text(), '\\') >= 0 {
			n.View = unescape(v.Sub(n.Start, n.End))
			n.Start, n.End = 0, len(n.View.B)
		}
	}
	return n
}

// quoteEnd is the end of the line on which the strings of a line end.
func quoteEnd(b []byte, at, end int) int {
	for i := at; i < end; i++ {
		switch c := b[i]; c {
		case '\\':
			i++
		case '#':
			if i == at || b[i-1] == ' ' {
				return end
			}
		case '"', '\'':
			stop := closed(b, i+1, string(c), true, c == '"')
			if stop < 0 {
				return end
			}
			if i = stop; stop >= end {
				end = text.LineBreak(b, stop)
			}
		}
	}
	return end
}
