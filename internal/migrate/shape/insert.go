package shape

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// wrap puts a value under one more key, or makes it the one item of a list.
func (c *converter) wrap(t *text.Tree, n int32, key string) {
	x := t.Nodes[n]
	if x.Flow || c.json {
		c.wrapFlow(t, n, key)
		return
	}
	b := t.Block(n)
	colon := x.Key.End + bytes.IndexByte(t.Data[x.Key.End:], ':') + 1
	pad := strings.Repeat(" ", int(x.Indent)+2)
	rest := string(t.Data[colon:b.End])
	first, more, _ := strings.Cut(rest, "\n")
	text := "\n" + pad + key + ":" + first + "\n" + shift(more, 2)
	if key == "[*]" {
		text = listOfOne(first, more, pad)
	}
	c.splice(splice{source.Span{Start: colon, End: b.End}, text})
}

// wrapItem makes a mapping of a scalar item of a list; false where the item is no scalar of
// one line.
func (c *converter) wrapItem(t *text.Tree, n int32, key string) bool {
	x := t.Nodes[n]
	value := x.Val.Of(t.Data)
	if x.Style == text.None || len(value) == 0 || bytes.IndexByte(value, '\n') >= 0 {
		return false
	}
	open, end := key+": ", ""
	if c.json {
		open = strconv.Quote(key) + ": "
	}
	if x.Flow || c.json {
		open, end = "{"+open, "}"
	}
	at := x.Val
	if x.Style != text.Plain { // its quotes are around it
		at = source.Span{Start: at.Start - 1, End: at.End + 1}
	}
	c.splice(splice{source.Span{Start: at.Start, End: at.Start}, open}, splice{source.Span{Start: at.End, End: at.End}, end})
	return true
}

// wrapFlow is wrap for the value of an entry in flow style.
func (c *converter) wrapFlow(t *text.Tree, n int32, key string) {
	s := t.FlowSpan(n)
	at := t.Nodes[n].Key.End + bytes.IndexByte(t.Data[t.Nodes[n].Key.End:s.End], ':') + 1
	at = text.SkipBlank(t.Data, at, s.End)
	open, end := "{"+key+": ", "}"
	if c.json {
		open = "{" + strconv.Quote(key) + ": "
	}
	if key == "[*]" {
		open, end = "[", "]"
	}
	c.splice(splice{source.Span{Start: at, End: at}, open}, splice{source.Span{Start: s.End, End: s.End}, end})
}

// listOfOne is a block value, a mapping below its key or a scalar behind it, as
// the one item of a list.
func listOfOne(first, more, pad string) string {
	if strings.TrimSpace(first) != "" && !strings.HasPrefix(strings.TrimSpace(first), "#") {
		return "\n" + pad + "-" + first + "\n" + shift(more, 2)
	}
	block := shift(more, 2)
	at := 0 // the line of the first entry, behind comments
	for _, line := range strings.SplitAfter(block, "\n") {
		if text := strings.TrimSpace(line); text != "" && text[0] != '#' {
			break
		}
		at += len(line)
	}
	if strings.HasPrefix(block[at:], pad+"  ") {
		block = block[:at] + pad + "- " + block[at+len(pad)+2:]
	}
	return first + "\n" + block
}

// shift re-indents the lines of a block; blank lines stay.
func shift(text string, by int) string {
	if by == 0 || text == "" {
		return text
	}
	var b strings.Builder
	for _, line := range strings.SplitAfter(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "":
			b.WriteString(line)
		case by > 0:
			b.WriteString(strings.Repeat(" ", by) + line)
		default:
			n := 0
			for n < -by && n < len(line) && line[n] == ' ' {
				n++
			}
			b.WriteString(line[n:])
		}
	}
	return b.String()
}

