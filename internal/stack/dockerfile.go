package stack

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A dockerWord is a word of an instruction of a Dockerfile, with the place of each byte: a word
// may go on in the next line. Quotes around it are left out.
type dockerWord struct {
	text string
	at   []int
}

// from is the word from an offset on.
func (w dockerWord) from(i int) dockerWord { return dockerWord{w.text[i:], w.at[i:]} }

// span is where the bytes [i, j) of a word stand.
func (w dockerWord) span(i, j int) source.Span {
	if i == j {
		return source.Span{Start: w.at[i-1] + 1, End: w.at[i-1] + 1}
	}
	return source.Span{Start: w.at[i], End: w.at[j-1] + 1}
}

var (
	dockerEscape = lazyregexp.New("(?i)^(?:#[ \t]*[a-z]+[ \t]*=.*\n)*?#[ \t]*escape[ \t]*=[ \t]*`")
	heredoc      = lazyregexp.New(`<<-?["']?([A-Za-z_][A-Za-z0-9_]*)`)
	dockerVar    = lazyregexp.New(`\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})`)
)

// instructions are the words of the instructions of a Dockerfile. Comments, also between the
// lines of one, and documents of RUN and COPY are none.
// Source: https://docs.docker.com/reference/dockerfile/
func instructions(data []byte) [][]dockerWord {
	escape := byte('\\')
	if dockerEscape.Match(data) {
		escape = '`'
	}
	var list [][]dockerWord
	for at := 0; at < len(data); {
		var line dockerWord
		var text []byte
		for more := true; more && at < len(data); {
			start := at
			at = nextLine(data, at)
			part := bytes.TrimRight(data[start:at], " \t\r\n")
			if t := bytes.TrimLeft(part, " \t"); len(t) == 0 || t[0] == '#' {
				more = len(text) > 0
				continue
			}
			if more = part[len(part)-1] == escape; more {
				part = part[:len(part)-1]
			}
			for i, c := range part {
				text, line.at = append(text, c), append(line.at, start+i)
			}
		}
		line.text = string(text)
		words := line.words()
		if len(words) == 0 {
			continue
		}
		list = append(list, words)
		if slices.Contains([]string{"RUN", "COPY", "ADD"}, strings.ToUpper(words[0].text)) {
			for _, m := range heredoc.FindAllSubmatch(text, -1) {
				for at < len(data) {
					start := at
					at = nextLine(data, at)
					if bytes.Equal(bytes.Trim(data[start:at], "\t\r\n"), m[1]) {
						break
					}
				}
			}
		}
	}
	return list
}

// words splits a line at its blanks.
func (w dockerWord) words() []dockerWord {
	var list []dockerWord
	var text []byte
	var at []int
	quote, open := byte(0), false
	flush := func() {
		if open {
			list = append(list, dockerWord{string(text), at})
		}
		text, at, open = nil, nil, false
	}
	for i := range len(w.text) {
		switch c := w.text[i]; {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, open = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			flush()
		default:
			text, at, open = append(text, c), append(at, w.at[i]), true
		}
	}
	flush()
	return list
}

// settings are the NAME=value of an ARG or ENV instruction, without the names.
func settings(words []dockerWord, visit func(name string, value dockerWord)) {
	switch strings.ToUpper(words[0].text) {
	case "ARG", "ENV":
	default:
		return
	}
	for i, w := range words[1:] {
		if name, _, ok := strings.Cut(w.text, "="); ok {
			visit(name, w.from(len(name)+1))
		} else if i == 0 && len(words) == 3 && strings.EqualFold(words[0].text, "ENV") {
			visit(w.text, words[2])
			return
		}
	}
}

// findArg finds the values of an argument in all ARG instructions, and in ENV, which wins over it.
func findArg(p *Place, f *file) ([]hit, error) {
	var hits []hit
	for _, words := range instructions(f.data) {
		settings(words, func(name string, value dockerWord) {
			if strings.EqualFold(name, p.Key) && value.text != "" {
				hits = append(hits, p.value(f.data, value.span(0, len(value.text)))...)
			}
		})
	}
	return hits, nil
}

// findFrom finds the tags of an image in FROM, and where files are taken from. A tag that is an
// argument stands where that has its value.
func findFrom(p *Place, f *file) ([]hit, error) {
	args := map[string]dockerWord{}
	var hits []hit
	image := func(w dockerWord) {
		expanded, last := w.text, w
		for range 8 { // arguments of arguments
			m := dockerVar.FindAllStringSubmatchIndex(expanded, -1)
			if len(m) == 0 || len(expanded) > maxMakeValue {
				break
			}
			var b strings.Builder
			done := 0
			for _, at := range m {
				value, known := args[expanded[max(at[2], at[4]):max(at[3], at[5])]]
				if known && b.Len() < maxMakeValue {
					b.WriteString(expanded[done:at[0]] + value.text)
					last, done = value, at[1]
				}
			}
			expanded = b.String() + expanded[done:]
		}
		tag := imageTag(expanded)
		if strings.TrimSuffix(expanded[:tag.Start], ":") != p.Key || tag.Len() == 0 {
			return
		}
		text := expanded[tag.Start:]
		for _, x := range []dockerWord{w, last} {
			if rest, ok := strings.CutSuffix(x.text, text); ok {
				hits = append(hits, p.value(f.data, x.span(len(rest), len(rest)+tag.Len()))...)
				return
			}
		}
		hits = append(hits, p.value(f.data, w.span(0, len(w.text)))...)
	}
	for _, words := range instructions(f.data) {
		settings(words, func(name string, value dockerWord) { args[name] = value })
		isFrom := strings.EqualFold(words[0].text, "FROM")
		for _, w := range words[1:] {
			flag := strings.HasPrefix(w.text, "--")
			if isFrom && !flag {
				image(w)
				break
			}
			if _, source, ok := strings.Cut(w.text, "from="); ok && flag {
				source, _, _ = strings.Cut(source, ",")
				i := strings.Index(w.text, "from=") + len("from=")
				image(dockerWord{source, w.at[i : i+len(source)]})
			}
		}
	}
	return hits, nil
}
