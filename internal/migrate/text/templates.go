package text

import "bytes"

// marks of template languages: Go and Helm, Jinja, ERB.
var marks = [...]struct{ open, close []byte }{
	{[]byte("{{"), []byte("}}")},
	{[]byte("{%"), []byte("%}")},
	{[]byte("<%"), []byte("%>")},
}

// HasTemplate says whether text holds template actions.
func HasTemplate(data []byte) bool {
	for i := range marks {
		if bytes.Contains(data, marks[i].open) {
			return true
		}
	}
	return false
}

// BeginsTemplate says whether a text begins with an action of a template.
func BeginsTemplate(data []byte) bool {
	if len(data) < 2 || data[0] != '{' && data[0] != '<' {
		return false
	}
	for i := range marks {
		if bytes.HasPrefix(data, marks[i].open) {
			return true
		}
	}
	return false
}

// Actions finds the ends of the actions of a text.
type Actions struct {
	missing [len(marks)]struct{ from, limit int } // it is not closed between an offset and a limit
}

// End is the offset behind the action that begins at an offset, at most limit; -1 when it is
// not closed there.
func (x *Actions) End(data []byte, at, limit int) int {
	for i, m := range marks {
		if !bytes.HasPrefix(data[at:limit], m.open) {
			continue
		}
		if u := x.missing[i]; u.limit == limit && at >= u.from {
			return -1
		}
		if n := bytes.Index(data[at:limit], m.close); n >= 0 {
			return at + n + len(m.close)
		}
		x.missing[i].from, x.missing[i].limit = at, limit
		return -1
	}
	return -1
}