// move takes an entry to another path of the object, or copies it there. What
// cannot be written there stays where it is.
func (c *converter) move(t *text.Tree, obj, n int32, way, to []string, keep bool, s rules.Step) {
	from, was := t, c.text
	parent, missing := t.Walk(obj, to)
	below := !keep && len(to) > len(way) && slices.Equal(to[:len(way)], way)
	if len(missing) == 0 {
		if !keep {
			c.tell(c.spelled(to)+" exists already; "+c.spelled(way)+" is not moved", "merge the two by hand")
		}
		return
	}
	if below { // it goes before it is written
		c.cut(t, n)
		t, obj = c.object()
		parent, _ = t.Walk(obj, to)
	}
	flow := c.inFlow(t, parent)
	value, comments, movable := from.Movable(n, flow)
	if !movable || !t.Takes(parent) {
		if below {
			c.write(was)
			c.tree = from
		}
		c.stuck(c.spelled(way), to, movable)
		return
	}
	if keep && !inBlock(from, n) {
		value = blankLines.ReplaceAllString(value, "\n")
	}
	if s.Quote && from.Nodes[n].Style == text.Plain {
		value = quoted(value, from.Raw(n), flow)
	}
	if flow {
		c.insertFlow(to, value)
	} else {
		c.insert(to, comments, value, int(from.Nodes[n].Indent))
	}
	if keep {
		return
	}
	if !below {
		c.cutAt(way)
	}
	c.prune(way, s)
}

// blankLines are blank lines behind another one: what is copied has none, as it is
// at the end of a mapping.
var blankLines = lazyregexp.New(`\n([ \t]*\r?\n)+`)

// inBlock says whether an entry holds a scalar of several lines, whose blank lines are
// of its text.
func inBlock(t *text.Tree, n int32) bool {
	for j := n; int(j) < len(t.Nodes) && text.Under(t, j, n); j++ {
		if x := t.Nodes[j]; x.Style != text.None && bytes.IndexByte(x.Val.Of(t.Data), '\n') >= 0 {
			return true
		}
	}
	return false
}

// cutAt takes the entry at a path away, if it is there.
func (c *converter) cutAt(way []string) {
	t, obj := c.object()
	if n, missing := t.Walk(obj, way); len(missing) == 0 {
		c.cut(t, n)
	}
}

// quoted is what is to be written with its scalar in quotes: behind the key in
// flow style, before a comment in block style.
func quoted(value, scalar string, flow bool) string {
	at := strings.Index(value, scalar)
	if flow {
		at = len(value) - len(scalar)
	}
	return value[:at] + strconv.Quote(scalar) + value[at+len(scalar):]
}

// stuck tells of an entry that cannot be written where it belongs.
func (c *converter) stuck(what string, to []string, movable bool) {
	if movable {
		c.tell(c.spelled(to)+" has no mapping to hold it; "+what+" is not moved", "write it by hand")
		return
	}
	c.tell(what+" is written in another style than its new place", "move it to "+c.spelled(to)+" by hand")
}

// inFlow says whether what is written under a node is written in flow style.
func (c *converter) inFlow(t *text.Tree, n int32) bool { return c.json || n >= 0 && t.InFlow(n) }

// spread copies an entry to every item that a path with wildcards leads to,
// and takes it away from where it stood.
func (c *converter) spread(way, to []string, keep bool, s rules.Step) {
	places := c.places(to)
	if len(places) == 0 {
		c.tell(c.spelled(way)+" has nowhere to go: "+c.spelled(to)+" has no item", "move it by hand")
		return
	}
	for _, place := range places {
		t, obj := c.object()
		if c.refused != nil {
			return
		}
		if n, missing := t.Walk(obj, way); len(missing) == 0 {
			c.move(t, obj, n, way, place, true, s)
		}
	}
	if t, obj := c.object(); !keep {
		if n, missing := t.Walk(obj, way); len(missing) == 0 {
			c.cut(t, n)
			c.prune(way, s)
		}
	}
}

