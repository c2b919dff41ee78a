package core

import (
	"bytes"
	"strings"
)

// A mark is a comment that keeps a line.
type mark struct {
	from, to int // offsets of the lines that it keeps
	why      string
}

type marks []mark

// suppressed are the lines that comments "cfctl:keep REASON" keep: their own,
// and the next one where nothing but the comment is on theirs.
func suppressed(data []byte) marks {
	var list marks
	word := []byte("cfctl:keep")
	for at := 0; ; {
		i := bytes.Index(data[at:], word)
		if i < 0 {
			return list
		}
		i += at
		at = i + len(word)
		if at < len(data) && data[at] != ' ' && data[at] != '\n' && data[at] != '\r' && data[at] != '\t' {
			continue
		}
		from := bytes.LastIndexByte(data[:i], '\n') + 1
		to := lineEnd(data, at)
		why := strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(string(data[at:to])), "-->"), "*/"))
		if len(bytes.Trim(data[from:i], " \t#/*<!-;%{")) == 0 && to < len(data) {
			to = lineEnd(data, to+1)
		}
		list = append(list, mark{from, to, why})
	}
}

// at says whether an offset is kept, and why.
func (m marks) at(_ []byte, offset int) (string, bool) {
	for _, x := range m {
		if x.from <= offset && offset <= x.to {
			return x.why, true
		}
	}
	return "", false
}

func lineEnd(b []byte, at int) int {
	if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(b)
}
