package find

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// notebook reads the cells of a Jupyter notebook: a cell's source is one text,
// whatever the lines it is cut into.
func (a *analysis) notebook(v *text.View) {
	t := text.ScanJSON(v.Data, false)
	toks := a.Tokens(v.Data)
	done := map[int32]bool{}
	for k, tok := range toks {
		i, inKey := t.At(tok.Group.Start)
		if i < 0 || inKey {
			a.document(v, t, []Token{tok})
			continue
		}
		entry := t.Up(i)
		if done[i] || done[entry] {
			continue
		}
		switch name := t.KeyOf(entry); name {
		case "source", "text", "text/plain", "text/markdown", "text/html", "traceback":
			done[entry] = true
			in := joined(v, t, entry)
			if name == "source" {
				a.cell(in, a.cellType(t, entry))
			} else {
				a.embedded(in, InCode)
			}
		default:
			done[i] = true
			end := k
			for end < len(toks) && toks[end].Group.Start < t.Nodes[i].Val.End {
				end++
			}
			a.yamlValue(v, t, i, toks[k:end], map[int32]bool{})
		}
	}
}

func (a *analysis) cellType(t *text.Tree, source int32) string {
	if k := t.Sibling(source, "cell_type"); k >= 0 {
		return t.Text(k)
	}
	return ""
}

// cell reads the source of one cell.
func (a *analysis) cell(in *text.View, kind string) {
	switch {
	case kind == "markdown":
		a.markdown(in)
	case bytes.HasPrefix(in.Data, []byte("%%bash")), bytes.HasPrefix(in.Data, []byte("%%sh")), bytes.HasPrefix(in.Data, []byte("!")):
		a.shell(in)
	case bytes.HasPrefix(in.Data, []byte("%%")) || kind == "raw":
		a.embedded(in, InCode)
	default:
		a.code(in, text.Languages["python"])
	}
}

// joined is the text of a JSON string or of a list of them, one after the other.
func joined(v *text.View, t *text.Tree, entry int32) *text.View {
	b := text.Builder{Outer: v}
	list := []int32{entry}
	if t.Nodes[entry].Style == text.None {
		list = t.Children(entry)
	}
	for _, i := range list {
		if t.Nodes[i].Style != text.None {
			text.UnescapeInto(&b, t.Nodes[i].Val, false)
		}
	}
	in := b.View()
	if len(list) > 1 && t.Nodes[list[0]].Style == text.Double && t.Nodes[list[1]].Style == text.Double {
		between := string(v.Data[t.Nodes[list[0]].Val.End+1 : t.Nodes[list[1]].Val.Start-1])
		return in.Within(v, func(content string) (string, bool) {
			var items []string // each line is an item of its own
			for line := range strings.Lines(content) {
				item, _ := text.Escaped('"', false)(line)
				items = append(items, item)
			}
			return strings.Join(items, `"`+between+`"`), true
		})
	}
	return in.Within(v, text.Escaped('"', false))
}