// insert writes an entry at a path that is not there, under the parents that
// are, and makes those that are not. column is where the key stood.
func (c *converter) insert(to []string, comments, value string, column int) {
	t, obj := c.object()
	parent, missing := t.Walk(obj, to)
	if len(missing) == 0 {
		return
	}
	list := t.Children(parent)
	var indent, at int
	if len(list) > 0 {
		indent, at = int(t.Nodes[list[0]].Indent), t.Block(list[len(list)-1]).End
	} else {
		indent, at = int(t.Nodes[parent].Indent)+2, t.Block(parent).End
	}
	var b strings.Builder
	if at > 0 && t.Data[at-1] != '\n' {
		b.WriteByte('\n')
	}
	for i, key := range missing {
		pad := strings.Repeat(" ", indent+2*i)
		if i == len(missing)-1 {
			b.WriteString(shift(comments, indent+2*i-column))
			b.WriteString(pad + key + ":" + shiftTail(value, indent+2*i-column))
			break
		}
		b.WriteString(pad + key + ":\n")
	}
	content := b.String()
	if !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	c.splice(splice{source.Span{Start: at, End: at}, content})
}

// shiftTail re-indents the lines of a value behind its first one.
func shiftTail(value string, by int) string {
	first, rest, ok := strings.Cut(value, "\n")
	if !ok {
		return value
	}
	return first + "\n" + shift(rest, by)
}

// insertFlow writes an entry into a flow mapping.
func (c *converter) insertFlow(to []string, entry string) {
	t, obj := c.object()
	parent, missing := t.Walk(obj, to)
	if len(missing) == 0 {
		return
	}
	quote := ""
	if c.json || strings.HasPrefix(entry, `"`) {
		quote = `"`
	}
	value := entry
	if i := strings.Index(entry, ":"); i >= 0 {
		value = strings.TrimLeft(entry[i+1:], " \t\n")
	}
	text := value
	for i := len(missing) - 1; i >= 0; i-- {
		text = quote + missing[i] + quote + ": " + text
		if i > 0 {
			text = "{" + text + "}"
		}
	}
	list := t.Children(parent)
	if len(list) > 0 {
		at := t.FlowSpan(list[len(list)-1]).End
		c.splice(splice{source.Span{Start: at, End: at}, ", " + text})
		return
	}
	s := t.FlowSpan(parent)
	c.splice(splice{source.Span{Start: s.End - 1, End: s.End - 1}, text})
}

// provide writes a value where none is.
func (c *converter) provide(name string, keys []string, s rules.Step) {
	value := s.Value
	if name == "require-input" {
		given, ok := c.given(keys, s)
		if !ok {
			return
		}
		value = given
	}
	for _, way := range c.places(keys) {
		c.provideAt(way, value, s)
	}
}

// given is the value that the user gave for a step; false where none is needed,
// or none is given, which is told.
func (c *converter) given(keys []string, s rules.Step) (string, bool) {
	t, obj := c.object()
	if len(t.Find(obj, keys)) > 0 {
		return "", false
	}
	value, ok := c.set[s.Name]
	if !ok {
		why := strings.Join(keys, ".") + " needs a value"
		if s.Why != "" {
			why += ": " + s.Why
		}
		c.tell(why, fmt.Sprintf("run again with --set %s=VALUE", s.Name))
	}
	return value, ok
}

// provideAt writes a value at one place, where none is and the condition is met.
func (c *converter) provideAt(way []string, value string, s rules.Step) {
	t, obj := c.object()
	parent, missing := t.Walk(obj, way)
	if len(missing) > 0 && !c.holds(t, obj, parent, text.WildOf(way), s.When) {
		return
	}
	if c.inPieces() { // what is there may be missing all the same
		return
	}
	if len(missing) == 0 {
		return
	}
	if !t.Takes(parent) {
		c.tell(c.spelled(way)+" has no mapping to stand in", "write "+value+" by hand")
		return
	}
	if s.Report {
		c.tell(c.spelled(way)+" is "+value+" now: "+s.Why, "")
	}
	if c.inFlow(t, parent) {
		c.insertFlow(way, "x: "+c.scalarText(value))
		return
	}
	c.insert(way, "", " "+value+"\n", 0)
}

// scalarText is a value as JSON wants it, in JSON.
func (c *converter) scalarText(value string) string {
	if !c.json || value == "true" || value == "false" || value == "null" || strings.HasPrefix(value, "{") || strings.HasPrefix(value, "[") || strings.HasPrefix(value, `"`) {
		return value
	}
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return value
	}
	return strconv.Quote(value)
}
